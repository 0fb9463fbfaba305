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
)

const workLimit = 5 * time.Minute

// stuck is a time at which a test gives up: longer than a limit, a lease and a pause together.
const stuck = 5 * workLimit

const notLeft = "a handler that does not return was not left behind at the work limit"

// A4: at the work limit the contexts of step and handler end by a cause of their own, and the lease is not kept any more. The
// client is told that the work is not finished, and recovery finishes it.
func TestWorkLimit_A4_A5_EndsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
		began := time.Now()
		var inStep, inHandler error
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if _, err := o.reserve(ctx, lease); err != nil {
				return runtime.Response{}, err
			}
			_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(ctx context.Context, _ *runtime.Outbound) (string, error) {
				wait(t, ctx.Done(), stuck, "the work limit did not end the step's context") // a call without a timeout
				inStep = context.Cause(ctx)
				return "", ctx.Err()
			})
			inHandler = context.Cause(ctx)
			if _, again := o.transfer(ctx, lease); again == nil {
				t.Error("a step begins after the limit")
			}
			return runtime.Response{}, err
		}
		a := o.post("k", body)
		a.wantProblem(t, 503, "outcome-unknown")
		a.wantRetryAfter(t)
		if took := time.Since(began); took < workLimit || took > workLimit+time.Second {
			t.Errorf("the client was answered after %v", took)
		}
		if !errors.Is(inStep, runtime.ErrWorkLimit) || !errors.Is(inHandler, runtime.ErrWorkLimit) {
			t.Errorf("the causes are %v and %v", inStep, inHandler)
		}
		if limits := o.seen.limits; len(limits) != 1 || limits[0] != (runtime.WorkLimitEvent{Operation: "createPayout", Epoch: 1}) {
			t.Errorf("told %+v", limits)
		}
		if log := o.log.String(); !strings.Contains(log, "work limit reached") || !strings.Contains(log, "WithWorkLimit") {
			t.Errorf("log %s", log)
		}
		if got := o.seen.outcomes(); len(got) != 1 || got[0] != runtime.OutcomeSuspended {
			t.Errorf("outcomes %s", got)
		}
		o.run = nil
		time.Sleep(workLimit) // longer than the pause, which goes by the age of the work
		if report := o.recover(); report.Completed != 1 {
			t.Errorf("%+v; log %s", report, o.log)
		}
		o.wantPaid()
	})
}

// Before any effect there is nothing to go on with.
func TestWorkLimit_A4_BeforeAnyEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
		o.run = func(ctx context.Context, _ *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			wait(t, ctx.Done(), stuck, "the work limit did not end the handler's context")
			return runtime.Response{}, ctx.Err()
		}
		o.post("k", body).wantProblem(t, 503, "unavailable")
		o.wantNothing()
	})
}

// A4, I6: a handler that does not heed its context holds neither its client nor its record. What it does when it wakes up
// changes nothing.
func TestWorkLimit_A4_I6_AHandlerThatDoesNotReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
		began := time.Now()
		var renewed time.Duration
		o.leases.renew = func(ctx context.Context, id runtime.ID, fence runtime.Fence, d time.Duration) error {
			renewed = time.Since(began)
			return o.leases.Store.Renew(ctx, id, fence, d)
		}
		wake, woken := make(chan struct{}), make(chan error, 1)
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if o.runs.Load() > 1 {
				return o.pay(ctx, lease)
			}
			if _, err := o.reserve(ctx, lease); err != nil {
				return runtime.Response{}, err
			}
			_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (string, error) {
				wait(t, wake, stuck, notLeft)
				return "stale", nil
			})
			woken <- err
			return runtime.Response{Status: 201, Body: []byte("stale")}, nil
		}
		o.post("k", body).wantProblem(t, 503, "outcome-unknown")
		if took := time.Since(began); took < workLimit || took > workLimit+31*time.Second {
			t.Errorf("the client was answered after %v", took)
		}
		if renewed > workLimit {
			t.Errorf("the lease was renewed after %v", renewed)
		}
		if limits := o.seen.limits; len(limits) != 1 || !limits[0].Left {
			t.Errorf("told %+v", limits)
		}
		if log := o.log.String(); !strings.Contains(log, "left behind") {
			t.Errorf("log %s", log)
		}
		if report := o.recover(); report.Completed != 1 { // at once: the lease is over
			t.Errorf("%+v; log %s", report, o.log)
		}
		o.wantPaid()
		first := o.post("k", body)
		close(wake)
		if err := wait(t, woken, stuck, "the handler did not wake up"); !errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("the stale result: %v", err)
		}
		synctest.Wait()
		if a := o.post("k", body); a.status != 201 || a.body != first.body {
			t.Errorf("%d %s", a.status, a.body)
		}
		o.wantPaid()
	})
}

