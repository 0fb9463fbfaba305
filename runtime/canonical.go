package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth bounds how deep arrays and objects may be nested.
	maxDepth = 128
	// maxExponentDigits bounds an exponent, so that its arithmetic is exact in an int64. The number it stands for is
	// never computed.
	maxExponentDigits = 18
)

// canonicalJSON reads one JSON value (RFC 8259) strictly and returns it in the one form that all texts of equal value
// share: members sorted, no white space, shortest escapes, numbers as their significant digits and an exponent. Numbers are
// compared as decimals of any size, never as floating point: 1, 1.0 and 10e-1 are equal, 9007199254740993 and
// 9007199254740992 are not. Two members of one name, invalid UTF-8 and lone surrogates are errors.
//
// selected says which values are left out, and which are captured, in canonical form, into a slice of n captures.
func canonicalJSON(text []byte, selected *selection, n int) (canonical []byte, captured [][]byte, err error) {
	var few [16]member // most bodies have no more members open at a time
	c := canonicaliser{in: text, out: make([]byte, 0, len(text)+16), members: few[:0]}
	if n > 0 {
		c.captured = make([][]byte, n)
	}
	c.space()
	if err := c.value(selected); err != nil {
		return nil, nil, err
	}
	c.space()
	if c.pos != len(c.in) {
		return nil, nil, c.fail("there is more after the value")
	}
	return c.out, c.captured, nil
}

type canonicaliser struct {
	in       []byte
	pos      int
	out      []byte
	depth    int
	members  []member // of the objects that are open, innermost last
	scratch  []byte
	captured [][]byte
}

// member is where one member of an open object stands in out.
type member struct {
	start, nameEnd, end int
	drop                bool
}

func (c *canonicaliser) fail(what string) error {
	return fmt.Errorf("%s, at byte %d", what, c.pos)
}

func (c *canonicaliser) space() {
	for c.pos < len(c.in) {
		switch c.in[c.pos] {
		case ' ', '\t', '\n', '\r':
			c.pos++
		default:
			return
		}
	}
}

// accept consumes one byte if it is next.
func (c *canonicaliser) accept(b byte) bool {
	if c.pos < len(c.in) && c.in[c.pos] == b {
		c.pos++
		return true
	}
	return false
}

func (c *canonicaliser) value(selected *selection) error {
	start := len(c.out)
	if err := c.anyValue(selected); err != nil {
		return err
	}
	if selected != nil && selected.capture >= 0 {
		c.captured[selected.capture] = bytes.Clone(c.out[start:])
	}
	return nil
}

func (c *canonicaliser) anyValue(selected *selection) error {
	if c.pos == len(c.in) {
		return c.fail("it ends too early")
	}
	switch b := c.in[c.pos]; {
	case b == '{' || b == '[':
		return c.nested(selected, b)
	case b == '"':
		return c.str()
	case b == '-' || b >= '0' && b <= '9':
		return c.number()
	}
	if c.word("true") || c.word("false") || c.word("null") {
		return nil
	}
	return c.fail("a value is missing")
}

func (c *canonicaliser) word(word string) bool {
	if len(c.in)-c.pos < len(word) || string(c.in[c.pos:c.pos+len(word)]) != word {
		return false
	}
	c.pos += len(word)
	c.out = append(c.out, word...)
	return true
}

func (c *canonicaliser) nested(selected *selection, bracket byte) (err error) {
	if c.depth == maxDepth {
		return c.fail("it is nested too deep")
	}
	c.depth++
	c.pos++
	c.space()
	if bracket == '{' {
		err = c.object(selected)
	} else {
		err = c.array(selected)
	}
	c.depth--
	return err
}

func (c *canonicaliser) array(selected *selection) error {
	c.out = append(c.out, '[')
	begin := len(c.out)
	for index := 0; ; index++ {
		if index == 0 && c.accept(']') {
			break
		}
		start := len(c.out)
		if start > begin {
			c.out = append(c.out, ',')
		}
		var item *selection
		if selected != nil && selected.children != nil {
			item = selected.child(strconv.Itoa(index))
		}
		c.space()
		if err := c.value(item); err != nil {
			return err
		}
		if item != nil && item.drop {
			c.out = c.out[:start]
		}
		c.space()
		if c.accept(']') {
			break
		}
		if !c.accept(',') {
			return c.fail("a comma or a closing bracket is missing")
		}
	}
	c.out = append(c.out, ']')
	return nil
}

