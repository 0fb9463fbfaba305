package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what is known of a node. A lazy node becomes one of the others when the first question about it is asked.
type kind uint8

const (
	absent  kind = iota
	spoiled      // a violation was reported for the node as a whole: everything else about it stays silent
	null
	boolean // text is "true" or "false"
	number  // text is the JSON literal
	str     // text is the decoded JSON string
	loose   // text of a parameter or form field, without a type of its own
	array
	object
	lazy // what a parameter or form field holds, not yet understood
)

// node is one value of a request. Nodes of one array or object lie side by side; parent is set when a node is handed
// out, so that a place is known without having been built for the values that are right.
type node struct {
	kind  kind
	asked bool  // as a member, by name
	index int32 // within an array
	next  int32 // where find starts
	// raw is the JSON text of a node that came from JSON.
	raw, text string
	// name is the member name within an object.
	name   string
	kids   []node
	parent *node
	// source is set for lazy nodes and for the root of a parameter.
	source *source
}

// source is where a lazy node's content stands, and how it is written.
type source struct {
	// in and name are set for a parameter; a body has neither.
	in, name string
	style    Style
	escape   escape
	leaves   []leaf
	branches []*branch
	form     *form // of the root of a form, for names that are asked for literally
}

// find returns the member called name. Members are mostly asked for in the order in which they are sent, so the search
// starts after the last one that was found.
func (n *node) find(name string) (at int, found bool) {
	for i := range n.kids {
		at = int(n.next) + i
		if at >= len(n.kids) {
			at -= len(n.kids)
		}
		if n.kids[at].name == name {
			n.next = int32(at + 1)
			return at, true
		}
	}
	return 0, false
}

// child hands out the kid at an index.
func (n *node) child(at int) *node {
	kid := &n.kids[at]
	kid.parent = n
	return kid
}

// maxToken bounds what a violation repeats of a member name that the client chose.
const maxToken = 64

// place writes where a value stands: for a body a JSON Pointer in its URI fragment form (RFC 6901, section 6), for a
// parameter its name and, within it, the pointer. name is a member of n that is absent, or empty.
func place(n *node, name string, missing bool) (in, parameter, pointer string) {
	var tokens []string
	if missing {
		tokens = append(tokens, name)
	}
	for ; n != nil; n = n.parent {
		if n.source != nil && n.source.in != "" {
			in, parameter = n.source.in, n.source.name
			break
		}
		if n.parent == nil {
			break
		}
		if n.parent.kind == array {
			tokens = append(tokens, strconv.Itoa(int(n.index)))
			continue
		}
		tokens = append(tokens, n.name)
	}
	var b strings.Builder
	b.WriteByte('#')
	for i := len(tokens) - 1; i >= 0; i-- {
		b.WriteByte('/')
		writeToken(&b, tokens[i])
	}
	pointer = b.String()
	if in != "" && pointer == "#" {
		pointer = ""
	}
	return in, parameter, pointer
}

func writeToken(b *strings.Builder, token string) {
	if len(token) > maxToken {
		cut := maxToken
		for cut > 0 && !utf8.RuneStart(token[cut]) {
			cut--
		}
		token = token[:cut] + "…"
	}
	const hex = "0123456789ABCDEF"
	for i := range len(token) {
		c := token[i]
		switch {
		case c == '~':
			b.WriteString("~0")
		case c == '/':
			b.WriteString("~1")
		case inFragment(c):
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
}

// inFragment reports whether c may stand in a URI fragment as it is (RFC 3986, section 3.5).
func inFragment(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	default:
		return strings.IndexByte("-._~!$&'()*+,;=:@/?", c) >= 0
	}
}
