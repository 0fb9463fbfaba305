// Package sqlc has code in the manner of sqlc.
package sqlc

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type DBTX interface {
	Exec(context.Context, string, ...interface{}) (pgconn.CommandTag, error)
	Query(context.Context, string, ...interface{}) (pgx.Rows, error)
	QueryRow(context.Context, string, ...interface{}) pgx.Row
}

func New(db DBTX) *Queries { return &Queries{db: db} }

type Queries struct{ db DBTX }

func (q *Queries) WithTx(tx pgx.Tx) *Queries { return &Queries{db: tx} }

const createAccount = `-- name: CreateAccount :one
INSERT INTO accounts (email) VALUES ($1)
RETURNING id
`

func (q *Queries) CreateAccount(ctx context.Context, email string) (int64, error) {
	row := q.db.QueryRow(ctx, createAccount, email) // want "insert accounts over receiver db"
	var id int64
	err := row.Scan(&id)
	return id, err
}

const getAccount = `-- name: GetAccount :one
SELECT id, email FROM accounts WHERE email = $1 LIMIT 1
`

func (q *Queries) GetAccount(ctx context.Context, email string) (int64, error) {
	row := q.db.QueryRow(ctx, getAccount, email) // want "read accounts by email over receiver db"
	var id int64
	err := row.Scan(&id, &email)
	return id, err
}

type Store struct {
	*Queries
	pool *pgxpool.Pool
}

func NewStore(pool *pgxpool.Pool) *Store { return &Store{Queries: New(pool), pool: pool} }

func (s *Store) ExecTx(ctx context.Context, fn func(*Queries) error) error {
	tx, err := s.pool.Begin(ctx) // want "transaction committed 1"
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := fn(New(tx)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (s *Store) Transfer(ctx context.Context, email string) error {
	return s.ExecTx(ctx, func(q *Queries) error { // want "transaction of a function"
		if _, err := q.GetAccount(ctx, email); err != nil { // want "read accounts by email over tx 1 via GetAccount"
			return err
		}
		_, err := s.CreateAccount(ctx, email) // want "insert accounts over receiver Queries.db via CreateAccount"
		return err
	})
}

func withTx(ctx context.Context, pool *pgxpool.Pool, q *Queries) error {
	tx, err := pool.Begin(ctx) // want "transaction committed 1"
	if err != nil {
		return err
	}
	qtx := q.WithTx(tx)
	qtx.CreateAccount(ctx, "x")            // want "insert accounts over tx 1 via CreateAccount"
	q.CreateAccount(ctx, "x")              // want "insert accounts over param 2 db via CreateAccount"
	NewStore(pool).CreateAccount(ctx, "x") // want "insert accounts over pool via CreateAccount"
	return tx.Commit(ctx)
}
