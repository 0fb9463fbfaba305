package pgstore_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// TestStore runs the conformance suite: both strategies under every isolation level, with a pool each for the two stores,
// as two processes have them.
func TestStore(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) { conform(t, nil, v.options()...) })
	}
}

// TestStore_ModesForPoolers runs it in the ways of sending statements that a pooler in transaction mode can ask for.
func TestStore_ModesForPoolers(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
			t.Run(mode.String(), func(t *testing.T) {
				conform(t, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }, pgstore.WithStrategy(strategy))
			})
		}
	}
}

func conform(t *testing.T, change func(*pgxpool.Config), opts ...pgstore.Option) {
	t.Helper()
	t.Parallel() // the suite waits for the database
	conformOn(t, database(t), change, opts...)
}

func conformOn(t *testing.T, url string, change func(*pgxpool.Config), opts ...pgstore.Option) {
	t.Helper()
	storetest.Run(t, suite(t, url, change, opts...))
}

// suite is the conformance suite's way to two stores on the database at url.
func suite(t *testing.T, url string, change func(*pgxpool.Config), opts ...pgstore.Option) storetest.Suite[pgx.Tx] {
	t.Helper()
	pool, other := pgtest.Open(t, url, change), pgtest.Open(t, url, change)
	return storetest.Suite[pgx.Tx]{Open: func(t *testing.T) storetest.Instance[pgx.Tx] {
		execSQL(t, pool, "TRUNCATE idempotency_keys, payments")
		t.Cleanup(func() { quiet(t, pool); quiet(t, other) })
		return storetest.Instance[pgx.Tx]{
			Store: open(t, pool, opts...),
			Other: open(t, other, opts...),
			Effect: func(ctx context.Context, tx pgx.Tx, name string) error {
				_, err := tx.Exec(ctx, "INSERT INTO payments (account, amount) VALUES ($1, 1)", name)
				return err
			},
			Effects: func(t *testing.T, name string) int {
				var n int
				must(t, pool.QueryRow(context.Background(), "SELECT count(*) FROM payments WHERE account = $1", name).Scan(&n))
				return n
			},
		}
	}}
}
