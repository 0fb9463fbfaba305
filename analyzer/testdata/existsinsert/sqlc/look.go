// Package sqlc looks and inserts through query methods in the shape that sqlc generates.
package sqlc

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/idemvet/existsinsert/sqlc/db"
)

type Service struct {
	pool    *pgxpool.Pool
	queries *db.Queries
}

// bug: generated methods, one package away.
func (s *Service) Plain(ctx context.Context, owner string) (db.Wallet, error) {
	wallet, err := s.queries.WalletByOwner(ctx, owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return s.queries.CreateWallet(ctx, db.CreateWalletParams{Owner: owner}) // want `wallets is looked up by owner`
	}
	return wallet, err
}

// bug: the same in a READ COMMITTED transaction.
func (s *Service) InTx(ctx context.Context, owner string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	q := s.queries.WithTx(tx)
	exists, err := q.WalletExists(ctx, owner)
	if err != nil {
		return err
	}
	if !exists {
		if _, err := q.CreateWallet(ctx, db.CreateWalletParams{Owner: owner}); err != nil { // want `wallets is looked up by owner`
			return err
		}
	}
	return tx.Commit(ctx)
}

// bug: a list that is empty.
func (s *Service) EmptyList(ctx context.Context, owner string) error {
	wallets, err := s.queries.WalletsByOwner(ctx, owner)
	if err != nil {
		return err
	}
	if len(wallets) == 0 {
		_, err = s.queries.CreateWallet(ctx, db.CreateWalletParams{Owner: owner}) // want `wallets is looked up by owner`
	}
	return err
}

// fine: the violation is told apart.
func (s *Service) Handled(ctx context.Context, owner string) (db.Wallet, error) {
	wallet, err := s.queries.WalletByOwner(ctx, owner)
	if !errors.Is(err, pgx.ErrNoRows) {
		return wallet, err
	}
	wallet, err = s.queries.CreateWallet(ctx, db.CreateWalletParams{Owner: owner})
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return s.queries.WalletByOwner(ctx, owner)
	}
	return wallet, err
}

// fine: ON CONFLICT decides and ErrNoRows says who lost.
func (s *Service) Once(ctx context.Context, owner string) (db.Wallet, error) {
	wallet, err := s.queries.WalletByOwner(ctx, owner)
	if !errors.Is(err, pgx.ErrNoRows) {
		return wallet, err
	}
	wallet, err = s.queries.CreateWalletOnce(ctx, db.CreateWalletOnceParams{Owner: owner})
	if errors.Is(err, pgx.ErrNoRows) {
		return s.queries.WalletByOwner(ctx, owner)
	}
	return wallet, err
}

// fine: a wallet is needed to go on; there is none, and that is an error.
func (s *Service) Required(ctx context.Context, owner, other string) (db.Wallet, error) {
	if _, err := s.queries.WalletByOwner(ctx, owner); err != nil {
		return db.Wallet{}, err
	}
	return s.queries.CreateWallet(ctx, db.CreateWalletParams{Owner: other})
}
