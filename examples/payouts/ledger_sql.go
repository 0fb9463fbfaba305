package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/payouts/api"
)

// sqlLedger keeps the ledger in PostgreSQL.
type sqlLedger struct{ pool *pgxpool.Pool }

const payoutColumns = `id::text, destination, amount, transfer_id`

func scanPayout(row pgx.Row) (p api.Payout, err error) {
	err = row.Scan(&p.ID, &p.To, &p.Amount, &p.TransferID)
	return p, err
}

func (l sqlLedger) reserve(ctx context.Context, tx pgx.Tx, account string, p api.NewPayout) (r reservation, err error) {
	taken, err := tx.Exec(ctx, `UPDATE accounts SET balance = balance - $2 WHERE id = $1 AND balance >= $2`, account, p.Amount)
	if err != nil {
		return r, err
	}
	if taken.RowsAffected() == 0 {
		return reservation{Short: true}, nil
	}
	err = tx.QueryRow(ctx, `INSERT INTO payouts (account_id, destination, amount) VALUES ($1, $2, $3) RETURNING id::text`,
		account, p.To, p.Amount).Scan(&r.PayoutID)
	return r, err
}

func (l sqlLedger) settle(ctx context.Context, tx pgx.Tx, payoutID, transferID string) (api.Payout, error) {
	return scanPayout(tx.QueryRow(ctx, `UPDATE payouts SET transfer_id = $2 WHERE id = $1 RETURNING `+payoutColumns, payoutID, transferID))
}

func (l sqlLedger) giveBack(ctx context.Context, tx pgx.Tx, payoutID string) error {
	_, err := tx.Exec(ctx,
		`WITH gone AS (DELETE FROM payouts WHERE id = $1 RETURNING account_id, amount)
		 UPDATE accounts SET balance = balance + gone.amount FROM gone WHERE accounts.id = gone.account_id`, payoutID)
	return err
}

func (l sqlLedger) payout(ctx context.Context, account, id string) (api.Payout, error) {
	p, err := scanPayout(l.pool.QueryRow(ctx,
		`SELECT `+payoutColumns+` FROM payouts WHERE account_id = $1 AND id::text = $2 AND transfer_id IS NOT NULL`, account, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return p, errNotFound
	}
	return p, err
}

func (l sqlLedger) balance(ctx context.Context, account string) (balance int64, err error) {
	err = l.pool.QueryRow(ctx, `SELECT balance FROM accounts WHERE id = $1`, account).Scan(&balance)
	return balance, err
}
