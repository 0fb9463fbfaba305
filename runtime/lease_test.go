package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// payout is an operation in lease mode: reserve and book work in the database, transfer and notify call a bank.
func payout(changes ...func(*policy.Policy)) *runtime.Operation {
	op := payment(func(p *policy.Policy) {
		p.Mode = policy.LeaseMode
		p.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
		p.Lease = policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
		p.Steps = []string{"reserve", "transfer", "book", "notify"}
		p.Downstream = []policy.Downstream{
			{Name: "bank", Step: "transfer", Header: "Bank-Key", Format: policy.UUID5},
			{Name: "mail", Step: "notify", Header: "Mail-Key"},
		}
	})
	op.ID = "createPayout"
	for _, change := range changes {
		change(&op.Policy)
	}
	return op
}

// handler is the work of a payout under test.
type handler = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error)

// bank is the other side: it counts what it is asked to do, by key.
type bank struct {
	mu    sync.Mutex
	calls []string       // keys in the order of the calls
	known map[string]int // effects by key; it does not deduplicate
	fail  func(n int) error
}

func (b *bank) transfer(key string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, key)
	if b.known == nil {
		b.known = map[string]int{}
	}
	if b.fail != nil {
		if err := b.fail(len(b.calls)); err != nil {
			return "", err
		}
	}
	b.known[key]++
	return "t-" + key, nil
}

func (b *bank) has(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[key] > 0
}

func (b *bank) effects() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, k := range b.known {
		n += k
	}
	return n
}

// office is a service with one operation in lease mode.
type office struct {
	*service
	leases    *faultyLeases
	bank      bank
	run       handler // nil: pay
	reconcile runtime.ReconcileFunc
	reserved  atomic.Int64
	seen      events
}

func newOffice(t *testing.T, op *runtime.Operation, opts ...runtime.Option) *office {
	t.Helper()
	return newOfficeAt(t, op, time.Now, opts...)
}

func newOfficeAt(t *testing.T, op *runtime.Operation, now func() time.Time, opts ...runtime.Option) *office {
	t.Helper()
	o := &office{service: &service{t: t, op: op, mux: http.NewServeMux(), log: &lockedBuffer{}}}
	o.leases = &faultyLeases{Store: memstore.New(memstore.WithClock(now))}
	o.service.store = &faultyStore{Store: o.leases.Store}
	o.engine = o.newEngine(opts...)
	o.serve(o.mux, o.engine)
	return o
}

// newEngine is another process over the same store.
func (o *office) newEngine(opts ...runtime.Option) *runtime.Engine[pgx.Tx] {
	o.t.Helper()
	opts = append([]runtime.Option{runtime.WithLogger(slog.New(slog.NewTextHandler(o.log, nil))), runtime.WithObserver(&o.seen)}, opts...)
	engine, err := runtime.New[pgx.Tx](o.leases, bearer, opts...)
	if err != nil {
		o.t.Fatal(err)
	}
	return engine
}

func (o *office) serve(mux *http.ServeMux, engine *runtime.Engine[pgx.Tx]) {
	mux.Handle(o.op.Method+" "+o.op.Route, engine.LeaseHandler(o.op, o.program))
}

func (o *office) program(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
	run := o.run
	if run == nil {
		run = o.pay
	}
	return runtime.LeaseWork[pgx.Tx]{
		Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			o.runs.Add(1)
			return run(ctx, lease)
		},
		Reconcile: map[string]runtime.ReconcileFunc{"transfer": o.ask, "notify": o.ask},
	}, nil
}

// ask reconciles by what the bank knows, unless the test says otherwise.
func (o *office) ask(ctx context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
	if o.reconcile != nil {
		return o.reconcile(ctx, step)
	}
	if o.bank.has(step.Key()) {
		return runtime.Done("t-" + step.Key()), nil
	}
	return runtime.NotDone(), nil
}

// reserve is the first step.
func (o *office) reserve(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (int64, error) {
	return runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (int64, error) {
		return 7, memstore.OnCommit(tx, func() { o.reserved.Add(1) })
	})
}

func (o *office) transfer(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (string, error) {
	return runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
		return o.bank.transfer(out.Key())
	})
}

func (o *office) complete(ctx context.Context, lease *runtime.Lease[pgx.Tx], answer runtime.Response) (runtime.Response, error) {
	return answer, lease.Complete(ctx, func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
		return answer, memstore.OnCommit(tx, func() { o.effects.Add(1) })
	})
}

