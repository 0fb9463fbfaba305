// Package guessed has interfaces without a body in view.
package guessed

import (
	"context"
	"database/sql"
	"errors"
)

type Account struct{ ID, Email string }

type AccountRepository interface {
	FindByEmail(ctx context.Context, email string) (*Account, error)
	ExistsByTenantAndKey(ctx context.Context, tenant, key string) (bool, error)
	Create(ctx context.Context, account *Account) error
	CreateTx(ctx context.Context, tx *sql.Tx, account *Account) error
	WithTx(tx *sql.Tx) AccountRepository
	Close() error
}

type Manager interface {
	WithinTransaction(ctx context.Context, fn func(ctx context.Context) error) error
}

type Counter interface {
	Get(name string) (*Account, error)
	Add(account *Account) error
}

var ErrAlreadyExists = errors.New("already exists")

func use(ctx context.Context, accounts AccountRepository, counter Counter, tx *sql.Tx, manager Manager) error {
	accounts.FindByEmail(ctx, "x")               // want "read guessed Account by email over param 1"
	accounts.ExistsByTenantAndKey(ctx, "t", "k") // want "read guessed by tenant,key always over param 1"
	accounts.Create(ctx, &Account{})             // want "insert guessed Account over param 1"
	accounts.CreateTx(ctx, tx, &Account{})       // want "insert guessed Account over tx 1"
	accounts.WithTx(tx).Create(ctx, &Account{})  // want "insert guessed Account over tx 1"
	accounts.Close()
	counter.Get("x")
	counter.Add(&Account{})
	return manager.WithinTransaction(ctx, func(ctx context.Context) error { // want "transaction of a function by context"
		err := accounts.Create(ctx, &Account{}) // want "insert guessed Account duplicate-handled over param 1"
		if errors.Is(err, ErrAlreadyExists) {
			return nil
		}
		return err
	})
}
