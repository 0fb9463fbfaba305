package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/runtime/wire"
)

const body = `{"amount":100}`

func TestTransaction_A1_ReplaysOnce(t *testing.T) {
	s := newService(t, payment())
	first := s.post("k1", body)
	if first.status != 201 || first.header.Get("X-Request-Id") != "r1" {
		t.Fatalf("%+v", first)
	}
	wantReplay(t, first, s.post("k1", body))
	wantReplay(t, first, s.post("k1", body))
	s.want(1, 1, 1)
	if other := s.post("k2", body); other.replayed() || other.body == first.body {
		t.Errorf("another key: %+v", other)
	}
	s.want(2, 2, 2)
}

func TestTransaction_R2_R3_R4_StoresByStatus(t *testing.T) {
	for _, c := range []struct {
		status int
		err    error
		kept   bool
		want   int
	}{
		{status: 200, kept: true, want: 200},
		{status: 402, kept: true, want: 402},
		{status: 409, kept: true, want: 409},
		{status: 400, want: 400},
		{status: 404, want: 404},
		{status: 422, want: 422},
		{status: 429, want: 429},
		{status: 302, want: 302},
		{status: 500, want: 500},
		{status: 503, want: 503},
		{err: errors.New("boom: secret"), want: 500},
		{err: &runtime.Problem{Status: 409, Title: "Already shipped"}, want: 409},
		{err: fmt.Errorf("wrapped: %w", &runtime.Problem{Status: 404, Title: "No such order"}), want: 404},
		{err: &runtime.Problem{Status: 201, Title: "no success"}, want: 500},
		{err: (*runtime.Problem)(nil), want: 500},
		{status: 0, want: 500},   // no status is a fault of the handler
		{status: 101, want: 500}, // and so is an interim one
		{status: 700, want: 500},
	} {
		t.Run(fmt.Sprint(c.status, c.err), func(t *testing.T) {
			s := newService(t, payment())
			s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
				return runtime.Response{Status: c.status, Body: []byte("answer")}, c.err
			}
			first := s.post("k", body)
			second := s.post("k", body)
			if first.status != c.want || second.status != c.want {
				t.Errorf("status %d, then %d, want %d: %s", first.status, second.status, c.want, first.body)
			}
			if strings.Contains(first.body, "secret") {
				t.Errorf("the error's text is sent: %s", first.body)
			}
			if second.replayed() != c.kept {
				t.Errorf("replayed: %v, want %v", second.replayed(), c.kept)
			}
			if c.kept {
				s.want(1, 1, 1)
			} else {
				s.want(2, 0, 0) // I13: no trace
			}
			if open := s.store.open.Load(); open != 0 {
				t.Errorf("%d transactions are still open", open)
			}
		})
	}
}

func TestTransaction_R2_RejectStoresNothing(t *testing.T) {
	s := newService(t, payment())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders/{order}/payments", func(w http.ResponseWriter, r *http.Request) {
		call, ok := s.engine.Begin(w, r, s.op)
		if !ok {
			return
		}
		switch string(call.Body()) {
		case `{"a":1}`:
			call.Reject(errors.New("amount is missing"))
		case `{"a":2}`:
			call.Reject(&runtime.Problem{Status: 415, Title: "Unsupported"})
		case `{"a":4}`:
			call.Reject(&wire.Invalid{Status: 400, Violations: []wire.Violation{{Pointer: "#/a", Detail: "must be at least 5"}}})
		case `{"a":5}`:
			call.Reject(fmt.Errorf("wrapped: %w", &wire.Invalid{Status: 415, Accept: []string{"text/csv"}}))
		default:
			call.Reject(nil)
		}
	})
	a := do(mux, s.request(`{"a":1}`, header("Idempotency-Key", "k")))
	a.wantProblem(t, 400, "invalid-request")
	if a.problem(t).Detail != "amount is missing" {
		t.Error(a.body)
	}
	if a := do(mux, s.request(`{"a":2}`, header("Idempotency-Key", "k"))); a.status != 415 || a.problem(t).Type != "about:blank" {
		t.Errorf("%+v", a)
	}
	do(mux, s.request(`{"a":3}`, header("Idempotency-Key", "k"))).wantProblem(t, 400, "invalid-request")
	a = do(mux, s.request(`{"a":4}`, header("Idempotency-Key", "k")))
	a.wantProblem(t, 400, "invalid-request")
	if !strings.Contains(a.body, `"errors":[{"pointer":"#/a","detail":"must be at least 5"}]`) {
		t.Error(a.body)
	}
	a = do(mux, s.request(`{"a":5}`, header("Idempotency-Key", "k")))
	a.wantProblem(t, 415, "unsupported-media-type")
	if a.header.Get("Accept") != "text/csv" {
		t.Errorf("Accept: %q", a.header.Get("Accept"))
	}
	s.want(0, 0, 0)
	if s.store.claims.Load() != 0 {
		t.Error("the store was asked")
	}
	// The corrected request may have the same key.
	if a := s.post("k", body); a.status != 201 {
		t.Errorf("%+v", a)
	}
}

