package effect

import "github.com/idemgen/idemgen/runtime/policy"

// Kind is what an operation does.
type Kind string

// The kinds.
const (
	// Unknown is where nothing says what a repeat does.
	Unknown Kind = "unknown"
	// Read changes nothing: a search that is sent as a POST for its long query.
	Read Kind = "read"
	// End finds its work done when it is repeated: cancel, delete, close.
	End Kind = "end"
	// Set sets values, which a repeat sets again.
	Set Kind = "set"
	// Relative changes a value relative to what it was, which a repeat does again.
	Relative Kind = "relative"
	// Money moves money, Order orders something, Message reaches people, Provision sets up something that costs.
	Money     Kind = "money"
	Order     Kind = "order"
	Message   Kind = "message"
	Provision Kind = "provision"
	// Create makes something new, a second one when it is repeated.
	Create Kind = "create"
)

// Effect is what an operation is taken to do, and why.
type Effect struct {
	Kind Kind
	// Why is a clause without a full stop: "the word refund in its path suggests that it may move money twice when it is
	// repeated". It holds words of this package's tables, names of body members and statuses only.
	Why string
	// Pos is where the word or member stands; the operation's own place for its names.
	Pos policy.Position
}

// Repeats reports whether a second run of the kind is likely to do something a second time.
func (k Kind) Repeats() bool {
	switch k {
	case Relative, Money, Order, Message, Provision, Create:
		return true
	}
	return false
}

// does completes "the word suggests that it ...".
var does = map[Kind]string{
	Read:      "changes nothing",
	End:       "finds its work done when it is repeated",
	Set:       "sets values, which a repeat sets again",
	Relative:  "may change a value relative to what it was, which a repeat does again",
	Money:     "may move money twice when it is repeated",
	Order:     "may order or deliver twice when it is repeated",
	Message:   "may send or call twice when it is repeated",
	Provision: "may provision a second one when it is repeated",
	Create:    "may create a second one when it is repeated",
}
