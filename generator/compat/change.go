package compat

import (
	"github.com/idemgen/idemgen/runtime/policy"
)

// Kind is how much a change weighs.
type Kind string

// The kinds, the heaviest first.
const (
	// Breaking: what somebody did rightly by the old policy goes wrong under the new one.
	Breaking Kind = "breaking"
	// Compatible: what was right by the old policy stays right.
	Compatible Kind = "compatible"
	// Editorial: nothing that a request, an answer or work in progress could show.
	Editorial Kind = "editorial"
)

// Kinds returns the kinds, the heaviest first.
func Kinds() []Kind { return []Kind{Breaking, Compatible, Editorial} }

// Affected is who notices a change.
type Affected string

// Who notices a change.
const (
	// Clients are those who call the API by the old policy.
	Clients Affected = "clients"
	// Retries are the requests that were sent before the change and are sent again after it, within their retention.
	Retries Affected = "retries"
	// Running is work in lease mode that is in progress while the change is deployed.
	Running Affected = "running work"
	// Consumers are the consumers of a queue.
	Consumers Affected = "consumers"
)

// Operation names an operation. ID, Method and Path are those of the new document, and of the old one where the new one
// has no such operation.
type Operation struct {
	ID, Method, Path string
	Webhook          bool
}

// Change is one member that is not the same in two policies.
type Change struct {
	Rule
	// Operation is what the member belongs to; nil for what belongs to the document.
	Operation *Operation
	// Member is the member's dotted path within x-idempotency, for example "key.maxLength", or what else has changed:
	// "operation", "operationId", "decision", "requestTypes", "consumers.settlement.retention".
	Member string
	// Old and New are the values as x-idempotency would have them, on one line; empty for none.
	Old, New string
	// OldPos and NewPos are where the values stand; the place of the operation where nearer ones are not known, the zero
	// Position where the document has nothing to point at.
	OldPos, NewPos policy.Position
}

// Count returns how many changes are of a kind.
func Count(changes []Change, kind Kind) int {
	n := 0
	for i := range changes {
		if changes[i].Kind == kind {
			n++
		}
	}
	return n
}
