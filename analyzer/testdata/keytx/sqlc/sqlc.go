// Package sqlc has cases over queries as sqlc generates them.
package sqlc

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type service struct {
	pool    *pgxpool.Pool
	queries *Queries
}

// bug: s.queries instead of the queries that are bound to tx
func (s *service) wrongQueries(ctx context.Context, key string, p CreatePaymentParams) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	q := s.queries.WithTx(tx)
	if err := q.CreatePayment(ctx, p); err != nil {
		return err
	}
	if err := s.queries.CreateIdempotencyKey(ctx, key); err != nil { // want `idempotency_keys is written over queries that are not the transaction's, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit(ctx)
}

// bug: the payment runs on the queries of the service, the claim on those of tx
func (s *service) wrongPayment(ctx context.Context, key string, p CreatePaymentParams) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.queries.WithTx(tx).CreateIdempotencyKey(ctx, key); err != nil {
			return err
		}
		return s.queries.CreatePayment(ctx, p) // want `payments is written over queries that are not the transaction's, beside the transaction of line \d+ that keeps its key in idempotency_keys`
	})
}

// bug: after the commit on the queries of the service
func (s *service) after(ctx context.Context, key string, p CreatePaymentParams) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := New(tx).CreatePayment(ctx, p); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	return s.queries.CreateIdempotencyKey(ctx, key) // want `idempotency_keys is written after the commit that keeps payments`
}

// fine: all on WithTx
func (s *service) together(ctx context.Context, key string, p CreatePaymentParams) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	q := s.queries.WithTx(tx)
	if err := q.CreateIdempotencyKey(ctx, key); err != nil {
		return err
	}
	if err := q.CreatePayment(ctx, p); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// fine: the usual helper around queries
func (s *service) togetherByHelper(ctx context.Context, key string, p CreatePaymentParams) error {
	return s.execTx(ctx, func(q *Queries) error {
		if err := q.CreateIdempotencyKey(ctx, key); err != nil {
			return err
		}
		return q.CreatePayment(ctx, p)
	})
}

func (s *service) execTx(ctx context.Context, do func(*Queries) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := do(New(tx)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// fine: a look on the service's queries, the rest on tx
func (s *service) lookFirst(ctx context.Context, key string, p CreatePaymentParams) error {
	if _, err := s.queries.GetIdempotencyKey(ctx, key); err == nil {
		return nil
	}
	return s.together(ctx, key, p)
}

// fine: queries that somebody else has bound, to what cannot be known
func bothOn(ctx context.Context, q *Queries, key string, p CreatePaymentParams) error {
	if err := q.CreateIdempotencyKey(ctx, key); err != nil {
		return err
	}
	return q.CreatePayment(ctx, p)
}
