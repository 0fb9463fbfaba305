package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonParser reads one JSON text (RFC 8259) into nodes. It is strict where encoding/json is not: invalid UTF-8, lone
// surrogates and names given twice are errors, and names keep their case.
type jsonParser struct {
	text  string
	at    int
	depth int
	count int
	stack []node // kids of the containers that are open
}

// jsonError says what is wrong and, in bytes from the start, where. It does not repeat the text.
type jsonError struct {
	what string
	at   int
}

// parseJSON returns the one value that text holds.
func parseJSON(text string) (root node, problem string) {
	p := jsonParser{text: text, stack: make([]node, 0, fewMembers)}
	defer func() {
		if failure := recover(); failure != nil {
			e, ok := failure.(jsonError)
			if !ok {
				panic(failure)
			}
			root, problem = node{kind: spoiled}, fmt.Sprintf("must be valid JSON: %s at byte %d", e.what, e.at)
		}
	}()
	root = p.value()
	p.space()
	if p.at < len(p.text) {
		p.fail("there is something after the value")
	}
	return root, ""
}

// fail leaves the parser; parseJSON turns it into its result. A panic that never leaves the package keeps the code that
// reads the grammar free of error handling, as in encoding/json.
func (p *jsonParser) fail(what string) {
	panic(jsonError{what, p.at})
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *jsonParser) peek() byte {
	if p.at >= len(p.text) {
		p.fail("the text ends too early")
	}
	return p.text[p.at]
}

func (p *jsonParser) value() node {
	if p.count++; p.count > MaxValues {
		p.fail("there are too many values")
	}
	p.space()
	start := p.at
	var n node
	switch c := p.peek(); {
	case c == '{':
		n = p.object()
	case c == '[':
		n = p.array()
	case c == '"':
		n = node{kind: str, text: p.string()}
	case c == '-' || isDigit(c):
		n = node{kind: number, text: p.number()}
	default:
		n = p.word()
	}
	n.raw = p.text[start:p.at]
	return n
}

func (p *jsonParser) word() node {
	for _, w := range []struct {
		text string
		kind kind
	}{{"true", boolean}, {"false", boolean}, {"null", null}} {
		if strings.HasPrefix(p.text[p.at:], w.text) {
			p.at += len(w.text)
			return node{kind: w.kind, text: w.text}
		}
	}
	p.fail("a value is expected")
	return node{}
}

func (p *jsonParser) enter() (bottom int) {
	if p.depth++; p.depth > MaxDepth {
		p.fail("values are nested too deep")
	}
	p.at++
	return len(p.stack)
}

// leave takes the kids above bottom off the stack.
func (p *jsonParser) leave(bottom int) []node {
	p.depth--
	p.at++
	kids := slices.Clone(p.stack[bottom:])
	p.stack = p.stack[:bottom]
	return kids
}

func (p *jsonParser) array() node {
	bottom := p.enter()
	p.space()
	if p.peek() == ']' {
		return node{kind: array, kids: p.leave(bottom)}
	}
	for {
		item := p.value()
		item.index = int32(len(p.stack) - bottom)
		p.stack = append(p.stack, item)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			return node{kind: array, kids: p.leave(bottom)}
		default:
			p.fail("a comma or ] is expected")
		}
	}
}

func (p *jsonParser) object() node {
	bottom := p.enter()
	p.space()
	if p.peek() == '}' {
		return node{kind: object, kids: p.leave(bottom)}
	}
	var names map[string]bool
	for {
		p.space()
		if p.peek() != '"' {
			p.fail("a member name is expected")
		}
		name := p.string()
		names = p.unique(name, bottom, names)
		p.space()
		if p.peek() != ':' {
			p.fail("a colon is expected")
		}
		p.at++
		member := p.value()
		member.name = name
		p.stack = append(p.stack, member)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			return node{kind: object, kids: p.leave(bottom)}
		default:
			p.fail("a comma or } is expected")
		}
	}
}

// fewMembers is up to how many members are compared one by one.
const fewMembers = 16

// unique fails when name is among the members above bottom. A large object keeps a set, which is made when it is
// needed.
func (p *jsonParser) unique(name string, bottom int, names map[string]bool) map[string]bool {
	members := p.stack[bottom:]
	if len(members) < fewMembers {
		for i := range members {
			if members[i].name == name {
				p.fail("a member name is given twice")
			}
		}
		return nil
	}
	if names == nil {
		names = make(map[string]bool, 4*fewMembers)
		for i := range members {
			names[members[i].name] = true
		}
	}
	if names[name] {
		p.fail("a member name is given twice")
	}
	names[name] = true
	return names
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (p *jsonParser) number() string {
	start := p.at
	length := jsonNumber(p.text[p.at:])
	if length == 0 {
		p.fail("a number is expected")
	}
	p.at += length
	return p.text[start:p.at]
}

// jsonNumber returns the length of the JSON number that text starts with, 0 if it does not.
func jsonNumber(text string) int {
	at := 0
	digits := func() bool {
		start := at
		for at < len(text) && isDigit(text[at]) {
			at++
		}
		return at > start
	}
	if at < len(text) && text[at] == '-' {
		at++
	}
	if at < len(text) && text[at] == '0' {
		at++
	} else if !digits() {
		return 0
	}
	if at < len(text) && text[at] == '.' {
		at++
		if !digits() {
			return 0
		}
	}
	if at < len(text) && (text[at] == 'e' || text[at] == 'E') {
		at++
		if at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		if !digits() {
			return 0
		}
	}
	return at
}

// string reads a string. One without escapes is a part of the text, without a copy.
func (p *jsonParser) string() string {
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			text := p.text[start:p.at]
			if !utf8.ValidString(text) {
				p.fail("a string is not UTF-8")
			}
			p.at++
			return text
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			p.fail("a control character stands in a string")
		default:
			p.at++
		}
	}
	p.fail("a string does not end")
	return ""
}

// escaped reads the rest of a string from its first escape on.
func (p *jsonParser) escaped(start int) string {
	var b strings.Builder
	b.WriteString(p.text[start:p.at])
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '"':
			text := b.String()
			if !utf8.ValidString(text) {
				p.fail("a string is not UTF-8")
			}
			p.at++
			return text
		case c == '\\':
			b.WriteRune(p.escape())
		case c < 0x20:
			p.fail("a control character stands in a string")
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.fail("a string does not end")
	return ""
}

// escape reads one escape, or the two that make a surrogate pair.
func (p *jsonParser) escape() rune {
	p.at++
	c := p.peek()
	p.at++
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		return p.unicode()
	}
	p.fail("an escape is unknown")
	return 0
}

func (p *jsonParser) unicode() rune {
	first := p.hex4()
	if !utf16.IsSurrogate(first) {
		return first
	}
	if !strings.HasPrefix(p.text[p.at:], `\u`) {
		p.fail("a surrogate stands alone")
	}
	p.at += 2
	r := utf16.DecodeRune(first, p.hex4())
	if r == utf8.RuneError {
		p.fail("a surrogate stands alone")
	}
	return r
}

func (p *jsonParser) hex4() rune {
	var r rune
	for range 4 {
		c := p.peek()
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			p.fail("an escape is not four hexadecimal digits")
		}
		p.at++
	}
	return r
}
