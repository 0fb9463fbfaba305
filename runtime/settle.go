package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// endKind is what the work under a lease came to.
type endKind byte

const (
	endCompleted endKind = iota
	endReleased          // it has had no effect, and its record is gone
	endSuspended         // left in progress, for a later worker
	endLost              // another worker has it
	endAgain             // the record can be claimed again at once, which finds out what became of the last commit
	endUnknown           // the record's completion may have happened
	endLeft              // its handler has not returned in its time, and is left behind
)

// leaseEnd is how the work under a lease ended.
type leaseEnd struct {
	kind   endKind
	reply  reply
	record *Record // with endCompleted
}

// settle ends the record as far as the work has come. err is the handler's, or how it ended without returning.
func (l *Lease[TX]) settle(answer Response, err error) leaseEnd {
	if end, settled := l.settled(err); settled {
		return end
	}
	if err == nil {
		answer, err = normalise(answer)
	}
	if err != nil {
		return l.failed(err)
	}
	l.call.dropMarker(answer)
	switch {
	case l.keeps(answer.Status):
		return l.endWith(reply{answer, OutcomeFresh})
	case l.effects:
		return l.suspend()
	default:
		return l.release(reply{answer, OutcomeNotKept})
	}
}

// settled is the end of work whose end is not up to what the handler has returned: the record is complete or lost, or nobody
// knows what a step or a commit came to.
func (l *Lease[TX]) settled(err error) (_ leaseEnd, settled bool) {
	c := l.call
	l.mu.Lock()
	l.ended = true
	busy := l.busy
	l.mu.Unlock()
	if busy { // a goroutine that the handler left behind runs a step
		c.observe(l.ctx, "handler failed", errLeaseEnded)
		return l.suspend(), true
	}
	switch {
	case l.answer != nil && l.record != nil:
		if err != nil {
			c.observe(l.ctx, "handler failed after it had completed the request", err)
		}
		return l.completed(*l.answer, l.record), true
	case l.lost || l.keeper.wasLost():
		return l.overtaken(), true
	case l.over:
		return l.release(c.refuse(c.plan.expired())), true
	case l.answer != nil:
		return l.release(reply{*l.answer, OutcomeNotKept}), true
	case l.fate == fateUnknown:
		return l.findOut(), true
	case l.fate == fateUnrecorded:
		return l.end(c.refuse(c.plan.unrecorded())), true
	case l.open != "":
		if err == nil {
			err = errAfterOpen
		}
		if !errors.Is(err, errUnfinished) {
			c.observe(l.ctx, "handler failed, its work is taken up again later", err)
		}
		return l.suspend(), true
	}
	return leaseEnd{}, false
}

// failed settles work that ended by an error. A problem is an answer: after an effect it ends the record like any other.
func (l *Lease[TX]) failed(err error) leaseEnd {
	c := l.call
	problem, ok := asProblem(err)
	outcome := OutcomeNotKept
	if !ok {
		if problem, ok = c.guardProblem(err); ok {
			outcome = problem.outcome
		}
	}
	switch {
	case ok && l.effects && l.keeps(problem.status()):
		return l.endWith(c.refuseAs(OutcomeFresh, problem))
	case l.effects:
		if !l.explains(err) {
			c.observe(l.ctx, "handler failed, its work is taken up again later", err)
		}
		return l.suspend()
	case ok:
		return l.release(c.refuseAs(outcome, problem))
	case l.ctx.Err() != nil: // the client is gone, or its time is up
		if !l.explains(err) {
			c.observe(l.ctx, "handler failed", err)
		}
		return l.release(c.refuse(c.unavailable()))
	}
	c.observe(l.ctx, "handler failed", err)
	switch {
	case l.down || l.store.Retryable(err) || errors.Is(err, ErrSerialization):
		return l.release(c.refuse(c.unavailable()))
	case isExplained(err): // a fault of the service's code, which the next attempt meets again
		return l.release(c.refuse(c.plan.faulty()))
	default:
		return l.release(c.refuse(c.internal()))
	}
}

// explains reports whether the end of the context is enough to say of a handler's error. It is no excuse for a panic, but for the
// one by which net/http aborts an answer.
func (l *Lease[TX]) explains(err error) bool {
	var panicked *PanicError
	return l.ctx.Err() != nil && (!errors.As(err, &panicked) || panicked.Value == http.ErrAbortHandler) //nolint:errorlint // net/http compares it in this way
}

// guardProblem is the answer to the violation of one of the policy's guards.
func (c *Call[TX]) guardProblem(err error) (*Problem, bool) {
	switch guard := c.violated(err); {
	case guard == nil:
		return nil, false
	case guard.On == "conflict":
		return c.plan.conflict(), true
	default:
		return c.plan.duplicateEffect(), true
	}
}

// endWith completes the record with a handler's answer, unless a step that it does not know of may have happened.
func (l *Lease[TX]) endWith(r reply) leaseEnd {
	err := caught(func() error { return l.resolve(l.ctx, len(l.call.plan.steps)) })
	if err == nil && l.begins() != nil {
		return l.release(l.call.refuse(l.call.plan.expired()))
	}
	if err != nil {
		l.call.observe(l.ctx, "handler failed, its work is taken up again later", err)
		return l.suspend()
	}
	return l.end(r)
}

// end completes the record with an answer, without work of the handler's.
func (l *Lease[TX]) end(r reply) leaseEnd {
	record := l.call.leaseRecord(r.Response, l.held)
	err := l.advance(&Advance{Record: record})
	switch {
	case err == nil:
		return leaseEnd{endCompleted, r, record}
	case l.lost:
		return l.overtaken()
	default:
		return l.unknown(endUnknown)
	}
}

