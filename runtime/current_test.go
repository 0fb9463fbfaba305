package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// shop is a service whose replays are rebuilt.
type shop struct {
	*service
	told    *told
	rebuild runtime.CurrentFunc[pgx.Tx]
	rebuilt atomic.Int64
}

func asCurrent(p *policy.Policy) { p.Replay.As = policy.Current }

func newShop(t *testing.T, changes ...func(*policy.Policy)) *shop {
	t.Helper()
	s, o := observed(t, append([]func(*policy.Policy){asCurrent}, changes...)...)
	p := &shop{service: s, told: o}
	p.rebuild = func(_ context.Context, _ pgx.Tx, first *runtime.First) (runtime.Response, error) {
		return runtime.Response{Status: 201, Body: fmt.Appendf(nil, "now, after %d %q", first.Status, first.Body)}, nil
	}
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("POST "+s.op.Route, func(w http.ResponseWriter, r *http.Request) {
		call, ok := s.engine.Begin(w, r, s.op)
		if !ok {
			return
		}
		call.Current(func(ctx context.Context, tx pgx.Tx, first *runtime.First) (runtime.Response, error) {
			p.rebuilt.Add(1)
			return p.rebuild(ctx, tx, first)
		})
		call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
			s.runs.Add(1)
			if s.work != nil {
				return s.work(ctx, tx, call)
			}
			return s.pay(call)
		})
	})
	return p
}

func TestCurrent_H3_RebuildsInATransactionThatIsRolledBack(t *testing.T) {
	s := newShop(t, func(p *policy.Policy) { p.Replay.Status = []policy.StatusChange{{From: 201, To: 200}} })
	s.rebuild = func(_ context.Context, tx pgx.Tx, first *runtime.First) (runtime.Response, error) {
		if first.Status != 201 || string(first.Body) != `{"id":1,"account":"acct_1"}` || first.Header.Get("Location") != "/payments/1" || first.Header.Get("Set-Cookie") != "" || !first.At.Equal(s.clock.Now()) {
			t.Errorf("%+v", first)
		}
		first.Header.Set("Location", "changed")
		copy(first.Body, "changed")
		answer := runtime.Response{Status: 201, Header: http.Header{"etag": {`"v2"`}}, Body: []byte("paid back")}
		return answer, memstore.OnCommit(tx, func() { t.Error("the transaction was committed") })
	}
	first := s.post("k", body)
	for range 2 {
		again := s.post("k", body)
		if first.status != 201 || first.replayed() || again.status != 200 || again.body != "paid back" || !again.replayed() || again.header.Get("Etag") != `"v2"` || again.header.Get("Location") != "" {
			t.Errorf("%+v\n%+v", first, again)
		}
		if event := s.told.last(t); event.Outcome != runtime.OutcomeReplayed || event.Runs != 0 {
			t.Errorf("%+v", event)
		}
	}
	s.post("k", `{"amount":1}`).wantProblem(t, 422, "key-reused") // I4: nothing is read for another request
	s.post("k", body, account("acct_2"))
	if s.rebuilt.Load() != 2 || s.runs.Load() != 2 || s.store.open.Load() != 0 {
		t.Errorf("rebuilt %d times, ran %d times, %d transactions are open", s.rebuilt.Load(), s.runs.Load(), s.store.open.Load())
	}
}

