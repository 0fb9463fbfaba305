package pgstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A1: the handler cannot end the transaction, and a savepoint it can.
func TestTx_A1_CannotBeEndedByTheHandler(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	work := claim(t, store, newID())
	tx := work.Tx()
	if err := tx.Commit(ctx); !errors.Is(err, pgstore.ErrManaged) {
		t.Errorf("Commit: %v", err)
	}
	if err := tx.Rollback(ctx); !errors.Is(err, pgstore.ErrManaged) {
		t.Errorf("Rollback: %v", err)
	}

	keep, err := tx.Begin(ctx)
	must(t, err)
	must(t, pay(ctx, keep))
	must(t, keep.Commit(ctx))
	drop, err := tx.Begin(ctx)
	must(t, err)
	if _, err := drop.Exec(ctx, "SELECT 1/0"); err == nil {
		t.Error("1/0 is fine")
	}
	must(t, drop.Rollback(ctx))
	nested, err := tx.Begin(ctx)
	must(t, err)
	deeper, err := nested.Begin(ctx)
	must(t, err)
	must(t, pay(ctx, deeper))
	must(t, deeper.Rollback(ctx))
	must(t, nested.Commit(ctx))

	must(t, work.Commit(ctx, newRecord()))
	if n := count(t, pool, "payments"); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// A handler that keeps its transaction cannot reach into the next request's.
func TestTx_RefusesAfterTheEnd(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	for name, end := range map[string]func(work interface {
		Rollback(context.Context) error
	}) error{
		"rollback": func(w interface {
			Rollback(context.Context) error
		}) error {
			return w.Rollback(ctx)
		},
	} {
		work := claim(t, store, newID())
		savepoint, err := work.Tx().Begin(ctx)
		must(t, err)
		must(t, end(work))
		for kind, tx := range map[string]pgx.Tx{"transaction": work.Tx(), "savepoint": savepoint} {
			var n int
			batch := &pgx.Batch{}
			batch.Queue("SELECT 1")
			_, execErr := tx.Exec(ctx, "SELECT 1")
			rows, queryErr := tx.Query(ctx, "SELECT 1")
			rows.Close()
			_, copyErr := tx.CopyFrom(ctx, pgx.Identifier{"payments"}, []string{"account"}, pgx.CopyFromRows(nil))
			_, prepareErr := tx.Prepare(ctx, "s", "SELECT 1")
			_, beginErr := tx.Begin(ctx)
			for method, err := range map[string]error{
				"Exec": execErr, "Query": queryErr, "Rows": rows.Err(), "QueryRow": tx.QueryRow(ctx, "SELECT 1").Scan(&n),
				"SendBatch": tx.SendBatch(ctx, batch).Close(), "CopyFrom": copyErr, "Prepare": prepareErr, "Begin": beginErr,
				"Commit": tx.Commit(ctx), "Rollback": tx.Rollback(ctx),
			} {
				if !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("after the %s, %s of the %s: %v", name, method, kind, err)
				}
			}
		}
	}
}

func TestTx_EveryMethodWorks(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	ctx := context.Background()
	work := claim(t, open(t, pool), newID())
	tx := work.Tx()
	n, err := tx.CopyFrom(ctx, pgx.Identifier{"payments"}, []string{"account", "amount"}, pgx.CopyFromRows([][]any{{"a", 1}, {"b", 2}}))
	if err != nil || n != 2 {
		t.Fatalf("CopyFrom: %d, %v", n, err)
	}
	batch := &pgx.Batch{}
	batch.Queue("INSERT INTO payments (account, amount) VALUES ('c', 3)")
	must(t, tx.SendBatch(ctx, batch).Close())
	if _, err := tx.Prepare(ctx, "total", "SELECT sum(amount) FROM payments"); err != nil {
		t.Fatal(err)
	}
	var sum int
	must(t, tx.QueryRow(ctx, "total").Scan(&sum))
	rows, err := tx.Query(ctx, "SELECT account FROM payments")
	must(t, err)
	accounts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if sum != 6 || len(accounts) != 3 {
		t.Errorf("sum %d, accounts %v", sum, accounts)
	}
	if tx.Conn() == nil {
		t.Error("no connection")
	}
	objects := tx.LargeObjects()
	if _, err := objects.Create(ctx, 0); err != nil {
		t.Error(err)
	}
	must(t, work.Commit(ctx, newRecord()))
}
