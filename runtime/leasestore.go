package runtime

import (
	"context"
	"time"
)

// LeaseStore is a [Store] that also keeps work in progress, for operations in lease mode: a record of intent that is
// committed before the work begins, is held under a lease while the work goes on over several transactions and external
// calls, and becomes the complete record with the last of them.
//
// All times are the store's own clock, read when the statement runs and not when its transaction began. A record in
// progress does not expire: it is completed, released, or taken over.
type LeaseStore[TX any] interface {
	Store[TX]

	// ClaimLease commits the intent to do what id stands for, in a transaction of its own. Where there is no record, and
	// where an expired one was, the caller holds it with epoch 1. Where there is one in progress whose lease is over and
	// whose fingerprint is the intent's, the caller takes it over: by compare-and-set on the epoch, which goes up by one.
	//
	// It recognises its own row by intent.Owner, so that a claim whose commit was lost can be made again and is held then.
	// What another transaction holds and has not committed yet is awaited for a moment; then the error is [ErrBusy]. One that
	// is [ErrCommitUnknown] says that the claim may stand; after any other nothing was claimed. [ErrUnreadable] is as for
	// [Store.Claim].
	ClaimLease(ctx context.Context, id ID, intent *Intent) (LeaseClaim, error)

	// Look reads what there is under id, without a lock: neither field is set where there is nothing live.
	Look(ctx context.Context, id ID) (Look, error)

	// Renew lets the lease end d from now. [ErrLeaseLost] says that the record is not in progress under fence any more. ctx lasts
	// as long as the worker can believe that it holds the lease, so that a renewal keeps its place in a queue for a connection;
	// what it then sends, the store bounds by a part of d, after which another connection is tried.
	Renew(ctx context.Context, id ID, fence Fence, d time.Duration) error

	// BeginFenced opens a transaction for a write that is to count only under fence. ctx does not bound the transaction.
	BeginFenced(ctx context.Context, id ID, fence Fence) (FencedWork[TX], error)

	// Advance writes what to says, fenced, with no work of the caller's. It can be repeated: where the same write has
	// happened already it returns nil.
	Advance(ctx context.Context, id ID, fence Fence, to *Advance) error

	// Yield gives the work up without an end: its lease is over after the given time, from when on anybody may take it
	// over. It is fenced.
	Yield(ctx context.Context, id ID, fence Fence, after time.Duration) error

	// Release removes a record in progress, so that the next request with its id is the first again. It is for work that
	// has had no effect, and is fenced.
	Release(ctx context.Context, id ID, fence Fence) error

	// TakeOver takes over up to limit records whose lease is over, of the given operations, and gives each a lease as long
	// as its operation says. Those that another call holds at the moment are left out and not waited for.
	TakeOver(ctx context.Context, operations []OperationLease, limit int) ([]Held, error)

	// Backlog counts the records in progress of the given operations.
	Backlog(ctx context.Context, operations []string) (Backlog, error)
}

// Intent is what a claim in lease mode commits before the work begins.
type Intent struct {
	Operation          string
	FingerprintVersion int
	Fingerprint        []byte
	// Owner is a random token of this attempt.
	Owner [16]byte
	// Lease is how long the record is held without a sign of life.
	Lease time.Duration
	// Request is the request itself, encoded, so that it can be run again without its client.
	Request []byte
}

// Fence is what makes a write count only while its worker holds the record. A record is given to another worker under
// another epoch; whatever a worker with an older one writes changes nothing.
type Fence struct {
	Epoch int64 // from 1 on
	Owner [16]byte
}

// LeaseClaim is the outcome of [LeaseStore.ClaimLease]. Exactly one of its fields is set.
type LeaseClaim struct {
	// Held: the caller holds the record and does the work.
	Held *Held
	// Record: the work is done.
	Record *Record
	// Progress: another worker does it, or it is in progress for another request.
	Progress *Progress
}

// Held is a record in progress that the caller holds.
type Held struct {
	ID    ID
	Fence Fence
	// Operation, FingerprintVersion, Fingerprint and Request are the first request's.
	Operation          string
	FingerprintVersion int
	Fingerprint        []byte
	Request            []byte
	// Steps are the steps that are done, in order.
	Steps     []StepResult
	CreatedAt time.Time
	// Unreadable is why Request and Steps, which are nil then, cannot be read at the moment. The work is yielded.
	Unreadable error
}

// StepResult is a step that is done. It is never run again.
type StepResult struct {
	Name   string
	Result []byte      // encoded
	kept   *keptResult // nil but for a store that [Sealed] made
}

// Progress is a record in progress as seen by somebody who does not hold it.
type Progress struct {
	Operation          string
	FingerprintVersion int
	Fingerprint        []byte
	Fence              Fence
	Steps              []StepResult
	CreatedAt          time.Time
	// Unreadable is why Steps, which are nil then, cannot be read.
	Unreadable error
	// Left is what is left of the lease; 0 where it is over.
	Left time.Duration
}

// Look is the outcome of [LeaseStore.Look]. At most one of its fields is set.
type Look struct {
	Record   *Record
	Progress *Progress
}

// Advance is how far a fenced write brings a record: Record completes it; without one, Steps are all that are done so far,
// and the lease ends Lease from now. Those that are stored have to be the beginning of Steps; otherwise nothing is written, and
// the error is none of those that have a name.
type Advance struct {
	Steps  []StepResult
	Lease  time.Duration
	Record *Record
}

// FencedWork is an open transaction of a worker that holds a record. It is used by one goroutine and ended once; Rollback
// after the end is free and returns nil.
type FencedWork[TX any] interface {
	// Tx is what the handler works with. It cannot end the transaction itself.
	Tx() TX
	// Commit writes to and commits, both or neither. [ErrLeaseLost]: nothing was committed, the record is somebody else's
	// now. [ErrCommitUnknown], [ErrSerialization], [ErrAborted] and [ErrUnrecorded] are as for [Work.Commit].
	Commit(ctx context.Context, to *Advance) error
	// Rollback undoes everything. It works with a context of its own when ctx is already done.
	Rollback(ctx context.Context) error
}

// OperationLease is how long a taken-over record of an operation is held.
type OperationLease struct {
	Operation string
	Lease     time.Duration
}

// Backlog is how much work is in progress, and how much of it nobody does.
type Backlog struct {
	InProgress, Overdue int64
	// OldestOverdue is how long ago the lease that ended first ended; 0 without any.
	OldestOverdue time.Duration
}

// ErrLeaseLost: the record is held by another worker, or complete. Nothing that this worker still writes counts.
var ErrLeaseLost = Explain("the lease was lost; another worker may have taken the work over", nil)

// ErrBusy: a transaction that has not ended holds the id, so it cannot be told yet what there is. Nothing was claimed.
var ErrBusy = Explain("another transaction holds this key and has not ended", nil)
