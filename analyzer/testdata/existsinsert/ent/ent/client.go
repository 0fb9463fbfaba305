// Code in the shape that ent generates, much shortened. DO NOT EDIT.

package ent

import (
	"context"
	stdsql "database/sql"
	"errors"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/sqlgraph"

	"example.com/idemvet/existsinsert/ent/ent/payment"
	"example.com/idemvet/existsinsert/ent/ent/predicate"
)

type config struct{ driver dialect.Driver }

// Client is the client that holds all ent builders.
type Client struct {
	config
	// Payment is the client for interacting with the Payment builders.
	Payment *PaymentClient
}

// Tx returns a new transactional client.
func (c *Client) Tx(ctx context.Context) (*Tx, error) { return c.BeginTx(ctx, nil) }

// BeginTx returns a transactional client with specified options.
func (c *Client) BeginTx(ctx context.Context, opts *sql.TxOptions) (*Tx, error) {
	return &Tx{config: c.config, Payment: c.Payment}, nil
}

// Tx is a transactional client that is created by calling Client.Tx().
type Tx struct {
	config
	Payment *PaymentClient
}

// Commit commits the transaction.
func (tx *Tx) Commit() error { return nil }

// Rollback rolls back the transaction.
func (tx *Tx) Rollback() error { return nil }

// Client returns a Client that binds to current transaction.
func (tx *Tx) Client() *Client { return &Client{config: tx.config, Payment: tx.Payment} }

// Payment is the model entity for the Payment schema.
type Payment struct {
	config
	ID        int
	Reference string
	AccountID int
	Amount    int
}

// PaymentClient is a client for the Payment schema.
type PaymentClient struct{ config }

func (c *PaymentClient) Create() *PaymentCreate { return &PaymentCreate{config: c.config} }
func (c *PaymentClient) CreateBulk(builders ...*PaymentCreate) *PaymentCreateBulk {
	return &PaymentCreateBulk{config: c.config, builders: builders}
}
func (c *PaymentClient) Update() *PaymentUpdate { return &PaymentUpdate{config: c.config} }
func (c *PaymentClient) UpdateOneID(id int) *PaymentUpdateOne {
	return &PaymentUpdateOne{config: c.config}
}
func (c *PaymentClient) Delete() *PaymentDelete { return &PaymentDelete{config: c.config} }
func (c *PaymentClient) Query() *PaymentQuery   { return &PaymentQuery{config: c.config} }

// Get returns a Payment entity by its id.
func (c *PaymentClient) Get(ctx context.Context, id int) (*Payment, error) {
	return c.Query().Where(payment.ID(id)).Only(ctx)
}

// PaymentQuery is the builder for querying Payment entities.
type PaymentQuery struct {
	config
	predicates []predicate.Payment
}

func (q *PaymentQuery) Where(ps ...predicate.Payment) *PaymentQuery {
	q.predicates = append(q.predicates, ps...)
	return q
}
func (q *PaymentQuery) Limit(int) *PaymentQuery                        { return q }
func (q *PaymentQuery) ForUpdate(opts ...sql.LockOption) *PaymentQuery { return q }
func (q *PaymentQuery) First(ctx context.Context) (*Payment, error)    { return nil, &NotFoundError{} }
func (q *PaymentQuery) Only(ctx context.Context) (*Payment, error)     { return nil, &NotFoundError{} }
func (q *PaymentQuery) All(ctx context.Context) ([]*Payment, error)    { return nil, nil }
func (q *PaymentQuery) Exist(ctx context.Context) (bool, error)        { return false, nil }
func (q *PaymentQuery) Count(ctx context.Context) (int, error)         { return 0, nil }

// PaymentCreate is the builder for creating a Payment entity.
type PaymentCreate struct {
	config
	conflict []sql.ConflictOption
}

