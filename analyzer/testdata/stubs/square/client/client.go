// Package client stands in for the client of Square's SDK.
package client

import (
	"context"

	square "github.com/square/square-go-sdk/v3"
)

// Client has one member for each part of the API.
type Client struct {
	Payments *Payments
	Refunds  *Refunds
}

// NewClient gives a client that does nothing.
func NewClient() *Client { return &Client{Payments: &Payments{}, Refunds: &Refunds{}} }

// Payments is the part of the API that takes money.
type Payments struct{}

// Create sends a request for a payment.
func (*Payments) Create(ctx context.Context, request *square.CreatePaymentRequest) (*square.CreatePaymentResponse, error) {
	return &square.CreatePaymentResponse{}, ctx.Err()
}

// Refunds is the part of the API that gives money back.
type Refunds struct{}

// RefundPayment sends a request for a refund.
func (*Refunds) RefundPayment(ctx context.Context, request *square.RefundPaymentRequest) (*square.RefundPaymentResponse, error) {
	return &square.RefundPaymentResponse{}, ctx.Err()
}
