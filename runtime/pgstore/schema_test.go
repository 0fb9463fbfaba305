package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func TestSchemaSteps_UpDownUp(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	execSQL(t, pool, `CREATE SCHEMA "Billing"`)
	long := strings.Repeat("l", 63)
	for _, table := range []string{
		"", "idempotency_keys_2", "Billing.Keys", `odd "name"; DROP TABLE x; --`,
		long, "Billing." + strings.Repeat("ü", 31), "Billing.Keys_releases",
	} {
		steps := pgstore.SchemaSteps(table)
		for range 2 {
			for i, step := range steps {
				if step.Version != i+1 {
					t.Errorf("step %d has version %d", i+1, step.Version)
				}
				execSQL(t, pool, step.Up)
			}
			for i := len(steps) - 1; i >= 0; i-- {
				execSQL(t, pool, steps[i].Down)
			}
		}
	}
}

// The way down from lease mode is refused while it would lose work.
func TestSchemaSteps_DownRefusesWorkInProgress(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	complete(t, open(t, pool), newID(), newRecord())
	execSQL(t, pool, "UPDATE idempotency_keys SET status = 0")
	down := pgstore.SchemaSteps("")[1].Down
	if _, err := pool.Exec(context.Background(), down); err == nil || !strings.Contains(err.Error(), "no_work_in_progress") {
		t.Errorf("err = %v", err)
	}
	execSQL(t, pool, "UPDATE idempotency_keys SET status = 201")
	execSQL(t, pool, down)
}

// What belongs to a table stands in its schema under a name of its own, however long the table's is.
func TestSchemaSteps_DerivedNames(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	execSQL(t, pool, `CREATE SCHEMA "Billing"`)
	long := strings.Repeat("l", 62)
	for _, table := range []string{"Billing.Keys", long + "a", long + "b"} {
		for _, step := range pgstore.SchemaSteps(table) {
			execSQL(t, pool, step.Up)
		}
	}
	var n int
	must(t, pool.QueryRow(context.Background(), `SELECT count(*) FROM pg_class WHERE relname LIKE '%\_in\_progress' OR relname LIKE '%\_releases'`).Scan(&n))
	if n != 6 {
		t.Errorf("%d indexes and tables of lease mode, want 6", n)
	}
	must(t, pool.QueryRow(context.Background(), `SELECT count(*) FROM pg_class WHERE relnamespace = '"Billing"'::regnamespace AND relname IN ('Keys_in_progress', 'Keys_releases')`).Scan(&n))
	if n != 2 {
		t.Errorf("%d of them in the table's schema, want 2", n)
	}
}

// A store on a table of another name, and in another schema, keeps its promise there.
func TestWithTable_QualifiedAndQuoted(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	execSQL(t, pool, `CREATE SCHEMA "Billing"`)
	must(t, pgstore.Migrate(context.Background(), pool, "Billing.Keys"))
	for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
		store := open(t, pool, pgstore.WithTable("Billing.Keys"), pgstore.WithStrategy(strategy))
		id := newID()
		complete(t, store, id, newRecord())
		replay(t, store, id)
	}
	if n, other := count(t, pool, `"Billing"."Keys"`), count(t, pool, "idempotency_keys"); n != 2 || other != 0 {
		t.Errorf("%d records in the table, %d in the default one", n, other)
	}
}

func TestNew_RefusesWrongOptions(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	for text, opt := range map[string]pgstore.Option{
		"SCHEMA.TABLE": pgstore.WithTable("a.b.c"),
		"1 to 63":      pgstore.WithTable("a."),
		"63 bytes":     pgstore.WithTable(strings.Repeat("x", 64)),
		"1 to 63 b":    pgstore.WithTable("a\x00"),
		"strategy 7":   pgstore.WithStrategy(7),
		"read-only":    pgstore.WithTxOptions(pgx.TxOptions{AccessMode: pgx.ReadOnly}),
	} {
		if _, err := pgstore.New(pool, opt); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: err = %v", text, err)
		}
	}
	if _, err := pgstore.New(nil); err == nil {
		t.Error("a nil pool is fine")
	}
}

func TestMigrate_TwiceAndAtOnce(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { errs[i] = pgstore.Migrate(context.Background(), pool, "") })
	}
	all.Wait()
	must(t, errors.Join(errs...))
	must(t, pgstore.Migrate(context.Background(), pool, ""))
	work := claim(t, open(t, pool), newID())
	must(t, work.Commit(context.Background(), newRecord()))
	if n := count(t, pool, "idempotency_keys_schema"); n != len(pgstore.SchemaSteps("")) {
		t.Errorf("%d versions noted", n)
	}
}

func TestMigrate_LeavesAnotherToolsTableAlone(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	execSQL(t, pool, pgstore.SchemaSteps("")[0].Up)
	if err := pgstore.Migrate(context.Background(), pool, ""); !errors.Is(err, pgstore.ErrForeignTable) {
		t.Errorf("err = %v", err)
	}
}

// The table's check keeps anybody else's mistake from being replayed to a client as an empty body.
func TestSchema_ChecksTheBodyAgainstItsState(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	complete(t, open(t, pool), newID(), newRecord())
	for _, change := range []string{"body = NULL", "body_state = 1", "body_state = 2"} {
		_, err := pool.Exec(context.Background(), "UPDATE idempotency_keys SET "+change)
		if err == nil || !strings.Contains(err.Error(), "body_as_stated") {
			t.Errorf("%s: err = %v", change, err)
		}
	}
}
