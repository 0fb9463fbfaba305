// Package ent has cases over a client as ent generates it.
package ent

import (
	"context"

	"example.com/idemvet/keytx/ent/ent"
)

type service struct{ client *ent.Client }

// bug: the record is made with the client and not with tx
func (s *service) clientBesideTx(ctx context.Context, key string, amount int) error {
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Payment.Create().SetAmount(amount).Save(ctx); err != nil {
		return err
	}
	if _, err := s.client.IdempotencyKey.Create().SetKey(key).Save(ctx); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes payments`
		return err
	}
	return tx.Commit()
}

// bug: the record is made after the commit
func (s *service) afterCommit(ctx context.Context, key string, amount int) error {
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.Payment.Create().SetAmount(amount).Exec(ctx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return s.client.IdempotencyKey.Create().SetKey(key).Exec(ctx) // want `idempotency_keys is written after the commit that keeps payments`
}

// fine: both with tx
func (s *service) together(ctx context.Context, key string, amount int) error {
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Payment.Create().SetAmount(amount).Save(ctx); err != nil {
		return err
	}
	if _, err := tx.IdempotencyKey.Create().SetKey(key).Save(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: a client that is bound to tx goes to a helper
func (s *service) boundClient(ctx context.Context, key string, amount int) error {
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := saveKey(ctx, tx.Client(), key); err != nil {
		return err
	}
	if err := tx.Payment.Create().SetAmount(amount).Exec(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

func saveKey(ctx context.Context, client *ent.Client, key string) error {
	return client.IdempotencyKey.Create().SetKey(key).Exec(ctx)
}
