// Code in the shape that ent generates, much shortened. DO NOT EDIT.

package ent

import (
	"context"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/sqlgraph"
)

type config struct{ driver dialect.Driver }

// Client is the client that holds all ent builders.
type Client struct {
	config
	IdempotencyKey *IdempotencyKeyClient
	Payment        *PaymentClient
}

// Tx returns a new transactional client.
func (c *Client) Tx(ctx context.Context) (*Tx, error) { return c.BeginTx(ctx, nil) }

// BeginTx returns a transactional client with specified options.
func (c *Client) BeginTx(ctx context.Context, opts *sql.TxOptions) (*Tx, error) {
	return &Tx{config: c.config, IdempotencyKey: c.IdempotencyKey, Payment: c.Payment}, nil
}

// Tx is a transactional client that is created by calling Client.Tx().
type Tx struct {
	config
	IdempotencyKey *IdempotencyKeyClient
	Payment        *PaymentClient
}

// Commit commits the transaction.
func (tx *Tx) Commit() error { return nil }

// Rollback rolls back the transaction.
func (tx *Tx) Rollback() error { return nil }

// Client returns a Client that binds to current transaction.
func (tx *Tx) Client() *Client {
	return &Client{config: tx.config, IdempotencyKey: tx.IdempotencyKey, Payment: tx.Payment}
}

// IdempotencyKey is the model entity for the IdempotencyKey schema.
type IdempotencyKey struct {
	config
	ID  int
	Key string
}

// IdempotencyKeyClient is a client for the IdempotencyKey schema.
type IdempotencyKeyClient struct{ config }

// Create returns a builder for creating a IdempotencyKey entity.
func (c *IdempotencyKeyClient) Create() *IdempotencyKeyCreate {
	return &IdempotencyKeyCreate{config: c.config}
}

// IdempotencyKeyCreate is the builder for creating a IdempotencyKey entity.
type IdempotencyKeyCreate struct{ config }

// SetKey sets the "key" field.
func (c *IdempotencyKeyCreate) SetKey(v string) *IdempotencyKeyCreate { return c }

// Save creates the IdempotencyKey in the database.
func (c *IdempotencyKeyCreate) Save(ctx context.Context) (*IdempotencyKey, error) {
	return nil, sqlgraph.CreateNode(ctx, c.driver, nil)
}

// Exec executes the query.
func (c *IdempotencyKeyCreate) Exec(ctx context.Context) error { return nil }

// Payment is the model entity for the Payment schema.
type Payment struct {
	config
	ID     int
	Amount int
}

// PaymentClient is a client for the Payment schema.
type PaymentClient struct{ config }

// Create returns a builder for creating a Payment entity.
func (c *PaymentClient) Create() *PaymentCreate { return &PaymentCreate{config: c.config} }

// PaymentCreate is the builder for creating a Payment entity.
type PaymentCreate struct{ config }

// SetAmount sets the "amount" field.
func (c *PaymentCreate) SetAmount(v int) *PaymentCreate { return c }

// Save creates the Payment in the database.
func (c *PaymentCreate) Save(ctx context.Context) (*Payment, error) { return nil, nil }

// Exec executes the query.
func (c *PaymentCreate) Exec(ctx context.Context) error { return nil }
