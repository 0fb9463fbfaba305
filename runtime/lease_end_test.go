package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// returns is a handler that only returns.
func returns(answer runtime.Response, err error) handler {
	return func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { return answer, err }
}

// A failure before any effect leaves nothing: the next request with the key is the first again.
func TestLease_I13_A10_EndsBeforeAnyEffect(t *testing.T) {
	for _, c := range []struct {
		name    string
		run     handler
		status  int
		problem string
		outcome runtime.Outcome
	}{
		{"an error", returns(runtime.Response{}, errors.New("secret")), 500, "internal-error", runtime.OutcomeFailed},
		{"a fault of the code", returns(runtime.Response{}, runtime.Explain("no", nil)), 500, "internal-error", runtime.OutcomeFailed},
		{"no status", returns(runtime.Response{}, nil), 500, "internal-error", runtime.OutcomeFailed},
		{"a panic", func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { panic("secret") }, 500, "internal-error", runtime.OutcomeFailed},
		{"a problem", returns(runtime.Response{}, &runtime.Problem{Name: runtime.ProblemInvalidRequest}), 400, "invalid-request", runtime.OutcomeNotKept},
		{"a guard", returns(runtime.Response{}, &pgconn.PgError{Code: "23505", ConstraintName: "one_payout"}), 409, "conflict", runtime.OutcomeDuplicateEffect},
		{"a safety net", returns(runtime.Response{}, &pgconn.PgError{Code: "23505", ConstraintName: "net"}), 409, "duplicate-effect", runtime.OutcomeDuplicateEffect},
		{"a deadlock", returns(runtime.Response{}, &pgconn.PgError{Code: "40P01"}), 503, "unavailable", runtime.OutcomeUnavailable},
		{"an answer that is not kept", returns(runtime.Response{Status: 404}, nil), 404, "", runtime.OutcomeNotKept},
		{"a 500", returns(runtime.Response{Status: 500}, nil), 500, "", runtime.OutcomeNotKept},
		{"a step that is rolled back", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (int, error) {
				_ = memstore.OnCommit(tx, func() { panic("an effect of a step that failed") })
				return 0, errors.New("secret")
			})
			return runtime.Response{}, err
		}, 500, "internal-error", runtime.OutcomeFailed},
		{"a step that panics", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(context.Context, pgx.Tx) (int, error) { panic("secret") })
			return runtime.Response{}, err
		}, 500, "internal-error", runtime.OutcomeFailed},
		{"a call without an effect", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (int, error) {
				return 0, fmt.Errorf("call: %w", runtime.NoEffect(errors.New("secret")))
			})
			return runtime.Response{}, err
		}, 500, "internal-error", runtime.OutcomeFailed},
		{"Complete with an answer that is not kept", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			answer := runtime.Response{Status: 404}
			return answer, lease.Complete(ctx, func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
				return answer, memstore.OnCommit(tx, func() { panic("an effect of what is not kept") })
			})
		}, 404, "", runtime.OutcomeNotKept},
		{"Complete with an error", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{Status: 201}, lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) {
				return runtime.Response{}, errors.New("secret")
			})
		}, 500, "internal-error", runtime.OutcomeFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t, payout(func(p *policy.Policy) {
				p.Guards = []policy.Guard{{Constraint: "one_payout", On: "conflict"}, {Constraint: "net"}}
			}))
			o.run = c.run
			a := o.post("k", body)
			if a.status != c.status || c.problem != "" && a.problem(t).Type != runtime.DefaultProblemBase+c.problem {
				t.Errorf("%d %s", a.status, a.body)
			}
			if got := o.seen.outcomes(); len(got) != 1 || got[0] != c.outcome {
				t.Errorf("outcome %s, want %s", got, c.outcome)
			}
			if strings.Contains(a.body+o.log.String(), "secret") {
				t.Errorf("the error's text is told: %s %s", a.body, o.log)
			}
			o.wantNothing()
			o.run = nil
			if a := o.post("k", body); a.status != 201 || a.replayed() {
				t.Errorf("afterwards: %d %s", a.status, a.body)
			}
			o.wantPaid()
			if open := o.leases.open.Load(); open != 0 {
				t.Errorf("%d transactions are open", open)
			}
		})
	}
}

