package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Create looks before it inserts.
func Create(ctx context.Context, db *sql.DB, reference string, amount int) error {
	var id int64
	err := db.QueryRowContext(ctx, `SELECT id FROM payments WHERE reference = $1`, reference).Scan(&id)
	if err == nil {
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO payments (reference, amount) VALUES ($1, $2)`, reference, amount)
	return err
}

// Settle saves its key apart from its work.
func Settle(ctx context.Context, db *sql.DB, key string, amount int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO settlements (amount) VALUES ($1)`, amount); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO idempotency_keys (idempotency_key) VALUES ($1)`, key); err != nil {
		return err
	}
	return tx.Commit()
}

// Answer gives a stored answer to whoever sends its key.
func Answer(db *sql.DB, w http.ResponseWriter, r *http.Request) error {
	var body string
	err := db.QueryRowContext(r.Context(), `SELECT body FROM idempotency_keys WHERE idempotency_key = $1`, r.Header.Get("Idempotency-Key")).Scan(&body)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, body)
	return err
}

// Refund makes its key of the clock.
func Refund(ctx context.Context, payment string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/refunds/"+payment, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", fmt.Sprint(time.Now().UnixNano()))
	return req, nil
}
