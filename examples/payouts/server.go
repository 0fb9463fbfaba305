package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payouts/api"
	"github.com/idemgen/idemgen/runtime"
)

// serve returns the service's routes, and the recovery that finishes what other processes, and this one before it was
// started again, have left unfinished. What becomes of requests, steps and recovered work is logged; a service with metrics has
// package otelidem count it as well, by runtime.Observers.
func serve(store runtime.Store[pgx.Tx], s service) (http.Handler, *runtime.Recovery[pgx.Tx], error) {
	engine, err := runtime.New(store, account, runtime.WithObserver(runtime.LogObserver(nil)))
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	if err := api.Register(mux, engine, s); err != nil {
		return nil, nil, err
	}
	mux.HandleFunc("GET /payouts/{id}", s.getPayout)
	mux.HandleFunc("GET /balance", s.getBalance)
	recovery, err := engine.NewRecovery(runtime.WithRecoveryInterval(time.Second))
	return mux, recovery, err
}

func (s service) getPayout(w http.ResponseWriter, r *http.Request) {
	name, err := account(r)
	if err != nil {
		answer(w, http.StatusUnauthorized, problem(http.StatusUnauthorized, "Who is asking?", "Send the request with valid credentials."))
		return
	}
	payout, err := s.ledger.payout(r.Context(), name, r.PathValue("id"))
	switch {
	case errors.Is(err, errNotFound):
		answer(w, http.StatusNotFound, problem(http.StatusNotFound, "No such payout", "The account has no payout with this id."))
	case err != nil:
		answer(w, http.StatusServiceUnavailable, problem(http.StatusServiceUnavailable, "The payout cannot be read", "Try again later."))
	default:
		answer(w, http.StatusOK, payout)
	}
}

func (s service) getBalance(w http.ResponseWriter, r *http.Request) {
	name, err := account(r)
	if err != nil {
		answer(w, http.StatusUnauthorized, problem(http.StatusUnauthorized, "Who is asking?", "Send the request with valid credentials."))
		return
	}
	balance, err := s.ledger.balance(r.Context(), name)
	if err != nil {
		answer(w, http.StatusServiceUnavailable, problem(http.StatusServiceUnavailable, "The balance cannot be read", "Try again later."))
		return
	}
	answer(w, http.StatusOK, map[string]int64{"balance": balance})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
