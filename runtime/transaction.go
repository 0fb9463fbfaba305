package runtime

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// lookTime bounds how long a duplicate that does not wait for work is kept while the first request is still looking for
// a record.
const lookTime = time.Second

// workFunc is what a handler does within its transaction.
type workFunc[TX any] func(ctx context.Context, tx TX) (Response, error)

// verdict is what one run of the work came to.
type verdict byte

const (
	// none: the work has not run.
	none verdict = iota
	// committed: work and record stand.
	committed
	// answered: rolled back; the answer is final, for this request only.
	answered
	// again: nothing was committed, and the database asks for another run.
	again
	// lost: nothing was committed, because another transaction was first. Look for its record.
	lost
	// duplicate: nothing was committed, because a safety-net guard found the effect there already.
	duplicate
	// unknown: the commit may have happened. Look for the record.
	unknown
	// failed: the commit failed in a way the store does not explain. Look for the record, and do not run again.
	failed
)

// run is one run of the work.
type run struct {
	verdict verdict
	answer  reply
	record  *Record
}

// patience is how long the policy lets the request wait in the gate.
func (c *Call[TX]) patience() patience {
	rules := &c.plan.op.Policy.InFlight
	if rules.Answer == policy.Conflict {
		return patience{limit: lookTime, untilRunning: true, print: c.print}
	}
	return patience{limit: rules.MaxWait, print: c.print}
}

// lead carries out a request that leads its id: it claims the id in the store, runs the work, and finds out what became
// of a commit that did not simply succeed. Each way out leaves the gate, a panic and runtime.Goexit included.
//
// deadline bounds how long it waits for another process, counted from the request's arrival at the gate. A record that
// was there already is returned instead of a reply: it is answered from when the gate is left.
func (c *Call[TX]) lead(ctx context.Context, turn *turn, deadline time.Time, work workFunc[TX]) (reply, *Record) {
	var found *Record // what the requests that wait in the gate are answered from
	defer func() { turn.leave(found) }()

	last := run{verdict: none}
	for runs := 0; ; {
		claim, err := c.claim(ctx, deadline, last.verdict)
		if claim.Record != nil {
			found = claim.Record
			if last.record != nil && claim.Record.Attempt == last.record.Attempt {
				return last.answer, nil // the commit of unknown outcome was ours, and happened
			}
			return reply{}, claim.Record
		}
		if claim.Progress != nil {
			c.readable(ctx, claim.Progress)
			return c.refuse(c.inProgress(claim.Progress)), nil
		}
		if err != nil || claim.Work == nil {
			return c.refuse(c.notClaimed(ctx, err, last.verdict)), nil
		}

		// The id is won, so nothing was committed so far.
		switch {
		case last.verdict == duplicate:
			c.engine.rollback(ctx, c.plan, claim.Work)
			return c.refuse(c.plan.duplicateEffect()), nil
		case last.verdict == failed:
			c.engine.rollback(ctx, c.plan, claim.Work)
			return c.refuse(c.plan.problem(caseInternal, "The request could not be completed. Send it again with the same key.")), nil
		case runs == c.engine.settings.attempts:
			c.engine.rollback(ctx, c.plan, claim.Work)
			return c.refuse(c.unavailable()), nil
		case c.late():
			c.engine.rollback(ctx, c.plan, claim.Work)
			return c.refuse(c.plan.expired()), nil
		}
		turn.running()
		last = c.run(ctx, claim.Work, work)
		runs++

		switch last.verdict {
		case committed:
			found = last.record
			return last.answer, nil
		case answered:
			return last.answer, nil
		case again:
			if runs == c.engine.settings.attempts {
				return c.refuse(c.unavailable()), nil
			}
			pause(ctx, runs)
		}
	}
}

