// Package gateway speaks of payments, with several ways to a key.
package gateway

import (
	"context"

	"example.com/idemvet/retrykey/facts/ids"
	"example.com/idemvet/retrykey/facts/transport"
)

// Client is the gateway.
type Client struct{ url string }

// Charge mints two calls away.
func (c *Client) Charge(ctx context.Context, amount int) error {
	return c.send(ctx)
}

func (c *Client) send(ctx context.Context) error { return transport.PostFresh(ctx, c.url) }

// ChargeWith is given the key.
func (c *Client) ChargeWith(ctx context.Context, amount int, ref string) error {
	return transport.Post(ctx, c.url, ref)
}

// Option changes a call.
type Option func(*call)

type call struct{ key string }

// WithRef gives the key.
func WithRef(ref string) Option { return func(c *call) { c.key = ref } }

// ChargeOptions mints when no option gives a key.
func (c *Client) ChargeOptions(ctx context.Context, options ...Option) error {
	var made call
	for _, option := range options {
		option(&made)
	}
	if made.key == "" {
		made.key = ids.New()
	}
	return transport.Post(ctx, c.url, made.key)
}

// Charger has one implementation.
type Charger interface {
	Charge(ctx context.Context, amount int) error
}

// Ignored is right in a way that cannot be seen.
func (c *Client) Ignored(ctx context.Context) error {
	//idemvet:ignore retrykey the server takes the order's number as key
	return transport.PostFresh(ctx, c.url)
}
