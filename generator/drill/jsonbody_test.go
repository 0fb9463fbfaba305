package drill

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Whatever is written in another way is the same value, and nothing that a body holds is lost.
func TestJSONBody_F2_FormsOfOneValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scalar := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(v bool) any { return v }), rapid.Map(rapid.String(), func(v string) any { return v }), rapid.Map(rapid.Int(), func(v int) any { return v }))
		value := rapid.OneOf(scalar, rapid.Map(rapid.MapOf(rapid.String(), scalar), func(v map[string]any) any { return v }), rapid.Map(rapid.SliceOf(scalar), func(v []any) any { return v }))
		text, err := json.Marshal(map[string]any{"a": value.Draw(t, "a"), "b": []any{value.Draw(t, "b")}})
		if err != nil {
			t.Skip()
		}
		parsed, err := parseJSON(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, _ := parsed.reordered()
		for _, other := range [][]byte{parsed.text(), again.text()} {
			if !equalJSON(t, text, other) {
				t.Fatalf("%s is not %s", other, text)
			}
		}
		if back, _ := again.reordered(); !bytes.Equal(back.text(), parsed.text()) {
			t.Fatalf("%s is not in its first order again: %s", parsed.text(), back.text())
		}
	})
}

func equalJSON(t *rapid.T, a, b []byte) bool {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func FuzzParseJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.50,"x",null,true]}`, `[`, `{"a":1}{`, "\"\xff\"", `{"a":1,"a":2}`, `1e400`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseJSON([]byte(text))
		if err != nil {
			return
		}
		if !json.Valid(parsed.text()) {
			t.Errorf("%q is written as %q", text, parsed.text())
		}
	})
}

func TestNeighbour_F2_IsAnotherIntegerAndTheSameDouble(t *testing.T) {
	for raw, want := range map[string]bool{"9007199254740993": true, "9007199254740992": true, "-9007199254740993": true, "123456789012345678901234567890": true, "4200": false, "9007199254740991": false, "1.5": false, "\"x\"": false} {
		other := neighbour(raw)
		if (other != "") != want || other == raw {
			t.Errorf("%s: %q", raw, other)
			continue
		}
		if !want {
			continue
		}
		a, _ := new(big.Float).SetString(raw)
		b, _ := new(big.Float).SetString(other)
		x, _ := a.Float64()
		if y, _ := b.Float64(); x != y {
			t.Errorf("%s and %s are two doubles", raw, other)
		}
	}
}

func TestPut_K1_SetsAMember(t *testing.T) {
	for _, c := range []struct{ body, pointer, want string }{
		{`{}`, "/key", `{"key":"k"}`},
		{`{"key":null,"a":1}`, "/key", `{"key":"k","a":1}`},
		{`{"a":{}}`, "/a/b/c", `{"a":{"b":{"c":"k"}}}`},
		{`{}`, "/a~1b~0c", `{"a/b~c":"k"}`},
		{`{"a":1}`, "/a/b", ""},
		{`[]`, "/a", ""},
	} {
		n, err := parseJSON([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if ok := n.put(c.pointer, quoted("k")); ok != (c.want != "") || ok && string(n.text()) != c.want {
			t.Errorf("%s in %s: %s", c.pointer, c.body, n.text())
		}
	}
}

func TestNewKey_K3_FitsTheRules(t *testing.T) {
	for name, rules := range map[string]policy.Key{
		"any":           {MinLength: 1, MaxLength: 255},
		"short":         {MaxLength: 4},
		"long":          {MinLength: 100, MaxLength: 120},
		"uuid4":         {Format: policy.UUID4, MinLength: 36, MaxLength: 36},
		"uuid5":         {Format: policy.UUID5},
		"uuid7":         {Format: policy.UUID7},
		"hex":           {Pattern: "^[0-9a-f]{32}$"},
		"digits":        {Pattern: "^[0-9]+$", MaxLength: 20},
		"capitals":      {Pattern: "^[A-Z0-9]{20}$"},
		"prefix":        {Pattern: "^pay_[a-z]+$", MaxLength: 40},
		"not for Go":    {Pattern: `^(?!\s)(.*)(\S)$`, MaxLength: 40},
		"unit of bytes": {MaxLength: 10, LengthUnit: policy.Bytes},
	} {
		first, err := newKey(&rules)
		if err != nil || !fits(&rules, first) {
			t.Errorf("%s: %q, %v", name, first, err)
		}
		if second, _ := newKey(&rules); second == first {
			t.Errorf("%s: the same key twice: %q", name, first)
		}
	}
}