// After an effect nothing is forgotten: an answer below 500 is kept whatever the policy says, and what is no final answer
// leaves the work in progress.
func TestLease_R4_EndsAfterAnEffect(t *testing.T) {
	for _, c := range []struct {
		name    string
		end     handler
		keep500 bool
		status  int // of the first answer; 503 means that the work is left in progress
	}{
		{"an error", returns(runtime.Response{}, errors.New("secret")), true, 503},
		{"a panic", func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { panic("secret") }, true, 503},
		{"an answer that is no answer", returns(runtime.Response{Status: 99}, nil), false, 503},
		{"an answer that the policy keeps", returns(runtime.Response{Status: 402}, nil), false, 402},
		{"an answer that the policy does not keep", returns(runtime.Response{Status: 404}, nil), false, 404},
		{"a problem", returns(runtime.Response{}, fmt.Errorf("x: %w", &runtime.Problem{Status: 409, Title: "Closed"})), false, 409},
		{"a 500", returns(runtime.Response{Status: 500}, nil), false, 503},
		{"a 500 that the policy keeps", returns(runtime.Response{Status: 500}, nil), true, 500},
		{"a problem of status 500", returns(runtime.Response{}, &runtime.Problem{Status: 500}), false, 503},
		{"a problem of status 500 that the policy keeps", returns(runtime.Response{}, &runtime.Problem{Status: 500}), true, 500},
		{"Complete with a 500", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			answer := runtime.Response{Status: 500}
			return answer, lease.Complete(ctx, func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
				return answer, memstore.OnCommit(tx, func() { panic("an effect of what is not kept") })
			})
		}, false, 503},
		{"Complete with a 404", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			answer := runtime.Response{Status: 404}
			return answer, lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) { return answer, nil })
		}, false, 404},
		{"an answer although a call has failed", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, _ = runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (int, error) {
				return 0, errors.New("secret")
			})
			return runtime.Response{Status: 201}, nil
		}, false, 503},
		{"a problem although a call has failed", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (int, error) {
				return 0, &runtime.Problem{Status: 409}
			})
			return runtime.Response{}, err
		}, false, 503},
		{"a call that panics", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (int, error) { panic("secret") })
			return runtime.Response{}, err
		}, false, 503},
		{"an error after Complete", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_ = lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) { return runtime.Response{Status: 201}, nil })
			return runtime.Response{}, errors.New("secret")
		}, false, 201},
		{"a panic after Complete", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_ = lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) { return runtime.Response{Status: 201}, nil })
			panic("secret")
		}, false, 201},
		{"another answer than Complete's", func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_ = lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) { return runtime.Response{Status: 201}, nil })
			return runtime.Response{Status: 202}, nil
		}, false, 201},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t, payout(func(p *policy.Policy) {
				if c.keep500 {
					p.Store.Statuses = append(p.Store.Statuses, "500")
				}
			}))
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if _, err := o.reserve(ctx, lease); err != nil {
					return runtime.Response{}, err
				}
				return c.end(ctx, lease)
			}
			a := o.post("k", body)
			if a.status != c.status {
				t.Fatalf("%d %s; log %s", a.status, a.body, o.log)
			}
			if strings.Contains(a.body+o.log.String(), "secret") {
				t.Errorf("the error's text is told: %s %s", a.body, o.log)
			}
			look := o.look("k")
			if c.status != 503 {
				if again := o.post("k", body); look.Record == nil || again.status != c.status || !again.replayed() {
					t.Errorf("afterwards: %d %s", again.status, again.body)
				}
				if o.reserved.Load() != 1 {
					t.Errorf("reserved %d times", o.reserved.Load())
				}
				return
			}
			a.wantProblem(t, 503, "outcome-unknown")
			a.wantRetryAfter(t)
			if look.Progress == nil || len(look.Progress.Steps) != 1 {
				t.Fatalf("the work is not in progress: %+v", look)
			}
			if got := o.seen.outcomes(); got[0] != runtime.OutcomeSuspended {
				t.Errorf("outcome %s", got)
			}
			o.run = nil
			o.overdue("k")
			if a := o.post("k", body); a.status != 201 || a.replayed() { // whoever asks takes it over
				t.Errorf("afterwards: %d %s; log %s", a.status, a.body, o.log)
			}
			o.wantPaid()
		})
	}
}

