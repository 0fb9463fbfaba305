// Package client sends keys and keeps what it has sent.
package client

import (
	"context"
	"database/sql"
	"net/http"
)

type client struct{ db *sql.DB }

// fine: the client's own keys, which it sends
func (c *client) send(ctx context.Context, idempotencyKey string) error {
	var state string
	if err := c.db.QueryRowContext(ctx, `SELECT state FROM outgoing_idempotency_keys WHERE key = $1`, idempotencyKey).Scan(&state); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://bank.example/payments", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", idempotencyKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}