func TestTransaction_I9_A9_FailsClosed(t *testing.T) {
	s := newService(t, payment())
	s.store.down.Store(true)
	a := s.post("k", body)
	a.wantProblem(t, 503, "unavailable")
	a.wantRetryAfter(t)
	s.want(0, 0, 0)
	if log := s.log.String(); !strings.Contains(log, "store failed") || strings.Contains(log, "refused") {
		t.Errorf("log: %s", log)
	}
	s.store.down.Store(false)
	if a := s.post("k", body); a.status != 201 {
		t.Errorf("afterwards: %+v", a)
	}
	s.want(1, 1, 1)
}

// TestTransaction_A9_StoreHangs has a store that does not answer: neither does it hold the request for ever.
func TestTransaction_A9_StoreHangs(t *testing.T) {
	s := newService(t, payment(), runtime.WithClaimTimeout(20*time.Millisecond))
	s.op.Policy.InFlight.Answer = policy.Conflict
	s.store.onClaim = func(_ int64, ctx context.Context, _ runtime.ID, _ time.Duration) (runtime.Claim[pgx.Tx], error) {
		<-ctx.Done()
		return runtime.Claim[pgx.Tx]{}, ctx.Err()
	}
	start := time.Now()
	s.post("k", body).wantProblem(t, 503, "unavailable")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	s.want(0, 0, 0)
}

func TestTransaction_A7_RunsAgain(t *testing.T) {
	serialization := fmt.Errorf("update: %w", &pgconn.PgError{Code: "40001"})
	deadlock := &pgconn.PgError{Code: "40P01"}
	for _, c := range []struct {
		name      string
		handler   func(run int64) error
		commit    func(n int) error
		runs      int
		want      int
		committed int
	}{
		{"handler's error, cured", func(n int64) error { return map[bool]error{n < 3: serialization}[true] }, nil, 3, 201, 1},
		{"deadlock, cured", func(n int64) error { return map[bool]error{n < 2: deadlock}[true] }, nil, 2, 201, 1},
		{"handler's error, for ever", func(int64) error { return serialization }, nil, 3, 503, 0},
		{"commit, cured", nil, func(n int) error { return map[bool]error{n < 2: runtime.ErrSerialization}[true] }, 2, 201, 1},
		{"commit, for ever", nil, func(int) error { return fmt.Errorf("x: %w", runtime.ErrSerialization) }, 3, 503, 0},
		{"lost race without a record", nil, func(n int) error { return map[bool]error{n < 2: runtime.ErrLostRace}[true] }, 2, 201, 1},
		{"lost race, for ever", nil, func(int) error { return runtime.ErrLostRace }, 3, 503, 0},
		{"aborted", nil, func(int) error { return runtime.ErrAborted }, 1, 500, 0},
		{"unexplained", nil, func(int) error { return errors.New("?") }, 1, 500, 0},
	} {
		for _, key := range []string{"k", ""} {
			t.Run(c.name+" key "+key, func(t *testing.T) {
				s := newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
				s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
					if c.handler != nil {
						if err := c.handler(s.runs.Load()); err != nil {
							return runtime.Response{}, err
						}
					}
					return s.pay(call)
				}
				if c.commit != nil {
					commits := 0
					s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
						commits++
						if err := c.commit(commits); err != nil {
							return errors.Join(err, w.Rollback(ctx))
						}
						return w.Commit(ctx, r)
					}
				}
				changes := []func(*http.Request){}
				if key != "" {
					changes = append(changes, header("Idempotency-Key", key))
				}
				a := s.do(s.request(body, changes...))
				want := c.want
				if key == "" && c.name == "unexplained" {
					want = 500 // without a record nobody can tell what happened, and nobody should try again
				}
				if a.status != want {
					t.Errorf("status %d, want %d: %s", a.status, want, a.body)
				}
				if want == 503 {
					a.wantRetryAfter(t)
				}
				records := c.committed
				if key == "" {
					records = 0
				}
				s.want(c.runs, c.committed, records)
				if open := s.store.open.Load(); open != 0 {
					t.Errorf("%d transactions are still open", open)
				}
				if c.want == 201 && key != "" {
					wantReplay(t, a, s.post(key, body))
				}
			})
		}
	}
}