func TestLease_A10_Goexit(t *testing.T) {
	for _, after := range []bool{false, true} {
		o := newOffice(t, payout())
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			if after {
				_, _ = o.reserve(ctx, lease)
			}
			goruntime.Goexit()
			return runtime.Response{}, nil
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			o.post("k", body)
		}()
		<-ended
		if o.engine.Waiting() != 0 || len(o.seen.outcomes()) != 1 {
			t.Errorf("outcomes %s", o.seen.outcomes())
		}
		o.run = nil
		if after {
			o.overdue("k")
		} else {
			o.wantNothing()
		}
		if a := o.post("k", body); a.status != 201 {
			t.Errorf("afterwards: %d %s", a.status, a.body)
		}
		o.wantPaid()
	}
}

func TestLease_A10_AbortHandler(t *testing.T) {
	o := newOffice(t, payout())
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, _ = o.reserve(ctx, lease)
		panic(http.ErrAbortHandler)
	}
	func() {
		defer func() {
			if value := recover(); value != http.ErrAbortHandler {
				t.Errorf("recovered %v", value)
			}
		}()
		o.post("k", body)
	}()
	o.run = nil
	o.overdue("k")
	if a := o.post("k", body); a.status != 201 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
	o.wantPaid()
}

// A client that goes before any effect ends the work; one that goes later does not.
func TestLease_A8_ClientGone(t *testing.T) {
	for _, when := range []string{"before the claim", "before the first step", "in the first step", "in the call", "before Complete"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, payout())
				ctx, goes := context.WithCancel(context.Background())
				at := func(place string, within context.Context) {
					if place == when {
						goes()
						synctest.Wait()
						if place == "before the first step" && within.Err() == nil {
							t.Error("the work's context goes on")
						}
						if place != "before the first step" && within.Err() != nil {
							t.Error("the work's context has ended")
						}
					}
				}
				if when == "before the claim" {
					goes()
				}
				o.bank.fail = func(int) error { return nil }
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					at("before the first step", ctx)
					if _, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(ctx context.Context, tx pgx.Tx) (int, error) {
						at("in the first step", ctx)
						return 7, memstore.OnCommit(tx, func() { o.reserved.Add(1) })
					}); err != nil {
						return runtime.Response{}, err
					}
					if _, err := runtime.DoExternal(ctx, lease.External("transfer"), func(ctx context.Context, out *runtime.Outbound) (string, error) {
						at("in the call", ctx)
						return o.bank.transfer(out.Key())
					}); err != nil {
						return runtime.Response{}, err
					}
					at("before Complete", ctx)
					return o.complete(ctx, lease, runtime.Response{Status: 201})
				}
				a := o.do(o.request(body, header("Idempotency-Key", "k")).WithContext(ctx))
				if when == "before the claim" || when == "before the first step" {
					a.wantProblem(t, 503, "unavailable")
					o.wantNothing()
					return
				}
				if a.status != 201 {
					t.Errorf("%d %s; log %s", a.status, a.body, o.log)
				}
				o.wantPaid()
			})
		})
	}
}

// I9: without the store nothing runs.
func TestLease_I9_A9_FailsClosed(t *testing.T) {
	o := newOffice(t, payout())
	o.leases.claimLease = func(context.Context, runtime.ID, *runtime.Intent) (runtime.LeaseClaim, error) {
		return runtime.LeaseClaim{}, errDown
	}
	a := o.post("k", body)
	a.wantProblem(t, 503, "unavailable")
	a.wantRetryAfter(t)
	o.leases.claimLease = func(context.Context, runtime.ID, *runtime.Intent) (runtime.LeaseClaim, error) { panic("sealer") }
	o.post("k", body).wantProblem(t, 503, "unavailable")
	if o.runs.Load() != 0 {
		t.Error("the handler ran")
	}
	o.leases.claimLease = nil
	o.leases.begin = func(context.Context, runtime.ID, runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
		return nil, errDown
	}
	o.post("k", body).wantProblem(t, 503, "unavailable")
	o.leases.begin = nil
	o.wantNothing()
	if a := o.post("k", body); a.status != 201 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
	o.wantPaid()
}

