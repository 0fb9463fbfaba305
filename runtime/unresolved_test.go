package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
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
