package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recovery takes up the work of lease mode that nobody does any more: its worker died, lost its connection, or gave it up.
// Any number of processes may run one; each record is taken over by one of them. It is safe for concurrent use.
type Recovery[TX any] struct {
	engine   *Engine[TX]
	settings recoverySettings
}

// RecoveryOption sets one thing about a recovery.
type RecoveryOption func(*recoverySettings) error

type recoverySettings struct {
	interval    time.Duration
	batch       int // 0: as the concurrency
	concurrency int
	drain       time.Duration
	context     func(ctx context.Context, principal string) context.Context
}

// WithRecoveryInterval sets how long recovery rests after a round that found no more work than it took. Each rest is between
// half of it and half more, so that processes do not come together. The default is 5 seconds.
func WithRecoveryInterval(d time.Duration) RecoveryOption {
	return func(s *recoverySettings) error {
		if d <= 0 {
			return fmt.Errorf("WithRecoveryInterval(%v): the interval must be positive", d)
		}
		s.interval = d
		return nil
	}
}

// WithRecoveryBatch bounds how many records one round takes over, where that is to be fewer than [WithRecoveryConcurrency] has
// places for: so that what is overdue is spread over more processes, for example. The default is as many as there are places.
func WithRecoveryBatch(n int) RecoveryOption {
	return func(s *recoverySettings) error {
		if n < 1 {
			return fmt.Errorf("WithRecoveryBatch(%d): at least one record is needed", n)
		}
		s.batch = n
		return nil
	}
}

// WithRecoveryConcurrency bounds how much work is done at a time. No more is taken over than can be begun at once, since
// from then on its lease counts. More is taken over once a quarter of the places are free, and at each round where any is. The
// default is 4.
func WithRecoveryConcurrency(n int) RecoveryOption {
	return func(s *recoverySettings) error {
		if n < 1 {
			return fmt.Errorf("WithRecoveryConcurrency(%d): at least one at a time is needed", n)
		}
		s.concurrency = n
		return nil
	}
}

// WithRecoveryDrain sets how long recovery goes on with what it holds once it is to stop. What is not finished then has its
// context ended, and is left to other processes at once. A handler that does not heed its context is waited for, as long as
// [WithWorkLimit] has it. The default is 10 seconds; 0 ends it at once.
func WithRecoveryDrain(d time.Duration) RecoveryOption {
	return func(s *recoverySettings) error {
		if d < 0 {
			return fmt.Errorf("WithRecoveryDrain(%v): the bound is not negative", d)
		}
		s.drain = d
		return nil
	}
}

// WithRecoveryContext has the context of work that is taken up made by f, which puts into it what authentication would have
// left there for the given principal. Where f panics or returns nil, the work is put off. It is called from many goroutines.
func WithRecoveryContext(f func(ctx context.Context, principal string) context.Context) RecoveryOption {
	return func(s *recoverySettings) error {
		if f == nil {
			return errors.New("WithRecoveryContext: the function is nil")
		}
		s.context = f
		return nil
	}
}

// RecoveryReport is what one round of recovery came to.
type RecoveryReport struct {
	// Taken is the sum of the others: records that were Completed, Yielded (left in progress, to be looked at again),
	// Released (they had had no effect), Lost (to another worker meanwhile) or Failed (left in progress too, since this
	// process cannot read them or does not know what its last write came to).
	Taken, Completed, Yielded, Released, Lost, Failed int
}

// errDraining is why the context of recovered work ends when recovery stops.
var errDraining = Explain("recovery is stopping; the work is left to another process", nil)

// NewRecovery returns a recovery of the operations that e serves in lease mode: those of which [Engine.LeaseHandler] has
// made a handler by the time of each round.
func (e *Engine[TX]) NewRecovery(opts ...RecoveryOption) (*Recovery[TX], error) {
	if _, ok := e.store.(LeaseStore[TX]); !ok {
		return nil, fmt.Errorf("runtime.NewRecovery: the store, a %T, keeps no work in progress", e.store)
	}
	s := recoverySettings{
		interval: 5 * time.Second, concurrency: 4, drain: 10 * time.Second,
		context: func(ctx context.Context, _ string) context.Context { return ctx },
	}
	for _, opt := range opts {
		if err := opt(&s); err != nil {
			return nil, fmt.Errorf("runtime.NewRecovery: %w", err)
		}
	}
	return &Recovery[TX]{engine: e, settings: s}, nil
}

