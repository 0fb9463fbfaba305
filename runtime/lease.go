package runtime

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Lease is the work in progress of one request in lease mode, in the hands of its handler. The handler does its work in
// steps: a step that is done has its result stored and is never run again, by whichever worker, in whichever process. It
// is used by one goroutine, and not after the handler has returned.
//
// Steps are run in the policy's order, each at most once; some may be left out. A handler that is run again takes the way
// that it took before: the work does not go on past a step that it leaves out then, and an earlier worker has done. Of an
// external one that it may have begun, the reconcile function is asked. Where a step is out of order or the lease is
// used in another way that it is not made for, an [Explained] error says so and nothing is done.
type Lease[TX any] struct {
	call      *Call[TX]
	store     LeaseStore[TX]
	work      LeaseWork[TX]
	held      *Held
	keys      derivation
	keeper    *keeper
	ctx       context.Context         // the handler's; ends with the lease
	stop      context.CancelCauseFunc // ends ctx
	recovered bool                    // nobody waits for the answer
	unfollow  func() bool             // has ctx no longer end with the client; false where it has ended so already

	mu    sync.Mutex // of what follows
	busy  bool       // a method of the handler's is under way
	ended bool       // the handler has returned
	left  bool       // nobody waits for the handler any more
	steps []StepResult
	next  int             // index of the first step that may be run
	asked map[string]bool // the steps about which the other side has been asked, and knew nothing
	met   bool            // this run has come to a step that an earlier worker may have begun
	// effects: what was done under this record may have had an effect, so that it cannot be forgotten.
	effects bool
	open    string // the external step whose outcome nobody knows
	fate    fate   // of the last commit
	lost    bool   // the store has said so
	late    bool   // the record was made too late, and nothing is known to have been done: nothing begins
	over    bool   // by late: the work ends here, and its record is removed
	down    bool   // the store did not begin a transaction
	answer  *Response
	record  *Record  // of answer; nil where the policy does not keep it
	pending Response // of record, while it is not known whether that was committed
}

// fate is what is known of a commit.
type fate byte

const (
	fateCertain fate = iota
	fateUnknown
	fateUnrecorded // it may stand, and the record does not tell
)

// LocalStep is a step whose effects are in the store's own database. See [DoLocal].
type LocalStep[TX any] struct {
	lease *Lease[TX]
	name  string
}

// ExternalStep is a step that calls somebody else. See [DoExternal].
type ExternalStep[TX any] struct {
	lease *Lease[TX]
	name  string
}

// Local returns the step with the given name; generated code has a method for each.
func (l *Lease[TX]) Local(name string) LocalStep[TX] { return LocalStep[TX]{l, name} }

// External returns the step with the given name; generated code has a method for each.
func (l *Lease[TX]) External(name string) ExternalStep[TX] { return ExternalStep[TX]{l, name} }

// Outbound is what a step's external call is given: the idempotency keys to send.
type Outbound struct {
	// Step is the step's name.
	Step string
	keys []DownstreamKey
}

// DownstreamKey is the key for one call of a step. It is derived from scope, key, operation, step and name alone: every
// attempt in every process sends the same.
type DownstreamKey struct {
	// Name is the downstream's name in the policy, Header the header that its key travels in, "" where it has none.
	Name, Header, Key string
}

// Key is the key of the step's only downstream call, or of its first.
func (o *Outbound) Key() string { return o.keys[0].Key }

// Keys are the keys of all downstream calls of the step, in the policy's order.
func (o *Outbound) Keys() []DownstreamKey { return o.keys }

// KeyFor is the key of the downstream call with the given name; "" where the policy has none for this step.
func (o *Outbound) KeyFor(name string) string {
	for _, k := range o.keys {
		if k.Name == name {
			return k.Key
		}
	}
	return ""
}

// SetHeaders puts each key into its header. One whose call has none in the policy travels elsewhere, and is left out.
func (o *Outbound) SetHeaders(header http.Header) {
	for _, k := range o.keys {
		if k.Header != "" {
			header.Set(k.Header, k.Key)
		}
	}
}

// LeaseProgram makes a request into its work. It is called for a request of a client and for one that was stored, which is
// how work is taken up again without its client; what it returns an error for is answered as [Call.Reject] does.
type LeaseProgram[TX any] func(call *Call[TX]) (LeaseWork[TX], error)

// LeaseWork is the work of one request in lease mode.
type LeaseWork[TX any] struct {
	// Run does the work. An answer that it returns without [Lease.Complete] completes the record by itself.
	Run func(ctx context.Context, lease *Lease[TX]) (Response, error)
	// Reconcile has a function for each external step, by its name.
	Reconcile map[string]ReconcileFunc
}

// newLease is of a record that is held, over the engine's store.
func newLease[TX any](ctx context.Context, held *Held, t taken[TX]) *Lease[TX] {
	return &Lease[TX]{
		call: t.call, store: t.call.engine.leaseStore(), work: t.work, held: held, keys: t.keys, ctx: context.WithoutCancel(ctx),
		steps: held.Steps, asked: map[string]bool{},
		effects: len(held.Steps) > 0 || held.Fence.Epoch > 1 && t.call.plan.callsOut(),
		late:    len(held.Steps) == 0 && held.Fence.Epoch > 1 && t.call.madeLate(held.CreatedAt),
	}
}

// follow has the work end with ctx, until it is detached.
func (l *Lease[TX]) follow(ctx context.Context) {
	bounded, cancel := context.WithCancelCause(l.ctx)
	l.ctx = bounded
	l.unfollow = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
}

// keep starts the lease's heartbeat; its loss ends the work's context, and calls lost.
func (l *Lease[TX]) keep(sent time.Time, lost func()) {
	bounded, cancel := context.WithCancelCause(l.ctx)
	l.ctx, l.stop = bounded, cancel
	rules := &l.call.plan.op.Policy.Lease
	l.keeper = keep(sent, rules.Duration, rules.Heartbeat, func(ctx context.Context) error {
		return caught(func() error { return l.store.Renew(ctx, l.held.ID, l.held.Fence, rules.Duration) })
	}, func(err error) {
		_ = caught(func() error { // an observer's panic is nobody's to catch here
			l.call.observe(l.ctx, "a lease cannot be renewed", err)
			return nil
		})
	}, func(cause error) {
		cancel(cause)
		lost()
	})
}
