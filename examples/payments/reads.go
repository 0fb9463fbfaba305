package main

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/idemgen/idemgen/examples/payments/api"
)

// maxSearchBody bounds the body of a search, in bytes.
const maxSearchBody = 64 << 10

// reads serves the operations that change nothing. They need no key, so nothing is generated for them.
type reads struct{ ledger ledger }

func (h reads) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /payments/{id}", h.payment)
	mux.HandleFunc("POST /payments/search", h.search)
}

func (h reads) payment(w http.ResponseWriter, r *http.Request) {
	owner, err := account(r)
	if err != nil {
		send(w, http.StatusUnauthorized, problem(http.StatusUnauthorized, "Not authenticated", "Send a bearer token."))
		return
	}
	payment, err := h.ledger.payment(r.Context(), owner, r.PathValue("id"))
	switch {
	case errors.Is(err, errNotFound):
		send(w, http.StatusNotFound, noSuchPayment())
	case err != nil:
		send(w, http.StatusInternalServerError, problem(http.StatusInternalServerError, "Internal error", "Try again later."))
	default:
		send(w, http.StatusOK, payment)
	}
}

func (h reads) search(w http.ResponseWriter, r *http.Request) {
	owner, err := account(r)
	if err != nil {
		send(w, http.StatusUnauthorized, problem(http.StatusUnauthorized, "Not authenticated", "Send a bearer token."))
		return
	}
	var query struct {
		OrderID string `json:"order_id"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxSearchBody)).Decode(&query); err != nil {
		send(w, http.StatusBadRequest, problem(http.StatusBadRequest, "The body is not JSON", "Send a JSON object."))
		return
	}
	payments, err := h.ledger.payments(r.Context(), owner, query.OrderID)
	if err != nil {
		send(w, http.StatusInternalServerError, problem(http.StatusInternalServerError, "Internal error", "Try again later."))
		return
	}
	send(w, http.StatusOK, payments)
}

func send(w http.ResponseWriter, status int, body any) {
	kind := "application/json"
	if _, ok := body.(api.Problem); ok {
		kind = "application/problem+json"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
