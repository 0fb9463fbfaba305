package wire

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MinLength reports a string of fewer than least characters (Unicode code points).
func (v Value) MinLength(least int) Value {
	if v.isText() && utf8.RuneCountInString(v.n.text) < least {
		v.report("must have at least " + counted(least, "character"))
	}
	return v
}

// MaxLength reports a string of more than most characters (Unicode code points).
func (v Value) MaxLength(most int) Value {
	if v.isText() && utf8.RuneCountInString(v.n.text) > most {
		v.report("must have at most " + counted(most, "character"))
	}
	return v
}

// Pattern reports a string in which the expression matches nowhere; as in JSON Schema it is not anchored.
func (v Value) Pattern(expression *regexp.Regexp) Value {
	if v.isText() && !expression.MatchString(v.n.text) {
		v.report("must match the pattern " + expression.String())
	}
	return v
}

// Format reports a string that is not of a format; see [KnownFormat] for their names. A format that is not known says
// nothing.
func (v Value) Format(name string) Value {
	f, known := formats[name]
	if known && v.isText() && !f.valid(v.n.text) {
		v.report("must be " + f.what)
	}
	return v
}

// isText understands the value and reports whether it is a string.
func (v Value) isText() bool {
	v.scalar()
	return v.usable()
}

// OneOf reports a string that is none of those given.
func (v Value) OneOf(values ...string) Value {
	if !v.isText() {
		return v
	}
	for _, allowed := range values {
		if v.n.text == allowed {
			return v
		}
	}
	v.report("must be one of " + listed(values))
	return v
}

// OneOfJSON reports a value that equals none of the JSON texts given. Numbers are compared by value, 1.0 is 1.
func (v Value) OneOfJSON(texts ...string) Value {
	v.untyped()
	switch v.kind() {
	case absent, spoiled:
		return v
	}
	for _, text := range texts {
		allowed, problem := parseJSON(text)
		if problem == "" && (equal(v.n, &allowed) || v.kind() == loose && looselyEqual(v.n.text, &allowed)) {
			return v
		}
	}
	v.report("must be one of " + listed(texts))
	return v
}

// looselyEqual compares text without a type of its own with a JSON value.
func looselyEqual(text string, with *node) bool {
	switch with.kind {
	case number:
		a, ok := parseDecimal(text)
		b, _ := parseDecimal(with.text)
		return ok && a.compare(b) == 0
	case boolean:
		return text == with.text
	case null:
		return text == ""
	default:
		return false
	}
}

// maxListed bounds how much of a long enumeration a violation repeats.
const maxListed = 12

func listed(values []string) string {
	if len(values) > maxListed {
		return strings.Join(values[:maxListed], ", ") + " and " + strconv.Itoa(len(values)-maxListed) + " others"
	}
	return strings.Join(values, ", ")
}

// Min reports a number less than the bound, which is a JSON number. The comparison is exact.
func (v Value) Min(bound string) Value {
	return v.compare(bound, "must be at least ", func(order int) bool { return order >= 0 })
}

// Max reports a number greater than the bound.
func (v Value) Max(bound string) Value {
	return v.compare(bound, "must be at most ", func(order int) bool { return order <= 0 })
}

// MoreThan reports a number that is not greater than the bound.
func (v Value) MoreThan(bound string) Value {
	return v.compare(bound, "must be more than ", func(order int) bool { return order > 0 })
}

// LessThan reports a number that is not less than the bound.
func (v Value) LessThan(bound string) Value {
	return v.compare(bound, "must be less than ", func(order int) bool { return order < 0 })
}

func (v Value) compare(bound, detail string, holds func(order int) bool) Value {
	limit, known := parseDecimal(bound)
	if d, ok := v.decimal(); ok && known && !holds(d.compare(limit)) {
		v.report(detail + bound)
	}
	return v
}

// MultipleOf reports a number that is no integer multiple of the factor, a JSON number greater than 0. The division is
// exact: 0.3 is a multiple of 0.1.
func (v Value) MultipleOf(factor string) Value {
	f, known := parseDecimal(factor)
	if d, ok := v.decimal(); ok && known && !d.multipleOf(f) {
		v.report("must be a multiple of " + factor)
	}
	return v
}

// MinItems reports an array of fewer items.
func (v Value) MinItems(least int) Value {
	if v.list(); v.kind() == array && len(v.n.kids) < least {
		v.report("must have at least " + counted(least, "item"))
	}
	return v
}

// MaxItems reports an array of more items.
func (v Value) MaxItems(most int) Value {
	if v.list(); v.kind() == array && len(v.n.kids) > most {
		v.report("must have at most " + counted(most, "item"))
	}
	return v
}

// UniqueItems reports an array in which two items are equal. Numbers are compared by value and the order of members
// does not matter.
func (v Value) UniqueItems() Value {
	if v.list(); v.kind() != array {
		return v
	}
	seen := make(map[string]bool, len(v.n.kids))
	text := make([]byte, 0, 64)
	for i := range v.n.kids {
		item := v.at(i)
		item.untyped()
		if item.kind() == spoiled {
			continue
		}
		text = item.n.appendCanonical(text[:0])
		if seen[string(text)] {
			v.report("must not have two equal items")
			return v
		}
		seen[string(text)] = true
	}
	return v
}

// MinProperties reports an object of fewer members.
func (v Value) MinProperties(least int) Value {
	if v.members(); v.kind() == object && len(v.n.kids) < least {
		v.report("must have at least " + counted(least, "member"))
	}
	return v
}

// MaxProperties reports an object of more members.
func (v Value) MaxProperties(most int) Value {
	if v.members(); v.kind() == object && len(v.n.kids) > most {
		v.report("must have at most " + counted(most, "member"))
	}
	return v
}

// Report adds a violation that the caller has found. detail says what the value must be and must not
// repeat what it is.
func (v Value) Report(detail string) {
	if v.kind() != spoiled {
		v.report(detail)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
