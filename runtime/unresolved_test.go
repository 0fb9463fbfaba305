package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// A step that an earlier worker may have begun is asked about before the work ends, or goes on, without it: what it did
// cannot be denied by the answer.
func TestLease_A8_NothingEndsPastAStepThatMayHaveHappened(t *testing.T) {
	declined := runtime.Response{Status: 402, Body: []byte("declined")}
	ends := map[string]func(o *office, ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error){
		"an answer": func(*office, context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { return declined, nil },
		"a problem": func(*office, context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, &runtime.Problem{Status: 402, Title: "Declined"}
		},
		"Complete": func(o *office, ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			return o.complete(ctx, lease, declined)
		},
		"a later step": func(o *office, ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
			_, err := runtime.DoLocal(ctx, lease.Local("book"), func(context.Context, pgx.Tx) (int, error) { return 1, nil })
			return declined, err
		},
	}
	for name, end := range ends {
		for happened, want := range map[bool]runtime.RecoveryReport{true: {Taken: 1, Yielded: 1}, false: {Taken: 1, Completed: 1}} {
			t.Run(name, func(t *testing.T) {
				o := newOffice(t, payout())
				o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					if _, err := o.reserve(ctx, lease); err != nil {
						return runtime.Response{}, err
					}
					if o.runs.Load() > 1 { // something has changed meanwhile
						return end(o, ctx, lease)
					}
					return runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (runtime.Response, error) {
						if happened {
							_, _ = o.bank.transfer(out.Key())
						}
						return runtime.Response{}, errors.New("timeout")
					})
				}
				o.post("k", body).wantProblem(t, 503, "outcome-unknown")
				for range 2 {
					o.overdue("k")
					if report := o.recover(); report != want {
						t.Fatalf("happened %v: %+v, want %+v; log %s", happened, report, want, o.log)
					}
					if !happened {
						return
					}
				}
			})
		}
	}
}

// Nor does it end, or go on, without a step that is stored as done.
func TestLease_A5_NothingEndsPastAStepThatIsDone(t *testing.T) {
	for _, skipped := range []string{"reserve", "transfer"} {
		for _, further := range []bool{false, true} {
			o := newOffice(t, payout())
			o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				first := o.runs.Load() == 1
				if first || skipped != "reserve" {
					if _, err := o.reserve(ctx, lease); err != nil {
						return runtime.Response{}, err
					}
				}
				if first {
					if _, err := o.transfer(ctx, lease); err != nil {
						return runtime.Response{}, err
					}
					return runtime.Response{}, errors.New("the process is about to die")
				}
				if further {
					_, err := runtime.DoLocal(ctx, lease.Local("book"), func(context.Context, pgx.Tx) (int, error) {
						t.Error("the work went on")
						return 1, nil
					})
					return runtime.Response{}, err
				}
				return runtime.Response{Status: 402}, nil
			}
			o.post("k", body).wantProblem(t, 503, "outcome-unknown")
			o.overdue("k")
			if report := o.recover(); report.Yielded != 1 {
				t.Errorf("without %s, further %v: %+v; log %s", skipped, further, report, o.log)
			}
		}
	}
}

// A step that is done, and that the policy does not know any more, was renamed: the work rests until a service of the old
// policy finishes it, and nothing is done again under the new name and so with another key.
func TestLease_A5_I1_RenamedStepIsNotDoneAgain(t *testing.T) {
	name := "transfer"
	o := newOffice(t, payout())
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, err := runtime.DoExternal(ctx, lease.External(name), func(_ context.Context, out *runtime.Outbound) (string, error) {
			return o.bank.transfer(out.Key())
		})
		if err == nil && o.runs.Load() == 1 {
			err = errors.New("the process died")
		}
		return runtime.Response{Status: 201}, err
	}
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	before := o.engine

	name = "send"
	o.op = payout(func(p *policy.Policy) {
		p.Steps[1], p.Downstream[0].Step = name, name
	})
	o.engine = o.newEngine()
	renamed := o.engine.LeaseHandler(o.op, func(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		work, err := o.program(call)
		work.Reconcile[name] = o.ask
		return work, err
	})
	o.overdue("k")
	if report := o.recover(); report != (runtime.RecoveryReport{Taken: 1, Failed: 1}) {
		t.Errorf("%+v", report)
	}
	if !strings.Contains(o.log.String(), `the step \"transfer\" is done, and the policy has none of this name`) {
		t.Errorf("log: %s", o.log)
	}
	o.overdue("k")
	o.mux = http.NewServeMux()
	o.mux.Handle("POST "+o.op.Route, renamed)
	o.post("k", body).wantProblem(t, 503, "outcome-unknown")
	if n := o.bank.effects(); n != 1 {
		t.Errorf("%d transfers", n)
	}

	name = "transfer"
	o.overdue("k")
	o.engine = before
	if report := o.recover(); report != (runtime.RecoveryReport{Taken: 1, Completed: 1}) {
		t.Errorf("%+v", report)
	}
	if n := o.bank.effects(); n != 1 {
		t.Errorf("%d transfers", n)
	}
}
