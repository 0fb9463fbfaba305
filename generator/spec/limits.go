package spec

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

func decimal(n int) string { return strconv.Itoa(n) }

// pointerText tells nodes apart in a map's key.
func pointerText(n *yaml.Node) string { return fmt.Sprintf("%p;", n) }

// limit reads a length or a count, nil when it is none or larger than any that could matter.
func limit(n *yaml.Node) *int {
	if !isNumber(n) {
		return nil
	}
	whole, fraction, _ := strings.Cut(n.Value, ".")
	if strings.Trim(fraction, "0") != "" {
		return nil
	}
	value, err := strconv.Atoi(whole)
	if err != nil || value < 0 {
		return nil
	}
	return &value
}

func larger(a, b *int) *int {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func smaller(a, b *int) *int {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// constrainNumber takes over a part's bounds. OpenAPI 3.0 makes a bound exclusive by a boolean beside it, JSON Schema
// 2020-12 by a bound of its own.
func constrainNumber(s *policy.Schema, part *yaml.Node) {
	if n := get(part, "minimum"); isNumber(n) {
		tighten(&s.Minimum, &s.ExclusiveMinimum, n.Value, isTrue(get(part, "exclusiveMinimum")), 1)
	}
	if n := get(part, "exclusiveMinimum"); isNumber(n) {
		tighten(&s.Minimum, &s.ExclusiveMinimum, n.Value, true, 1)
	}
	if n := get(part, "maximum"); isNumber(n) {
		tighten(&s.Maximum, &s.ExclusiveMaximum, n.Value, isTrue(get(part, "exclusiveMaximum")), -1)
	}
	if n := get(part, "exclusiveMaximum"); isNumber(n) {
		tighten(&s.Maximum, &s.ExclusiveMaximum, n.Value, true, -1)
	}
	if n := get(part, "multipleOf"); isNumber(n) && s.MultipleOf == "" {
		s.MultipleOf = n.Value
	}
}

// tighten replaces a bound by a narrower one. sign is 1 for a lower bound, -1 for an upper one.
func tighten(bound *string, exclusive *bool, value string, own bool, sign float64) {
	if *bound != "" {
		// The comparison alone goes through floats; the digits that are kept are the document's.
		was, _ := strconv.ParseFloat(*bound, 64)
		is, _ := strconv.ParseFloat(value, 64)
		if is*sign < was*sign || is == was && *exclusive {
			return
		}
	}
	*bound, *exclusive = value, own
}
