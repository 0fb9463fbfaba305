// Package pgx has cases over pgx: callbacks, Begin and Commit, repositories that take tx.
package pgx

import (
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type order struct{ id, customer string }

type orders struct{ pool *pgxpool.Pool }

func (o *orders) create(ctx context.Context, tx pgx.Tx, v order) error {
	_, err := tx.Exec(ctx, `INSERT INTO orders (id, customer) VALUES ($1, $2)`, v.id, v.customer)
	return err
}

type stock struct{ pool *pgxpool.Pool }

func (s *stock) reserve(ctx context.Context, tx pgx.Tx, v order) error {
	_, err := tx.Exec(ctx, `UPDATE stock SET reserved = reserved + 1 WHERE order_id = $1`, v.id)
	return err
}

type keys struct{ pool *pgxpool.Pool }

func (k *keys) save(ctx context.Context, key string) error {
	_, err := k.pool.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
	return err
}

func (k *keys) saveIn(ctx context.Context, tx pgx.Tx, key string) error {
	_, err := tx.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
	return err
}

type service struct {
	pool   *pgxpool.Pool
	orders *orders
	stock  *stock
	keys   *keys
}

// bug: every repository gets tx but the one of the keys
func (s *service) oneWithoutTx(ctx context.Context, key string, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.orders.create(ctx, tx, v); err != nil {
			return err
		}
		if err := s.stock.reserve(ctx, tx, v); err != nil {
			return err
		}
		return s.keys.save(ctx, key) // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes orders`
	})
}

// bug: the key's call comes first, still beside the transaction
func (s *service) firstWithoutTx(ctx context.Context, key string, v order) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := s.keys.save(ctx, key); err != nil { // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes orders`
			return err
		}
		return s.orders.create(ctx, tx, v)
	})
}

// bug: the error of the key is only logged, after the commit
func (s *service) loggedAfter(ctx context.Context, key string, v order) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := s.orders.create(ctx, tx, v); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	if err := s.keys.save(ctx, key); err != nil { // want `idempotency_keys is written after the commit that keeps orders, and its error does not leave the function`
		slog.Error("save key", "err", err)
	}
	return nil
}

// bug: a statement of the business over the pool, the claim in tx
func (s *service) stockOverPool(ctx context.Context, key string, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.keys.saveIn(ctx, tx, key); err != nil {
			return err
		}
		_, err := s.pool.Exec(ctx, `UPDATE stock SET reserved = reserved + 1 WHERE order_id = $1`, v.id) // want `stock is written over the pool, beside the transaction of line \d+ that keeps its key in idempotency_keys`
		return err
	})
}

// bug: the house's own helper runs the transaction
func (s *service) houseHelper(ctx context.Context, key string, v order) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.orders.create(ctx, tx, v); err != nil {
			return err
		}
		return s.keys.save(ctx, key) // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes orders`
	})
}

func (s *service) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// bug: saved after the house's helper has committed
func (s *service) afterHelper(ctx context.Context, key string, v order) error {
	err := s.inTx(ctx, func(tx pgx.Tx) error { return s.orders.create(ctx, tx, v) })
	if err != nil {
		return err
	}
	return s.keys.save(ctx, key) // want `idempotency_keys is written after the commit that keeps orders`
}

// bug: two repositories, both over the pool, in a function that says transactional
func (s *service) createTransactional(ctx context.Context, key string, v order) error {
	if _, err := s.pool.Exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, v.id); err != nil {
		return err
	}
	return s.keys.save(ctx, key) // want `idempotency_keys and orders are written without a transaction`
}

// bug: the error of the call is thrown away
func (s *service) errorDropped(ctx context.Context, key string, v order) error {
	err := s.inTx(ctx, func(tx pgx.Tx) error { return s.orders.create(ctx, tx, v) })
	if err != nil {
		return err
	}
	s.keys.save(ctx, key) // want `idempotency_keys is written after the commit that keeps orders, and its error does not leave the function`
	return nil
}

// fine: all of them get tx
func (s *service) allWithTx(ctx context.Context, key string, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.keys.saveIn(ctx, tx, key); err != nil {
			return err
		}
		if err := s.orders.create(ctx, tx, v); err != nil {
			return err
		}
		return s.stock.reserve(ctx, tx, v)
	})
}