// claim looks for a record and tries to win the id. After a run whose commit may have happened it does not end with the
// request: the requests that wait for this one need to know.
func (c *Call[TX]) claim(ctx context.Context, deadline time.Time, last verdict) (Claim[TX], error) {
	wait := c.plan.wait()
	switch {
	case last == unknown || last == failed:
		ctx = context.WithoutCancel(ctx)
		wait = c.engine.settings.commitTimeout // the commit may be under way still
	case wait > 0:
		wait = max(time.Until(deadline), 0)
	}
	ctx, cancel := context.WithTimeout(ctx, wait+c.engine.settings.claimTimeout)
	defer cancel()
	return c.engine.store.Claim(ctx, c.id, wait)
}

// notClaimed is the answer when the id was not won and no record was found.
func (c *Call[TX]) notClaimed(ctx context.Context, err error, last verdict) *Problem {
	if err != nil && ctx.Err() == nil {
		c.engine.observe(ctx, c.plan, "store failed", err)
	}
	switch {
	case last == unknown || last == failed || errors.Is(err, ErrUnreadable):
		return c.plan.unknownOutcome()
	case err != nil:
		return c.unavailable()
	default:
		return c.plan.inFlight()
	}
}

// readable reports work in progress of which a part cannot be read. It is in progress all the same.
func (c *Call[TX]) readable(ctx context.Context, progress *Progress) {
	if progress.Unreadable != nil {
		c.observe(ctx, "a record in progress cannot be read", progress.Unreadable)
	}
}

// inProgress is the answer where an operation in lease mode holds the id, which is another request.
func (c *Call[TX]) inProgress(progress *Progress) *Problem {
	if progress.FingerprintVersion == FingerprintVersion && !bytes.Equal(progress.Fingerprint, c.print[:]) {
		return c.plan.otherInProgress()
	}
	return c.plan.inFlightFor(progress.Left)
}

// unprotected carries out a request without a key, where the policy has the key optional: the work is run in a
// transaction, but nothing is recorded, and a repeated request runs again.
func (c *Call[TX]) unprotected(ctx context.Context, work workFunc[TX]) reply {
	for runs := 1; ; runs++ {
		tx, err := c.begin(ctx)
		if err != nil {
			if ctx.Err() == nil {
				c.engine.observe(ctx, c.plan, "store failed", err)
			}
			return c.refuse(c.unavailable())
		}
		last := c.run(ctx, tx, work)
		switch last.verdict {
		case committed:
			last.answer.outcome = OutcomeUnprotected
			return last.answer
		case answered:
			return last.answer
		case duplicate:
			return c.refuse(c.plan.duplicateEffect())
		case unknown, failed:
			return c.refuse(c.plan.unrecorded())
		}
		if runs >= c.engine.settings.attempts {
			return c.refuse(c.unavailable())
		}
		pause(ctx, runs)
	}
}

func (c *Call[TX]) begin(ctx context.Context) (Work[TX], error) {
	ctx, cancel := context.WithTimeout(ctx, c.engine.settings.claimTimeout)
	defer cancel()
	return c.engine.store.Begin(ctx)
}

// run runs the work once in tx and ends tx, whatever the work does, and whatever the store is given to commit with does.
func (c *Call[TX]) run(ctx context.Context, tx Work[TX], work workFunc[TX]) (result run) {
	c.watch.event.Runs++
	returned := false
	defer func() {
		if returned {
			return
		}
		// A panic, or runtime.Goexit, for which recover returns nil and which goes on by itself.
		c.engine.rollback(ctx, c.plan, tx)
		value := recover()
		if value == nil {
			return
		}
		if value == http.ErrAbortHandler { //nolint:errorlint // net/http compares it in this way
			panic(value)
		}
		c.engine.observe(ctx, c.plan, "handler panicked", &PanicError{Value: value, Stack: debug.Stack()})
		result = run{verdict: answered, answer: c.refuse(c.internal())}
	}()
	result = c.attempt(ctx, tx, work)
	returned = true
	return result
}