func (c *canonicaliser) object(selected *selection) error {
	c.out = append(c.out, '{')
	first := len(c.members)
	for n := 0; ; n++ {
		if n == 0 && c.accept('}') {
			break
		}
		c.space()
		if c.pos == len(c.in) || c.in[c.pos] != '"' {
			return c.fail("a member's name is missing")
		}
		if n > 0 {
			c.out = append(c.out, ',')
		}
		m := member{start: len(c.out)}
		if err := c.str(); err != nil {
			return err
		}
		m.nameEnd = len(c.out)
		inner, err := c.memberSelection(selected, c.out[m.start:m.nameEnd])
		if err != nil {
			return err
		}
		c.space()
		if !c.accept(':') {
			return c.fail("a colon is missing")
		}
		c.out = append(c.out, ':')
		c.space()
		if err := c.value(inner); err != nil {
			return err
		}
		m.end = len(c.out)
		m.drop = inner != nil && inner.drop
		c.members = append(c.members, m)
		c.space()
		if c.accept('}') {
			break
		}
		if !c.accept(',') {
			return c.fail("a comma or a closing brace is missing")
		}
	}
	err := c.arrange(c.members[first:])
	c.members = c.members[:first]
	c.out = append(c.out, '}')
	return err
}

// memberSelection finds what is selected of a member, whose name is given in canonical form.
func (c *canonicaliser) memberSelection(selected *selection, name []byte) (*selection, error) {
	if selected == nil || selected.children == nil {
		return nil, nil
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return selected.children[string(name[1:len(name)-1])], nil
	}
	var decoded string
	if err := json.Unmarshal(name, &decoded); err != nil {
		return nil, c.fail("a member's name is malformed")
	}
	return selected.children[decoded], nil
}

// arrange brings the members of one object, which stand at the end of out, into the order of their names and leaves out
// what is dropped. Names in canonical form are equal exactly when the names are.
func (c *canonicaliser) arrange(members []member) error {
	name := func(m member) []byte { return c.out[m.start:m.nameEnd] }
	inPlace := true
	for i := range members {
		inPlace = inPlace && !members[i].drop && (i == 0 || bytes.Compare(name(members[i-1]), name(members[i])) < 0)
	}
	if inPlace {
		return nil
	}
	begin := members[0].start
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(name(a), name(b)) })
	for i := 1; i < len(members); i++ {
		if bytes.Equal(name(members[i-1]), name(members[i])) {
			return c.fail("two members of one object have the same name")
		}
	}
	c.scratch = slices.Grow(c.scratch[:0], len(c.out)-begin)
	for _, m := range members {
		if m.drop {
			continue
		}
		if len(c.scratch) > 0 {
			c.scratch = append(c.scratch, ',')
		}
		c.scratch = append(c.scratch, c.out[m.start:m.end]...)
	}
	c.out = append(c.out[:begin], c.scratch...)
	return nil
}

// str reads a string and writes it with the escapes that JSON demands and no others.
func (c *canonicaliser) str() error {
	c.pos++
	c.out = append(c.out, '"')
	for c.pos < len(c.in) {
		b := c.in[c.pos]
		switch {
		case b == '"':
			c.pos++
			c.out = append(c.out, '"')
			return nil
		case b == '\\':
			if err := c.escape(); err != nil {
				return err
			}
		case b < ' ':
			return c.fail("a string has a control character that is not escaped")
		case b < utf8.RuneSelf:
			c.pos++
			c.out = append(c.out, b)
		default:
			r, size := utf8.DecodeRune(c.in[c.pos:])
			if r == utf8.RuneError && size == 1 {
				return c.fail("a string is not valid UTF-8")
			}
			c.out = append(c.out, c.in[c.pos:c.pos+size]...)
			c.pos += size
		}
	}
	return c.fail("a string is not closed")
}

