package sqlc

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ledger has queries that its constructor makes on the pool.
type ledger struct {
	pool    *pgxpool.Pool
	queries *Queries
}

func newLedger(pool *pgxpool.Pool) *ledger { return &ledger{pool: pool, queries: New(pool)} }

// bug: two statements over the pool, since the queries of the constructor run on nothing else
func (l *ledger) loose(ctx context.Context, key string, p CreatePaymentParams) error {
	if err := l.queries.CreatePayment(ctx, p); err != nil {
		return err
	}
	return l.queries.CreateIdempotencyKey(ctx, key) // want `idempotency_keys and payments are written without a transaction that holds both`
}

// bug: the queries of the constructor beside the transaction
func (l *ledger) beside(ctx context.Context, key string, p CreatePaymentParams) error {
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		if err := l.queries.WithTx(tx).CreatePayment(ctx, p); err != nil {
			return err
		}
		return l.queries.CreateIdempotencyKey(ctx, key) // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
	})
}

// fine: the queries of the constructor, bound to the transaction
func (l *ledger) together(ctx context.Context, key string, p CreatePaymentParams) error {
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		queries := l.queries.WithTx(tx)
		if err := queries.CreatePayment(ctx, p); err != nil {
			return err
		}
		return queries.CreateIdempotencyKey(ctx, key)
	})
}

// unit is made on the pool or on a transaction.
type unit struct{ queries *Queries }

func newUnit(pool *pgxpool.Pool) *unit { return &unit{queries: New(pool)} }

func (u *unit) withTx(tx pgx.Tx) *unit { return &unit{queries: u.queries.WithTx(tx)} }

// fine: what the unit runs on is decided by whoever made it
func (u *unit) book(ctx context.Context, key string, p CreatePaymentParams) error {
	if err := u.queries.CreatePayment(ctx, p); err != nil {
		return err
	}
	return u.queries.CreateIdempotencyKey(ctx, key)
}

// given has queries from outside.
type given struct{ queries *Queries }

func newGiven(queries *Queries) *given { return &given{queries: queries} }

// fine: somebody else has made the queries, on what cannot be known
func (g *given) book(ctx context.Context, key string, p CreatePaymentParams) error {
	if err := g.queries.CreatePayment(ctx, p); err != nil {
		return err
	}
	return g.queries.CreateIdempotencyKey(ctx, key)
}

// Bound has queries that other packages may set.
type Bound struct{ Queries *Queries }

func newBound(pool *pgxpool.Pool) *Bound { return &Bound{Queries: New(pool)} }

// fine: the field is exported, and may hold other queries
func (b *Bound) book(ctx context.Context, key string, p CreatePaymentParams) error {
	if err := b.Queries.CreatePayment(ctx, p); err != nil {
		return err
	}
	return b.Queries.CreateIdempotencyKey(ctx, key)
}