// Whatever becomes of the rebuilding, the work does not run again, and no transaction is left.
func TestCurrent_I1_FailuresDoNotRunTheWork(t *testing.T) {
	type rebuild = runtime.CurrentFunc[pgx.Tx]
	fails := func(err error) rebuild {
		return func(context.Context, pgx.Tx, *runtime.First) (runtime.Response, error) {
			return runtime.Response{}, err
		}
	}
	const secret = "s3cr3t"
	for name, c := range map[string]struct {
		rebuild rebuild
		status  int
		problem string // its name; "" where the answer is the function's own
		marked  bool
		outcome runtime.Outcome
		times   int64
	}{
		"a problem":            {fails(&runtime.Problem{Status: 404, Title: "deleted since"}), 404, "", true, runtime.OutcomeReplayed, 1},
		"a problem, wrapped":   {fails(fmt.Errorf("x: %w", &runtime.Problem{Status: 410})), 410, "", true, runtime.OutcomeReplayed, 1},
		"an error":             {fails(errors.New(secret)), 500, "internal-error", false, runtime.OutcomeFailed, 1},
		"an explained error":   {fails(runtime.Explain("no", errors.New(secret))), 500, "internal-error", false, runtime.OutcomeFailed, 1},
		"the database, always": {fails(&pgconn.PgError{Code: "40001", Message: secret}), 503, "answer-unavailable", false, runtime.OutcomeUnavailable, 3},
		"no answer to send": {func(context.Context, pgx.Tx, *runtime.First) (runtime.Response, error) {
			return runtime.Response{}, nil
		}, 500, "internal-error", false, runtime.OutcomeFailed, 1},
		"a panic": {func(context.Context, pgx.Tx, *runtime.First) (runtime.Response, error) { panic(secret) }, 500, "internal-error", false, runtime.OutcomeFailed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.rebuild = c.rebuild
			s.post("k", body)
			a := s.post("k", body)
			if a.status != c.status || a.replayed() != c.marked {
				t.Errorf("%+v", a)
			}
			if c.problem != "" {
				a.wantProblem(t, c.status, c.problem)
				if detail := a.problem(t).Detail; strings.Contains(strings.ToLower(detail), "nothing was done") {
					t.Errorf("something was done, before: %s", detail)
				}
			}
			if event := s.told.last(t); event.Outcome != c.outcome || event.Status != a.status || event.Runs != 0 {
				t.Errorf("%+v", event)
			}
			if s.runs.Load() != 1 || s.rebuilt.Load() != c.times || s.store.open.Load() != 0 {
				t.Errorf("ran %d times, rebuilt %d times, %d transactions are open", s.runs.Load(), s.rebuilt.Load(), s.store.open.Load())
			}
			if strings.Contains(a.body+s.log.String(), secret) && name != "a panic" {
				t.Errorf("the secret is out: %s %s", a.body, s.log)
			}
			s.rebuild = fails(&pgconn.PgError{Code: "40001"})
			once := s.rebuild
			s.rebuild = func(ctx context.Context, tx pgx.Tx, first *runtime.First) (runtime.Response, error) {
				if s.rebuilt.Load() == c.times+1 {
					return once(ctx, tx, first)
				}
				return runtime.Response{Status: 200}, nil
			}
			if a := s.post("k", body); a.status != 200 || !a.replayed() {
				t.Errorf("afterwards, at the second try: %+v", a)
			}
		})
	}
}

func TestCurrent_A10_WaysOut(t *testing.T) {
	for name, leave := range map[string]func(){"Goexit": goruntime.Goexit, "abort": func() { panic(http.ErrAbortHandler) }} {
		s := newShop(t)
		s.post("k", body)
		s.rebuild = func(context.Context, pgx.Tx, *runtime.First) (runtime.Response, error) {
			leave()
			return runtime.Response{}, nil
		}
		ended := make(chan any)
		go func() {
			defer close(ended)
			defer func() {
				if value := recover(); value != nil {
					ended <- value
				}
			}()
			s.post("k", body)
		}()
		if value := <-ended; (value == http.ErrAbortHandler) != (name == "abort") { //nolint:errorlint // net/http compares it in this way
			t.Errorf("%s: %v", name, value)
		}
		s.told.ends(t, 2)
		if s.store.open.Load() != 0 || s.runs.Load() != 1 || s.engine.Waiting() != 0 {
			t.Errorf("%s: %d transactions are open, ran %d times", name, s.store.open.Load(), s.runs.Load())
		}
	}
}

