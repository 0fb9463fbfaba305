package audit

import "github.com/idemgen/idemgen/runtime/policy"

// Count is how many questions there are.
const Count = 8

// Questions are what has to be known of an operation before it is repeated.
var Questions = [Count]string{
	"Does it do something that must not be done twice?",
	"Is a key made once per intent, and sent with every attempt?",
	"Is the key looked up for who asks, and checked?",
	"Is the request remembered, and another one with the same key refused?",
	"Is the record made together with the work, or held while the work goes on?",
	"Is it said what a duplicate gets while the first request is at work?",
	"Is it said what is stored, and what becomes of a 5xx?",
	"Is a key remembered longer than anybody retries, and handed on downstream?",
}

// State is how a question is answered.
type State string

// The states.
const (
	Yes State = "yes"
	No  State = "no"
	// Unknown is where the document does not say.
	Unknown State = "unknown"
	// NotAsked is where an earlier answer makes the question pointless.
	NotAsked State = "not asked"
)

// Answer is the answer to one question.
type Answer struct {
	State State
	// Likely is true where the answer follows from names alone.
	Likely bool
	// Why is a clause without a full stop. It holds nothing of the document but plain words, names of headers and members.
	Why string
	// Member is the member of x-idempotency that answers; empty where something else does.
	Member string
	// Pos is where the answer stands.
	Pos policy.Position
}
