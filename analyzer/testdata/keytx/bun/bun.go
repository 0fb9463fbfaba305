// Package bun has cases over bun.
package bun

import (
	"context"

	"github.com/uptrace/bun"
)

// ProcessedEvent is kept in processed_events.
type ProcessedEvent struct {
	bun.BaseModel `bun:"table:processed_events"`
	ID            string `bun:",pk"`
}

// Balance is kept in balances.
type Balance struct {
	bun.BaseModel `bun:"table:balances"`
	ID            string `bun:",pk"`
	Amount        int64
}

type service struct{ db *bun.DB }

// bug: the event is marked over s.db in the closure
func (s *service) markedOverPool(ctx context.Context, e *ProcessedEvent, b *Balance) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model(b).WherePK().Exec(ctx); err != nil {
			return err
		}
		_, err := s.db.NewInsert().Model(e).Exec(ctx) // want `processed_events is written over the pool, beside the transaction of line \d+ that writes balances`
		return err
	})
}

// bug: marked after the transaction
func (s *service) markedAfter(ctx context.Context, e *ProcessedEvent, b *Balance) error {
	err := s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(b).WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.db.NewInsert().Model(e).Exec(ctx) // want `processed_events is written after the commit that keeps balances`
	return err
}

// bug: the balance is updated over s.db, the mark is in tx
func (s *service) balanceOverPool(ctx context.Context, e *ProcessedEvent, b *Balance) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.NewInsert().Model(e).Exec(ctx); err != nil {
		return err
	}
	if _, err := s.db.NewUpdate().Model(b).WherePK().Exec(ctx); err != nil { // want `balances is written over the pool, beside the transaction of line \d+ that keeps its key in processed_events`
		return err
	}
	return tx.Commit()
}

// fine: both on tx
func (s *service) together(ctx context.Context, e *ProcessedEvent, b *Balance) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(e).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model(b).WherePK().Exec(ctx)
		return err
	})
}

// fine: helpers take bun.IDB, which is tx
func (s *service) idb(ctx context.Context, e *ProcessedEvent, b *Balance) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := mark(ctx, tx, e); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model(b).WherePK().Exec(ctx)
		return err
	})
}

func mark(ctx context.Context, db bun.IDB, e *ProcessedEvent) error {
	_, err := db.NewInsert().Model(e).Exec(ctx)
	return err
}

// fine: Conn says what the statement runs on
func (s *service) byConn(ctx context.Context, e *ProcessedEvent, b *Balance) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := s.db.NewInsert().Conn(tx).Model(e).Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewUpdate().Model(b).WherePK().Exec(ctx); err != nil {
		return err
	}
	return tx.Commit()
}
