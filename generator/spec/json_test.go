package spec

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/spec/extension"
)

func TestParseJSON(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"object", `{"a": [1, -0.50, 1e+9, true, false, null, "x"]}`, `{"a":[1,-0.50,1e+9,true,false,null,"x"]}`},
		{"empty ones", " {\"a\": {}, \"b\": []}\r\n", `{"a":{},"b":[]}`},
		{"escapes", `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, `"\"\\/\u0008\u000c\n\r\té😀"`},
		{"digits are kept", `12345678901234567890.10`, `12345678901234567890.10`},
		{"line separators", `"` + "\u2028" + `"`, `"` + "\u2028" + `"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, err := parseJSON(test.text, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(rawJSON(root)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestParseJSON_Positions(t *testing.T) {
	root, err := parseJSON("{\n  \"é\": 1, \"b\": [\n\ttrue]\n}", 3)
	if err != nil {
		t.Fatal(err)
	}
	key, list := lookup(root, "b")
	for _, test := range []struct {
		node         *yaml.Node
		line, column int
	}{{root, 1, 1}, {get(root, "é"), 2, 9}, {key, 2, 12}, {list, 2, 17}, {list.Content[0], 3, 2}} {
		if test.node.Line != 3<<lineBits|test.line || test.node.Column != test.column {
			t.Errorf("%q stands at %d:%d, want %d:%d", test.node.Value, test.node.Line&lineMask, test.node.Column, test.line, test.column)
		}
	}
}

func TestParseJSON_Refuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{``, "1:1: the document ends where a value is expected"},
		{`{`, "1:2: expected a member name in double quotes, found the end of the document"},
		{`{"a" 1}`, `1:6: expected ':' after the member name "a", found '1'`},
		{`{"a": 1,}`, "1:9: expected a member name in double quotes, found '}'"},
		{`{"a": 1 "b": 2}`, `1:9: expected ',' or '}' after the member "a", found '"'`},
		{`{'a': 1}`, `1:2: expected a member name in double quotes, found '\''`},
		{"[1,\n 2 3]", "2:4: expected ',' or ']' in an array, found '3'"},
		{`[01]`, `1:2: "01" is not a JSON number`},
		{`[1.]`, `1:2: "1." is not a JSON number`},
		{`[-]`, `1:2: "-" is not a JSON number`},
		{`[+1]`, "1:2: a value cannot begin with '+'"},
		{`[NaN]`, "1:2: a value cannot begin with 'N'"},
		{`[nul]`, "1:2: a value cannot begin with 'n'"},
		{`"abc`, "1:1: a string that begins here has no end"},
		{`"a\x"`, "1:3: not an escape that JSON knows"},
		{`"\ud800"`, "1:2: half of a surrogate pair is not a character"},
		{`"\u12"`, "1:2: not an escape that JSON knows"},
		{"\"a\x00\"", "1:3: a control character in a string must be written as an escape"},
		{"\"\\n\n\"", "1:4: a control character in a string must be written as an escape"},
		{`{} {}`, "1:4: there is more text after the end of the document"},
		{strings.Repeat("[", 10_000), "1:1001: nested more than 1000 deep"},
	}
	for _, test := range tests {
		root, err := parseJSON(test.text, 1)
		if err == nil || err.Error() != test.want {
			t.Errorf("%.20q gives %v, want %s", test.text, err, test.want)
		}
		if root != nil {
			t.Errorf("%.20q gives a tree", test.text)
		}
	}
}

// The parser accepts what encoding/json accepts, apart from depth and halves of surrogate pairs, and gives the same value.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-3,"x\u00e9"],"b":{"c":null}}`, `[true,false]`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, ``, `[[[[`, `01`, "\"\t\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, failure := parseJSON(text, 1)
		if failure != nil && (failure.line < 1 || failure.column < 1) {
			t.Fatalf("no place: %v", failure)
		}
		if strings.Contains(text, `\u`) || strings.Count(text, "[")+strings.Count(text, "{") >= maxDepth {
			return
		}
		valid := json.Valid([]byte(text))
		if valid != (failure == nil) {
			t.Fatalf("encoding/json says %t, the parser %v", valid, failure)
		}
		if !valid || !strings.Contains(text, `"`) && len(text) > 100 {
			return
		}
		dropDuplicates(root, func(*yaml.Node, *yaml.Node) {})
		if strings.Contains(text, extension.Name) {
			return
		}
		if got, want := decode(t, rawJSON(root)), decode(t, []byte(text)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}
