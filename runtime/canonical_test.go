package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func canonical(t testing.TB, text string) string {
	t.Helper()
	out, _, err := canonicalJSON([]byte(text), nil, 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(out)
}

// TestCanonicalJSON_F2 has groups of texts: equal within a group, different between groups.
func TestCanonicalJSON_F2(t *testing.T) {
	groups := [][]string{
		{"1", "1.0", "1e0", "1E0", "1e+0", "10e-1", "0.1e1", "1.000", "100e-2", "0.01E+02", " 1 ", "1e00"},
		{"0", "-0", "0.0", "-0.0e5", "0e0", "0e99999", "-0e-1"},
		{"-1", "-1.0", "-10e-1"},
		{"9007199254740992", "9007199254740992.0", "9.007199254740992e15"},
		{"9007199254740993"},
		{"9007199254740994"},
		{"0.1", "1e-1", "0.10", "10e-2"},
		{"0.1000000000000000055511151231257827"},
		{"0.10000000000000001"},
		{"1e999999999", "10e999999998", "0.1e1000000000"},
		{"1e999999998"},
		{"1e-999999999"},
		{"-1e999999999"},
		{"123456789012345678901234567890", "12345678901234567890123456789e1", "1.2345678901234567890123456789e29"},
		{"123456789012345678901234567891"},
		{`"1"`},
		{`"a"`, `"\u0061"`, "\n\"a\"\t"},
		{`"A"`},
		{`"é"`, `"\u00e9"`, `"\u00E9"`},
		{`"e` + "\u0301" + `"`, `"e\u0301"`}, // not normalised: another text
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"/"`, `"\/"`},
		{`"\n"`, `"\u000a"`, `"\u000A"`},
		{`"\u0000"`},
		{`"\u007f"`, "\"\x7f\""},
		{`"\\u0061"`},
		{`"<&>"`, `"\u003c\u0026\u003e"`},
		{`"` + "\u2028" + `"`, `"\u2028"`},
		{`"�"`, `"\ufffd"`},
		{`""`},
		{"null"}, {"true"}, {"false"}, {"[]", "[ ]"}, {"{}", "{ }", "\r\n{\n}"},
		{"[1,2]", "[ 1.0 , 2 ]"},
		{"[2,1]"},
		{"[[1],2]"},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`, "{ \"b\" : 2 ,\n \"\\u0061\" : 1 }"},
		{`{"a":2,"b":1}`},
		{`{"a":null}`},
		{`{"a":{"y":[{"d":1,"c":2}],"x":0},"b":{}}`, `{"b":{},"a":{"x":0,"y":[{"c":2,"d":1}]}}`},
		{`{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
		{`{"\"":1,"!":2,"\\":3}`, `{"!":2,"\\":3,"\"":1}`},
		{`{"":1,"\u0000":2}`, `{"\u0000":2,"":1}`},
	}
	seen := map[string]string{}
	for _, group := range groups {
		want := canonical(t, group[0])
		if other, ok := seen[want]; ok {
			t.Errorf("%s and %s have one canonical form: %s", group[0], other, want)
		}
		seen[want] = group[0]
		if again := canonical(t, want); again != want {
			t.Errorf("canonical form of %s is not stable: %s, then %s", group[0], want, again)
		}
		if !json.Valid([]byte(want)) {
			t.Errorf("canonical form of %s is not JSON: %s", group[0], want)
		}
		for _, text := range group[1:] {
			if got := canonical(t, text); got != want {
				t.Errorf("%s gives %s, and %s gives %s", group[0], want, text, got)
			}
		}
	}
}

func TestCanonicalJSON_F2_Refuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "nul", "nulll", "True", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1_000", "1 2",
		"[", "[1", "[1,", "[1,]", "[,1]", "]", "[1 2]", "{", "{}}", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, "{a:1}", "{1:1}", `{"a" 1}`,
		`{,}`, `"`, `"\`, `"\u`, `"\u00`, `"\u00g0"`, `"\x41"`, `"\'"`, "'a'", "\"\n\"", "\"\x00\"", "\"\t\"",
		`{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `[{"b":{"a":1,"c":2,"a":3}}]`, `{"":1,"":2}`,
		"\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "\"\xf4\x90\x80\x80\"", "{\"\xff\":1}", "\xff",
		`"\ud800"`, `"\udc00"`, `"\ud800x"`, `"\ud800\ud800"`, `"\ud800\u0061"`, `"\udc00\ud800"`, `"\ud83d\`,
		"\xef\xbb\xbf1", // a byte order mark
		"1e1000000000000000000", "1e-99999999999999999999999", "0e1000000000000000000",
		strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
		strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1),
		"1//", "/**/1", "[1]\x00",
	} {
		if out, _, err := canonicalJSON([]byte(text), nil, 0); err == nil {
			t.Errorf("%q is accepted: %s", text, out)
		}
	}
	deepest := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if canonical(t, deepest) != deepest {
		t.Error("the deepest allowed array is changed")
	}
}

// TestCanonicalJSON_Bounded has bodies made to be slow.
func TestCanonicalJSON_Bounded(t *testing.T) {
	var members []string
	for i := range 30_000 {
		members = append(members, fmt.Sprintf(`"%05d":%d`, 29_999-i, i))
	}
	object := "{" + strings.Join(members, ",") + "}"
	nested := object
	for range maxDepth - 1 {
		nested = `{"z":` + nested + `,"a":1}` // each level is out of order, and moves the whole
	}
	for name, text := range map[string]string{
		"exponent":       "1e" + strings.Repeat("9", 1<<20),
		"zero exponent":  "1e" + strings.Repeat("0", 1<<20) + "1",
		"digits":         strings.Repeat("9", 1<<20),
		"zeros":          "0." + strings.Repeat("0", 1<<20) + "1",
		"open":           strings.Repeat("[", 1<<20),
		"nested objects": nested,
		"many members":   object,
		"long string":    `"` + strings.Repeat(`\u00e9`, 1<<17) + `"`,
	} {
		start := time.Now()
		out, _, _ := canonicalJSON([]byte(text), nil, 0)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: takes %v", name, took)
		}
		if len(out) > 2*len(text) {
			t.Errorf("%s: %d bytes become %d", name, len(text), len(out))
		}
	}
}

func TestCanonicalJSON_F2_Selection(t *testing.T) {
	const text = `{"a":1.0,"b":{"c":[10,{"d":"x","e":2},30],"f":null},"~/":true,"":{"":5}}`
	for _, c := range []struct {
		drop, take []string
		want       string
		captured   []string
	}{
		{nil, []string{"/a", "/b/c/1/d", "/b/c", "/none", "/b/c/9", "/a/x", ""},
			`{"":{"":5},"a":1,"b":{"c":[1e1,{"d":"x","e":2},3e1],"f":null},"~/":true}`,
			[]string{"1", `"x"`, `[1e1,{"d":"x","e":2},3e1]`, "", "", "", `{"":{"":5},"a":1,"b":{"c":[1e1,{"d":"x","e":2},3e1],"f":null},"~/":true}`}},
		{[]string{"/a", "/b/c/1", "/none/x"}, nil, `{"":{"":5},"b":{"c":[1e1,3e1],"f":null},"~/":true}`, nil},
		{[]string{"/b/c/0", "/b/c/1", "/b/c/2"}, nil, `{"":{"":5},"a":1,"b":{"c":[],"f":null},"~/":true}`, nil},
		{[]string{"/b/c/2", "/~0~1", "/"}, nil, `{"a":1,"b":{"c":[1e1,{"d":"x","e":2}],"f":null}}`, nil},
		{[]string{"/b"}, []string{"/b/f", "//"}, `{"":{"":5},"a":1,"~/":true}`, []string{"null", "5"}},
		{[]string{"/a", "/b", "/~0~1", "/"}, nil, `{}`, nil},
	} {
		p := &plan{body: newSelection()}
		for _, pointer := range c.drop {
			path, err := parsePointer(pointer)
			if err != nil {
				t.Fatal(err)
			}
			p.body.at(path).drop = true
		}
		for _, pointer := range c.take {
			path, err := parsePointer(pointer)
			if err != nil {
				t.Fatal(err)
			}
			p.capture(path)
		}
		out, captured, err := canonicalJSON([]byte(text), p.body, p.captures)
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != c.want {
			t.Errorf("without %q: got %s, want %s", c.drop, out, c.want)
		}
		for i := range c.captured {
			if string(captured[i]) != c.captured[i] || (captured[i] == nil) != (c.captured[i] == "") {
				t.Errorf("%s: captured %s, want %s", c.take[i], captured[i], c.captured[i])
			}
		}
	}
	// What is left out is still read strictly.
	node := newSelection()
	node.at([]string{"a"}).drop = true
	if _, _, err := canonicalJSON([]byte(`{"a":1,"a":2}`), node, 0); err == nil {
		t.Error("two members of one name are accepted where the name is left out")
	}
}

func TestParsePointer(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "/": {""}, "/a/b": {"a", "b"}, "/a~1b/~0~1": {"a/b", "~/"}, "/~01": {"~1"}, "//": {"", ""},
	} {
		got, err := parsePointer(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"a", "#/a", "/~", "/~2", "/a~"} {
		if _, err := parsePointer(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestCanonicalJSON_F2_Properties writes random values in random ways: the same value always has the same form, and
// another value never does.
func TestCanonicalJSON_F2_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawValue(t, 3, "a"), drawValue(t, 3, "b")
		first, second := spell(t, a), spell(t, a)
		out1, _, err := canonicalJSON([]byte(first), nil, 0)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		out2, _, err := canonicalJSON([]byte(second), nil, 0)
		if err != nil {
			t.Fatalf("%s: %v", second, err)
		}
		if !bytes.Equal(out1, out2) {
			t.Fatalf("one value, two forms:\n%s\n%s\nof\n%s\n%s", out1, out2, first, second)
		}
		other := spell(t, b)
		out3, _, err := canonicalJSON([]byte(other), nil, 0)
		if err != nil {
			t.Fatalf("%s: %v", other, err)
		}
		if same(a, b) != bytes.Equal(out1, out3) {
			t.Fatalf("equal values: %v, equal forms: %v\n%s\n%s", same(a, b), bytes.Equal(out1, out3), out1, out3)
		}
	})
}

// decimal is digits times ten to the exponent.
type decimal struct {
	digits   *big.Int
	exponent int
}

// drawValue draws nil, bool, decimal, string, []any or map[string]any.
func drawValue(t *rapid.T, depth int, label string) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "ab", "é", "\x00", "\"", "\\", "/", "😀"}), rapid.String().Filter(valid))
	switch rapid.IntRange(0, kinds-1).Draw(t, label) {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, label)
	case 2:
		digits := rapid.OneOf(rapid.Int64Range(-20, 20), rapid.Int64()).Draw(t, label)
		return decimal{big.NewInt(digits), rapid.IntRange(-25, 25).Draw(t, label)}
	case 3:
		return text.Draw(t, label)
	case 4:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, label))
		for i := range list {
			list[i] = drawValue(t, depth-1, label)
		}
		return list
	default:
		object := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, label) {
			object[text.Draw(t, label)] = drawValue(t, depth-1, label)
		}
		return object
	}
}

func valid(text string) bool { return !strings.ContainsRune(text, '\ufffd') }

// spell writes a value as JSON in one of its many ways.
func spell(t *rapid.T, value any) string {
	space := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space") }
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case decimal:
		return spellDecimal(t, v)
	case string:
		return spellString(t, v)
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = space() + spell(t, v[i]) + space()
		}
		return "[" + strings.Join(items, ",") + space() + "]"
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		names = rapid.Permutation(names).Draw(t, "order")
		members := make([]string, len(names))
		for i, name := range names {
			members[i] = space() + spellString(t, name) + space() + ":" + space() + spell(t, v[name]) + space()
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	panic("not reached")
}

func spellDecimal(t *rapid.T, d decimal) string {
	digits, exponent := new(big.Int).Abs(d.digits).String(), d.exponent
	zeros := rapid.IntRange(0, 3).Draw(t, "zeros")
	digits, exponent = digits+strings.Repeat("0", zeros), exponent-zeros

	point := rapid.IntRange(0, len(digits)).Draw(t, "point")
	whole, fraction := strings.TrimLeft(digits[:point], "0"), digits[point:]
	exponent += len(fraction)
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	sign := ""
	if d.digits.Sign() < 0 || d.digits.Sign() == 0 && rapid.Bool().Draw(t, "minus zero") {
		sign = "-"
	}
	if exponent == 0 && rapid.Bool().Draw(t, "plain") {
		return sign + whole + fraction
	}
	return fmt.Sprintf("%s%s%s%s%+d", sign, whole, fraction, rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e"), exponent)
}

// spellString escapes what has to be, and now and then what has not.
func spellString(t *rapid.T, text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		escape := rapid.IntRange(0, 3).Draw(t, "escape") == 0
		switch {
		case r < ' ' || r == '"' || r == '\\' || escape:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "case"), unit)
			}
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// same compares values as this package understands equality of JSON.
func same(a, b any) bool {
	switch a := a.(type) {
	case decimal:
		b, ok := b.(decimal)
		return ok && a.rat().Cmp(b.rat()) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	default:
		switch b.(type) {
		case decimal, []any, map[string]any:
			return false
		}
		return a == b
	}
}

func (d decimal) rat() *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.exponent, -d.exponent))), nil)
	if d.exponent < 0 {
		return new(big.Rat).SetFrac(d.digits, power)
	}
	return new(big.Rat).SetInt(power.Mul(power, d.digits))
}

// FuzzCanonicalJSON compares with encoding/json, which is more lenient: what we accept it accepts, means the same, and
// what it refuses we refuse.
func FuzzCanonicalJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1.0,-0,1e9,"\ud83d\ude00"],"b":null}`, `{"a":1,"a":2}`, "\"\xff\"", "1e999999999", "[[]]", `"\ud800"`, "9007199254740993"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, _, err := canonicalJSON(text, nil, 0)
		if err != nil {
			if out != nil {
				t.Fatal("an error comes with a form")
			}
			return
		}
		if !json.Valid(text) || !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q is not JSON, or its form %q is not", text, out)
		}
		again, _, err := canonicalJSON(out, nil, 0)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("the form is not stable: %q, then %q, %v", out, again, err)
		}
		if len(text) > 4096 || bytes.ContainsAny(text, "eE") && len(text) > 512 {
			return
		}
		if a, b := generic(t, text), generic(t, out); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q means %v, its form %q means %v", text, a, out, b)
		}
	})
}

// generic decodes with encoding/json; numbers as float64, which equal decimals share, where they fit.
func generic(t *testing.T, text []byte) any {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		var tooLarge *json.UnmarshalTypeError // a number beyond float64
		if errors.As(err, &tooLarge) {
			return "beyond float64"
		}
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

func BenchmarkCanonicalJSON(b *testing.B) {
	small := []byte(`{"amount":1250,"currency":"EUR","order":"ord_8Zk2","metadata":{"trace":"a1b2","note":"Zweite Rate"}}`)
	var large bytes.Buffer
	large.WriteString(`{"items":[`)
	for i := range 5_000 {
		if i > 0 {
			large.WriteByte(',')
		}
		fmt.Fprintf(&large, `{"sku":"sku-%d","quantity":%d,"price":"%d.50"}`, i, i%7+1, i)
	}
	large.WriteString(`]}`)
	for _, c := range []struct {
		name string
		text []byte
	}{{"small", small}, {"large", large.Bytes()}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := canonicalJSON(c.text, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
