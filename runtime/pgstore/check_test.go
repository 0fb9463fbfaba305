package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// What a service should hear when it starts, and not at its first payment.
func TestCheck_FindsWhatIsWrong(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	ctx := context.Background()
	for _, c := range []struct {
		what, change string
		version      int
		want         string // "" where nothing is wrong
	}{
		{"as it was made", "", 0, ""},
		{"no table", `DROP TABLE "Keys"`, 1, `the table Keys is not in the database "`},
		{"a column is missing", `ALTER TABLE "Keys" DROP COLUMN headers`, 1, "has no column headers: apply schema step 1"},
		{"the step of lease mode is missing", pgstore.SchemaSteps("Keys")[1].Down, 2, "has no column lease_until: apply schema step 2"},
		{"the index of lease mode is missing", `DROP INDEX "Keys_in_progress"`, 0, ""},
		{"another type", `ALTER TABLE "Keys" ALTER COLUMN scope TYPE text USING 'x'`, 0, "has a column scope of type text, which has to be bytea"},
		{"no primary key", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey"`, 0, "no unique index on scope and key"},
		{"unique on more", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey", ADD PRIMARY KEY (scope, key, operation)`, 0, "no unique index"},
		{"unique on less", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey", ADD PRIMARY KEY (key)`, 0, "no unique index"},
		{"unique on others", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey", ADD PRIMARY KEY (scope, operation) INCLUDE (key)`, 0, "no unique index"},
		{"unique on some rows", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey"; CREATE UNIQUE INDEX ON "Keys" (scope, key) WHERE status = 201`, 0, "no unique index"},
		{"unique at the end", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey", ADD PRIMARY KEY (scope, key) DEFERRABLE`, 0, "no unique index"},
		{"unique in the other order", `ALTER TABLE "Keys" DROP CONSTRAINT "Keys_pkey"; CREATE UNIQUE INDEX ON "Keys" (key, scope) INCLUDE (status)`, 0, ""},
		{"a further column that is needed", `ALTER TABLE "Keys" ADD tenant text NOT NULL`, 0, "further column tenant"},
		{"a further column with a default", `ALTER TABLE "Keys" ADD tenant text NOT NULL DEFAULT '', ADD n int GENERATED ALWAYS AS IDENTITY, ADD note text`, 0, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			execSQL(t, pool, `DROP TABLE IF EXISTS "Keys", "Keys_schema", "Keys_releases"`)
			must(t, pgstore.Migrate(ctx, pool, "Keys"))
			execSQL(t, pool, c.change)
			err := open(t, pool, pgstore.WithTable("Keys")).Check(ctx)
			var fault *pgstore.SchemaError
			switch {
			case c.want == "":
				must(t, err)
			case !errors.As(err, &fault) || fault.Version != c.version || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n"):
				t.Errorf("err = %v", err)
			}
			quiet(t, pool)
		})
	}
}

// Check knows the columns of every step: a table that has all of them is fine, and the list has no other.
func TestCheck_KnowsEveryStep(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	rows, err := pool.Query(context.Background(), "SELECT attname::text FROM pg_attribute WHERE attrelid = 'idempotency_keys'::regclass AND attnum > 0")
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if got := pgstore.Columns(); len(got) != len(names) {
		t.Errorf("Check has %d columns, the table %d: %v", len(got), len(names), names)
	}
	for _, v := range variants {
		must(t, open(t, pool, v.options()...).Check(context.Background()))
	}
}

func TestCheck_PrivilegesAndSessions(t *testing.T) {
	url := database(t)
	admin := pgtest.Open(t, url, nil)
	ctx := context.Background()
	// A role is not of one database, so it goes with the test.
	execSQL(t, admin, `CREATE ROLE idemgen_check_test`)
	t.Cleanup(func() { _, _ = admin.Exec(ctx, `DROP OWNED BY idemgen_check_test; DROP ROLE idemgen_check_test`) })
	execSQL(t, admin, `GRANT SELECT, INSERT, DELETE ON idempotency_keys TO idemgen_check_test`)
	poor := pgtest.Open(t, url, func(c *pgxpool.Config) {
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "SET ROLE idemgen_check_test")
			return err
		}
	})
	must(t, open(t, poor).Check(ctx))
	err := open(t, poor, pgstore.WithStrategy(pgstore.InsertFirst)).Check(ctx)
	var poorly *pgstore.SchemaError // any other error says that the service may start
	if !errors.As(err, &poorly) || !strings.Contains(err.Error(), "lacks the privilege UPDATE") || !strings.Contains(poorly.Mend(), "grant SELECT, INSERT, UPDATE and DELETE") {
		t.Errorf("err = %v", err)
	}

	readOnly := pgtest.Open(t, url, func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	})
	if err := open(t, readOnly).Check(ctx); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("err = %v", err)
	}

	ended, cancel := context.WithCancel(ctx)
	cancel()
	err = open(t, admin).Check(ended)
	var fault *pgstore.SchemaError
	if err == nil || errors.As(err, &fault) {
		t.Errorf("a database that cannot be asked: %v", err)
	}
}

// A claim that meets such a table is refused, and the log tells whom to ask.
func TestClaim_A9_WithoutATable(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	for _, v := range variants {
		_, err := open(t, pool, v.options()...).Claim(context.Background(), newID(), 0)
		var told runtime.Explained
		if !errors.As(err, &told) || !strings.Contains(told.LogText(), "Store.Check") {
			t.Errorf("%s: %v", v.name, err)
		}
	}
	quiet(t, pool)
}

// Poolers ask for other ways to send a statement.
func TestCheck_EveryWayToSendAStatement(t *testing.T) {
	url := database(t)
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
		store := open(t, pool)
		if err := store.Check(context.Background()); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
		complete(t, store, newID(), newRecord())
		execSQL(t, pool, "UPDATE idempotency_keys SET expires_at = created_at")
		if n, err := store.Purge(context.Background(), 10); n != 1 || err != nil {
			t.Errorf("%v: %d purged, %v", mode, n, err)
		}
	}
}
