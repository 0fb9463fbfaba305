// Package once has failsafe-go without a policy that retries.
package once

import (
	"context"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/google/uuid"
)

type transfer struct{ IdempotencyKey string }

type bank interface {
	Transfer(ctx context.Context, t transfer) (string, error)
}

// fine: a time limit calls the function once.
func move(ctx context.Context, b bank) (string, error) {
	return failsafe.With[string](timeout.New[string](time.Second)).Get(func() (string, error) {
		return b.Transfer(ctx, transfer{IdempotencyKey: uuid.NewString()})
	})
}
