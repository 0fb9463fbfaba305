package leasemodel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// All times are of the bubble's own clock. A rest is longer than any lease and any pause before work is taken up again, so
// that after one every lease is over that was not renewed since, and none needs a number to be told from another.
const (
	leaseTime    = 20 * time.Minute
	heartbeat    = 9 * time.Minute
	longestPause = 15 * time.Minute
	rest         = 21 * time.Minute
)

// operation has a step in the database, one at the other side, and ends with a write in the database.
var operation = &runtime.Operation{
	ID: "createPayout", Method: "POST", Route: "/payouts",
	Policy: policy.Policy{
		Mode: policy.LeaseMode,
		Key: policy.Key{
			In: policy.InHeader, Name: "Idempotency-Key", Required: true,
			Format: policy.AnyFormat, MaxLength: 64, LengthUnit: policy.Characters, Syntax: policy.Either,
		},
		Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
		Retention:   10_000 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX"}, MaxBody: 1 << 10},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second},
		Lease:       policy.Lease{Duration: leaseTime, Heartbeat: heartbeat},
		Steps:       []string{"reserve", "transfer"},
		Downstream:  []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Bank-Key", Format: policy.UUID5}},
	},
}

// outside is operation where the step at the other side is the only one.
var outside = func() *runtime.Operation {
	op := *operation
	op.Policy.Steps = []string{"transfer"}
	return &op
}()

// trial is one run from the beginning, along a path of choices.
type trial struct {
	t      *testing.T
	bound  bounds
	fault  fault
	base   *memstore.Store // what is stored at the moment
	store  store           // base, or base behind a fault
	intent runtime.Intent  // of the last claim

	mu     sync.Mutex
	acts   []*act
	seq    int
	all    sync.WaitGroup
	id     runtime.ID // of the record; learnt from the first claim
	owners map[[16]byte]*process
	procs  []*process
	rests  int // how often a rest was taken
	losses int // how often an act did not go its ordinary course
	asides int // how often the other side could not tell

	numbers map[[16]byte]int // of records, by their first owner
	epochs  map[[16]byte]int64

	bank     map[string]int // effects at the other side by key; it deduplicates
	reserved int            // how often the first step's effect was committed
	booked   int            // how often the last write's
	record   string         // the complete record, once there is one
	body     string         // what it answers with

	broken string // the invariant that was found broken, and how
}

// newTrial begins, with every process before its first act.
func newTrial(t *testing.T, b bounds, f fault) *trial {
	tr := &trial{t: t, bound: b, fault: f, owners: map[[16]byte]*process{}, bank: map[string]int{},
		numbers: map[[16]byte]int{}, epochs: map[[16]byte]int64{}}
	tr.base = memstore.New()
	tr.store = tr.base
	if f.unfenced {
		tr.store = &unfenced{tr.base, tr}
	}
	for i := range b.clients {
		tr.start('A'+rune(i), 1)
	}
	for i := range b.recoveries {
		tr.start('R'+rune(i), 1)
	}
	synctest.Wait()
	return tr
}

func (tr *trial) violated(format string, args ...any) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.broken == "" {
		tr.broken = fmt.Sprintf(format, args...)
	}
}

// start starts an attempt of a client, or a round of recovery.
func (tr *trial) start(kind rune, attempt int) {
	p := &process{trial: tr, name: fmt.Sprintf("%c%d", kind, attempt), kind: kind, attempt: attempt, order: len(tr.procs)}
	tr.procs = append(tr.procs, p)
	tr.all.Go(func() {
		answer, told := "", &told{}
		if p.recovers() {
			answer = tr.recover(p)
		} else if p.begin("claim") == nil {
			_, handler := tr.engine(tr.view(p), p, runtime.WithObserver(told))
			answer = ask(handler)
		}
		tr.mu.Lock()
		defer tr.mu.Unlock()
		p.done, p.answer, p.told = true, answer, told.outcome
	})
}

