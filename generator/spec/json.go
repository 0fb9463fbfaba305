package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxDepth is how deep arrays and objects may stand in each other. Real documents stay under 60; the bound keeps
// everything below from exhausting the stack on a hostile one.
const maxDepth = 1000

// syntaxError is a place where a file stops being JSON or YAML.
type syntaxError struct {
	line, column int
	message      string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.line, e.column, e.message)
}

// parseJSON reads one JSON text (RFC 8259) into the node tree that a YAML parser would give for it: numbers keep their
// text, and every node has its line and its column in bytes, both from 1. A YAML parser would do, as JSON is YAML, but
// takes five times as long, which is most of the time that a large document costs.
//
// Strings without escapes are slices of text, so the tree keeps text alive.
func parseJSON(text string, file int) (root *yaml.Node, err *syntaxError) {
	p := &jsonParser{text: text, line: 1, lineBase: file << lineBits}
	defer func() {
		if r := recover(); r != nil {
			failure, ok := r.(*syntaxError)
			if !ok {
				panic(r)
			}
			root, err = nil, failure
		}
	}()
	p.space()
	root = p.value(0)
	p.space()
	if p.pos < len(p.text) {
		p.fail("there is more text after the end of the document")
	}
	return root, nil
}

// jsonParser is a recursive descent over text. Errors unwind by panic, as the parser of text/template does it: it
// keeps the hot path free of checks.
type jsonParser struct {
	text      string
	pos       int
	line      int
	lineStart int // offset of the current line's first byte
	lineBase  int // file index, in the line's high bits

	nodes []yaml.Node  // the rest of the current block of nodes
	stack []*yaml.Node // children of the collections being read
}

// newNode takes nodes from blocks: half a million single allocations would cost more than the parsing.
func (p *jsonParser) newNode(kind yaml.Kind, tag string) *yaml.Node {
	if len(p.nodes) == 0 {
		p.nodes = make([]yaml.Node, min(256, 16+(len(p.text)-p.pos)/24))
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	n.Kind, n.Tag = kind, tag
	n.Line, n.Column = p.lineBase|p.line, p.pos-p.lineStart+1
	return n
}

func (p *jsonParser) fail(format string, args ...any) {
	panic(&syntaxError{line: p.line, column: p.pos - p.lineStart + 1, message: fmt.Sprintf(format, args...)})
}

func (p *jsonParser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r':
			p.pos++
		case '\n':
			p.pos++
			p.line++
			p.lineStart = p.pos
		default:
			return
		}
	}
}

func (p *jsonParser) value(depth int) *yaml.Node {
	if p.pos == len(p.text) {
		p.fail("the document ends where a value is expected")
	}
	switch c := p.text[p.pos]; {
	case c == '"':
		n := p.newNode(yaml.ScalarNode, strTag)
		n.Style = yaml.DoubleQuotedStyle
		n.Value = p.quoted()
		return n
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		return p.word("true", boolTag)
	case c == 'f':
		return p.word("false", boolTag)
	case c == 'n':
		return p.word("null", nullTag)
	}
	p.fail("a value cannot begin with %s", p.here())
	return nil
}