// Run takes up work until ctx ends, then finishes what it holds, within a bound. It returns nil then, and none of its
// goroutines is left, but for those of handlers that do not return (see [WithWorkLimit]). A store that fails is observed and
// asked again, more and more seldom. The observer is told of the backlog about once an interval, however long rounds take.
func (r *Recovery[TX]) Run(ctx context.Context) error {
	var telling sync.WaitGroup
	telling.Go(func() { r.tellBacklog(ctx) })
	defer telling.Wait()
	c := r.crew(ctx)
	defer c.dismiss()
	for failures := 0; ; {
		full, err := c.round(ctx)
		if err != nil && ctx.Err() == nil {
			r.failed(ctx, "store failed", err)
			failures++
		} else if err == nil {
			failures = 0
		}
		if full && ctx.Err() == nil {
			continue
		}
		if !sleep(ctx, r.rest(failures)) {
			return nil
		}
	}
}

// tellBacklog tells the observer how much work there is, again and again until ctx ends. It waits for no round: while all
// places are taken for long is when somebody has to know.
func (r *Recovery[TX]) tellBacklog(ctx context.Context) {
	for failures := 0; sleep(ctx, r.rest(failures)); {
		if err := r.backlog(ctx); err != nil {
			failures++
		} else {
			failures = 0
		}
	}
}

// rest is the pause before the next round.
func (r *Recovery[TX]) rest(failures int) time.Duration {
	longest := r.settings.interval
	for ; failures > 0 && longest < time.Minute; failures-- {
		longest *= 2
	}
	return longest/2 + rand.N(longest)
}

// Once takes up one batch, and returns when its work has ended. When ctx ends meanwhile, the work is ended as by [Recovery.Run].
// An error means that nothing was taken.
func (r *Recovery[TX]) Once(ctx context.Context) (RecoveryReport, error) {
	c := r.crew(ctx)
	_, err := c.round(ctx)
	c.dismiss()
	if err != nil {
		return RecoveryReport{}, err
	}
	_ = r.backlog(ctx) // which has observed its error
	return c.report, nil
}

// leases are the operations whose work is taken up, by their ids.
func (r *Recovery[TX]) leases() []OperationLease {
	var leases []OperationLease
	r.engine.programs.Range(func(id, p any) bool {
		leases = append(leases, OperationLease{Operation: id.(string), Lease: p.(*program[TX]).plan.op.Policy.Lease.Duration})
		return true
	})
	slices.SortFunc(leases, func(a, b OperationLease) int { return strings.Compare(a.Operation, b.Operation) })
	return leases
}

// backlog tells the observer how much work there is. An error has been observed.
func (r *Recovery[TX]) backlog(ctx context.Context) error {
	var operations []string
	for _, lease := range r.leases() {
		operations = append(operations, lease.Operation)
	}
	if len(operations) == 0 || ctx.Err() != nil {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, r.engine.settings.claimTimeout)
	defer cancel()
	var backlog Backlog
	err := caught(func() (err error) {
		backlog, err = r.engine.leaseStore().Backlog(bounded, operations)
		return err
	})
	switch {
	case err == nil:
		r.tell(ctx, func(o Observer) { o.Backlog(ctx, backlog) })
	case ctx.Err() == nil:
		r.failed(ctx, "store failed", err)
	}
	return err
}

// tell tells the observer something. Its panic is not to end the process: there is no net/http here that catches it.
func (r *Recovery[TX]) tell(ctx context.Context, told func(Observer)) {
	err := caught(func() error {
		told(r.engine.settings.observer)
		return nil
	})
	if err != nil {
		r.failed(ctx, "an observer failed", err)
	}
}

// failed reports an error that belongs to no operation.
func (r *Recovery[TX]) failed(ctx context.Context, what string, err error) {
	r.engine.observe(ctx, &plan{op: &Operation{ID: "recovery"}}, what, err)
}

// crew is the goroutines that do recovered work.
type crew[TX any] struct {
	*Recovery[TX]
	places chan struct{} // one for each that may work at a time
	work   context.Context
	stop   context.CancelCauseFunc
	drain  func() bool
	all    sync.WaitGroup
	asked  time.Time // when the store was asked last; by the goroutine that asks

	mu     sync.Mutex
	report RecoveryReport
}

// crew returns one whose work goes on for the bound of a drain when ctx has ended.
func (r *Recovery[TX]) crew(ctx context.Context) *crew[TX] {
	c := &crew[TX]{Recovery: r, places: make(chan struct{}, r.settings.concurrency)}
	c.work, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	c.drain = context.AfterFunc(ctx, func() {
		if r.settings.drain == 0 || sleep(c.work, r.settings.drain) {
			c.stop(errDraining)
		}
	})
	return c
}

// dismiss waits for all work to end.
func (c *crew[TX]) dismiss() {
	c.all.Wait()
	c.drain()
	c.stop(nil)
}

