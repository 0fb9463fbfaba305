// Package pgx has what programs do with pgx, with what is found in it.
package pgx

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

func plain(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn) {
	pool.QueryRow(ctx, "SELECT id FROM accounts WHERE email = $1 FOR UPDATE", "x")            // want "read accounts by email for-update over pool"
	conn.Exec(ctx, "INSERT INTO accounts (id, email) VALUES ($1, $2)", uuid.New(), "x")       // want "insert accounts minted-key over conn"
	conn.Exec(ctx, "INSERT INTO accounts (id, email) VALUES ($1, $2)", uuid.NewString(), "x") // want "insert accounts minted-key over conn"
	pool.Exec(ctx, "INSERT INTO accounts (email, id) VALUES ($1, gen_random_uuid())", "x")    // want "insert accounts minted-key over pool"
	pool.CopyFrom(ctx, pgx.Identifier{"public", "accounts"}, []string{"email"}, nil)          // want "insert accounts over pool"
	pool.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", 1)                                     // want "lock over pool"
}

func batch(ctx context.Context, pool *pgxpool.Pool) error {
	queue := &pgx.Batch{}
	queue.Queue("INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over pool"
	queue.Queue("DELETE FROM accounts WHERE id = $1", 1)         // want "delete accounts by id over pool"
	return pool.SendBatch(ctx, queue).Close()
}

func callback(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { // want "transaction of a function"
		if _, err := tx.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x"); err != nil { // want "insert accounts over tx 1"
			return err
		}
		_, err := pool.Exec(ctx, "INSERT INTO keys (k) VALUES ($1)", "k") // want "insert keys over pool"
		return err
	})
}

func savepoint(ctx context.Context, pool *pgxpool.Pool) error {
	tx, err := pool.Begin(ctx) // want "transaction committed 1"
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	inner, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	inner.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts over tx 1"
	inner.Commit(ctx)
	tx.Conn().Exec(ctx, "INSERT INTO keys (k) VALUES ($1)", "k") // want "insert keys over tx 1"
	return tx.Commit(ctx)
}

func strict(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error { // want "transaction of a function serializable"
		_, err := tx.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts serializable over tx 1"
		return err
	})
}

func handled(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts duplicate-handled over pool"
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return nil
	}
	return err
}

func handledByName(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x"); err != nil { // want "insert accounts duplicate-handled over pool"
		if isDuplicate(err) {
			return nil
		}
		return err
	}
	return nil
}

func isDuplicate(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == pgerrcode.UniqueViolation
}

func handledOutside(ctx context.Context, pool *pgxpool.Pool) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { // want "transaction of a function"
		_, err := tx.Exec(ctx, "INSERT INTO accounts (email) VALUES ($1)", "x") // want "insert accounts duplicate-handled over tx 1"
		return err
	})
	if isDuplicate(err) {
		return nil
	}
	return err
}
