// Package resiliency has calls that eapache/go-resiliency repeats.
package resiliency

import (
	"context"
	"time"

	"github.com/eapache/go-resiliency/retrier"
	"github.com/google/uuid"
)

type mailer interface {
	Send(ctx context.Context, to, idempotencyKey string) error
}

// bug: each run is a letter of its own.
func send(ctx context.Context, m mailer, to string) error {
	r := retrier.New(retrier.ConstantBackoff(3, time.Second), nil)
	return r.RunCtx(ctx, func(ctx context.Context) error {
		return m.Send(ctx, to, uuid.NewString()) // want "minted"
	})
}

// fine: one letter, however many runs.
func sendOnce(m mailer, to string) error {
	key := uuid.NewString()
	return retrier.New(retrier.ExponentialBackoff(3, time.Second), nil).Run(func() error {
		return m.Send(context.Background(), to, key)
	})
}
