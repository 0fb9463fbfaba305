package wire

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Route is an operation's place in a router.
type Route struct {
	// Method is in capitals.
	Method string
	// Template is the path as the document writes it, for example "/v1/{name}:cancel".
	Template string
	// Wildcards are the names under which the values of the template's expressions are found by http.Request.PathValue, in the
	// template's order. They are Go identifiers, each once.
	Wildcards []string
	Handler   http.Handler
}

// Register puts routes on mux. A template whose expressions are whole segments becomes a pattern of its own. The others, such as
// /x/{id}.json, and those that mux takes for conflicting, such as /a/{x}/b and /a/c/{y}, share a wider pattern, behind which the
// closest template is found: from left to right a literal goes before an expression (OpenAPI 3.1, section 4.8.8.2).
//
// The error says which template cannot be registered, for example because mux has a conflicting pattern already; routes before
// it may have been registered then.
func Register(mux *http.ServeMux, routes ...Route) error {
	templates := make([]*template, len(routes))
	for i, route := range routes {
		t, err := parseTemplate(route)
		if err != nil {
			return err
		}
		templates[i] = t
	}
	slices.SortStableFunc(templates, (*template).compare)
	for _, g := range group(templates) {
		if err := g.register(mux, templates); err != nil {
			return err
		}
	}
	return nil
}

// template is a parsed path template.
type template struct {
	route    Route
	segments []segment
}

// segment is what stands between two slashes: literals and, between them, expressions. Without expressions there is one literal.
type segment struct {
	literals  []string // one more than there are expressions
	wildcards []string
}

func (s segment) isLiteral() bool { return len(s.wildcards) == 0 }
func (s segment) isWildcard() bool {
	return len(s.wildcards) == 1 && s.literals[0] == "" && s.literals[1] == ""
}

func parseTemplate(route Route) (*template, error) {
	path, ok := strings.CutPrefix(route.Template, "/")
	if !ok {
		return nil, fmt.Errorf("route %s %s: the template must start with a slash", route.Method, route.Template)
	}
	if route.Handler == nil {
		return nil, fmt.Errorf("route %s %s: the handler is nil", route.Method, route.Template)
	}
	t := &template{route: route}
	names := route.Wildcards
	for text := range strings.SplitSeq(path, "/") {
		var s segment
		for {
			open := strings.IndexByte(text, '{')
			if open < 0 {
				break
			}
			length := strings.IndexByte(text[open:], '}')
			if length < 0 || len(names) == 0 {
				return nil, fmt.Errorf("route %s %s: the template has an expression without an end or a name", route.Method, route.Template)
			}
			s.literals = append(s.literals, text[:open])
			s.wildcards = append(s.wildcards, names[0])
			names, text = names[1:], text[open+length+1:]
		}
		s.literals = append(s.literals, text)
		t.segments = append(t.segments, s)
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("route %s %s: there are more names than expressions", route.Method, route.Template)
	}
	return t, nil
}

// compare orders templates by method and, within it, from the closest to the widest.
func (t *template) compare(u *template) int {
	if c := cmp.Or(cmp.Compare(t.route.Method, u.route.Method), cmp.Compare(len(t.segments), len(u.segments))); c != 0 {
		return c
	}
	for i := range t.segments {
		if c := t.segments[i].compare(u.segments[i]); c != 0 {
			return c
		}
	}
	return 0
}

func (s segment) compare(o segment) int {
	return cmp.Or(
		cmp.Compare(s.rank(), o.rank()),
		-cmp.Compare(len(strings.Join(s.literals, "")), len(strings.Join(o.literals, ""))),
		slices.Compare(s.literals, o.literals),
	)
}

func (s segment) rank() int {
	switch {
	case s.isLiteral():
		return 0
	case s.isWildcard():
		return 2
	default:
		return 1
	}
}

// match reports whether an encoded path segment is one of s and hands the decoded values to set.
func (s segment) match(text string, set func(name, value string)) bool {
	if s.isLiteral() {
		decoded, err := url.PathUnescape(text)
		return err == nil && (decoded == s.literals[0] || text == s.literals[0])
	}
	rest, ok := strings.CutPrefix(text, s.literals[0])
	if !ok {
		return false
	}
	for i, name := range s.wildcards {
		end := len(rest)
		literal := s.literals[i+1]
		switch {
		case i == len(s.wildcards)-1:
			if !strings.HasSuffix(rest, literal) {
				return false
			}
			end -= len(literal)
		case literal != "":
			at := strings.Index(rest[min(1, len(rest)):], literal) // a value is never empty
			if at < 0 {
				return false
			}
			end = at + 1
		default:
			end = 1 // two expressions side by side: nothing says where the first ends
		}
		if end < 1 || end > len(rest) {
			return false
		}
		value, err := url.PathUnescape(rest[:end])
		if err != nil {
			return false
		}
		set(name, value)
		rest = rest[end+len(literal):]
	}
	return true
}

// routeGroup is the templates that share a pattern. pattern holds, for each segment, a literal or "" for any.
type routeGroup struct {
	pattern   []string
	anywhere  []bool // which segments of pattern are wildcards
	templates []*template
}

// group puts templates that one ServeMux cannot hold apart into one group.
func group(templates []*template) []*routeGroup {
	var groups []*routeGroup
	for _, t := range templates {
		groups = addGroup(groups, newGroup(t))
	}
	return groups
}

