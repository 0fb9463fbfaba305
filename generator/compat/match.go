package compat

import (
	"regexp"

	"github.com/idemgen/idemgen/runtime/policy"
)

// match finds each operation of the old document in the new one: by method and path, then by a path whose parameters have
// other names, then by its id. An operation that is in one document only has nil for the other. The pairs are in the order
// of the new document, those that are gone last; documents the other way round give the same pairs.
func match(old, current *policy.Document) []pair {
	m := matching{partner: map[*policy.Operation]*policy.Operation{}}
	m.by(old, current, func(op *policy.Operation) string { return identity(op) + place(op) })
	m.by(old, current, func(op *policy.Operation) string { return identity(op) + op.Method + " " + route(op) })
	m.by(old, current, func(op *policy.Operation) string {
		if op.IDMade || op.ID == "" {
			return ""
		}
		return identity(op) + op.ID
	})
	var pairs []pair
	for i := range current.Operations {
		op := &current.Operations[i]
		pairs = append(pairs, pair{m.partner[op], op})
	}
	for i := range old.Operations {
		if op := &old.Operations[i]; m.partner[op] == nil {
			pairs = append(pairs, pair{op, nil})
		}
	}
	return pairs
}

// matching knows the partner of each operation that has one, in both directions.
type matching struct {
	partner map[*policy.Operation]*policy.Operation
}

// by pairs the operations that are left and have one name in common, where each document has the name once.
func (m matching) by(old, current *policy.Document, name func(*policy.Operation) string) {
	before, after := m.left(old, name), m.left(current, name)
	for key, ops := range before {
		if others := after[key]; len(ops) == 1 && len(others) == 1 {
			m.partner[ops[0]], m.partner[others[0]] = others[0], ops[0]
		}
	}
}

func (m matching) left(doc *policy.Document, name func(*policy.Operation) string) map[string][]*policy.Operation {
	left := map[string][]*policy.Operation{}
	for i := range doc.Operations {
		op := &doc.Operations[i]
		if key := name(op); key != "" && m.partner[op] == nil {
			left[key] = append(left[key], op)
		}
	}
	return left
}

// identity keeps operations and webhooks apart.
func identity(op *policy.Operation) string {
	if op.Webhook {
		return "webhook "
	}
	return "operation "
}

var parameterName = regexp.MustCompile(`\{[^{}]*\}`)

// route is the path without the names of its parameters.
func route(op *policy.Operation) string {
	if op.Webhook {
		return op.Path
	}
	return parameterName.ReplaceAllString(op.Path, "{}")
}
