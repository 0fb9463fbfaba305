// Package pgx has a store whose own records have an owner.
package pgx

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

type store struct{ pool *pgxpool.Pool }

func (s *store) save(ctx context.Context, merchantID, idempotencyKey, answer string) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (merchant_id, key, answer) VALUES ($1, $2, $3)`, merchantID, idempotencyKey, answer)
	return err
}

// bug: records are saved with their merchant and found without
func (s *store) find(ctx context.Context, idempotencyKey string) (answer string, err error) {
	err = s.pool.QueryRow(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, idempotencyKey).Scan(&answer) // want `a record of idempotency_keys is looked up by key alone`
	return answer, err
}

// fine: with their merchant
func (s *store) findScoped(ctx context.Context, merchantID, idempotencyKey string) (answer string, err error) {
	err = s.pool.QueryRow(ctx, `SELECT answer FROM idempotency_keys WHERE merchant_id = $1 AND key = $2`, merchantID, idempotencyKey).Scan(&answer)
	return answer, err
}

// fine: the key is made of both before
func (s *store) findDerived(ctx context.Context, scopedKey string) (answer string, err error) {
	err = s.pool.QueryRow(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, scopedKey).Scan(&answer)
	return answer, err
}

// fine: an update of a record that was found with its merchant
func (s *store) complete(ctx context.Context, idempotencyKey, answer string) error {
	_, err := s.pool.Exec(ctx, `UPDATE idempotency_keys SET answer = $2 WHERE key = $1`, idempotencyKey, answer)
	return err
}
