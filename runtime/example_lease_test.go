package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// createPayout is an operation in lease mode, as generated code describes it: it reserves money in the database, and has a
// bank transfer it.
var createPayout = runtime.Operation{
	ID:     "createPayout",
	Method: "POST",
	Route:  "/payments",
	Policy: policy.Policy{
		Mode:        policy.LeaseMode,
		Key:         policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, MaxLength: 255, Syntax: policy.Either},
		Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
		Retention:   24 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402"}, MaxBody: 1 << 20},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second},
		Lease:       policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second},
		Steps:       []string{"reserve", "transfer"},
		Downstream:  []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}},
	},
}

// transfers is what the bank has done, by the keys that it was sent.
type transfers map[string]string

// payOut is the handler. It is plain code: when it is run again after a failure, steps that are done return what is stored.
func (t transfers) payOut(ctx context.Context, lease *runtime.Lease[pgx.Tx], answers bool) (runtime.Response, error) {
	reservation, err := runtime.DoLocal(ctx, lease.Local("reserve"), func(_ context.Context, tx pgx.Tx) (string, error) {
		return "reservation 1", memstore.OnCommit(tx, func() { fmt.Println("reserved") })
	})
	if err != nil {
		return runtime.Response{}, err
	}
	transfer, err := runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
		t[out.Key()] = "transfer 1"
		fmt.Println("transferred")
		if !answers {
			return "", errors.New("the bank's answer was lost")
		}
		return t[out.Key()], nil
	})
	if err != nil {
		return runtime.Response{}, err
	}
	answer := runtime.Response{Status: 201, Body: []byte(reservation + ", " + transfer)}
	err = lease.Complete(ctx, func(_ context.Context, tx pgx.Tx) (runtime.Response, error) {
		return answer, memstore.OnCommit(tx, func() { fmt.Println("booked") })
	})
	return answer, err
}

// reconcile asks the bank what became of a transfer whose answer nobody has seen.
func (t transfers) reconcile(_ context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
	if transfer, ok := t[step.Key()]; ok {
		return runtime.Done(transfer), nil
	}
	return runtime.NotDone(), nil
}

// program makes a request into its work; answers says whether the bank's answers arrive.
func (t transfers) program(answers *bool) runtime.LeaseProgram[pgx.Tx] {
	return func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		return runtime.LeaseWork[pgx.Tx]{
			Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				return t.payOut(ctx, lease, *answers)
			},
			Reconcile: map[string]runtime.ReconcileFunc{"transfer": t.reconcile},
		}, nil
	}
}

// Work with calls to others is done in steps, each of which is done once.
func ExampleEngine_LeaseHandler() {
	engine, err := runtime.New[pgx.Tx](memstore.New(), accountOf)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := true
	mux := http.NewServeMux()
	mux.Handle("POST /payments", engine.LeaseHandler(&createPayout, transfers{}.program(&answers)))

	post(mux, "k1", `{"amount": 100}`)
	post(mux, "k1", `{"amount": 100}`)
	post(mux, "k1", `{"amount": 200}`)
	// Output:
	// reserved
	// transferred
	// booked
	// 201 reservation 1, transfer 1 replayed=false
	// 201 reservation 1, transfer 1 replayed=true
	// 422 Idempotency key was used for another request replayed=false
}
