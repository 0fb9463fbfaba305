package example

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// ErrNoOther is wrapped by the error of an operation of which no second request can be made that is valid and has
// another fingerprint: all that its fingerprint covers can have one value only.
var ErrNoOther = errors.New("no different request can be made")

// Other returns a request with the same key that is not the same request: it is valid too, and differs in something
// that the policy's fingerprint covers.
func (c *Call) Other() (*Call, error) {
	for _, vary := range []func() *Call{c.otherBody, c.otherParameter, c.otherHeader} {
		if other := vary(); other != nil {
			return other, nil
		}
	}
	return nil, fmt.Errorf("operation %s: %w", c.op.ID, ErrNoOther)
}

// with returns a copy of the call with other values, nil when it cannot be written.
func (c *Call) with(change func(*Call)) *Call {
	other := *c
	other.values = slices.Clone(c.values)
	change(&other)
	if other.write() != nil {
		return nil
	}
	return &other
}

func (c *Call) otherBody() (other *Call) {
	print := c.op.Policy.Fingerprint
	if c.content == nil || print.Body == policy.NoBody {
		return nil
	}
	s := c.content.Schema
	if media.OfContent(c.content) >= media.Text {
		s = textSchema(s)
	}
	v := varier{maker: &maker{use: ForRequest}, covered: c.covers}
	v.vary(s, c.body, nil, func(body json.RawMessage) bool {
		keyed, err := c.withKey(body)
		if err != nil || Valid(s, keyed, ForRequest) != nil {
			return false
		}
		other = c.with(func(o *Call) { o.body = body })
		return other != nil && string(other.Body) != string(c.Body)
	})
	if other != nil && string(other.Body) == string(c.Body) {
		return nil
	}
	return other
}

// covers reports whether the fingerprint sees a change at a place of the body.
func (c *Call) covers(place []string) bool {
	print := c.op.Policy.Fingerprint
	within := func(pointer string) bool {
		tokens := tokensOf(pointer)
		return len(tokens) <= len(place) && slices.Equal(tokens, place[:len(tokens)])
	}
	key := c.op.Policy.Key
	if key.In == policy.InBody && within(key.Pointer) || key.In == policy.InForm && len(place) > 0 && place[0] == key.Name {
		return false
	}
	if print.Body != policy.CanonicalBody {
		return true
	}
	if len(print.Include) > 0 {
		return slices.ContainsFunc(print.Include, within)
	}
	return !slices.ContainsFunc(print.Exclude, within)
}

// otherParameter changes a path parameter, or one of the query where the fingerprint covers it.
func (c *Call) otherParameter() *Call {
	for i, value := range c.values {
		p := value.parameter
		if p.In != "path" && (p.In != "query" || !c.op.Policy.Fingerprint.Query) {
			continue
		}
		m := &maker{use: ForRequest}
		for n := range 4 {
			changed, err := m.value(p.Schema, n)
			if err != nil || same(changed, value.value) || !fits(p, changed) {
				continue
			}
			if other := c.with(func(o *Call) { o.values[i].value = changed }); other != nil {
				return other
			}
		}
	}
	return nil
}

// otherHeader changes or adds a header that the fingerprint covers.
func (c *Call) otherHeader() *Call {
	for _, name := range c.op.Policy.Fingerprint.Headers {
		declared := slices.ContainsFunc(c.values, func(v parameterValue) bool {
			return v.parameter.In == "header" && strings.EqualFold(v.parameter.Name, name)
		})
		if declared || http.CanonicalHeaderKey(name) == "Content-Type" {
			continue // a declared one has rules of its own
		}
		if other := c.with(func(*Call) {}); other != nil {
			other.Header.Set(name, "other")
			return other
		}
	}
	return nil
}

// same compares two JSON values as JSON Schema does.
func same(a, b json.RawMessage) bool {
	return Valid(&policy.Schema{Enum: []json.RawMessage{b}}, a, ForRequest) == nil
}

// varier changes one place of a value at a time.
type varier struct {
	*maker
	covered func(place []string) bool
}

// vary tries values that differ from value in one place, until try takes one.
func (v varier) vary(s *policy.Schema, value json.RawMessage, place []string, try func(json.RawMessage) bool) bool {
	switch value[0] {
	case '{':
		return v.varyObject(s, value, place, try)
	case '[':
		return v.varyArray(s, value, place, try)
	}
	if !v.covered(place) {
		return false
	}
	if s == nil || s.Kind == policy.Any && len(s.Enum) == 0 {
		return try(json.RawMessage(`"other"`))
	}
	for n := range 4 {
		changed, err := v.value(s, n)
		if err == nil && !same(changed, value) && try(changed) {
			return true
		}
	}
	return false
}

func (v varier) varyObject(s *policy.Schema, value json.RawMessage, place []string, try func(json.RawMessage) bool) bool {
	o, err := membersOf(value)
	if err != nil {
		return false
	}
	tryMembers := func(changed members) bool {
		text, err := changed.json()
		return err == nil && try(text)
	}
	for i := range o {
		tryMember := func(value json.RawMessage) bool {
			changed := slices.Clone(o)
			changed[i].value = value
			return tryMembers(changed)
		}
		if v.vary(property(s, o[i].name), o[i].value, below(place, o[i].name), tryMember) {
			return true
		}
	}
	if s == nil {
		s = &policy.Schema{AdditionalAllowed: true}
	}
	for _, scalars := range []bool{true, false} { // a scalar makes the smaller change
		for _, p := range s.Properties {
			absent := !slices.ContainsFunc(o, func(m member) bool { return m.name == p.Name })
			if !absent || isScalar(p.Schema) != scalars || v.use.leavesOut(p.Schema) || !v.covered(below(place, p.Name)) {
				continue
			}
			if added, err := v.value(p.Schema, 0); err == nil && tryMembers(append(slices.Clone(o), member{p.Name, added})) {
				return true
			}
		}
	}
	const name = "other"
	if (s.AdditionalAllowed || s.Additional != nil) && property(s, name) == s.Additional && v.covered(below(place, name)) {
		added, err := v.value(s.Additional, 0)
		return err == nil && tryMembers(append(slices.Clone(o), member{name, added}))
	}
	return false
}

func (v varier) varyArray(s *policy.Schema, value json.RawMessage, place []string, try func(json.RawMessage) bool) bool {
	items, err := itemsOf(value)
	if err != nil {
		return false
	}
	tryItems := func(changed []json.RawMessage) bool {
		text, err := json.Marshal(changed)
		return err == nil && try(text)
	}
	var of *policy.Schema
	if s != nil {
		of = s.Items
	}
	for i := range items {
		tryItem := func(value json.RawMessage) bool {
			changed := slices.Clone(items)
			changed[i] = value
			return tryItems(changed)
		}
		if v.vary(of, items[i], below(place, fmt.Sprint(i)), tryItem) {
			return true
		}
	}
	if !v.covered(below(place, fmt.Sprint(len(items)))) {
		return false
	}
	added, err := v.value(of, len(items))
	return err == nil && tryItems(append(slices.Clone(items), added))
}

func below(place []string, name string) []string {
	return append(slices.Clone(place), name)
}