// Without the store there is no answer, and the client is told that the effect stands.
func TestCurrent_A9_StoreDown(t *testing.T) {
	s := newShop(t)
	s.post("k", body)
	s.store.onClaim = func(_ int64, ctx context.Context, id runtime.ID, _ time.Duration) (runtime.Claim[pgx.Tx], error) {
		defer s.store.down.Store(true) // from the look on
		return s.store.Store.Claim(ctx, id, 0)
	}
	a := s.post("k", body)
	a.wantProblem(t, 503, "answer-unavailable")
	a.wantRetryAfter(t)
	if s.runs.Load() != 1 || s.rebuilt.Load() != 0 {
		t.Error("it ran")
	}
}

// An operation whose replays nothing could rebuild is not begun.
func TestCurrent_I13_FirstRequestWithoutTheFunction(t *testing.T) {
	s := newService(t, payment(asCurrent))
	a := s.post("k", body)
	a.wantProblem(t, 500, "internal-error")
	s.want(0, 0, 0)
	if log := s.log.String(); !strings.Contains(log, `replay.as: current`) || !strings.Contains(log, "Call.Current") {
		t.Errorf("log: %s", log)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "Call.Current") {
			t.Errorf("%s", text)
		}
	}()
	s.engine.Handler(s.op, nil)
}

// No body is needed: one that was too large, or is not kept, is no obstacle.
func TestCurrent_R5_R8_WithoutTheBody(t *testing.T) {
	for name, change := range map[string]func(*policy.Policy){
		"too large": func(p *policy.Policy) { p.Store.MaxBody = 1 },
		"omitted":   func(p *policy.Policy) { p.Store.OmitBody = true },
	} {
		s := newShop(t, change)
		s.post("k", body)
		if a := s.post("k", body); a.status != 201 || !a.replayed() || a.body != `now, after 201 ""` {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// Those who waited for the first request each have their answer made, when the gate is free again.
func TestCurrent_C2_WaitersRebuild(t *testing.T) {
	s := newShop(t)
	started, release := s.hold()
	first := make(chan answer)
	go func() { first <- s.post("k", body) }()
	<-started
	go func() {
		s.waitForQueue(s.engine, 20)
		close(release)
	}()
	wantCount(t, together(20, func(int) answer { return s.post("k", body) }), map[int]int{201: 20, 0: 20})
	if a := <-first; a.replayed() {
		t.Errorf("%+v", a)
	}
	if s.rebuilt.Load() != 20 || s.runs.Load() != 1 || s.store.open.Load() != 0 {
		t.Errorf("rebuilt %d times, ran %d times", s.rebuilt.Load(), s.runs.Load())
	}
}

// Lease mode rebuilds in the same way, by what the program sets.
func TestCurrent_H3_LeaseMode(t *testing.T) {
	o := newOffice(t, payout(asCurrent))
	o.post("k", body).wantProblem(t, 500, "internal-error") // the program sets nothing
	o.wantNothing()
	rebuilt := 0
	mux := http.NewServeMux()
	mux.Handle(o.op.Method+" "+o.op.Route, o.engine.LeaseHandler(o.op, func(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		call.Current(func(_ context.Context, _ pgx.Tx, first *runtime.First) (runtime.Response, error) {
			rebuilt++
			return runtime.Response{Status: 200, Body: fmt.Appendf(nil, "now, after %d", first.Status)}, nil
		})
		return o.program(call)
	}))
	o.mux = mux
	first, again := o.post("k", body), o.post("k", body)
	if first.status != 201 || first.replayed() || again.status != 200 || !again.replayed() || again.body != "now, after 201" || rebuilt != 1 {
		t.Errorf("%+v\n%+v", first, again)
	}
	o.wantPaid()
}

// Each outcome of lease mode alone is produced too.
func TestObserver_A4_Lease(t *testing.T) {
	o := newOffice(t, payout())
	o.bank.fail = func(int) error { return errors.New("timeout") }
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	if got := o.seen.requests[0]; got.Outcome != runtime.OutcomeSuspended || got.Status != 503 || got.Runs != 1 || got.Operation != "createPayout" {
		t.Errorf("%+v", got)
	}
}
