package extension

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// CheckDeclared says what is weak about a key that a document declares for an operation of which nothing is decided: what
// would be found once it is. Every finding is a warning, for the document may be somebody else's.
func CheckDeclared(declared policy.DeclaredKey) diag.List {
	key := declared.Key
	var diags diag.List
	add := func(rule Rule, hint, format string, args ...any) {
		diags = append(diags, finding(rule.as(diag.Warning), declared.Pos, hint, format, args...))
	}
	if key.Pattern != "" {
		if err := checkPattern(key.Pattern); err != nil {
			add(ruleKeyPattern, "state key.pattern in x-idempotency for a check that Go can make",
				"Go cannot compile the declared pattern of %s, so generated code would not check it: %v", describeKey(key), err)
			key.Pattern = ""
		}
	}
	if key.MaxLength > maxKeyLength {
		add(ruleDeclaredLength, "state key.maxLength",
			"%s allows keys of %d, and a database index holds keys of %d: longer ones are refused", describeKey(key), key.MaxLength, maxKeyLength)
	}
	if key.MaxLength == 0 {
		key.MaxLength = maxKeyLength // nothing is said, so nothing is claimed
	}
	if bits := keyBits(key); bits < minKeyBits {
		add(ruleLowEntropy, "allow 22 characters or more: 128 random bits in base64url",
			"%s has room for %.0f random bits at most, so two clients may draw the same", describeKey(key), bits)
	}
	if key.Required && declared.Nullable {
		add(ruleNullableKey, "make it a plain string in the schema", "%s is required, and its schema lets it be null", describeKey(key))
	}
	if declared.Type != "" && declared.Type != "string" {
		add(ruleKeyType, "a key is a string", "%s is of type %s", describeKey(key), show(declared.Type))
	}
	return diags
}

// Streams reports whether an answer of a media type is sent piece by piece or without an end, so that none of it can be
// stored.
func Streams(mediaType string) bool { return streams(mediaType) }