// completed is the end of a record that is complete.
func (l *Lease[TX]) completed(answer Response, record *Record) leaseEnd {
	return leaseEnd{endCompleted, reply{answer, OutcomeFresh}, record}
}

// unknown is an end of the given kind, of which the client can be told only that it may have been carried out.
func (l *Lease[TX]) unknown(kind endKind) leaseEnd {
	return leaseEnd{kind: kind, reply: l.call.refuse(l.call.plan.unknownOutcome())}
}

// overtaken is the end of work that another worker has, or may have.
func (l *Lease[TX]) overtaken() leaseEnd {
	l.call.engine.settings.observer.LeaseLost(l.ctx, LeaseLostEvent{
		Operation: l.call.plan.op.ID, Epoch: l.held.Fence.Epoch, Cause: brief(l.keeper.failure()),
	})
	return leaseEnd{kind: endLost, reply: l.call.refuse(l.call.plan.inFlightFor(l.duration()))}
}

// release removes the record of work that has had no effect.
func (l *Lease[TX]) release(r reply) leaseEnd {
	tries := 0
	err := l.persist(func(ctx context.Context) error {
		tries++
		return l.store.Release(ctx, l.held.ID, l.held.Fence)
	})
	if errors.Is(err, ErrLeaseLost) && tries > 1 { // an earlier try has removed it, unless another worker was there before that
		var look Look
		look, err = l.look()
		if err == nil && look != (Look{}) {
			err = ErrLeaseLost
		}
	}
	switch {
	case err == nil:
		return leaseEnd{kind: endReleased, reply: r}
	case errors.Is(err, ErrLeaseLost):
		l.lost = true
		return l.overtaken()
	default: // it is in progress until its lease ends, and is taken up then: the answer does not say that nothing is done
		l.call.observe(l.ctx, "store failed", err)
		return l.unknown(endUnknown)
	}
}

// look reads what there is under the lease's id.
func (l *Lease[TX]) look() (look Look, err error) {
	err = l.persist(func(ctx context.Context) (err error) {
		look, err = l.store.Look(ctx, l.held.ID)
		return err
	})
	return look, err
}

// suspend leaves the record in progress, for a later worker: at once where this process stops, else after a pause that
// grows with the age of the work.
func (l *Lease[TX]) suspend() leaseEnd {
	after := l.rest()
	if err := l.yield(after); errors.Is(err, ErrLeaseLost) {
		return l.overtaken()
	}
	return leaseEnd{kind: endSuspended, reply: l.call.refuse(l.call.plan.suspended(after))}
}

// rest is how long the work is left alone.
func (l *Lease[TX]) rest() time.Duration {
	if errors.Is(context.Cause(l.ctx), errDraining) {
		return 0
	}
	return l.call.plan.backoff(time.Since(l.held.CreatedAt))
}

// yield ends the lease. Where the store does not answer it ends by itself.
func (l *Lease[TX]) yield(after time.Duration) error {
	err := l.persist(func(ctx context.Context) error { return l.store.Yield(ctx, l.held.ID, l.held.Fence, after) })
	switch {
	case errors.Is(err, ErrLeaseLost):
		l.lost = true
	case err != nil:
		l.call.observe(l.ctx, "store failed", err)
	}
	return err
}

// findOut settles a commit of unknown outcome. The lease is ended, which waits for a transaction that still holds the row.
// Where the record is not in progress any more, it was completed by that commit or taken over. Where it is, it can be claimed
// under another epoch, so that what may be on its way still changes nothing, and tells which steps are done.
func (l *Lease[TX]) findOut() leaseEnd {
	after := time.Duration(0) // for this request to claim it again
	if l.recovered {
		after = l.rest() // a commit that fails each time is not tried without a pause
	}
	err := l.yield(after)
	if err == nil {
		return l.unknown(endAgain)
	}
	if !errors.Is(err, ErrLeaseLost) {
		return l.unknown(endUnknown)
	}
	look, err := l.look()
	switch {
	case err != nil:
		return l.unknown(endUnknown)
	case look.Record != nil && look.Record.Attempt == l.held.Fence.Owner && l.record != nil:
		return l.completed(l.pending, l.record)
	default:
		return l.overtaken()
	}
}

// suspended is the answer where the work is not finished and will be taken up again.
func (p *plan) suspended(after time.Duration) *Problem {
	problem := p.problem(caseUnknownOutcome,
		"It is not finished, and will be taken up again. Send the same request again with the same key, never with a new one, to find out.")
	problem.outcome = OutcomeSuspended
	problem.Header.Set("Retry-After", wholeSeconds(max(after, p.op.Policy.InFlight.RetryAfter)))
	return problem
}

// longestBackoff bounds the pause before work that failed is taken up again; a heartbeat that is longer does so instead.
const longestBackoff = 5 * time.Minute

// backoff is how long work of this age rests: with full jitter, a random time up to half its age, so that the pauses grow with
// what has passed already. It does not go by the number of workers, which kills and overload raise without the work having failed.
// The age is by two clocks, the store's and this process's; one that is off makes a pause shorter or longer, between a
// heartbeat and the bound, and nothing else.
func (p *plan) backoff(age time.Duration) time.Duration {
	beat := p.op.Policy.Lease.Heartbeat
	return rand.N(min(max(age/2, beat), max(longestBackoff, beat)))
}
