// Package square has calls of Square's SDK, whose requests carry the key in their body.
package square

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/sethvargo/go-retry"
	square "github.com/square/square-go-sdk/v3"
	"github.com/square/square-go-sdk/v3/client"
)

// bug: the request of each try is a payment.
func pay(ctx context.Context, c *client.Client, source string) error {
	return retry.Exponential(ctx, time.Second, func(ctx context.Context) error {
		_, err := c.Payments.Create(ctx, &square.CreatePaymentRequest{
			SourceID:       source,
			IdempotencyKey: uuid.NewString(), // want "minted"
		})
		return retry.RetryableError(err)
	})
}

// fine: the request is made before the tries.
func payOnce(ctx context.Context, c *client.Client, source string) error {
	request := &square.CreatePaymentRequest{SourceID: source, IdempotencyKey: uuid.NewString()}
	return retry.Exponential(ctx, time.Second, func(ctx context.Context) error {
		_, err := c.Payments.Create(ctx, request)
		return retry.RetryableError(err)
	})
}

// bug: the setter does what the member does.
func payWithSetter(ctx context.Context, c *client.Client, source string) (err error) {
	for tries := 0; tries < 4; tries++ {
		request := &square.CreatePaymentRequest{SourceID: source}
		request.SetIdempotencyKey(uuid.NewString()) // want "minted"
		if _, err = c.Payments.Create(ctx, request); err == nil {
			return nil
		}
	}
	return err
}

// fine: a refund's key is made of the payment's id.
func giveBack(ctx context.Context, c *client.Client, payment string) (err error) {
	for tries := 0; tries < 4; tries++ {
		_, err = c.Refunds.RefundPayment(ctx, &square.RefundPaymentRequest{PaymentID: &payment, IdempotencyKey: "refund:" + payment})
		if err == nil {
			return nil
		}
	}
	return err
}
