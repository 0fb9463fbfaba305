package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
)

// A7, G2: a handler that keeps a statement's error to itself cannot commit; why, the store tells in its place.
func TestCommit_A7_G2_SwallowedErrors(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	ctx := context.Background()
	const twice = "INSERT INTO payments (id, account, amount) OVERRIDING SYSTEM VALUE VALUES (7, 'a', 1), (7, 'a', 1)"
	for _, c := range []struct {
		name      string
		work      func(tx pgx.Tx)
		violation string
		again     bool
	}{
		{"Exec", func(tx pgx.Tx) { _, _ = tx.Exec(ctx, twice) }, "payments_pkey", false},
		{"QueryRow", func(tx pgx.Tx) {
			var id int
			_ = tx.QueryRow(ctx, twice+" RETURNING id").Scan(&id)
		}, "payments_pkey", false},
		{"and more statements", func(tx pgx.Tx) {
			_, _ = tx.Exec(ctx, twice)
			_, _ = tx.Exec(ctx, "SELECT 1")
		}, "payments_pkey", false},
		{"after one in a savepoint that was undone", func(tx pgx.Tx) {
			_ = pgx.BeginFunc(ctx, tx, func(part pgx.Tx) error {
				_, err := part.Exec(ctx, "SELECT 1/0")
				return err
			})
			_, _ = tx.Exec(ctx, twice)
		}, "payments_pkey", false},
		{"CopyFrom", func(tx pgx.Tx) {
			_, _ = tx.CopyFrom(ctx, pgx.Identifier{"payments"}, []string{"account", "amount"}, pgx.CopyFromRows([][]any{{"a", -1}}))
		}, "", false},
		{"what the database wants run again", func(tx pgx.Tx) {
			_, _ = tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$")
		}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := open(t, pool)
			work := claim(t, store, newID())
			c.work(work.Tx())
			err := work.Commit(ctx, newRecord())
			if !errors.Is(err, runtime.ErrAborted) {
				t.Errorf("err = %v", err)
			}
			if name, _ := store.Violation(err); name != c.violation || store.Retryable(err) != c.again {
				t.Errorf("violation %q, again %v: %v", name, store.Retryable(err), err)
			}
			if described := fmt.Sprint(store.Describe(err)); c.violation != "" && described == "[]" {
				t.Errorf("nothing is described of %v", err)
			}
			quiet(t, pool)
		})
	}
	// A failure in a part that was undone is none.
	store := open(t, pool)
	work := claim(t, store, newID())
	_ = pgx.BeginFunc(ctx, work.Tx(), func(part pgx.Tx) error {
		_, err := part.Exec(ctx, "SELECT 1/0")
		return err
	})
	must(t, work.Commit(ctx, newRecord()))
}

// What a newcomer finds in the log after the first insert that failed unnoticed: which table and constraint, and what to do.
func TestCommit_SwallowedErrorIsLogged(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	var log bytes.Buffer
	engine, err := runtime.New(open(t, pool), func(*http.Request) (string, error) { return "acct_1", nil },
		runtime.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	must(t, err)
	w := payAnd(t, engine, pool, "k", func(ctx context.Context, tx pgx.Tx) error {
		_, _ = tx.Exec(ctx, "INSERT INTO payments (id, account, amount) OVERRIDING SYSTEM VALUE SELECT id, 's3cr3t', 1 FROM payments")
		return nil
	})
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "does not cure") {
		t.Errorf("answered with %d %s", w.Code, w.Body)
	}
	for _, want := range []string{"went on after a statement had failed", "ON CONFLICT", "sqlstate=23505", "table=payments", "constraint=payments_pkey", "WithErrorObserver"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %q: %s", want, &log)
		}
	}
	if strings.Contains(log.String(), "s3cr3t") || strings.Contains(log.String(), "already exists") {
		t.Errorf("the log repeats data: %s", &log)
	}
}
