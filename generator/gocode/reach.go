package gocode

import (
	"cmp"
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// reach is which schemas keyed operations use, and for what. It goes by reachability: counting references keeps whatever
// refers to itself.
type reach struct {
	asked, answered map[*policy.Schema]bool
	order           []*policy.Schema // in which they were found first
	// files are the binary members of multipart bodies.
	files map[*policy.Schema]bool
}

func reachOf(doc *policy.Document) reach {
	r := reach{
		asked:    map[*policy.Schema]bool{},
		answered: map[*policy.Schema]bool{},
		files:    map[*policy.Schema]bool{},
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
				if kindOf(content.MediaType) == multipartMedia {
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
	return r
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
func (r reach) markFiles(s *policy.Schema) {
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

// named returns the named schemas that are reached, sorted by name; of equal names the one found first comes first.
func (r reach) named() []*policy.Schema {
	var found []*policy.Schema
	seen := map[*policy.Schema]bool{}
	for _, s := range r.order {
		if s.Name != "" && !seen[s] {
			seen[s] = true
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b *policy.Schema) int { return cmp.Compare(a.Name, b.Name) })
	return found
}
