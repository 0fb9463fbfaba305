package runtime

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// program is how the work of an operation in lease mode is made.
type program[TX any] struct {
	plan *plan
	make LeaseProgram[TX]
}

// LeaseHandler serves an operation in lease mode, and has the engine's recovery take up its unfinished work. op is
// registered by it; see [Engine.Register] to have a faulty policy fail earlier. Making two handlers for one operation is
// free: the program of the last is recovery's.
//
// Work that may have had an effect goes on without its client. Where it fails, its record stays in progress and the client
// is told to ask again with the same key; whoever does, and recovery, takes the work up. Before any effect a failure leaves
// nothing. Where the key is optional and absent, the same steps are run without a record: nobody takes up what fails, and
// the keys for external calls are made of a random one.
//
// LeaseHandler panics when op cannot be registered, or is not in lease mode, as http.ServeMux does for a pattern that it
// cannot serve.
func (e *Engine[TX]) LeaseHandler(op *Operation, make LeaseProgram[TX]) http.Handler {
	plan, err := e.plan(op)
	if err != nil {
		panic(fmt.Sprintf("runtime.LeaseHandler: %v", err))
	}
	if op.Policy.Mode != policy.LeaseMode || make == nil {
		panic(fmt.Sprintf("runtime.LeaseHandler: operation %q: lease mode and a program are needed", op.ID))
	}
	p := &program[TX]{plan, make}
	e.programs.Store(op.ID, p)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if call, ok := e.Begin(w, r, op); ok {
			call.serveLease(p)
		}
	})
}

// leaseStore is the engine's store; an operation in lease mode is not registered over another.
func (e *Engine[TX]) leaseStore() LeaseStore[TX] { return e.store.(LeaseStore[TX]) }

// serveLease does all that is left of a request in lease mode, once, including sending the answer.
func (c *Call[TX]) serveLease(p *program[TX]) {
	defer c.End() // a panic, or runtime.Goexit
	ctx := c.request.Context()
	work, err := p.make(c)
	if err != nil {
		c.Reject(err)
		return
	}
	if err := work.check(c.plan); err != nil {
		c.engine.observe(ctx, c.plan, "operation cannot be served", err)
		c.finish(c.refuse(c.plan.faulty()))
		return
	}
	if problem := c.withoutCurrent(ctx); problem != nil {
		c.finish(c.refuse(problem))
		return
	}
	deadline := time.Now().Add(c.plan.wait())
	if c.key == "" {
		c.finish(c.leaseUnprotected(ctx, work))
		return
	}
	c.throughGate(ctx, c.heldHere, func(turn *turn) (reply, *Record, Outcome) {
		l := &leader[TX]{Call: c, turn: turn, deadline: deadline, intent: c.intent(), as: OutcomeReplayed}
		return l.serve(ctx, p, work)
	})
}

// check finds what a program has left out.
func (w *LeaseWork[TX]) check(p *plan) error {
	if w.Run == nil {
		return Explain("the program gave no Run", nil)
	}
	for i := range p.steps {
		if step := &p.steps[i]; step.external() && w.Reconcile[step.name] == nil {
			return Explain(fmt.Sprintf("the program gave no reconcile function for step %q", step.name), nil)
		}
	}
	return nil
}

// heldHere is the answer where another request in this process does the work.
func (c *Call[TX]) heldHere() *Problem {
	if k, ok := c.engine.holding.Load(c.id); ok {
		return c.plan.inFlightFor(k.(*keeper).left())
	}
	return c.plan.inFlight()
}

// leader is a request that leads its id in lease mode.
type leader[TX any] struct {
	*Call[TX]
	turn     *turn
	deadline time.Time // until when it waits for the work of others
	intent   *Intent
	begun    bool    // a claim of this request's may stand
	as       Outcome // what the observer is told of a record that is found
}

