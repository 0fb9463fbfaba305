package extension

import (
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

func TestCheckDeclared_K3_K5(t *testing.T) {
	header := func(change func(*policy.DeclaredKey)) policy.DeclaredKey {
		k := policy.DeclaredKey{Key: policy.Key{In: policy.InHeader, Name: "Key"}, Type: "string", Pos: policy.Position{File: "a.yaml", Line: 3, Column: 1}}
		change(&k)
		return k
	}
	tests := []struct {
		name  string
		key   policy.DeclaredKey
		rules string
	}{
		{"nothing is said", header(func(*policy.DeclaredKey) {}), ""},
		{"a pattern of another language", header(func(k *policy.DeclaredKey) { k.Key.Pattern, k.Key.MaxLength = `^(?!\s)(.*)(\S)$`, 40 }), "key-pattern"},
		{"short", header(func(k *policy.DeclaredKey) { k.Key.MaxLength = 8 }), "low-entropy"},
		{"a pattern with little room", header(func(k *policy.DeclaredKey) { k.Key.Pattern, k.Key.MaxLength = `^[0-9]{12}$`, 64 }), "low-entropy"},
		{"too long for an index", header(func(k *policy.DeclaredKey) { k.Key.MaxLength = 5000 }), "declared-key-length"},
		{"null", header(func(k *policy.DeclaredKey) { k.Nullable, k.Key.Required = true, true }), "nullable-key"},
		{"null where it can be left out", header(func(k *policy.DeclaredKey) { k.Nullable = true }), ""},
		{"a number", header(func(k *policy.DeclaredKey) { k.Type = "integer" }), "key-type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var rules []string
			for _, d := range CheckDeclared(test.key) {
				rules = append(rules, d.Rule)
				if d.Severity != diag.Warning || !d.Pos.IsValid() || d.Hint == "" {
					t.Errorf("%+v", d)
				}
			}
			if got := strings.Join(rules, " "); got != test.rules {
				t.Errorf("%q, want %q", got, test.rules)
			}
		})
	}
}
