package policydoc

import "slices"

// Shared is what the policies of all keyed operations have in common: whole groups, since a sentence leans on the one
// before it. The page says it once.
type Shared struct {
	Groups   []Group
	Refusals []Refusal
}

// share finds what all sections say, and leaves each with what is its own. A single section keeps everything.
func share(sections []Section) Shared {
	var shared Shared
	if len(sections) > 1 {
		shared.Groups = slices.DeleteFunc(slices.Clone(sections[0].Groups), func(g Group) bool {
			return slices.ContainsFunc(sections, func(s Section) bool { return !slices.ContainsFunc(s.Groups, g.same) })
		})
		shared.Refusals = slices.DeleteFunc(slices.Clone(sections[0].Refusals), func(r Refusal) bool {
			return slices.ContainsFunc(sections, func(s Section) bool { return !slices.ContainsFunc(s.Refusals, r.same) })
		})
	}
	for i := range sections {
		s := &sections[i]
		s.Shares = len(shared.Groups) > 0
		s.Own = slices.DeleteFunc(slices.Clone(s.Groups), func(g Group) bool { return slices.ContainsFunc(shared.Groups, g.same) })
		s.OwnRefusals = slices.DeleteFunc(slices.Clone(s.Refusals), func(r Refusal) bool { return slices.ContainsFunc(shared.Refusals, r.same) })
	}
	return shared
}

// same reports whether two groups say the same.
func (g Group) same(other Group) bool {
	return g.Topic == other.Topic && slices.EqualFunc(g.Promises, other.Promises, func(a, b Promise) bool {
		return a.ID == b.ID && a.Text.same(b.Text)
	})
}

// same reports whether two refusals are told in the same words.
func (r Refusal) same(other Refusal) bool {
	return r.Case == other.Case && r.Status == other.Status && r.When.same(other.When) && r.Mark.same(other.Mark) && r.Do.same(other.Do)
}

func (s Sentence) same(other Sentence) bool { return slices.Equal(s.spans, other.spans) }
