package goldentest_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/gocode/testdata/payouts"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// till implements the payouts' interface: a payout reserves, is transferred by a bank, and its owner is told of it.
type till struct {
	reserved, transferred, told, closed, rebuilt int
	keys                                         []string // of the bank, at each call and each question
	requests                                     []*payouts.CreatePayoutRequest
	cut                                          bool // the bank's answer is lost
	knows                                        func() runtime.Reconciliation
}

func (s *till) CreatePayout(ctx context.Context, lease *payouts.CreatePayoutLease, req *payouts.CreatePayoutRequest) (payouts.CreatePayoutResponse, error) {
	s.requests = append(s.requests, req)
	id, err := runtime.DoLocal(ctx, lease.Reserve(), func(context.Context, pgx.Tx) (string, error) {
		s.reserved++
		return "payout-1", nil
	})
	if err != nil {
		return nil, err
	}
	state, err := runtime.DoExternal(ctx, lease.Transfer(), func(_ context.Context, out *runtime.Outbound) (string, error) {
		s.transferred++
		s.keys = append(s.keys, out.KeyFor("bank"))
		if s.cut {
			return "", errors.New("the connection was cut")
		}
		return "sent", nil
	})
	if err != nil {
		return nil, err
	}
	_, err = runtime.DoExternal(ctx, lease.NotifyOwner(), func(context.Context, *runtime.Outbound) (bool, error) {
		s.told++
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return lease.Complete(ctx, func(context.Context, pgx.Tx) (payouts.CreatePayoutResponse, error) {
		return payouts.CreatePayout201{Body: payouts.Payout{ID: id, Amount: req.Body.Amount, State: &state}}, nil
	})
}

func (s *till) ReconcileCreatePayoutTransfer(_ context.Context, step *runtime.Interrupted, _ *payouts.CreatePayoutRequest) (runtime.Reconciliation, error) {
	s.keys = append(s.keys, step.KeyFor("bank"))
	return s.knows(), nil
}

func (s *till) ReconcileCreatePayoutNotifyOwner(context.Context, *runtime.Interrupted, *payouts.CreatePayoutRequest) (runtime.Reconciliation, error) {
	return runtime.NotDone(), nil
}

func (s *till) CloseAccount(ctx context.Context, lease *payouts.CloseAccountLease, req *payouts.CloseAccountRequest) (payouts.CloseAccountResponse, error) {
	_, err := runtime.DoLocal(ctx, lease.Close(), func(context.Context, pgx.Tx) (bool, error) {
		s.closed++
		return true, nil
	})
	return payouts.CloseAccount200{Body: payouts.Payout{ID: req.ID, Amount: 1}}, err
}

func (s *till) CurrentCloseAccount(_ context.Context, _ pgx.Tx, req *payouts.CloseAccountRequest, first *runtime.First) (payouts.CloseAccountResponse, error) {
	s.rebuilt++
	if first.Status != 200 || len(first.Body) == 0 {
		return nil, errors.New("the first answer is not as it was")
	}
	return payouts.CloseAccount200{Body: payouts.Payout{ID: req.ID, Amount: 2}}, nil
}

func (s *till) CreateAccount(context.Context, pgx.Tx, *payouts.CreateAccountRequest) (payouts.CreateAccountResponse, error) {
	return payouts.CreateAccount201{Body: payouts.Payout{ID: "a", Amount: 1}}, nil
}

func (s *till) CurrentCreateAccount(context.Context, pgx.Tx, *payouts.CreateAccountRequest, *runtime.First) (payouts.CreateAccountResponse, error) {
	s.rebuilt++
	return payouts.CreateAccount201{Body: payouts.Payout{ID: "a", Amount: 2}}, nil
}

func (s *till) CreateLimit(context.Context, pgx.Tx, *payouts.CreateLimitRequest) (payouts.CreateLimitResponse, error) {
	return nil, nil
}

// bench is the till behind its routes, over a store whose clock is put on by hand.
type payoutBench struct {
	*till
	http.Handler
	engine *runtime.Engine[pgx.Tx]
	ahead  atomic.Int64
}

func newPayouts(t *testing.T) *payoutBench {
	t.Helper()
	b := &payoutBench{till: &till{}}
	clock := func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }
	engine, err := runtime.New[pgx.Tx](memstore.New(memstore.WithClock(clock)), func(r *http.Request) (string, error) {
		return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), nil
	}, runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := payouts.Register(mux, engine, b.till); err != nil {
		t.Fatal(err)
	}
	b.Handler, b.engine = mux, engine
	return b
}

func (b *payoutBench) pay(t *testing.T) *http.Response {
	t.Helper()
	return send(t, b, "POST", "/payouts", `{"amount": 4200}`, "X-Tenant", "t1", "X-API-Key", "secret", "Accept-Language", "ga")
}

// A3 A5: a run whose external call is lost is taken up again: what was done is not done again, the bank is asked by the same
// key, and the request is the stored one, without credentials.
func TestPayouts_A3_A5_TakenUpAgain(t *testing.T) {
	for name, c := range map[string]struct {
		knows       func() runtime.Reconciliation
		transferred int
		state       string
		recovery    bool
	}{
		"done, by the client's retry":     {func() runtime.Reconciliation { return runtime.Done("found") }, 1, "found", false},
		"not done, by the client's retry": {runtime.NotDone, 2, "sent", false},
		"done, by recovery":               {func() runtime.Reconciliation { return runtime.Done("found") }, 1, "found", true},
		"not done, by recovery":           {runtime.NotDone, 2, "sent", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newPayouts(t)
			b.cut, b.knows = true, c.knows
			first := b.pay(t)
			if first.StatusCode != 503 || first.Header.Get("Retry-After") == "" {
				t.Fatalf("%d %v: %s", first.StatusCode, first.Header, text(t, first))
			}
			b.cut = false
			b.ahead.Add(int64(10 * time.Minute))
			if c.recovery {
				recovery, err := b.engine.NewRecovery()
				if err != nil {
					t.Fatal(err)
				}
				if report, err := recovery.Once(t.Context()); err != nil || report.Completed != 1 {
					t.Fatalf("%+v %v", report, err)
				}
			}
			second := b.pay(t)
			want := `{"id":"payout-1","amount":4200,"state":"` + c.state + `"}`
			if got := text(t, second); second.StatusCode != 201 || got != want {
				t.Errorf("%d %s, want %s", second.StatusCode, got, want)
			}
			if b.reserved != 1 || b.told != 1 || b.transferred != c.transferred || len(b.requests) != 2 {
				t.Errorf("reserved %d, transferred %d, told %d, in %d runs", b.reserved, b.transferred, b.told, len(b.requests))
			}
			for _, key := range b.keys {
				if len(key) != 36 || key[14] != '5' || key != b.keys[0] {
					t.Errorf("keys of the bank: %v", b.keys)
				}
			}
			again := b.pay(t)
			if got := text(t, again); got != want || again.Header.Get("Idempotent-Replayed") != "true" || len(b.requests) != 2 {
				t.Errorf("replay: %v %s after %d runs", again.Header, got, len(b.requests))
			}
			rerun := b.requests[1]
			if rerun.Key != "k1" || rerun.Principal != "alice" || rerun.Body.Amount != 4200 || rerun.XTenant == nil || *rerun.XTenant != "t1" || rerun.AcceptLanguage == nil {
				t.Errorf("%+v", rerun)
			}
			if rerun.XAPIKey != nil {
				t.Errorf("a credential was stored with the request")
			}
		})
	}
}

