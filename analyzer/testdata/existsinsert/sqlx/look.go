// Package sqlx looks and inserts through sqlx.
package sqlx

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

type Customer struct {
	ID    int64  `db:"id"`
	Email string `db:"email"`
}

type Store struct{ db *sqlx.DB }

// bug: Get into a struct and the sentinel.
func (s *Store) Get(ctx context.Context, email string) error {
	var c Customer
	err := s.db.GetContext(ctx, &c, "SELECT id, email FROM customers WHERE email = $1", email)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = s.db.NamedExecContext(ctx, "INSERT INTO customers (email) VALUES (:email)", Customer{Email: email}) // want `customers is looked up by email`
	}
	return err
}

// bug: Select into a slice that stays empty.
func (s *Store) Select(email string) error {
	var list []Customer
	if err := s.db.Select(&list, "SELECT id, email FROM customers WHERE email = ?", email); err != nil {
		return err
	}
	if len(list) != 0 {
		return nil
	}
	_, err := s.db.Exec("INSERT INTO customers (email) VALUES (?)", email) // want `customers is looked up by email`
	return err
}

// bug: a count in a transaction, with MustExec.
func (s *Store) CountInTx(email string) error {
	tx, err := s.db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.Get(&n, "SELECT COUNT(*) FROM customers WHERE email = $1", email); err != nil {
		return err
	}
	if n < 1 {
		tx.MustExec("INSERT INTO customers (email) VALUES ($1)", email) // want `customers is looked up by email`
	}
	return tx.Commit()
}

// bug: the query is rebound to the driver's placeholders.
func (s *Store) Rebound(ctx context.Context, email string) error {
	var found bool
	if err := s.db.GetContext(ctx, &found, s.db.Rebind("SELECT EXISTS(SELECT 1 FROM customers WHERE email = ?)"), email); err != nil {
		return err
	}
	if found {
		return nil
	}
	_, err := s.db.ExecContext(ctx, s.db.Rebind("INSERT INTO customers (email) VALUES (?)"), email) // want `customers is looked up by email`
	return err
}

// fine: the violation is told apart.
func (s *Store) Handled(ctx context.Context, email string) error {
	var c Customer
	err := s.db.GetContext(ctx, &c, "SELECT id, email FROM customers WHERE email = $1", email)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.NamedExecContext(ctx, "INSERT INTO customers (email) VALUES (:email)", Customer{Email: email})
	var pqErr *pq.Error
	if errors.As(err, &pqErr) && pqErr.Code.Name() == "unique_violation" {
		return nil
	}
	return err
}

// fine: MySQL leaves the second row out and says so.
func (s *Store) Ignored(ctx context.Context, email string) (bool, error) {
	var c Customer
	err := s.db.GetContext(ctx, &c, "SELECT id, email FROM customers WHERE email = ?", email)
	if !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	result, err := s.db.ExecContext(ctx, "INSERT IGNORE INTO customers (email) VALUES (?)", email)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// fine: the address is looked up among the banned, and customers are filled.
func (s *Store) Banned(ctx context.Context, email string) error {
	var n int
	if err := s.db.GetContext(ctx, &n, "SELECT COUNT(*) FROM banned WHERE email = $1", email); err != nil || n > 0 {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO customers (email) VALUES ($1)", email)
	return err
}

// fine: the look is a page of a list, and what is inserted has nothing to do with it.
func (s *Store) Listed(ctx context.Context, email string) ([]Customer, error) {
	var list []Customer
	if err := s.db.SelectContext(ctx, &list, "SELECT id, email FROM customers WHERE email = $1", email); err != nil {
		return nil, err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO customers (email) VALUES ($1)", email)
	return list, err
}