// told is what an observer is told that a request was answered.
type told struct {
	runtime.Unobserved
	outcome runtime.Outcome
}

func (o *told) Request(ctx context.Context, _ string) (context.Context, func(runtime.RequestEvent)) {
	return ctx, func(e runtime.RequestEvent) { o.outcome = e.Outcome }
}

// view is the store as a process has it.
func (tr *trial) view(p *process) store {
	l := &leases{tr.store, p}
	if tr.fault.blind {
		return &blind{l}
	}
	return l
}

// engine is a process's own, over what it has for a store.
func (tr *trial) engine(s store, p *process, opts ...runtime.Option) (*runtime.Engine[pgx.Tx], http.Handler) {
	// A rest is longer than the limit's default, and is not long to a worker.
	opts = append(opts, runtime.WithLogger(slog.New(slog.DiscardHandler)), runtime.WithWorkLimit(10_000*time.Hour))
	engine, err := runtime.New[pgx.Tx](s, func(*http.Request) (string, error) { return "acct_1", nil }, opts...)
	if err != nil {
		tr.t.Fatal(err)
	}
	op := operation
	if tr.bound.outside {
		op = outside
	}
	return engine, engine.LeaseHandler(op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		w := &worker{tr, p}
		return runtime.LeaseWork[pgx.Tx]{Run: w.run, Reconcile: map[string]runtime.ReconcileFunc{"transfer": w.reconcile}}, nil
	})
}

