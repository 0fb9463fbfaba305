package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// DoLocal runs work once and commits what it writes through tx together with its result, which is encoded as JSON; what is
// returned is always decoded from that. Where the step is done already, work does not run and the stored result is returned.
// work may be called again with a new tx when the database asks for a repetition. An error undoes what work wrote.
//
// Keep a result small: what later steps need, and no more. The results of a record are one value, which each further step writes
// whole again and each duplicate reads that comes while the work is in progress; it goes with the completion. In PostgreSQL it
// is a bytea of at most 1 GB, compressed and kept outside of the row (TOAST) from some 2 KB on. [Sealed] encrypts each result.
// The runtime has no bound of its own, since to refuse a result would be to forget an effect that was had; one over 64 KiB is
// logged, once for each step of a process.
func DoLocal[TX, R any](ctx context.Context, step LocalStep[TX], work func(ctx context.Context, tx TX) (R, error)) (R, error) {
	var zero R
	encoded, err := step.lease.local(ctx, step.name, func(ctx context.Context, tx TX) ([]byte, error) {
		result, err := work(ctx, tx)
		if err != nil {
			return nil, err
		}
		encoded, err := encodeResult(result)
		if err != nil {
			return nil, err
		}
		_, err = decodeResult[R](encoded) // sooner than when it is too late
		return encoded, err
	})
	if err != nil {
		return zero, err
	}
	return decodeResult[R](encoded)
}

// DoExternal runs call once and stores its result, which is encoded as JSON; what is returned is always decoded from that.
// Where the step is done already, call does not run and the stored result is returned. Where an earlier worker may have
// begun it, the operation's reconcile function is asked first. No transaction is open meanwhile.
//
// A refusal of the other side that is final, such as a declined card, is a result. An error means that the outcome is not
// known: the step stays open, the handler returns the error, and the work is taken up again later, unless the error is
// made by [NoEffect]. How results are stored, and why they had better be small, stands at [DoLocal].
func DoExternal[TX, R any](ctx context.Context, step ExternalStep[TX], call func(ctx context.Context, out *Outbound) (R, error)) (R, error) {
	var zero R
	encoded, err := step.lease.external(ctx, step.name, func(ctx context.Context, out *Outbound) ([]byte, error) {
		result, err := call(ctx, out)
		if err != nil {
			return nil, err
		}
		return encodeResult(result)
	}, encodeDone[R])
	if err != nil {
		return zero, err
	}
	return decodeResult[R](encoded)
}

// NoEffect marks an error of an external call that certainly had no effect on the other side, for example since no
// connection was made. The step may be run again. NoEffect(nil) is nil.
//
// An error of dialling alone is not certain: net/http sends a request with an Idempotency-Key again by itself where it finds
// its connection lost, and the error is then the second try's. That no connection was got is certain, as GotConn of
// [net/http/httptrace.ClientTrace] tells.
func NoEffect(err error) error {
	if err == nil {
		return nil
	}
	return &noEffect{err}
}

type noEffect struct{ error }

func (e *noEffect) Unwrap() error { return e.error }

// The ways in which a handler must not use its lease.
var (
	errLeaseEnded    = Explain("the lease was used after its handler had returned; a handler waits for all that it starts", nil)
	errLeaseBusy     = Explain("the lease was used by two goroutines at once, or within one of its own steps", nil)
	errAfterComplete = Explain("the lease was used after Complete, which is a handler's last act", nil)
	errAfterOpen     = Explain("an external step before has failed, and nobody knows what became of it; return its error from the handler", nil)
)

// enter begins something that the handler asks of its lease. leave ends it.
func (l *Lease[TX]) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended:
		return errLeaseEnded
	case l.busy:
		return errLeaseBusy
	case l.answer != nil:
		return errAfterComplete
	case l.open != "":
		return errAfterOpen
	case l.fate != fateCertain:
		return ErrCommitUnknown
	case l.ctx.Err() != nil:
		return context.Cause(l.ctx)
	}
	l.busy = true
	return nil
}

func (l *Lease[TX]) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = false
}

