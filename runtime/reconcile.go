package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Interrupted is a step that an earlier worker may have begun and has not been seen to end.
type Interrupted struct {
	Outbound
	// Principal and ClientKey are the request's. ClientKey is not what the other side knows the step by: that is [Outbound.Key].
	Principal, ClientKey string
	// Began is when the record was made, by the store's clock.
	Began time.Time
	// Epoch counts the workers that have held the record, this one included.
	Epoch int64
	steps []StepResult
}

// NewInterrupted returns an interrupted step, for a unit test of a reconcile function. The engine makes its own, of the
// record that it has taken over. out has the step's name and its keys; done are the steps before it that are done, each with
// its result as JSON. The members that stand open, such as Principal, are set afterwards; Epoch is 2, that of the first worker
// that there can be anything to ask for.
func NewInterrupted(out *Outbound, done ...StepResult) *Interrupted {
	return &Interrupted{Outbound: *out, Epoch: 2, steps: done}
}

// Result decodes the result of an earlier step into target. It is false where that step is not done.
func (i *Interrupted) Result(step string, target any) (bool, error) {
	at := slices.IndexFunc(i.steps, func(s StepResult) bool { return s.Name == step })
	if at < 0 {
		return false, nil
	}
	if err := json.Unmarshal(i.steps[at].Result, target); err != nil {
		return true, Explain(fmt.Sprintf("the stored result of step %q is of another type", step), err)
	}
	return true, nil
}

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

// Done says that the step had its effect. result is what the call would have returned, of the same type; nil will do where
// that is struct{}.
func Done(result any) Reconciliation { return Reconciliation{reconciledDone, result} }

// NotDone says that the step has had no effect and will have none: it is run, with the same keys.
func NotDone() Reconciliation { return Reconciliation{state: reconciledNotDone} }

// Unknown says that it cannot be told yet. The record stays in progress and is asked about again later.
func Unknown() Reconciliation { return Reconciliation{} }

// ReconcileFunc asks the other side what became of an interrupted step. It has no effect of its own. An error counts as
// [Unknown].
type ReconcileFunc func(ctx context.Context, step *Interrupted) (Reconciliation, error)

// errUnfinished is what a handler gets of an external step about which nobody knows.
var errUnfinished = Explain("nobody can tell yet what became of an external step; return this error from the handler, which is run again later", nil)

// reconcile asks the other side about a step, and encodes the result of one that it knows to be done. What is not a clear
// answer counts as none.
func (l *Lease[TX]) reconcile(ctx context.Context, step *stepPlan, encode func(any) ([]byte, error)) (reconciled, []byte) {
	ask := l.work.Reconcile[step.name]
	if ask == nil { // of a program that was changed since it was checked
		return reconciledUnknown, nil
	}
	found, err := ask(ctx, &Interrupted{
		Outbound:  Outbound{Step: step.name, keys: l.keys.keys(step)},
		Principal: l.call.principal,
		ClientKey: l.call.key,
		Began:     l.held.CreatedAt,
		Epoch:     l.held.Fence.Epoch,
		steps:     l.steps,
	})
	if err != nil {
		l.call.observe(ctx, "an interrupted step cannot be reconciled", err)
		return reconciledUnknown, nil
	}
	if found.state != reconciledDone {
		return found.state, nil
	}
	result, err := encode(found.result)
	if err != nil {
		l.call.observe(ctx, "an interrupted step cannot be reconciled", err)
		return reconciledUnknown, nil
	}
	return reconciledDone, result
}

// encodeDone encodes what a reconcile function gave to [Done], which is of the type that the step's call returns.
func encodeDone[R any](result any) ([]byte, error) {
	value, ok := result.(R)
	if !ok {
		_, empty := any(value).(struct{})
		if result != nil || any(value) != nil && !empty {
			return nil, Explain(fmt.Sprintf("a reconcile function gave Done a %T, and the step's call returns a %T", result, value), nil)
		}
	}
	return encodeResult(value)
}

// encodeResult encodes a step's result.
func encodeResult[R any](result R) ([]byte, error) {
	encoded, err := json.Marshal(result)
	if err != nil {
		return nil, Explain(fmt.Sprintf("a step's result, a %T, cannot be encoded as JSON", result), err)
	}
	return encoded, nil
}

// decodeResult undoes encodeResult.
func decodeResult[R any](encoded []byte) (result R, err error) {
	if err := json.Unmarshal(encoded, &result); err != nil {
		return result, Explain(fmt.Sprintf("a step's stored result cannot be decoded as a %T", result), err)
	}
	return result, nil
}
