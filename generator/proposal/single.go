package proposal

import (
	"fmt"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Proposal is what is most likely right for one operation that is not decided.
type Proposal struct {
	// Decision is the value of x-idempotency, YAML on one line; Condition says under which condition it is right, and may
	// be empty.
	Decision, Condition string
	// Action is an action of an overlay, YAML without indentation. Where no target reaches the operation, since it stands
	// in another file, it is the member that belongs into that file.
	Action string
}

// For proposes a decision for op, an operation of doc, as [Generate] does.
func For(doc *policy.Document, op *policy.Operation) Proposal {
	declared := op.RequestKeys()
	decided := advice{decision: "optional"}
	if o := whyOpen(doc, op, declared); o != nil {
		decided = o.likely
		if decided.decision == "" { // it stands in another file
			decided = inItsFile(op, declared)
			return Proposal{Decision: decided.decision, Condition: decided.condition, Action: "x-idempotency: " + decided.decision}
		}
	} else if declared[0].Key.Required {
		decided.decision = "required"
	}
	return Proposal{Decision: decided.decision, Condition: decided.condition, Action: Action(op, decided.decision)}
}

func inItsFile(op *policy.Operation, declared []policy.DeclaredKey) advice {
	if len(declared) != 1 {
		_, decided := reasonFor(op)
		return decided
	}
	if declared[0].Key.Required {
		return advice{decision: "required"}
	}
	return advice{decision: "optional"}
}

// Action is an action of an overlay that gives op a value of x-idempotency, which is YAML on one line.
func Action(op *policy.Operation, value string) string {
	return fmt.Sprintf("- target: %s\n  update:\n    x-idempotency: %s\n", scalar(op.JSONPath()), value)
}
