// Package sqlx has cases over sqlx.
package sqlx

import (
	"context"

	"github.com/jmoiron/sqlx"
)

type payment struct {
	ID     string `db:"id"`
	Amount int64  `db:"amount"`
}

type record struct {
	Key    string `db:"key"`
	Answer string `db:"answer"`
}

type service struct{ db *sqlx.DB }

// bug: NamedExec of the key on the pool
func (s *service) namedOnPool(ctx context.Context, r record, p payment) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.NamedExecContext(ctx, `INSERT INTO payments (id, amount) VALUES (:id, :amount)`, p); err != nil {
		return err
	}
	if _, err := s.db.NamedExecContext(ctx, `INSERT INTO idempotency_keys (key, answer) VALUES (:key, :answer)`, r); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

// bug: Beginx, commit, then the key
func (s *service) afterCommit(r record, p payment) error {
	tx, err := s.db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.NamedExec(`INSERT INTO payments (id, amount) VALUES (:id, :amount)`, p); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.NamedExec(`INSERT INTO idempotency_keys (key, answer) VALUES (:key, :answer)`, r) // want `idempotency_keys is written after the commit that keeps payments`
	return err
}

// bug: MustExec of the payment beside the claim's transaction
func (s *service) mustExecBeside(ctx context.Context, r record, p payment) error {
	tx := s.db.MustBegin()
	defer tx.Rollback()
	tx.MustExec(`INSERT INTO idempotency_keys (key) VALUES ($1)`, r.Key)
	s.db.MustExec(`INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.ID, p.Amount) // want `payments is written over the pool, beside the transaction of line \d+ that keeps its key in idempotency_keys`
	return tx.Commit()
}

// fine: both on tx
func (s *service) together(ctx context.Context, r record, p payment) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.NamedExecContext(ctx, `INSERT INTO payments (id, amount) VALUES (:id, :amount)`, p); err != nil {
		return err
	}
	if _, err := tx.NamedExecContext(ctx, `INSERT INTO idempotency_keys (key, answer) VALUES (:key, :answer)`, r); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: helpers take sqlx.ExtContext, which is tx here
func (s *service) ext(ctx context.Context, r record, p payment) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	if err := insertKey(ctx, tx, r); err != nil {
		return err
	}
	return tx.Commit()
}

// bug: helpers take sqlx.ExtContext, which is the pool for one of them
func (s *service) extBeside(ctx context.Context, r record, p payment) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := insertPayment(ctx, tx, p); err != nil {
		return err
	}
	if err := insertKey(ctx, s.db, r); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

func insertPayment(ctx context.Context, ext sqlx.ExtContext, p payment) error {
	_, err := ext.ExecContext(ctx, `INSERT INTO payments (id, amount) VALUES ($1, $2)`, p.ID, p.Amount)
	return err
}

func insertKey(ctx context.Context, ext sqlx.ExtContext, r record) error {
	_, err := ext.ExecContext(ctx, `INSERT INTO idempotency_keys (key, answer) VALUES ($1, $2)`, r.Key, r.Answer)
	return err
}