// I4 C3: while the work is unfinished, another request with its key is refused, and the same one is told when to ask.
func TestPayouts_I4_C3_InProgress(t *testing.T) {
	b := newPayouts(t)
	b.cut, b.knows = true, runtime.Unknown
	b.pay(t)
	if same := b.pay(t); same.StatusCode != 409 || same.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", same.StatusCode, same.Header)
	}
	if other := send(t, b, "POST", "/payouts", `{"amount": 1}`); other.StatusCode != 422 {
		t.Errorf("another request: %d", other.StatusCode)
	}
	b.ahead.Add(int64(10 * time.Minute))
	if unknown := b.pay(t); unknown.StatusCode != 503 || b.transferred != 1 {
		t.Errorf("while nobody knows: %d, transferred %d times", unknown.StatusCode, b.transferred)
	}
}

// H3: a repetition is answered from the state of now, in both modes.
func TestPayouts_H3_Current(t *testing.T) {
	for _, target := range []string{"/accounts", "/accounts/7/close"} {
		b := newPayouts(t)
		body, headers := `{"amount": 1}`, []string{}
		if target != "/accounts" {
			body, headers = "", []string{"Content-Type", ""}
		}
		first := send(t, b, "POST", target, body, headers...)
		again := send(t, b, "POST", target, body, headers...)
		if one, two := text(t, first), text(t, again); first.StatusCode != again.StatusCode || !strings.Contains(one, `"amount":1`) || !strings.Contains(two, `"amount":2`) {
			t.Errorf("%s: %d %s, then %d %s", target, first.StatusCode, one, again.StatusCode, two)
		}
		if again.Header.Get("Idempotent-Replayed") != "true" || b.rebuilt != 1 || b.closed > 1 {
			t.Errorf("%s: %v, rebuilt %d times", target, again.Header, b.rebuilt)
		}
	}
}
