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

	bank     map[string]int // effects at the other side by key; it deduplicates
	reserved int            // how often the first step's effect was committed
	booked   int            // how often the last write's
	record   string         // the complete record, once there is one
	body     string         // what it answers with

	broken string // the invariant that was found broken, and how
}

// newTrial begins, with every process before its first act.
func newTrial(t *testing.T, b bounds, f fault) *trial {
	tr := &trial{t: t, bound: b, fault: f, owners: map[[16]byte]*process{}, bank: map[string]int{}}
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
		answer := ""
		if p.recovers() {
			answer = tr.recover(p)
		} else if p.begin("claim") == nil {
			_, handler := tr.engine(tr.view(p), p)
			answer = ask(handler)
		}
		tr.mu.Lock()
		defer tr.mu.Unlock()
		p.done, p.answer = true, answer
	})
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
func (tr *trial) engine(s store, p *process) (*runtime.Engine[pgx.Tx], http.Handler) {
	engine, err := runtime.New[pgx.Tx](s, func(*http.Request) (string, error) { return "acct_1", nil },
		runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		tr.t.Fatal(err)
	}
	return engine, engine.LeaseHandler(operation, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
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
	_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (int, error) {
		w.runs("reserve")
		return 1, memstore.OnCommit(tx, func() { w.reserved++ })
	})
	if err != nil {
		return runtime.Response{}, err
	}
	_, err = runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (int, error) {
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
		return answer, memstore.OnCommit(tx, func() { w.booked++ })
	})
	return answer, err
}

// runs notes that a step is run: never one that was done when the work was given to the process.
func (w *worker) runs(step string) {
	if w.process.began[step] {
		w.violated("I1: %s runs step %s, which was done before", w.process.name, step)
	}
}

// transfer calls the other side, which does one transfer for each key.
func (w *worker) transfer(key string) (int, error) {
	killed := w.process.do(nil, "transfer", func() string {
		if w.fault.randomKey {
			key = fmt.Sprint("random ", len(w.bank))
		}
		w.bank[key] = 1
		return "done"
	})
	return 1, killed
}

func (w *worker) reconcile(_ context.Context, step *runtime.Interrupted) (found runtime.Reconciliation, err error) {
	killed := w.process.do(nil, "reconcile", func() string {
		if w.bank[step.Key()] > 0 {
			found = runtime.Done(1)
			return "done"
		}
		found = runtime.NotDone()
		return "not done"
	})
	return found, killed
}

// announce has an act wait for the scheduler.
func (tr *trial) announce(p *process, name string) *act {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.seq++
	a := &act{process: p, name: name, seq: tr.seq, granted: make(chan bool, 1)}
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