// A claim whose commit was lost is made again, and is held then.
func TestLease_A6_UnknownClaim(t *testing.T) {
	for _, happens := range []bool{true, false} {
		o := newOffice(t, payout())
		tries := 0
		o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
			if tries++; tries == 1 {
				if happens {
					_, _ = o.leases.Store.ClaimLease(ctx, id, intent)
				}
				return runtime.LeaseClaim{}, runtime.ErrCommitUnknown
			}
			return o.leases.Store.ClaimLease(ctx, id, intent)
		}
		if a := o.post("k", body); a.status != 201 || tries != 2 {
			t.Errorf("%d %s after %d tries", a.status, a.body, tries)
		}
		o.wantPaid()
	}
}

// R4: where no try to claim is answered, or a later one is refused, the claim may stand and be taken up by recovery, so
// that nobody is told that nothing was done.
func TestLease_A6_R4_UnknownClaimIsNotDenied(t *testing.T) {
	for _, happens := range []bool{true, false} {
		o := newOffice(t, payout())
		tries := 0
		o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
			if tries++; tries > 1 {
				return runtime.LeaseClaim{}, errDown
			}
			if happens {
				_, _ = o.leases.Store.ClaimLease(ctx, id, intent)
			}
			return runtime.LeaseClaim{}, runtime.ErrCommitUnknown
		}
		a := o.post("k", body)
		a.wantProblem(t, 503, "outcome-unknown")
		a.wantRetryAfter(t)
		if !happens {
			o.wantNothing()
			continue
		}
		o.leases.claimLease = nil
		o.overdue("k")
		if report := o.recover(); report != (runtime.RecoveryReport{Taken: 1, Completed: 1}) {
			t.Errorf("%+v", report)
		}
		o.wantPaid()
	}
}

// R4: an answer that says that nothing was done is given only once the record is gone: one that is left is taken up.
func TestLease_A6_R4_UnknownReleaseIsNotDenied(t *testing.T) {
	for _, c := range []struct {
		name    string
		first   func(o *office, id runtime.ID, fence runtime.Fence) // before the first try is not answered
		down    bool                                                // nor is any other
		status  int
		problem string // "" where the handler's own is sent
	}{
		{"no try gets through", func(*office, runtime.ID, runtime.Fence) {}, true, 503, "outcome-unknown"},
		{"the first has removed it", func(o *office, id runtime.ID, fence runtime.Fence) {
			_ = o.leases.Store.Release(context.Background(), id, fence)
		}, false, 402, ""},
		{"another worker was there first", func(o *office, id runtime.ID, fence runtime.Fence) {
			_ = o.leases.Store.Yield(context.Background(), id, fence, 0)
			_, _ = o.leases.Store.TakeOver(context.Background(), []runtime.OperationLease{{Operation: o.op.ID, Lease: time.Minute}}, 1)
		}, false, 409, "in-flight"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t, payout(), runtime.WithCommitTimeout(50*time.Millisecond))
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				if o.runs.Load() > 1 {
					return o.pay(ctx, lease)
				}
				return runtime.Response{}, &runtime.Problem{Status: 402, Title: "Declined"}
			}
			tries := 0
			o.leases.release = func(ctx context.Context, id runtime.ID, fence runtime.Fence) error {
				if tries++; tries == 1 {
					c.first(o, id, fence)
					return errDown
				}
				if c.down {
					return errDown
				}
				return o.leases.Store.Release(ctx, id, fence)
			}
			a := o.post("k", body)
			if c.problem == "" && a.status == c.status {
				o.wantNothing()
				return
			}
			a.wantProblem(t, c.status, c.problem)
			o.overdue("k")
			if report := o.recover(); report != (runtime.RecoveryReport{Taken: 1, Completed: 1}) {
				t.Errorf("%+v", report)
			}
			o.wantPaid()
		})
	}
}