// The same in recovery, whose place is free again.
func TestWorkLimit_A5_RecoveryGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
		o.strand(1)
		wake := make(chan struct{})
		o.run = func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			wait(t, wake, stuck, notLeft)
			return runtime.Response{}, errors.New("late")
		}
		began := time.Now()
		if report := o.recover(runtime.WithRecoveryConcurrency(1)); report.Yielded != 1 {
			t.Errorf("%+v", report)
		}
		if took := time.Since(began); took > workLimit+31*time.Second {
			t.Errorf("recovery was held for %v", took)
		}
		if limits := o.seen.limits; len(limits) != 1 || limits[0] != (runtime.WorkLimitEvent{Operation: "createPayout", Epoch: 2, Left: true}) {
			t.Errorf("told %+v", limits)
		}
		o.run = nil
		if report := o.recover(); report.Completed != 1 {
			t.Errorf("%+v; log %s", report, o.log)
		}
		close(wake)
	})
}

// Work that is complete, and whose handler hangs afterwards, is answered from its record.
func TestWorkLimit_A1_CompleteAndNotReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
		wake := make(chan struct{})
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			answer, err := o.pay(ctx, lease)
			wait(t, wake, stuck, notLeft)
			return answer, err
		}
		if a := o.post("k", body); a.status != 201 || !strings.HasPrefix(a.body, "paid 7") {
			t.Errorf("%d %s", a.status, a.body)
		}
		close(wake)
		synctest.Wait()
		o.wantPaid()
	})
}

// Without a key there is no record to take over.
func TestWorkLimit_A4_WithoutAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(optional), runtime.WithWorkLimit(workLimit))
		wake := make(chan struct{})
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, _ = o.reserve(ctx, lease)
			wait(t, wake, stuck, notLeft)
			return runtime.Response{Status: 201}, nil
		}
		a := do(o.mux, o.request(body))
		a.wantProblem(t, 500, "outcome-unknown")
		close(wake)
	})
}

// What a handler does that was left behind, and what is done for it, does not end the process.
func TestWorkLimit_A10_ALatePanic(t *testing.T) {
	for name, value := range map[string]any{"a fault": "boom", "net/http's": http.ErrAbortHandler} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit))
				wake := make(chan struct{})
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					_, _ = o.reserve(ctx, lease)
					wait(t, wake, stuck, notLeft)
					panic(value)
				}
				o.post("k", body).wantProblem(t, 503, "outcome-unknown")
				close(wake)
				synctest.Wait()
				o.run = nil
				o.overdue("k")
				if report := o.recover(); report.Completed != 1 {
					t.Errorf("%+v; log %s", report, o.log)
				}
				o.wantPaid()
			})
		})
	}
}

// lateObserver panics where a worker finds that it holds its record no more.
type lateObserver struct{ runtime.Unobserved }

func (lateObserver) LeaseLost(context.Context, runtime.LeaseLostEvent) { panic("an observer's fault") }

func TestWorkLimit_A10_ALatePanicOfAnObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout(), runtime.WithWorkLimit(workLimit), runtime.WithObserver(lateObserver{}))
		wake := make(chan struct{})
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if o.runs.Load() > 1 {
				return o.pay(ctx, lease)
			}
			_, _ = o.reserve(ctx, lease)
			wait(t, wake, stuck, notLeft)
			return runtime.Response{}, errors.New("late")
		}
		o.post("k", body)
		o.recover()
		close(wake)
		synctest.Wait()
		if log := o.log.String(); !strings.Contains(log, "work failed after its handler was left behind") {
			t.Errorf("log %s", log)
		}
		o.wantPaid()
	})
}

// A service that does not know the option is safe all the same.
func TestWorkLimit_A4_Default(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.run = o.slow(24 * time.Hour)
		began := time.Now()
		o.post("k", body).wantProblem(t, 503, "outcome-unknown")
		if took := time.Since(began); took < 15*time.Minute || took > 16*time.Minute {
			t.Errorf("the client was answered after %v", took)
		}
	})
}
