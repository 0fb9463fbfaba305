// Package ports has the interfaces of stores, with no body in view.
package ports

import (
	"context"
	"database/sql"
)

// Order is an order.
type Order struct{ ID string }

// IdempotencyRecord is the record of a key.
type IdempotencyRecord struct{ Key string }

// OrderRepository keeps orders.
type OrderRepository interface {
	Create(ctx context.Context, tx *sql.Tx, v *Order) error
	Reserve(ctx context.Context, tx *sql.Tx, v *Order) error
}

// IdempotencyRepository keeps records.
type IdempotencyRepository interface {
	FindByKey(ctx context.Context, key string) (*IdempotencyRecord, error)
	Save(ctx context.Context, r *IdempotencyRecord) error
	SaveInTx(ctx context.Context, tx *sql.Tx, r *IdempotencyRecord) error
}

// Transactor runs a function in a transaction.
type Transactor interface {
	WithinTransaction(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error
}