func (c *Call[TX]) attempt(ctx context.Context, tx Work[TX], work workFunc[TX]) run {
	answer, err := work(ctx, tx.Tx())
	if err == nil {
		answer, err = normalise(answer)
	}
	if err != nil {
		c.engine.rollback(ctx, c.plan, tx)
		return c.refused(ctx, err)
	}
	c.dropMarker(answer)
	if !c.plan.op.Policy.Store.Statuses.Contains(answer.Status) {
		c.engine.rollback(ctx, c.plan, tx)
		return run{verdict: answered, answer: reply{answer, OutcomeNotKept}}
	}
	return c.commit(ctx, tx, answer)
}

// dropMarker takes the marker of replays out of an answer that is none, in case that a handler has set it.
func (c *Call[TX]) dropMarker(answer Response) {
	if name := c.plan.op.Policy.Replay.Header; name != "" {
		answer.Header.Del(name)
	}
}

// commit commits the work and, if the request has a key, its record. It does not end with the request: the work is done.
func (c *Call[TX]) commit(ctx context.Context, tx Work[TX], answer Response) run {
	result := run{answer: reply{answer, OutcomeFresh}}
	if c.key != "" {
		var attempt [16]byte
		_, _ = rand.Read(attempt[:]) // never fails
		result.record = c.record(answer, attempt)
	}
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.settings.commitTimeout)
	defer cancel()
	err := tx.Commit(detached, result.record)
	switch {
	case err == nil:
		result.verdict = committed
	case errors.Is(err, ErrLostRace):
		result.verdict = lost
	case errors.Is(err, ErrSerialization):
		result.verdict = again
	case errors.Is(err, ErrCommitUnknown):
		c.engine.observe(ctx, c.plan, "commit of unknown outcome", err)
		result.verdict = unknown
	case errors.Is(err, ErrUnrecorded):
		c.engine.observe(ctx, c.plan, "work without a record", err)
		return run{verdict: answered, answer: c.refuse(c.plan.unrecorded())}
	case errors.Is(err, ErrAborted):
		return c.refused(ctx, err)
	default:
		if guarded, ok := c.guarded(err); ok {
			return guarded
		}
		c.engine.observe(ctx, c.plan, "commit failed", err)
		result.verdict = failed
	}
	return result
}

// refused is what an error of the work comes to; the work is rolled back.
func (c *Call[TX]) refused(ctx context.Context, err error) run {
	if problem, ok := asProblem(err); ok {
		return run{verdict: answered, answer: c.refuseAs(OutcomeNotKept, problem)}
	}
	if c.engine.store.Retryable(err) {
		return run{verdict: again}
	}
	if guarded, ok := c.guarded(err); ok {
		return guarded
	}
	if ctx.Err() != nil { // the client is gone, or its time is up
		return run{verdict: answered, answer: c.refuse(c.unavailable())}
	}
	c.engine.observe(ctx, c.plan, "handler failed", err)
	if isExplained(err) { // a fault of the service's code, which the next attempt meets again
		return run{verdict: answered, answer: c.refuse(c.plan.faulty())}
	}
	return run{verdict: answered, answer: c.refuse(c.internal())}
}

// guarded is what the violation of one of the policy's guards comes to.
func (c *Call[TX]) guarded(err error) (run, bool) {
	switch guard := c.violated(err); {
	case guard == nil:
		return run{}, false
	case guard.On == "conflict":
		return run{verdict: answered, answer: c.refuse(c.plan.conflict())}, true
	default:
		return run{verdict: duplicate}, true
	}
}

// violated is the guard of the policy that err says was violated; nil where it is none.
func (c *Call[TX]) violated(err error) *policy.Guard {
	constraint, ok := c.engine.store.Violation(err)
	if !ok {
		return nil
	}
	guards := c.plan.op.Policy.Guards
	at := slices.IndexFunc(guards, func(g policy.Guard) bool { return g.Constraint == constraint })
	if at < 0 {
		return nil
	}
	return &guards[at]
}

// rollback undoes tx, also when ctx has ended.
func (e *Engine[TX]) rollback(ctx context.Context, p *plan, tx Work[TX]) {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.settings.commitTimeout)
	defer cancel()
	if err := tx.Rollback(detached); err != nil {
		e.observe(ctx, p, "rollback failed", err)
	}
}
