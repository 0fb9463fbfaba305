package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// ErrUnauthenticated is wrapped by a [PrincipalFunc] that does not know who is asking; the answer is 401.
var ErrUnauthenticated = errors.New("the request is not authenticated")

// PrincipalFunc says who is asking: the account, tenant or user whose keys are kept apart from everybody else's. It reads
// what authentication left behind, never the request's body. An error that wraps [ErrUnauthenticated], and an empty
// principal, are answered with 401, a [*Problem] as it says, any other error with 503. It is called from many goroutines.
type PrincipalFunc func(*http.Request) (string, error)

// Engine keeps the promise for the operations of one service: it carries each request along the way that doc.go draws. It
// is safe for concurrent use. One engine serves all operations over one store.
type Engine[TX any] struct {
	store     Store[TX]
	principal PrincipalFunc
	settings  settings
	gate      *gate
	plans     sync.Map // *Operation -> *plan
	programs  sync.Map // operation's id -> *program[TX]; lease mode only
	holding   sync.Map // ID -> *keeper: the leases under which this process does work for clients
	large     sync.Map // operation and step -> true: those whose large results were told of
}

// New returns an engine over store that takes the principal of each request from principal. Both are needed: there is no
// default under which two accounts could share a key.
func New[TX any](store Store[TX], principal PrincipalFunc, opts ...Option) (*Engine[TX], error) {
	if store == nil {
		return nil, errors.New("runtime.New: the store is nil")
	}
	if principal == nil {
		return nil, errors.New("runtime.New: the principal function is nil; without it accounts would share keys")
	}
	s := defaults()
	for _, opt := range opts {
		if err := opt(&s); err != nil {
			return nil, fmt.Errorf("runtime.New: %w", err)
		}
	}
	return &Engine[TX]{store: store, principal: principal, settings: s, gate: newGate()}, nil
}

// Register checks op and prepares it, so that a policy which cannot be kept fails when a service starts and not at its
// first request. Registering an operation twice is free. op must not change afterwards.
func (e *Engine[TX]) Register(op *Operation) error {
	_, err := e.plan(op)
	return err
}

// plan returns what Register prepared, or prepares it.
func (e *Engine[TX]) plan(op *Operation) (*plan, error) {
	if p, ok := e.plans.Load(op); ok {
		return p.(*plan), nil
	}
	p, err := newPlan(op, &e.settings)
	if err != nil {
		return nil, err
	}
	if err := e.keepsLeases(p); err != nil {
		return nil, err
	}
	stored, _ := e.plans.LoadOrStore(op, p)
	return stored.(*plan), nil
}

// Begin reads who asks, the key and the body, before any work and before the store is touched. Where one of them is not as
// the policy wants it, the answer is sent and ok is false. The body is read whole, bounded and unzipped. Where the policy has
// requests say when they were first sent, the store is then asked for its time.
func (e *Engine[TX]) Begin(w http.ResponseWriter, r *http.Request, op *Operation) (call *Call[TX], ok bool) {
	c := &Call[TX]{engine: e, writer: w}
	operation := ""
	if op != nil {
		operation = op.ID
	}
	r = c.watch.begin(e.settings.observer, r, operation)
	defer func() {
		if !ok { // what has been answered was told; what panicked was not
			c.End()
		}
	}()
	plan, err := e.plan(op)
	if err != nil {
		e.settings.logger.ErrorContext(r.Context(), "idempotency: operation cannot be served", "error", err)
		problem := unplanned()
		c.finish(reply{problem.response(nil), problem.outcome})
		return nil, false
	}
	c.plan = plan
	if problem := c.read(r); problem != nil {
		c.finish(c.refuseAs(refusedBeforeWork(problem), problem))
		return nil, false
	}
	if problem := c.inTime(c.request.Context()); problem != nil {
		c.finish(c.refuse(problem))
		return nil, false
	}
	return c, true
}

// refusedBeforeWork is what became of a request that was not even read to its end.
func refusedBeforeWork(problem *Problem) Outcome {
	switch {
	case problem.outcome != "":
		return problem.outcome
	case problem.status() == http.StatusUnauthorized: // the principal function's own
		return OutcomeUnauthenticated
	default:
		return OutcomeInvalid
	}
}

// Transaction does everything else, once, including sending the answer. work runs with a transaction in which the record
// of the request is committed too, when the answer's status is one that the policy keeps; any other status, and an error,
// roll the work back. Nothing is sent before the commit has returned.
//
// work runs at most once per committed effect but may be called again, with a new transaction, when the database asks
// for it: it keeps its effects in tx. ctx is the request's. An error that is or wraps a [ProblemError] is answered as it
// says; any other is a 500 without its text.
func (c *Call[TX]) Transaction(work func(ctx context.Context, tx TX) (Response, error)) {
	defer c.End() // a panic, or runtime.Goexit
	ctx := c.request.Context()
	if c.plan.op.Policy.Mode == policy.LeaseMode {
		c.engine.observe(ctx, c.plan, "operation cannot be served", Explain("the operation is in lease mode: serve it by Engine.LeaseHandler", nil))
		c.finish(c.refuse(c.plan.faulty()))
		return
	}
	if problem := c.withoutCurrent(ctx); problem != nil {
		c.finish(c.refuse(problem))
		return
	}
	deadline := time.Now().Add(c.plan.wait())
	if c.key == "" {
		c.finish(c.unprotected(ctx, work))
		return
	}
	c.throughGate(ctx, c.plan.inFlight, func(turn *turn) (reply, *Record, Outcome) {
		answer, record := c.lead(ctx, turn, deadline, work)
		return answer, record, OutcomeReplayed
	})
}

// throughGate takes the request through the gate and answers it: from the record that another one with its id has led to, by
// busy where that one is still at it, or by what lead comes to. A record that lead has found is answered from when the gate
// has been left, and the observer is told the outcome that comes with it.
func (c *Call[TX]) throughGate(ctx context.Context, busy func() *Problem, lead func(*turn) (reply, *Record, Outcome)) {
	turn, outcome := c.engine.gate.enter(ctx, c.id, c.patience())
	c.watch.event.Waited = outcome.waited
	switch outcome.state {
	case gateRecord:
		c.finish(c.recorded(ctx, outcome.record, OutcomeWaited))
	case gateBusy:
		c.finish(c.refuse(busy()))
	case gateOther:
		c.finish(c.refuse(c.plan.otherInProgress()))
	case gateGone:
		c.finish(c.refuse(c.unavailable()))
	default:
		answer, record, as := lead(turn)
		if record != nil {
			answer = c.recorded(ctx, record, as)
		}
		c.finish(answer)
	}
}
