package spec

import (
	"strings"
	"testing"
)

func parseText(t *testing.T, text string) (*source, *syntaxError) {
	t.Helper()
	f := newSources().add("test.yaml", []byte(text))
	return f, f.parse()
}

// YAML is read as JSON would be: OpenAPI allows no more.
func TestYAML_HasJSONsTypes(t *testing.T) {
	tests := []struct{ yaml, json string }{
		{"044925", `"044925"`},
		{"0x1F", `"0x1F"`},
		{"0o17", `"0o17"`},
		{"1_000", `"1_000"`},
		{"1:30", `"1:30"`},
		{"2024-01-31", `"2024-01-31"`},
		{"2024-01-31T10:00:00Z", `"2024-01-31T10:00:00Z"`},
		{"yes", `"yes"`},
		{"on", `"on"`},
		{".inf", `".inf"`},
		{"+1", `"+1"`},
		{"1.", `"1."`},
		{"-1.50", `-1.50`},
		{"1e3", `1e3`},
		{"True", `true`},
		{"~", `null`},
		{"", `null`},
		{`"1"`, `"1"`},
		{"'true'", `"true"`},
		{"!!str 1", `"1"`},
		{"!!binary aGk=", `"aGk="`},
		{"!custom x", `"x"`},
		{"|\n    a\n    b", `"a\nb\n"`},
		{"{200: a, true: b, null: c}", `{"200":"a","true":"b","null":"c"}`},
	}
	for _, test := range tests {
		f, failure := parseText(t, "v: "+test.yaml+"\n")
		if failure != nil {
			t.Errorf("%s: %v", test.yaml, failure)
			continue
		}
		if got := string(rawJSON(get(f.root, "v"))); got != test.json {
			t.Errorf("%s is %s, want %s", test.yaml, got, test.json)
		}
	}
}

func TestYAML_AnchorsAndMerges(t *testing.T) {
	f, failure := parseText(t, `
base: &base {a: 1, b: {c: 2}}
more: &more {b: 3, d: 4}
one: {<<: *base, a: 9}
two: {<<: [*base, *more], e: 5}
list: &list [*base]
again: *list
`)
	if failure != nil {
		t.Fatal(failure)
	}
	want := `{"base":{"a":1,"b":{"c":2}},"more":{"b":3,"d":4},"one":{"b":{"c":2},"a":9},` +
		`"two":{"a":1,"b":{"c":2},"d":4,"e":5},"list":[{"a":1,"b":{"c":2}}],"again":[{"a":1,"b":{"c":2}}]}`
	if got := string(rawJSON(f.root)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	get(f.root, "base").Content[1].Value = "changed"
	if got := string(rawJSON(get(f.root, "again"))); strings.Contains(got, "changed") {
		t.Errorf("an alias shares its nodes: %s", got)
	}
}

func TestYAML_Refuses(t *testing.T) {
	lol := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		n := decimal(i)
		lol += "a" + n + ": &a" + n + " [" + strings.Repeat("*a"+decimal(i-1)+", ", 8) + "*a" + decimal(i-1) + "]\n"
	}
	tests := []struct{ name, text, want string }{
		{"empty", "", "1:1: the file is empty"},
		{"only a comment", "# nothing\n", "1:1: the file is empty"},
		{"two documents", "a: 1\n---\nb: 2\n", "2:1: the file holds more than one YAML document"},
		{"billion laughs", lol, "expand to too much"},
		{"alias in itself", "a: &a\n  b: *a\n", "2:6: the alias *a stands within what it refers to"},
		{"unknown alias", "a: *b\n", "unknown anchor"},
		{"merge of text", "a: {<<: b}\n", "1:9: a merge key takes a mapping or a list of mappings"},
		{"mapping as a name", "? {a: 1}\n: 2\n", "a member's name must be text"},
		{"not UTF-8", "a: é\nb: \xff\n", "2:4: the file is not UTF-8"},
		{"control character", "a: \x00\n", "control characters are not allowed"},
		{"tab", "a:\n\tb: 1\n", ""},
		{"deep", strings.Repeat("[", 10_000), ""},
		{"deep blocks", strings.Repeat("- ", 5_000), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, failure := parseText(t, test.text)
			if failure == nil {
				t.Fatal("no failure")
			}
			if failure.line < 1 || failure.column < 1 || !strings.Contains(failure.Error(), test.want) {
				t.Errorf("%v, want %q", failure, test.want)
			}
			t.Log(failure)
		})
	}
}

// Columns count bytes, and lines are counted as the parser does it, whatever ends them.
func TestYAML_Positions(t *testing.T) {
	src := newSources()
	f := src.add("test.yaml", []byte("\ufeffa: 1\r\nbé: {ü: x, y: z}\r\n\r\nc: d\n"))
	if failure := f.parse(); failure != nil {
		t.Fatal(failure)
	}
	for _, test := range []struct {
		path []string
		want string
		line string
	}{
		{[]string{"a"}, "test.yaml:1:4", "a: 1"},
		{[]string{"bé", "ü"}, "test.yaml:2:11", "bé: {ü: x, y: z}"},
		{[]string{"bé", "y"}, "test.yaml:2:17", "bé: {ü: x, y: z}"},
		{[]string{"c"}, "test.yaml:4:4", "c: d"},
	} {
		n := walk(f.root, test.path...)
		at := src.at(n)
		if at.String() != test.want || f.line(at.Line) != test.line {
			t.Errorf("%v is at %s %q, want %s %q", test.path, at, f.line(at.Line), test.want, test.line)
		}
	}
}
