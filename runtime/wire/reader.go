package wire

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Reader reads one request. It is used by one goroutine, for one request.
type Reader struct {
	request *http.Request
	body    []byte
	query   *form // parsed when first asked for
	invalid Invalid
}

// NewReader returns a reader of r. body is r's whole body, with content codings such as gzip undone; it must not be
// changed as long as what was read is in use.
func NewReader(r *http.Request, body []byte) *Reader {
	return &Reader{request: r, body: body}
}

// Err returns nil, or an [*Invalid] that lists what was found wrong so far.
func (in *Reader) Err() error {
	if len(in.invalid.Violations) == 0 {
		return nil
	}
	found := in.invalid
	return &found
}

// Path reads a path parameter. name is the parameter's name in the document and wildcard the name under which the
// router knows it, see [http.Request.PathValue]. Without a style it is [Simple].
func (in *Reader) Path(name, wildcard string, style ...Style) Value {
	src := &source{in: "path", name: name, style: oneStyle(style, Simple), escape: pathEscape}
	if value := in.request.PathValue(wildcard); value != "" {
		raw, encoded := rawSegment(in.request.URL, value)
		if !encoded {
			src.escape = noEscape
		}
		src.leaves = []leaf{{raw: raw}}
	}
	return in.parameter(src)
}

// rawSegment finds the path segment that decodes to value, still percent-encoded: a delimiter that is encoded is data,
// and one that is not is a delimiter. A wildcard that is only a part of a segment is not found; value itself is
// returned then.
func rawSegment(u *url.URL, value string) (raw string, encoded bool) {
	if !strings.ContainsRune(u.RawPath, '%') {
		return value, false
	}
	for segment := range strings.SplitSeq(u.RawPath, "/") {
		if decoded, err := url.PathUnescape(segment); err == nil && decoded == value {
			return segment, true
		}
	}
	return value, false
}

// Query reads a query parameter. Without a style it is [Form] with [Explode]. With [Spread] the members of the
// parameter, an object, are query parameters of their own: it holds whatever no call before it has asked for, so read
// it last.
func (in *Reader) Query(name string, style ...Style) Value {
	if in.query == nil {
		in.query = in.parseQuery()
	}
	src := &source{in: "query", name: name, style: oneStyle(style, Form|Explode), escape: queryEscape}
	switch src.style.base() {
	case DeepObject:
		src.branches = in.query.nested(name)
	case Spread:
		src.branches = in.query.rest()
	default:
		src.leaves = in.query.literal(name)
	}
	return in.parameter(src)
}

func (in *Reader) parseQuery() *form {
	f, problem := parseForm(in.request.URL.RawQuery)
	if problem != "" {
		in.add(Violation{In: "query", Detail: problem})
	}
	return f
}

// Header reads a header. Without a style it is [Simple]; header values are never percent-decoded.
func (in *Reader) Header(name string, style ...Style) Value {
	src := &source{in: "header", name: name, style: oneStyle(style, Simple), escape: noEscape}
	for _, line := range in.request.Header.Values(name) {
		src.leaves = append(src.leaves, leaf{raw: strings.Trim(line, " \t")})
	}
	return in.parameter(src)
}

// Cookie reads a cookie. Without a style it is [Form] with [Explode], which is percent-decoded; with [Cookie] it is
// taken as it is (OpenAPI 3.2).
func (in *Reader) Cookie(name string, style ...Style) Value {
	src := &source{in: "cookie", name: name, style: oneStyle(style, Form|Explode), escape: pathEscape}
	if src.style.base() == Cookie {
		src.escape = noEscape
	}
	for _, c := range in.request.CookiesNamed(name) {
		src.leaves = append(src.leaves, leaf{raw: c.Value})
	}
	return in.parameter(src)
}

// parameter is the value of a parameter; where nothing was sent it is absent.
func (in *Reader) parameter(src *source) Value {
	n := &node{kind: lazy, source: src}
	if len(src.leaves) == 0 && len(src.branches) == 0 {
		n.kind = absent
	}
	return Value{in: in, n: n}
}

// Text reads the whole body as text.
func (in *Reader) Text() Value {
	if !utf8.Valid(in.body) {
		in.add(Violation{Pointer: "#", Detail: notUTF8})
		return in.whole(&node{kind: spoiled})
	}
	return in.whole(&node{kind: str, text: string(in.body)})
}

// JSON reads the body as one JSON value (RFC 8259). Names are compared exactly, a member given twice is invalid, and
// numbers keep every digit until a Go type is asked for.
func (in *Reader) JSON() Value {
	root, problem := parseJSON(string(in.body))
	if problem != "" {
		in.add(Violation{Pointer: "#", Detail: problem})
		root = node{kind: spoiled}
	}
	return in.whole(&root)
}

func (in *Reader) whole(root *node) Value {
	return Value{in: in, n: root}
}
