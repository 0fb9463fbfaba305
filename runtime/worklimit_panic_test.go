package runtime_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// A10: a handler that panics since its context has ended, at the limit or when its client goes, is told of like any other that
// panics: what the end of the context explains is an error, and not a fault.
func TestWorkLimit_A10_APanicAtTheLimitIsToldOf(t *testing.T) {
	for _, after := range []bool{false, true} {
		for _, gone := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					if after {
						_, _ = o.reserve(ctx, lease)
					}
					wait(t, ctx.Done(), stuck, "the work limit did not end the context")
					panic("no result")
				}
				ctx, goes := context.WithCancel(context.Background())
				defer goes()
				if gone {
					time.AfterFunc(time.Second, goes)
				}
				if a := o.do(o.request(body, header("Idempotency-Key", "k")).WithContext(ctx)); a.status != 503 {
					t.Errorf("%d %s", a.status, a.body)
				}
				if log := o.log.String(); !strings.Contains(log, "handler failed") || !strings.Contains(log, "stack=") {
					t.Errorf("after a step %v, client gone %v: the panic is not in the log: %s", after, gone, log)
				}
			})
		}
	}
}

// A limit that is shorter than all that goes on ends the work, and nothing is done twice or forgotten by it.
func TestWorkLimit_A4_FarTooShort(t *testing.T) {
	for _, limit := range []time.Duration{1, time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, payout(), runtime.WithWorkLimit(limit))
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if _, err := o.reserve(ctx, lease); err != nil {
					return runtime.Response{}, err
				}
				if _, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
					time.Sleep(5 * time.Second) // heeds nothing, and has its effect after the limit
					return o.bank.transfer(out.Key())
				}); err != nil {
					return runtime.Response{}, err
				}
				return o.complete(ctx, lease, runtime.Response{Status: 201})
			}
			if a := o.post("k", body); a.status != 503 {
				t.Errorf("%d %s", a.status, a.body)
			}
			for range 3 {
				time.Sleep(time.Hour)
				o.recover()
			}
			o.run = nil
			whole := o.newEngine().LeaseHandler(o.op, o.program)
			time.Sleep(time.Hour)
			if a := do(whole, o.request(body, header("Idempotency-Key", "k"), withPath("order", "o1"))); a.status != 201 {
				t.Errorf("%v: with a longer limit: %d %s", limit, a.status, a.body)
			}
			o.wantPaid()
		})
	}
}

// A4, I6: the result of a call that comes after the limit counts while nobody has taken the work over, and so does its
// completion by the next worker: nothing is called twice.
func TestWorkLimit_A4_I6_ComesBackBeforeAnybodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
		wake, woken := make(chan struct{}), make(chan error, 1)
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if o.runs.Load() > 1 {
				return o.pay(ctx, lease)
			}
			if _, err := o.reserve(ctx, lease); err != nil {
				return runtime.Response{}, err
			}
			_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
				wait(t, wake, stuck, notLeft)
				return o.bank.transfer(out.Key())
			})
			woken <- err
			if err == nil {
				_, err = o.complete(ctx, lease, runtime.Response{Status: 201})
			}
			return runtime.Response{}, err
		}
		o.post("k", body).wantProblem(t, 503, "outcome-unknown")
		close(wake)
		if err := <-woken; err != nil {
			t.Errorf("the result does not count: %v", err)
		}
		synctest.Wait()
		if steps := o.look("k").Progress; steps == nil || len(steps.Steps) != 2 {
			t.Errorf("in progress: %+v", steps)
		}
		time.Sleep(workLimit) // longer than any pause
		if a := o.post("k", body); a.status != 201 {
			t.Errorf("%d %s", a.status, a.body)
		}
		o.wantPaid()
	})
}

// A3: a recovery that stops while the work it holds is at the limit returns, and another one goes on.
func TestWorkLimit_A3_RecoveryStopsAtTheLimit(t *testing.T) {
	for _, heeds := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
			o.strand(1)
			wake := make(chan struct{})
			o.run = func(ctx context.Context, _ *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if heeds {
					wait(t, ctx.Done(), stuck, "the work limit did not end the context")
					return runtime.Response{}, ctx.Err()
				}
				wait(t, wake, 3*time.Hour, notLeft)
				return runtime.Response{}, ctx.Err()
			}
			recovery, err := o.engine.NewRecovery(runtime.WithRecoveryInterval(time.Second))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- recovery.Run(ctx) }()
			time.Sleep(workLimit)
			stop() // in the moment of the limit
			began := time.Now()
			if err := <-done; err != nil || time.Since(began) > 31*time.Second {
				t.Errorf("heeds %v: recovery ended by %v after %v", heeds, err, time.Since(began))
			}
			o.run = nil
			time.Sleep(time.Hour)
			if report := o.recover(); report.Completed != 1 {
				t.Errorf("heeds %v: %+v", heeds, report)
			}
			close(wake)
			o.wantPaid()
		})
	}
}
