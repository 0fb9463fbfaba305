package example

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/policy"
)

func ptr(n int) *int { return &n }

func raw(texts ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

func text() *policy.Schema { return &policy.Schema{Kind: policy.String} }

func pattern(expression string) *policy.Schema {
	return &policy.Schema{Kind: policy.String, Pattern: expression, PatternRE2: true}
}

func object(properties ...policy.Property) *policy.Schema {
	return &policy.Schema{Kind: policy.Object, Properties: properties}
}

func required(name string, s *policy.Schema) policy.Property {
	return policy.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *policy.Schema) policy.Property {
	return policy.Property{Name: name, Schema: s}
}

func TestValue(t *testing.T) {
	nested := text()
	nested.ReadOnly = true
	for _, row := range []struct {
		name   string
		schema *policy.Schema
		want   string
	}{
		{"anything", nil, `"text"`},
		{"untyped", &policy.Schema{Kind: policy.Any}, `"text"`},
		{"untyped with example", &policy.Schema{Kind: policy.Any, Example: json.RawMessage(`[1]`)}, `[1]`},
		{"enum first", &policy.Schema{Kind: policy.String, Enum: raw(`null`, `"b"`, `"a"`), Example: json.RawMessage(`"a"`)}, `"b"`},
		{"example", &policy.Schema{Kind: policy.String, Example: json.RawMessage(`"x"`), Default: json.RawMessage(`"y"`)}, `"x"`},
		{"wrong example", &policy.Schema{Kind: policy.String, Example: json.RawMessage(`1`), Default: json.RawMessage(`"y"`)}, `"y"`},
		{"boolean", &policy.Schema{Kind: policy.Boolean}, `true`},
		{"integer", &policy.Schema{Kind: policy.Integer}, `1`},
		{"integer from", &policy.Schema{Kind: policy.Integer, Minimum: "50"}, `50`},
		{"integer from 0", &policy.Schema{Kind: policy.Integer, Minimum: "0"}, `1`},
		{"integer from and to 0", &policy.Schema{Kind: policy.Integer, Minimum: "0", Maximum: "0"}, `0`},
		{"integer more than", &policy.Schema{Kind: policy.Integer, Minimum: "50", ExclusiveMinimum: true}, `51`},
		{"integer to", &policy.Schema{Kind: policy.Integer, Maximum: "-5"}, `-5`},
		{"integer less than", &policy.Schema{Kind: policy.Integer, Maximum: "-5", ExclusiveMaximum: true}, `-6`},
		{"integer of 7", &policy.Schema{Kind: policy.Integer, Minimum: "50", MultipleOf: "7"}, `56`},
		{"integer of halves", &policy.Schema{Kind: policy.Integer, MultipleOf: "2.5"}, `5`},
		{"number of cents", &policy.Schema{Kind: policy.Number, Minimum: "0.015", MultipleOf: "0.01"}, `0.02`},
		{"number between", &policy.Schema{Kind: policy.Number, Minimum: "0.5", ExclusiveMinimum: true, Maximum: "0.6", ExclusiveMaximum: true}, `0.55`},
		{"wide integer", &policy.Schema{Kind: policy.Integer, Minimum: "9223372036854775808", Maximum: "18446744073709551615"}, `9223372036854775808`},
		{"uuid", &policy.Schema{Kind: policy.String, Format: "uuid"}, `"123e4567-e89b-42d3-a456-426614174000"`},
		{"long email", &policy.Schema{Kind: policy.String, Format: "email", MinLength: ptr(18)}, `"userrr@example.com"`},
		{"date-time", &policy.Schema{Kind: policy.String, Format: "date-time"}, `"2026-01-02T03:04:05Z"`},
		{"long text", &policy.Schema{Kind: policy.String, MinLength: ptr(6)}, `"texttext"`},
		{"short text", &policy.Schema{Kind: policy.String, MaxLength: ptr(2)}, `"tt"`},
		{"empty text", &policy.Schema{Kind: policy.String, MaxLength: ptr(0)}, `""`},
		{"array", &policy.Schema{Kind: policy.Array, Items: text()}, `["text"]`},
		{"unique array", &policy.Schema{Kind: policy.Array, Items: &policy.Schema{Kind: policy.Integer}, MinItems: ptr(3), UniqueItems: true}, `[1,2,3]`},
		{"empty array", &policy.Schema{Kind: policy.Array, MaxItems: ptr(0)}, `[]`},
		{"map", &policy.Schema{Kind: policy.Object, Additional: &policy.Schema{Kind: policy.Integer}}, `{"key1":1}`},
		{"closed object", object(), `{}`},
		{"required and a few optional", object(
			optional("o1", text()), required("r", text()), optional("o2", &policy.Schema{Kind: policy.Array}), optional("o3", text()),
			optional("o4", text()), optional("o5", text()), required("nested", nested)), `{"o1":"text","r":"text","o3":"text","o4":"text"}`},
		{"least members", &policy.Schema{Kind: policy.Object, AdditionalAllowed: true, MinProperties: ptr(2),
			Properties: []policy.Property{optional("a", text())}}, `{"a":"text","key1":"text"}`},
		{"least members of any kind", &policy.Schema{Kind: policy.Object, MinProperties: ptr(1),
			Properties: []policy.Property{optional("a", object())}}, `{"a":{}}`},
		{"most members", &policy.Schema{Kind: policy.Object, MaxProperties: ptr(1),
			Properties: []policy.Property{optional("a", text()), required("b", text())}}, `{"b":"text"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Value(row.schema, ForRequest)
			if err != nil || string(got) != row.want {
				t.Errorf("got %s, %v, want %s", got, err, row.want)
			}
			if err := Valid(row.schema, got, ForRequest); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestValue_Impossible(t *testing.T) {
	self := object()
	self.Properties = []policy.Property{required("self", self)}
	for name, s := range map[string]*policy.Schema{
		"contains itself":     self,
		"limits":              {Kind: policy.Integer, Minimum: "2", Maximum: "1"},
		"pattern and lengths": {Kind: policy.String, Pattern: "^a{5}$", PatternRE2: true, MaxLength: ptr(2)},
		"huge limit":          {Kind: policy.Number, Minimum: "1e999999999"},
		"large limit":         {Kind: policy.Number, Minimum: "1e500"},
		"no limit":            {Kind: policy.Number, Minimum: "x"},
		"two booleans":        {Kind: policy.Array, Items: &policy.Schema{Kind: policy.Boolean}, MinItems: ptr(3), UniqueItems: true},
	} {
		if got, err := Value(s, ForRequest); err == nil {
			t.Errorf("%s: got %s", name, got)
		} else if !errors.Is(err, ErrImpossible) && !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestValue_CyclesEndWhereTheyMay(t *testing.T) {
	tree := object(required("name", text()))
	tree.Properties = append(tree.Properties,
		required("kids", &policy.Schema{Kind: policy.Array, Items: tree}),
		required("parent", &policy.Schema{Kind: policy.Object, Properties: []policy.Property{required("tree", tree)}, Nullable: true}),
		optional("next", tree))
	got, err := Value(tree, ForResponse)
	if err != nil || string(got) != `{"name":"text","kids":[],"parent":null}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestValue_DoesNotMultiply(t *testing.T) {
	s := text()
	for range 40 { // 2^40 values
		s = object(required("a", s), required("b", s))
	}
	if _, err := Value(s, ForRequest); !errors.Is(err, ErrImpossible) || !strings.Contains(err.Error(), "more than 20000 values") {
		t.Errorf("got %v", err)
	}
}

func TestValid(t *testing.T) {
	integer := &policy.Schema{Kind: policy.Integer, Format: "int32"}
	null := &policy.Schema{Kind: policy.String, Enum: raw(`"a"`, `null`)}
	for _, row := range []struct {
		schema *policy.Schema
		value  string
		valid  bool
	}{
		{null, `null`, true},
		{null, `"b"`, false},
		{text(), `null`, false},
		{&policy.Schema{Kind: policy.String, Nullable: true}, `null`, true},
		{integer, `2147483648`, false},
		{&policy.Schema{Kind: policy.Array, Items: integer}, `[1,"2"]`, false},
		{&policy.Schema{Kind: policy.Array}, `[1,"2"]`, true},
		{&policy.Schema{Kind: policy.Object, Additional: integer}, `{"a":1}`, true},
		{&policy.Schema{Kind: policy.Object, Additional: integer}, `{"a":"1"}`, false},
		{&policy.Schema{Kind: policy.Object, AdditionalAllowed: true}, `{"a":"1"}`, true},
		{&policy.Schema{Kind: policy.Number, Format: "float"}, `1e39`, false},
		{nil, `{"a":[}`, false},
	} {
		if err := Valid(row.schema, json.RawMessage(row.value), ForRequest); (err == nil) != row.valid {
			t.Errorf("%s: got %v", row.value, err)
		}
	}
}

func TestValid_Use(t *testing.T) {
	id, secret := text(), text()
	id.ReadOnly, secret.WriteOnly = true, true
	s := object(required("id", id), required("secret", secret))
	for _, row := range []struct {
		value string
		use   Use
		valid bool
	}{
		{`{"secret":"x"}`, ForRequest, true},
		{`{"id":"x"}`, ForRequest, false},
		{`{"id":"x"}`, ForResponse, true},
		{`{"secret":"x"}`, ForResponse, false},
		{`{"id":1,"secret":"x"}`, ForRequest, false},
		{`{"id":"x","secret":"x","more":1}`, ForRequest, false},
	} {
		if err := Valid(s, json.RawMessage(row.value), row.use); (err == nil) != row.valid {
			t.Errorf("%s: got %v", row.value, err)
		}
	}
}

// The expressions are of the kinds that published documents hold.
func TestValue_Patterns(t *testing.T) {
	for _, expression := range []string{
		`^[A-Z]{3}$`, `^\d{4}-\d{2}$`, `^(foo|bar)+$`, `^[^\s]+$`, `\S`, `^$`, `^.*$`, `^[A-Za-z0-9_-]{1,64}$`, `^(?i)[a-z]{2}_[A-Z]{2}$`, `^[\x{4e00}-\x{9fff}]{2}$`,
		`^-?[0-9]+(\.[0-9]{1,2})?$`, `^(([a-z]{1,8})(-[a-z]{1,8})*)$`, `\bword\b`, `^[0-9]{1,32}|(([0-9]{1,31}))$`, `^(?:[a-z]:)?(/[^/]+)*$`, `a|^$`, `^\+[1-9]\d{1,14}$`,
	} {
		for _, limits := range [][2]int{{0, -1}, {1, 255}} {
			s := pattern(expression)
			s.MinLength = ptr(limits[0])
			if limits[1] >= 0 {
				s.MaxLength = ptr(limits[1])
			}
			if expression == "^$" {
				s.MinLength = nil
			}
			if value, err := Value(s, ForRequest); err != nil {
				t.Errorf("%s: %v", expression, err)
			} else if strings.Contains(string(value), "�") {
				t.Errorf("%s: %s", expression, value)
			}
		}
	}
}

func TestValue_PatternsWithLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(0, 40).Draw(t, "least")
		most := least + rapid.IntRange(0, 40).Draw(t, "more")
		expression := rapid.SampledFrom([]string{`^[a-z]*$`, `^[0-9]+x?$`, `[A-Z]`, `^.+$`, `^(ab?)*$`}).Draw(t, "pattern")
		if most == 0 {
			return
		}
		s := pattern(expression)
		s.MinLength, s.MaxLength = &least, &most
		value, err := Value(s, ForRequest)
		if err != nil {
			t.Fatalf("%s from %d to %d: %v", expression, least, most, err)
		}
		var got string
		if json.Unmarshal(value, &got) != nil || !regexp.MustCompile(expression).MatchString(got) || len(got) < least || len(got) > most {
			t.Fatalf("%s from %d to %d: %s", expression, least, most, value)
		}
	})
}

func TestKey(t *testing.T) {
	for name, rules := range map[string]policy.Key{
		"any":       {MaxLength: 255},
		"short":     {MaxLength: 12, MinLength: 1},
		"long":      {MaxLength: 255, MinLength: 100},
		"uuid4":     {MaxLength: 255, Format: policy.UUID4},
		"uuid5":     {MaxLength: 255, Format: policy.UUID5},
		"uuid7":     {MaxLength: 36, Format: policy.UUID7},
		"pattern":   {MaxLength: 20, Pattern: `^req_[a-z0-9]{4,10}$`},
		"lookahead": {MaxLength: 40, Pattern: `^(?!\s)(.*)(\S)$`},
	} {
		seen := map[string]bool{}
		for n := range 3 {
			key, err := Key(rules, n)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if seen[key] || len(key) < rules.MinLength || len(key) > rules.MaxLength {
				t.Errorf("%s: %q", name, key)
			}
			seen[key] = true
			if version := map[policy.Format]byte{policy.UUID4: '4', policy.UUID5: '5', policy.UUID7: '7'}[rules.Format]; version != 0 && key[14] != version {
				t.Errorf("%s: %q", name, key)
			}
		}
	}
}
