package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/payments/api"
)

// sqlLedger keeps the ledger in PostgreSQL.
type sqlLedger struct{ pool *pgxpool.Pool }

const paymentColumns = `id::text, order_id, amount, currency, created_at`

func scanPayment(row pgx.Row) (api.Payment, error) {
	p := api.Payment{Status: api.PaymentStatusSucceeded}
	err := row.Scan(&p.ID, &p.OrderID, &p.Amount, &p.Currency, &p.CreatedAt)
	p.CreatedAt = p.CreatedAt.UTC()
	return p, err
}

func (l sqlLedger) addPayment(ctx context.Context, tx pgx.Tx, account, key string, p api.NewPayment) (api.Payment, error) {
	return scanPayment(tx.QueryRow(ctx,
		`INSERT INTO payments (account_id, order_id, amount, currency, idem_key) VALUES ($1, $2, $3, $4, $5)
		 RETURNING `+paymentColumns, account, p.OrderID, p.Amount, string(p.Currency), key))
}

func (l sqlLedger) refundable(ctx context.Context, tx pgx.Tx, account, paymentID string) (int64, error) {
	var amount, refunded int64
	// The lock keeps two refunds with different keys from each seeing the whole payment as left.
	err := tx.QueryRow(ctx, `SELECT amount FROM payments WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
		account, paymentID).Scan(&amount)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, errNotFound
	}
	if err != nil {
		return 0, err
	}
	// A statement of its own: it sees what was committed while the lock was waited for.
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(amount), 0)::bigint FROM refunds WHERE payment_id = $1`, paymentID).Scan(&refunded)
	return amount - refunded, err
}

func (l sqlLedger) addRefund(ctx context.Context, tx pgx.Tx, account, key, paymentID string, r api.NewRefund) (api.Refund, error) {
	refund := api.Refund{PaymentID: paymentID, Amount: r.Amount, Reason: refundReason(r.Reason)}
	err := tx.QueryRow(ctx,
		`INSERT INTO refunds (account_id, payment_id, amount, reason, idem_key) VALUES ($1, $2, $3, $4, $5)
		 RETURNING id::text, created_at`, account, paymentID, r.Amount, (*string)(r.Reason), key).Scan(&refund.ID, &refund.CreatedAt)
	refund.CreatedAt = refund.CreatedAt.UTC()
	return refund, err
}

// refundReason has the request's reason as an answer's: the document gives the two schemas an enum each.
func refundReason(r *api.NewRefundReason) *api.RefundReason {
	if r == nil {
		return nil
	}
	reason := api.RefundReason(*r)
	return &reason
}

func (l sqlLedger) payment(ctx context.Context, account, id string) (api.Payment, error) {
	p, err := scanPayment(l.pool.QueryRow(ctx,
		`SELECT `+paymentColumns+` FROM payments WHERE account_id = $1 AND id::text = $2`, account, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return api.Payment{}, errNotFound
	}
	return p, err
}

func (l sqlLedger) payments(ctx context.Context, account, orderID string) ([]api.Payment, error) {
	rows, err := l.pool.Query(ctx,
		`SELECT `+paymentColumns+` FROM payments WHERE account_id = $1 AND ($2 = '' OR order_id = $2)
		 ORDER BY created_at DESC, id LIMIT 100`, account, orderID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (api.Payment, error) { return scanPayment(row) })
}
