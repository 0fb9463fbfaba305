package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The tests of this file and of its namesake in pgstore are named after faults in other idempotency layers, TestPeer, and
// after entries of trackers, TestLesson. docs/faults.md lists both, with their sources and with the older tests that have
// the rest.

func TestPeerFiber_KeyAloneFindsNothing(t *testing.T) {
	s := newService(t, payment())
	mine, theirs := s.post("k", body), s.post("k", body, account("acct_2"))
	if mine.status != 201 || theirs.status != 201 || theirs.replayed() || mine.body == theirs.body {
		t.Errorf("two accounts share an answer: %+v, %+v", mine, theirs)
	}
	s.want(2, 2, 2)

	refund := payment()
	refund.ID, refund.Route = "refundPayment", "/orders/{order}/refunds"
	other := &service{t: t, store: s.store, engine: s.engine, op: refund, mux: http.NewServeMux(), log: s.log}
	other.serve(other.mux, s.engine)
	if a := other.post("k", body); a.status != 201 || a.replayed() {
		t.Errorf("two routes share an answer: %+v", a)
	}
	other.want(1, 1, 3)
}

func TestPeerFiber_AFailedStoreUndoesTheEffect(t *testing.T) {
	s := newService(t, payment())
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
		return errors.Join(w.Rollback(ctx), errors.New("the disk is full"))
	}
	if a := s.post("k", body); a.status < 500 {
		t.Errorf("%+v", a)
	}
	s.want(1, 0, 0)
	s.store.onCommit = nil
	if a := s.post("k", body); a.status != 201 || a.replayed() {
		t.Errorf("%+v", a)
	}
	s.want(2, 1, 1)
}

func TestPeerIdempotJS_TheFingerprintIsLongAndOfMoreThanTheBody(t *testing.T) {
	s := newService(t, payment())
	var kept []byte
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
		kept = r.Fingerprint
		return w.Commit(ctx, r)
	}
	s.post("k", body)
	if len(kept) < 32 {
		t.Errorf("a fingerprint of %d bytes", len(kept))
	}
	s.post("k", body, path("/orders/o2/payments")).wantProblem(t, 422, "key-reused")
	s.want(1, 1, 1)
}

func TestPeerEbenVranken_ALeaseIsShorterThanTheRetention(t *testing.T) {
	swapped := payout(func(p *policy.Policy) { p.Retention, p.Lease.Duration = p.Lease.Duration, p.Retention })
	register(t, swapped, "retention is 30s: it is longer than lease.duration")
}

func TestLesson04_AnOperationWithoutALeaseIsRefused(t *testing.T) {
	register(t, payout(func(p *policy.Policy) { p.Lease = policy.Lease{} }), "lease.duration")
	register(t, payout(func(p *policy.Policy) { p.Lease.Heartbeat = p.Lease.Duration }), "lease.heartbeat")
}

// register expects op to be refused with text.
func register(t *testing.T, op *runtime.Operation, text string) {
	t.Helper()
	engine, err := runtime.New[pgx.Tx](memstore.New(), bearer, runtime.WithLogger(silent()))
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Register(op); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("err = %v, want one with %q", err, text)
	}
}

// crash has the next worker die after the bank has done the transfer and before anybody has stored that: no write of its
// own arrives any more.
func (o *office) crash() {
	gone := errors.New("the process was killed")
	o.leases.advance = func(context.Context, runtime.ID, runtime.Fence, *runtime.Advance) error { return gone }
	o.leases.yield = func(context.Context, runtime.ID, runtime.Fence, time.Duration) error { return gone }
	o.leases.renew = func(context.Context, runtime.ID, runtime.Fence, time.Duration) error { return gone }
}

// restart lets writes arrive again, and has the dead worker's lease be over.
func (o *office) restart(key string) {
	o.t.Helper()
	o.leases.advance, o.leases.yield, o.leases.renew = nil, nil, nil
	o.overdue(key)
}

// A5: a call that may have been made is asked about, and not made again on the mere end of a lease.
func TestLesson05_AnInterruptedCallIsAskedAboutFirst(t *testing.T) {
	o := newOffice(t, payout(), runtime.WithCommitTimeout(50*time.Millisecond))
	o.crash()
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	o.restart("k")
	asked := 0
	o.reconcile = func(_ context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
		asked++
		if calls := len(o.bank.calls); calls != 1 {
			t.Errorf("the bank was called %d times before it was asked", calls)
		}
		return runtime.Done("t-" + step.Key()), nil
	}
	if report := o.recover(); report.Completed != 1 || asked != 1 {
		t.Errorf("%+v, asked %d times; log %s", report, asked, o.log)
	}
	o.wantPaid()
}

