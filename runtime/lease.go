package runtime

import (
	"context"
	"net/http"
	"time"
)

// Lease is the work in progress of one request in lease mode, in the hands of its handler. The handler does its work in
// steps: a step that is done has its result stored and is never run again, by whichever worker, in whichever process. It
// is used by one goroutine.
type Lease[TX any] struct{ unbuilt[TX] }

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

// DoLocal runs work once and commits what it writes through tx together with its result, which is encoded as JSON. Where
// the step is done already, work does not run and the stored result is returned. work may be called again with a new tx
// when the database asks for a repetition. An error undoes what work wrote.
func DoLocal[TX, R any](ctx context.Context, step LocalStep[TX], work func(ctx context.Context, tx TX) (R, error)) (R, error) {
	panic("not built yet")
}

// DoExternal runs call once and stores its result, which is encoded as JSON. Where the step is done already, call does not
// run and the stored result is returned. Where an earlier worker may have begun it, the operation's reconcile function is
// asked first.
//
// A refusal of the other side that is final, such as a declined card, is a result. An error means that the outcome is not
// known: the step stays open, the handler returns the error, and the work is taken up again later, unless the error is
// made by [NoEffect].
func DoExternal[TX, R any](ctx context.Context, step ExternalStep[TX], call func(ctx context.Context, out *Outbound) (R, error)) (R, error) {
	panic("not built yet")
}

// NoEffect marks an error of an external call that certainly had no effect on the other side, for example since no
// connection was made. The step may be run again.
func NoEffect(err error) error { panic("not built yet") }

// Complete runs work and commits what it writes through tx together with the answer that it returns, which completes the
// record. work may be called again with a new tx when the database asks for a repetition. The handler returns what it got
// from work; once Complete has returned nil, that answer is what is sent.
func (l *Lease[TX]) Complete(ctx context.Context, work func(ctx context.Context, tx TX) (Response, error)) error {
	panic("not built yet")
}

// Outbound is what a step's external call is given: the idempotency keys to send.
type Outbound struct {
	// Step is the step's name.
	Step string
	keys []DownstreamKey
}

// DownstreamKey is the key for one call of a step. It is derived from scope, key, operation, step and name alone: every
// attempt in every process sends the same.
type DownstreamKey struct {
	// Name is the downstream's name in the policy, Header the header that its key travels in.
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

// SetHeaders puts each key into its header.
func (o *Outbound) SetHeaders(header http.Header) {
	for _, k := range o.keys {
		header.Set(k.Header, k.Key)
	}
}

// Interrupted is a step that an earlier worker may have begun and has not been seen to end.
type Interrupted struct {
	Outbound
	// Principal and Key are the request's.
	Principal, Key string
	// Began is when the record was made, by the store's clock.
	Began time.Time
	// Epoch counts the workers that have held the record, this one included.
	Epoch int64
	steps []StepResult
}

// Result decodes the result of an earlier step into target. It is false where that step is not done.
func (i *Interrupted) Result(step string, target any) (bool, error) { panic("not built yet") }

// Reconciliation is what a reconcile function found out about an interrupted step: [Done], [NotDone] or [Unknown], which
// is what the zero value says.
type Reconciliation struct {
	state  reconciled
	result any
}

type reconciled byte

const (
	reconciledUnknown reconciled = iota
	reconciledDone
	reconciledNotDone
)

// Done says that the step had its effect. result is what the call would have returned, of the same type.
func Done(result any) Reconciliation { return Reconciliation{reconciledDone, result} }

// NotDone says that the step has had no effect and will have none: it is run, with the same keys.
func NotDone() Reconciliation { return Reconciliation{state: reconciledNotDone} }

// Unknown says that it cannot be told yet. The record stays in progress and is asked about again later.
func Unknown() Reconciliation { return Reconciliation{} }

// ReconcileFunc asks the other side what became of an interrupted step. It has no effect of its own. An error counts as
// [Unknown].
type ReconcileFunc func(ctx context.Context, step *Interrupted) (Reconciliation, error)

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

// LeaseHandler serves an operation in lease mode, and has the engine's recovery take up its unfinished work. op is
// registered by it; see [Engine.Register] to have a faulty policy fail earlier. Making two handlers for one operation is
// free: the program of the last is recovery's.
func (e *Engine[TX]) LeaseHandler(op *Operation, program LeaseProgram[TX]) http.Handler {
	panic("not built yet")
}

type unbuilt[TX any] struct{}