// begin begins a step. stored is the result of one that is done. Before the first that is not, the work is detached from
// its client.
func (l *Lease[TX]) begin(ctx context.Context, name string, external bool) (step *stepPlan, stored *StepResult, err error) {
	p := l.call.plan
	at := p.step(name)
	switch {
	case at < 0:
		return nil, nil, Explain(fmt.Sprintf("operation %q has no step %q", p.op.ID, name), nil)
	case external && !p.steps[at].external():
		return nil, nil, Explain(fmt.Sprintf("step %q has no downstream call in the policy: use DoLocal, or name the call", name), nil)
	case !external && p.steps[at].external():
		return nil, nil, Explain(fmt.Sprintf("step %q has downstream calls in the policy: use DoExternal, so that no transaction is open meanwhile", name), nil)
	case at < l.next:
		return nil, nil, Explain(fmt.Sprintf("step %q is run twice, or after a later one: steps are run in the policy's order, each once", name), nil)
	}
	if err := l.resolve(ctx, at); err != nil {
		return nil, nil, err
	}
	step = &p.steps[at]
	l.next = at + 1
	if done := slices.IndexFunc(l.steps, func(s StepResult) bool { return s.Name == name }); done >= 0 {
		return step, &l.steps[done], nil
	}
	return step, nil, l.detach()
}

// resolve sees to the steps before the one at index to that this run leaves out: the work does not go on past one that an
// earlier worker has done, nor is there an answer that does not know of it. Of an external one that it may have begun the
// other side is asked; once the run has come to the step at which an earlier worker stopped, there is no other.
func (l *Lease[TX]) resolve(ctx context.Context, to int) error {
	from := l.next
	for _, done := range l.held.Steps {
		at := l.call.plan.step(done.Name)
		if at >= l.next && at < to {
			return l.leftOut(done.Name)
		}
		from = max(from, at+1) // who had stored a later one had not stopped before it
	}
	if l.held.Fence.Epoch == 1 || l.met {
		return nil
	}
	for ; from < to; from++ {
		step := &l.call.plan.steps[from]
		if !step.external() || l.asked[step.name] {
			continue
		}
		bounded, stop := l.within(ctx)
		state, _ := l.reconcile(bounded, step, func(any) ([]byte, error) { return nil, nil })
		stop()
		if state != reconciledNotDone {
			return l.leftOut(step.name)
		}
		l.asked[step.name] = true
	}
	return nil
}

// leftOut has the work end here, to be taken up again.
func (l *Lease[TX]) leftOut(step string) error {
	l.open = step
	return Explain(fmt.Sprintf("step %q is left out, and an earlier worker has or may have done it: a handler that is run again takes the way that it took before", step), nil)
}

// detach has the work go on without its client. It fails where the client has gone already.
func (l *Lease[TX]) detach() error {
	if l.unfollow == nil || l.unfollow() {
		l.unfollow = nil
		return nil
	}
	<-l.ctx.Done()
	return context.Cause(l.ctx)
}

// told tells the observer of a step that has ended.
func (l *Lease[TX]) told(ctx context.Context, step *stepPlan, outcome StepOutcome, began time.Time) {
	l.call.engine.settings.observer.Step(ctx, StepEvent{
		Operation: l.call.plan.op.ID, Step: step.name, External: step.external(), Outcome: outcome, Duration: time.Since(began),
	})
}

// within is ctx, ending with the lease too.
func (l *Lease[TX]) within(ctx context.Context) (context.Context, func()) {
	bounded, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	return bounded, func() { stop(); cancel(nil) }
}

