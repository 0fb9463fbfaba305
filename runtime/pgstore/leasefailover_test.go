package pgstore_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The part of lease mode in the tests of failover. Each of them has both modes on one pair of servers, which take seconds to
// make.

// payoutParts is the business table of lease mode. It has no rule that would keep anything from being done twice.
const payoutParts = `CREATE TABLE payouts (key text NOT NULL, part text NOT NULL)`

// The points at which a test has a worker stop or fail: the bank has done its part and the result is not stored, and it is
// stored and the last transaction has not begun.
const (
	called = "called"
	stored = "stored"
)

// office is a service in lease mode over a pair of servers: it sets money aside, has a bank send it, and settles. The bank
// does not go away with a database.
type office struct {
	t        *testing.T
	handler  http.Handler
	recovery *runtime.Recovery[pgx.Tx]

	mu    sync.Mutex
	at    map[point]func() error // what happens there, once
	calls map[string][]string    // the keys that the bank was sent, by the client's
	asked map[string]int         // how often the bank was asked what became of a call, by the client's key
}

type point struct{ key, where string }

// newOffice has no heartbeat within the time of a test.
func newOffice(t *testing.T, store *pgstore.Store) *office {
	t.Helper()
	o := &office{t: t, at: map[point]func() error{}, calls: map[string][]string{}, asked: map[string]int{}}
	op := createPayment
	op.ID = "createPayout"
	op.Policy.Mode = policy.LeaseMode
	op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
	op.Policy.Lease = policy.Lease{Duration: 10 * time.Minute, Heartbeat: 5 * time.Minute}
	op.Policy.Steps = []string{"reserve", "transfer"}
	op.Policy.Downstream = []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}}
	engine, err := runtime.New(store, func(*http.Request) (string, error) { return "acct_1", nil }, runtime.WithLogger(slog.New(slog.DiscardHandler)))
	must(t, err)
	o.handler = engine.LeaseHandler(&op, o.program)
	o.recovery, err = engine.NewRecovery()
	must(t, err)
	return o
}

func (o *office) program(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
	key := call.Key()
	return runtime.LeaseWork[pgx.Tx]{
		Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			return o.pay(ctx, lease, key)
		},
		Reconcile: map[string]runtime.ReconcileFunc{"transfer": func(_ context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.asked[key]++
			if slices.Contains(o.calls[key], step.Key()) {
				return runtime.Done(step.Key()), nil
			}
			return runtime.NotDone(), nil
		}},
	}, nil
}

func (o *office) pay(ctx context.Context, lease *runtime.Lease[pgx.Tx], key string) (runtime.Response, error) {
	note := func(ctx context.Context, tx pgx.Tx, part string) error {
		_, err := tx.Exec(ctx, "INSERT INTO payouts (key, part) VALUES ($1, $2)", key, part)
		return err
	}
	_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(ctx context.Context, tx pgx.Tx) (struct{}, error) {
		return struct{}{}, note(ctx, tx, "reserved")
	})
	if err != nil {
		return runtime.Response{}, err
	}
	sent, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
		o.mu.Lock()
		o.calls[key] = append(o.calls[key], out.Key())
		o.mu.Unlock()
		return out.Key(), o.reach(key, called)
	})
	if err != nil {
		return runtime.Response{}, err
	}
	if err := o.reach(key, stored); err != nil {
		return runtime.Response{}, err
	}
	answer := runtime.Response{Status: http.StatusCreated, Body: []byte("sent as " + sent)}
	return answer, lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		return answer, note(ctx, tx, "settled")
	})
}

// reach has happen what the test has put there.
func (o *office) reach(key, where string) error {
	o.mu.Lock()
	do := o.at[point{key, where}]
	delete(o.at, point{key, where})
	o.mu.Unlock()
	if do == nil {
		return nil
	}
	return do()
}

// fails has the worker of key fail once at the given point.
func (o *office) fails(key, where string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at[point{key, where}] = func() error { return errors.New("the worker fails") }
}

