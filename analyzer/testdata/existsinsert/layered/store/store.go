// Package store has the repositories: the only place with SQL.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lib/pq"

	"example.com/idemvet/existsinsert/layered/domain"
)

type Orders struct{ db *sql.DB }

func NewOrders(db *sql.DB) *Orders { return &Orders{db: db} }

func (o *Orders) FindByReference(ctx context.Context, reference string) (*domain.Order, error) {
	var order domain.Order
	err := o.db.QueryRowContext(ctx, `SELECT id, reference, cents FROM lay_orders WHERE reference = $1`, reference).Scan(&order.ID, &order.Reference, &order.Cents)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, domain.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find order: %w", err)
	}
	return &order, nil
}

func (o *Orders) Exists(ctx context.Context, reference string) (bool, error) {
	var found bool
	err := o.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM lay_orders WHERE reference = $1)`, reference).Scan(&found)
	return found, err
}

func (o *Orders) Create(ctx context.Context, order *domain.Order) error {
	_, err := o.db.ExecContext(ctx, `INSERT INTO lay_orders (id, reference, cents) VALUES ($1, $2, $3)`, order.ID, order.Reference, order.Cents)
	return err
}

// CreateOnce tells a second order of the same reference apart.
func (o *Orders) CreateOnce(ctx context.Context, order *domain.Order) error {
	_, err := o.db.ExecContext(ctx, `INSERT INTO lay_orders (id, reference, cents) VALUES ($1, $2, $3)`, order.ID, order.Reference, order.Cents)
	var pqErr *pq.Error
	if errors.As(err, &pqErr) && pqErr.Code == "23505" {
		return domain.ErrDuplicate
	}
	return err
}

type Receipts struct{ db *sql.DB }

func (r *Receipts) Create(ctx context.Context, receipt *domain.Receipt) error {
	_, err := r.db.ExecContext(ctx, `INSERT INTO lay_receipts (id, order_id) VALUES ($1, $2)`, receipt.ID, receipt.Order)
	return err
}

// Store is made of repositories.
type Store struct {
	Orders   *Orders
	Receipts *Receipts
}
