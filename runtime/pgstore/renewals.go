package pgstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime"
)

// WithRenewalPool has the leases of work in progress renewed over connections of pool, which leads to the same database. The
// default is the store's pool: while handlers hold all of its connections, renewals wait for one with everybody else, and a
// lease that is not renewed in time is lost, with the work of its worker. One connection or two are enough, as a renewal is
// one round trip. The pool stays the caller's. [Store.CheckLeases] finds one that leads elsewhere.
func WithRenewalPool(pool *pgxpool.Pool) Option {
	return func(s *settings) error {
		if pool == nil {
			return errors.New("WithRenewalPool: the pool is nil")
		}
		s.renewals = pool
		return nil
	}
}

// ErrRenewalPool is returned by [Store.CheckLeases] where renewals would go to another table than the work, so that every
// lease would be lost.
var ErrRenewalPool = runtime.Explain("the pool of WithRenewalPool does not lead to the table of the store's own pool: give both the same database, user and search_path", nil)

// newRenewer is the part of a store that renewals need, over their pool.
func (s *Store) newRenewer() *Store {
	pool := s.settings.renewals
	if pool == nil || pool == s.pool {
		return s
	}
	return &Store{pool: pool, settings: s.settings, sql: s.sql, tries: int(pool.Config().MaxConns) + 1}
}

const (
	holdSQL = `SELECT pg_advisory_xact_lock($1::bigint)`
	heldSQL = `SELECT NOT pg_try_advisory_xact_lock($1::bigint)`
)

// checkRenewals checks that renewals go to the given table. Two databases can have a table of the same number, as copies have,
// so tx takes a lock that nobody else has, and the other pool has to meet it. On engines without such locks the number has to do.
func (s *Store) checkRenewals(ctx context.Context, tx pgx.Tx, table uint32) error {
	number := int64(rand.Uint64())
	locks := s.settings.strategy == AdvisoryLock
	if locks {
		if _, err := tx.Exec(ctx, holdSQL, number); err != nil {
			return err
		}
	}
	err := pgx.BeginTxFunc(ctx, s.renewer.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(other pgx.Tx) error {
		var found *uint32
		var readOnly bool
		if err := other.QueryRow(ctx, currentSQL, quoteTable(s.settings.table)).Scan(&found, nil, nil, &readOnly); err != nil {
			return err
		}
		met := true
		if locks {
			if err := other.QueryRow(ctx, heldSQL, number).Scan(&met); err != nil {
				return err
			}
		}
		switch {
		case found == nil || *found != table || !met:
			return ErrRenewalPool
		case readOnly:
			return errReadOnly
		}
		return s.checkPrivileges(ctx, other, table, "SELECT", "UPDATE")
	})
	if err == nil || errors.Is(err, ErrRenewalPool) {
		return err
	}
	return fmt.Errorf("the pool of WithRenewalPool: %w", err)
}
