package wire

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Value is one value of a request, or the absence of one. The zero Value is not usable; a [Reader] makes them.
//
// The calls that end in a Go type ([Value.Text], [Value.Int64] and so on) return the zero value when there is none or
// when it is not of that type; the latter is reported. Nothing is converted between JSON types: "5" is no number in
// JSON. In a parameter or form field, which has no types, it is one when a number is asked for.
type Value struct {
	in *Reader
	n  *node // nil for a member that is absent
	// up and name are the object and member name of an absent member.
	up   *node
	name string
}

// Present reports whether the value was sent; null counts as sent.
func (v Value) Present() bool { return v.kind() != absent }

// IsNull reports whether the value is JSON's null, or an empty form field or parameter.
func (v Value) IsNull() bool {
	switch v.kind() {
	case null:
		return true
	case lazy:
		src := v.n.source
		return len(src.branches) == 0 && len(src.leaves) == 1 && src.leaves[0].part == nil && src.leaves[0].raw == ""
	default:
		return false
	}
}

// Required reports a value that is absent.
func (v Value) Required() Value {
	if !v.Present() {
		v.report("is required")
	}
	return v
}

func (v Value) kind() kind {
	if v.n == nil {
		return absent
	}
	return v.n.kind
}

// report adds a violation about the value; it is still asked further questions.
func (v Value) report(detail string) {
	if v.in.full() {
		return
	}
	violation := Violation{Detail: detail}
	if v.n == nil {
		violation.In, violation.Parameter, violation.Pointer = place(v.up, v.name, true)
	} else {
		violation.In, violation.Parameter, violation.Pointer = place(v.n, "", false)
	}
	v.in.add(violation)
}

// spoil reports a violation after which nothing more can be said about the value.
func (v Value) spoil(detail string) {
	v.report(detail)
	v.n.kind = spoiled
}

// wrong reports that the value is not of the type that is wanted.
func (v Value) wrong(want string) {
	switch v.kind() {
	case absent, spoiled:
	case null:
		v.spoil("must be " + want + ", not null")
	default:
		v.spoil("must be " + want)
	}
}

// scalar understands a lazy value as a single one.
func (v Value) scalar() {
	if v.kind() != lazy || v.fromJSON() {
		return
	}
	src := v.n.source
	switch {
	case len(src.branches) > 0:
		v.spoil("must be a single value")
		return
	case len(src.leaves) != 1:
		v.spoil("must be given once")
		return
	}
	if part := src.leaves[0].part; part != nil {
		if !utf8.Valid(part.Content) {
			v.spoil(notUTF8)
			return
		}
		v.n.kind, v.n.text = loose, string(part.Content)
		return
	}
	text, problem := src.scalar(src.leaves[0].raw)
	if problem == "" {
		text, problem = src.escape.undo(text)
	}
	if problem != "" {
		v.spoil(problem)
		return
	}
	v.n.kind, v.n.text = loose, text
}

// fromJSON replaces a lazy value that is written as JSON by what it holds; done is false for any other.
func (v Value) fromJSON() (done bool) {
	src := v.n.source
	if len(src.leaves) != 1 || len(src.branches) > 0 {
		return false
	}
	only := src.leaves[0]
	var text, problem string
	switch {
	case only.part != nil && (src.style.base() == JSONText || isJSON(only.part.ContentType)):
		text = string(only.part.Content)
	case only.part == nil && src.style.base() == JSONText:
		text, problem = src.escape.undo(only.raw)
	default:
		return false
	}
	var root node
	if problem == "" {
		root, problem = parseJSON(text)
	}
	if problem != "" {
		v.spoil(problem)
		return true
	}
	v.n.kind, v.n.raw, v.n.text, v.n.kids = root.kind, root.raw, root.text, root.kids
	return true
}

// Text returns a string.
func (v Value) Text() string {
	v.scalar()
	switch v.kind() {
	case str, loose:
		return v.n.text
	}
	v.wrong("a string")
	return ""
}

// Bool returns a boolean; in a parameter or form field it is written true or false.
func (v Value) Bool() bool {
	v.scalar()
	switch v.kind() {
	case boolean:
		return v.n.text == "true"
	case loose:
		if v.n.text == "true" || v.n.text == "false" {
			return v.n.text == "true"
		}
	}
	v.wrong("true or false")
	return false
}

// Int64 returns an integer. As in JSON Schema a number without a fraction is one however it is written: 5, 5.0 and 5e0.
func (v Value) Int64() int64 {
	return v.integer(math.MinInt64, math.MaxInt64)
}