// ask sends the request, and returns the body of a final answer.
func ask(handler http.Handler) string {
	r := httptest.NewRequest("POST", "/payouts", strings.NewReader(`{"amount":1}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "k")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusCreated {
		return ""
	}
	return w.Body.String()
}

// recover is one round of recovery.
func (tr *trial) recover(p *process) string {
	engine, _ := tr.engine(tr.view(p), p)
	recovery, err := engine.NewRecovery(runtime.WithRecoveryConcurrency(1), runtime.WithRecoveryBatch(1))
	if err != nil {
		tr.t.Fatal(err)
	}
	if p.begin("take over") == nil {
		_, _ = recovery.Once(context.Background())
	}
	return ""
}

// worker is the handler of the operation, in one process.
type worker struct {
	*trial
	process *process
}

func (w *worker) run(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
	first := w.reserve
	if w.bound.outside {
		first = w.inquire
	}
	if err := first(ctx, lease); err != nil {
		return runtime.Response{}, err
	}
	_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (int, error) {
		w.runs("transfer")
		return w.transfer(out.Key())
	})
	if err != nil {
		return runtime.Response{}, err
	}
	var answer runtime.Response
	err = lease.Complete(ctx, func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
		answer = runtime.Response{
			Status: http.StatusCreated,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   fmt.Appendf(nil, `{"by":%q}`, w.process.name),
		}
		if w.fault.separate {
			return answer, w.process.do(nil, "write", func() string { w.booked++; return "done" })
		}
		return answer, memstore.OnCommit(tx, func() { w.booked++; w.process.effects = true })
	})
	return answer, err
}

// reserve is the step in the database.
func (w *worker) reserve(ctx context.Context, lease *runtime.Lease[pgx.Tx]) error {
	_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (int, error) {
		w.runs("reserve")
		return 1, memstore.OnCommit(tx, func() { w.reserved++; w.process.effects = true })
	})
	return err
}

// inquire asks, before any step, whether the request can be met: it may come to the end that it cannot, unless it was met
// before, and may fail. Where nothing is lost it is no step.
func (w *worker) inquire(context.Context, *runtime.Lease[pgx.Tx]) error {
	if w.bound.losses == 0 {
		return nil
	}
	courses := []course{lost, refused}
	if w.process.began["transfer"] {
		courses = courses[:1]
	}
	course, err := w.process.wait(nil, "inquiry", courses)
	if err != nil {
		return err
	}
	w.process.note("inquiry", course, func() string { return "done" })
	switch course {
	case lost:
		return errLost
	case refused:
		w.process.refuses = true
		return &runtime.Problem{Status: http.StatusPaymentRequired, Title: "Declined"}
	default:
		return nil
	}
}

// runs notes that a step is run: never one that was done when the work was given to the process.
func (w *worker) runs(step string) {
	if w.process.began[step] {
		w.violated("I1: %s runs step %s, which was done before", w.process.name, step)
	}
}

// transfer calls the other side, which does one transfer for each key.
func (w *worker) transfer(key string) (int, error) {
	unheard := w.process.venture(nil, "transfer", []course{answerLost, lost}, func() string {
		if w.fault.randomKey {
			key = fmt.Sprint("random ", len(w.bank))
		}
		w.bank[key] = 1
		w.process.effects = true
		return "done"
	})
	return 1, unheard
}

// underway says whether a transfer is on its way to the other side. Where the call is made again with the same key it makes no
// difference; for who does not make it, the other side does not say "not done" then.
func (w *worker) underway() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.acts, func(a *act) bool { return a.name == "transfer" && !a.process.dead })
}

func (w *worker) reconcile(_ context.Context, step *runtime.Interrupted) (found runtime.Reconciliation, err error) {
	unheard := w.process.venture(nil, "reconcile", []course{unclear}, func() string {
		if w.bank[step.Key()] > 0 {
			found = runtime.Done(1)
			return "done"
		}
		if w.process.refuses && w.underway() {
			return "under way"
		}
		found = runtime.NotDone()
		return "not done"
	})
	if unheard == errLost { //nolint:errorlint // which nobody wraps
		return runtime.Unknown(), nil
	}
	return found, unheard
}

// announce has an act wait for the scheduler.
func (tr *trial) announce(p *process, name string, courses []course) *act {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.seq++
	a := &act{process: p, name: name, seq: tr.seq, courses: courses, granted: make(chan course, 1)}
	tr.acts = append(tr.acts, a)
	return a
}

func (tr *trial) withdraw(a *act) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.acts = slices.DeleteFunc(tr.acts, func(b *act) bool { return a == b })
}

// owned notes which record an owner token is for, and whose it is.
func (tr *trial) owned(id runtime.ID, owner [16]byte, p *process) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.id = id
	tr.owners[owner] = p
}

// claims notes what a process claims.
func (tr *trial) claims(id runtime.ID, intent *runtime.Intent, p *process) {
	tr.owned(id, intent.Owner, p)
	tr.intent = *intent
}

func (tr *trial) owner(owner [16]byte) *process {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.owners[owner]
}

// number numbers records from the claim on that makes them, and notes the true epoch of a worker.
func (tr *trial) number(fence runtime.Fence) int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.epochs[fence.Owner] = fence.Epoch
	if fence.Epoch == 1 && tr.numbers[fence.Owner] == 0 {
		tr.numbers[fence.Owner] = len(tr.numbers) + 1
	}
	return len(tr.numbers)
}

// real is the fence of a worker, which may not have been told its epoch.
func (tr *trial) real(fence runtime.Fence) runtime.Fence {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if epoch := tr.epochs[fence.Owner]; epoch != 0 {
		fence.Epoch = epoch
	}
	return fence
}

// look is what is stored.
func (tr *trial) look() runtime.Look {
	look, err := tr.base.Look(context.Background(), tr.id)
	if err != nil {
		tr.t.Fatal(err)
	}
	return look
}

// fence is the one that holds at the moment.
func (tr *trial) fence() runtime.Fence {
	if p := tr.look().Progress; p != nil {
		return p.Fence
	}
	return runtime.Fence{}
}

// exactly is all of what is stored.
func (tr *trial) exactly() string {
	text, err := json.Marshal(tr.look())
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(text)
}
