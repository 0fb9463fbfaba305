package runtime

import (
	"context"
	"net/http"
	"time"
)

// ID identifies a record: a key within a scope. A record is never looked up by key alone.
type ID struct {
	// Scope is the canonical text of the scope's parts, each length-prefixed, so that no two scopes share a text.
	Scope string
	// Key is the client's key, decoded.
	Key string
}

// Record is what a store keeps of one completed request.
type Record struct {
	// Operation is the operation's id: under an account-wide scope it tells whose answer this is.
	Operation string
	// FingerprintVersion and Fingerprint identify the request that made the record.
	FingerprintVersion int
	Fingerprint        []byte
	// Attempt is a random token of the attempt that wrote the record. It lets that attempt recognise its own row after a
	// commit whose outcome it could not see.
	Attempt [16]byte
	Status  int
	// Header holds the allow-listed headers only.
	Header http.Header
	// Body is the exact body; nil unless BodyState is BodyStored.
	Body      []byte
	BodyState BodyState
	// Unreadable is why a part of what is stored cannot be read, such as a body whose seal's key is gone; Body is nil then, and
	// so is Header where that is damaged. The request was carried out all the same. A store sets it, and ignores it in what it
	// is given.
	Unreadable error
	// Retention is how long the store keeps the record, counted by the store's own clock from the commit statement on.
	Retention time.Duration
	// CreatedAt and ExpiresAt are set by the store.
	CreatedAt, ExpiresAt time.Time
}

// BodyState says what became of an answer's body.
type BodyState int16

// The states. Their numbers are stored: never renumber them.
const (
	BodyStored   BodyState = 0 // kept whole, possibly empty
	BodyOmitted  BodyState = 1 // not kept, by policy
	BodyTooLarge BodyState = 2 // over the limit: the record is a tombstone
)

// Store keeps records and opens the transactions in which they are written together with the work they stand for. TX is
// what a handler is given to work with: pgx.Tx for pgstore.
//
// A store is safe for concurrent use. Package storetest is the conformance suite for any implementation.
type Store[TX any] interface {
	// Claim opens a transaction, tries to win id in it and looks for a live record, in as few round trips as the engine
	// allows. wait bounds how long the transaction of another process is awaited; 0 asks for an answer at once. While it
	// waits it holds one connection at most.
	//
	// ctx bounds the claim and not the transaction that it opens.
	//
	// An error means that nothing was won and no transaction is open; the caller answers 503 and does not run the work. One that
	// is [ErrUnreadable] says that there is a record.
	Claim(ctx context.Context, id ID, wait time.Duration) (Claim[TX], error)

	// Begin opens a transaction without any claim, for a request that carries no key where the key is optional. ctx does
	// not bound the transaction.
	Begin(ctx context.Context) (Work[TX], error)

	// Retryable reports whether err, returned by the handler's own statements, is cured by running the work again in a
	// new transaction: a serialization failure or a deadlock (SQLSTATE 40001, 40P01).
	Retryable(err error) bool

	// Violation returns the name of the unique constraint that err says was violated.
	Violation(err error) (constraint string, ok bool)
}

// Claim is the outcome of [Store.Claim]. At most one of its fields is set: Work, where the id was won and the caller must
// end the work by Commit or Rollback; Record, where a live record exists and no transaction is open; Progress, where an
// operation in lease mode holds the id, which can be under an account-wide scope only, and no transaction is open. None of
// them: another transaction holds the id and did not end within the wait.
type Claim[TX any] struct {
	Work     Work[TX]
	Record   *Record
	Progress *Progress
}

// Work is an open transaction. It is used by one goroutine and ended once; Rollback after the end is free and returns nil.
type Work[TX any] interface {
	// Tx is what the handler works with. It cannot end the transaction itself.
	Tx() TX

	// Commit writes rec and commits, both or neither. rec is nil for work begun without a claim. The errors
	// [ErrLostRace], [ErrSerialization], [ErrCommitUnknown], [ErrUnrecorded] and [ErrAborted] tell what to do; in all cases
	// but ErrCommitUnknown and ErrUnrecorded nothing was committed.
	Commit(ctx context.Context, rec *Record) error

	// Rollback undoes everything. It works with a context of its own when ctx is already done.
	Rollback(ctx context.Context) error
}

// What a commit and a look can come to. Stores wrap them; test with errors.Is.
var (
	// ErrLostRace: another transaction committed a record for the same id first. Look again and replay it.
	ErrLostRace = Explain("another transaction committed this key first", nil)
	// ErrSerialization: the database asks for the transaction to be run again (40001, 40P01).
	ErrSerialization = Explain("the transaction has to be run again", nil)
	// ErrCommitUnknown: the connection was lost while the commit was under way; it may or may not have happened.
	ErrCommitUnknown = Explain("the outcome of the commit is unknown", nil)
	// ErrUnrecorded: the transaction ended without a record, by something that the store has no hand in, and what the handler
	// did may stand. The request must not be run again.
	ErrUnrecorded = Explain("what the handler did may stand without a record", nil)
	// ErrUnreadable: there is a record, and not even what it is can be read. What it stands for may have been done. It is an
	// error of claims and looks; a record of which a part can be read is returned, with its Unreadable.
	ErrUnreadable = Explain("there is a record, and it cannot be read", nil)
	// ErrAborted: a statement of the handler failed and the handler went on as if it had not; nothing can be committed.
	ErrAborted = Explain("the transaction was aborted by an earlier statement", nil)
)