// Int32 returns an integer of 32 bits.
func (v Value) Int32() int32 {
	return int32(v.integer(math.MinInt32, math.MaxInt32))
}

func (v Value) integer(least, most int64) int64 {
	d, ok := v.decimal()
	if !ok {
		v.wrong("an integer")
		return 0
	}
	if !d.isInteger() {
		v.wrong("an integer")
		return 0
	}
	n, ok := d.int64()
	if !ok || n < least || n > most {
		v.spoil("must be between " + strconv.FormatInt(least, 10) + " and " + strconv.FormatInt(most, 10))
		return 0
	}
	return n
}

// decimal returns the number that the value is, if it is one.
func (v Value) decimal() (d decimal, ok bool) {
	v.scalar()
	switch v.kind() {
	case number, loose:
		return parseDecimal(v.n.text)
	}
	return decimal{}, false
}

// Float64 returns the nearest float64. Amounts of money are better read by [Value.Number].
func (v Value) Float64() float64 { return v.float(64) }

// Float32 returns the nearest float32.
func (v Value) Float32() float32 { return float32(v.float(32)) }

func (v Value) float(bits int) float64 {
	text := v.Number()
	if text == "" {
		return 0
	}
	f, err := strconv.ParseFloat(string(text), bits)
	if err != nil {
		v.spoil("is too large for a number of " + strconv.Itoa(bits) + " bits")
		return 0
	}
	return f
}

// Number returns a number as it was written, with every digit; it is "" when there is none.
func (v Value) Number() json.Number {
	if _, ok := v.decimal(); !ok {
		v.wrong("a number")
		return ""
	}
	return json.Number(v.n.text)
}

// Time returns a date-time (RFC 3339, section 5.6).
func (v Value) Time() time.Time {
	text := v.Text()
	if !v.usable() {
		return time.Time{}
	}
	t, ok := parseDateTime(text)
	if !ok {
		v.wrong("a date-time of RFC 3339, such as 2006-01-02T15:04:05Z")
	}
	return t
}

// Date returns a full-date (RFC 3339, section 5.6).
func (v Value) Date() Date {
	text := v.Text()
	if !v.usable() {
		return Date{}
	}
	d, err := ParseDate(text)
	if err != nil {
		v.wrong("a date of RFC 3339, such as 2006-01-02")
	}
	return d
}

// Bytes returns what a base64 text stands for (RFC 4648, section 4, with padding).
func (v Value) Bytes() []byte {
	text := v.Text()
	if !v.usable() {
		return nil
	}
	b, ok := decodeBase64(text)
	if !ok {
		v.wrong("base64 with padding (RFC 4648, section 4)")
		return nil
	}
	return b
}

func decodeBase64(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}

// usable reports whether Text has found a string.
func (v Value) usable() bool {
	switch v.kind() {
	case str, loose:
		return true
	}
	return false
}

// Raw returns any value as JSON; nil when absent. A parameter or form field becomes a string, or an object or array of
// what its name nests.
func (v Value) Raw() json.RawMessage {
	v.untyped()
	switch v.kind() {
	case absent, spoiled:
		return nil
	}
	return json.RawMessage(v.n.appendJSON(nil))
}

// untyped understands a lazy value, and what it holds, without being told what it is.
func (v Value) untyped() {
	if v.kind() == lazy {
		src := v.n.source
		switch {
		case len(src.branches) > 0 && isIndex(src.branches[0].name), len(src.branches) == 0 && len(src.leaves) > 1:
			v.list()
		case len(src.branches) > 0:
			v.members()
		default:
			v.scalar()
		}
	}
	if v.n == nil || v.n.raw != "" {
		return // nothing from JSON is lazy
	}
	for i := range v.n.kids {
		v.at(i).untyped()
	}
}

func (v Value) at(i int) Value { return Value{in: v.in, n: v.n.child(i)} }

func (n *node) appendJSON(to []byte) []byte {
	if n.raw != "" {
		return append(to, n.raw...)
	}
	switch n.kind {
	case boolean, number:
		return append(to, n.text...)
	case str, loose:
		return appendJSONString(to, n.text)
	case array:
		to = append(to, '[')
		for i := range n.kids {
			if i > 0 {
				to = append(to, ',')
			}
			to = n.kids[i].appendJSON(to)
		}
		return append(to, ']')
	case object:
		to = append(to, '{')
		for i := range n.kids {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendJSONString(to, n.kids[i].name), ':')
			to = n.kids[i].appendJSON(to)
		}
		return append(to, '}')
	default:
		return append(to, "null"...)
	}
}
