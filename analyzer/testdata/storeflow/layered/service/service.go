// Package service calls repositories of other packages.
package service

import (
	"context"
	"database/sql"
	"errors"

	"github.com/avast/retry-go/v4"

	"example.com/idemvet/storeflow/layered/house"
	"example.com/idemvet/storeflow/layered/keys"
	"example.com/idemvet/storeflow/layered/rows"
)

type service struct {
	accounts *rows.Accounts
	keys     *keys.Keys
	manager  *house.Manager
	db       *sql.DB
}

func (s *service) bound(ctx context.Context) error {
	tx, err := s.db.Begin() // want "transaction committed 1"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	s.accounts.WithTx(tx).Create(ctx, "x")                      // want "insert accounts over tx 1 via Create"
	rows.NewAccounts(tx).Create(ctx, "x")                       // want "insert accounts over tx 1 via Create"
	rows.NewAccounts(s.db).Create(ctx, "x")                     // want "insert accounts over pool via Create"
	rows.Insert(ctx, tx, "x")                                   // want "insert accounts over tx 1 via Insert"
	rows.Insert(ctx, s.db, "x")                                 // want "insert accounts over pool via Insert"
	rows.InsertTx(ctx, tx, "x")                                 // want "insert accounts over tx 1 via InsertTx"
	s.accounts.Create(ctx, "x")                                 // want "insert accounts over receiver accounts.db via Create"
	s.keys.SaveApart(ctx, "k")                                  // want "insert idempotency_keys over pool via SaveApart"
	rows.Exec(ctx, tx, "DELETE FROM accounts WHERE id = $1", 1) // want "delete accounts by id over tx 1 via Exec"
	return tx.Commit()
}

func (s *service) callback(ctx context.Context) error {
	return s.manager.WithTx(ctx, func(tx *sql.Tx) error { // want "transaction of a function"
		repo := s.accounts.WithTx(tx)
		return repo.Create(ctx, "x") // want "insert accounts over tx 1 via Create"
	})
}

func (s *service) forwarded(ctx context.Context) error {
	return s.manager.Around(ctx, func(tx *sql.Tx) error { // want "transaction of a function"
		return rows.Insert(ctx, tx, "x") // want "insert accounts over tx 1 via Insert"
	})
}

func (s *service) byContext(ctx context.Context) error {
	return s.manager.InContext(ctx, func(ctx context.Context) error { // want "transaction of a function by context"
		return s.keys.Save(ctx, "k") // want "insert idempotency_keys over context via Save"
	})
}

func (s *service) givenRows(ctx context.Context) error {
	return s.manager.WithRows(ctx, func(accounts *rows.Accounts) error { // want "transaction of a function"
		return accounts.Create(ctx, "x") // want "insert accounts over tx 1 via Create"
	})
}

func (s *service) method(ctx context.Context) error {
	return s.manager.WithTx(ctx, s.inTx) // want "transaction of a function" "insert accounts over tx other via inTx via InsertTx"
}

func (s *service) inTx(tx *sql.Tx) error {
	return rows.InsertTx(context.Background(), tx, "x") // want "insert accounts over tx 1 via InsertTx"
}

func (s *service) begun(ctx context.Context) error {
	tx, err := s.manager.Begin(ctx) // want "transaction committed 1"
	if err != nil {
		return err
	}
	rows.InsertTx(ctx, tx, "x") // want "insert accounts over tx 1 via InsertTx"
	return tx.Commit()
}

func (s *service) outcome(ctx context.Context) error {
	s.accounts.CreateOnce(ctx, "x")             // want "insert accounts on-conflict target email over receiver accounts.db via CreateOnce"
	won, err := s.accounts.CreateOnce(ctx, "x") // want "insert accounts on-conflict result-read target email over receiver accounts.db via CreateOnce"
	if err != nil || !won {
		return err
	}
	err = s.accounts.Create(ctx, "x") // want "insert accounts duplicate-handled over receiver accounts.db via Create"
	if rows.Translate(err) == rows.ErrTaken {
		return nil
	}
	err = s.accounts.CreateOrTaken(ctx, "x") // want "insert accounts duplicate-handled over receiver accounts.db via CreateOrTaken"
	if errors.Is(err, rows.ErrTaken) {
		return nil
	}
	return err
}

