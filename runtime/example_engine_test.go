package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// createPayment is an operation as generated code describes it.
var createPayment = runtime.Operation{
	ID:     "createPayment",
	Method: "POST",
	Route:  "/payments",
	Policy: policy.Policy{
		Mode:        policy.Transaction,
		Key:         policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, MaxLength: 255, Syntax: policy.Either},
		Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
		Retention:   24 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402"}, MaxBody: 1 << 20},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
	},
}

// accountOf stands for what authentication left behind.
func accountOf(r *http.Request) (string, error) {
	account := r.Header.Get("X-Account")
	if account == "" {
		return "", runtime.ErrUnauthenticated
	}
	return account, nil
}

// post sends one request and prints its answer.
func post(h http.Handler, key, body string) {
	r := httptest.NewRequest("POST", "/payments", strings.NewReader(body))
	r.Header.Set("X-Account", "acct_1")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	title := strings.TrimSpace(w.Body.String())
	if _, rest, ok := strings.Cut(title, `"title":"`); ok {
		title, _, _ = strings.Cut(rest, `"`)
	}
	fmt.Printf("%d %s replayed=%t\n", w.Code, title, w.Header().Get("Idempotent-Replayed") == "true")
}

// A wrapper that idemgen generates is these few lines for each operation.
func ExampleEngine() {
	engine, err := runtime.New[pgx.Tx](memstore.New(), accountOf)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := engine.Register(&createPayment); err != nil {
		fmt.Println(err)
		return
	}
	payments := 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /payments", func(w http.ResponseWriter, r *http.Request) {
		call, ok := engine.Begin(w, r, &createPayment)
		if !ok {
			return
		}
		call.Transaction(func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
			if err := memstore.OnCommit(tx, func() { payments++ }); err != nil {
				return runtime.Response{}, err
			}
			return runtime.Response{Status: 201, Body: []byte("payment for " + call.Principal())}, nil
		})
	})

	post(mux, "k1", `{"amount": 100}`)
	post(mux, "k1", `{"amount": 100.0}`)
	post(mux, "k1", `{"amount": 200}`)
	post(mux, "k2", `{"amount": 100}`)
	fmt.Println(payments, "payments")
	// Output:
	// 201 payment for acct_1 replayed=false
	// 201 payment for acct_1 replayed=true
	// 422 Idempotency key was used for another request replayed=false
	// 201 payment for acct_1 replayed=false
	// 2 payments
}

// A handler that exists already, and writes to an http.ResponseWriter, is served as it is.
func ExampleEngine_Handler() {
	engine, err := runtime.New[pgx.Tx](memstore.New(), accountOf)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0
	handler := engine.Handler(&createPayment, func(_ context.Context, w http.ResponseWriter, _ *http.Request, _ pgx.Tx) error {
		n++
		w.WriteHeader(http.StatusCreated)
		_, err := fmt.Fprintf(w, "payment %d", n)
		return err
	})
	post(handler, "k1", `{}`)
	post(handler, "k1", `{}`)
	// Output:
	// 201 payment 1 replayed=false
	// 201 payment 1 replayed=true
}

// A handler returns a Problem for what a client is to be told; its work is rolled back and nothing is stored.
func ExampleProblem() {
	engine, err := runtime.New[pgx.Tx](memstore.New(), accountOf)
	if err != nil {
		fmt.Println(err)
		return
	}
	open := false
	handler := engine.Handler(&createPayment, func(_ context.Context, w http.ResponseWriter, _ *http.Request, _ pgx.Tx) error {
		if !open {
			return &runtime.Problem{Status: http.StatusForbidden, Title: "The account is closed", Err: errors.New("for the log")}
		}
		w.WriteHeader(http.StatusCreated)
		return nil
	})
	post(handler, "k1", `{}`)
	open = true
	post(handler, "k1", `{}`)
	// Output:
	// 403 The account is closed replayed=false
	// 201  replayed=false
}
