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
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// slow is a handler whose call takes d, or less where its context ends.
func (o *office) slow(d time.Duration) handler {
	return func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		if _, err := o.reserve(ctx, lease); err != nil {
			return runtime.Response{}, err
		}
		if _, err := runtime.DoExternal(ctx, lease.External("transfer"), func(ctx context.Context, out *runtime.Outbound) (string, error) {
			select {
			case <-time.After(d):
				return o.bank.transfer(out.Key())
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		}); err != nil {
			return runtime.Response{}, err
		}
		return o.complete(ctx, lease, runtime.Response{Status: 201})
	}
}

// A4: a heartbeat keeps work that takes many times the lease, and nobody else takes it over.
func TestHeartbeat_A4_KeepsLongWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		renewals := atomic.Int64{}
		o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
			renewals.Add(1)
			return o.leases.Store.Renew(ctx, id, fence, d)
		}
		o.run = o.slow(10 * time.Minute)
		answers := make(chan answer)
		go func() { answers <- o.post("k", body) }()
		for range 9 {
			time.Sleep(time.Minute)
			if report := o.recover(); report.Taken != 0 {
				t.Errorf("recovery has taken it: %+v", report)
			}
			if look := o.look("k"); look.Progress == nil || look.Progress.Left < 15*time.Second {
				t.Errorf("%+v", look)
			}
		}
		if a := <-answers; a.status != 201 {
			t.Errorf("%d %s", a.status, a.body)
		}
		o.wantPaid()
		if n := renewals.Load(); n < 55 || n > 65 { // one each 10 seconds
			t.Errorf("%d renewals", n)
		}
	})
}

// A4, I6: a worker whose heartbeat fails is told before its lease is over for others, and what it does later counts only
// while nobody has taken the work over.
func TestHeartbeat_A4_I6_LossEndsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.leases.renew = func(ctx context.Context, _ runtime.ID, _ runtime.Fence, _ time.Duration) error {
			<-ctx.Done() // the store hangs
			return ctx.Err()
		}
		began := time.Now()
		var told error
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := o.reserve(ctx, lease)
			if err != nil {
				return runtime.Response{}, err
			}
			<-ctx.Done()
			told = context.Cause(ctx)
			if took := time.Since(began); took < 20*time.Second || took >= 30*time.Second {
				t.Errorf("told after %v of a lease of 30 s", took)
			}
			if _, err := o.transfer(ctx, lease); !errors.Is(err, runtime.ErrLeaseLost) {
				t.Errorf("a step begins without a lease: %v", err)
			}
			return runtime.Response{}, ctx.Err()
		}
		o.post("k", body).wantProblem(t, 503, "outcome-unknown") // nobody has taken it over
		if !errors.Is(told, runtime.ErrLeaseLost) {
			t.Errorf("the cause is %v", told)
		}
		if o.bank.effects() != 0 {
			t.Error("it was transferred")
		}
	})
}

// A4: a renewal that waits its turn for longer than a heartbeat is not sent to the back of the queue.
func TestHeartbeat_A4_ARenewalKeepsItsPlaceInAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		var first atomic.Bool
		o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
			queue := 13 * time.Second // longer than a heartbeat, each time
			if first.CompareAndSwap(false, true) {
				queue = 15 * time.Second
			}
			select {
			case <-time.After(queue):
				return o.leases.Store.Renew(ctx, id, fence, d)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		o.run = o.slow(2 * time.Minute)
		if a := o.post("k", body); a.status != 201 {
			t.Errorf("%d %s; log %s", a.status, a.body, o.log)
		}
		o.wantPaid()
	})
}

