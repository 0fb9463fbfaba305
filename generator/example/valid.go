package example

import (
	"encoding/json"
	"regexp"

	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/runtime/wire"
)

// Use is what a value is for: a member that is read-only has no place in a request, a write-only one none in a
// response.
type Use int

// The uses.
const (
	ForRequest Use = iota
	ForResponse
)

// leavesOut reports whether a member of schema s has no place in a value for this use.
func (u Use) leavesOut(s *policy.Schema) bool {
	if s == nil {
		return false
	}
	return u == ForRequest && s.ReadOnly || u == ForResponse && s.WriteOnly
}

// Valid returns nil when a JSON text is a value of s, else an error that lists the places and what stands there should
// be; it does not repeat the value. Patterns that Go cannot compile are not checked.
func Valid(s *policy.Schema, value json.RawMessage, use Use) error {
	in := wire.NewReader(nil, value)
	checker{use}.check(in.JSON(), s)
	return in.Err()
}

// checker walks a value and its schema side by side.
type checker struct{ use Use }

func (c checker) check(v wire.Value, s *policy.Schema) {
	if s == nil || v.IsNull() && s.Nullable {
		return
	}
	if len(s.Enum) > 0 {
		texts := make([]string, len(s.Enum))
		for i, allowed := range s.Enum {
			texts[i] = string(allowed)
		}
		v.OneOfJSON(texts...)
		if v.IsNull() {
			return // if null is not among them, that was said
		}
	}
	switch s.Kind {
	case policy.Boolean:
		v.Bool()
	case policy.Integer, policy.Number:
		checkNumber(v, s)
	case policy.String:
		checkString(v, s)
	case policy.Array:
		c.checkArray(v, s)
	case policy.Object:
		c.checkObject(v, s)
	}
}

func checkNumber(v wire.Value, s *policy.Schema) {
	low, high := either(s.ExclusiveMinimum, v.MoreThan, v.Min), either(s.ExclusiveMaximum, v.LessThan, v.Max)
	if s.Minimum != "" {
		low(s.Minimum)
	}
	if s.Maximum != "" {
		high(s.Maximum)
	}
	if s.MultipleOf != "" {
		v.MultipleOf(s.MultipleOf)
	}
	switch {
	case s.Kind == policy.Number && s.Format == "float":
		v.Float32()
	case s.Kind == policy.Number && s.Format == "double":
		v.Float64()
	case s.Kind == policy.Number:
		v.Number()
	case s.Format == "int32":
		v.Int32()
	case isWide(s):
		v.MultipleOf("1").Number()
	default:
		v.Int64()
	}
}

// isWide reports whether a schema asks for integers beyond 64 bits with a sign.
func isWide(s *policy.Schema) bool {
	return s.Format == "uint64" || s.Maximum != "" && compareNumbers(s.Maximum, "9223372036854775807") > 0
}

func checkString(v wire.Value, s *policy.Schema) {
	if s.MinLength != nil {
		v.MinLength(*s.MinLength)
	}
	if s.MaxLength != nil {
		v.MaxLength(*s.MaxLength)
	}
	if s.Pattern != "" && s.PatternRE2 {
		if expression, err := regexp.Compile(s.Pattern); err == nil {
			v.Pattern(expression)
		}
	}
	v.Format(s.Format).Text()
}

func (c checker) checkArray(v wire.Value, s *policy.Schema) {
	if s.MinItems != nil {
		v.MinItems(*s.MinItems)
	}
	if s.MaxItems != nil {
		v.MaxItems(*s.MaxItems)
	}
	if s.UniqueItems {
		v.UniqueItems()
	}
	wire.List(v, c.reader(s.Items))
}

func (c checker) checkObject(v wire.Value, s *policy.Schema) {
	if s.MinProperties != nil {
		v.MinProperties(*s.MinProperties)
	}
	if s.MaxProperties != nil {
		v.MaxProperties(*s.MaxProperties)
	}
	o := v.Object()
	for _, property := range s.Properties {
		member := o.Member(property.Name)
		if property.Required && !c.use.leavesOut(property.Schema) {
			member.Required()
		}
		if member.Present() {
			c.check(member, property.Schema)
		}
	}
	if !s.AdditionalAllowed && s.Additional == nil {
		o.Closed()
		return
	}
	wire.Rest(o, c.reader(s.Additional))
}

// reader checks what it is given to read.
func (c checker) reader(s *policy.Schema) func(wire.Value) struct{} {
	return func(v wire.Value) struct{} {
		c.check(v, s)
		return struct{}{}
	}
}

func either[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
