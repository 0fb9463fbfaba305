// Package lease has cases of lease mode: a claim that is committed by itself before something outside the database is done.
package lease

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type service struct {
	pool *pgxpool.Pool
	bank *http.Client
}

func (s *service) charge(ctx context.Context, id string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://bank.example/charges", bytes.NewBufferString(id))
	if err != nil {
		return err
	}
	res, err := s.bank.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// fine: claim, call, then completion with a fence in the business transaction
func (s *service) leased(ctx context.Context, key, id string, attempt int64) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key, state, attempt) VALUES ($1, 'in_progress', $2) ON CONFLICT (key) DO NOTHING`, key, attempt)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errors.New("in progress")
	}
	if err := s.charge(ctx, id); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE idempotency_keys SET state = 'done' WHERE key = $1 AND attempt = $2`, key, attempt)
		return err
	})
}

// fine: the claim's violation is told apart, and the key is released on failure
func (s *service) released(ctx context.Context, key, id string) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key, state) VALUES ($1, 'in_progress')`, key)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return errors.New("in progress")
	}
	if err != nil {
		return err
	}
	if err := s.charge(ctx, id); err != nil {
		_, _ = s.pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE key = $1`, key)
		return err
	}
	return s.complete(ctx, key, id)
}

func (s *service) complete(ctx context.Context, key, id string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE idempotency_keys SET state = 'done' WHERE key = $1`, key); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// fine: the claim is a small transaction of its own, the completion is in the business transaction
func (s *service) claimedInOwnTransaction(ctx context.Context, key, id string) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return claim(ctx, tx, key) })
	if err != nil {
		return err
	}
	if err := s.charge(ctx, id); err != nil {
		return err
	}
	return s.complete(ctx, key, id)
}

func claim(ctx context.Context, tx pgx.Tx, key string) error {
	tag, err := tx.Exec(ctx, `INSERT INTO idempotency_keys (key, state) VALUES ($1, 'in_progress') ON CONFLICT (key) DO NOTHING`, key)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errors.New("in progress")
	}
	return nil
}

// fine: a deferred release takes the claim back
func (s *service) deferredRelease(ctx context.Context, key, id string) (err error) {
	tag, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1) ON CONFLICT (key) DO NOTHING`, key)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = s.pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE key = $1`, key)
		}
	}()
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
}

// fine: a payment that is pending is noted before the call, between claim and completion
func (s *service) pendingFirst(ctx context.Context, key, id string) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key, state) VALUES ($1, 'in_progress') ON CONFLICT (key) DO NOTHING`, key)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if _, err := s.pool.Exec(ctx, `INSERT INTO payments (id, state) VALUES ($1, 'pending')`, id); err != nil {
		return err
	}
	if err := s.charge(ctx, id); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE payments SET state = 'paid' WHERE id = $1`, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE idempotency_keys SET state = 'done' WHERE key = $1`, key)
		return err
	})
}

// fine: the claim comes back from a helper, whose caller completes it
func (s *service) claimThroughHelper(ctx context.Context, key, id string) error {
	won, err := s.claimOnPool(ctx, key)
	if err != nil || !won {
		return err
	}
	if err := s.charge(ctx, id); err != nil {
		return s.release(ctx, key)
	}
	return s.complete(ctx, key, id)
}

func (s *service) claimOnPool(ctx context.Context, key string) (bool, error) {
	tag, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key, state) VALUES ($1, 'in_progress') ON CONFLICT (key) DO NOTHING`, key)
	return err == nil && tag.RowsAffected() == 1, err
}

func (s *service) release(ctx context.Context, key string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE key = $1`, key)
	return err
}

type completer interface {
	Complete(ctx context.Context, key string) error
}

// fine: the claim is completed through an interface
func (s *service) completedByInterface(ctx context.Context, c completer, key, id string) error {
	won, err := s.claimOnPool(ctx, key)
	if err != nil || !won {
		return err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
	if err != nil {
		return err
	}
	return c.Complete(ctx, key)
}

// fine: the claim is released by a goroutine
func (s *service) releasedByGoroutine(ctx context.Context, key, id string) error {
	won, err := s.claimOnPool(ctx, key)
	if err != nil || !won {
		return err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
	if err != nil {
		go s.release(context.WithoutCancel(ctx), key)
	}
	return err
}

// bug: a claim that nothing completes and nothing releases
func (s *service) neverCompleted(ctx context.Context, key, id string) error {
	won, err := s.claimOnPool(ctx, key) // want `the claim in idempotency_keys is kept before the transaction that writes payments begins`
	if err != nil || !won {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
}

// bug: nobody looks who won the claim, so it is no lease: both callers go on
func (s *service) claimNotRead(ctx context.Context, key, id string) error {
	if _, err := s.pool.Exec(ctx, `INSERT INTO idempotency_keys (key) VALUES ($1) ON CONFLICT (key) DO NOTHING`, key); err != nil { // want `the claim in idempotency_keys is kept before the transaction that writes payments begins`
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO payments (id) VALUES ($1)`, id)
		return err
	})
}
