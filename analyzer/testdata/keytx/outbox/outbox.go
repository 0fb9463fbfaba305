// Package outbox has cases of outbox and inbox tables.
package outbox

import (
	"context"
	"database/sql"
)

type consumer struct{ db *sql.DB }

// fine: inbox, work and outbox are one transaction
func (c *consumer) handle(ctx context.Context, id, body string) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, `INSERT INTO inbox (consumer, message_id) VALUES ('billing', $1) ON CONFLICT DO NOTHING`, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE invoices SET paid = true WHERE id = $1`, body); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO outbox (topic, body) VALUES ('paid', $1)`, body); err != nil {
		return err
	}
	return tx.Commit()
}

// bug: the outbox row goes over the pool, so the event may be told for a message that is handled again
func (c *consumer) outboxOverPool(ctx context.Context, id, body string) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO processed_messages (id) VALUES ($1)`, id); err != nil {
		return err
	}
	if _, err := c.db.ExecContext(ctx, `INSERT INTO outbox (topic, body) VALUES ('paid', $1)`, body); err != nil { // want `outbox is written over the pool, beside the transaction of line \d+ that keeps its key in processed_messages`
		return err
	}
	return tx.Commit()
}

// bug: the message is marked when the work is committed
func (c *consumer) markedAfter(ctx context.Context, id, body string) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE invoices SET paid = true WHERE id = $1`, body); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = c.db.ExecContext(ctx, `INSERT INTO processed_messages (id) VALUES ($1)`, id) // want `processed_messages is written after the commit that keeps invoices`
	return err
}

// fine: the relay marks outbox rows, which are no keys
func (c *consumer) relay(ctx context.Context, send func(string) error) error {
	var id, body string
	if err := c.db.QueryRowContext(ctx, `SELECT id, body FROM outbox LIMIT 1`).Scan(&id, &body); err != nil {
		return err
	}
	if err := send(body); err != nil {
		return err
	}
	_, err := c.db.ExecContext(ctx, `DELETE FROM outbox WHERE id = $1`, id)
	return err
}

// fine: the outbox row is marked when it was sent, after the commit
func (c *consumer) sentAfter(ctx context.Context, id, body string, send func(string) error) error {
	if err := c.handle(ctx, id, body); err != nil {
		return err
	}
	if err := send(body); err != nil {
		return err
	}
	_, err := c.db.ExecContext(ctx, `UPDATE outbox SET sent = true WHERE body = $1`, body)
	return err
}

// fine: an inbox of a person is no inbox of a consumer
func (c *consumer) mail(ctx context.Context, user, text string) error {
	if _, err := c.db.ExecContext(ctx, `INSERT INTO inbox (recipient, text) VALUES ($1, $2)`, user, text); err != nil {
		return err
	}
	_, err := c.db.ExecContext(ctx, `UPDATE users SET unread = unread + 1 WHERE id = $1`, user)
	return err
}