func TestTransaction_A7_LostRaceReplays(t *testing.T) {
	s := newService(t, payment())
	other := s.newEngine()
	mux := http.NewServeMux()
	s.serve(mux, other)
	var winner answer
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
		s.store.onCommit = nil
		if err := w.Rollback(ctx); err != nil { // the lock was lost, and another process uses it
			return err
		}
		winner = do(mux, s.request(body, header("Idempotency-Key", "k")))
		return runtime.ErrLostRace
	}
	loser := s.post("k", body)
	wantReplay(t, winner, loser)
	s.want(2, 1, 1)
}

func TestTransaction_A6_UnknownCommit(t *testing.T) {
	for _, c := range []struct {
		name      string
		committed bool
	}{{"committed", true}, {"not committed", false}} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, payment())
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				s.store.onCommit = nil
				if c.committed {
					return errors.Join(w.Commit(ctx, r), runtime.ErrCommitUnknown)
				}
				return errors.Join(w.Rollback(ctx), runtime.ErrCommitUnknown)
			}
			a := s.post("k", body)
			if a.status != 201 || a.replayed() || a.header.Get("X-Request-Id") != "r1" {
				t.Errorf("the answer is not the fresh one: %+v", a)
			}
			if c.committed {
				s.want(1, 1, 1)
			} else {
				s.want(2, 1, 1)
			}
			wantReplay(t, a, s.post("k", body))
		})
	}

	t.Run("still under way", func(t *testing.T) {
		s := newService(t, payment())
		committed := make(chan error, 1)
		s.store.onCommit = func(_ context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
			go func() {
				time.Sleep(50 * time.Millisecond)
				committed <- w.Commit(context.Background(), r)
			}()
			return runtime.ErrCommitUnknown
		}
		a := s.post("k", body)
		if err := <-committed; err != nil || a.status != 201 || a.replayed() {
			t.Errorf("%v, %+v", err, a)
		}
		s.want(1, 1, 1)
	})

	t.Run("another request committed meanwhile", func(t *testing.T) {
		s := newService(t, payment())
		mux := http.NewServeMux()
		s.serve(mux, s.newEngine())
		var winner answer
		s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
			s.store.onCommit = nil
			err := w.Rollback(ctx)
			winner = do(mux, s.request(body, header("Idempotency-Key", "k")))
			return errors.Join(err, runtime.ErrCommitUnknown)
		}
		wantReplay(t, winner, s.post("k", body))
		s.want(2, 1, 1)
	})

	t.Run("never known", func(t *testing.T) {
		s := newService(t, payment())
		s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
			s.store.down.Store(true)
			return errors.Join(w.Commit(ctx, r), runtime.ErrCommitUnknown)
		}
		a := s.post("k", body)
		a.wantProblem(t, 503, "outcome-unknown")
		a.wantRetryAfter(t)
		s.store.down.Store(false)
		s.store.onCommit = nil
		if a := s.post("k", body); a.status != 201 || !a.replayed() {
			t.Errorf("the retry finds out: %+v", a)
		}
		s.want(1, 1, 1)
	})

	t.Run("client gone meanwhile", func(t *testing.T) {
		s := newService(t, payment())
		ctx, cancel := context.WithCancel(context.Background())
		s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
			cancel()
			return errors.Join(w.Commit(ctx, r), runtime.ErrCommitUnknown)
		}
		// Others may wait for this request in the gate: the look does not end with its client.
		if a := s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx)); a.status != 201 || a.replayed() {
			t.Errorf("%+v", a)
		}
		s.want(1, 1, 1)
	})

	t.Run("still under way", func(t *testing.T) {
		s := newService(t, payment(), runtime.WithCommitTimeout(50*time.Millisecond))
		s.store.onCommit = func(context.Context, runtime.Work[pgx.Tx], *runtime.Record) error {
			return runtime.ErrCommitUnknown // the transaction stays open
		}
		s.post("k", body).wantProblem(t, 503, "outcome-unknown")
		if s.runs.Load() != 1 {
			t.Error("the handler ran again while its first commit was under way")
		}
	})

	t.Run("for ever not committed", func(t *testing.T) {
		s := newService(t, payment())
		s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
			return errors.Join(w.Rollback(ctx), runtime.ErrCommitUnknown)
		}
		s.post("k", body).wantProblem(t, 503, "unavailable") // known: nothing was done
		s.want(3, 0, 0)
	})
}