// serve carries the request out: it wins the id, does the work or waits for who does it, and finds out what became of a commit
// of unknown outcome. Each way out leaves the gate. A record that was there already is returned instead of a reply, with what
// the observer is told of it.
func (l *leader[TX]) serve(ctx context.Context, p *program[TX], work LeaseWork[TX]) (reply, *Record, Outcome) {
	var found *Record // what the requests that wait in the gate are answered from
	defer func() { l.turn.leave(found) }()
	for runs := 1; ; runs++ {
		got := l.win(ctx, runs == 1)
		switch {
		case got.record != nil:
			found = got.record
			return reply{}, found, l.as
		case got.problem != nil:
			return l.refuse(got.problem), nil, l.as
		}
		l.turn.inProgress(&l.print)
		l.turn.running()
		end := l.hold(ctx, got.held, got.sent, p, work, runs)
		switch end.kind {
		case endAgain:
			continue
		case endLost:
			found = l.overtaken(ctx, l.deadline)
		case endLeft: // its handler may have completed the record, and not returned
			found = l.overtaken(ctx, time.Now())
		default:
			found = end.record
			return end.reply, nil, l.as
		}
		switch {
		case found == nil:
			return end.reply, nil, l.as
		case !bytes.Equal(found.Fingerprint, l.print[:]): // what became of this request had its time, and nobody can tell any more
			return l.refuse(l.plan.unrecorded()), nil, l.as
		default:
			return reply{}, found, OutcomeWaited
		}
	}
}

// won is what a request has come to that wants to do the work: it holds the record, there is a complete one, or it is refused.
type won struct {
	held    *Held
	sent    time.Time // from when on the lease may count
	record  *Record
	problem *Problem
}

// win claims the id, and waits for who has it as far as the policy has duplicates wait. first: the request has not run yet,
// so that it ends with its client.
func (l *leader[TX]) win(ctx context.Context, first bool) won {
	for {
		if first && ctx.Err() != nil {
			return won{problem: l.notLed(l.begun)}
		}
		_, _ = rand.Read(l.intent.Owner[:]) // never fails; a new one for each run, so that what is late of the last is fenced off
		claim, sent, unknown, err := l.claimLease(ctx, l.intent)
		l.begun = l.begun || unknown
		if errors.Is(err, ErrBusy) {
			l.as = OutcomeWaited
			if rest := min(time.Until(l.deadline), lastLook/2+mathrand.N(lastLook/2)); rest > 0 && sleep(ctx, rest) {
				l.watch.event.Waited += rest
				continue
			}
			return won{problem: l.plan.inFlight()}
		}
		look := Look{Record: claim.Record, Progress: claim.Progress}
		if look.Progress != nil {
			l.readable(ctx, look.Progress)
			l.as = OutcomeWaited
			if l.sameRequest(look.Progress) {
				l.turn.inProgress(&l.print)
			}
			look, err = l.await(ctx, l.deadline, look.Progress)
		}
		switch {
		case err != nil:
			return won{problem: l.notLed(l.begun || errors.Is(err, ErrUnreadable))}
		case look.Record != nil:
			return won{record: look.Record}
		case look.Progress != nil:
			return won{problem: l.inProgress(look.Progress)}
		case claim.Held != nil:
			l.begun = true
			return won{held: claim.Held, sent: sent}
		}
		l.turn.nothingStands() // who did the work has given it up
	}
}

// notLed is the answer where the store does not say what became of the request. begun: what it has claimed may stand, and be
// taken up by others.
func (c *Call[TX]) notLed(begun bool) *Problem {
	if begun {
		return c.plan.unknownOutcome()
	}
	return c.unavailable()
}

// intent is what a claim commits. Its owner is set for each claim.
func (c *Call[TX]) intent() *Intent {
	return &Intent{
		Operation:          c.plan.op.ID,
		FingerprintVersion: FingerprintVersion,
		Fingerprint:        c.print[:],
		Lease:              c.plan.op.Policy.Lease.Duration,
		Request:            c.envelope().encode(),
	}
}

// claimLease claims the id, again where the store fails: it recognises what is ours already. It does not end with the
// request, so that the outcome is known; a claim whose client has gone is released. sent is when the first try was sent, from
// when on the lease may count. unknown: one of the tries may have claimed it, though no answer said so.
func (c *Call[TX]) claimLease(ctx context.Context, intent *Intent) (claim LeaseClaim, sent time.Time, unknown bool, err error) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.settings.claimTimeout)
	defer cancel()
	sent = time.Now()
	for tries := 1; ; tries++ {
		err = caught(func() (err error) {
			claim, err = c.engine.leaseStore().ClaimLease(bounded, c.id, intent)
			return err
		})
		unknown = unknown || errors.Is(err, ErrCommitUnknown)
		if err == nil || errors.Is(err, ErrBusy) {
			return claim, sent, unknown, err
		}
		if bounded.Err() != nil || tries >= c.engine.settings.attempts || errors.Is(err, ErrUnreadable) {
			c.observe(ctx, "store failed", err)
			return LeaseClaim{}, sent, unknown, err
		}
		pause(bounded, tries)
	}
}

// The pauses between two looks at work that another process does.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = 500 * time.Millisecond
)

