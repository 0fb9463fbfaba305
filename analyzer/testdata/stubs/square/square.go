// Package square stands in for Square's SDK, of which it has the few types that the cases use, with the same names and no behaviour.
package square

// Money is an amount in the smallest unit of a currency.
type Money struct {
	Amount   *int64
	Currency *string
}

// CreatePaymentRequest asks for a payment. The key is a member of the body.
type CreatePaymentRequest struct {
	SourceID       string  `json:"source_id"`
	IdempotencyKey string  `json:"idempotency_key"`
	AmountMoney    *Money  `json:"amount_money,omitempty"`
	ReferenceID    *string `json:"reference_id,omitempty"`
}

// SetIdempotencyKey sets the key.
func (c *CreatePaymentRequest) SetIdempotencyKey(idempotencyKey string) {
	c.IdempotencyKey = idempotencyKey
}

// CreatePaymentResponse answers it.
type CreatePaymentResponse struct{ PaymentID string }

// RefundPaymentRequest asks for money back.
type RefundPaymentRequest struct {
	IdempotencyKey string  `json:"idempotency_key"`
	AmountMoney    *Money  `json:"amount_money,omitempty"`
	PaymentID      *string `json:"payment_id,omitempty"`
}

// RefundPaymentResponse answers it.
type RefundPaymentResponse struct{ RefundID string }
