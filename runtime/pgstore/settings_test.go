package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// What somebody may set on the database, the role or the server, and what becomes of requests then.

// set makes a setting the default of the whole database.
func set(t *testing.T, url, name, value string) {
	t.Helper()
	must(t, query(url, nil, fmt.Sprintf(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET %s = %%L', current_database(), '%s'); END $$`, name, value)))
}

// C1, A7: whichever isolation level the database gives, many requests at once have one effect and one answer.
func TestSettings_C1_A7_DefaultIsolation(t *testing.T) {
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		for name, strategy := range map[string]pgstore.Strategy{"AdvisoryLock": pgstore.AdvisoryLock, "InsertFirst": pgstore.InsertFirst} {
			t.Run(level+"/"+name, func(t *testing.T) {
				url := database(t)
				set(t, url, "default_transaction_isolation", level)
				pool, other := pgtest.Open(t, url, nil), pgtest.Open(t, url, nil)
				engines := []*runtime.Engine[pgx.Tx]{
					engineOn(t, open(t, pool, pgstore.WithStrategy(strategy))), engineOn(t, open(t, other, pgstore.WithStrategy(strategy))),
				}
				var all sync.WaitGroup
				for i := range 20 {
					all.Go(func() {
						w := payAnd(t, engines[i%2], pool, "k", nothing)
						if w.Code != http.StatusCreated && w.Code != http.StatusConflict && w.Code != http.StatusServiceUnavailable {
							t.Errorf("%d %s", w.Code, w.Body)
						}
					})
				}
				all.Wait()
				wantAnswer(t, "afterwards", payAnd(t, engines[0], pool, "k", nothing), http.StatusCreated, "", true)
				if n := count(t, pool, "payments"); n != 1 {
					t.Errorf("%d payments", n)
				}
				quiet(t, pool)
			})
		}
	}
}

// A9, I9: a database that was made read-only, as is done to keep an old primary from being written to, refuses.
func TestSettings_A9_I9_ReadOnly(t *testing.T) {
	url := database(t)
	set(t, url, "default_transaction_read_only", "on")
	pool := pgtest.Open(t, url, nil)
	for _, v := range variants {
		w := payAnd(t, engineOn(t, open(t, pool, v.options()...)), pool, "k", func(context.Context, pgx.Tx) error {
			t.Error("the handler ran")
			return nil
		})
		wantAnswer(t, v.name, w, http.StatusServiceUnavailable, "#unavailable", false)
	}
}

// I13: timeouts of the server end work, and leave nothing of it.
func TestSettings_I13_TimeoutsOfTheServer(t *testing.T) {
	for name, slow := range map[string]func(ctx context.Context, tx pgx.Tx) error{
		"statement_timeout": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT pg_sleep(10)")
			return err
		},
		"idle_in_transaction_session_timeout": func(context.Context, pgx.Tx) error {
			time.Sleep(time.Second)
			return nil
		},
		"transaction_timeout": func(ctx context.Context, tx pgx.Tx) error { // since PostgreSQL 17
			for range 10 {
				if _, err := tx.Exec(ctx, "SELECT pg_sleep(0.1)"); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			if known := pgtest.Open(t, url, nil); count(t, known, "pg_settings WHERE name = '"+name+"'") == 0 {
				t.Skipf("this server has no %s", name)
			}
			set(t, url, name, "300ms")
			pool := pgtest.Open(t, url, nil)
			engine := engineOn(t, open(t, pool))
			if w := payAnd(t, engine, pool, "k", slow); w.Code < 500 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if payments, records := count(t, pool, "payments"), count(t, pool, "idempotency_keys"); payments+records != 0 {
				t.Errorf("%d payments and %d records are left", payments, records)
			}
			wantAnswer(t, "the retry", payAnd(t, engine, pool, "k", nothing), http.StatusCreated, "", false)
		})
	}
}

// A9, I9: a server that has no connection to give refuses, and what got one is served.
func TestSettings_A9_I9_FewConnections(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := pgtemp.Start(ctx, pgtemp.Options{Settings: map[string]string{
		"max_connections": "6", "superuser_reserved_connections": "0", "max_wal_senders": "0",
	}})
	if errors.Is(err, pgtemp.ErrNotFound) {
		pgtest.URL(t) // skips, or fails in CI
	}
	must(t, err)
	t.Cleanup(server.Stop)
	pool := pgtest.Open(t, server.URL, func(c *pgxpool.Config) { c.MaxConns = 30 })
	must(t, pgstore.Migrate(ctx, pool, ""))
	execSQL(t, pool, payments)
	engine := engineOn(t, open(t, pool))
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			w := payAnd(t, engine, pool, fmt.Sprint("k", i), func(context.Context, pgx.Tx) error {
				time.Sleep(100 * time.Millisecond)
				return nil
			})
			if w.Code != http.StatusCreated && w.Code != http.StatusServiceUnavailable {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if payments, records := count(t, pool, "payments"), count(t, pool, "idempotency_keys"); payments != records || payments == 0 {
		t.Errorf("%d payments and %d records", payments, records)
	}
	for i := range 30 {
		if w := payAnd(t, engine, pool, fmt.Sprint("k", i), nothing); w.Code != http.StatusCreated {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if n := count(t, pool, "payments"); n != 30 {
		t.Errorf("%d payments of 30 keys", n)
	}
}

// I2: with synchronous_commit off a crash may lose the last commits, and loses record and work together.
func TestSettings_I2_AsynchronousCommit(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := pgtemp.Start(ctx, pgtemp.Options{Settings: map[string]string{"synchronous_commit": "off", "wal_writer_delay": "10s"}})
	if errors.Is(err, pgtemp.ErrNotFound) {
		pgtest.URL(t) // skips, or fails in CI
	}
	must(t, err)
	t.Cleanup(server.Stop)
	pool := pgtest.Open(t, server.URL, nil)
	must(t, pgstore.Migrate(ctx, pool, ""))
	execSQL(t, pool, payments)
	execSQL(t, pool, "CHECKPOINT")
	engine := engineOn(t, open(t, pool))
	const keys = 20
	for i := range keys {
		wantAnswer(t, "first", payAnd(t, engine, pool, fmt.Sprint("k", i), nothing), http.StatusCreated, "", false)
	}
	must(t, server.Restart(ctx))
	var payments, records int
	must(t, query(server.URL, &payments, "SELECT count(*) FROM payments"))
	must(t, query(server.URL, &records, "SELECT count(*) FROM idempotency_keys"))
	t.Logf("%d of %d answered requests are there after the crash", records, keys)
	if payments != records {
		t.Errorf("%d payments and %d records", payments, records)
	}
	for i := range keys {
		if w := payAnd(t, engine, pool, fmt.Sprint("k", i), nothing); w.Code != http.StatusCreated {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if n := count(t, pool, "payments"); n != keys {
		t.Errorf("%d payments of %d keys", n, keys)
	}
}

// While a deployment rolls, programs from before lease mode meet rows in progress. They look by this statement and read
// when the row expires, which is never: that has no time.Time, so they fail closed.
func TestRollingDeployment_I9_AnOlderProgramRefusesWorkInProgress(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	id := newID()
	hold(t, open(t, pool), id, newIntent())
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		var live bool
		var created, expires time.Time
		err := pool.QueryRow(context.Background(), `SELECT expires_at > clock_timestamp(), created_at, expires_at FROM idempotency_keys`, mode).Scan(&live, &created, &expires)
		if err == nil {
			t.Errorf("%v: an older program reads that the row expires at %v", mode, expires)
		}
	}
}
