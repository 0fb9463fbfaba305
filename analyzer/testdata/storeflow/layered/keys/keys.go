// Package keys has a repository that asks the context.
package keys

import (
	"context"
	"database/sql"

	"example.com/idemvet/storeflow/layered/house"
)

// Keys is a repository.
type Keys struct{ pool *sql.DB }

// New binds it to a pool.
func New(pool *sql.DB) *Keys { return &Keys{pool: pool} }

// Save runs in the transaction of the context.
func (k *Keys) Save(ctx context.Context, key string) error {
	_, err := house.FromContext(ctx, k.pool).ExecContext(ctx, "INSERT INTO idempotency_keys (k) VALUES ($1)", key) // want "insert idempotency_keys over context"
	return err
}

// SaveApart always runs on the pool.
func (k *Keys) SaveApart(ctx context.Context, key string) error {
	_, err := k.pool.ExecContext(ctx, "INSERT INTO idempotency_keys (k) VALUES ($1)", key) // want "insert idempotency_keys over pool"
	return err
}
