// Package inbox has consumers, whose keys are ids of messages.
package inbox

import (
	"context"
	"database/sql"

	"github.com/segmentio/kafka-go"
)

type consumer struct{ db *sql.DB }

// fine: a broker's message id is nobody's but the broker's
func (c *consumer) handle(ctx context.Context, m kafka.Message) error {
	var seen bool
	return c.db.QueryRowContext(ctx, `SELECT true FROM processed_messages WHERE message_id = $1`, string(m.Key)).Scan(&seen)
}

// fine: consumer and message id
func (c *consumer) handleFor(ctx context.Context, m kafka.Message) error {
	_, err := c.db.ExecContext(ctx, `INSERT INTO inbox (consumer, message_id) VALUES ('billing', $1) ON CONFLICT (consumer, message_id) DO NOTHING`, string(m.Key))
	return err
}

// fine: events by their id
func (c *consumer) event(ctx context.Context, eventID string) error {
	_, err := c.db.ExecContext(ctx, `INSERT INTO processed_events (event_id) VALUES ($1) ON CONFLICT (event_id) DO NOTHING`, eventID)
	return err
}
