package gocode

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// mount is one pattern of http.ServeMux and the routes that it stands for. ServeMux knows wildcards for whole segments only
// and panics where neither of two patterns is the more specific; such routes share a more general pattern, and are told
// apart behind it.
type mount struct {
	pattern string
	routes  []*route
	// dispatches is true when the pattern may match paths of none of the routes, or there are several.
	dispatches bool
	method     string
	segments   []string // a literal, or anySegment
}

// route is one operation's path.
type route struct {
	operation *operation
	segments  []segment
}

// segment is what stands between two slashes: literals and parameters in turn.
type segment struct {
	text   string   // as the template writes it
	params []string // names of its parameters
	whole  bool     // true when the segment is one parameter and nothing else
}

// anySegment stands for a wildcard.
const anySegment = "\x00"

// planRoutes decides which patterns are mounted and under which names the path's parameters are found.
func (p *plan) planRoutes() {
	for _, o := range p.operations {
		r := newRoute(o)
		o.wildcards = r.wildcardNames()
		if o.op.Webhook {
			continue // its path is the receiver's choice
		}
		if why := unroutable(o.op); why != "" {
			p.warnRoute(o, why)
			continue
		}
		p.mounts = append(p.mounts, newMount(r))
	}
	p.mergeMounts()
	p.checkMounts()
	slices.SortStableFunc(p.mounts, func(a, b *mount) int { return cmp.Compare(sortKey(a.routes[0]), sortKey(b.routes[0])) })
}

func sortKey(r *route) string { return r.operation.op.Path + " " + r.operation.op.Method }

func (p *plan) warnRoute(o *operation, why string) {
	p.warnings = append(p.warnings, diag.Diagnostic{
		Pos: o.op.Pos, Rule: "route-not-mounted", Severity: diag.Warning,
		Message: fmt.Sprintf("%s %s is not mounted by Register: %s", o.op.Method, firstParagraph(o.op.Path), why),
		Hint:    "mount " + o.handler + " yourself",
	})
}

// unroutable says why net/http cannot serve a path at all; empty when it can.
func unroutable(op *policy.Operation) string {
	switch path := op.Path; {
	case !strings.HasPrefix(path, "/"):
		return "the path does not begin with a slash"
	case strings.ContainsAny(path, "?#"):
		return "the path holds a query or a fragment"
	case strings.Contains(path, "//"), strings.Contains(path+"/", "/./"), strings.Contains(path+"/", "/../"):
		return "net/http redirects paths with empty or dot segments"
	case strings.ContainsFunc(path, unicode.IsControl), strings.ContainsFunc(op.Method, func(r rune) bool { return r < 'A' || r > 'Z' }):
		return "the method or path holds characters that cannot be sent"
	}
	return ""
}

func newRoute(o *operation) *route {
	r := &route{operation: o}
	for text := range strings.SplitSeq(strings.TrimPrefix(o.op.Path, "/"), "/") {
		r.segments = append(r.segments, parseSegment(text))
	}
	return r
}

// parseSegment finds the parameters in a segment: "{id}", "{id}.json", "{from}-{to}". A brace without its partner is text.
func parseSegment(text string) segment {
	s := segment{text: text}
	rest := text
	for {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(rest[open:], '}')
		if end < 0 {
			break
		}
		name := rest[open+1 : open+end]
		s.params = append(s.params, name)
		s.whole = text == "{"+name+"}"
		rest = rest[open+end+1:]
	}
	return s
}

// wildcardNames gives each parameter of the path, in the order of the template, a name that net/http takes: its own where
// that is an identifier, else as close to it as can be.
func (r *route) wildcardNames() []string {
	names := []string{}
	taken := scope{}
	for _, s := range r.segments {
		for _, name := range s.params {
			names = append(names, taken.claim(wildcardName(name)))
		}
	}
	return names
}

// wildcardName makes of a parameter's name what net/http takes for a wildcard's: an identifier.
func wildcardName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
	if clean == "" || unicode.IsDigit([]rune(clean)[0]) {
		return "p" + clean
	}
	return clean
}

// wildcard is the name under which the path's parameter is found.
func (o *operation) wildcard(name string) string {
	if at := slices.Index(templateParams(o.op.Path), name); at >= 0 {
		return o.wildcards[at]
	}
	return name
}

func newMount(r *route) *mount {
	m := &mount{method: r.operation.op.Method, routes: []*route{r}}
	for _, s := range r.segments {
		switch {
		case s.whole:
			m.segments = append(m.segments, anySegment)
		case len(s.params) > 0, strings.ContainsAny(s.text, "{}"):
			m.segments = append(m.segments, anySegment)
			m.dispatches = true
		default:
			m.segments = append(m.segments, s.text)
		}
	}
	return m
}