// post is a client's request.
func (o *office) post(key string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/payments", strings.NewReader(requestBody))
	r.Header.Set("Idempotency-Key", key)
	o.handler.ServeHTTP(w, r)
	return w
}

// stops has the next worker of key stop at the given point: inside says that it has come there, leave lets it go on.
func (o *office) stops(key, where string) (inside <-chan struct{}, leave func()) {
	come, gone := make(chan struct{}), make(chan struct{})
	leave = sync.OnceFunc(func() { close(gone) })
	o.t.Cleanup(leave)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at[point{key, where}] = func() error {
		close(come)
		<-gone
		return nil
	}
	return come, leave
}

// halt sends a request and returns when its worker has stopped at the given point. goOn lets it go on, and returns the answer.
func (o *office) halt(key, where string) (goOn func() *httptest.ResponseRecorder) {
	o.t.Helper()
	inside, leave := o.stops(key, where)
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- o.post(key) }()
	select {
	case <-inside:
	case w := <-answer:
		o.t.Fatalf("%s was answered on its way to %q: %d %s", key, where, w.Code, w.Body)
	}
	return func() *httptest.ResponseRecorder {
		leave()
		return <-answer
	}
}

// overdue has the leases that are left be over, on the server at url.
func overdue(url string) error {
	return query(url, nil, "UPDATE idempotency_keys SET lease_until = clock_timestamp() - interval '1 second' WHERE status = 0")
}

// recover has the leases that are left be over, on the server at url, and recovery finish what it should.
func (o *office) recover(url string, completed int) {
	o.t.Helper()
	err := overdue(url)
	report := runtime.RecoveryReport{}
	if err == nil {
		report, err = o.recovery.Once(context.Background())
	}
	if err != nil || report.Taken != completed || report.Completed != completed {
		o.t.Errorf("recovery: %+v, %v; want %d records to be finished", report, err, completed)
	}
}

// want checks what the bank has seen of a client's key: one key of its own, however often.
func (o *office) want(key string, calls, asked int) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if keys := slices.Compact(slices.Clone(o.calls[key])); len(o.calls[key]) != calls || o.asked[key] != asked || len(keys) > 1 {
		o.t.Errorf("%s: the bank was called with %v and asked %d times; want %d calls with one key, asked %d times", key, o.calls[key], o.asked[key], calls, asked)
	}
}

// wantRows checks that on the server at url each part of the given payouts is there once, and nothing else.
func (o *office) wantRows(url string, keys ...string) {
	o.t.Helper()
	var want []string
	for _, key := range keys {
		want = append(want, key+" reserved", key+" settled")
	}
	slices.Sort(want)
	var got []string
	must(o.t, query(url, &got, `SELECT coalesce(array_agg(key || ' ' || part ORDER BY key COLLATE "C", part COLLATE "C"), '{}') FROM payouts`))
	if !slices.Equal(got, want) {
		o.t.Errorf("the payouts are %q, want %q", got, want)
	}
}