// Why renewals fail is told when they begin to, once for each lease and without the key, and again with the loss of the lease.
func TestHeartbeat_A4_TellsWhyRenewalsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		other := o.newEngine()
		o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
			if fence.Epoch == 1 {
				return fmt.Errorf("secret-key: %w", runtime.Explain("the pool is closed", errDown))
			}
			return o.leases.Store.Renew(ctx, id, fence, d)
		}
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if o.runs.Load() > 1 {
				return o.pay(ctx, lease)
			}
			if _, err := o.reserve(ctx, lease); err != nil {
				return runtime.Response{}, err
			}
			<-ctx.Done()
			cause := context.Cause(ctx)
			if !errors.Is(cause, runtime.ErrLeaseLost) || !strings.Contains(cause.Error(), "the pool is closed") {
				t.Errorf("the context ends by %v", cause)
			}
			time.Sleep(time.Minute) // not heeding ctx
			_ = other.LeaseHandler(o.op, o.program)
			recovery, _ := other.NewRecovery()
			if report, err := recovery.Once(context.Background()); report.Completed != 1 {
				t.Errorf("%+v, %v", report, err)
			}
			return runtime.Response{}, cause
		}
		o.post("secret-key", body)
		log := o.log.String()
		if n := strings.Count(log, "a lease cannot be renewed"); n != 1 || !strings.Contains(log, `cause="the pool is closed"`) {
			t.Errorf("told %d times, want once with its cause: %s", n, log)
		}
		if strings.Contains(log, "secret-key") {
			t.Errorf("the log has the key: %s", log)
		}
		if o.seen.lost != 1 || !strings.Contains(o.seen.lostBy, "the pool is closed") || strings.Contains(o.seen.lostBy, "secret-key") {
			t.Errorf("%d losses, the last by %q", o.seen.lost, o.seen.lostBy)
		}
	})
}

// Renewals that the end of the work has cut off are no failure.
func TestHeartbeat_ACutRenewalIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.leases.renew = func(ctx context.Context, _ runtime.ID, _ runtime.Fence, _ time.Duration) error {
			<-ctx.Done()
			return ctx.Err()
		}
		o.run = o.slow(12 * time.Second)
		if a := o.post("k", body); a.status != 201 || strings.Contains(o.log.String(), "renewed") {
			t.Errorf("%d %s; log %s", a.status, a.body, o.log)
		}
	})
}

// A worker that was overtaken, and does not heed its context, changes nothing: no step, no completion, no renewal, no
// release. Its client is told that the request is in progress, or gets what the other worker has made of it.
func TestHeartbeat_A4_I6_AStaleWorkerChangesNothing(t *testing.T) {
	for _, last := range []string{"complete", "answer", "step", "fail", "result"} {
		t.Run(last, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, payout())
				other := o.newEngine()
				var overtaken atomic.Bool
				o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
					if fence.Epoch == 1 && !overtaken.Load() {
						return errDown
					}
					return o.leases.Store.Renew(ctx, id, fence, d)
				}
				second := make(chan runtime.RecoveryReport, 1)
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					if o.runs.Load() > 1 { // the second worker
						time.Sleep(time.Minute)
						return o.pay(ctx, lease)
					}
					if last != "fail" {
						if _, err := o.reserve(ctx, lease); err != nil {
							t.Error(err)
						}
					}
					takeOver := func() {
						time.Sleep(time.Minute) // not heeding ctx
						overtaken.Store(true)
						go func() {
							_ = other.LeaseHandler(o.op, o.program)
							recovery, _ := other.NewRecovery()
							report, _ := recovery.Once(context.Background())
							second <- report
						}()
						time.Sleep(time.Second)
					}
					if last == "result" {
						_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
							takeOver()
							return o.bank.transfer(out.Key())
						})
						if !errors.Is(err, runtime.ErrLeaseLost) {
							t.Errorf("a stale result: %v", err)
						}
						return runtime.Response{Status: 201, Body: []byte("stale")}, err
					}
					takeOver()
					switch last {
					case "complete":
						answer, err := o.complete(ctx, lease, runtime.Response{Status: 201, Body: []byte("stale")})
						if !errors.Is(err, runtime.ErrLeaseLost) {
							t.Errorf("a stale completion: %v", err)
						}
						return answer, err
					case "step":
						_, err := o.transfer(ctx, lease)
						return runtime.Response{}, err
					case "fail":
						return runtime.Response{}, errors.New("boom")
					default:
						return runtime.Response{Status: 201, Body: []byte("stale")}, nil
					}
				}
				a := o.post("k", body)
				a.wantProblem(t, 409, "in-flight")
				a.wantRetryAfter(t)
				if report := <-second; report.Completed != 1 {
					t.Errorf("%+v; log %s", report, o.log)
				}
				o.wantPaid()
				if a := o.post("k", body); a.status != 201 || a.body == "stale" {
					t.Errorf("%d %s", a.status, a.body)
				}
				if o.seen.lost != 1 {
					t.Errorf("the loss was told %d times", o.seen.lost)
				}
			})
		})
	}
}

