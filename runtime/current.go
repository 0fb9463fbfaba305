package runtime

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// First is the first answer of a request, as far as it is kept, for a function that rebuilds it.
type First struct {
	Status int
	Header http.Header
	// Body is nil where the policy keeps none, where it was too large to keep, and where it is sealed and does not open.
	Body []byte
	// At is when it was committed, by the store's clock.
	At time.Time
}

// CurrentFunc rebuilds the answer to a repeated request from the current state, for a policy with `replay.as: current`. It
// reads through tx, which is rolled back afterwards. It has no effect of its own: the request was carried out before.
type CurrentFunc[TX any] func(ctx context.Context, tx TX, first *First) (Response, error)

// Current sets the function that rebuilds the answer to a repetition of this request. It is called before
// [Call.Transaction], and for lease mode by the operation's [LeaseProgram].
func (c *Call[TX]) Current(rebuild CurrentFunc[TX]) { c.current = rebuild }

// rebuilds reports whether a replay is made anew.
func (p *plan) rebuilds() bool { return p.op.Policy.Replay.As == policy.Current }

// withoutCurrent is the problem of a request whose replays nothing could rebuild. The first request is refused already,
// since its repetition could not be answered.
func (c *Call[TX]) withoutCurrent(ctx context.Context) *Problem {
	if !c.plan.rebuilds() || c.current != nil {
		return nil
	}
	text := fmt.Sprintf("operation %q has replay.as: current, and nothing rebuilds its answers: set a function by Call.Current", c.plan.op.ID)
	c.engine.observe(ctx, c.plan, "answers cannot be rebuilt", Explain(text, nil))
	return c.plan.faulty()
}

// rebuilt answers a repeated request from the current state, in a transaction of its own without a claim. The work does
// not run, whatever happens. as is what the observer is told of a request that is answered.
func (c *Call[TX]) rebuilt(ctx context.Context, record *Record, as Outcome) reply {
	if problem := c.withoutCurrent(ctx); problem != nil {
		return c.refuse(c.plan.notRebuilt())
	}
	for runs := 1; ; runs++ {
		tx, err := c.begin(ctx)
		if err != nil {
			if ctx.Err() == nil {
				c.engine.observe(ctx, c.plan, "store failed", err)
			}
			return c.refuse(c.plan.answerUnavailable())
		}
		answer, again := c.rebuild(ctx, tx, record, as)
		if !again {
			return answer
		}
		if runs >= c.engine.settings.attempts {
			return c.refuse(c.plan.answerUnavailable())
		}
		pause(ctx, runs)
	}
}

// rebuild calls the function once, and rolls tx back on each way out. again says that the database asks for a repetition.
func (c *Call[TX]) rebuild(ctx context.Context, tx Work[TX], record *Record, as Outcome) (answer reply, again bool) {
	returned := false
	defer func() {
		c.engine.rollback(ctx, c.plan, tx)
		if returned {
			return
		}
		value := recover() // nil for runtime.Goexit, which goes on by itself
		if value == nil {
			return
		}
		if value == http.ErrAbortHandler { //nolint:errorlint // net/http compares it in this way
			panic(value)
		}
		c.engine.observe(ctx, c.plan, "rebuilding an answer panicked", &PanicError{Value: value, Stack: debug.Stack()})
		answer = c.refuse(c.plan.notRebuilt())
	}()
	answer, again = c.callCurrent(ctx, tx.Tx(), record, as)
	returned = true
	return answer, again
}

func (c *Call[TX]) callCurrent(ctx context.Context, tx TX, record *Record, as Outcome) (answer reply, again bool) {
	made, err := c.current(ctx, tx, firstOf(record))
	if err == nil {
		made, err = normalise(made)
	}
	if err == nil {
		c.plan.mark(made.Header)
		made.Status = c.plan.statusAgain(made.Status)
		return reply{made, as}, false
	}
	if problem, ok := asProblem(err); ok {
		answer = c.refuseAs(as, problem)
		c.plan.mark(answer.Header) // the state answers, such as by a 404: the request was carried out all the same
		return answer, false
	}
	if c.engine.store.Retryable(err) {
		return reply{}, true
	}
	if ctx.Err() != nil { // the client is gone, or its time is up
		return c.refuse(c.plan.answerUnavailable()), false
	}
	c.engine.observe(ctx, c.plan, "an answer cannot be rebuilt", err)
	return c.refuse(c.plan.notRebuilt()), false
}

// firstOf is a copy of what record keeps: the function that it is given to may change it, and the record is shared.
func firstOf(record *Record) *First {
	first := &First{Status: record.Status, Header: record.Header.Clone(), At: record.CreatedAt}
	if record.unreadable() == nil {
		first.Body = bytes.Clone(record.Body)
	}
	return first
}
