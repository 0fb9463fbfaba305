package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payments/api"
)

// errNotFound: the account has no such payment.
var errNotFound = errors.New("no such payment")

// ledger keeps payments and refunds. What is written goes through tx, so that it is committed with the record of its key
// or not at all.
type ledger interface {
	addPayment(ctx context.Context, tx pgx.Tx, account, key string, p api.NewPayment) (api.Payment, error)
	// refundable returns what is left of a payment, and keeps other refunds of it away until tx ends.
	refundable(ctx context.Context, tx pgx.Tx, account, paymentID string) (int64, error)
	addRefund(ctx context.Context, tx pgx.Tx, account, key, paymentID string, r api.NewRefund) (api.Refund, error)

	payment(ctx context.Context, account, id string) (api.Payment, error)
	// payments returns an account's payments, of one order if orderID is not empty, newest first.
	payments(ctx context.Context, account, orderID string) ([]api.Payment, error)
}
