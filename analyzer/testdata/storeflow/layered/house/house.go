// Package house has helpers for transactions.
package house

import (
	"context"
	"database/sql"

	"example.com/idemvet/storeflow/layered/rows"
)

type key struct{}

// Manager runs functions in transactions.
type Manager struct{ db *sql.DB }

// WithTx gives the transaction to the function.
func (m *Manager) WithTx(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := m.db.BeginTx(ctx, nil) // want "transaction committed 1"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Around forwards.
func (m *Manager) Around(ctx context.Context, fn func(tx *sql.Tx) error) error {
	return m.WithTx(ctx, fn) // want "transaction"
}

// InContext puts the transaction in the context.
func (m *Manager) InContext(ctx context.Context, fn func(ctx context.Context) error) error {
	return m.WithTx(ctx, func(tx *sql.Tx) error { // want "transaction of a function"
		return fn(context.WithValue(ctx, key{}, tx))
	})
}

// WithRows gives repositories bound to the transaction.
func (m *Manager) WithRows(ctx context.Context, fn func(accounts *rows.Accounts) error) error {
	return m.WithTx(ctx, func(tx *sql.Tx) error { return fn(rows.NewAccounts(tx)) }) // want "transaction of a function"
}

// FromContext gives the transaction of the context, else the pool.
func FromContext(ctx context.Context, db *sql.DB) rows.DB {
	if tx, ok := ctx.Value(key{}).(*sql.Tx); ok {
		return tx
	}
	return db
}

// Begin gives its caller a transaction.
func (m *Manager) Begin(ctx context.Context) (*sql.Tx, error) {
	return m.db.BeginTx(ctx, nil) // want "transaction"
}