func TestTransaction_A10_Panic(t *testing.T) {
	for _, value := range []any{"a secret of the client", errors.New("boom"), 42, nil} {
		s := newService(t, payment())
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { panic(value) }
		a := s.post("panicky-key", body)
		a.wantProblem(t, 500, "internal-error")
		s.want(1, 0, 0)
		log := s.log.String()
		if !strings.Contains(log, "panicked") || !strings.Contains(log, "createPayment") || !strings.Contains(log, "transaction_test.go") {
			t.Errorf("log: %s", log)
		}
		for _, secret := range []string{"secret", "panicky-key", "amount"} {
			if strings.Contains(log, secret) {
				t.Errorf("the log holds %q: %s", secret, log)
			}
		}
		s.work = nil
		if a := s.post("panicky-key", body); a.status != 201 { // no lock is left
			t.Errorf("afterwards: %+v", a)
		}
	}
}

// A sealer is a user's code too, and runs within the commit.
func TestTransaction_A10_PanicWhileCommitting(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.InFlight.MaxWait = 50 * time.Millisecond }))
	s.store.onCommit = func(context.Context, runtime.Work[pgx.Tx], *runtime.Record) error { panic("no key to seal with") }
	s.post("k", body).wantProblem(t, 500, "internal-error")
	s.want(1, 0, 0)
	s.store.onCommit = nil
	if a := s.post("k", body); a.status != 201 || a.replayed() { // no transaction is left, which would hold the key
		t.Errorf("afterwards: %+v", a)
	}
	s.want(2, 1, 1)
}

func TestTransaction_A10_AbortHandlerPassesThrough(t *testing.T) {
	s := newService(t, payment())
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		panic(http.ErrAbortHandler)
	}
	func() {
		defer func() {
			if v := recover(); v != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
				t.Errorf("recovered %v", v)
			}
		}()
		s.post("k", body)
	}()
	if s.log.String() != "" {
		t.Errorf("log: %s", s.log)
	}
	s.work = nil
	if a := s.post("k", body); a.status != 201 {
		t.Errorf("afterwards: %+v", a)
	}
}

func TestTransaction_A10_Goexit(t *testing.T) {
	s := newService(t, payment())
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		goruntime.Goexit()
		panic("not reached")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.post("k", body)
	}()
	<-done
	s.want(1, 0, 0)
	if open := s.store.open.Load(); open != 0 {
		t.Errorf("%d transactions are still open", open)
	}
	s.work = nil
	if a := s.post("k", body); a.status != 201 {
		t.Errorf("afterwards: %+v", a)
	}
}

