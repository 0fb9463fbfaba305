package gocode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// reach is which schemas keyed operations use, and for what. It goes by reachability: counting references keeps whatever
// refers to itself.
type reach struct {
	asked, answered map[*policy.Schema]bool
	order           []*policy.Schema // in which they were found first
	// canon leads from a copy of a named schema, made for a reference with a description or null of its own, to the node
	// that stands for all copies.
	canon map[*policy.Schema]*policy.Schema
	// files are the binary members of multipart bodies.
	files map[*policy.Schema]bool
}

func reachOf(doc *policy.Document) *reach {
	r := &reach{
		asked:    map[*policy.Schema]bool{},
		answered: map[*policy.Schema]bool{},
		files:    map[*policy.Schema]bool{},
		canon:    map[*policy.Schema]*policy.Schema{},
	}
	for _, op := range doc.Keyed() {
		if op.Shape == nil {
			continue
		}
		for i := range op.Shape.Parameters {
			r.walk(op.Shape.Parameters[i].Schema, r.asked)
		}
		if op.Shape.Body != nil {
			for i := range op.Shape.Body.Contents {
				content := &op.Shape.Body.Contents[i]
				r.walk(content.Schema, r.asked)
				if media.Of(content.MediaType) == media.Multipart {
					r.markFiles(content.Schema)
				}
			}
		}
		for i := range op.Shape.Responses {
			for j := range op.Shape.Responses[i].Contents {
				r.walk(op.Shape.Responses[i].Contents[j].Schema, r.answered)
			}
		}
	}
	r.foldCopies()
	return r
}

// foldCopies makes one of the copies of each named schema.
func (r *reach) foldCopies() {
	known := map[string][]*policy.Schema{}
	for _, s := range r.order {
		if s.Name == "" || r.canon[s] != nil {
			continue
		}
		i := slices.IndexFunc(known[s.Name], func(other *policy.Schema) bool { return sameType(s, other) })
		if i < 0 {
			known[s.Name] = append(known[s.Name], s)
			r.canon[s] = s
			continue
		}
		first := known[s.Name][i]
		r.canon[s] = first
		r.asked[first] = r.asked[first] || r.asked[s]
		r.answered[first] = r.answered[first] || r.answered[s]
	}
}

// sameType reports whether two schemas of one name differ only in what stands beside a reference: description, null,
// direction, default, example.
func sameType(a, b *policy.Schema) bool {
	sameRaw := func(x, y json.RawMessage) bool { return bytes.Equal(x, y) }
	return a.Kind == b.Kind && a.Degraded == b.Degraded && a.Format == b.Format && a.Items == b.Items &&
		a.Additional == b.Additional && a.AdditionalAllowed == b.AdditionalAllowed && a.UniqueItems == b.UniqueItems &&
		a.Minimum == b.Minimum && a.Maximum == b.Maximum && a.MultipleOf == b.MultipleOf && a.Pattern == b.Pattern &&
		a.ExclusiveMinimum == b.ExclusiveMinimum && a.ExclusiveMaximum == b.ExclusiveMaximum &&
		sameLimit(a.MinLength, b.MinLength) && sameLimit(a.MaxLength, b.MaxLength) &&
		sameLimit(a.MinItems, b.MinItems) && sameLimit(a.MaxItems, b.MaxItems) &&
		sameLimit(a.MinProperties, b.MinProperties) && sameLimit(a.MaxProperties, b.MaxProperties) &&
		slices.EqualFunc(a.Enum, b.Enum, sameRaw) && slices.Equal(a.Properties, b.Properties)
}

func sameLimit(a, b *int) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// walk adds everything that s is made of to seen. It keeps its own stack: schemas of real documents nest deeply.
func (r *reach) walk(s *policy.Schema, seen map[*policy.Schema]bool) {
	stack := []*policy.Schema{s}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		r.order = append(r.order, s)
		stack = append(stack, s.Items, s.Additional)
		for i := range s.Properties {
			stack = append(stack, s.Properties[i].Schema)
		}
	}
}

// markFiles marks the members of a multipart body that are files, alone or in a list.
func (r *reach) markFiles(s *policy.Schema) {
	if s == nil {
		return
	}
	for i := range s.Properties {
		member := s.Properties[i].Schema
		if member != nil && member.Kind == policy.Array {
			member = member.Items
		}
		if member != nil && member.Kind == policy.String && member.Format == "binary" {
			r.files[member] = true
		}
	}
}

// named returns the named schemas that are reached, sorted by name; of different schemas with one name the one that was
// found first comes first.
func (r *reach) named() []*policy.Schema {
	var found []*policy.Schema
	seen := map[*policy.Schema]bool{}
	for _, s := range r.order {
		if s.Name != "" && r.canon[s] == s && !seen[s] {
			seen[s] = true
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b *policy.Schema) int { return cmp.Compare(a.Name, b.Name) })
	return found
}
