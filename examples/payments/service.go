package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payments/api"
	"github.com/idemgen/idemgen/runtime"
)

// declineFrom is the amount from which the demo's bank says no: 10,000.00.
const declineFrom = 1_000_000

// service implements the generated interface. It knows nothing of keys, replays or races: it does its work in the
// transaction that it is given.
type service struct{ ledger ledger }

var _ api.Handlers = service{}

// CreatePayment makes a payment, or declines it. Both are outcomes: the policy keeps 201 and 402.
func (s service) CreatePayment(ctx context.Context, tx pgx.Tx, req *api.CreatePaymentRequest) (api.CreatePaymentResponse, error) {
	if req.Body.Amount >= declineFrom {
		return api.CreatePayment402{Body: problem(http.StatusPaymentRequired, "The payment was declined",
			"The amount is over the limit of the account.")}, nil
	}
	payment, err := s.ledger.addPayment(ctx, tx, req.Principal, req.Key, req.Body)
	if err != nil {
		return nil, fmt.Errorf("add a payment: %w", err) // a second payment for an order is answered by the policy's guard
	}
	return api.CreatePayment201{Location: "/payments/" + payment.ID, Body: payment}, nil
}

// CreateRefund gives money back, never more than was paid.
func (s service) CreateRefund(ctx context.Context, tx pgx.Tx, req *api.CreateRefundRequest) (api.CreateRefundResponse, error) {
	left, err := s.ledger.refundable(ctx, tx, req.Principal, req.PaymentID)
	if errors.Is(err, errNotFound) {
		return api.CreateRefund404{Body: noSuchPayment()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a payment: %w", err)
	}
	if req.Body.Amount > left {
		return api.CreateRefund422{Body: problem(http.StatusUnprocessableEntity, "The refund is too large",
			fmt.Sprintf("%d is left of the payment.", left))}, nil
	}
	refund, err := s.ledger.addRefund(ctx, tx, req.Principal, req.Key, req.PaymentID, req.Body)
	if err != nil {
		return nil, fmt.Errorf("add a refund: %w", err)
	}
	return api.CreateRefund201{Body: refund}, nil
}

func noSuchPayment() api.Problem {
	return problem(http.StatusNotFound, "No such payment", "The account has no payment with this id.")
}

// problem is an error of the business. Its type is about:blank, so its title says no more than the status does; the
// generated refusals have types of their own.
func problem(status int, title, detail string) api.Problem {
	code, kind := int32(status), "about:blank"
	return api.Problem{Type: &kind, Title: &title, Status: &code, Detail: &detail}
}

// routes mounts the keyed operations, which are generated, and the others, which are not.
func routes(store runtime.Store[pgx.Tx], ledger ledger) (http.Handler, error) {
	engine, err := runtime.New(store, account)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	if err := api.Register(mux, engine, service{ledger}); err != nil {
		return nil, err
	}
	reads{ledger}.register(mux)
	return mux, nil
}