// beforePromotion begins work of each kind, all of which the standby has once it has caught up; without is a request while
// there is no primary, and after what is right once there is one again.
func (o *office) beforePromotion() (without func(), after func(url string)) {
	o.t.Helper()
	wantAnswer(o.t, "settled", o.post("settled"), http.StatusCreated, "", false)
	o.fails("left", stored)
	wantAnswer(o.t, "left", o.post("left"), http.StatusServiceUnavailable, "#outcome-unknown", false)
	surviving := o.halt("surviving", called)
	overtaken, late := o.halt("overtaken", called), o.halt("late", stored)

	without = func() {
		o.t.Helper()
		wantAnswer(o.t, "refused", o.post("refused"), http.StatusServiceUnavailable, "", false)
		o.want("refused", 0, 0)
	}
	after = func(url string) {
		o.t.Helper()
		wantAnswer(o.t, "a worker that nobody has overtaken", surviving(), http.StatusCreated, "", false)
		// What the other two still write is under a fence of the former primary, and the new one has given the work to others
		// since: they are at it, or have finished.
		inside, leave := o.stops("late", stored)
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			o.recover(url, 3)
		}()
		select {
		case <-inside:
		case <-finished:
			o.t.Fatal("recovery did not take up the work of the worker that is late")
		}
		wantAnswer(o.t, "a worker overtaken before its last transaction", late(), http.StatusConflict, "#in-flight", false)
		leave()
		<-finished
		wantAnswer(o.t, "a worker overtaken in its call", overtaken(), http.StatusCreated, "", true)
		for _, key := range []string{"settled", "left", "surviving", "overtaken", "late"} {
			wantAnswer(o.t, "retry of "+key, o.post(key), http.StatusCreated, "", true)
		}
		wantAnswer(o.t, "retry of what was refused", o.post("refused"), http.StatusCreated, "", false)
		for _, key := range []string{"settled", "left", "surviving", "late", "refused"} {
			o.want(key, 1, 0)
		}
		o.want("overtaken", 1, 1)
		o.wantRows(url, "settled", "left", "surviving", "overtaken", "late", "refused")
	}
	return without, after
}

// beforeLoss begins work that the standby has the beginning of. lost does what the standby never gets, and after is what is
// right on the new primary: the business has each part once, and the bank has one key for each payout. What it has done for
// a request of which no record is left it is asked to do once more, with that key.
func (o *office) beforeLoss() (lost func(), after func(url string)) {
	o.t.Helper()
	doubtful, answered := o.halt("doubtful", called), o.halt("answered", called)
	lost = func() {
		o.t.Helper()
		o.fails("doubtful", stored)
		wantAnswer(o.t, "a worker that fails after it has stored its step", doubtful(), http.StatusServiceUnavailable, "#outcome-unknown", false)
		wantAnswer(o.t, "a worker that finishes", answered(), http.StatusCreated, "", false)
		wantAnswer(o.t, "a whole request", o.post("whole"), http.StatusCreated, "", false)
	}
	after = func(url string) {
		o.t.Helper()
		var left []string
		must(o.t, query(url, &left, `SELECT coalesce(array_agg(convert_from(key, 'UTF8') || ' ' || status || ' ' || (position('transfer'::bytea IN steps) > 0) ORDER BY key), '{}') FROM idempotency_keys WHERE operation = 'createPayout'`))
		if !slices.Equal(left, []string{"answered 0 false", "doubtful 0 false"}) {
			o.t.Fatalf("the records that are left are %q", left)
		}
		o.recover(url, 2)
		wantAnswer(o.t, "retry of the one in doubt", o.post("doubtful"), http.StatusCreated, "", true)
		wantAnswer(o.t, "retry of one that was answered", o.post("answered"), http.StatusCreated, "", true)
		wantAnswer(o.t, "retry of one of which nothing is left", o.post("whole"), http.StatusCreated, "", false)
		o.want("doubtful", 1, 1)
		o.want("answered", 1, 1)
		o.want("whole", 2, 0)
		o.wantRows(url, "doubtful", "answered", "whole")
	}
	return lost, after
}

// beforeSynchronous does what both servers have by the time that it is answered.
func (o *office) beforeSynchronous() (after func(url string)) {
	o.t.Helper()
	wantAnswer(o.t, "first", o.post("answered"), http.StatusCreated, "", false)
	o.fails("left", stored)
	wantAnswer(o.t, "left", o.post("left"), http.StatusServiceUnavailable, "#outcome-unknown", false)
	return func(url string) {
		o.t.Helper()
		o.recover(url, 1)
		for _, key := range []string{"answered", "left"} {
			wantAnswer(o.t, "retry of "+key, o.post(key), http.StatusCreated, "", true)
			o.want(key, 1, 0)
		}
		o.wantRows(url, "answered", "left")
	}
}
