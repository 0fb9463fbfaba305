package pgstore_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// TestMischief_A10_I2 has handlers do what they should not, over HTTP and on the only connection of a pool. What each did
// is undone and has no record, the connection serves the next request, and a good request with the same key is carried out.
func TestMischief_A10_I2(t *testing.T) {
	ctx := context.Background()
	var kept pgx.Tx // by a handler that keeps its transaction
	mischief := map[string]func(ctx context.Context, tx pgx.Tx) error{
		"panics": func(context.Context, pgx.Tx) error { panic("x") },
		"panics with rows open": func(ctx context.Context, tx pgx.Tx) error {
			_, _ = tx.Query(ctx, "SELECT * FROM generate_series(1, 100000)")
			panic("x")
		},
		"ends its goroutine": func(context.Context, pgx.Tx) error { goruntime.Goexit(); return nil },
		"ends its goroutine with rows open": func(ctx context.Context, tx pgx.Tx) error {
			_, _ = tx.Query(ctx, "SELECT * FROM generate_series(1, 100000)")
			goruntime.Goexit()
			return nil
		},
		"leaves rows open": func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, "SELECT * FROM generate_series(1, 100000)")
			rows.Next()
			return err
		},
		"leaves a row unread": func(ctx context.Context, tx pgx.Tx) error {
			_ = tx.QueryRow(ctx, "SELECT 1")
			return nil
		},
		"leaves a batch open": func(ctx context.Context, tx pgx.Tx) error {
			batch := &pgx.Batch{}
			batch.Queue("SELECT 1")
			_ = tx.SendBatch(ctx, batch)
			return nil
		},
		"swallows an error": func(ctx context.Context, tx pgx.Tx) error {
			_, _ = tx.Exec(ctx, "SELECT 1/0")
			return nil
		},
		"leaves a failed savepoint open": func(ctx context.Context, tx pgx.Tx) error {
			inner, err := tx.Begin(ctx)
			if err == nil {
				_, _ = inner.Exec(ctx, "SELECT 1/0")
			}
			return err
		},
		"rolls back in SQL": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "ROLLBACK")
			return err
		},
		"closes its connection": func(ctx context.Context, tx pgx.Tx) error { return tx.Conn().Close(ctx) },
		"has its session ended": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT pg_terminate_backend(pg_backend_pid())")
			return err
		},
		"looks for the table elsewhere": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SET LOCAL search_path = pg_temp")
			return err
		},
		"gives up its rights": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SET LOCAL ROLE nobody_in_particular")
			return err
		},
		"makes the transaction read-only": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SET TRANSACTION READ ONLY")
			return err
		},
		"allows its statements no time": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 1")
			if err == nil {
				_, err = tx.Exec(ctx, "SELECT pg_sleep(10)")
			}
			return err
		},
		"waits for a second connection": func(ctx context.Context, tx pgx.Tx) error {
			ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			return poolOf(ctx).Ping(ctx)
		},
		"keeps its transaction": func(_ context.Context, tx pgx.Tx) error {
			kept = tx
			panic("x")
		},
	}
	url := database(t)
	admin := pgtest.Open(t, url, nil)
	execSQL(t, admin, "DROP ROLE IF EXISTS nobody_in_particular")
	execSQL(t, admin, "CREATE ROLE nobody_in_particular")
	defer execSQL(t, admin, "DROP ROLE nobody_in_particular")
	for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
		pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.MaxConns = 1 })
		engine := engineOn(t, open(t, pool, pgstore.WithStrategy(strategy)))
		for name, bad := range mischief {
			t.Run(name, func(t *testing.T) {
				before := count(t, admin, "payments")
				key := newID().Key
				send := func(work func(context.Context, pgx.Tx) error) *httptest.ResponseRecorder {
					return payAnd(t, engine, pool, key, work)
				}
				if w := send(bad); w.Code == http.StatusCreated || w.Code == http.StatusOK && w.Body.Len() > 0 {
					t.Errorf("answered with %d %s", w.Code, w.Body)
				}
				if got := count(t, admin, "payments") - before; got != 0 {
					t.Errorf("%d effects", got)
				}
				good := send(func(context.Context, pgx.Tx) error { return nil })
				if good.Code != http.StatusCreated || good.Header().Get("Idempotent-Replayed") != "" {
					t.Errorf("the good request: %d %s", good.Code, good.Body)
				}
				if got := count(t, admin, "payments") - before; got != 1 {
					t.Errorf("%d effects of the good request", got)
				}
				if kept != nil {
					if _, err := kept.Exec(ctx, "DELETE FROM payments"); err == nil {
						t.Error("a transaction that was kept still works")
					}
				}
				quiet(t, pool)
			})
		}
	}
	if payments, records := count(t, admin, "payments"), count(t, admin, "idempotency_keys"); payments != records {
		t.Errorf("%d payments and %d records", payments, records)
	}
}

// What a handler commits by itself stands without a record: nobody is invited to repeat it, and nothing is repeated of it.
func TestMischief_I2_CommitsInSQL(t *testing.T) {
	for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
		pool := pgtest.Open(t, database(t), nil)
		engine := engineOn(t, open(t, pool, pgstore.WithStrategy(strategy)))
		w := payAnd(t, engine, pool, "k", func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "COMMIT")
			return err
		})
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "#outcome-unknown") || w.Header().Get("Retry-After") != "" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		again := payAnd(t, engine, pool, "k", func(context.Context, pgx.Tx) error { return nil })
		if again.Code != http.StatusCreated || again.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("what was left behind counts as a record: %d %s", again.Code, again.Body)
		}
		quiet(t, pool)
	}
}

func engineOn(t *testing.T, store *pgstore.Store) *runtime.Engine[pgx.Tx] {
	t.Helper()
	engine, err := runtime.New(store, func(*http.Request) (string, error) { return "acct_1", nil },
		runtime.WithLogger(slog.New(slog.DiscardHandler)))
	must(t, err)
	return engine
}

// payAnd serves one request, whose handler makes a payment and then goes on with work.
func payAnd(t *testing.T, engine *runtime.Engine[pgx.Tx], pool *pgxpool.Pool, key string, work func(context.Context, pgx.Tx) error) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() { // which work may end
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), poolKey{}, pool), 20*time.Second)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/payments", strings.NewReader(requestBody))
		r.Header.Set("Idempotency-Key", key)
		call, ok := engine.Begin(w, r, &createPayment)
		if !ok {
			t.Error("refused")
			return
		}
		call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
			if err := pay(ctx, tx); err != nil {
				return runtime.Response{}, err
			}
			return runtime.Response{Status: http.StatusCreated}, work(ctx, tx)
		})
	}()
	<-done
	return w
}

// poolKey is where a handler finds the pool of its own connection.
type poolKey struct{}

func poolOf(ctx context.Context) *pgxpool.Pool { return ctx.Value(poolKey{}).(*pgxpool.Pool) }
