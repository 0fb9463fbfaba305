package policy

import "time"

// Duration is a time.Duration; the alias keeps literals in generated code short.
type Duration = time.Duration

// Policy is the effective policy of one keyed operation: the members of x-idempotency after profile, document, path item
// and operation have been laid over each other. The zero value of a member means "not set"; a Policy that generated code
// hands to the runtime has every member that the runtime reads, but for Errors, where the runtime's own answers may be left
// out.
type Policy struct {
	// Profile is the profile the values started from.
	Profile string
	Mode    Mode
	Key     Key
	// Scope lists what, beside the key, identifies a record. Its first part is always the principal.
	Scope []ScopePart
	// Retention is how long a record is kept; after it, a key is new again.
	Retention Duration
	// RetryWindow is the longest time that any client or queue goes on retrying; it must be shorter than Retention.
	RetryWindow Duration
	Fingerprint Fingerprint
	Store       StoreRules
	Replay      Replay
	InFlight    InFlight
	Lease       Lease        // lease mode only
	Steps       []string     // lease mode only: recovery points, in order
	Downstream  []Downstream // lease mode only
	Errors      Errors
	Answers     Answers
	Guards      []Guard
	Note        string // free text for the page; CommonMark, untrusted
}

// Mode is how work and record are made one.
type Mode string

// The modes.
const (
	// Transaction commits record, business write and stored answer in one database transaction.
	Transaction Mode = "transaction"
	// LeaseMode commits a record of intent first, for work with external side effects.
	LeaseMode Mode = "lease"
)

// Key says where an idempotency key travels and which keys are well-formed.
type Key struct {
	In       Location
	Name     string // header, query parameter or form field; empty for InBody
	Pointer  string // JSON Pointer (RFC 6901) for InBody
	Required bool
	Format   Format
	// MinLength and MaxLength bound the key, counted in LengthUnit. MaxLength is never 0 in an effective policy.
	MinLength, MaxLength int
	LengthUnit           LengthUnit
	// Pattern is an RE2 expression, unanchored as in JSON Schema; empty when there is none.
	Pattern string
	Syntax  Syntax
	// RefusePersonalData makes a key that holds an e-mail address malformed.
	RefusePersonalData bool
	// FirstSent says that a request also carries the time of its first attempt; the zero value asks for none.
	FirstSent FirstSent
}

// FirstSent is the time of a request's first attempt, sent beside the key as an IMF-fixdate (RFC 9110, section 5.6.7). It
// is required wherever there is a key. A time longer ago than the retention, or further in the future than MaxSkew, is
// answered with Errors.Expired before any work.
type FirstSent struct {
	Header  string // the canonical header name; empty when no time is asked for
	MaxSkew Duration
}

// Location is where a key travels.
type Location string

// The locations.
const (
	InHeader Location = "header"
	InQuery  Location = "query"
	InBody   Location = "body"
	InForm   Location = "form"
)

// Format is a key format.
type Format string

// The formats. UUIDs are compared as sent: two spellings of one UUID are two keys.
const (
	AnyFormat Format = "any"
	UUID      Format = "uuid"
	UUID4     Format = "uuid4"
	UUID5     Format = "uuid5"
	UUID7     Format = "uuid7"
)

// LengthUnit is what key lengths count.
type LengthUnit string

// The units.
const (
	Characters LengthUnit = "characters" // Unicode code points
	Bytes      LengthUnit = "bytes"      // UTF-8 bytes
)

// Syntax is how a header key may be written.
type Syntax string

// The syntaxes.
const (
	// Structured is a Structured Field String (RFC 9651, section 3.3.3), quoted.
	Structured Syntax = "structured"
	// Bare is the unquoted form that nearly every published API uses.
	Bare Syntax = "bare"
	// Either accepts both; the two forms of one key are the same key.
	Either Syntax = "either"
)

// ScopePart is one part of a record's scope: "principal", "operation", "account" (principal without operation),
// "region", or "header:NAME".
type ScopePart string

// The scope parts that have no argument.
const (
	ScopePrincipal ScopePart = "principal"
	ScopeOperation ScopePart = "operation"
	ScopeAccount   ScopePart = "account"
	ScopeRegion    ScopePart = "region"
)

