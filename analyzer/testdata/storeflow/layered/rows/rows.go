// Package rows has repositories that are bound to what they are made with.
package rows

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// DB is a pool or a transaction.
type DB interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Accounts is a repository.
type Accounts struct{ db DB }

// NewAccounts binds it.
func NewAccounts(db DB) *Accounts { return &Accounts{db: db} }

// WithTx binds it anew.
func (a *Accounts) WithTx(tx *sql.Tx) *Accounts {
	copied := *a
	copied.db = tx
	return &copied
}

// Find reads one.
func (a *Accounts) Find(ctx context.Context, email string) (id string, err error) {
	err = a.db.QueryRowContext(ctx, "SELECT id FROM accounts WHERE email = $1", email).Scan(&id) // want "read accounts by email over receiver db"
	return id, err
}

// Create inserts one.
func (a *Accounts) Create(ctx context.Context, email string) error {
	_, err := a.db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", email) // want "insert accounts over receiver db"
	return err
}

// CreateOnce tells who won.
func (a *Accounts) CreateOnce(ctx context.Context, email string) (bool, error) {
	done, err := a.db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1) ON CONFLICT (email) DO NOTHING", email) // want "insert accounts on-conflict target email over receiver db"
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

// ErrTaken stands for a duplicate.
var ErrTaken = errors.New("taken")

// CreateOrTaken translates.
func (a *Accounts) CreateOrTaken(ctx context.Context, email string) error {
	_, err := a.db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", email) // want "insert accounts duplicate-handled over receiver db"
	return Translate(err)
}

// Translate tells a duplicate apart.
func Translate(err error) error {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return ErrTaken
	}
	return err
}

// Insert runs on what it is given.
func Insert(ctx context.Context, db DB, email string) error {
	_, err := db.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", email) // want "insert accounts over param 1"
	return err
}

// InsertTx runs in the transaction it is given.
func InsertTx(ctx context.Context, tx *sql.Tx, email string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO accounts (email) VALUES ($1)", email) // want "insert accounts over tx 1"
	return err
}

// Exec runs the text it is given.
func Exec(ctx context.Context, db DB, query string, args ...any) error {
	_, err := db.ExecContext(ctx, query, args...)
	return err
}