func TestTransaction_A8_ClientGone(t *testing.T) {
	t.Run("before the handler ends", func(t *testing.T) {
		s := newService(t, payment())
		ctx, cancel := context.WithCancel(context.Background())
		s.work = func(ctx context.Context, _ pgx.Tx, _ *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			cancel()
			return runtime.Response{}, ctx.Err() // as a statement with this context does
		}
		s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx))
		s.want(1, 0, 0)
		if s.log.String() != "" {
			t.Errorf("a client that goes away is not a fault: %s", s.log)
		}
		s.work = nil
		if a := s.post("k", body); a.status != 201 || a.replayed() {
			t.Errorf("the retry: %+v", a)
		}
	})
	t.Run("after the handler's work", func(t *testing.T) {
		s := newService(t, payment())
		ctx, cancel := context.WithCancel(context.Background())
		s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			answer, err := s.pay(call)
			cancel()
			return answer, err
		}
		first := s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx))
		s.want(1, 1, 1) // the work is done: it is committed with its record
		wantReplay(t, first, s.post("k", body))
	})
	t.Run("before the claim", func(t *testing.T) {
		s := newService(t, payment())
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx)).wantProblem(t, 503, "unavailable")
		s.want(0, 0, 0)
		if s.log.String() != "" {
			t.Errorf("log: %s", s.log)
		}
	})
}

func TestTransaction_I11_NothingIsSentBeforeTheCommit(t *testing.T) {
	s := newService(t, payment())
	sent := make(chan struct{}, 1)
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
		select {
		case <-sent:
			t.Error("the answer was sent before the commit")
		default:
		}
		return w.Commit(ctx, r)
	}
	r := s.request(body, header("Idempotency-Key", "k"))
	s.mux.ServeHTTP(spyWriter{header: http.Header{}, sent: sent}, r)
	select {
	case <-sent:
	default:
		t.Error("no answer was sent")
	}
	s.want(1, 1, 1)
}

type spyWriter struct {
	header http.Header
	sent   chan struct{}
}

func (w spyWriter) Header() http.Header { return w.header }
func (w spyWriter) WriteHeader(int) {
	select {
	case w.sent <- struct{}{}:
	default:
	}
}
func (w spyWriter) Write(data []byte) (int, error) { return 0, errors.New("the client is gone") }

func TestTransaction_G1_G2_Guards(t *testing.T) {
	violation := func(constraint string) error {
		return fmt.Errorf("insert: %w", &pgconn.PgError{Code: "23505", ConstraintName: constraint})
	}
	guarded := payment(func(p *policy.Policy) {
		p.Guards = []policy.Guard{
			{Table: "payments", Columns: []string{"account_id", "idem_key"}},
			{Table: "payments", Columns: []string{"account_id", "order_id"}, On: "conflict"},
		}
		for i := range p.Guards {
			p.Guards[i].Constraint = p.Guards[i].Name()
		}
	})
	net, rule := guarded.Policy.Guards[0].Constraint, guarded.Policy.Guards[1].Constraint
	fail := func(err error) work {
		return func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, err
		}
	}

	t.Run("business rule", func(t *testing.T) {
		s := newService(t, guarded)
		s.work = fail(violation(rule))
		s.post("k", body).wantProblem(t, 409, "conflict")
		s.want(1, 0, 0)
	})
	t.Run("business rule, deferred to the commit", func(t *testing.T) {
		s := newService(t, guarded)
		s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
			return errors.Join(violation(rule), w.Rollback(ctx))
		}
		s.post("k", body).wantProblem(t, 409, "conflict")
		s.want(1, 0, 0)
	})
	t.Run("safety net", func(t *testing.T) {
		s := newService(t, guarded)
		s.work = fail(violation(net))
		s.post("k", body).wantProblem(t, 409, "duplicate-effect")
		s.want(1, 0, 0)
		if open := s.store.open.Load(); open != 0 {
			t.Errorf("%d transactions are still open", open)
		}
	})
	t.Run("safety net, and the record has come", func(t *testing.T) {
		s := newService(t, guarded)
		mux := http.NewServeMux()
		s.serve(mux, s.newEngine())
		var winner answer
		s.store.onClaim = func(n int64, ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
			if n == 2 { // between the rollback and the second look
				s.work, s.store.onClaim = nil, nil
				winner = do(mux, s.request(body, header("Idempotency-Key", "k")))
			}
			return s.store.Store.Claim(ctx, id, wait)
		}
		s.work = fail(violation(net))
		wantReplay(t, winner, s.post("k", body))
	})
	t.Run("a constraint that the policy does not name", func(t *testing.T) {
		s := newService(t, guarded)
		s.work = fail(violation("payments_pkey"))
		s.post("k", body).wantProblem(t, 500, "internal-error")
		if log := s.log.String(); !strings.Contains(log, "23505") {
			t.Errorf("log: %s", log)
		}
	})
}

