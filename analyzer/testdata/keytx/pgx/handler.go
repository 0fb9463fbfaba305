package pgx

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/jackc/pgx/v5"
)

var errLater = errors.New("try later")

func (s *service) createOrder(ctx context.Context, v order) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return s.orders.create(ctx, tx, v) })
}

// bug: the key after the commit; the client is told when it cannot be kept, and tries again
func (s *service) answered(w http.ResponseWriter, r *http.Request) {
	if err := s.createOrder(r.Context(), order{}); err != nil {
		http.Error(w, "try later", http.StatusServiceUnavailable)
		return
	}
	if err := s.keys.save(r.Context(), r.Header.Get("Idempotency-Key")); err != nil { // want `idempotency_keys is written after the commit that keeps orders: a crash`
		http.Error(w, "try later", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// bug: the key after the commit, and the client is told that all is well
func (s *service) loggedInHandler(w http.ResponseWriter, r *http.Request) {
	if err := s.createOrder(r.Context(), order{}); err != nil {
		http.Error(w, "try later", http.StatusServiceUnavailable)
		return
	}
	if err := s.keys.save(r.Context(), r.Header.Get("Idempotency-Key")); err != nil { // want `idempotency_keys is written after the commit that keeps orders, and its error does not leave the function: a crash`
		slog.Error("save key", "err", err)
	}
	w.WriteHeader(http.StatusCreated)
}

// bug: the key after the commit; another error is returned in place of its own
func (s *service) translated(ctx context.Context, key string) error {
	if err := s.createOrder(ctx, order{}); err != nil {
		return err
	}
	if err := s.keys.save(ctx, key); err != nil { // want `idempotency_keys is written after the commit that keeps orders: a crash`
		slog.Error("save key", "err", err)
		return errLater
	}
	return nil
}
