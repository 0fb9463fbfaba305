package memstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestTx_RefusesSQL(t *testing.T) {
	ctx := context.Background()
	work, err := memstore.New().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tx := work.Tx()
	_, beginErr := tx.Begin(ctx)
	_, copyErr := tx.CopyFrom(ctx, pgx.Identifier{"t"}, nil, nil)
	_, prepareErr := tx.Prepare(ctx, "s", "SELECT 1")
	_, execErr := tx.Exec(ctx, "SELECT 1")
	rows, queryErr := tx.Query(ctx, "SELECT 1")
	if rows.Next() {
		t.Error("there are rows")
	}
	rows.Close()
	batch := &pgx.Batch{}
	batch.Queue("SELECT 1")
	results := tx.SendBatch(ctx, batch)
	_, resultErr := results.Exec()
	for name, err := range map[string]error{
		"Begin": beginErr, "CopyFrom": copyErr, "Prepare": prepareErr, "Exec": execErr, "Query": queryErr, "Rows.Err": rows.Err(),
		"QueryRow": tx.QueryRow(ctx, "SELECT 1").Scan(), "SendBatch": resultErr, "BatchResults.Close": results.Close(),
	} {
		if !errors.Is(err, memstore.ErrNoSQL) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := tx.Commit(ctx); !errors.Is(err, memstore.ErrNotYours) {
		t.Errorf("Commit: %v", err)
	}
	if err := tx.Rollback(ctx); !errors.Is(err, memstore.ErrNotYours) {
		t.Errorf("Rollback: %v", err)
	}
	if tx.Conn() != nil {
		t.Error("there is a connection")
	}
}

func TestOnCommit(t *testing.T) {
	ctx := context.Background()
	if err := memstore.OnCommit(nil, func() {}); err == nil {
		t.Error("a transaction of another store is taken")
	}
	work, err := memstore.New().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	for i := range 3 {
		if err := memstore.OnCommit(work.Tx(), func() { order = append(order, i) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := work.Commit(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(order) != "[0 1 2]" {
		t.Errorf("effects ran as %v", order)
	}
	if err := memstore.OnCommit(work.Tx(), func() { t.Error("it ran") }); !errors.Is(err, pgx.ErrTxClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestStore_CommitGivesUpWithItsContext(t *testing.T) {
	s, id := memstore.New(), runtime.ID{Scope: "s", Key: "k"}
	claim, err := s.Claim(context.Background(), id, 0)
	if err != nil || claim.Work == nil {
		t.Fatal(err)
	}
	if err := memstore.OnCommit(claim.Work.Tx(), func() { t.Error("the effect was committed") }); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := claim.Work.Commit(ended, &runtime.Record{Retention: time.Hour}); err == nil {
		t.Error("no error")
	}
	claim, err = s.Claim(context.Background(), id, 0)
	if err != nil || claim.Work == nil {
		t.Errorf("the id is not free: %+v, %v", claim, err)
	}
	if err := claim.Work.Commit(context.Background(), nil); err == nil {
		t.Error("a won id is committed without a record")
	}
}

func TestStore_Purges(t *testing.T) {
	ctx := context.Background()
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s := memstore.New(memstore.WithClock(c.Now))
	put := func(key string) {
		t.Helper()
		claim, err := s.Claim(ctx, runtime.ID{Scope: "s", Key: key}, 0)
		if err != nil || claim.Work == nil {
			t.Fatalf("%+v, %v", claim, err)
		}
		if err := claim.Work.Commit(ctx, &runtime.Record{Retention: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1000 {
		put(fmt.Sprint(i))
	}
	c.Advance(2 * time.Hour)
	put("999") // replaces an expired record, whose own time to be purged is still to come
	if s.Len() != 1 {
		t.Errorf("%d live records", s.Len())
	}
	for i := range 100 { // each claim purges a few
		put(fmt.Sprint("new ", i))
	}
	if held := s.Held(); held > 150 {
		t.Errorf("%d records are held, of which 101 are live", held)
	}
	if claim, err := s.Claim(ctx, runtime.ID{Scope: "s", Key: "999"}, 0); err != nil || claim.Record == nil {
		t.Errorf("the purge took a live record: %+v, %v", claim, err)
	}
}

func TestStore_KnowsPostgresErrors(t *testing.T) {
	s := memstore.New()
	for code, want := range map[string]bool{"40001": true, "40P01": true, "23505": false, "25P02": false} {
		if got := s.Retryable(fmt.Errorf("x: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s: retryable %v", code, got)
		}
	}
	name, ok := s.Violation(fmt.Errorf("x: %w", &pgconn.PgError{Code: "23505", ConstraintName: "payments_key"}))
	if !ok || name != "payments_key" {
		t.Errorf("%q, %v", name, ok)
	}
	if _, ok := s.Violation(&pgconn.PgError{Code: "23514", ConstraintName: "payments_amount"}); ok {
		t.Error("a check is taken for a unique constraint")
	}
}

// Without a database, an effect is staged: it happens with the commit of its record, or not at all.
func ExampleOnCommit() {
	ctx := context.Background()
	store := memstore.New()
	payments := 0
	for _, fail := range []bool{true, false} {
		claim, err := store.Claim(ctx, runtime.ID{Scope: "acct_1", Key: "k"}, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = memstore.OnCommit(claim.Work.Tx(), func() { payments++ })
		if fail {
			_ = claim.Work.Rollback(ctx)
		} else {
			_ = claim.Work.Commit(ctx, &runtime.Record{Status: 201, Retention: time.Hour})
		}
		fmt.Println(payments, "payments,", store.Len(), "records")
	}
	// Output:
	// 0 payments, 0 records
	// 1 payments, 1 records
}
