package example

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Key returns the n-th key that a policy's rules allow. A pattern that Go cannot compile is not kept. Keys made here
// are for tests: they can be guessed.
func Key(rules policy.Key, n int) (string, error) {
	s := &policy.Schema{Kind: policy.String, Pattern: rules.Pattern, PatternRE2: compiles(rules.Pattern)}
	if rules.MinLength > 0 {
		s.MinLength = &rules.MinLength
	}
	if rules.MaxLength > 0 {
		s.MaxLength = &rules.MaxLength
	}
	for _, text := range keyTexts(rules, s, n) {
		value, err := json.Marshal(text)
		if err != nil {
			return "", err
		}
		if Valid(s, value, ForRequest) == nil {
			return text, nil
		}
	}
	return "", fmt.Errorf("%w: no key is within the rules of %s", ErrImpossible, rules.Name+rules.Pointer)
}

// keyTexts proposes keys: a UUID of the version that is asked for, one for any key too, then what the lengths and the
// pattern want.
func keyTexts(rules policy.Key, s *policy.Schema, n int) []string {
	version := map[policy.Format]byte{policy.UUID5: '5', policy.UUID7: '7'}[rules.Format]
	if version == 0 {
		version = '4'
	}
	id := fmt.Sprintf("0199f8a0-7c3b-%c5d2-9e4f-%012x", version, n+1)
	if rules.Format != policy.AnyFormat && rules.Format != "" {
		return []string{id}
	}
	found := []string{id}
	if rules.MaxLength == 0 || rules.MaxLength > len(id) {
		for len(found[0]) < rules.MinLength {
			found[0] += id[24:]
		}
	}
	return slices.AppendSeq(found, texts(s, n))
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}
