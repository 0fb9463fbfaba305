// Package checkout stands in for a package of Adyen's SDK, of which it has what the cases use.
package checkout

import (
	"context"
	"net/http"
)

// PaymentRequest asks for a payment.
type PaymentRequest struct {
	MerchantAccount string
	Reference       string
}

// PaymentResponse answers it.
type PaymentResponse struct{ PspReference string }

// PaymentsApi is the part of the API that takes money.
type PaymentsApi struct{}

// PaymentsApiPaymentsInput is what a call sends.
type PaymentsApiPaymentsInput struct {
	idempotencyKey *string
	paymentRequest *PaymentRequest
}

// IdempotencyKey gives the input with a key.
func (r PaymentsApiPaymentsInput) IdempotencyKey(idempotencyKey string) PaymentsApiPaymentsInput {
	r.idempotencyKey = &idempotencyKey
	return r
}

// PaymentRequest gives the input with a body.
func (r PaymentsApiPaymentsInput) PaymentRequest(paymentRequest PaymentRequest) PaymentsApiPaymentsInput {
	r.paymentRequest = &paymentRequest
	return r
}

// PaymentsInput gives an empty input.
func (a *PaymentsApi) PaymentsInput() PaymentsApiPaymentsInput { return PaymentsApiPaymentsInput{} }

// Payments sends it.
func (a *PaymentsApi) Payments(ctx context.Context, r PaymentsApiPaymentsInput) (PaymentResponse, *http.Response, error) {
	return PaymentResponse{}, nil, ctx.Err()
}