// await waits, without a connection, for work that another process does, as far as the policy has duplicates wait. It
// returns a record once there is one, and neither where the work can be claimed.
func (c *Call[TX]) await(ctx context.Context, deadline time.Time, progress *Progress) (Look, error) {
	began := time.Now()
	defer func() { c.watch.event.Waited += time.Since(began) }()
	if !c.sameRequest(progress) {
		return Look{Progress: progress}, nil
	}
	for longest := firstLook; ; longest = min(2*longest, lastLook) {
		left := time.Until(deadline)
		if left <= 0 {
			return Look{Progress: progress}, nil
		}
		rest := longest/2 + mathrand.N(longest/2)
		if !sleep(ctx, min(rest, left, max(progress.Left, time.Millisecond))) {
			return Look{Progress: progress}, nil
		}
		look, err := c.look(ctx)
		if err != nil {
			c.observe(ctx, "store failed", err)
			return Look{}, err
		}
		if look.Progress == nil || look.Progress.Left <= 0 && c.sameRequest(look.Progress) {
			return Look{Record: look.Record}, nil
		}
		progress = look.Progress
	}
}

func (c *Call[TX]) look(ctx context.Context) (look Look, err error) {
	bounded, cancel := context.WithTimeout(ctx, c.engine.settings.claimTimeout)
	defer cancel()
	err = caught(func() (err error) {
		look, err = c.engine.leaseStore().Look(bounded, c.id)
		return err
	})
	return look, err
}

// sameRequest reports whether work in progress is this request's.
func (c *Call[TX]) sameRequest(progress *Progress) bool {
	return progress.Operation == c.plan.op.ID && progress.FingerprintVersion == FingerprintVersion && bytes.Equal(progress.Fingerprint, c.print[:])
}

// overtaken waits, as far as the policy has duplicates wait, for the record of the worker that has taken the work over; nil
// where there is none yet.
func (c *Call[TX]) overtaken(ctx context.Context, deadline time.Time) *Record {
	look, err := c.look(ctx)
	if err == nil && look.Progress != nil {
		look, err = c.await(ctx, deadline, look.Progress)
	}
	if err != nil {
		return nil
	}
	return look.Record
}

// hold does the work of a record that was just claimed. One that another worker had held is done with the request that it
// was stored with.
func (l *leader[TX]) hold(ctx context.Context, held *Held, sent time.Time, p *program[TX], work LeaseWork[TX], runs int) leaseEnd {
	c := l.Call
	took := taken[TX]{call: c, work: work}
	var err error
	if held.Fence.Epoch == 1 {
		took.keys, err = c.engine.settings.derivation(held.ID, held.Operation, c.engine.settings.secret)
	} else {
		_, took, err = c.engine.takeUp(context.WithoutCancel(ctx), p, held, nil)
	}
	if err != nil || held.Fence.Epoch > 1 && runs > c.engine.settings.attempts {
		return c.engine.putOff(ctx, p.plan, held, err)
	}
	c.watch.event.Runs++
	lease := newLease(ctx, held, took)
	if held.Fence.Epoch == 1 {
		lease.follow(ctx)
	}
	lease.keep(sent, func() { l.turn.leave(nil) }) // a handler that does not return keeps nobody from what the store has
	c.engine.holding.Store(held.ID, lease.keeper)
	defer c.engine.holding.CompareAndDelete(held.ID, lease.keeper)
	w := lease.do()
	w.goOn()
	return w.end
}

// leaseUnprotected runs the steps without a record, where the key is optional and absent. The keys for external calls are
// made of a random one.
func (c *Call[TX]) leaseUnprotected(ctx context.Context, work LeaseWork[TX]) reply {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	held := &Held{ID: ID{Key: hex.EncodeToString(random[:])}, Fence: Fence{Epoch: 1, Owner: random}, Operation: c.plan.op.ID}
	keys, err := c.engine.settings.derivation(held.ID, held.Operation, c.engine.settings.secret)
	if err != nil {
		c.engine.observe(ctx, c.plan, "operation cannot be served", err)
		return c.refuse(c.plan.faulty())
	}
	c.watch.event.Runs++
	l := newLease(ctx, held, taken[TX]{c, work, keys})
	l.store = unrecorded[TX]{c.engine.store}
	l.follow(ctx)
	l.keep(time.Now(), func() {})
	w := l.do()
	w.goOn()
	switch end := w.end; end.kind {
	case endCompleted:
		end.reply.outcome = OutcomeUnprotected
		return end.reply
	case endReleased:
		return end.reply
	default:
		return c.refuse(c.plan.unrecorded())
	}
}