func (c *canonicaliser) escape() error {
	if c.pos+1 == len(c.in) {
		return c.fail("a string is not closed")
	}
	b := c.in[c.pos+1]
	if b == 'u' {
		r, err := c.unicodeEscape()
		if err != nil {
			return err
		}
		c.appendRune(r)
		return nil
	}
	const escapes, values = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	i := bytes.IndexByte([]byte(escapes), b)
	if i < 0 {
		return c.fail("a string has an escape that JSON does not know")
	}
	c.pos += 2
	c.appendRune(rune(values[i]))
	return nil
}

// unicodeEscape reads \uXXXX, or two of them that are a surrogate pair.
func (c *canonicaliser) unicodeEscape() (rune, error) {
	unit, ok := c.codeUnit()
	if !ok {
		return 0, c.fail("a string has a malformed \\u escape")
	}
	if !utf16.IsSurrogate(unit) {
		return unit, nil
	}
	low, ok := c.codeUnit()
	if pair := utf16.DecodeRune(unit, low); ok && pair != utf8.RuneError {
		return pair, nil
	}
	return 0, c.fail("a string has half of a surrogate pair")
}

func (c *canonicaliser) codeUnit() (rune, bool) {
	const length = len(`\uXXXX`)
	if len(c.in)-c.pos < length || c.in[c.pos] != '\\' || c.in[c.pos+1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, b := range c.in[c.pos+2 : c.pos+length] {
		digit := hexDigit(b)
		if digit < 0 {
			return 0, false
		}
		unit = unit<<4 | rune(digit)
	}
	c.pos += length
	return unit, true
}

func (c *canonicaliser) appendRune(r rune) {
	switch {
	case r == '"' || r == '\\':
		c.out = append(c.out, '\\', byte(r))
	case r < ' ':
		const hex = "0123456789abcdef"
		c.out = append(c.out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
	default:
		c.out = utf8.AppendRune(c.out, r)
	}
}

var errExponent = errors.New("an exponent has too many digits")

// number reads a number and writes the one decimal that all spellings of its value share: sign, significant digits,
// exponent.
func (c *canonicaliser) number() error {
	begin := len(c.out)
	if c.accept('-') {
		c.out = append(c.out, '-')
	}
	digits := len(c.out)
	whole := c.digits()
	if whole == 0 || whole > 1 && c.in[c.pos-whole] == '0' {
		return c.fail("a number is malformed")
	}
	var exponent int64
	if c.accept('.') {
		fraction := c.digits()
		if fraction == 0 {
			return c.fail("a number is malformed")
		}
		exponent = -int64(fraction)
	}
	if c.accept('e') || c.accept('E') {
		written, err := c.exponent()
		if err != nil {
			return c.fail(err.Error())
		}
		exponent += written
	}

	significant := bytes.TrimLeft(c.out[digits:], "0")
	if len(significant) == 0 { // zero has one form, without a sign
		c.out = append(c.out[:begin], '0')
		return nil
	}
	trimmed := bytes.TrimRight(significant, "0")
	exponent += int64(len(significant) - len(trimmed))
	c.out = append(c.out[:digits], trimmed...)
	if exponent != 0 {
		c.out = append(c.out, 'e')
		c.out = strconv.AppendInt(c.out, exponent, 10)
	}
	return nil
}

// digits copies a run of digits to out and returns its length.
func (c *canonicaliser) digits() int {
	start := c.pos
	for c.pos < len(c.in) && c.in[c.pos] >= '0' && c.in[c.pos] <= '9' {
		c.pos++
	}
	c.out = append(c.out, c.in[start:c.pos]...)
	return c.pos - start
}

func (c *canonicaliser) exponent() (int64, error) {
	negative := c.accept('-')
	if !negative {
		c.accept('+')
	}
	start := c.pos
	for c.pos < len(c.in) && c.in[c.pos] >= '0' && c.in[c.pos] <= '9' {
		c.pos++
	}
	if c.pos == start {
		return 0, errors.New("a number is malformed")
	}
	text := bytes.TrimLeft(c.in[start:c.pos], "0")
	if len(text) > maxExponentDigits {
		return 0, errExponent
	}
	var value int64
	for _, b := range text {
		value = value*10 + int64(b-'0')
	}
	if negative {
		value = -value
	}
	return value, nil
}
