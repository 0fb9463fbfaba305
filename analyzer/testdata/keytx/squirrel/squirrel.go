// Package squirrel has cases over squirrel.
package squirrel

import (
	"context"
	"database/sql"

	sq "github.com/Masterminds/squirrel"
)

type service struct{ db *sql.DB }

// bug: the builder of the key runs with the pool
func (s *service) runWithPool(ctx context.Context, key, id string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := sq.Insert("payments").Columns("id").Values(id).RunWith(tx).ExecContext(ctx); err != nil {
		return err
	}
	if _, err := sq.Insert("idempotency_keys").Columns("key").Values(key).RunWith(s.db).ExecContext(ctx); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

// bug: ToSql and then the pool
func (s *service) toSQL(ctx context.Context, key, id string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query, args, err := sq.Insert("idempotency_keys").Columns("key").Values(key).ToSql()
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return err
	}
	query, args, err = sq.Update("payments").Set("state", "paid").Where(sq.Eq{"id": id}).ToSql()
	if err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, query, args...); err != nil { // want `payments is written over the pool, beside the transaction of line \d+ that keeps its key in idempotency_keys`
		return err
	}
	return tx.Commit()
}

// fine: both run with tx
func (s *service) together(ctx context.Context, key, id string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := sq.Insert("payments").Columns("id").Values(id).RunWith(tx).ExecContext(ctx); err != nil {
		return err
	}
	if _, err := sq.Insert("idempotency_keys").Columns("key").Values(key).RunWith(tx).ExecContext(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: the look-up runs with the pool
func (s *service) lookUp(ctx context.Context, key, id string) error {
	var seen string
	if err := sq.Select("key").From("idempotency_keys").Where(sq.Eq{"key": key}).RunWith(s.db).QueryRowContext(ctx).Scan(&seen); err == nil {
		return nil
	}
	return s.together(ctx, key, id)
}
