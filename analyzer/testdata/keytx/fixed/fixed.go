// Package fixed is what the fixes of package fix come to.
package fixed

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

// fine: fixed, pgx in a callback
func (s *service) pgxCallback(ctx context.Context, key, id string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
		return err
	})
}

// fine: fixed, database/sql, where the work is on the pool and the transaction has another name
func (s *service) workOnPool(ctx context.Context, key, id string) error {
	work, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer work.Rollback()
	if _, err := work.ExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	if _, err := work.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
		return err
	}
	return work.Commit()
}

// fine: fixed, sqlx
func (s *service) named(ctx context.Context, key IdempotencyKey, id string) error {
	tx, err := s.sqlx.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if _, err := tx.NamedExecContext(ctx, `INSERT INTO idempotency_keys (key) VALUES (:key)`, key); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: fixed, gorm
func (s *service) orm(key, id string) error {
	return s.gorm.Transaction(func(tx *gorm.DB) error {
		if err := tx.Create(&Order{ID: id}).Error; err != nil {
			return err
		}
		return tx.Create(&IdempotencyKey{Key: key}).Error
	})
}
