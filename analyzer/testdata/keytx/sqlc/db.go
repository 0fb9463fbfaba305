package sqlc

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DBTX is what queries run on.
type DBTX interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
}

// New makes queries.
func New(db DBTX) *Queries { return &Queries{db: db} }

// Queries are the statements.
type Queries struct{ db DBTX }

// WithTx binds the queries to tx.
func (q *Queries) WithTx(tx pgx.Tx) *Queries { return &Queries{db: tx} }

const createPayment = `-- name: CreatePayment :exec
INSERT INTO payments (id, amount) VALUES ($1, $2)
`

// CreatePaymentParams are the parameters of CreatePayment.
type CreatePaymentParams struct {
	ID     string
	Amount int64
}

// CreatePayment makes a payment.
func (q *Queries) CreatePayment(ctx context.Context, arg CreatePaymentParams) error {
	_, err := q.db.Exec(ctx, createPayment, arg.ID, arg.Amount)
	return err
}

const createIdempotencyKey = `-- name: CreateIdempotencyKey :exec
INSERT INTO idempotency_keys (key) VALUES ($1)
`

// CreateIdempotencyKey claims a key.
func (q *Queries) CreateIdempotencyKey(ctx context.Context, key string) error {
	_, err := q.db.Exec(ctx, createIdempotencyKey, key)
	return err
}

const getIdempotencyKey = `-- name: GetIdempotencyKey :one
SELECT key FROM idempotency_keys WHERE key = $1
`

// GetIdempotencyKey looks for a key.
func (q *Queries) GetIdempotencyKey(ctx context.Context, key string) (string, error) {
	row := q.db.QueryRow(ctx, getIdempotencyKey, key)
	var k string
	err := row.Scan(&k)
	return k, err
}
