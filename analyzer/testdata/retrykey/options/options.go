// Package options has keys in types that tell a value from none, as generated SDKs have them.
package options

import (
	"context"
	"time"

	"example.com/idemvet/retrykey/options/param"
	"github.com/google/uuid"
	legacy "github.com/pborman/uuid"
	satori "github.com/satori/go.uuid"
)

type chargeParams struct {
	Amount         int64
	IdempotencyKey param.Opt[string]
}

type transferOptions struct{ XIdempotencyKey param.String }

type refundParams struct{ IdempotencyKey *string }

type api interface {
	Charge(ctx context.Context, params chargeParams) error
	Transfer(ctx context.Context, amount int64, options *transferOptions) error
	Refund(ctx context.Context, params refundParams) error
}

func again(try func() error) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = try(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// bug: in an optional field.
func charge(ctx context.Context, client api) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = client.Charge(ctx, chargeParams{Amount: 100, IdempotencyKey: param.NewOpt(uuid.NewString())}); err == nil { // want "minted"
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: the optional field is made before the loop.
func chargeOnce(ctx context.Context, client api) (err error) {
	key := param.NewOpt(uuid.NewString())
	for attempt := 0; attempt < 3; attempt++ {
		if err = client.Charge(ctx, chargeParams{Amount: 100, IdempotencyKey: key}); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// bug: in the options of a generated client.
func transfer(ctx context.Context, client api) error {
	return again(func() error {
		return client.Transfer(ctx, 100, &transferOptions{XIdempotencyKey: param.NewString(satori.NewV4().String())}) // want "minted"
	})
}

// fine: the options are made once.
func transferOnce(ctx context.Context, client api) error {
	options := &transferOptions{XIdempotencyKey: param.NewString(satori.NewV4().String())}
	return again(func() error { return client.Transfer(ctx, 100, options) })
}

// bug: behind a pointer that a generic helper makes.
func refund(ctx context.Context, client api) error {
	return again(func() error {
		return client.Refund(ctx, refundParams{IdempotencyKey: param.To(legacy.New())}) // want "minted"
	})
}

// fine: an identifier of the order's, by the same ways.
func refundOrder(ctx context.Context, client api, order string) error {
	return again(func() error {
		key := satori.NewV5(satori.NamespaceOID, order).String()
		return client.Refund(ctx, refundParams{IdempotencyKey: param.To(key)})
	})
}