func deep(ctx context.Context, s *service) error {
	return s.callback(ctx) // want "insert accounts over tx other via callback via Create"
}

func recursive(ctx context.Context, s *service, n int) error {
	if n == 0 {
		return s.accounts.Create(ctx, "x") // want "insert accounts over param 1 accounts.db via Create"
	}
	return again(ctx, s, n) // want "insert accounts over param 1 accounts.db via again via recursive via Create"
}

func again(ctx context.Context, s *service, n int) error {
	return recursive(ctx, s, n-1) // want "insert accounts over param 1 accounts.db via recursive via Create"
}

func handedOn(ctx context.Context, s *service) func() {
	return func() { s.accounts.Create(ctx, "x") } // want "insert accounts over param 1 accounts.db via Create"
}

// unit is a unit of work that holds its transaction.
type unit struct{ tx *sql.Tx }

func (u *unit) save(ctx context.Context) error {
	return rows.InsertTx(ctx, u.tx, "x") // want "insert accounts over tx other via InsertTx"
}

func (s *service) held(ctx context.Context) error {
	tx, err := s.db.Begin() // want "transaction committed 1"
	if err != nil {
		return err
	}
	work := &unit{tx: tx}
	work.save(ctx) // want "insert accounts over tx 1 via save via InsertTx"
	return tx.Commit()
}

// cached only ever gets a pool, whatever its field could hold.
type cached struct{ db rows.DB }

func newCached(db *sql.DB) *cached { return &cached{db: db} }

func (c *cached) save(ctx context.Context) error {
	return rows.Insert(ctx, c.db, "x") // want "insert accounts over pool via Insert"
}

// either is a transaction when there is one.
func either(ctx context.Context, db *sql.DB, tx *sql.Tx) error {
	var conn rows.DB = db
	if tx != nil {
		conn = tx
	}
	return rows.Insert(ctx, conn, "x") // want "insert accounts over param 2 via Insert"
}

// perhaps is one in some cases only.
func (s *service) perhaps(ctx context.Context, apart bool) error {
	tx, err := s.db.Begin() // want "transaction committed 1"
	if err != nil {
		return err
	}
	var conn rows.DB = tx
	if apart {
		conn = s.db
	}
	rows.Insert(ctx, conn, "x") // want "insert accounts over unknown via Insert"
	return tx.Commit()
}

// retried is run again and again by a library, and is part of its function all the same.
func (s *service) retried(ctx context.Context) error {
	return retry.Do(func() error {
		return rows.Insert(ctx, s.db, "x") // want "insert accounts over pool via Insert"
	})
}

func (s *service) retriedBelow(ctx context.Context) error {
	return s.retried(ctx) // want "insert accounts over pool via retried via Insert"
}

// strict hands on that it is serializable.
func (s *service) strict(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "transaction serializable committed 1"
	if err != nil {
		return err
	}
	rows.InsertTx(ctx, tx, "x") // want "insert accounts serializable over tx 1 via InsertTx"
	return tx.Commit()
}

func (s *service) strictBelow(ctx context.Context) error {
	return s.strict(ctx) // want "insert accounts serializable over tx other via strict via InsertTx"
}

// inClosure runs a literal that is kept in a variable.
func (s *service) inClosure(ctx context.Context) error {
	save := func(tx *sql.Tx) error {
		return rows.InsertTx(ctx, tx, "x") // want "insert accounts over tx 1 via InsertTx"
	}
	return s.manager.WithTx(ctx, save) // want "transaction of a function"
}
