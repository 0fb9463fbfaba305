// Package steps has handlers in lease mode of idemgen's generated interface: each of their transactions is one that the runtime gives.
package steps

import (
	"context"

	"github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/idemvet/keytx/ownruntime/orders"
	"example.com/idemvet/keytx/steps/api"
	"example.com/idemvet/keytx/steps/ledger"
)

type service struct {
	pool   *pgxpool.Pool
	pooled *orders.Pooled
}

func (s service) ReconcileCreatePayoutTransfer(context.Context, *runtime.Interrupted, *api.CreatePayoutRequest) (runtime.Reconciliation, error) {
	return runtime.NotDone(), nil
}

var _ api.Handlers = service{}

// fine: a step and the completion, each in the transaction that it is given
func (s service) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	id, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (id string, err error) {
		err = tx.QueryRow(ctx, `INSERT INTO payouts (account) VALUES ($1) RETURNING id`, req.Account).Scan(&id)
		return id, err
	})
	if err != nil {
		return nil, err
	}
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		if _, err := tx.Exec(ctx, `UPDATE payouts SET state = 'sent' WHERE id = $1`, id); err != nil {
			return nil, err
		}
		return api.CreatePayout201{}, nil
	})
}

type fineTwoSteps struct{ service }

// fine: two steps and two completions, through helpers that take tx
func (s fineTwoSteps) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	_, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, orders.Create(ctx, tx, "reserve")
	})
	if err != nil {
		return nil, err
	}
	refused, err := runtime.DoExternal(ctx, lease.Transfer(), func(context.Context, *runtime.Outbound) (bool, error) { return false, nil })
	if err != nil {
		return nil, err
	}
	if refused {
		return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
			return api.CreatePayout201{}, orders.Create(ctx, tx, "refund")
		})
	}
	_, err = runtime.DoLocal(ctx, lease.Note(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, orders.Create(ctx, tx, "note")
	})
	if err != nil {
		return nil, err
	}
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		_, err := orders.New(tx).Create(ctx, "settle")
		return api.CreatePayout201{}, err
	})
}

type fineMethods struct{ service }

// fine: methods are handed to the runtime, not literals
func (s fineMethods) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	if _, err := runtime.DoLocal(ctx, lease.Reserve(), s.reserve); err != nil {
		return nil, err
	}
	return lease.Complete(ctx, s.settle)
}

func (s fineMethods) reserve(ctx context.Context, tx pgx.Tx) (bool, error) {
	_, err := tx.Exec(ctx, `INSERT INTO payouts (state) VALUES ('reserved')`)
	return true, err
}

func (s fineMethods) settle(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
	_, err := tx.Exec(ctx, `UPDATE payouts SET state = 'sent'`)
	return api.CreatePayout201{}, err
}

type fineOwnHelpers struct{ service }

// fine: a function of its own does a step, one of another package does another, and this one completes
func (s fineOwnHelpers) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	if err := s.reserve(ctx, lease); err != nil {
		return nil, err
	}
	if err := ledger.Note(ctx, lease); err != nil {
		return nil, err
	}
	if err := ledger.Step(ctx, lease, func(ctx context.Context, tx pgx.Tx) error { return orders.Create(ctx, tx, "step") }); err != nil {
		return nil, err
	}
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		return api.CreatePayout201{}, orders.Create(ctx, tx, "settle")
	})
}

func (s fineOwnHelpers) reserve(ctx context.Context, lease *api.CreatePayoutLease) error {
	_, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, orders.Create(ctx, tx, "reserve")
	})
	return err
}

type fineSavepoint struct{ service }

// fine: a savepoint in the second of two transactions
func (s fineSavepoint) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	if err := ledger.Note(ctx, lease); err != nil {
		return nil, err
	}
	work := func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		return api.CreatePayout201{}, pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error { return orders.Create(ctx, inner, "settle") })
	}
	return lease.Complete(ctx, work)
}

// fine: a lease of the runtime itself, and a transaction that its store gives for a fenced write
func fenced(ctx context.Context, lease *runtime.Lease[pgx.Tx], store runtime.LeaseStore[pgx.Tx], id runtime.ID, fence runtime.Fence) error {
	err := lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		return runtime.Response{Status: 201}, orders.Create(ctx, tx, "settle")
	})
	if err != nil {
		return err
	}
	work, err := store.BeginFenced(ctx, id, fence)
	if err != nil {
		return err
	}
	return orders.Create(ctx, work.Tx(), "fenced")
}

type poolInStep struct{ service }

// bug: a step writes over the pool, beside the transaction that it is given
func (s poolInStep) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	_, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		_, err := s.pool.Exec(ctx, `INSERT INTO payouts (account) VALUES ($1)`, req.Account) // want `payouts is written over the pool, outside the transaction that the handler was given as tx: it stays when that is rolled back, and a retry writes it again\. Write it through tx\.`
		return true, err
	})
	return api.CreatePayout201{}, err
}

type poolInCompletion struct{ service }

// bug: the completion writes over the pool; the step before it has a transaction of another name
func (s poolInCompletion) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	_, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, first pgx.Tx) (bool, error) {
		return true, orders.Create(ctx, first, "reserve")
	})
	if err != nil {
		return nil, err
	}
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		return api.CreatePayout201{}, s.pooled.Create(ctx, "settle") // want `orders is written over the pool, outside the transaction that the handler was given as tx.*Write it through tx\.`
	})
}

type ownTxInStep struct{ service }

// bug: what a step calls starts a transaction of its own
func (s ownTxInStep) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		return api.CreatePayout201{}, s.pooled.CreateInOwnTx(ctx, "settle") // want `orders is written in another transaction, outside the transaction that the handler was given as tx`
	})
}

type poolBetweenSteps struct{ service }

// bug: what stands between steps is done again by each run
func (s poolBetweenSteps) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	if err := s.pooled.Create(ctx, "between"); err != nil { // want `orders is written over the pool, outside the transactions that the handler was given: it stays when they are rolled back, and a retry writes it again\. Write it through the one of a step\.`
		return nil, err
	}
	_, err := runtime.DoLocal(ctx, lease.Reserve(), func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, orders.Create(ctx, tx, "reserve")
	})
	if err != nil {
		return nil, err
	}
	return lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
		return api.CreatePayout201{}, orders.Create(ctx, tx, "settle")
	})
}

type poolInMethod struct{ service }

// bug: a method that is handed to the runtime writes over the pool
func (s poolInMethod) CreatePayout(ctx context.Context, lease *api.CreatePayoutLease, req *api.CreatePayoutRequest) (api.CreatePayoutResponse, error) {
	return lease.Complete(ctx, s.settle) // want `payouts is written over the pool, outside the transaction that the handler was given: `
}

func (s poolInMethod) settle(ctx context.Context, tx pgx.Tx) (api.CreatePayoutResponse, error) {
	_, err := s.pool.Exec(ctx, `UPDATE payouts SET state = 'sent'`)
	return api.CreatePayout201{}, err
}
