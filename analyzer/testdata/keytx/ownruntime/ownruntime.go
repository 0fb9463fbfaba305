// Package ownruntime has handlers of idemgen's generated interface.
package ownruntime

import (
	"context"
	"log/slog"

	"github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/idemvet/keytx/ownruntime/api"
	"example.com/idemvet/keytx/ownruntime/orders"
)

type service struct {
	pool   *pgxpool.Pool
	pooled *orders.Pooled
	bound  *orders.Bound
}

// bug: the handler writes over the pool
func (s service) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if _, err := s.pool.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, req.Item); err != nil { // want `orders is written over the pool, outside the transaction that the handler was given as tx`
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type serviceWithRepository struct{ service }

// bug: a repository of another package is bound to the pool
func (s serviceWithRepository) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if err := s.pooled.Create(ctx, req.Item); err != nil { // want `orders is written over the pool, outside the transaction that the handler was given as tx`
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type serviceWithOwnTx struct{ service }

// bug: a function that the handler calls starts a transaction of its own
func (s serviceWithOwnTx) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if err := s.pooled.CreateInOwnTx(ctx, req.Item); err != nil { // want `orders is written in another transaction, outside the transaction that the handler was given as tx`
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type serviceThatBegins struct{ service }

// bug: the handler starts a transaction itself
func (s serviceThatBegins) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	own, err := s.pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer own.Rollback(ctx)
	if _, err := own.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, req.Item); err != nil { // want `orders is written in another transaction, outside the transaction that the handler was given as tx`
		return nil, err
	}
	return api.CreateOrder201{}, own.Commit(ctx)
}

type serviceTwoDeep struct{ service }

// bug: two calls away
func (s serviceTwoDeep) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if err := s.place(ctx, req.Item); err != nil { // want `orders is written over the pool, outside the transaction that the handler was given as tx`
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

func (s serviceTwoDeep) place(ctx context.Context, item string) error {
	return s.pooled.Create(ctx, item)
}

type serviceBoundToPool struct{ service }

// bug: the repository is bound when the service is made, so to no transaction
func (s serviceBoundToPool) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if _, err := s.bound.Create(ctx, req.Item); err != nil { // want `orders is written over what the service was made with, outside the transaction that the handler was given as tx`
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type serviceThatSpawns struct{ service }

// bug: one through tx, one over the pool
func (s serviceThatSpawns) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if err := orders.Create(ctx, tx, req.Item); err != nil {
		return nil, err
	}
	if err := s.pooled.Create(ctx, "gift"); err != nil { // want `orders is written over the pool, outside the transaction that the handler was given as tx`
		slog.Error("gift", "err", err)
	}
	return api.CreateOrder201{}, nil
}

// bug: the runtime without generated code
func withoutGenerated(call *runtime.Call[pgx.Tx], s service) {
	call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		err := s.pooled.Create(ctx, "book") // want `orders is written over the pool, outside the transaction that the handler was given as tx`
		return runtime.Response{Status: 201}, err
	})
}

type fineService struct{ service }

// fine: everything through tx
func (s fineService) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if err := orders.Create(ctx, tx, req.Item); err != nil {
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type fineReads struct{ service }

// fine: a read on the pool is worth a look, no more
func (s fineReads) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if _, err := s.pooled.Find(ctx, req.Item); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, req.Item); err != nil {
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type fineSavepoint struct{ service }

// fine: a savepoint for the part that may fail
func (s fineSavepoint) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := orders.Create(ctx, inner, req.Item); err != nil {
		return api.CreateOrder201{}, inner.Rollback(ctx)
	}
	return api.CreateOrder201{}, inner.Commit(ctx)
}

type fineBound struct{ service }

// fine: a repository is bound to tx in the handler
func (s fineBound) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if _, err := orders.New(tx).Create(ctx, req.Item); err != nil {
		return nil, err
	}
	return api.CreateOrder201{}, nil
}

type fineAudit struct{ service }

// fine: an audit line that shall stay when the work is rolled back
func (s fineAudit) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if _, err := s.pool.Exec(ctx, `INSERT INTO audit_log (what) VALUES ($1)`, req.Item); err != nil {
		return nil, err
	}
	return api.CreateOrder201{}, orders.Create(ctx, tx, req.Item)
}

// fine: the runtime without generated code, through tx
func withoutGeneratedInTx(call *runtime.Call[pgx.Tx]) {
	call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
		return runtime.Response{Status: 201}, orders.Create(ctx, tx, "book")
	})
}

// fine: a method of the same name that is no handler
func (s *other) CreateOrder(ctx context.Context, tx pgx.Tx, item string) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, item)
	return err
}

type other struct{ pool *pgxpool.Pool }

type serviceThatTellsOfFailure struct{ service }

// fine: what is kept of a failure has to outlive the transaction
func (s serviceThatTellsOfFailure) CreateOrder(ctx context.Context, tx pgx.Tx, req *api.CreateOrderRequest) (api.CreateOrderResponse, error) {
	if _, err := tx.Exec(ctx, `INSERT INTO orders (item) VALUES ($1)`, req.Item); err != nil {
		s.pool.Exec(ctx, `INSERT INTO refusals (item) VALUES ($1)`, req.Item)
		return nil, err
	}
	return api.CreateOrder201{}, nil
}
