package compat

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// pair is one operation in both documents.
type pair struct{ old, new *policy.Operation }

// row is what one member of a policy means when it changes.
type row struct {
	// fields are the fields of policy.Policy that the member is held in, as "Key.MaxLength".
	fields []string
	// member is its path in x-idempotency.
	member string
	// value writes it as x-idempotency has it. Two policies whose values are written alike do not differ in the member.
	value func(*policy.Policy) string
	// context says within what the member is read, and is empty where it is not read at all; nil where it always is. A
	// member whose context changes came or went with another one, which has a row of its own, and is not told of twice.
	context func(*policy.Operation) string
	judge   func(pair) Rule
	// at finds the places of what changed, for members that hold several things; nil for the member's own place.
	at func(pair) (before, after policy.Position)
}

// rows has a row for each member of a policy. table_test.go holds it against policy.Policy.
var rows = slices.Concat(modeRows, keyRows, scopeRows, timeRows, fingerprintRows, storeRows, replayRows, inFlightRows, leaseRows, errorRows, answerRows, guardRows, proseRows)

// changes are the members in which the policies of a keyed operation differ, in the order of the rows.
func (p pair) changes() []Change {
	var changes []Change
	for _, r := range rows {
		before, after := r.value(&p.old.Policy), r.value(&p.new.Policy)
		if before == after {
			continue
		}
		rule, told := r.ruleFor(p)
		if !told {
			continue
		}
		change := p.change(rule, r.member, before, after)
		change.OldPos, change.NewPos = p.old.MemberPosition(r.positionOf(&p.old.Policy)), p.new.MemberPosition(r.positionOf(&p.new.Policy))
		if r.at != nil {
			if before, after := r.at(p); before.IsValid() || after.IsValid() {
				change.OldPos, change.NewPos = orPosition(before, change.OldPos), orPosition(after, change.NewPos)
			}
		}
		changes = append(changes, change)
	}
	return changes
}

// ruleFor judges a member that differs. told is false where another member's change says it already.
func (r *row) ruleFor(p pair) (rule Rule, told bool) {
	if r.context == nil {
		return r.judge(p), true
	}
	before, after := r.context(p.old), r.context(p.new)
	switch {
	case before != after:
		return Rule{}, false
	case before == "":
		return ruleUnread, true
	default:
		return r.judge(p), true
	}
}

// positionOf is the member to look the place up by: of a key's place, the one that a policy of that kind has.
func (r *row) positionOf(p *policy.Policy) string {
	if r.member != "key.in" {
		return r.member
	}
	if p.Key.In == policy.InBody {
		return "key.pointer"
	}
	return "key.name"
}

// change begins a change of the operation.
func (p pair) change(rule Rule, member, before, after string) Change {
	op := p.new
	if op == nil {
		op = p.old
	}
	c := Change{
		Rule: rule, Member: member, Old: before, New: after,
		Operation: &Operation{ID: op.ID, Method: op.Method, Path: op.Path, Webhook: op.Webhook},
	}
	if p.old != nil {
		c.OldPos = p.old.Pos
	}
	if p.new != nil {
		c.NewPos = p.new.Pos
	}
	return c
}

func orPosition(at, other policy.Position) policy.Position {
	if at.IsValid() {
		return at
	}
	return other
}

// within is a context of one word.
func within(reads func(*policy.Operation) bool) func(*policy.Operation) string {
	return func(op *policy.Operation) string {
		if reads(op) {
			return "read"
		}
		return ""
	}
}

// always judges a member whose change means the same whatever its values are.
func always(rule Rule) func(pair) Rule { return func(pair) Rule { return rule } }

// grown judges a number by whether it went up.
func grown[T ~int | ~int64](number func(*policy.Policy) T, up, down Rule) func(pair) Rule {
	return func(p pair) Rule {
		if number(&p.new.Policy) > number(&p.old.Policy) {
			return up
		}
		return down
	}
}

// turned judges a yes or no.
func turned(is func(*policy.Policy) bool, on, off Rule) func(pair) Rule {
	return func(p pair) Rule {
		if is(&p.new.Policy) {
			return on
		}
		return off
	}
}

var ruleUnread = editorial("member-not-read",
	"The member is not read in this policy, neither before nor after")
