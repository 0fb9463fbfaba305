package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The times that a program sends which has none: Go's zero time is the first second of the year 1, and other languages have
// theirs. Each is a date, and too long ago, however often it is sent (X3, I1).
func TestFirstSent_X3_I1_NoTimeAtAll(t *testing.T) {
	for _, text := range []string{
		time.Time{}.Format(http.TimeFormat), "Sat, 01 Jan 0000 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
	} {
		s := newService(t, dated())
		s.post("k", body, header("Repeatability-First-Sent", text)).wantProblem(t, 412, "expired")
		s.want(0, 0, 0)
		o := newOffice(t, payout(firstSentRules))
		o.post("k", body, header("Repeatability-First-Sent", text)).wantProblem(t, 412, "expired")
		o.wantNothing()
	}
}

// bubble is a subtest in virtual time.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func firstSentRules(p *policy.Policy) {
	p.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: skew}
}

// late sends a payout that is claimed just after its time is over, or just before with an answer that comes after, and whose record
// cannot be removed. It is called in a bubble.
func (o *office) late(before bool) {
	o.t.Helper()
	at := time.Now()
	time.Sleep(24*time.Hour - time.Second)
	o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
		if before {
			defer time.Sleep(2 * time.Second)
		} else {
			time.Sleep(2 * time.Second)
		}
		return o.leases.Store.ClaimLease(ctx, id, intent)
	}
	o.leases.release = func(context.Context, runtime.ID, runtime.Fence) error { return errDown }
	a := o.post("k", body, sentAt(at))
	a.wantProblem(o.t, 503, "outcome-unknown") // the record is there, so nobody says yet what becomes of it
	if o.runs.Load() != 0 {
		o.t.Fatalf("the handler ran %d times", o.runs.Load())
	}
	o.leases.claimLease, o.leases.release = nil, nil
	o.overdue("k")
	if a := o.post("k", body, sentAt(at)); a.status != 412 {
		o.t.Errorf("its retry: %d %s", a.status, a.body)
	}
}

// X3, I1: a request that was too late when its record was made is never carried out, by no worker: the record of its first
// attempt may have gone. One that could not be removed is removed by whoever takes it up.
func TestFirstSent_X3_I1_LateWorkIsNotTakenUp(t *testing.T) {
	for name, changes := range map[string]func(*policy.Policy){
		"a local step first": func(*policy.Policy) {},
		"a call first":       func(p *policy.Policy) { p.Steps = []string{"transfer", "reserve"} },
		"no step outside":    func(p *policy.Policy) { p.Downstream = nil },
		"no steps":           func(p *policy.Policy) { p.Downstream, p.Steps = nil, nil },
	} {
		for i, by := range []string{"recovery", "a handler that goes on", "a handler that answers", "a handler that fails", "recovery of a claim whose answer came late"} {
			before := i == 4
			bubble(t, name+", "+by, func(t *testing.T) {
				o := newOffice(t, payout(firstSentRules, changes))
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					if by == "a handler that answers" {
						return runtime.Response{Status: 201}, nil
					}
					var errs []error
					for _, name := range o.op.Policy.Steps {
						var err error
						switch name {
						case "transfer":
							if o.op.Policy.Downstream == nil {
								continue
							}
							_, err = o.transfer(ctx, lease)
						case "reserve":
							_, err = o.reserve(ctx, lease)
						default:
							continue
						}
						if errs = append(errs, err); err != nil && by != "a handler that goes on" {
							return runtime.Response{}, err
						}
					}
					if by == "a handler that fails" {
						return runtime.Response{}, errors.Join(append(errs, errors.New("broken"))...)
					}
					return o.complete(ctx, lease, runtime.Response{Status: 201})
				}
				o.late(before)
				if report := o.recover(); report.Completed != 0 || report.Taken != 1 || report.Released != 1 && by != "a handler that fails" {
					t.Errorf("%+v; log %s", report, o.log)
				}
				if by != "a handler that fails" {
					o.wantNothing()
				} else if n := o.reserved.Load() + int64(o.bank.effects()) + o.effects.Load(); n != 0 {
					t.Errorf("%d effects", n)
				}
			})
		}
	}
}

// What had begun all the same, as by a store's clock that jumped meanwhile, is finished.
func TestFirstSent_X3_I8_LateWorkThatHasBegunIsFinished(t *testing.T) {
	when := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	o := newOfficeAt(t, payout(firstSentRules), when.Now)
	at := when.Now()
	o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
		when.Advance(25 * time.Hour)
		return o.leases.Store.ClaimLease(ctx, id, intent)
	}
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		if _, err := o.transfer(ctx, lease); err != nil {
			return runtime.Response{}, err
		}
		return o.complete(ctx, lease, runtime.Response{Status: 201})
	}
	o.leases.advance = func(context.Context, runtime.ID, runtime.Fence, *runtime.Advance) error { return runtime.ErrLeaseLost }
	o.post("k", body, sentAt(at))
	if n := o.bank.effects(); n != 1 {
		t.Fatalf("%d transfers", n)
	}
	o.leases.advance, o.leases.claimLease = nil, nil
	o.overdue("k")
	if report := o.recover(); report.Completed != 1 || o.bank.effects() != 1 {
		t.Errorf("%+v, %d transfers; log %s", report, o.bank.effects(), o.log)
	}
}

// Nor is it run where the other side cannot tell yet whether it has begun.
func TestFirstSent_X3_I1_LateWorkThatMayHaveBegun(t *testing.T) {
	synctest.Test(t, lateWorkThatMayHaveBegun)
}

func lateWorkThatMayHaveBegun(t *testing.T) {
	o := newOffice(t, payout(firstSentRules, func(p *policy.Policy) { p.Steps = []string{"transfer"} }))
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		if _, err := o.transfer(ctx, lease); err != nil {
			return runtime.Response{}, err
		}
		return o.complete(ctx, lease, runtime.Response{Status: 201})
	}
	o.reconcile = func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
		return runtime.Unknown(), nil
	}
	o.late(false)
	if report := o.recover(); report.Yielded != 1 || o.bank.effects() != 0 {
		t.Errorf("%+v, %d transfers", report, o.bank.effects())
	}
	o.reconcile = nil
	o.overdue("k")
	if report := o.recover(); report.Released != 1 || o.bank.effects() != 0 {
		t.Errorf("%+v, %d transfers", report, o.bank.effects())
	}
	o.wantNothing()
}

// Work that was claimed in time is finished, however long afterwards.
func TestFirstSent_X3_A3_WorkInTimeIsTakenUpLate(t *testing.T) {
	when := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	o := newOfficeAt(t, payout(firstSentRules), when.Now)
	at := when.Now()
	when.Advance(23 * time.Hour)
	o.run = func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { panic(http.ErrAbortHandler) }
	o.leases.release = func(context.Context, runtime.ID, runtime.Fence) error { return runtime.ErrLeaseLost }
	func() {
		defer func() { _ = recover() }()
		o.post("k", body, sentAt(at))
	}()
	o.run, o.leases.release = nil, nil
	when.Advance(48 * time.Hour)
	if report := o.recover(); report.Completed != 1 {
		t.Errorf("%+v; log %s", report, o.log)
	}
	o.wantPaid()
}
