package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// workshop serves createPayment in one mode, over a database of its own. In lease mode its one step ends without a word of the
// other side, so that its record stays in progress.
type workshop struct {
	*testing.T
	pool    *pgxpool.Pool
	engine  *runtime.Engine[pgx.Tx]
	handler http.Handler
	log     bytes.Buffer
	runs    int
	// transfer is the step's call, which has no effect that it knows of.
	transfer func(context.Context) error
}

func newWorkshop(t *testing.T, mode policy.Mode, v variant, pool *pgxpool.Pool, lease policy.Lease) *workshop {
	t.Helper()
	s := &workshop{T: t, pool: pool, transfer: func(context.Context) error { return errors.New("timeout") }}
	var err error
	s.engine, err = runtime.New(open(t, s.pool, v.options()...), func(*http.Request) (string, error) { return "acct_1", nil },
		runtime.WithLogger(slog.New(slog.NewTextHandler(&s.log, nil))))
	must(t, err)
	op := createPayment
	op.Policy.Mode = mode
	op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
	if mode == policy.Transaction {
		must(t, s.engine.Register(&op))
		s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if call, ok := s.engine.Begin(w, r, &op); ok {
				call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
					s.runs++
					return runtime.Response{Status: http.StatusCreated, Body: []byte("paid")}, pay(ctx, tx)
				})
			}
		})
		return s
	}
	op.Policy.Lease = lease
	op.Policy.Steps = []string{"transfer"}
	op.Policy.Downstream = []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}}
	s.handler = s.engine.LeaseHandler(&op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		return runtime.LeaseWork[pgx.Tx]{
			Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				s.runs++
				return runtime.DoExternal(ctx, lease.External("transfer"), func(ctx context.Context, _ *runtime.Outbound) (runtime.Response, error) {
					return runtime.Response{}, s.transfer(ctx)
				})
			},
			Reconcile: map[string]runtime.ReconcileFunc{"transfer": func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
				return runtime.Unknown(), nil
			}},
		}, nil
	})
	return s
}

func (s *workshop) post(key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, createPayment.Route, strings.NewReader(`{"amount":1}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}
