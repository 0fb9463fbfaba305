// Package orders has a repository bound to a pool, one that takes tx, and one that does its own transactions.
package orders

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pooled is bound to the pool.
type Pooled struct{ Pool *pgxpool.Pool }

// Create writes over the pool.
func (p *Pooled) Create(ctx context.Context, item string) error {
	_, err := p.Pool.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, item)
	return err
}

// Find reads over the pool.
func (p *Pooled) Find(ctx context.Context, item string) (id string, err error) {
	err = p.Pool.QueryRow(ctx, `SELECT id FROM orders WHERE item = $1`, item).Scan(&id)
	return id, err
}

// CreateInOwnTx does a transaction of its own.
func (p *Pooled) CreateInOwnTx(ctx context.Context, item string) error {
	return pgx.BeginFunc(ctx, p.Pool, func(tx pgx.Tx) error { return Create(ctx, tx, item) })
}

// Create writes in tx.
func Create(ctx context.Context, tx pgx.Tx, item string) error {
	_, err := tx.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, item)
	return err
}

// Executor is a pool or a transaction.
type Executor interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Bound is bound to what it is made with.
type Bound struct{ db Executor }

// New binds.
func New(db Executor) *Bound { return &Bound{db: db} }

// Create writes to what it is bound to.
func (b *Bound) Create(ctx context.Context, item string) (id string, err error) {
	err = b.db.QueryRow(ctx, `INSERT INTO orders (item) VALUES ($1) RETURNING id`, item).Scan(&id)
	return id, err
}