// round takes over as many records as can be worked on, once at least one can, and begins their work. full says that there
// may be more.
func (c *crew[TX]) round(ctx context.Context) (full bool, err error) {
	leases := c.leases()
	if len(leases) == 0 {
		return false, nil
	}
	places := c.take(ctx)
	if places == 0 {
		return false, nil
	}
	bounded, cancel := context.WithTimeout(ctx, c.engine.settings.claimTimeout)
	defer cancel()
	sent := time.Now()
	c.asked = sent
	var taken []Held
	err = caught(func() (err error) {
		taken, err = c.engine.leaseStore().TakeOver(bounded, leases, places)
		return err
	})
	for range places - len(taken) {
		<-c.places
	}
	for i := range taken {
		c.all.Go(func() {
			defer func() { <-c.places }()
			c.recover(&taken[i], sent)
		})
	}
	return len(taken) == places, err
}

// take takes places, as many as are free up to a batch, and waits for a quarter of all to be, as a store looks through all
// that is in progress each time that it is asked; once a round is due it takes what there is, and waits for one. It returns 0
// where ctx has ended.
func (c *crew[TX]) take(ctx context.Context) int {
	most := c.settings.concurrency
	if c.settings.batch > 0 {
		most = min(most, c.settings.batch)
	}
	enough := min((c.settings.concurrency+3)/4, most)
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	due := time.NewTimer(time.Until(c.asked.Add(c.settings.interval)))
	defer due.Stop()
	for n := 1; n < most; n++ {
		select {
		case c.places <- struct{}{}:
			continue
		default:
		}
		if n >= enough {
			return n
		}
		select {
		case c.places <- struct{}{}:
		case <-due.C:
			return n
		case <-ctx.Done():
			for range n {
				<-c.places
			}
			return 0
		}
	}
	return most
}

// recover does the work of one record, and counts what it came to, also where its handler ends the goroutine.
func (c *crew[TX]) recover(held *Held, sent time.Time) {
	event := RecoveryEvent{Operation: held.Operation, Outcome: RecoveryFailed, Epoch: held.Fence.Epoch}
	began := time.Now()
	defer func() {
		if value := recover(); value != nil { // net/http's way to abort an answer, which is to nobody here
			c.failed(c.work, "recovered work panicked", &PanicError{Value: value, Stack: debug.Stack()})
		}
		event.Duration = time.Since(began)
		c.count(event.Outcome)
		c.tell(c.work, func(o Observer) { o.Recovered(c.work, event) })
	}()
	known, ok := c.engine.programs.Load(held.Operation)
	if !ok {
		return // a store that gives what it was not asked for; the lease ends by itself
	}
	p := known.(*program[TX])
	event.Age = max(time.Since(held.CreatedAt), 0) // of two clocks: good enough to be told
	ctx, took, err := c.engine.takeUp(c.work, p, held, c.inContext)
	if err != nil {
		c.engine.putOff(ctx, p.plan, held, err)
		return
	}
	l := newLease(ctx, held, took)
	l.ctx = ctx // which ends when recovery stops, whatever has been done
	l.recovered = true
	l.keep(sent, func() {})
	w := l.do()
	event.Outcome = w.end.kind.recovered()
	w.goOn()
}

// errNoContext is a function of [WithRecoveryContext] that gives no context.
var errNoContext = Explain("the function of WithRecoveryContext returned a nil context", nil)

// inContext makes the context of work for the stored principal; with an error it is ctx.
func (r *Recovery[TX]) inContext(ctx context.Context, principal string) (context.Context, error) {
	var made context.Context
	err := caught(func() error {
		made = r.settings.context(ctx, principal)
		return nil
	})
	switch {
	case err != nil:
		return ctx, err
	case made == nil:
		return ctx, errNoContext
	}
	return made, nil
}

// recovered is the end's word in a [RecoveryEvent].
func (k endKind) recovered() RecoveryOutcome {
	switch k {
	case endCompleted:
		return RecoveryCompleted
	case endReleased:
		return RecoveryReleased
	case endLost:
		return RecoveryLost
	case endSuspended, endAgain, endLeft:
		return RecoveryYielded
	default:
		return RecoveryFailed
	}
}

func (c *crew[TX]) count(outcome RecoveryOutcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Taken++
	switch outcome {
	case RecoveryCompleted:
		c.report.Completed++
	case RecoveryYielded:
		c.report.Yielded++
	case RecoveryReleased:
		c.report.Released++
	case RecoveryLost:
		c.report.Lost++
	default:
		c.report.Failed++
	}
}
