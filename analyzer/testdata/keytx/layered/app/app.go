// Package app has cases over stores of another package, and over interfaces.
package app

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"example.com/idemvet/keytx/layered/ports"
	"example.com/idemvet/keytx/layered/store"
)

type app struct {
	db      *sql.DB
	orders  *store.Orders
	records *store.Records

	orderPort  ports.OrderRepository
	recordPort ports.IdempotencyRepository
	transactor ports.Transactor
}

// bug: the record is saved over the pool of its repository, in another package
func (a *app) recordOverPool(ctx context.Context, key string, o store.Order) error {
	return store.WithTx(ctx, a.db, func(tx *sql.Tx) error {
		if err := a.orders.Create(ctx, tx, o); err != nil {
			return err
		}
		return a.records.Save(ctx, store.Record{Key: key}) // want `idempotency_records is written over the pool, beside the transaction of line \d+ that writes orders`
	})
}

// bug: the executor of the order is the pool
func (a *app) orderOverPool(ctx context.Context, key string, o store.Order) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := a.records.SaveIn(ctx, tx, store.Record{Key: key}); err != nil {
		return err
	}
	if err := a.orders.Create(ctx, a.db, o); err != nil { // want `orders is written over the pool, beside the transaction of line \d+ that keeps its key in idempotency_records`
		return err
	}
	return tx.Commit()
}

// bug: after the transaction of another package's helper
func (a *app) recordAfter(ctx context.Context, key string, o store.Order) error {
	err := store.InTx(ctx, a.db, func(s *store.Store) error { return s.CreateOrder(ctx, o) })
	if err != nil {
		return err
	}
	return a.records.Save(ctx, store.Record{Key: key}) // want `idempotency_records is written after the commit that keeps orders`
}

// bug: interfaces only: each gets tx, but the record's
func (a *app) portWithoutTx(ctx context.Context, key string, o *ports.Order) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := a.orderPort.Create(ctx, tx, o); err != nil {
		return err
	}
	if err := a.recordPort.Save(ctx, &ports.IdempotencyRecord{Key: key}); err != nil { // want `IdempotencyRecord is written by a call that is not given the transaction of line \d+, unlike the call that writes Order`
		return err
	}
	return tx.Commit()
}

// fine: interfaces only, all of them get tx
func (a *app) portsWithTx(ctx context.Context, key string, o *ports.Order) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := a.orderPort.Create(ctx, tx, o); err != nil {
		return err
	}
	if err := a.recordPort.SaveInTx(ctx, tx, &ports.IdempotencyRecord{Key: key}); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: the context of the transaction may carry it
func (a *app) portByContext(ctx context.Context, key string, o *ports.Order) error {
	return a.transactor.WithinTransaction(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := a.orderPort.Create(ctx, tx, o); err != nil {
			return err
		}
		return a.recordPort.Save(ctx, &ports.IdempotencyRecord{Key: key})
	})
}

// fine: a store of another package that is bound to tx
func (a *app) bound(ctx context.Context, key string, o store.Order) error {
	return store.InTx(ctx, a.db, func(s *store.Store) error {
		if err := s.SaveRecord(ctx, store.Record{Key: key}); err != nil {
			return err
		}
		return s.CreateOrder(ctx, o)
	})
}

// fine: bound by hand
func (a *app) boundByHand(ctx context.Context, key string, o store.Order) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	s := store.NewStore(tx)
	if err := s.SaveRecord(ctx, store.Record{Key: key}); err != nil {
		return err
	}
	if err := s.CreateOrder(ctx, o); err != nil {
		return err
	}
	return tx.Commit()
}

// fine: all of another package's helpers get tx
func (a *app) together(ctx context.Context, key string, o store.Order) error {
	return store.WithTx(ctx, a.db, func(tx *sql.Tx) error {
		if err := a.records.SaveIn(ctx, tx, store.Record{Key: key}); err != nil {
			return err
		}
		return a.orders.Create(ctx, tx, o)
	})
}

// fine: interfaces only and no transaction in view: whoever wires them may put one in the context
func (a *app) portsWithoutTransaction(ctx context.Context, key string, o *ports.Order) error {
	if err := a.orderPort.Create(ctx, nil, o); err != nil {
		return err
	}
	return a.recordPort.Save(ctx, &ports.IdempotencyRecord{Key: key})
}

// bug: interfaces only, and the error of the key is only logged
func (a *app) errorLogged(ctx context.Context, key string, o *ports.Order) error {
	if err := a.orderPort.Create(ctx, nil, o); err != nil {
		return err
	}
	if err := a.recordPort.Save(ctx, &ports.IdempotencyRecord{Key: key}); err != nil { // want `Save, which by its name keeps the key, comes after Order is written, and its error does not leave the function`
		log.Println("cannot save the key", err)
	}
	return nil
}

// fine: the error of the key is returned
func (a *app) errorReturned(ctx context.Context, key string, o *ports.Order) error {
	if err := a.orderPort.Create(ctx, nil, o); err != nil {
		return err
	}
	if err := a.recordPort.Save(ctx, &ports.IdempotencyRecord{Key: key}); err != nil {
		log.Println("cannot save the key", err)
		return err
	}
	return nil
}

// fine: another error is returned in place of the key's
func (a *app) errorTranslated(ctx context.Context, key string, o *ports.Order) error {
	if err := a.orderPort.Create(ctx, nil, o); err != nil {
		return err
	}
	if err := a.recordPort.Save(ctx, &ports.IdempotencyRecord{Key: key}); err != nil {
		log.Println("cannot save the key", err)
		return errLater
	}
	return nil
}

var errLater = errors.New("try later")

type keyStore interface {
	ReserveIdempotencyKey(ctx context.Context, key string) (bool, error)
	SaveIdempotencyAnswer(ctx context.Context, key, answer string) error
}

// fine: the key was reserved before, and the answer is what is lost
func (a *app) reservedBefore(ctx context.Context, keys keyStore, key string, o *ports.Order) error {
	if won, err := keys.ReserveIdempotencyKey(ctx, key); err != nil || !won {
		return err
	}
	if err := a.orderPort.Create(ctx, nil, o); err != nil {
		return err
	}
	if err := keys.SaveIdempotencyAnswer(ctx, key, o.ID); err != nil {
		log.Println("cannot save the answer", err)
	}
	return nil
}
