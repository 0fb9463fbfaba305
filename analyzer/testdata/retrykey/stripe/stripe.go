// Package stripe has calls of Stripe's SDK, which sends a key of its own when it is given none.
package stripe

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/client"
	"github.com/stripe/stripe-go/v82/paymentintent"
	"github.com/stripe/stripe-go/v82/refund"
)

func params(amount int64) *stripe.PaymentIntentParams {
	return &stripe.PaymentIntentParams{Amount: stripe.Int64(amount), Currency: stripe.String("eur")}
}

// bug: SetIdempotencyKey in the loop gives each try a key.
func pay(amount int64) (intent *stripe.PaymentIntent, err error) {
	for attempt := 0; attempt < 3; attempt++ {
		p := params(amount)
		p.SetIdempotencyKey(uuid.NewString()) // want `the idempotency key \(set by Params.SetIdempotencyKey\) is minted anew`
		if intent, err = paymentintent.New(p); err == nil {
			return intent, nil
		}
		time.Sleep(time.Second << attempt)
	}
	return nil, err
}

// fine: the parameters get their key before the loop and are used again.
func payOnce(amount int64) (intent *stripe.PaymentIntent, err error) {
	p := params(amount)
	p.SetIdempotencyKey(uuid.NewString())
	for attempt := 0; attempt < 3; attempt++ {
		if intent, err = paymentintent.New(p); err == nil {
			return intent, nil
		}
		time.Sleep(time.Second << attempt)
	}
	return nil, err
}

// bug: Stripe's own mint is a mint too.
func payWithOwnMint(amount int64) error {
	_, err := backoff.Retry(context.Background(), func() (*stripe.PaymentIntent, error) {
		p := params(amount)
		p.IdempotencyKey = stripe.String(stripe.NewIdempotencyKey()) // want "minted"
		return paymentintent.New(p)
	})
	return err
}

// fine: the field is set only while it is empty, and the parameters outlive the try.
func payGuarded(amount int64) error {
	p := params(amount)
	_, err := backoff.Retry(context.Background(), func() (*stripe.PaymentIntent, error) {
		if p.IdempotencyKey == nil {
			p.IdempotencyKey = stripe.String(uuid.NewString())
		}
		return paymentintent.New(p)
	})
	return err
}

// bug: the key is in the literal of parameters that are made in the loop.
func giveBack(intent string) (err error) {
	for retry := 0; retry < 5; retry++ {
		p := &stripe.RefundParams{
			Params:        stripe.Params{IdempotencyKey: stripe.String("refund-" + uuid.NewString())}, // want "minted"
			PaymentIntent: stripe.String(intent),
		}
		if _, err = refund.New(p); err == nil {
			return nil
		}
	}
	return err
}

// fine: the key follows from what is given back.
func giveBackOnce(intent string) (err error) {
	for retry := 0; retry < 5; retry++ {
		p := &stripe.RefundParams{PaymentIntent: stripe.String(intent)}
		p.SetIdempotencyKey("refund-" + intent)
		if _, err = refund.New(p); err == nil {
			return nil
		}
	}
	return err
}

// fine: a key per intent in a list; the SDK repeats each by itself.
func giveBackAll(api *client.API, intents []string) error {
	var all error
	for _, intent := range intents {
		p := &stripe.RefundParams{PaymentIntent: stripe.String(intent)}
		p.SetIdempotencyKey(uuid.NewString())
		if _, err := api.Refunds.New(p); err != nil {
			all = errors.Join(all, err)
		}
	}
	return all
}