// fine: the house's helper, all of them get tx
func (s *service) houseHelperAll(ctx context.Context, key string, v order) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.orders.create(ctx, tx, v); err != nil {
			return err
		}
		return s.keys.saveIn(ctx, tx, key)
	})
}

// fine: a savepoint around the part that may fail
func (s *service) nested(ctx context.Context, key string, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.keys.saveIn(ctx, tx, key); err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error { return s.orders.create(ctx, inner, v) })
	})
}

// fine: a savepoint by hand
func (s *service) nestedByHand(ctx context.Context, key string, v order) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := s.keys.saveIn(ctx, tx, key); err != nil {
		return err
	}
	inner, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if err := s.orders.create(ctx, inner, v); err != nil {
		return err
	}
	if err := inner.Commit(ctx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// fine: one batch in tx holds both
func (s *service) batched(ctx context.Context, key string, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
		b.Queue(`INSERT INTO orders (id) VALUES ($1)`, v.id)
		return tx.SendBatch(ctx, b).Close()
	})
}

// fine: one batch over the pool is one implicit transaction
func (s *service) batchedOverPool(ctx context.Context, key string, v order) error {
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
	b.Queue(`INSERT INTO orders (id) VALUES ($1)`, v.id)
	return s.pool.SendBatch(ctx, b).Close()
}

// fine: a rejected order is noted on the pool when the transaction was rolled back
func (s *service) rejectionNoted(ctx context.Context, key string, v order) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.keys.saveIn(ctx, tx, key); err != nil {
			return err
		}
		return s.orders.create(ctx, tx, v)
	})
	if errors.Is(err, pgx.ErrTxClosed) {
		_, err = s.pool.Exec(ctx, `UPDATE orders SET state = 'rejected' WHERE id = $1`, v.id)
	}
	return err
}

// fine: metrics on the pool
func (s *service) counted(ctx context.Context, key string, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.keys.saveIn(ctx, tx, key); err != nil {
			return err
		}
		if _, err := s.pool.Exec(ctx, `UPDATE request_metrics SET n = n + 1`); err != nil {
			return err
		}
		return s.orders.create(ctx, tx, v)
	})
}

// fine: the caller decides; nothing of this function is outside what it got
func (s *service) given(ctx context.Context, tx pgx.Tx, key string, v order) error {
	if err := s.keys.saveIn(ctx, tx, key); err != nil {
		return err
	}
	return s.orders.create(ctx, tx, v)
}

// fine: on one connection, with the transaction in SQL
func (s *service) ownSQL(ctx context.Context, key string, v order) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `BEGIN`); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, v.id); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `COMMIT`)
	return err
}

// bug: a given tx beside the pool
func (s *service) givenBeside(ctx context.Context, tx pgx.Tx, key string, v order) error {
	if err := s.orders.create(ctx, tx, v); err != nil {
		return err
	}
	return s.keys.save(ctx, key) // want `idempotency_keys is written over the pool, beside the transaction of line \d+ that writes orders`
}

type txKey struct{}

func withTx(ctx context.Context, tx pgx.Tx) context.Context {
	return context.WithValue(ctx, txKey{}, tx)
}

func (s *service) exec(ctx context.Context, query string, args ...any) error {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		_, err := tx.Exec(ctx, query, args...)
		return err
	}
	_, err := s.pool.Exec(ctx, query, args...)
	return err
}

func (s *service) saveKeyByContext(ctx context.Context, key string) error {
	return s.exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1)`, key)
}

func (s *service) createByContext(ctx context.Context, v order) error {
	return s.exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, v.id)
}

func (s *service) atomically(ctx context.Context, do func(ctx context.Context) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return do(withTx(ctx, tx)) })
}

// fine: the transaction goes by context
func (s *service) byContext(ctx context.Context, key string, v order) error {
	return s.atomically(ctx, func(ctx context.Context) error {
		if err := s.saveKeyByContext(ctx, key); err != nil {
			return err
		}
		return s.createByContext(ctx, v)
	})
}

// fine: the transaction goes by context through helpers that fall back to the pool
func (s *service) byContextNamed(ctx context.Context, key string, v order) error {
	return s.atomically(ctx, func(txCtx context.Context) error {
		if err := s.createByContext(txCtx, v); err != nil {
			return err
		}
		return s.saveKeyByContext(txCtx, key)
	})
}
