package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payouts/api"
)

// errNotFound: the account has no such payout.
var errNotFound = errors.New("no such payout")

// reservation is the result of the first step. It is stored as JSON, so its members have names.
type reservation struct {
	PayoutID string `json:"payout_id"`
	Short    bool   `json:"short,omitempty"` // there is not enough money
}

// ledger keeps accounts and payouts. What is written goes through tx, so that it is committed with the step that writes it.
type ledger interface {
	// reserve sets money aside.
	reserve(ctx context.Context, tx pgx.Tx, account string, p api.NewPayout) (reservation, error)
	// settle notes the bank's transfer.
	settle(ctx context.Context, tx pgx.Tx, payoutID, transferID string) (api.Payout, error)
	// giveBack undoes reserve.
	giveBack(ctx context.Context, tx pgx.Tx, payoutID string) error

	payout(ctx context.Context, account, id string) (api.Payout, error)
	balance(ctx context.Context, account string) (int64, error)
}