// I6: a worker that loses its lease while it asks the other side does not make the call: the next one does.
func TestLease_A6_I6_NoCallUnderALeaseThatWasLostMeanwhile(t *testing.T) {
	op := payout()
	op.Policy.Lease = policy.Lease{Duration: time.Minute, Heartbeat: 5 * time.Millisecond}
	o := newOffice(t, op)
	o.bank.fail = func(int) error { return errDown }
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	o.bank.fail = nil
	o.reconcile = func(ctx context.Context, _ *runtime.Interrupted) (runtime.Reconciliation, error) {
		o.overdue("k")
		_, _ = o.leases.Store.TakeOver(context.Background(), []runtime.OperationLease{{Operation: o.op.ID, Lease: time.Minute}}, 1)
		<-ctx.Done()
		return runtime.NotDone(), nil
	}
	o.overdue("k")
	if report := o.recover(); report != (runtime.RecoveryReport{Taken: 1, Lost: 1}) || len(o.bank.calls) != 1 {
		t.Errorf("%+v, and the bank was called %d times; want 1, which was the first worker's", report, len(o.bank.calls))
	}
}

// A commit of unknown outcome, of a step and of the completion, is found out about: no second effect, no false error.
func TestLease_A6_UnknownCommit(t *testing.T) {
	for _, c := range []struct {
		name    string
		nth     int // commit: 1 is the step's, 2 the completion's
		happens bool
		late    bool // it happens after it was asked about
		err     error
	}{
		{"a step, did happen", 1, true, false, runtime.ErrCommitUnknown},
		{"a step, did not", 1, false, false, runtime.ErrCommitUnknown},
		{"a step, comes late", 1, true, true, runtime.ErrCommitUnknown},
		{"a step, unexplained, did happen", 1, true, false, errors.New("?")},
		{"completion, did happen", 2, true, false, runtime.ErrCommitUnknown},
		{"completion, did not", 2, false, false, runtime.ErrCommitUnknown},
		{"completion, comes late", 2, true, true, runtime.ErrCommitUnknown},
		{"completion, unexplained, did not", 2, false, false, errors.New("?")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t, payout())
			n := 0
			var late func() error
			o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
				if n++; n != c.nth {
					return work.Commit(ctx, to)
				}
				switch {
				case c.late:
					o.leases.adrift = true
					late = func() error { return work.Commit(context.Background(), to) }
				case c.happens:
					_ = work.Commit(ctx, to)
				default:
					_ = work.Rollback(ctx)
				}
				return c.err
			}
			o.leases.claimLease = func(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
				claim, err := o.leases.Store.ClaimLease(ctx, id, intent)
				if late != nil {
					if err := late(); !errors.Is(err, runtime.ErrLeaseLost) {
						t.Errorf("what came late counts: %v", err)
					}
					late, o.leases.adrift = nil, false
				}
				return claim, err
			}
			a := o.post("k", body)
			if a.status != 201 || a.replayed() {
				t.Errorf("%d %s; log %s", a.status, a.body, o.log)
			}
			o.wantPaid()
			wantReplay(t, a, o.post("k", body))
		})
	}
}

// The store does not answer after a commit of unknown outcome: the client asks again, and the record says then.
func TestLease_A6_UnknownForNow(t *testing.T) {
	o := newOffice(t, payout(), runtime.WithCommitTimeout(20*time.Millisecond))
	o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
		o.leases.commit = nil
		_ = work.Commit(ctx, to)
		return runtime.ErrCommitUnknown
	}
	o.leases.yield = func(context.Context, runtime.ID, runtime.Fence, time.Duration) error { return errDown }
	a := o.post("k", body)
	a.wantProblem(t, 503, "outcome-unknown")
	a.wantRetryAfter(t)
	o.leases.yield = nil
	o.overdue("k")
	if a := o.post("k", body); a.status != 201 {
		t.Errorf("%d %s", a.status, a.body)
	}
	o.wantPaid()
}

// What the database asks to have repeated is run again in a new transaction, a bounded number of times.
func TestLease_A7_RunsAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler error
		commit  error
	}{
		{"the handler's error", &pgconn.PgError{Code: "40001"}, nil},
		{"a deadlock", fmt.Errorf("x: %w", &pgconn.PgError{Code: "40P01"}), nil},
		{"the commit's", nil, runtime.ErrSerialization},
	} {
		for _, cured := range []bool{true, false} {
			t.Run(fmt.Sprint(c.name, ", cured ", cured), func(t *testing.T) {
				o := newOffice(t, payout())
				runs, commits := 0, 0
				o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], to *runtime.Advance) error {
					if commits++; c.commit != nil && (commits < 3 || !cured) {
						return errors.Join(work.Rollback(ctx), c.commit)
					}
					return work.Commit(ctx, to)
				}
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (int, error) {
						if runs++; c.handler != nil && (runs < 3 || !cured) {
							return 0, c.handler
						}
						return 1, memstore.OnCommit(tx, func() { o.reserved.Add(1) })
					})
					return runtime.Response{Status: 201}, err
				}
				a := o.post("k", body)
				if runs != 3 || o.runs.Load() != 1 {
					t.Errorf("the step ran %d times, the handler %d times", runs, o.runs.Load())
				}
				if cured {
					if a.status != 201 || o.reserved.Load() != 1 {
						t.Errorf("%d %s, reserved %d times", a.status, a.body, o.reserved.Load())
					}
					return
				}
				a.wantProblem(t, 503, "unavailable")
				o.wantNothing()
			})
		}
	}
}

