package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestJSON_Refused(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{``, "the text ends too early at byte 0"},
		{`{}x`, "there is something after the value at byte 2"},
		{`{} {}`, "there is something after the value at byte 3"},
		{`{"a":1,"a":2}`, "a member name is given twice at byte 10"},
		{`{"a":1,"\u0061":2}`, "a member name is given twice at byte 15"},
		{"\"\xff\"", "a string is not UTF-8 at byte 2"},
		{`"\ud800"`, "a surrogate stands alone at byte 7"},
		{`"\udc00\ud800"`, "a surrogate stands alone at byte 13"},
		{`"\x"`, "an escape is unknown at byte 3"},
		{"\"\n\"", "a control character stands in a string at byte 1"},
		{`01`, "there is something after the value at byte 1"},
		{`1.`, "a number is expected at byte 0"},
		{`-`, "a number is expected at byte 0"},
		{`+1`, "a value is expected at byte 0"},
		{`[1,]`, "a value is expected at byte 3"},
		{`{"a":1,}`, "a member name is expected at byte 7"},
		{`{a:1}`, "a member name is expected at byte 1"},
		{`NaN`, "a value is expected at byte 0"},
		{strings.Repeat("[", MaxDepth+1), "values are nested too deep at byte 128"},
		{"[" + strings.Repeat("1,", MaxValues) + "1]", "there are too many values at byte 499999"},
		{"\ufeff{}", "a value is expected at byte 0"},
	} {
		t.Run(row.text[:min(len(row.text), 20)], func(t *testing.T) {
			if _, problem := parseJSON(row.text); problem != "must be valid JSON: "+row.want {
				t.Errorf("got %q", problem)
			}
		})
	}
}

func TestJSON_ManyMembersAreUniqueToo(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	if _, problem := parseJSON("{" + strings.TrimSuffix(b.String(), ",") + "}"); problem != "" {
		t.Error(problem)
	}
	if _, problem := parseJSON("{" + b.String() + `"kxxx":2}`); !strings.Contains(problem, "twice") {
		t.Errorf("got %q", problem)
	}
}

// A text that is taken is one that encoding/json takes, and means the same.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-3,null,true,"x\n\u00e9\ud83d\ude00"]}`, `"\ud800"`, `[[[[]]]]`, `{"a":1,"a":2}`, `-0.0E+10`, ` 1 `} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, problem := parseJSON(text)
		if problem != "" {
			if json.Valid([]byte(text)) && utf8.ValidString(text) && !knownStrictness(problem) {
				t.Errorf("refused: %s", problem)
			}
			return
		}
		var want any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("taken, but encoding/json says %v", err)
		}
		if got := plainOf(&root); !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v, want %#v", got, want)
		}
		clearRaw(&root)
		var again any
		if err := json.Unmarshal(root.appendJSON(nil), &again); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}

func knownStrictness(problem string) bool {
	for _, reason := range []string{"twice", "surrogate", "too deep", "too many"} {
		if strings.Contains(problem, reason) {
			return true
		}
	}
	return false
}

func plainOf(n *node) any {
	switch n.kind {
	case null:
		return nil
	case boolean:
		return n.text == "true"
	case number:
		return json.Number(n.text)
	case str:
		return n.text
	case array:
		items := make([]any, len(n.kids))
		for i := range n.kids {
			items[i] = plainOf(&n.kids[i])
		}
		return items
	default:
		members := map[string]any{}
		for i := range n.kids {
			members[n.kids[i].name] = plainOf(&n.kids[i])
		}
		return members
	}
}

func clearRaw(n *node) {
	n.raw = ""
	for i := range n.kids {
		clearRaw(&n.kids[i])
	}
}

var benchBody = []byte(`{"amount":100,"currency":"EUR","note":"abcd","due":"2026-01-02T03:04:05Z","ref":"x",` +
	`"lines":[{"name":"a","price":1.10},{"price":99.99,"name":"b"}],"tags":{"k":"v"}}`)

func BenchmarkReadJSON(b *testing.B) {
	r, _ := request("/", "application/json", "")
	b.SetBytes(int64(len(benchBody)))
	b.ReportAllocs()
	for b.Loop() {
		in := NewReader(r, benchBody)
		readPayment(in.JSON())
		if in.Err() != nil {
			b.Fatal(in.Err())
		}
	}
}

// BenchmarkEncodingJSON is what the standard library takes to decode the same body, without any check.
func BenchmarkEncodingJSON(b *testing.B) {
	b.SetBytes(int64(len(benchBody)))
	b.ReportAllocs()
	for b.Loop() {
		var p payment
		if err := json.NewDecoder(bytes.NewReader(benchBody)).Decode(&p); err != nil {
			b.Fatal(err)
		}
	}
}
