// Package api has handlers in the shape that idemgen generates.
package api

import (
	"context"
	"net/http"

	"github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"
)

// CreateOrderRequest is a request.
type CreateOrderRequest struct{ Key, Principal, Item string }

// CreateOrderResponse is an answer.
type CreateOrderResponse interface {
	EncodeCreateOrder() (runtime.Response, error)
}

// CreateOrder201 is an answer.
type CreateOrder201 struct{}

// EncodeCreateOrder encodes.
func (CreateOrder201) EncodeCreateOrder() (runtime.Response, error) {
	return runtime.Response{Status: http.StatusCreated}, nil
}

// Handlers is what a service implements.
type Handlers interface {
	CreateOrder(ctx context.Context, tx pgx.Tx, req *CreateOrderRequest) (CreateOrderResponse, error)
}
