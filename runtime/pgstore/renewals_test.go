package pgstore_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

func connections(n int32) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.MaxConns = n }
}

// A4: where the work holds every connection for longer than a lease, a lease is lost by it, unless renewals have connections
// of their own.
func TestRenewalPool_A4_KeepsLeasesOfABusyPool(t *testing.T) {
	for _, own := range []bool{false, true} {
		name := "one pool"
		if own {
			name = "a pool for renewals"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			pool := pgtest.Open(t, url, connections(1))
			must(t, pool.Ping(context.Background()))
			var opts []pgstore.Option
			if own {
				renewals := pgtest.Open(t, url, connections(1))
				must(t, renewals.Ping(context.Background()))
				opts = append(opts, pgstore.WithRenewalPool(renewals))
			}
			op := createPayment
			op.Policy.Mode = policy.LeaseMode
			op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
			op.Policy.Lease = policy.Lease{Duration: 2 * time.Second, Heartbeat: 300 * time.Millisecond}
			op.Policy.Steps = []string{"transfer"}
			op.Policy.Downstream = []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}}
			engine, err := runtime.New(open(t, pool, opts...), func(*http.Request) (string, error) { return "acct_1", nil }, runtime.WithLogger(slog.New(slog.DiscardHandler)),
				runtime.WithClaimTimeout(time.Minute)) // the work has to begin, on a busy machine too
			must(t, err)
			var cause error
			call := func(ctx context.Context, _ *runtime.Outbound) (string, error) {
				err := pool.AcquireFunc(ctx, func(*pgxpool.Conn) error { // as the handlers of other requests do
					select {
					case <-ctx.Done():
					case <-time.After(3 * time.Second):
					}
					return nil
				})
				cause = context.Cause(ctx)
				return "sent", errors.Join(err, ctx.Err())
			}
			handler := engine.LeaseHandler(&op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
				return runtime.LeaseWork[pgx.Tx]{
					Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
						sent, err := runtime.DoExternal(ctx, lease.External("transfer"), call)
						return runtime.Response{Status: http.StatusCreated, Body: []byte(sent)}, err
					},
					Reconcile: map[string]runtime.ReconcileFunc{"transfer": func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
						return runtime.Unknown(), nil
					}},
				}, nil
			})
			r := httptest.NewRequest(op.Method, op.Route, strings.NewReader(`{"amount":1}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", "k")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			switch {
			case own && (cause != nil || w.Code != http.StatusCreated):
				t.Errorf("%d %s; the context ended by %v", w.Code, w.Body, cause)
			case !own && !errors.Is(cause, runtime.ErrLeaseLost): // or this test shows nothing
				t.Errorf("without a pool for renewals: %d %s; the context ended by %v", w.Code, w.Body, cause)
			}
		})
	}
}

// A4: a pool whose queue is longer than a heartbeat, and shorter than a lease, loses none: a renewal keeps its place.
func TestRenewal_A4_KeepsItsPlaceInTheQueueOfAPool(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t, database(t), connections(1))
	const beat, turn = time.Second, 100 * time.Millisecond
	s := newWorkshop(t, policy.LeaseMode, variants[0], pool, policy.Lease{Duration: 6 * time.Second, Heartbeat: beat})
	var cause error
	s.transfer = func(ctx context.Context) error {
		queue, stop := context.WithCancel(ctx)
		defer stop()
		take := func(d time.Duration) {
			_ = pool.AcquireFunc(queue, func(*pgxpool.Conn) error {
				time.Sleep(d)
				return nil
			})
		}
		go take(3 * beat / 2)
		go func() { // others come as fast as they are served, so that the queue stays as long
			for queue.Err() == nil {
				go take(turn)
				time.Sleep(turn)
			}
		}()
		select {
		case <-ctx.Done():
			cause = context.Cause(ctx)
		case <-time.After(9 * time.Second):
		}
		return errors.New("timeout")
	}
	if w := s.post("k"); w.Code != http.StatusServiceUnavailable || s.runs != 1 || cause != nil {
		t.Errorf("%d %s; %d runs, the context ended by %v; log %s", w.Code, w.Body, s.runs, cause, &s.log)
	}
}

// A4: what bounds a renewal once it has its connection is a part of the lease, so that a server that does not answer leaves time
// for another try.
func TestRenewal_A4_AHangingStatementLeavesTimeForAnother(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, connections(2))
	store := open(t, pool)
	held := hold(t, store, newID(), newIntent())
	tx, err := pgtest.Open(t, url, nil).Begin(context.Background())
	must(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(context.Background(), `SELECT FROM idempotency_keys FOR UPDATE`) // has the renewal wait for its row
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	began := time.Now()
	err = store.Renew(ctx, held.ID, held.Fence, 3*time.Second)
	if took := time.Since(began); err == nil || errors.Is(err, runtime.ErrLeaseLost) || took > 10*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

// Each answer of a renewal is as over the store's own pool, with no connection of that.
func TestRenewalPool_A4_I6_UsesItsOwnConnections(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, connections(1))
	store := open(t, pool, pgstore.WithRenewalPool(pgtest.Open(t, url, connections(1))))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	held := hold(t, store, newID(), newIntent())
	busy, err := pool.Acquire(ctx)
	must(t, err)
	release := sync.OnceFunc(busy.Release)
	defer release()
	if err := store.Renew(ctx, held.ID, held.Fence, hour); err != nil {
		t.Fatalf("a renewal waits for the store's own pool: %v", err)
	}
	stale := held.Fence
	stale.Owner[0]++
	if err := store.Renew(ctx, held.ID, stale, hour); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("a stale fence: %v", err)
	}
	release()
	if left := lookAt(t, store, held.ID).Progress.Left; left < hour-time.Minute {
		t.Errorf("%v are left of the lease", left)
	}
}

// CheckLeases finds a pool that leads elsewhere: to another database, even to one with a table of the same number, to another
// table by search_path, to a server that cannot be written to, and as a user who may not write.
func TestRenewalPool_CheckLeases(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	ctx := context.Background()
	set := func(name, value string) func(*pgxpool.Config) {
		return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams[name] = value }
	}
	for _, v := range variants {
		must(t, open(t, pool, append(v.options(), pgstore.WithRenewalPool(pgtest.Open(t, url, nil)))...).CheckLeases(ctx))
	}
	must(t, open(t, pool, pgstore.WithRenewalPool(pool)).CheckLeases(ctx))

	clone := pgtest.Pool(t, nil)
	must(t, pgstore.Migrate(ctx, clone, ""))
	var here, there uint32
	must(t, pool.QueryRow(ctx, "SELECT 'idempotency_keys'::regclass::oid").Scan(&here))
	must(t, clone.QueryRow(ctx, "SELECT 'idempotency_keys'::regclass::oid").Scan(&there))
	execSQL(t, pool, `CREATE ROLE idemgen_renewals_test; GRANT SELECT, INSERT, DELETE ON idempotency_keys TO idemgen_renewals_test`)
	t.Cleanup(func() { _, _ = pool.Exec(ctx, `DROP OWNED BY idemgen_renewals_test; DROP ROLE idemgen_renewals_test`) })
	execSQL(t, pool, `CREATE SCHEMA elsewhere`)
	must(t, pgstore.Migrate(ctx, pool, "elsewhere.idempotency_keys"))

	for _, c := range []struct {
		what string
		pool *pgxpool.Pool
		want string
	}{
		{"another database", clone, "does not lead to the table"},
		{"an empty database", pgtest.Pool(t, nil), "does not lead to the table"},
		{"another table", pgtest.Open(t, url, set("search_path", "elsewhere")), "does not lead to the table"},
		{"read-only", pgtest.Open(t, url, set("default_transaction_read_only", "on")), "read-only"},
		{"without UPDATE", pgtest.Open(t, url, set("role", "idemgen_renewals_test")), "lacks the privilege UPDATE"},
	} {
		err := open(t, pool, pgstore.WithRenewalPool(c.pool)).CheckLeases(ctx)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, pgstore.ErrRenewalPool) != strings.HasPrefix(c.want, "does not") {
			t.Errorf("%s: %v", c.what, err)
		}
		must(t, open(t, pool, pgstore.WithRenewalPool(c.pool)).Check(ctx)) // which asks nothing of lease mode
	}
	quiet(t, pool)

	// The lock tells copies of one database apart, whose tables have the same numbers.
	store := open(t, pool, pgstore.WithRenewalPool(clone))
	if err := pgstore.CheckRenewals(ctx, store, pool, there); !errors.Is(err, pgstore.ErrRenewalPool) {
		t.Errorf("a copy, whose table is number %d as here %d: %v", there, here, err)
	}
	if _, err := pgstore.New(pool, pgstore.WithRenewalPool(nil)); err == nil {
		t.Error("no pool is taken")
	}
}

// A4, I6: a pool that gives no connection, since it was closed, all are in use or its server is read-only, renews nothing, and
// does not say that a lease was lost: the work goes on until its time is over, and its writes take the store's own pool.
func TestRenewalPool_A4_I6_GivesNone(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	closed, used := pgtest.Open(t, url, connections(1)), pgtest.Open(t, url, connections(1))
	closed.Close()
	busy, err := used.Acquire(context.Background())
	must(t, err)
	defer busy.Release()
	readOnly := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on" })
	for name, renewals := range map[string]*pgxpool.Pool{"closed": closed, "in use": used, "read-only": readOnly} {
		t.Run(name, func(t *testing.T) {
			store := open(t, pool, pgstore.WithRenewalPool(renewals))
			held := hold(t, store, newID(), newIntent())
			before := lookAt(t, store, held.ID).Progress.Left
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			if err := store.Renew(ctx, held.ID, held.Fence, 10*hour); err == nil || errors.Is(err, runtime.ErrLeaseLost) {
				t.Errorf("renewed: %v", err)
			}
			after := lookAt(t, store, held.ID).Progress
			if after == nil || after.Left > before {
				t.Errorf("%v were left, and %+v afterwards", before, after)
			}
			ctx = context.Background()
			must(t, store.Advance(ctx, held.ID, held.Fence, &runtime.Advance{Lease: hour}))
			must(t, store.Advance(ctx, held.ID, held.Fence, &runtime.Advance{Record: newRecord()}))
			bounded, stop := context.WithTimeout(ctx, 300*time.Millisecond)
			defer stop()
			if err := store.CheckLeases(bounded); err == nil {
				t.Error("CheckLeases finds nothing")
			}
		})
	}
}

// A4, I1, I6: over a pool that leads elsewhere, which nobody has checked, work is stopped at its first renewal, and the next
// worker goes on. Nothing is done twice.
func TestRenewalPool_A4_I1_LeadsElsewhere(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	elsewhere := pgtest.Pool(t, nil)
	must(t, pgstore.Migrate(context.Background(), elsewhere, ""))
	store := open(t, pool, pgstore.WithRenewalPool(elsewhere))
	held := hold(t, store, newID(), newIntent())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := store.Renew(ctx, held.ID, held.Fence, hour); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("renewed elsewhere: %v", err)
	}
	if look := lookAt(t, store, held.ID); look.Progress == nil || look.Progress.Fence != held.Fence {
		t.Errorf("%+v", look)
	}
	if n := count(t, elsewhere, "idempotency_keys"); n != 0 {
		t.Errorf("%d records elsewhere", n)
	}
}
