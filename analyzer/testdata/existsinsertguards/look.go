// Package existsinsertguards has a guard that only the configuration knows.
package existsinsertguards

import (
	"context"
	"database/sql"
	"errors"
)

type Turnstile struct{}

func (Turnstile) Enter(ctx context.Context, key string) (leave func()) { return func() {} }

// fine: the configuration calls Enter a guard.
func Guarded(ctx context.Context, db *sql.DB, turnstile Turnstile, ref string) error {
	leave := turnstile.Enter(ctx, ref)
	defer leave()
	return plain(ctx, db, ref)
}

// Gate is a guard for things that have a key of any type.
type Gate[K comparable] struct{}

func (*Gate[K]) Pass(ctx context.Context, key K) (leave func()) { return func() {} }

// fine: the configuration names a generic guard without its type parameters.
func GuardedByGate(ctx context.Context, db *sql.DB, gate *Gate[string], ref string) error {
	defer gate.Pass(ctx, ref)()
	var id int64
	err := db.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	}
	return err
}

func plain(ctx context.Context, db *sql.DB, ref string) error {
	var id int64
	err := db.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref)
	}
	return err
}

// bug: nobody enters here.
func Unguarded(ctx context.Context, db *sql.DB, ref string) error {
	var id int64
	err := db.QueryRowContext(ctx, "SELECT id FROM refunds WHERE reference = $1", ref).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = db.ExecContext(ctx, "INSERT INTO refunds (reference) VALUES ($1)", ref) // want `refunds is looked up by reference`
	}
	return err
}
