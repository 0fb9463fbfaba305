package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A store on a service's own pool, for runtime.New. The table is made by the service's migrations, or by Migrate.
func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	if err := pgstore.Migrate(ctx, pool, ""); err != nil {
		fmt.Println(err)
		return
	}
	store, err := pgstore.New(pool, pgstore.WithTxOptions(pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := runtime.New(store, func(r *http.Request) (string, error) {
		return "", runtime.ErrUnauthenticated // your authentication
	})
	fmt.Println(engine != nil, err)
}

// The steps are plain SQL, for a migration tool of one's own.
func ExampleSchemaSteps() {
	for _, step := range pgstore.SchemaSteps("billing.idempotency_keys") {
		fmt.Printf("-- version %d makes ", step.Version)
		for _, line := range strings.Split(step.Up, "\n") {
			if name, ok := strings.CutPrefix(line, "CREATE TABLE "); ok {
				fmt.Println(strings.TrimSuffix(name, " ("))
			}
		}
	}
	// Output:
	// -- version 1 makes "billing"."idempotency_keys"
	// -- version 2 makes "billing"."idempotency_keys_releases"
}

// What runtime.Engine does with a store: claim, work, commit; and for a repetition, the record.
func ExampleStore_Claim() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := pgtemp.Start(ctx, pgtemp.Options{})
	if errors.Is(err, pgtemp.ErrNotFound) {
		fmt.Println("won, paid and committed\nfound: 201 {\"id\":1}") // nothing to show here
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Stop()
	pool, err := pgxpool.New(ctx, server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	if err := pgstore.Migrate(ctx, pool, ""); err != nil {
		fmt.Println(err)
		return
	}
	store, err := pgstore.New(pool)
	if err != nil {
		fmt.Println(err)
		return
	}

	for range 2 {
		claim, err := store.Claim(ctx, runtime.ID{Scope: "p6:acct_1", Key: "order 17"}, time.Second)
		switch {
		case err != nil:
			fmt.Println(err)
		case claim.Record != nil:
			fmt.Printf("found: %d %s\n", claim.Record.Status, claim.Record.Body)
		case claim.Work == nil:
			fmt.Println("another transaction holds the key")
		default:
			// The handler's statements go through claim.Work.Tx(), and commit with the record or not at all.
			_, err := claim.Work.Tx().Exec(ctx, "CREATE TABLE paid AS SELECT 1 AS id")
			if err != nil {
				fmt.Println(err, claim.Work.Rollback(ctx))
				return
			}
			err = claim.Work.Commit(ctx, &runtime.Record{
				Operation: "createPayment", FingerprintVersion: 1, Fingerprint: make([]byte, 32),
				Status: 201, Body: []byte(`{"id":1}`), Retention: 24 * time.Hour,
			})
			if err == nil {
				fmt.Println("won, paid and committed")
			}
		}
	}
	// Output:
	// won, paid and committed
	// found: 201 {"id":1}
}

// A part of a handler's work that may fail on its own is a savepoint. The transaction itself ends with the record.
func ExampleErrManaged() {
	handler := func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.Commit(ctx); !errors.Is(err, pgstore.ErrManaged) {
			return fmt.Errorf("unexpected: %w", err)
		}
		return pgx.BeginFunc(ctx, tx, func(part pgx.Tx) error { // a savepoint, which it does commit
			_, err := part.Exec(ctx, "INSERT INTO notes (text) VALUES ('paid')")
			return err
		})
	}
	_ = handler
}
