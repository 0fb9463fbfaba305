package compat

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleGuardRuleAdded = needing(breaking("guard-rule-added",
		"What could be done several times, with a key each, is done once: a client that does it again is refused with 409",
		"refuse it in a new operation, or say so before it is refused", Clients), needGuardRows)
	ruleGuardRuleRemoved = needing(breaking("guard-rule-removed",
		"What was refused when it was done before is done again: a client that relies on the refusal does it twice",
		"keep the rule, or name another operation that tells whether it was done", Clients), needGuardDropped)
	ruleGuardNetAdded = needing(compatible("guard-net-added",
		"A second row of one request is refused by the table as well", Clients), needGuardRows)
	ruleGuardNetRemoved = needing(compatible("guard-net-removed",
		"The table does not refuse a second row of one request any more; the key does, while it is remembered", Clients), needGuardDropped)
	ruleGuardOrder = needing(compatible("guard-order",
		"The same rows are refused, by a constraint of another name", Clients), needGuardRows, needGuardDropped)
	ruleGuardAnswer = compatible("guard-answer",
		"The same rows are refused; whether the policy names the answer has changed", Clients)
	ruleGuardsChanged = needing(breaking("guards-changed",
		"What is done once only is another thing: a client is refused with 409 what it could do, or does again what was refused",
		"add the new rule first, and take the old one away when nothing relies on it", Clients), needGuardRows, needGuardDropped)
)

var guardRows = []row{{
	fields: []string{"Guards"}, member: "guard",
	value: func(p *policy.Policy) string {
		entries := make([]string, len(p.Guards))
		for i, g := range p.Guards {
			entries[i] = guardText(g)
		}
		slices.Sort(entries)
		return list(entries)
	},
	judge: judgeGuards,
	at: func(p pair) (before, after policy.Position) {
		added, removed := guardSets(p)
		if len(removed) > 0 {
			before = removed[0].Pos
		}
		if len(added) > 0 {
			after = added[0].Pos
		}
		return before, after
	},
}}

func judgeGuards(p pair) Rule {
	added, removed := guardSets(p)
	isRule := func(g policy.Guard) bool { return g.On != "" }
	switch {
	case sameRows(added, removed, false):
		return ruleGuardAnswer
	case sameRows(added, removed, true):
		return ruleGuardOrder
	case len(added) > 0 && len(removed) > 0:
		return ruleGuardsChanged
	case slices.ContainsFunc(added, isRule):
		return ruleGuardRuleAdded
	case len(added) > 0:
		return ruleGuardNetAdded
	case slices.ContainsFunc(removed, isRule):
		return ruleGuardRuleRemoved
	default:
		return ruleGuardNetRemoved
	}
}

// guardSets are the guards that only one of the policies has.
func guardSets(p pair) (added, removed []policy.Guard) {
	without := func(guards, others []policy.Guard) []policy.Guard {
		return slices.DeleteFunc(slices.Clone(guards), func(g policy.Guard) bool {
			return slices.ContainsFunc(others, func(o policy.Guard) bool { return guardText(o) == guardText(g) })
		})
	}
	return without(p.new.Policy.Guards, p.old.Policy.Guards), without(p.old.Policy.Guards, p.new.Policy.Guards)
}

// guardText is a guard as x-idempotency has it. The order of its columns is that of an index, and counts.
func guardText(g policy.Guard) string {
	entry := []string{"table: " + orEmpty(quoted(g.Table)), "columns: " + orEmpty(array(g.Columns))}
	if g.On != "" {
		entry = append(entry, "on: "+quoted(g.On))
	}
	return "{" + strings.Join(entry, ", ") + "}"
}

// sameRows reports whether two lists of guards refuse the same rows: whatever their answers are or, with anyOrder, whatever
// the order of their columns is.
func sameRows(a, b []policy.Guard, anyOrder bool) bool {
	rows := func(guards []policy.Guard) []string {
		texts := make([]string, len(guards))
		for i, g := range guards {
			if anyOrder {
				g.Columns = slices.Sorted(slices.Values(g.Columns))
			} else {
				g.On = ""
			}
			texts[i] = guardText(g)
		}
		slices.Sort(texts)
		return texts
	}
	return slices.Equal(rows(a), rows(b))
}