// local is [DoLocal] with its result encoded.
func (l *Lease[TX]) local(ctx context.Context, name string, work func(context.Context, TX) ([]byte, error)) ([]byte, error) {
	if err := l.enter(); err != nil {
		return nil, err
	}
	defer l.leave()
	began, outcome := time.Now(), StepFailed
	step, stored, err := l.begin(ctx, name, false)
	if step != nil {
		defer func() { l.told(ctx, step, outcome, began) }()
	}
	if err != nil {
		return nil, err
	}
	if stored != nil {
		outcome = StepStored
		return stored.Result, nil
	}
	if err := l.begins(); err != nil {
		return nil, err
	}
	var steps []StepResult
	err = l.transact(ctx, false, func(ctx context.Context, tx TX) (*Advance, error) {
		result, err := work(ctx, tx)
		if err != nil {
			return nil, err
		}
		steps = append(slices.Clip(l.steps), StepResult{Name: name, Result: result})
		return &Advance{Steps: steps, Lease: l.duration()}, nil
	})
	if err != nil {
		if l.fate != fateCertain {
			outcome = StepUnknown
		}
		return nil, err
	}
	outcome = StepDone
	l.steps, l.effects = steps, true
	l.weigh(ctx, steps[len(steps)-1])
	return steps[len(steps)-1].Result, nil
}

// external is [DoExternal] with its result encoded. encode encodes what a reconcile function says that it was.
func (l *Lease[TX]) external(ctx context.Context, name string, call func(context.Context, *Outbound) ([]byte, error), encode func(any) ([]byte, error)) ([]byte, error) {
	if err := l.enter(); err != nil {
		return nil, err
	}
	defer l.leave()
	began, outcome := time.Now(), StepUnknown
	step, stored, err := l.begin(ctx, name, true)
	if step != nil {
		defer func() { l.told(ctx, step, outcome, began) }()
	}
	if err != nil {
		outcome = StepFailed
		return nil, err
	}
	if stored != nil {
		outcome = StepStored
		return stored.Result, nil
	}
	had := l.effects
	l.open, l.effects = name, true // until the contrary is known: a panic from here on leaves it so
	bounded, stop := l.within(ctx)
	defer stop()
	result, state := []byte(nil), reconciledNotDone
	if l.held.Fence.Epoch > 1 && !l.asked[name] {
		state, result = l.reconcile(bounded, step, encode)
		l.asked[name] = state == reconciledNotDone
		l.met = true
	}
	switch state {
	case reconciledUnknown:
		return nil, errUnfinished
	case reconciledNotDone:
		if err := context.Cause(l.ctx); err != nil { // the lease has ended meanwhile, and the next worker asks again
			return nil, err
		}
		if err := l.begins(); err != nil {
			outcome, l.open = StepFailed, ""
			return nil, err
		}
		result, err = call(bounded, &Outbound{Step: name, keys: l.keys.keys(step)})
		var without *noEffect
		if errors.As(err, &without) {
			outcome = StepFailed
			l.open, l.effects, l.next = "", had, l.next-1
		}
		if err != nil {
			return nil, err
		}
	}
	l.late = false // it had begun
	steps := append(slices.Clip(l.steps), StepResult{Name: name, Result: result})
	if err := l.advance(&Advance{Steps: steps, Lease: l.duration()}); err != nil {
		return nil, fmt.Errorf("step %q: its result could not be stored: %w", name, err)
	}
	outcome = StepDone
	if state == reconciledDone {
		outcome = StepReconciled
	}
	l.open, l.steps = "", steps
	l.weigh(ctx, steps[len(steps)-1])
	return result, nil
}

// largeResult is the size from which on a step's result is worth a word: a sixteenth of the default bounds of a request's body
// and of an answer's, which are written once and not with each step.
const largeResult = 64 << 10

// weigh logs a result that is large, once for each step.
func (l *Lease[TX]) weigh(ctx context.Context, done StepResult) {
	if len(done.Result) <= largeResult {
		return
	}
	operation := l.call.plan.op.ID
	if _, told := l.call.engine.large.LoadOrStore([2]string{operation, done.Name}, true); told {
		return
	}
	l.call.engine.settings.logger.LogAttrs(ctx, slog.LevelWarn, "idempotency: the result of a step is large",
		slog.String("operation", operation), slog.String("step", done.Name), slog.Int("bytes", len(done.Result)),
		slog.String("more", "each further step writes it again: keep what later steps need, and no more"))
}

func (l *Lease[TX]) duration() time.Duration { return l.call.plan.op.Policy.Lease.Duration }
