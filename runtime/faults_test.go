package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Faults that other idempotency layers had. docs/faults.md lists them all, with the test that has each.

func TestFault_TwoEqualRequestsWithTwoKeys(t *testing.T) {
	s := newService(t, payment())
	one, two := s.post("coffee-1", body), s.post("coffee-2", body)
	if one.status != 201 || two.status != 201 || two.replayed() || one.body == two.body {
		t.Errorf("two coffees cannot be bought: %+v, %+v", one, two)
	}
	s.want(2, 2, 2)
}

func TestFault_HugeKey(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Key.MaxLength = 1024 }))
	s.post(strings.Repeat("k", 70_000), body).wantProblem(t, 400, "malformed-key")
	if a := s.post(strings.Repeat("k", 1024), body, account(strings.Repeat("a", 70_000))); a.status != 201 {
		t.Errorf("%d", a.status)
	}
}

func TestFault_NoKeyIsMade(t *testing.T) {
	s := newService(t, payment())
	s.do(s.request(body)).wantProblem(t, 400, "missing-key")
	s.want(0, 0, 0)
	s = newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
	s.do(s.request(body))
	s.want(1, 1, 0) // unprotected, and nothing pretends otherwise
}

func TestFault_RetentionAndWaitAreNamed(t *testing.T) {
	s := newService(t, payment())
	var kept *runtime.Record
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
		kept = r
		return w.Commit(ctx, r)
	}
	s.post("k", body)
	if kept.Retention != s.op.Policy.Retention || kept.Retention == s.op.Policy.InFlight.MaxWait {
		t.Errorf("kept for %v", kept.Retention)
	}
}

func TestFault_NothingOfTheRequestIsLogged(t *testing.T) {
	const secret = "s3cr3t"
	s := newService(t, payment(func(p *policy.Policy) { p.Key.Required = false }))
	sendAll := func() {
		for _, key := range []string{secret + "-key", "", secret + ";"} {
			changes := []func(*http.Request){account(secret + "-account"), path("/orders/" + secret + "/payments?q=" + secret)}
			if key != "" {
				changes = append(changes, header("Idempotency-Key", key))
			}
			a := s.do(s.request(`{"card":"`+secret+`"}`, changes...))
			if strings.Contains(a.body, secret) {
				t.Errorf("the answer repeats the request: %s", a.body)
			}
		}
	}
	for _, w := range []work{
		func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { panic(secret) },
		func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, errors.New("card " + secret)
		},
		respond(runtime.Response{Status: 7}),
		respond(runtime.Response{Status: 200, Header: http.Header{"bad " + secret: nil}}),
	} {
		s.work = w
		sendAll()
	}
	s.work = nil
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
		return errors.Join(w.Rollback(ctx), errors.New("key "+secret))
	}
	sendAll()
	s.store.down.Store(true)
	sendAll()
	log := s.log.String()
	if strings.Count(log, "\n") < 10 {
		t.Errorf("too little is logged to test with: %s", log)
	}
	if strings.Contains(log, secret) {
		t.Errorf("the log holds the secret: %s", log)
	}
}
