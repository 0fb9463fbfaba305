package main

import (
	"strings"
	"testing"
)

func TestSnippet(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		column int
		line   string
		caret  int // columns before it, -1 for none
	}{
		"plain":               {"a: b", 4, "a: b", 3},
		"indented":            {"    a: b", 8, "a: b", 3},
		"tab in front":        {"\ta: b", 5, "a: b", 3},
		"tab between":         {"a:\tb", 4, "a:    b", 6},
		"wide":                {"支払: b", 9, "支払: b", 6},
		"emoji":               {"💶: b", 7, "💶: b", 4},
		"combining":           {"e\u0301: b", 6, "e\u0301: b", 3},
		"in the indentation":  {"    a: b", 1, "a: b", 0},
		"behind the end":      {"a: b", 5, "a: b", 4},
		"far behind the end":  {"a: b", 50, "a: b", -1},
		"unknown":             {"  a: b", 0, "a: b", -1},
		"windows":             {"a: b\r\n", 4, "a: b", 3},
		"control characters":  {"a: \x1b[31mb", 4, "a: \uFFFD[31mb", 3},
		"direction":           {"a: \u202eb", 7, "a: \uFFFDb", 4},
		"not UTF-8":           {"a: \xff\xfeb", 6, "a: \uFFFD\uFFFDb", 5},
		"a command":           {"  ::error::x", 5, "\uFFFD:error::x", 2},
		"a command, no caret": {"\u00a0::stop-commands::x", 0, "\u00a0\uFFFD:stop-commands::x", -1},
		"exactly as wide":     {strings.Repeat("x", 100), 100, strings.Repeat("x", 100), 99},
		"long, caret early":   {"a: " + strings.Repeat("x", 200), 4, "a: " + strings.Repeat("x", 97) + "…", 3},
		"long, caret late":    {strings.Repeat("x", 200) + "y", 201, "…" + strings.Repeat("x", 60) + "y", 61},
		"long, wide, in half": {strings.Repeat("支", 100) + "y", 301, "…" + strings.Repeat("支", 30) + "y", 61},
		"within a rune":       {"支払", 2, "\uFFFD\uFFFD\uFFFD払", 1},
	} {
		line, caret, ok := snippet(test.source, test.column)
		if !ok || line != test.line {
			t.Errorf("%s: line %q, want %q", name, line, test.line)
		}
		if test.caret < 0 {
			test.caret = 0
		}
		if len(caret) != test.caret {
			t.Errorf("%s: caret after %d columns, want %d", name, len(caret), test.caret)
		}
	}
	for _, source := range []string{"", " \t", "\r\n"} {
		if _, _, ok := snippet(source, 1); ok {
			t.Errorf("%q is shown", source)
		}
	}
}

func TestSnippetOfMegabytes(t *testing.T) {
	source := strings.Repeat(`{"a":1},`, 1<<20)
	line, caret, ok := snippet(source, len(source)/2)
	if !ok || len(line) > 2*snippetWidth || len(caret) != snippetBefore+1 {
		t.Errorf("%d bytes, caret after %d", len(line), len(caret))
	}
}

func TestSnippetOfNothingToSee(t *testing.T) {
	line, _, ok := snippet("a"+strings.Repeat("\u0301", 1<<20)+"b", 1<<20)
	if !ok || len(line) > 8*snippetRunes {
		t.Errorf("%d bytes", len(line))
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("a:\t\x00支払", 4)
	f.Add("00 ", 4)
	f.Add(strings.Repeat("支", 300), 500)
	f.Fuzz(func(t *testing.T, source string, column int) {
		line, caret, ok := snippet(source, column)
		if !ok {
			return
		}
		if visible(line, keepNothing) != line {
			t.Errorf("%q can move the cursor", line)
		}
		// An ellipsis may stand at both ends; blanks at the end are not shown, but the caret may stand below them.
		if _, columns := expand(line); columns > snippetWidth+2 || len(caret) > snippetWidth+1 {
			t.Errorf("%d columns, caret after %d", columns, len(caret))
		}
	})
}