func (c *PaymentCreate) SetReference(v string) *PaymentCreate       { return c }
func (c *PaymentCreate) SetAccountID(v int) *PaymentCreate          { return c }
func (c *PaymentCreate) SetAmount(v int) *PaymentCreate             { return c }
func (c *PaymentCreate) SetNillableAmount(v *int) *PaymentCreate    { return c }
func (c *PaymentCreate) Save(ctx context.Context) (*Payment, error) { return nil, sqlgraphCreate() }
func (c *PaymentCreate) Exec(ctx context.Context) error             { return sqlgraphCreate() }
func (c *PaymentCreate) ExecX(ctx context.Context)                  {}
func (c *PaymentCreate) OnConflict(opts ...sql.ConflictOption) *PaymentUpsertOne {
	c.conflict = opts
	return &PaymentUpsertOne{create: c}
}
func (c *PaymentCreate) OnConflictColumns(columns ...string) *PaymentUpsertOne {
	c.conflict = append(c.conflict, sql.ConflictColumns(columns...))
	return &PaymentUpsertOne{create: c}
}

// PaymentUpsertOne is the builder for "upsert"-ing one Payment node.
type PaymentUpsertOne struct{ create *PaymentCreate }

func (u *PaymentUpsertOne) UpdateNewValues() *PaymentUpsertOne  { return u }
func (u *PaymentUpsertOne) DoNothing() *PaymentUpsertOne        { return u }
func (u *PaymentUpsertOne) Ignore() *PaymentUpsertOne           { return u }
func (u *PaymentUpsertOne) Exec(ctx context.Context) error      { return u.create.Exec(ctx) }
func (u *PaymentUpsertOne) ID(ctx context.Context) (int, error) { return 0, stdsql.ErrNoRows }

// PaymentCreateBulk is the builder for creating many Payment entities in bulk.
type PaymentCreateBulk struct {
	config
	builders []*PaymentCreate
}

func (c *PaymentCreateBulk) Save(ctx context.Context) ([]*Payment, error) { return nil, nil }

// PaymentUpdate is the builder for updating Payment entities.
type PaymentUpdate struct{ config }

func (u *PaymentUpdate) Where(ps ...predicate.Payment) *PaymentUpdate { return u }
func (u *PaymentUpdate) SetAmount(v int) *PaymentUpdate               { return u }
func (u *PaymentUpdate) Save(ctx context.Context) (int, error)        { return 0, nil }

// PaymentUpdateOne is the builder for updating a single Payment entity.
type PaymentUpdateOne struct{ config }

func (u *PaymentUpdateOne) SetAmount(v int) *PaymentUpdateOne          { return u }
func (u *PaymentUpdateOne) Save(ctx context.Context) (*Payment, error) { return nil, nil }

// PaymentDelete is the builder for deleting a Payment entity.
type PaymentDelete struct{ config }

func (d *PaymentDelete) Where(ps ...predicate.Payment) *PaymentDelete { return d }
func (d *PaymentDelete) Exec(ctx context.Context) (int, error)        { return 0, nil }

// NotFoundError returns when trying to fetch a specific entity and it was not found in the database.
type NotFoundError struct{ label string }

func (e *NotFoundError) Error() string { return "ent: " + e.label + " not found" }

// IsNotFound returns a boolean indicating whether the error is a not found error.
func IsNotFound(err error) bool {
	var e *NotFoundError
	return errors.As(err, &e)
}

// ConstraintError returns when trying to create/update one or more entities and one or more of their constraints failed.
type ConstraintError struct{ wrap error }

func (e ConstraintError) Error() string  { return "ent: constraint failed" }
func (e *ConstraintError) Unwrap() error { return e.wrap }

// IsConstraintError returns a boolean indicating whether the error is a constraint failure.
func IsConstraintError(err error) bool {
	var e *ConstraintError
	return errors.As(err, &e)
}

func sqlgraphCreate() error {
	err := errors.New("create")
	if sqlgraph.IsConstraintError(err) {
		return &ConstraintError{err}
	}
	return err
}
