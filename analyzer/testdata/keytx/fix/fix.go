// Package fix has cases whose cure can be applied.
package fix

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

type service struct {
	pool *pgxpool.Pool
	db   *sql.DB
	sqlx *sqlx.DB
	gorm *gorm.DB
}

// IdempotencyKey is a record.
type IdempotencyKey struct{ Key string }

// Order is an order.
type Order struct{ ID string }

// bug: pgx in a callback
func (s *service) pgxCallback(ctx context.Context, key, id string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
			return err
		}
		_, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key) // want `idempotency_keys is written over the pool`
		return err
	})
}

// bug: database/sql, where the work is on the pool and the transaction has another name
func (s *service) workOnPool(ctx context.Context, key, id string) error {
	work, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer work.Rollback()
	if _, err := work.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil { // want `orders is written over the pool`
		return err
	}
	return work.Commit()
}

// bug: sqlx
func (s *service) named(ctx context.Context, key IdempotencyKey, id string) error {
	tx, err := s.sqlx.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if _, err := s.sqlx.NamedExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES (:key)`, key); err != nil { // want `idempotency_keys is written over the pool`
		return err
	}
	return tx.Commit()
}

// bug: gorm
func (s *service) orm(key, id string) error {
	return s.gorm.Transaction(func(tx *gorm.DB) error {
		if err := tx.Create(&Order{ID: id}).Error; err != nil {
			return err
		}
		return s.gorm.Create(&IdempotencyKey{Key: key}).Error // want `idempotency_keys is written over the pool`
	})
}

// bug: no fix where the name means something else
func (s *service) shadowed(ctx context.Context, key, id string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if tx := id; tx != "" {
		if _, err := s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil { // want `idempotency_keys is written over the pool`
			return err
		}
	}
	return tx.Commit()
}

// bug: no fix where the transaction has no such method
func (s *service) otherMethod(ctx context.Context, key, id string) error {
	tx, err := s.sqlx.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if _, err := s.sqlx.NamedExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES (:key)`, map[string]any{"key": key}); err != nil { // want `idempotency_keys is written over the pool`
		return err
	}
	return tx.Commit()
}

// bug: no fix where the receiver is made by a call
func (s *service) madeByCall(ctx context.Context, key, id string) error {
	return s.gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Create(&Order{ID: id}).Error; err != nil {
			return err
		}
		return s.gorm.WithContext(ctx).Create(&IdempotencyKey{Key: key}).Error // want `idempotency_keys is written over the pool`
	})
}

// bug: no fix after the commit
func (s *service) afterCommit(ctx context.Context, key, id string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key) // want `idempotency_keys is written after the commit`
	return err
}
