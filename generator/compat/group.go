package compat

import "slices"

// Group is one change that several operations have alike, as when a default of the document's changes.
type Group struct {
	// Change is that of the first operation.
	Change
	// Operations are those that have it, in the order of the changes; empty for what belongs to the document.
	Operations []Operation
}

// Grouped joins changes that differ in their operation and place only, the heaviest kind first, otherwise in the order of
// the first of each.
func Grouped(changes []Change) []Group {
	type alike struct{ rule, member, old, new string }
	index := map[alike]int{}
	var groups []Group
	for _, c := range changes {
		if c.Operation == nil {
			groups = append(groups, Group{Change: c})
			continue
		}
		key := alike{c.ID, c.Member, c.Old, c.New}
		i, known := index[key]
		if !known {
			i = len(groups)
			index[key] = i
			groups = append(groups, Group{Change: c})
		}
		groups[i].Operations = append(groups[i].Operations, *c.Operation)
	}
	weight := func(g Group) int { return slices.Index(Kinds(), g.Kind) }
	slices.SortStableFunc(groups, func(a, b Group) int { return weight(a) - weight(b) })
	return groups
}

// NeedsOf are the needs of changes, each once with the operations that have it: those before the change first, otherwise
// in the order of the changes. A need of what belongs to the document has no operation.
func NeedsOf(changes []Change) []NeedOf {
	var needs []NeedOf
	for _, c := range changes {
		for _, need := range c.Needs {
			i := slices.IndexFunc(needs, func(n NeedOf) bool { return n.ID == need.ID })
			if i < 0 {
				i = len(needs)
				needs = append(needs, NeedOf{Need: need})
			}
			if op := c.Operation; op != nil && !slices.Contains(needs[i].Operations, *op) {
				needs[i].Operations = append(needs[i].Operations, *op)
			}
		}
	}
	slices.SortStableFunc(needs, func(a, b NeedOf) int {
		switch {
		case a.Before == b.Before:
			return 0
		case a.Before:
			return -1
		default:
			return 1
		}
	})
	return needs
}

// NeedOf is a need and the operations that have it.
type NeedOf struct {
	Need
	Operations []Operation
}