// pay is a whole payout.
func (o *office) pay(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
	reserved, err := o.reserve(ctx, lease)
	if err != nil {
		return runtime.Response{}, err
	}
	transfer, err := o.transfer(ctx, lease)
	if err != nil {
		return runtime.Response{}, err
	}
	return o.complete(ctx, lease, runtime.Response{Status: 201, Body: fmt.Appendf(nil, "paid %d by %s", reserved, transfer)})
}

// wantPaid checks that everything was done once.
func (o *office) wantPaid() {
	o.t.Helper()
	if reserved, moved, booked := o.reserved.Load(), o.bank.effects(), o.effects.Load(); reserved != 1 || moved != 1 || booked != 1 {
		o.t.Errorf("reserved %d times, transferred %d times, completed %d times; want each once", reserved, moved, booked)
	}
}

// wantNothing checks that there is no effect and no record.
func (o *office) wantNothing() {
	o.t.Helper()
	if reserved, moved, booked := o.reserved.Load(), o.bank.effects(), o.effects.Load(); reserved+int64(moved)+booked != 0 {
		o.t.Errorf("reserved %d times, transferred %d times, completed %d times; want nothing", reserved, moved, booked)
	}
	if look := o.look("k"); look.Record != nil || look.Progress != nil {
		o.t.Errorf("there is a record: %+v", look)
	}
}

// look reads the record of account acct_1 under key.
func (o *office) look(key string) runtime.Look {
	o.t.Helper()
	look, err := o.leases.Store.Look(context.Background(), idOf(key))
	if err != nil {
		o.t.Fatal(err)
	}
	return look
}

func idOf(key string) runtime.ID {
	return runtime.ID{Scope: "p6:acct_1o12:createPayout", Key: key}
}

// overdue has the lease of the record in progress under key be over, as after the death of its worker.
func (o *office) overdue(key string) {
	o.t.Helper()
	look := o.look(key)
	if look.Progress == nil {
		o.t.Fatalf("no work is in progress: %+v", look)
	}
	if err := o.leases.Store.Yield(context.Background(), idOf(key), look.Progress.Fence, 0); err != nil {
		o.t.Fatal(err)
	}
}

// recover runs one round of recovery.
func (o *office) recover(opts ...runtime.RecoveryOption) runtime.RecoveryReport {
	o.t.Helper()
	recovery, err := o.engine.NewRecovery(opts...)
	if err != nil {
		o.t.Fatal(err)
	}
	report, err := recovery.Once(context.Background())
	if err != nil {
		o.t.Fatal(err)
	}
	return report
}

// faultyLeases is a store in memory in which a test can let things go wrong. Each function takes the place of the call.
type faultyLeases struct {
	*memstore.Store
	claimLease func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error)
	renew      func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error
	advance    func(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error
	yield      func(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error
	release    func(ctx context.Context, id runtime.ID, fence runtime.Fence) error
	takeOver   func(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error)
	begin      func(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error)
	// commit takes the place of the commit of fenced work.
	commit func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error
	// adrift has what is rolled back go on: a connection that the client has given up, and the server has not.
	adrift bool
	open   atomic.Int64 // transactions that have not ended
}

func (s *faultyLeases) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	if s.claimLease != nil {
		return s.claimLease(ctx, id, intent)
	}
	return s.Store.ClaimLease(ctx, id, intent)
}

func (s *faultyLeases) Renew(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
	if s.renew != nil {
		return s.renew(ctx, id, fence, d)
	}
	return s.Store.Renew(ctx, id, fence, d)
}

func (s *faultyLeases) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	if s.advance != nil {
		return s.advance(ctx, id, fence, to)
	}
	return s.Store.Advance(ctx, id, fence, to)
}

func (s *faultyLeases) Yield(ctx context.Context, id runtime.ID, fence runtime.Fence, after time.Duration) error {
	if s.yield != nil {
		return s.yield(ctx, id, fence, after)
	}
	return s.Store.Yield(ctx, id, fence, after)
}

func (s *faultyLeases) Release(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
	if s.release != nil {
		return s.release(ctx, id, fence)
	}
	return s.Store.Release(ctx, id, fence)
}

func (s *faultyLeases) TakeOver(ctx context.Context, operations []runtime.OperationLease, limit int) ([]runtime.Held, error) {
	if s.takeOver != nil {
		return s.takeOver(ctx, operations, limit)
	}
	return s.Store.TakeOver(ctx, operations, limit)
}

func (s *faultyLeases) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	if s.begin != nil {
		return s.begin(ctx, id, fence)
	}
	work, err := s.Store.BeginFenced(ctx, id, fence)
	if err != nil {
		return nil, err
	}
	s.open.Add(1)
	return &faultyFenced{FencedWork: work, store: s}, nil
}