func TestTransaction_OptionalKey(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
	first, second := s.do(s.request(body)), s.do(s.request(body))
	if first.status != 201 || second.status != 201 || second.replayed() || first.body == second.body {
		t.Errorf("%+v, %+v", first, second)
	}
	s.want(2, 2, 0)
	s.store.down.Store(true)
	a := s.do(s.request(body))
	a.wantProblem(t, 503, "unavailable")
	a.wantRetryAfter(t)
}

// What a client without a key is told does not speak of one.
func TestTransaction_OptionalKey_AdviceFitsTheRequest(t *testing.T) {
	const again, withKey = "Nothing was done. Send the same request again.", "Nothing was done. Send the same request again with the same key."
	const later, laterWithKey = "Nothing was done. Send the same request again later.", "Nothing was done. Send the same request again later, with the same key."
	fails := func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, errors.New("boom")
	}
	for _, c := range []struct {
		name          string
		work          work
		gone          bool // the client goes away while the handler works
		down          bool
		status        int
		without, with string
	}{
		{"error", fails, false, false, 500, again, withKey},
		{"panic", func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { panic("boom") }, false, false, 500, again, withKey},
		{"store down", nil, false, true, 503, later, laterWithKey},
		{"client gone", fails, true, false, 503, later, laterWithKey},
		{"run again too often", func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, &pgconn.PgError{Code: "40001"}
		}, false, false, 503, later, laterWithKey},
	} {
		for key, want := range map[string]string{"": c.without, "k": c.with} {
			t.Run(c.name+" key "+key, func(t *testing.T) {
				s := newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
				s.store.down.Store(c.down)
				ctx, leave := context.WithCancel(context.Background())
				defer leave()
				s.work = func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
					if c.gone {
						leave()
					}
					return c.work(ctx, tx, call)
				}
				r := s.request(body).WithContext(ctx)
				if key != "" {
					r.Header.Set("Idempotency-Key", key)
				}
				a := s.do(r)
				if got := a.problem(t).Detail; a.status != c.status || got != want {
					t.Errorf("%d %q, want %d %q", a.status, got, c.status, want)
				}
			})
		}
	}
}

func TestTransaction_X1_Expired(t *testing.T) {
	s := newService(t, payment())
	first := s.post("k", body)
	s.clock.Advance(24*time.Hour - time.Second)
	wantReplay(t, first, s.post("k", body))
	s.clock.Advance(2 * time.Second)
	if again := s.post("k", `{"amount":999}`); again.status != 201 || again.replayed() {
		t.Errorf("after the retention: %+v", again)
	}
	s.want(2, 2, 1)
}

func TestErrorObserver(t *testing.T) {
	var seen []error
	s := newService(t, payment(), runtime.WithErrorObserver(func(_ context.Context, operation string, err error) {
		if operation != "createPayment" {
			t.Errorf("operation %q", operation)
		}
		seen = append(seen, err)
	}))
	boom := errors.New("boom")
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, boom
	}
	s.post("k1", body)
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { panic(boom) }
	s.post("k2", body)
	var panicked *runtime.PanicError
	if len(seen) != 2 || !errors.Is(seen[0], boom) || !errors.As(seen[1], &panicked) || panicked.Value != boom {
		t.Errorf("%v", seen)
	}
	if s.log.String() != "" {
		t.Errorf("log: %s", s.log)
	}
}
