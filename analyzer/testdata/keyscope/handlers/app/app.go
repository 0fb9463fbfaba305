// Package app has handlers over a store of another package.
package app

import (
	"context"
	"fmt"
	"net/http"

	"example.com/idemvet/keyscope/handlers/store"
)

type app struct{ store *store.Store }

type accountKey struct{}

func accountOf(ctx context.Context) string {
	account, _ := ctx.Value(accountKey{}).(string)
	return account
}

// bug: the key goes alone to a store of another package
func (a *app) alone(w http.ResponseWriter, r *http.Request) {
	answer, err := a.store.Find(r.Context(), r.Header.Get("Idempotency-Key")) // want `a record of idempotency_records is looked up by key alone`
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// bug: two functions away
func (a *app) twoAway(w http.ResponseWriter, r *http.Request) {
	answer, err := a.replay(r.Context(), r.Header.Get("Idempotency-Key")) // want `a record of idempotency_records is looked up by key alone`
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

func (a *app) replay(ctx context.Context, key string) (string, error) {
	return a.store.Find(ctx, key)
}

// bug: a middleware
func (a *app) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if key == "" {
			next.ServeHTTP(w, r)
			return
		}
		if answer, err := a.store.Find(r.Context(), key); err == nil { // want `a record of idempotency_records is looked up by key alone`
			fmt.Fprint(w, answer)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fine: the account goes along
func (a *app) scoped(w http.ResponseWriter, r *http.Request) {
	answer, err := a.store.FindScoped(r.Context(), accountOf(r.Context()), r.Header.Get("Idempotency-Key"))
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: the account is part of the key
func (a *app) joined(w http.ResponseWriter, r *http.Request) {
	answer, err := a.store.Find(r.Context(), accountOf(r.Context())+":"+r.Header.Get("Idempotency-Key"))
	if err == nil {
		fmt.Fprint(w, answer)
	}
}

// fine: the key is made of the order's id
func (a *app) derived(ctx context.Context, orderID string) (string, error) {
	return a.store.Find(ctx, "order-"+orderID)
}

// fine: it is not known where the key comes from
func (a *app) fromElsewhere(ctx context.Context, k string) (string, error) {
	return a.store.Find(ctx, k)
}
