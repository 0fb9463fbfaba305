package policydoc

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A UUID has 36 characters: a sentence beside it that allows others says two things at once.
func TestKeyLengthOfAUUID(t *testing.T) {
	for _, c := range []struct {
		key   policy.Key
		words string
		min   int
		max   int
	}{
		{policy.Key{Format: policy.AnyFormat, MinLength: 1, MaxLength: 255}, "It has 1 to 255 characters.", 1, 255},
		{policy.Key{Format: policy.UUID, MinLength: 1, MaxLength: 255}, "It has 36 characters.", 36, 36},
		{policy.Key{Format: policy.UUID7, MinLength: 16, MaxLength: 64}, "It has 36 characters.", 36, 36},
		{policy.Key{Format: policy.UUID4, MinLength: 1, MaxLength: 255, LengthUnit: policy.Bytes}, "It has 36 characters.", 36, 36},
	} {
		if got := keyLength(c.key).String(); got != c.words {
			t.Errorf("%s, %d to %d: the page says %q, want %q", c.key.Format, c.key.MinLength, c.key.MaxLength, got, c.words)
		}
		got := parameters(&policy.Operation{Policy: policy.Policy{Key: c.key}}, PromiseKeyLength)
		if got["min"] != c.min || got["max"] != c.max {
			t.Errorf("%s, %d to %d: the promise has %v to %v, want %d to %d", c.key.Format, c.key.MinLength, c.key.MaxLength, got["min"], got["max"], c.min, c.max)
		}
	}
}
