package runtime

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime/policy"
)

func TestHeaderKey_K2(t *testing.T) {
	const uuid = "8e03978e-40d5-43e8-bc93-6894a57f9324"
	type want struct{ structured, bare, either string } // "" for an error
	for line, w := range map[string]want{
		uuid:                     {"", uuid, uuid},
		`"` + uuid + `"`:         {uuid, "", uuid},
		`  "` + uuid + "\" \t":   {uuid, "", uuid},
		"e1b0-token":             {"", "e1b0-token", "e1b0-token"},
		`"order:12 a"`:           {"order:12 a", "", "order:12 a"},
		"order:12/a=+_.~*":       {"", "order:12/a=+_.~*", "order:12/a=+_.~*"},
		`"quo\"ted \\"`:          {`quo"ted \`, "", `quo"ted \`},
		`"a, b; c"`:              {"a, b; c", "", "a, b; c"},
		"123":                    {"", "123", ""}, // an Integer
		"12.5":                   {"", "12.5", ""},
		"?1":                     {"", "?1", ""},
		":AAEC:":                 {"", ":AAEC:", ""},
		"@1659578233":            {"", "@1659578233", ""},
		`%"caf%c3%a9"`:           {"", "", ""},
		"00123":                  {"", "00123", ""},
		"123e4567-e89b":          {"", "123e4567-e89b", "123e4567-e89b"},
		"":                       {"", "", ""},
		"   ":                    {"", "", ""},
		"a b":                    {"", "", ""},
		"a,b":                    {"", "", ""},
		"a, b":                   {"", "", ""},
		`"a", "b"`:               {"", "", ""},
		"a;v=1":                  {"", "", ""},
		`"a";v=1`:                {"", "", ""},
		`"a"; v`:                 {"", "", ""},
		`"a"b`:                   {"", "", ""},
		`"a" "b"`:                {"", "", ""},
		`"a`:                     {"", "", ""},
		`a"`:                     {"", "", ""},
		`"a\x"`:                  {"", "", ""},
		`("a" "b")`:              {"", "", ""},
		"k\xc3\xa9y":             {"", "", ""},
		"\"k\xc3\xa9y\"":         {"", "", ""},
		"a\x00b":                 {"", "", ""},
		"a\tb":                   {"", "", ""},
		"\"a\tb\"":               {"", "", ""},
		"a\x7f":                  {"", "", ""},
		`\`:                      {"", "", ""},
		`'a'`:                    {"", "'a'", "'a'"},
		strings.Repeat("x", 300): {"", strings.Repeat("x", 300), strings.Repeat("x", 300)},
	} {
		for syntax, want := range map[policy.Syntax]string{policy.Structured: w.structured, policy.Bare: w.bare, policy.Either: w.either} {
			got, err := headerKey([]string{line}, syntax)
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%q as %s: got %q, %v, want %q", line, syntax, got, err, want)
			}
		}
	}
	for _, lines := range [][]string{{"a", "b"}, {"a", "a"}, {`"a`, `b"`}, {"a", ""}} {
		if key, err := headerKey(lines, policy.Either); err == nil {
			t.Errorf("%q is the key %q", lines, key)
		}
	}
}

func TestCheckKeyText_K3_K5(t *testing.T) {
	const (
		v1  = "c232ab00-9414-11ec-b3c8-9f6bdeced846"
		v4  = "8e03978e-40d5-43e8-bc93-6894a57f9324"
		v5  = "74738ff5-5367-5958-9aee-98fffdcd1876"
		v7  = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"
		ms4 = "8e03978e-40d5-43e8-cc93-6894a57f9324" // another variant
	)
	for _, c := range []struct {
		rules   policy.Key
		good    []string
		refused []string
	}{
		{policy.Key{}, []string{"a", "a b", "日本語", "a@b", "O'Brien"}, []string{"", "a\x00", "a\n", "\x7f", "\u0085", "\xff", strings.Repeat("x", 256)}},
		{policy.Key{MinLength: 3, MaxLength: 4}, []string{"abc", "abcd", "äöü", "日本語☕"}, []string{"ab", "abcde", "äö", "日本語☕!"}},
		{policy.Key{MinLength: 3, MaxLength: 4, LengthUnit: policy.Bytes}, []string{"abc", "äö"}, []string{"äöü", "日本", "ab"}},
		{policy.Key{MaxLength: 1024}, []string{strings.Repeat("x", 1024)}, []string{strings.Repeat("ä", 1024)}},
		{policy.Key{Format: policy.UUID}, []string{v1, v4, v5, v7, ms4, strings.ToUpper(v4)}, []string{"a", v4 + "0", v4[1:], "{" + v4 + "}", strings.ReplaceAll(v4, "-", ""), "8e03978e-40d5-43e8-bc93-6894a57f932g", "8e03978e_40d5-43e8-bc93-6894a57f9324"}},
		{policy.Key{Format: policy.UUID4}, []string{v4}, []string{v1, v5, v7, ms4}},
		{policy.Key{Format: policy.UUID5}, []string{v5}, []string{v1, v4, v7}},
		{policy.Key{Format: policy.UUID7}, []string{v7}, []string{v1, v4, v5}},
		{policy.Key{Pattern: "^[a-z]+$"}, []string{"abc"}, []string{"aBc", "ab c", "abc1"}},
		{policy.Key{Pattern: "[0-9]"}, []string{"a1b"}, []string{"abc"}}, // unanchored, as in JSON Schema
		{policy.Key{RefusePersonalData: true}, []string{"a@b", "@", "a@.de", "retry@5.1", "key-1.2@3", "x@@y"},
			[]string{"jane@example.com", "pay-jane@example.com-1", "jane%40example.com", "a@b@c.org", "Müller@bücher.example", "j_d+1@mail.example.com"}},
	} {
		if c.rules.MaxLength == 0 {
			c.rules.MaxLength = 255
		}
		c.rules.In, c.rules.Name, c.rules.Syntax = policy.InHeader, "Idempotency-Key", policy.Either
		p := &plan{op: &Operation{Policy: policy.Policy{Key: c.rules}}, body: newSelection()}
		p.checkKey(func(format string, args ...any) { t.Fatalf(format, args...) })
		for _, key := range c.good {
			if err := p.checkKeyText(key); err != nil {
				t.Errorf("%+v: the key %q %v", c.rules, key, err)
			}
		}
		for _, key := range c.refused {
			if p.checkKeyText(key) == nil {
				t.Errorf("%+v: the key %q is accepted", c.rules, key)
			}
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"abc", `"abc"`, `"a\"b\\"`, "123", `"a";b`, "a, b", "\x00", `"`, "é", ":AAEC:", "@1", `%"a"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		structured, structuredErr := headerKey([]string{line}, policy.Structured)
		bare, bareErr := headerKey([]string{line}, policy.Bare)
		either, eitherErr := headerKey([]string{line}, policy.Either)
		if structuredErr == nil && bareErr == nil {
			t.Fatalf("%q is a key in both syntaxes", line)
		}
		switch {
		case eitherErr != nil:
			if structuredErr == nil {
				t.Fatalf("%q is structured, but not either: %v", line, eitherErr)
			}
		case either != structured && either != bare:
			t.Fatalf("%q: %q, %q and %q", line, structured, bare, either)
		}
		for _, key := range []string{structured, bare, either} {
			for i := range len(key) {
				if key[i] < ' ' || key[i] > '~' {
					t.Fatalf("%q gives the key %q", line, key)
				}
			}
		}
		if bareErr == nil && bare != "" { // the quoted form of a bare key is the same key
			if again, err := headerKey([]string{`"` + bare + `"`}, policy.Either); err != nil || again != bare {
				t.Fatalf("%q quoted is %q, %v", bare, again, err)
			}
		}
		holdsEmail(line)
		if version := uuidVersion(line); version >= 0 && !utf8.ValidString(line) {
			t.Fatalf("%q is a UUID", line)
		}
	})
}

func BenchmarkHeaderKey(b *testing.B) {
	for name, line := range map[string]string{
		"bare":   "8e03978e-40d5-43e8-bc93-6894a57f9324",
		"quoted": `"8e03978e-40d5-43e8-bc93-6894a57f9324"`,
	} {
		b.Run(name, func(b *testing.B) {
			lines := http.Header{"Idempotency-Key": {line}}["Idempotency-Key"]
			b.ReportAllocs()
			for b.Loop() {
				if _, err := headerKey(lines, policy.Either); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
