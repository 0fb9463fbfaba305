// Package single is a service with no notion of whose a request is, but for a key that callers give to its functions.
package single

import (
	"context"
	"database/sql"
)

type store struct{ db *sql.DB }

// fine: nothing in view tells that there is more than one caller
func (s *store) find(ctx context.Context, idempotencyKey string) (answer string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT answer FROM idempotency_keys WHERE key = $1`, idempotencyKey).Scan(&answer)
	return answer, err
}

type app struct{ store store }

// fine: a client, a store and an application are no owners
func (a *app) answer(ctx context.Context, client, idempotencyKey string) (string, error) {
	return a.store.find(ctx, idempotencyKey)
}
