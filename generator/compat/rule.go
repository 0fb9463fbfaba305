package compat

import (
	"slices"
	"strings"
)

// Rule is one way in which a policy can change. Its ID is stable: scripts, documentation and tests name it.
type Rule struct {
	ID   string
	Kind Kind
	// Affects says who notices, most concerned first; empty where nobody does.
	Affects []Affected
	// Text tells in a sentence what the change does to them.
	Text string
	// Hint says how the change can be made without breaking anybody, or how it hurts least; empty where nothing breaks.
	Hint string
	// Needs are the steps of operation that the change asks for.
	Needs []Need
}

// Need is something to be done beside deploying the new policy: a migration, or a matter of order.
type Need struct {
	// ID is stable.
	ID string
	// Before is true for what is done before the new policy is served, false for what is done after.
	Before bool
	// Text says what is to be done; See is the page and section that explains it, within docs.
	Text, See string
}

// Rules returns every rule, sorted by ID.
func Rules() []Rule {
	sorted := slices.Clone(rules)
	slices.SortFunc(sorted, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return sorted
}

// Needs returns every need that a rule can have, sorted by ID.
func Needs() []Need {
	var all []Need
	for _, r := range rules {
		all = append(all, r.Needs...)
	}
	slices.SortFunc(all, func(a, b Need) int { return strings.Compare(a.ID, b.ID) })
	return slices.Compact(all)
}

var rules []Rule

// breaking, compatible and editorial enter a rule into the list.

func breaking(id, text, hint string, affects ...Affected) Rule {
	return enter(Rule{ID: id, Kind: Breaking, Text: text, Hint: hint, Affects: affects})
}

func compatible(id, text string, affects ...Affected) Rule {
	return enter(Rule{ID: id, Kind: Compatible, Text: text, Affects: affects})
}

func editorial(id, text string) Rule {
	return enter(Rule{ID: id, Kind: Editorial, Text: text})
}

func enter(r Rule) Rule {
	rules = append(rules, r)
	return r
}

// needing enters a rule again, with what it needs.
func needing(r Rule, needs ...Need) Rule {
	r.Needs = needs
	rules[slices.IndexFunc(rules, func(known Rule) bool { return known.ID == r.ID })] = r
	return r
}

// The needs.
var (
	needQuiet = Need{"quiet-hour", true,
		"Change it while few requests are retried, on all processes at once: only a retry that crosses the change is hurt", "operations.md#upgrading"}
	needDrained = Need{"no-work-in-progress", true,
		"Change it while no work of the operation is in progress, as idemgen records count shows, and while no old process begins more", "operations.md#upgrading"}
	needLeaseSchema = Need{"lease-schema", true,
		"Apply schema step 2 before the new programs start; idemgen generate writes it as a migration where the folder lacks it", "operations.md#upgrading"}
	needLeaseRollout = Need{"lease-rollout", true,
		"Have every process that serves the operation run a program that knows lease mode, and recovery run somewhere, before one serves it by lease", "operations.md#upgrading"}
	needAnnouncement = Need{"announce-retention", true,
		"Publish the shorter time first, and serve it when the longest retry by the old one is over; records that are there keep their own time", "operations.md#changing-retention"}
	needOldRecords = Need{"old-records", false,
		"Records made before the change keep the shorter time: rely on the longer one when they are gone", "operations.md#changing-retention"}
	needGuardRows = Need{"guard-rows", true,
		"Mend the rows that break the new constraint, then apply the migration that idemgen generate writes: it fails while there are any", "extension.md#members"}
	needGuardDropped = Need{"guard-dropped", false,
		"The constraint stays in the database until a migration of your own drops it, with the line -- idemgen:dropped and its name", "extension.md#members"}
)
