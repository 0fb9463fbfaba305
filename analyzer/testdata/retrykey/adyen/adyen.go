// Package adyen has calls of Adyen's SDK, which takes the key through the input or, in old versions, through the context.
package adyen

import (
	"context"
	"time"

	"github.com/adyen/adyen-go-api-library/v21/src/checkout"
	"github.com/adyen/adyen-go-api-library/v21/src/common"
	"github.com/avast/retry-go/v4"
	"github.com/google/uuid"
)

// bug: the input is built with a key per try.
func pay(ctx context.Context, api *checkout.PaymentsApi, request checkout.PaymentRequest) error {
	return retry.Do(func() error {
		input := api.PaymentsInput().IdempotencyKey(uuid.NewString()).PaymentRequest(request) // want "minted"
		_, _, err := api.Payments(ctx, input)
		return err
	})
}

// fine: the input is built before the tries.
func payOnce(ctx context.Context, api *checkout.PaymentsApi, request checkout.PaymentRequest) error {
	input := api.PaymentsInput().IdempotencyKey(uuid.NewString()).PaymentRequest(request)
	return retry.Do(func() error {
		_, _, err := api.Payments(ctx, input)
		return err
	})
}

// bug: the context of each try has a key of its own.
func payThroughContext(ctx context.Context, api *checkout.PaymentsApi, input checkout.PaymentsApiPaymentsInput) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if _, _, err = api.Payments(common.WithIdempotencyKey(ctx, uuid.NewString()), input); err == nil { // want "minted"
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: the merchant's reference is the key.
func payReferenced(ctx context.Context, api *checkout.PaymentsApi, request checkout.PaymentRequest) error {
	return retry.Do(func() error {
		_, _, err := api.Payments(ctx, api.PaymentsInput().IdempotencyKey(request.Reference).PaymentRequest(request))
		return err
	})
}
