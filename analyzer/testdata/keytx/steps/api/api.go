// Package api has a handler in lease mode, in the shape that idemgen generates.
package api

import (
	"context"
	"net/http"

	"github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"
)

// CreatePayoutRequest is a request.
type CreatePayoutRequest struct{ Key, Principal, Account string }

// CreatePayoutResponse is an answer.
type CreatePayoutResponse interface {
	EncodeCreatePayout() (runtime.Response, error)
}

// CreatePayout201 is an answer.
type CreatePayout201 struct{}

// EncodeCreatePayout encodes.
func (CreatePayout201) EncodeCreatePayout() (runtime.Response, error) {
	return runtime.Response{Status: http.StatusCreated}, nil
}

// Handlers is what a service implements.
type Handlers interface {
	CreatePayout(ctx context.Context, lease *CreatePayoutLease, req *CreatePayoutRequest) (CreatePayoutResponse, error)
	ReconcileCreatePayoutTransfer(ctx context.Context, step *runtime.Interrupted, req *CreatePayoutRequest) (runtime.Reconciliation, error)
}

// CreatePayoutLease is a request in progress.
type CreatePayoutLease struct {
	lease *runtime.Lease[pgx.Tx]
}

// Reserve is a step.
func (l *CreatePayoutLease) Reserve() runtime.LocalStep[pgx.Tx] {
	return l.lease.Local("reserve")
}

// Transfer is a step.
func (l *CreatePayoutLease) Transfer() runtime.ExternalStep[pgx.Tx] {
	return l.lease.External("transfer")
}

// Note is a step.
func (l *CreatePayoutLease) Note() runtime.LocalStep[pgx.Tx] {
	return l.lease.Local("note")
}

// Complete ends the request.
func (l *CreatePayoutLease) Complete(
	ctx context.Context,
	work func(ctx context.Context, tx pgx.Tx) (CreatePayoutResponse, error),
) (res CreatePayoutResponse, err error) {
	err = l.lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		res, err = work(ctx, tx)
		return encodeCreatePayout(res, err)
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func encodeCreatePayout(res CreatePayoutResponse, err error) (runtime.Response, error) {
	if err != nil {
		return runtime.Response{}, err
	}
	return res.EncodeCreatePayout()
}
