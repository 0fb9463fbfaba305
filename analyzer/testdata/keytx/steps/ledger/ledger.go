// Package ledger does steps for handlers of another package.
package ledger

import (
	"context"

	"github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"

	"example.com/idemvet/keytx/ownruntime/orders"
	"example.com/idemvet/keytx/steps/api"
)

// Note does a step.
func Note(ctx context.Context, lease *api.CreatePayoutLease) error {
	_, err := runtime.DoLocal(ctx, lease.Note(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, orders.Create(ctx, tx, "note")
	})
	return err
}

// Step does a step that has no result.
func Step(ctx context.Context, lease *api.CreatePayoutLease, work func(ctx context.Context, tx pgx.Tx) error) error {
	_, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, work(ctx, tx)
	})
	return err
}