// here is the character at the current place, quoted, for messages.
func (p *jsonParser) here() string {
	if p.pos >= len(p.text) {
		return "the end of the document"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.QuoteRune(r)
}

func (p *jsonParser) word(word, tag string) *yaml.Node {
	if !strings.HasPrefix(p.text[p.pos:], word) {
		p.fail("a value cannot begin with %s", p.here())
	}
	n := p.newNode(yaml.ScalarNode, tag)
	n.Value = word
	p.pos += len(word)
	return n
}

func (p *jsonParser) number() *yaml.Node {
	end := p.pos
	for end < len(p.text) && strings.IndexByte("+-.eE0123456789", p.text[end]) >= 0 {
		end++
	}
	literal := p.text[p.pos:end]
	tag := numberTag(literal)
	if tag == "" {
		p.fail("%q is not a JSON number", literal)
	}
	n := p.newNode(yaml.ScalarNode, tag)
	n.Value = literal
	p.pos = end
	return n
}

func (p *jsonParser) enter(depth int) {
	if depth >= maxDepth {
		p.fail("nested more than %d deep", maxDepth)
	}
	p.pos++
	p.space()
}

// collect ends a collection: its children are what stands on the stack since mark.
func (p *jsonParser) collect(n *yaml.Node, mark int) *yaml.Node {
	if children := p.stack[mark:]; len(children) > 0 {
		n.Content = append(make([]*yaml.Node, 0, len(children)), children...)
	}
	p.stack = p.stack[:mark]
	return n
}

func (p *jsonParser) object(depth int) *yaml.Node {
	n, mark := p.newNode(yaml.MappingNode, mapTag), len(p.stack)
	p.enter(depth)
	if p.next('}') {
		return n
	}
	for {
		if p.pos == len(p.text) || p.text[p.pos] != '"' {
			p.fail("expected a member name in double quotes, found %s", p.here())
		}
		key := p.newNode(yaml.ScalarNode, strTag)
		key.Style = yaml.DoubleQuotedStyle
		key.Value = p.quoted()
		p.space()
		if !p.next(':') {
			p.fail("expected ':' after the member name %q, found %s", key.Value, p.here())
		}
		p.space()
		p.stack = append(p.stack, key)
		value := p.value(depth + 1)
		p.stack = append(p.stack, value)
		p.space()
		if p.next('}') {
			return p.collect(n, mark)
		}
		if !p.next(',') {
			p.fail("expected ',' or '}' after the member %q, found %s", key.Value, p.here())
		}
		p.space()
	}
}

func (p *jsonParser) array(depth int) *yaml.Node {
	n, mark := p.newNode(yaml.SequenceNode, seqTag), len(p.stack)
	p.enter(depth)
	if p.next(']') {
		return n
	}
	for {
		item := p.value(depth + 1)
		p.stack = append(p.stack, item)
		p.space()
		if p.next(']') {
			return p.collect(n, mark)
		}
		if !p.next(',') {
			p.fail("expected ',' or ']' in an array, found %s", p.here())
		}
		p.space()
	}
}

func (p *jsonParser) next(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// quoted reads a string; the current byte is its opening quote.
func (p *jsonParser) quoted() string {
	start := p.pos + 1
	for i := start; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '"':
			p.pos = i + 1
			return p.text[start:i]
		case c == '\\':
			return p.escaped(start, i)
		case c < ' ':
			p.pos = i
			p.fail("a control character in a string must be written as an escape")
		}
	}
	p.fail("a string that begins here has no end")
	return ""
}

// escaped reads the rest of a string from its first backslash on.
func (p *jsonParser) escaped(start, i int) string {
	var b strings.Builder
	from := start
	for i < len(p.text) {
		switch c := p.text[i]; {
		case c == '"':
			b.WriteString(p.text[from:i])
			p.pos = i + 1
			return b.String()
		case c == '\\':
			b.WriteString(p.text[from:i])
			r, width := p.escape(i)
			b.WriteRune(r)
			i += width
			from = i
		case c < ' ':
			p.pos = i
			p.fail("a control character in a string must be written as an escape")
		default:
			i++
		}
	}
	p.fail("a string that begins here has no end")
	return ""
}

// escape reads the escape at offset i, two for a surrogate pair.
func (p *jsonParser) escape(i int) (r rune, width int) {
	if i+1 < len(p.text) {
		switch c := p.text[i+1]; c {
		case '"', '\\', '/':
			return rune(c), 2
		case 'b':
			return '\b', 2
		case 'f':
			return '\f', 2
		case 'n':
			return '\n', 2
		case 'r':
			return '\r', 2
		case 't':
			return '\t', 2
		case 'u':
			if unit, ok := p.hex(i); ok {
				if !utf16.IsSurrogate(unit) {
					return unit, 6
				}
				if low, ok := p.hex(i + 6); ok {
					if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
						return pair, 12
					}
				}
				p.pos = i
				p.fail("half of a surrogate pair is not a character")
			}
		}
	}
	p.pos = i
	p.fail("not an escape that JSON knows")
	return 0, 0
}

func (p *jsonParser) hex(i int) (rune, bool) {
	if i+6 > len(p.text) || p.text[i] != '\\' || p.text[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[i+2:i+6], 16, 32)
	return rune(n), err == nil
}
