package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payouts/api"
	"github.com/idemgen/idemgen/runtime"
)

// service implements the generated interface. It is plain code, one step after the other; after a crash it is run again, by
// whoever asks or by recovery, and each step that is done returns what is stored of it.
type service struct {
	ledger       ledger
	bank, mailer partner
}

var _ api.Handlers = service{}

// CreatePayout sets money aside, has the bank send it, tells its owner, and settles.
func (s service) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	reserved, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (reservation, error) {
		return s.ledger.reserve(ctx, tx, req.Principal, req.Body)
	})
	if err != nil {
		return nil, fmt.Errorf("set money aside: %w", err)
	}
	if reserved.Short {
		return api.CreatePayout402{Body: problem(http.StatusPaymentRequired, "There is not enough money", "The payout is over the account's balance.")}, nil
	}

	sent, err := runtime.DoExternal(ctx, lease.Transfer(), func(ctx context.Context, out *runtime.Outbound) (receipt, error) {
		return s.bank.ask(ctx, out, req.Body)
	})
	if err != nil {
		return nil, fmt.Errorf("ask the bank: %w", err)
	}
	if sent.Refused != "" { // the bank has decided: a step may be left out, and the money comes back
		return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
			if err := s.ledger.giveBack(ctx, tx, reserved.PayoutID); err != nil {
				return nil, fmt.Errorf("give money back: %w", err)
			}
			return api.CreatePayout402{Body: problem(http.StatusPaymentRequired, "The bank has refused", "The bank says: "+sent.Refused)}, nil
		})
	}

	_, err = runtime.DoExternal(ctx, lease.Notify(), func(ctx context.Context, out *runtime.Outbound) (receipt, error) {
		return s.mailer.ask(ctx, out, notice{Account: req.Principal, Transfer: sent.ID})
	})
	if err != nil {
		return nil, fmt.Errorf("ask the mailer: %w", err)
	}

	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		payout, err := s.ledger.settle(ctx, tx, reserved.PayoutID, sent.ID)
		if err != nil {
			return nil, fmt.Errorf("settle: %w", err)
		}
		return api.CreatePayout201{Location: "/payouts/" + payout.ID, Body: payout}, nil
	})
}

// ReconcileCreatePayoutTransfer asks the bank what became of a transfer.
func (s service) ReconcileCreatePayoutTransfer(ctx context.Context, step *runtime.Interrupted, _ *api.CreatePayoutRequest) (runtime.Reconciliation, error) {
	return s.bank.reconcile(ctx, step)
}

// ReconcileCreatePayoutNotify asks the mailer what became of a notice.
func (s service) ReconcileCreatePayoutNotify(ctx context.Context, step *runtime.Interrupted, _ *api.CreatePayoutRequest) (runtime.Reconciliation, error) {
	return s.mailer.reconcile(ctx, step)
}

// notice is what the mailer is asked to send.
type notice struct {
	Account  string `json:"account"`
	Transfer string `json:"transfer"`
}

// problem is an error of the business.
func problem(status int, title, detail string) api.Problem {
	code, kind := int32(status), "about:blank"
	return api.Problem{Type: &kind, Title: &title, Status: &code, Detail: &detail}
}
