// Package common stands in for a package of Adyen's SDK, of which it has what the cases use.
package common

import "context"

type contextKey int

// WithIdempotencyKey gives a context whose key the next call sends.
func WithIdempotencyKey(ctx context.Context, idempotencyKey string) context.Context {
	return context.WithValue(ctx, contextKey(1), idempotencyKey)
}
