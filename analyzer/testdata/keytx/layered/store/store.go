// Package store keeps orders and idempotency records.
package store

import (
	"context"
	"database/sql"
)

// Record is an idempotency record.
type Record struct{ Key, Answer string }

// Order is an order.
type Order struct{ ID string }

// Executor is a pool or a transaction.
type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Orders keeps orders.
type Orders struct{ DB *sql.DB }

// Create makes an order on db.
func (o *Orders) Create(ctx context.Context, db Executor, v Order) error {
	_, err := db.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, v.ID)
	return err
}

// Records keeps records.
type Records struct{ DB *sql.DB }

// Save keeps a record over the pool.
func (r *Records) Save(ctx context.Context, v Record) error {
	_, err := r.DB.ExecContext(ctx, `INSERT INTO idempotency_records (key, answer) VALUES ($1, $2)`, v.Key, v.Answer)
	return err
}

// SaveIn keeps a record on db.
func (r *Records) SaveIn(ctx context.Context, db Executor, v Record) error {
	_, err := db.ExecContext(ctx, `INSERT INTO idempotency_records (key, answer) VALUES ($1, $2)`, v.Key, v.Answer)
	return err
}

// Store is bound to a pool or a transaction.
type Store struct{ db Executor }

// NewStore binds a store.
func NewStore(db Executor) *Store { return &Store{db: db} }

// CreateOrder makes an order.
func (s *Store) CreateOrder(ctx context.Context, v Order) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, v.ID)
	return err
}

// SaveRecord keeps a record.
func (s *Store) SaveRecord(ctx context.Context, v Record) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_records (key) VALUES ($1)`, v.Key)
	return err
}

// InTx runs do with a store bound to a transaction.
func InTx(ctx context.Context, db *sql.DB, do func(s *Store) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(NewStore(tx)); err != nil {
		return err
	}
	return tx.Commit()
}

// WithTx runs do in a transaction.
func WithTx(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
