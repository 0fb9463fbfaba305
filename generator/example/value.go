package example

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/policy"
)

// ErrImpossible is wrapped by the errors for schemas of which no value can be made: one that must contain itself, or a
// pattern and lengths that exclude each other.
var ErrImpossible = errors.New("no example can be made")

// Value returns a JSON value of s. Documented values go first where they are valid: the enum's, the schema's example,
// its default. What is made holds the required members and a few optional ones. A nil schema allows anything.
func Value(s *policy.Schema, use Use) (json.RawMessage, error) {
	return (&maker{use: use}).value(s, 0)
}

// maker makes the values of one use.
type maker struct {
	use Use
	// open are the schemas that are being made, to see when one contains itself.
	open []*policy.Schema
	// spent counts the values made so far: required members can multiply.
	spent int
}

// maxValues bounds the values of one example.
const maxValues = 20_000

// anything is the value of a schema that allows any: one that a form can carry too.
var anything = json.RawMessage(`"text"`)

// value makes the n-th value of s; where a schema has fewer, they are counted round.
func (m *maker) value(s *policy.Schema, n int) (json.RawMessage, error) {
	if s == nil {
		return anything, nil
	}
	for i := range s.Enum {
		if value := s.Enum[(i+n)%len(s.Enum)]; string(value) != "null" && m.valid(s, value) {
			return value, nil
		}
	}
	if n == 0 {
		for _, documented := range []json.RawMessage{s.Example, s.Default} {
			if len(documented) > 0 && m.valid(s, documented) {
				return documented, nil
			}
		}
	}
	value, err := m.made(s, n)
	if err != nil && s.Nullable {
		return json.RawMessage("null"), nil
	}
	return value, err
}

func (m *maker) valid(s *policy.Schema, value json.RawMessage) bool {
	return Valid(s, value, m.use) == nil
}

func (m *maker) made(s *policy.Schema, n int) (json.RawMessage, error) {
	for _, open := range m.open {
		if open == s {
			return nil, fmt.Errorf("%w: schema %q contains itself", ErrImpossible, s.Name)
		}
	}
	if m.spent++; m.spent > maxValues {
		return nil, fmt.Errorf("%w: schema %q needs more than %d values", ErrImpossible, s.Name, maxValues)
	}
	m.open = append(m.open, s)
	defer func() { m.open = m.open[:len(m.open)-1] }()

	var value json.RawMessage
	var err error
	switch s.Kind {
	case policy.Boolean:
		value = either(n%2 == 0, json.RawMessage("true"), json.RawMessage("false"))
	case policy.Integer, policy.Number:
		var text string
		text, err = number(s, n)
		value = json.RawMessage(text)
	case policy.String:
		return m.text(s, n)
	case policy.Array:
		value, err = m.array(s, n)
	case policy.Object:
		value, err = m.object(s, n)
	default:
		return anything, nil
	}
	if err != nil {
		return nil, err
	}
	if err := Valid(s, value, m.use); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImpossible, err)
	}
	return value, nil
}

func (m *maker) text(s *policy.Schema, n int) (json.RawMessage, error) {
	var err error
	for text := range texts(s, n) {
		value, encodeErr := json.Marshal(text)
		if encodeErr != nil {
			return nil, encodeErr
		}
		if err = Valid(s, value, m.use); err == nil {
			return value, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrImpossible, err)
}

// maxItems bounds the items that are made for a schema that asks for very many.
const maxItems = 1000

// array makes one item, or as many as are asked for; different ones, where they must be.
func (m *maker) array(s *policy.Schema, n int) (json.RawMessage, error) {
	count := 1
	if s.MaxItems != nil {
		count = min(count, *s.MaxItems)
	}
	if s.MinItems != nil {
		count = max(count, min(*s.MinItems, maxItems))
	}
	items := make([]json.RawMessage, 0, count)
	for i := range count {
		item, err := m.value(s.Items, n+i)
		if err != nil {
			if s.MinItems == nil || *s.MinItems == 0 {
				return json.RawMessage("[]"), nil
			}
			return nil, err
		}
		items = append(items, item)
	}
	return json.Marshal(items)
}

// maxOptional is how many optional members a made object has, scalars only.
const maxOptional = 3

// object makes the required members and a few optional ones, or as many as are asked for. The n-th object differs from
// the others in the first member that can differ.
func (m *maker) object(s *policy.Schema, n int) (json.RawMessage, error) {
	least, most := 0, len(s.Properties)+1
	if s.MinProperties != nil {
		least = *s.MinProperties
	}
	if s.MaxProperties != nil {
		most = *s.MaxProperties
	}
	wanted := m.wanted(s, least, most)
	var o members
	for i := range s.Properties {
		property := &s.Properties[i]
		if !wanted[i] {
			continue
		}
		value, err := m.value(property.Schema, n)
		if err != nil {
			if property.Required {
				return nil, fmt.Errorf("member %q: %w", property.Name, err)
			}
			continue // an optional member ends a cycle by being left out
		}
		o = append(o, member{property.Name, value})
	}
	if len(s.Properties) == 0 && len(o) < most {
		least = max(least, 1) // a map without a declared member shows one
	}
	if s.AdditionalAllowed || s.Additional != nil {
		for i := 0; len(o) < min(least, maxItems); i++ {
			value, err := m.value(s.Additional, n)
			if err != nil {
				break
			}
			o = append(o, member{fmt.Sprintf("key%d", i+1), value})
		}
	}
	return o.json()
}

// wanted decides which properties are made.
func (m *maker) wanted(s *policy.Schema, least, most int) []bool {
	wanted := make([]bool, len(s.Properties))
	count := 0
	take := func(limit int, fits func(policy.Property) bool) {
		for i, property := range s.Properties {
			if !wanted[i] && count < limit && !m.use.leavesOut(property.Schema) && fits(property) {
				wanted[i] = true
				count++
			}
		}
	}
	take(len(s.Properties), func(p policy.Property) bool { return p.Required })
	required := count
	take(min(required+maxOptional, most), func(p policy.Property) bool { return isScalar(p.Schema) && !p.Schema.Deprecated })
	take(least, func(policy.Property) bool { return true })
	return wanted
}

func isScalar(s *policy.Schema) bool {
	if s == nil {
		return false
	}
	switch s.Kind {
	case policy.Boolean, policy.Integer, policy.Number, policy.String:
		return true
	}
	return false
}
