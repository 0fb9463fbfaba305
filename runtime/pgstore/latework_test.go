package pgstore_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// slowClaims is a store whose claims come late, and whose releases do not come at all.
type slowClaims struct {
	*pgstore.Store
	wait time.Duration
}

func (s slowClaims) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	time.Sleep(s.wait)
	return s.Store.ClaimLease(ctx, id, intent)
}

func (slowClaims) Release(context.Context, runtime.ID, runtime.Fence) error {
	return errors.New("connection refused")
}

// X3, I1, I12: by the database's clock, work whose request was too late when its record was made is not begun by recovery, whose
// worker could not remove the record; it is removed. What was in time is done.
func TestLateWork_X3_I1_I12_IsNotTakenUp(t *testing.T) {
	for name, c := range map[string]struct {
		wait time.Duration
		want runtime.RecoveryReport
	}{
		"too late": {2 * time.Second, runtime.RecoveryReport{Taken: 1, Released: 1}},
		"in time":  {0, runtime.RecoveryReport{Taken: 1, Completed: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := pgtest.Open(t, database(t), nil)
			ctx := context.Background()
			op := createPayment
			op.Policy.Mode = policy.LeaseMode
			op.Policy.Retention = 24 * time.Hour
			op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
			op.Policy.Lease = policy.Lease{Duration: 2 * time.Second, Heartbeat: time.Second}
			op.Policy.Steps = []string{"reserve"}
			op.Policy.Key.FirstSent = policy.FirstSent{Header: "First-Sent", MaxSkew: time.Minute}
			store := open(t, pool)
			var runs atomic.Int64
			program := func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
				return runtime.LeaseWork[pgx.Tx]{Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
					if runs.Add(1) == 1 && c.wait == 0 {
						return runtime.Response{}, errors.New("before any step")
					}
					_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(ctx context.Context, tx pgx.Tx) (int, error) { return 1, pay(ctx, tx) })
					return runtime.Response{Status: http.StatusCreated}, err
				}}, nil
			}
			engine := func(store runtime.Store[pgx.Tx]) *runtime.Engine[pgx.Tx] {
				engine, err := runtime.New(store, func(*http.Request) (string, error) { return "acct_1", nil },
					runtime.WithLogger(slog.New(slog.DiscardHandler)), runtime.WithCommitTimeout(100*time.Millisecond))
				must(t, err)
				return engine
			}
			now, err := store.Now(ctx)
			must(t, err)
			at := now.Add(-24*time.Hour + time.Second)
			if c.wait == 0 {
				at = at.Add(time.Minute)
			}
			r := httptest.NewRequest(op.Method, op.Route, strings.NewReader(`{"amount":1}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", "k")
			r.Header.Set("First-Sent", at.UTC().Truncate(time.Second).Add(time.Second).Format(http.TimeFormat))
			w := httptest.NewRecorder()
			engine(slowClaims{store, c.wait}).LeaseHandler(&op, program).ServeHTTP(w, r)
			if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "outcome-unknown") {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			time.Sleep(2 * time.Second) // its lease
			next := engine(store)
			next.LeaseHandler(&op, program)
			recovery, err := next.NewRecovery()
			must(t, err)
			report, err := recovery.Once(ctx)
			must(t, err)
			if payments := count(t, pool, "payments"); report != c.want || payments != c.want.Completed {
				t.Errorf("%+v, %d payments", report, payments)
			}
			if n := count(t, pool, "idempotency_keys"); n != c.want.Completed {
				t.Errorf("%d records", n)
			}
		})
	}
}
