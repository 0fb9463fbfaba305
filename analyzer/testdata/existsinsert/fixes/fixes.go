// Package fixes has inserts whose cure is one clause: the rule is there and the answer is read.
package fixes

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type Store struct {
	db   *sql.DB
	pool *pgxpool.Pool
}

// bug: the row count is read, and yet nothing lets it be zero.
func (s *Store) Counted(ctx context.Context, handle string) (bool, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := s.db.ExecContext(ctx, "INSERT INTO sch_accounts (handle) VALUES ($1)", handle) // want `stops the second`
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// bug: RETURNING is read with its own ErrNoRows; the clause stands before RETURNING.
func (s *Store) Returned(ctx context.Context, handle string) (id int64, err error) {
	err = s.pool.QueryRow(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	err = s.pool.QueryRow(ctx, // want `stops the second`
		`INSERT INTO sch_accounts (handle)
		VALUES ($1)
		RETURNING id`, handle).Scan(&id)
	if err == pgx.ErrNoRows {
		return 0, errors.New("somebody else was first")
	}
	return id, err
}

const insertHandle = `INSERT INTO sch_accounts (handle) VALUES ($1);`

// bug: the text is a constant that is used once.
func (s *Store) Constant(ctx context.Context, handle string) (bool, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := s.db.ExecContext(ctx, insertHandle, handle) // want `stops the second`
	if err != nil {
		return false, err
	}
	if n, _ := result.RowsAffected(); n == 0 {
		return false, nil
	}
	return true, nil
}

// bug: nobody reads the answer, so the clause alone would hide the loss; no fix.
func (s *Store) Unread(ctx context.Context, handle string) error {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO sch_accounts (handle) VALUES ($1)", handle) // want `stops the second`
	return err
}

// bug: MySQL has another clause; no fix.
func (s *Store) MySQL(ctx context.Context, handle string) (bool, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM sch_accounts WHERE handle = ?", handle).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := s.db.ExecContext(ctx, "INSERT INTO sch_accounts (handle) VALUES (?)", handle) // want `stops the second`
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// InsertOf is exported, so that other packages may run it too.
const InsertOf = "INSERT INTO sch_accounts (handle) VALUES ($1)"

// bug: others may use the text, and count on the error; no fix.
func (s *Store) Exported(ctx context.Context, handle string) (bool, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM sch_accounts WHERE handle = $1", handle).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := s.db.ExecContext(ctx, InsertOf, handle) // want `stops the second`
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}