// Header returns the header name of a "header:NAME" part.
func (s ScopePart) Header() (name string, ok bool) {
	const prefix = "header:"
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return string(s[len(prefix):]), true
	}
	return "", false
}

// Fingerprint says what makes two requests with one key the same request. Method, route template, path parameters and
// content type are always part of it.
type Fingerprint struct {
	Body BodyRule
	// Include, when not empty, limits a canonical body to these JSON Pointers; Exclude leaves pointers out. Not both.
	Include, Exclude []string
	Query            bool
	Headers          []string // canonical names, sorted
}

// BodyRule is how a body enters the fingerprint.
type BodyRule string

// The rules.
const (
	CanonicalBody BodyRule = "canonical" // JSON by value, multipart by parts, anything else by bytes
	RawBody       BodyRule = "raw"       // decoded bytes
	NoBody        BodyRule = "none"
)

// StoreRules says which answers are kept.
type StoreRules struct {
	Statuses Statuses
	// Headers are kept on top of the built-in allow-list.
	Headers []string
	// MaxBody is the largest body kept, in bytes; a larger answer leaves a tombstone.
	MaxBody int64
	// OmitBody keeps status and headers only (`body: false`).
	OmitBody bool
}

// Replay says what a repeated request is answered with.
type Replay struct {
	As ReplayKind
	// Header and Value mark a replay; an empty Header means that replays carry no marker.
	Header, Value string
	// Status maps a stored status to the one a replay is sent with, sorted by From.
	Status []StatusChange
}

// StatusChange sends a stored status From as To.
type StatusChange struct{ From, To int }

// ReplayKind is what a replay is made of.
type ReplayKind string

// The kinds.
const (
	Stored  ReplayKind = "stored"  // the first answer, byte for byte
	Current ReplayKind = "current" // rebuilt from the current state
)

// InFlight says what a duplicate gets while the first request still runs.
type InFlight struct {
	Answer     InFlightAnswer
	MaxWait    Duration // Wait: how long; after it the duplicate gets the conflict answer
	RetryAfter Duration // sent with the conflict answer, rounded up to whole seconds
}

// InFlightAnswer is a duplicate's fate.
type InFlightAnswer string

// The answers.
const (
	Wait     InFlightAnswer = "wait"
	Conflict InFlightAnswer = "conflict"
)

// Lease bounds how long a worker may hold a record without a sign of life.
type Lease struct{ Duration, Heartbeat Duration }

// Downstream is an external call and the key it is given.
type Downstream struct {
	Name   string
	Step   string
	Header string
	Format Format
}

// Errors says how the runtime's own answers look.
type Errors struct {
	Missing, Malformed, Mismatch, InFlight, Unavailable, TooLarge ErrorAnswer
	// Expired answers a request whose first attempt is too long ago or in the future; read only where Key.FirstSent is set.
	Expired ErrorAnswer
	// Shape is "problem" (RFC 9457), a provider's body shape, or "template:NAME".
	Shape string
}

// ErrorAnswer is one of the runtime's own answers.
type ErrorAnswer struct {
	Status int
	// Type is a problem type URI or a provider's error type; Code a provider's error code.
	Type, Title, Code string
	Headers           []HeaderValue // sorted by name
}

// HeaderValue is a header that an answer carries.
type HeaderValue struct{ Name, Value string }

// Answers says what the answers to requests with an accepted key carry, beside what the service writes.
type Answers struct {
	// Headers are sent with each such answer, the first and the repeated alike, and never with a refusal; sorted by name.
	// [KeyPlaceholder] in a value stands for the request's key.
	Headers []HeaderValue
}

// KeyPlaceholder stands for the request's key in the value of an answer's header.
const KeyPlaceholder = "{key}"

// Guard is a unique constraint on a business table.
type Guard struct {
	Table   string
	Columns []string
	// On is "conflict" where a violation is a documented business answer, empty for a safety net.
	On string
	// Constraint is the constraint's name, made from table and columns (see [Guard.Name]).
	Constraint string
	Pos        Position
}
