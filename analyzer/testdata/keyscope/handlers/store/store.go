// Package store keeps records.
package store

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Store keeps records.
type Store struct{ Pool *pgxpool.Pool }

// Find finds the answer that was kept for k.
func (s *Store) Find(ctx context.Context, k string) (answer string, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT answer FROM idempotency_records WHERE key = $1`, k).Scan(&answer)
	return answer, err
}

// FindScoped finds the answer that was kept for an account's k.
func (s *Store) FindScoped(ctx context.Context, account, k string) (answer string, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT answer FROM idempotency_records WHERE account_id = $1 AND key = $2`, account, k).Scan(&answer)
	return answer, err
}