// A4: a handler that takes far longer than the lease keeps it by its heartbeat.
func TestLesson06_ALongHandlerKeepsItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.run = o.slow(5 * o.op.Policy.Lease.Duration)
		first := make(chan answer)
		go func() { first <- o.post("k", body) }()
		synctest.Wait()
		mux := http.NewServeMux()
		o.serve(mux, o.newEngine())
		for range 9 {
			time.Sleep(o.op.Policy.Lease.Duration / 2)
			do(mux, o.request(body, header("Idempotency-Key", "k"))).wantProblem(t, 409, "in-flight")
		}
		if report := o.recover(); report.Taken != 0 {
			t.Errorf("recovery took it: %+v", report)
		}
		if a := <-first; a.status != 201 || a.replayed() {
			t.Errorf("%+v", a)
		}
		o.wantPaid()
	})
}

// I8: a dead worker wedges a key for as long as its lease, not for as long as records are kept.
func TestLesson10_ACrashFreesTheKeyWithTheLease(t *testing.T) {
	o := newOffice(t, payout(), runtime.WithCommitTimeout(50*time.Millisecond))
	o.crash()
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	o.restart("k")
	if a := o.post("k", body); a.status != 201 || a.replayed() {
		t.Errorf("the client's own retry: %+v; log %s", a, o.log)
	}
	o.wantPaid()
	if o.look("k").Record == nil {
		t.Error("there is no record")
	}
}

// C1, I1: of many at once, in two processes, one runs.
func TestLesson17_OneRunOfManyAtOnce(t *testing.T) {
	o := newOffice(t, payout())
	mux := http.NewServeMux()
	o.serve(mux, o.newEngine())
	answers := together(200, func(i int) answer {
		if i%2 == 0 {
			return o.post("k", body)
		}
		return do(mux, o.request(body, header("Idempotency-Key", "k")))
	})
	for status := range count(answers) {
		if status != 0 && status != 201 && status != 409 {
			t.Errorf("%v", count(answers))
		}
	}
	if runs := o.runs.Load(); runs != 1 {
		t.Errorf("the work ran %d times", runs)
	}
	o.wantPaid()
}

// R4: what is forgotten with a 5xx in transaction mode, since it was undone with it, is not forgotten after a call.
func TestLesson39_A5xxAfterACallIsNotForgotten(t *testing.T) {
	o := newOffice(t, payout())
	fail := true
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		answer, err := o.pay(ctx, lease)
		return answer, err
	}
	o.leases.begin = func(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
		if look, err := o.leases.Store.Look(ctx, id); err == nil && len(look.Progress.Steps) == 2 && fail {
			return nil, errors.New("no connection")
		}
		return o.leases.Store.BeginFenced(ctx, id, fence)
	}
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	if look := o.look("k"); look.Progress == nil || len(look.Progress.Steps) != 2 {
		t.Fatalf("%+v", look)
	}
	fail = false
	o.overdue("k")
	if a := o.post("k", body); a.status != 201 {
		t.Errorf("%+v", a)
	}
	o.wantPaid()
}

// F4, I4: another request under a key that is in use is told so, also while the first is at work and its lease is over.
func TestLesson45_AMismatchIsFoundWhileWorkIsInProgress(t *testing.T) {
	o := newOffice(t, payout(), runtime.WithCommitTimeout(50*time.Millisecond))
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		mux := http.NewServeMux()
		o.serve(mux, o.newEngine())
		do(mux, o.request(`{"amount":200}`, header("Idempotency-Key", "k"))).wantProblem(t, 422, "key-reused")
		return o.pay(ctx, lease)
	}
	o.crash()
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	o.restart("k")
	o.run = nil
	o.post("k", `{"amount":200}`).wantProblem(t, 422, "key-reused")
	if a := o.post("k", body); a.status != 201 {
		t.Errorf("%+v", a)
	}
	o.wantPaid()
}

// A3: whoever makes a call, and however often, sends the same key.
func TestLesson50_EveryAttemptSendsTheSameKey(t *testing.T) {
	o := newOffice(t, payout())
	o.bank.fail = func(n int) error {
		if n < 4 {
			return errors.New("timeout")
		}
		return nil
	}
	for range 3 {
		o.post("k", body)
		o.overdue("k")
	}
	o.engine = o.newEngine() // a process that starts
	o.serve(http.NewServeMux(), o.engine)
	if report := o.recover(); report.Completed != 1 {
		t.Errorf("%+v; log %s", report, o.log)
	}
	if len(o.bank.calls) != 4 {
		t.Errorf("%d calls", len(o.bank.calls))
	}
	for _, key := range o.bank.calls {
		if key != o.bank.calls[0] {
			t.Errorf("the keys differ: %q", o.bank.calls)
		}
	}
	o.wantPaid()
	if o.post("other", body); len(o.bank.calls) != 5 || o.bank.calls[4] == o.bank.calls[0] {
		t.Errorf("two requests send one key: %q", o.bank.calls)
	}
}