// Where a transaction ended without a record, by something that the store has no hand in, the work is not run again.
func TestLease_A6_Unrecorded(t *testing.T) {
	o := newOffice(t, payout())
	o.leases.commit = func(ctx context.Context, work runtime.FencedWork[pgx.Tx], _ *runtime.Advance) error {
		return errors.Join(work.Rollback(ctx), runtime.ErrUnrecorded)
	}
	first := o.post("k", body)
	first.wantProblem(t, 500, "outcome-unknown")
	if again := o.post("k", body); again.status != 500 || !again.replayed() || o.runs.Load() != 1 {
		t.Errorf("%d %s after %d runs", again.status, again.body, o.runs.Load())
	}
}

// A result of a call is never lost while the lease is held: storing it is tried again.
func TestLease_A5_AResultIsStoredAgain(t *testing.T) {
	o := newOffice(t, payout())
	tries := 0
	o.leases.advance = func(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
		if tries++; tries < 3 {
			return errDown
		}
		return o.leases.Store.Advance(ctx, id, fence, to)
	}
	if a := o.post("k", body); a.status != 201 || tries != 3 {
		t.Errorf("%d %s after %d tries", a.status, a.body, tries)
	}
	o.wantPaid()
	if len(o.bank.calls) != 1 {
		t.Errorf("%d calls", len(o.bank.calls))
	}
}

// Where it cannot be stored, the other side is asked later.
func TestLease_A5_AResultThatIsNotStored(t *testing.T) {
	for name, fault := range map[string]func() error{
		"store down":   func() error { return errDown },
		"sealer panic": func() error { panic("sealer") },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, payout(), runtime.WithCommitTimeout(20*time.Millisecond))
			o.leases.advance = func(context.Context, runtime.ID, runtime.Fence, *runtime.Advance) error { return fault() }
			o.post("k", body).wantProblem(t, 503, "outcome-unknown")
			o.leases.advance = nil
			o.overdue("k")
			if report := o.recover(); report.Completed != 1 {
				t.Errorf("%+v; log %s", report, o.log)
			}
			o.wantPaid()
			if len(o.bank.calls) != 1 {
				t.Errorf("%d calls", len(o.bank.calls))
			}
		})
	}
}

// An answer returned without Complete completes the record; where that cannot be told, the client asks again.
func TestLease_A6_UnknownCompletionByAnswer(t *testing.T) {
	o := newOffice(t, payout(), runtime.WithCommitTimeout(20*time.Millisecond))
	o.run = returns(runtime.Response{Status: 201, Body: []byte("done")}, nil)
	o.leases.advance = func(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
		_ = o.leases.Store.Advance(ctx, id, fence, to)
		return runtime.ErrCommitUnknown
	}
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	if a := o.post("k", body); a.status != 201 || !a.replayed() || a.body != "done" || o.runs.Load() != 1 {
		t.Errorf("%d %s after %d runs", a.status, a.body, o.runs.Load())
	}
}

// Work that is taken over may have had effects, so it does not end with the client that took it over.
func TestLease_A8_ClientGoneDuringATakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, payout())
		o.abandon("k")
		time.Sleep(time.Minute)
		ctx, goes := context.WithCancel(context.Background())
		o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			goes()
			synctest.Wait()
			return o.pay(ctx, lease)
		}
		if a := o.do(o.request(body, header("Idempotency-Key", "k")).WithContext(ctx)); a.status != 201 {
			t.Errorf("%d %s; log %s", a.status, a.body, o.log)
		}
		o.wantPaid()
	})
}
