package compat

import "github.com/idemgen/idemgen/runtime/policy"

// Compare returns what is not the same in two versions of a policy: first what belongs to the document, then each operation
// in the order of the new document with those that are gone at the end, then the consumers. The documents are only read, so
// Compare may be called from several goroutines.
//
// What a document does not hold is not compared: one that was read from a published policy has neither guards nor steps, so
// the other one has to be taken as it is published, too.
func Compare(old, current *policy.Document) []Change {
	changes := documentChanges(old, current)
	for _, p := range match(old, current) {
		switch {
		case p.old == nil:
			changes = append(changes, p.added()...)
		case p.new == nil:
			changes = append(changes, p.removed()...)
		default:
			changes = append(changes, p.operationChanges()...)
		}
	}
	return append(changes, consumerChanges(old, current)...)
}

// added and removed leave out what needs no decision: that a GET comes or goes is no matter of repetition.

func (p pair) added() []Change {
	if p.new.Decision == policy.Safe {
		return nil
	}
	return []Change{p.change(ruleOperationAdded, "operation", "", decisionWord(p.new.Decision))}
}

func (p pair) removed() []Change {
	if p.old.Decision == policy.Safe {
		return nil
	}
	rule := ruleOperationGone
	if promiseOf(p.old) != nothing {
		rule = ruleOperationRemoved
	}
	return []Change{p.change(rule, "operation", decisionWord(p.old.Decision), "")}
}
