package gocode

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDocLines(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, c := range []struct {
		lead, text string
		want       []string
	}{
		{"A is a schema.", "First  line\nof it.\n\nSecond paragraph.", []string{"// A is a schema. First line of it."}},
		{"", "", nil},
		{"A.", "\r\n\r\n x */ y", []string{"// A. x */ y"}},
		{"A.", "x\u2028//go:embed y", []string{"// A. x //go:embed y"}},
		{"", "+build ignore", []string{"// (plus) build ignore"}},
		{"", "a\u202eb\x00\ufeffc\xff", []string{"// abc\uFFFD"}},
		{"", long, []string{"// " + strings.TrimSpace(strings.Repeat("word ", 21)), "// " + strings.TrimSpace(strings.Repeat("word ", 9))}},
		{"", "A sentence. " + strings.Repeat("x", 500), []string{"// A sentence."}},
	} {
		if got := docLines(c.lead, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q %q: got %q", c.lead, c.text, got)
		}
	}
}

func TestDocLines_StayComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, line := range docLines(rapid.String().Draw(t, "lead"), rapid.String().Draw(t, "text")) {
			if !strings.HasPrefix(line, "// ") || strings.ContainsAny(line, "\r\n\u2028\u2029\x00") || strings.HasPrefix(line, "// +") {
				t.Fatalf("%q", line)
			}
		}
	})
}
