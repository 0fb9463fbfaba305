package pgstore_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// TestLeases runs the suite of lease mode: both strategies of transaction mode beside it, under every isolation level, and
// with sessions whose default is the strongest.
func TestLeases(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) { leases(t, database(t), nil, v.options()...) })
	}
	t.Run("sessions that are serializable", func(t *testing.T) {
		leases(t, database(t), func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["default_transaction_isolation"] = "serializable" })
	})
}

func leases(t *testing.T, url string, change func(*pgxpool.Config), opts ...pgstore.Option) {
	t.Parallel() // the suite waits for leases to be over
	storetest.RunLeases(t, suite(t, url, change, opts...))
}

// TestLeases_ModesForPoolers runs it in the ways of sending statements that a pooler in transaction mode can ask for.
func TestLeases_ModesForPoolers(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			leases(t, database(t), func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
		})
	}
}

// TestLeases_PgBouncer runs it through a real PgBouncer in transaction mode, where the machine has one.
func TestLeases_PgBouncer(t *testing.T) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("pgbouncer is not installed")
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeCacheDescribe} {
		t.Run(mode.String(), func(t *testing.T) {
			leases(t, bouncer(t, program, database(t)), func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
		})
	}
}

// A program of this version on a table without the columns of lease mode goes on with transaction mode, and tells who asks
// for a lease what is missing.
func TestLease_A9_BeforeItsMigration(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	execSQL(t, pool, pgstore.SchemaSteps("")[1].Down)
	for _, v := range variants {
		store := open(t, pool, v.options()...)
		id := newID()
		complete(t, store, id, newRecord())
		replay(t, store, id)
		_, err := store.ClaimLease(context.Background(), newID(), newIntent())
		var told runtime.Explained
		if !errors.As(err, &told) || !strings.Contains(told.LogText(), "Store.Check") {
			t.Errorf("%s: %v", v.name, err)
		}
	}
	quiet(t, pool)
}

func TestCheckLeases(t *testing.T) {
	url := database(t)
	admin := pgtest.Open(t, url, nil)
	ctx := context.Background()
	must(t, open(t, admin).CheckLeases(ctx))

	execSQL(t, admin, `CREATE ROLE idemgen_check_leases_test`)
	t.Cleanup(func() {
		_, _ = admin.Exec(ctx, `DROP OWNED BY idemgen_check_leases_test; DROP ROLE idemgen_check_leases_test`)
	})
	execSQL(t, admin, `GRANT SELECT, INSERT, DELETE ON idempotency_keys TO idemgen_check_leases_test`)
	poor := pgtest.Open(t, url, func(c *pgxpool.Config) {
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "SET ROLE idemgen_check_leases_test")
			return err
		}
	})
	must(t, open(t, poor).Check(ctx))
	if err := open(t, poor).CheckLeases(ctx); err == nil || !strings.Contains(err.Error(), "lacks the privilege UPDATE") {
		t.Errorf("without UPDATE: %v", err)
	}

	for _, c := range []struct{ what, change, want string }{
		{"no index", `DROP INDEX idempotency_keys_in_progress`, "no index of the work in progress"},
		{"another index", `CREATE INDEX ON idempotency_keys (created_at) WHERE status = 200`, "no index of the work in progress"},
		{"by another name", `CREATE INDEX elsewhere ON idempotency_keys (lease_until) WHERE status = 0`, ""},
		{"no columns", `ALTER TABLE idempotency_keys DROP COLUMN epoch`, "has no column epoch: apply schema step 2"},
	} {
		execSQL(t, admin, c.change)
		err := open(t, admin).CheckLeases(ctx)
		var fault *pgstore.SchemaError
		switch {
		case c.want == "":
			must(t, err)
		case !errors.As(err, &fault) || fault.Version != 2 || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