// addGroup adds g, widened by every group that it conflicts with.
func addGroup(groups []*routeGroup, g *routeGroup) []*routeGroup {
	for i, other := range groups {
		if other.conflicts(g) {
			rest := slices.Delete(slices.Clone(groups), i, i+1)
			return addGroup(rest, other.join(g))
		}
	}
	return append(groups, g)
}

func newGroup(t *template) *routeGroup {
	g := &routeGroup{templates: []*template{t}}
	for _, s := range t.segments {
		literal := ""
		if s.isLiteral() {
			literal = s.literals[0]
		}
		g.pattern = append(g.pattern, literal)
		g.anywhere = append(g.anywhere, !s.isLiteral())
	}
	return g
}

// conflicts reports whether ServeMux would refuse both: a path matches either and neither is the more specific one.
func (g *routeGroup) conflicts(o *routeGroup) bool {
	if g.templates[0].route.Method != o.templates[0].route.Method || len(g.pattern) != len(o.pattern) {
		return false
	}
	closer, wider := false, false
	for i := range g.pattern {
		switch {
		case g.anywhere[i] && !o.anywhere[i]:
			wider = true
		case !g.anywhere[i] && o.anywhere[i]:
			closer = true
		case g.pattern[i] != o.pattern[i]:
			return false
		}
	}
	return closer == wider
}

// join returns the group of both with the closest pattern that holds both.
func (g *routeGroup) join(o *routeGroup) *routeGroup {
	joined := &routeGroup{templates: slices.Concat(g.templates, o.templates)}
	for i := range g.pattern {
		anywhere := g.anywhere[i] || o.anywhere[i]
		literal := g.pattern[i]
		if anywhere {
			literal = ""
		}
		joined.pattern = append(joined.pattern, literal)
		joined.anywhere = append(joined.anywhere, anywhere)
	}
	return joined
}

// register puts the group's pattern on mux, which panics where it cannot.
func (g *routeGroup) register(mux *http.ServeMux, all []*template) (err error) {
	first := g.templates[0]
	defer func() {
		if refused := recover(); refused != nil {
			err = fmt.Errorf("route %s %s: %v", first.route.Method, first.route.Template, refused)
		}
	}()
	if len(g.templates) == 1 && first.isPlain() {
		mux.Handle(g.muxPattern(first.route.Wildcards), first.route.Handler)
		return nil
	}
	for i, t := range g.templates[1:] {
		if t.compare(g.templates[i]) == 0 {
			return fmt.Errorf("route %s %s: %s matches the same paths", t.route.Method, t.route.Template, g.templates[i].route.Template)
		}
	}
	names := make([]string, len(g.pattern))
	for i := range names {
		names[i] = fmt.Sprintf("segment%d", i)
	}
	mux.Handle(g.muxPattern(names), dispatch(g.candidates(all)))
	return nil
}

// isPlain reports whether every expression is a whole segment, so that ServeMux alone can match the template.
func (t *template) isPlain() bool {
	return !slices.ContainsFunc(t.segments, func(s segment) bool { return !s.isLiteral() && !s.isWildcard() })
}

// muxPattern writes the pattern as http.ServeMux reads it; names are used in order.
func (g *routeGroup) muxPattern(names []string) string {
	var b strings.Builder
	b.WriteString(g.templates[0].route.Method + " ")
	for i, literal := range g.pattern {
		b.WriteByte('/')
		switch {
		case g.anywhere[i]:
			b.WriteString("{" + names[0] + "}")
			names = names[1:]
		case literal == "" && i == len(g.pattern)-1:
			b.WriteString("{$}") // a slash at the end would mean everything below
		default:
			b.WriteString(escapeLiteral(literal))
		}
	}
	return b.String()
}

// escapeLiteral encodes a literal segment once, whether or not the document has it encoded already.
func escapeLiteral(literal string) string {
	if decoded, err := url.PathUnescape(literal); err == nil {
		literal = decoded
	}
	return url.PathEscape(literal)
}

// candidates are the templates that can match a path which the group's pattern matches, the closest first. One of another
// group is among them where it is wider: its pattern is not asked any more.
func (g *routeGroup) candidates(all []*template) []*template {
	var candidates []*template
	for _, t := range all {
		if slices.Contains(g.templates, t) || newGroup(t).overlaps(g) {
			candidates = append(candidates, t)
		}
	}
	return candidates
}

func (g *routeGroup) overlaps(o *routeGroup) bool {
	if g.templates[0].route.Method != o.templates[0].route.Method || len(g.pattern) != len(o.pattern) {
		return false
	}
	for i := range g.pattern {
		if !g.anywhere[i] && !o.anywhere[i] && g.pattern[i] != o.pattern[i] {
			return false
		}
	}
	return true
}

// dispatch calls the handler of the first template that matches; 404 if none does.
func dispatch(candidates []*template) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		segments := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
		for _, t := range candidates {
			if t.match(segments, r) {
				t.route.Handler.ServeHTTP(w, r)
				return
			}
		}
		http.NotFound(w, r)
	})
}

func (t *template) match(segments []string, r *http.Request) bool {
	if len(segments) != len(t.segments) {
		return false
	}
	for i, s := range t.segments {
		if segments[i] == "" && !s.isLiteral() || !s.match(segments[i], r.SetPathValue) {
			return false
		}
	}
	return true
}
