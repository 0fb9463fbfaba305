package wire

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Route is a path template behind a [Dispatch].
type Route struct {
	// Template is the path as the document writes it, for example "/v1/{name}:cancel".
	Template string
	// Names are the names under which the values of the template's expressions are found by http.Request.PathValue, in
	// the template's order.
	Names   []string
	Handler http.Handler
}

// Dispatch returns a handler that calls the handler of the closest template that a request's path matches, and answers
// 404 when none does. It stands behind a wider pattern where http.ServeMux cannot express a template, such as
// /x/{id}.json, or takes two for conflicting, such as /a/{x}/b and /a/c/{y}.
//
// Of two templates that match, the first segment in which they differ decides: a literal goes before an expression with
// text beside it, and that before an expression alone (OpenAPI 3.1, section 4.8.8.2). Values are never empty; the
// percent-encoded path is matched, so that an encoded slash or colon is a part of a value.
//
// Dispatch panics when a route has no handler or not as many names as expressions.
func Dispatch(routes ...Route) http.Handler {
	d := make(dispatcher, len(routes))
	for i, route := range routes {
		d[i] = parseTemplate(route)
	}
	slices.SortStableFunc(d, template.compare)
	return d
}

// dispatcher is a list of templates, the closest first.
type dispatcher []template

func (d dispatcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	segments := strings.Split(strings.TrimPrefix(readable(r.URL.EscapedPath()), "/"), "/")
	for i := range d {
		if values, ok := d[i].match(segments); ok {
			for j, name := range d[i].names {
				r.SetPathValue(name, values[j])
			}
			d[i].handler.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// template is a parsed path template.
type template struct {
	segments []segment
	names    []string
	handler  http.Handler
}

// segment is what stands between two slashes: literals, and between each two of them an expression.
type segment []string

func parseTemplate(route Route) template {
	t := template{names: route.Names, handler: route.Handler}
	expressions := 0
	for text := range strings.SplitSeq(strings.TrimPrefix(route.Template, "/"), "/") {
		s := parseSegment(text)
		expressions += len(s) - 1
		t.segments = append(t.segments, s)
	}
	if expressions != len(route.Names) || route.Handler == nil {
		panic(fmt.Sprintf("wire.Dispatch: the route %q has %d expressions, %d names and the handler %v",
			route.Template, expressions, len(route.Names), route.Handler))
	}
	return t
}

// readable decodes what a path has to encode, such as a space, and what it need not (RFC 3986, section 2.3): a template
// may have either as it is. What is reserved, where encoding makes a difference, stays encoded.
func readable(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c, err := url.PathUnescape(path[i : i+3]); err == nil && !strings.Contains("%:/?#[]@!$&'()*+,;={}", c) {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// parseSegment splits at the expressions. A brace without its partner is text.
func parseSegment(text string) (s segment) {
	text = readable(text)
	for {
		open := strings.IndexByte(text, '{')
		length := 0
		if open >= 0 {
			length = strings.IndexByte(text[open:], '}')
		}
		if open < 0 || length < 0 {
			return append(s, text)
		}
		s = append(s, text[:open])
		text = text[open+length+1:]
	}
}

// compare puts the closer template first.
func (t template) compare(u template) int {
	if c := cmp.Compare(len(t.segments), len(u.segments)); c != 0 {
		return c
	}
	return slices.CompareFunc(t.segments, u.segments, segment.compare)
}

func (s segment) compare(o segment) int {
	return cmp.Or(
		cmp.Compare(s.rank(), o.rank()),
		-cmp.Compare(len(strings.Join(s, "")), len(strings.Join(o, ""))),
		slices.Compare(s, o),
	)
}

func (s segment) rank() int {
	switch {
	case len(s) == 1:
		return 0 // a literal
	case strings.Join(s, "") != "":
		return 1 // text and expressions
	default:
		return 2
	}
}

// match compares a path, still encoded, and returns the decoded values of the expressions.
func (t template) match(path []string) (values []string, ok bool) {
	if len(path) != len(t.segments) {
		return nil, false
	}
	for i, s := range t.segments {
		if len(s) == 1 {
			if !sameLiteral(path[i], s[0]) {
				return nil, false
			}
			continue
		}
		if values, ok = s.match(path[i], values); !ok {
			return nil, false
		}
	}
	return values, true
}

// sameLiteral compares a segment of a path with a literal, which a document may write encoded or not.
func sameLiteral(sent, literal string) bool {
	if sent == literal {
		return true
	}
	decoded, err := url.PathUnescape(sent)
	return err == nil && decoded == literal
}

// match appends the values of a segment with expressions. A value ends where the next literal is first found.
func (s segment) match(text string, values []string) (_ []string, ok bool) {
	rest, ok := strings.CutPrefix(text, s[0])
	if !ok {
		return nil, false
	}
	for i, literal := range s[1:] {
		end := len(rest) - len(literal)
		if i < len(s)-2 {
			end = 1 // two expressions side by side: the first has one character
			if literal != "" && rest != "" {
				end = 1 + strings.Index(rest[1:], literal)
			}
		}
		if end < 1 || end+len(literal) > len(rest) || rest[end:end+len(literal)] != literal {
			return nil, false
		}
		value, err := url.PathUnescape(rest[:end])
		if err != nil {
			return nil, false
		}
		values = append(values, value)
		rest = rest[end+len(literal):]
	}
	return values, rest == ""
}
