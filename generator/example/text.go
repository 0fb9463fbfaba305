package example

import (
	"iter"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// sample is a text of a format, and how it is made longer without leaving the format: by filler before what comes after
// at.
type sample struct {
	text, filler string
	at           string
}

// samples use the names and addresses that RFC 2606, 5737 and 3849 keep for documentation.
var samples = map[string]sample{
	"uuid":      {text: "123e4567-e89b-42d3-a456-426614174000"},
	"email":     {text: "user@example.com", filler: "r", at: "@"},
	"date":      {text: "2026-01-02"},
	"date-time": {text: "2026-01-02T03:04:05Z"},
	"time":      {text: "03:04:05Z"},
	"duration":  {text: "PT1H"},
	"uri":       {text: "https://example.com/", filler: "a"},
	"url":       {text: "https://example.com/", filler: "a"},
	"ipv4":      {text: "192.0.2.1"},
	"ipv6":      {text: "2001:db8::1"},
	"hostname":  {text: "example.com", filler: "e", at: ".com"},
	"byte":      {text: "dGV4dA==", filler: "dGV4", at: "dGV4dA=="},
}

// plainText is a text without format, made longer by itself.
var plainText = sample{text: "text", filler: "text"}

// digits at these places tell the n-th text of a format from the others.
var counters = map[string]int{"uuid": 35, "date": 9, "date-time": 18, "ipv4": 8, "ipv6": 10, "time": 7}

// texts proposes strings for a schema, the n-th first; the caller takes the first that is valid. A text that can be
// read goes before one that is made from the pattern.
func texts(s *policy.Schema, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		b := lengths(s)
		if !yield(formatted(s.Format, b, n)) {
			return
		}
		if _, known := samples[s.Format]; !known && !yield(letters(min(max(len(plainText.text), b.least), b.most), n)) {
			return
		}
		if s.Pattern != "" {
			matches(s.Pattern, b, n)(yield)
		}
	}
}

// formatted is the n-th text of a format, as long as the lengths ask for where the format can be.
func formatted(format string, b bounds, n int) string {
	shape, known := samples[format]
	if !known {
		shape = plainText
	}
	text := shape.text
	if at, counted := counters[format]; counted {
		return text[:at] + string(rune('0'+(int(text[at]-'0')+n)%10)) + text[at+1:]
	}
	want := max(len(text), b.least)
	switch {
	case known:
		want = max(want, len(text)+n*len(shape.filler))
	case n > 0:
		text += strconv.Itoa(n + 1)
	}
	for len(text) < want && shape.filler != "" {
		at := len(text)
		if shape.at != "" {
			at = strings.LastIndex(text, shape.at)
		}
		text = text[:at] + shape.filler + text[at:]
	}
	return text
}

// letters is a text of a given length, the n-th of 26.
func letters(length, n int) string {
	if length <= 0 {
		return ""
	}
	return strings.Repeat("t", length-1) + string(rune('a'+(19+n)%26))
}

// bounds are the lengths that a schema allows.
type bounds struct{ least, most int }

// maxText bounds what is made for a schema that asks for very long texts.
const maxText = 64 << 10

func lengths(s *policy.Schema) bounds {
	b := bounds{0, maxText}
	if s.MinLength != nil {
		b.least = min(*s.MinLength, maxText)
	}
	if s.MaxLength != nil {
		b.most = min(max(*s.MaxLength, 0), maxText)
	}
	return b
}
