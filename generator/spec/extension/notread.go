package extension

import (
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Name is the extension that this package reads.
const Name = "x-idempotency"

var ruleNotRead = rule("not-read", diag.Warning, "x-idempotency stands at the root, on a path item or on an operation, and is spelt so")

// NotRead says what is wrong with a member of an OpenAPI object that nothing reads, at pos: x-idempotency in a place where
// it has no meaning, or a name that is likely meant to be it. ok is false for a member that has nothing to do with either.
func NotRead(name string, pos policy.Position) (d diag.Diagnostic, ok bool) {
	const prefix = "xidempotency"
	folded := diag.Fold(name)
	switch {
	case name == Name:
		return finding(ruleNotRead, pos, "move it to an operation, a path item or the root; `key:` in it says where a key travels", "x-idempotency is not read here"), true
	case folded == "xidempotent":
		return finding(ruleNotRead, pos, "write `x-idempotency: natural` for an operation that is idempotent by itself, `x-idempotency: required` for one that takes a key",
			"%s is not read: elsewhere it says that an operation is idempotent, and not by what", show(name)), true
	case len(folded) > len(prefix)+2 && strings.HasPrefix(folded, prefix):
		return finding(ruleNotRead, pos, "write "+instead(folded[len(prefix):]), "%s is not read: x-idempotency holds everything", show(name)), true
	case strings.HasPrefix(folded, "xi") && diag.Nearest(name, []string{Name}) != "":
		return finding(ruleNotRead, pos, "did you mean x-idempotency?", "%s is not read", show(name)), true
	}
	return diag.Diagnostic{}, false
}

// instead is what to write for an extension that is called x-idempotency-REST.
func instead(rest string) string {
	if rest == "key" || rest == "keys" {
		return "`x-idempotency: {key: {in: header, name: Idempotency-Key}}`"
	}
	for member, hint := range elsewhere {
		if diag.Fold(member) == rest {
			if _, value, ok := strings.Cut(hint, "`"); ok {
				value, _, _ = strings.Cut(value, "`")
				return "`x-idempotency: {" + value + "}`"
			}
		}
	}
	return "`x-idempotency: required`, or an object with the members that the policy needs"
}