// A renewal that finds the record complete, since its own worker has just completed it, is no loss.
func TestHeartbeat_A4_CompletionIsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
			err := work.Commit(ctx, to)
			if to.Record != nil {
				time.Sleep(4 * time.Second) // a renewal is due meanwhile
			}
			return err
		}
		o.run = o.slow(7 * time.Second)
		if a := o.post("k", body); a.status != 201 || o.seen.lost != 0 {
			t.Errorf("%d %s, lost %d times", a.status, a.body, o.seen.lost)
		}
		o.wantPaid()
	})
}

// The same where the renewal was under way already, and the commit's outcome was unknown.
func TestHeartbeat_A6_ARenewalUnderWayIsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
			time.Sleep(3 * time.Second)
			return o.leases.Store.Renew(ctx, id, fence, d)
		}
		o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
			err := work.Commit(ctx, to)
			if to.Record != nil {
				time.Sleep(4 * time.Second)
				err = runtime.ErrCommitUnknown
			}
			return err
		}
		o.run = o.slow(11 * time.Second)
		if a := o.post("k", body); a.status != 201 || a.replayed() || o.seen.lost != 0 {
			t.Errorf("%d %s, replayed %v, lost %d times", a.status, a.body, a.replayed(), o.seen.lost)
		}
		o.wantPaid()
	})
}

// While a transaction of the worker is open there is no renewal, as far as the lease allows it: under REPEATABLE READ the
// commit would fail by it.
func TestHeartbeat_A7_LeavesAnOpenTransactionAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		began := time.Now()
		var renewed []time.Duration
		o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
			renewed = append(renewed, time.Since(began).Round(time.Second))
			return o.leases.Store.Renew(ctx, id, fence, d)
		}
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(context.Context, pgx.Tx) (int, error) {
				time.Sleep(20 * time.Second)
				return 0, nil
			})
			return runtime.Response{Status: 201}, err
		}
		if a := o.post("k", body); a.status != 201 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if len(renewed) != 1 || renewed[0] < 13*time.Second {
			t.Errorf("renewed after %v", renewed)
		}
	})
}

// No goroutine and no timer outlives its work.
func TestHeartbeat_NothingIsLeft(t *testing.T) {
	o := newOffice(t, payout())
	before := goruntime.NumGoroutine()
	for i := range 200 {
		o.post(fmt.Sprint("k", i), body)
	}
	after := goruntime.NumGoroutine()
	for deadline := time.Now().Add(10 * time.Second); after > before+5 && time.Now().Before(deadline); after = goruntime.NumGoroutine() {
		time.Sleep(time.Millisecond) // those that have done their last act end by themselves
	}
	if after > before+5 {
		t.Errorf("%d goroutines, and %d before", after, before)
	}
}

// C3: a duplicate is told how much of the lease is left, in this process and in another.
func TestLease_C3_C5_InFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		other := o.newEngine()
		otherMux := other.LeaseHandler(o.op, o.program)
		o.run = o.slow(time.Minute)
		answers := make(chan answer)
		go func() { answers <- o.post("k", body) }()
		time.Sleep(5500 * time.Millisecond)
		here := o.post("k", body)
		here.wantProblem(t, 409, "in-flight")
		there := do(otherMux, o.request(body, header("Idempotency-Key", "k"), withPath("order", "o1")))
		there.wantProblem(t, 409, "in-flight")
		if h, e := here.header.Get("Retry-After"), there.header.Get("Retry-After"); h != "24" && h != "25" || e != "25" {
			t.Errorf("Retry-After %s here, %s there; 24.5 s are left", h, e)
		}
		if a := do(otherMux, o.request(`{"amount":2}`, header("Idempotency-Key", "k"), withPath("order", "o1"))); a.status != 422 {
			t.Errorf("another request: %d %s", a.status, a.body)
		}
		first := <-answers
		wantReplay(t, first, o.post("k", body))
		o.wantPaid()
	})
}

