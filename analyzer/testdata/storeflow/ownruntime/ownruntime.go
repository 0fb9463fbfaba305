// Package ownruntime has what our runtime hands to its users.
package ownruntime

import (
	"context"
	"net/http"

	"github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func handler(engine *runtime.Engine[pgx.Tx], operation *runtime.Operation, pool *pgxpool.Pool) http.Handler {
	return engine.Handler(operation, func(ctx context.Context, w http.ResponseWriter, r *http.Request, tx pgx.Tx) error { // want "transaction of a function of the runtime"
		if _, err := tx.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x"); err != nil { // want "insert accounts over tx 1"
			return err
		}
		_, err := pool.Exec(ctx, "INSERT INTO audits (email) VALUES ($1)", "x") // want "insert audits over pool"
		return err
	})
}

func call(call *runtime.Call[pgx.Tx]) {
	call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) { // want "transaction of a function of the runtime"
		_, err := tx.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over tx 1"
		return runtime.Response{}, err
	})
}

func note(ctx context.Context, step runtime.LocalStep[pgx.Tx], work func(ctx context.Context, tx pgx.Tx) error) error {
	_, err := runtime.DoLocal(ctx, step, func(ctx context.Context, tx pgx.Tx) (bool, error) { // want "transaction of a function of the runtime"
		return true, work(ctx, tx)
	})
	return err
}

func lease(ctx context.Context, lease *runtime.Lease[pgx.Tx]) error {
	_, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(ctx context.Context, tx pgx.Tx) (bool, error) { // want "transaction of a function of the runtime"
		_, err := tx.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over tx 1"
		return true, err
	})
	if err != nil {
		return err
	}
	if err := note(ctx, lease.Local("note"), func(ctx context.Context, tx pgx.Tx) error { // want "transaction of a function of the runtime"
		_, err := tx.Exec(ctx, "INSERT INTO notes (email) VALUES ($1)", "x") // want "insert notes over tx 1"
		return err
	}); err != nil {
		return err
	}
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) { // want "transaction of a function of the runtime"
		err := pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error { // want "transaction of a function"
			_, err := inner.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over tx other"
			return err
		})
		return runtime.Response{Status: http.StatusCreated}, err
	})
}