// mergeMounts merges until net/http can tell the patterns apart and none hides a path that belongs to another.
func (p *plan) mergeMounts() {
	for merged := true; merged; {
		merged = false
		for i := 0; i < len(p.mounts); i++ {
			for j := i + 1; j < len(p.mounts); j++ {
				if p.mounts[i].clashes(p.mounts[j]) {
					p.mounts[i].absorb(p.mounts[j])
					p.mounts = slices.Delete(p.mounts, j, j+1)
					merged = true
					j--
				}
			}
		}
	}
}

// clashes reports whether two mounts need one pattern: they are equal, or overlap and neither is the more specific, or the
// more specific one would take paths which it then does not know.
func (m *mount) clashes(n *mount) bool {
	if m.method != n.method || len(m.segments) != len(n.segments) {
		return false
	}
	mWider, nWider := false, false
	for i := range m.segments {
		a, b := m.segments[i], n.segments[i]
		switch {
		case a == b:
		case a == anySegment:
			mWider = true
		case b == anySegment:
			nWider = true
		default:
			return false // no path matches both
		}
	}
	switch {
	case mWider == nWider:
		return true
	case mWider:
		return n.dispatches
	default:
		return m.dispatches
	}
}

// absorb widens m to hold n's routes too.
func (m *mount) absorb(n *mount) {
	for i := range m.segments {
		if m.segments[i] != n.segments[i] {
			m.segments[i] = anySegment
		}
	}
	m.routes = append(m.routes, n.routes...)
	m.dispatches = true
}

// checkMounts writes the patterns and lets net/http itself say whether it takes them.
func (p *plan) checkMounts() {
	mux := http.NewServeMux()
	p.mounts = slices.DeleteFunc(p.mounts, func(m *mount) bool {
		m.dropDoubles(p)
		m.pattern = m.method + " " + m.path()
		why := refusal(mux, m.pattern)
		if why == "" {
			return false
		}
		for _, r := range m.routes {
			p.warnRoute(r.operation, why)
		}
		return true
	})
}

// path is the pattern without its method. Where several routes share it, its wildcards have names of their own.
func (m *mount) path() string {
	var b strings.Builder
	wildcard := 0
	for i, text := range m.segments {
		b.WriteByte('/')
		switch {
		case text == anySegment && m.dispatches:
			fmt.Fprintf(&b, "{s%d}", i+1)
		case text == anySegment:
			b.WriteString("{" + m.routes[0].operation.wildcards[wildcard] + "}")
			wildcard++
		case text == "" && i == len(m.segments)-1:
			b.WriteString("{$}")
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

// dropDoubles leaves out routes that match the very paths of another.
func (m *mount) dropDoubles(p *plan) {
	seen := map[string]*route{}
	m.routes = slices.DeleteFunc(m.routes, func(r *route) bool {
		key := r.anonymous()
		if first := seen[key]; first != nil {
			p.warnRoute(r.operation, "its path matches the same requests as "+firstParagraph(first.operation.op.Path))
			return true
		}
		seen[key] = r
		return false
	})
	if len(m.routes) == 1 && m.routes[0].isPlain() {
		*m = *newMount(m.routes[0])
	}
}

// anonymous is the path with its parameters' names taken out.
func (r *route) anonymous() string {
	var b strings.Builder
	for _, s := range r.segments {
		text := s.text
		for _, name := range s.params {
			text = strings.Replace(text, "{"+name+"}", "\x00", 1)
		}
		b.WriteString("/" + text)
	}
	return b.String()
}

// isPlain reports whether net/http can express the route.
func (r *route) isPlain() bool { return !newMount(r).dispatches }

// refusal asks net/http whether it takes a pattern beside those it has. It panics when it does not.
func refusal(mux *http.ServeMux, pattern string) (why string) {
	defer func() {
		if recover() != nil {
			why = "net/http cannot tell it from the other routes"
		}
	}()
	mux.Handle(pattern, http.NotFoundHandler())
	return ""
}

// templateParams returns the names of a path's parameters, in the order of the template.
func templateParams(path string) (names []string) {
	for text := range strings.SplitSeq(path, "/") {
		names = append(names, parseSegment(text).params...)
	}
	return names
}

// routeTemplate is a path in which every opening brace opens a parameter: one that opens none becomes an underscore.
func routeTemplate(path string) string {
	plain := strings.NewReplacer("{", "_").Replace
	segments := strings.Split(path, "/")
	for i, rest := range segments {
		segments[i] = ""
		for _, name := range parseSegment(rest).params {
			before, after, _ := strings.Cut(rest, "{"+name+"}")
			segments[i] += plain(before) + "{" + plain(name) + "}"
			rest = after
		}
		segments[i] += plain(rest)
	}
	return strings.Join(segments, "/")
}

// isMounted reports whether Register mounts an operation.
func (p *plan) isMounted(o *operation) bool {
	for _, m := range p.mounts {
		for _, r := range m.routes {
			if r.operation == o {
				return true
			}
		}
	}
	return false
}