func withPath(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.SetPathValue(name, value) }
}

// Where the policy has duplicates wait, they get the record, in this process and in another; I10: they hold no transaction.
func TestLease_C2_I10_DuplicatesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(func(p *policy.Policy) { p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: 10 * time.Second} }))
		other := o.newEngine().LeaseHandler(o.op, o.program)
		o.run = o.slow(5 * time.Second)
		answers := make(chan answer)
		for range 5 {
			go func() { answers <- o.post("k", body) }()
			go func() { answers <- do(other, o.request(body, header("Idempotency-Key", "k"), withPath("order", "o1"))) }()
		}
		time.Sleep(4 * time.Second)
		if open := o.leases.open.Load(); open != 0 {
			t.Errorf("%d transactions are open", open)
		}
		replays := 0
		for range 10 {
			a := <-answers
			if a.status != 201 {
				t.Errorf("%d %s", a.status, a.body)
			}
			if a.replayed() {
				replays++
			}
		}
		if replays != 9 {
			t.Errorf("%d replays", replays)
		}
		o.wantPaid()

		o.run = o.slow(time.Minute)
		go func() { answers <- o.post("l", body) }()
		time.Sleep(time.Second)
		began := time.Now()
		o.post("l", body).wantProblem(t, 409, "in-flight")
		if took := time.Since(began); took < 9*time.Second || took > 11*time.Second {
			t.Errorf("it waited %v", took)
		}
		<-answers
	})
}

// A duplicate that waits takes the work over when its worker has died.
func TestLease_A4_AWaiterTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(func(p *policy.Policy) { p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: time.Minute} }))
		o.abandon("k")
		began := time.Now()
		if a := o.post("k", body); a.status != 201 || a.replayed() {
			t.Errorf("%d %s; log %s", a.status, a.body, o.log)
		}
		if took := time.Since(began); took < 29*time.Second || took > 32*time.Second {
			t.Errorf("it took %v", took)
		}
		o.wantPaid()
	})
}

// abandon leaves work in progress as a worker does that dies at once: with its lease running, and nothing done.
func (o *office) abandon(key string) {
	o.t.Helper()
	claim := o.leases.claimLease
	o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
		_, err := o.leases.Store.ClaimLease(ctx, id, intent)
		return runtime.LeaseClaim{}, errors.Join(err, errDown)
	}
	o.post(key, body).wantProblem(o.t, 503, "unavailable")
	o.leases.claimLease = claim
}

// A record in progress is busy in a transaction of somebody else.
func TestLease_C2_BusyStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, wait := range []bool{false, true} {
			o := newOffice(t, payout(func(p *policy.Policy) {
				if wait {
					p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: time.Second}
				}
			}))
			o.leases.claimLease = func(context.Context, runtime.ID, *runtime.Intent) (runtime.LeaseClaim, error) {
				return runtime.LeaseClaim{}, fmt.Errorf("x: %w", runtime.ErrBusy)
			}
			began := time.Now()
			o.post("k", body).wantProblem(t, 409, "in-flight")
			if took := time.Since(began); wait != (took > 900*time.Millisecond) {
				t.Errorf("wait %v: it took %v", wait, took)
			}
		}
	})
}

// C1: a thousand requests with one key have one effect.
func TestLease_C1_I1_ThousandAtOnce(t *testing.T) {
	o := newOffice(t, payout(func(p *policy.Policy) { p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: time.Minute} }))
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		time.Sleep(10 * time.Millisecond)
		return o.pay(ctx, lease)
	}
	wantCount(t, together(1000, func(int) answer { return o.post("k", body) }), map[int]int{201: 1000, 0: 999})
	o.wantPaid()
}