type faultyFenced struct {
	runtime.FencedWork[pgx.Tx]
	store *faultyLeases
	ended bool
}

func (w *faultyFenced) end() {
	if !w.ended {
		w.store.open.Add(-1)
	}
	w.ended = true
}

func (w *faultyFenced) Commit(ctx context.Context, to *runtime.Advance) error {
	defer w.end()
	if w.store.commit != nil {
		return w.store.commit(ctx, w.FencedWork, to)
	}
	return w.FencedWork.Commit(ctx, to)
}

func (w *faultyFenced) Rollback(ctx context.Context) error {
	defer w.end()
	if w.store.adrift {
		return nil
	}
	return w.FencedWork.Rollback(ctx)
}

// events is an observer that remembers.
type events struct {
	mu        sync.Mutex
	requests  []runtime.RequestEvent
	steps     []string // "transfer done"
	lost      int
	lostBy    string // the last cause
	limits    []runtime.WorkLimitEvent
	recovered []runtime.RecoveryEvent
	backlogs  []runtime.Backlog
}

func (e *events) Request(ctx context.Context, _ string) (context.Context, func(runtime.RequestEvent)) {
	return ctx, func(event runtime.RequestEvent) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.requests = append(e.requests, event)
	}
}

func (e *events) Step(_ context.Context, event runtime.StepEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.steps = append(e.steps, event.Step+" "+string(event.Outcome))
}

func (e *events) LeaseLost(_ context.Context, event runtime.LeaseLostEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost++
	e.lostBy = event.Cause
}

func (e *events) WorkLimit(_ context.Context, event runtime.WorkLimitEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.limits = append(e.limits, event)
}

func (e *events) Recovered(_ context.Context, event runtime.RecoveryEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recovered = append(e.recovered, event)
}

func (e *events) Backlog(_ context.Context, backlog runtime.Backlog) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.backlogs = append(e.backlogs, backlog)
}

// outcomes are the outcomes of the requests, in order.
func (e *events) outcomes() []runtime.Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []runtime.Outcome
	for _, r := range e.requests {
		all = append(all, r.Outcome)
	}
	return all
}

func TestLease_A2_RunsOnceAndReplays(t *testing.T) {
	o := newOffice(t, payout())
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		if o.look("k").Progress == nil {
			t.Error("the work begins before its intent is committed")
		}
		return o.pay(ctx, lease)
	}
	first := o.post("k", body)
	if first.status != 201 || first.replayed() {
		t.Fatalf("%+v", first)
	}
	wantReplay(t, first, o.post("k", body))
	o.post("k", `{"amount":200}`).wantProblem(t, 422, "key-reused")
	o.wantPaid()
	if got := fmt.Sprint(o.seen.outcomes(), o.seen.steps); got != "[fresh replayed mismatch] [reserve done transfer done]" {
		t.Errorf("observed: %s", got)
	}
	if open := o.leases.open.Load(); open != 0 {
		t.Errorf("%d transactions are open", open)
	}
}

// A transaction is never open while the other side is called.
func TestLease_A2_NoTransactionIsOpenAcrossACall(t *testing.T) {
	o := newOffice(t, payout())
	o.bank.fail = func(int) error {
		if open := o.leases.open.Load(); open != 0 {
			t.Errorf("%d transactions are open", open)
		}
		return nil
	}
	o.post("k", body)
	o.wantPaid()
}

func TestLease_A5_RecoveryTakesUpWhatIsLeft(t *testing.T) {
	o := newOffice(t, payout())
	o.bank.fail = func(n int) error {
		if n == 1 {
			return errors.New("timeout")
		}
		return nil
	}
	a := o.post("k", body)
	a.wantProblem(t, 503, "outcome-unknown")
	a.wantRetryAfter(t)
	o.overdue("k")
	if report := o.recover(); report != (runtime.RecoveryReport{Taken: 1, Completed: 1}) {
		t.Errorf("%+v; log %s", report, o.log)
	}
	o.wantPaid()
	if a := o.post("k", body); a.status != 201 || !a.replayed() {
		t.Errorf("%+v", a)
	}
	if got := fmt.Sprint(o.seen.steps); got != "[reserve done transfer unknown reserve stored transfer done]" {
		t.Errorf("steps: %s", got)
	}
	if o.bank.calls[0] != o.bank.calls[1] { // A3
		t.Errorf("two keys for one step: %q", o.bank.calls)
	}
}
