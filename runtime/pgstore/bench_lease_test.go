package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// benchPayout is createPayment with one external call. Its lease outlives each benchmark, so that no heartbeat lands in some
// rounds and not in others.
var benchPayout = func() runtime.Operation {
	op := createPayment
	op.ID = "createPayout"
	op.Policy.Mode = policy.LeaseMode
	op.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
	op.Policy.Lease = policy.Lease{Duration: 6 * time.Hour, Heartbeat: 3 * time.Hour}
	op.Policy.Steps = []string{"transfer"}
	op.Policy.Downstream = []policy.Downstream{{Name: "bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}}
	return op
}()

// payoutBench has the same work in each of its flows: a call to a bank, then one INSERT, then the answer.
type payoutBench struct {
	*bench
	takes atomic.Int64 // how long the bank takes, in nanoseconds
	calls atomic.Int64 // that it got
}

// transfer is the bank, in this process.
func (x *payoutBench) transfer(key string) (string, error) {
	if key == "" {
		return "", errors.New("the bank was sent no key")
	}
	x.calls.Add(1)
	if d := time.Duration(x.takes.Load()); d > 0 {
		time.Sleep(d)
	}
	return "tr_8Zk2", nil
}

// bare does the work with nothing to make a repetition safe. No transaction is open during the call.
func (x *payoutBench) bare(w http.ResponseWriter, r *http.Request) {
	serve(w, r, func(ctx context.Context, body []byte) (answer runtime.Response, err error) {
		if _, err := x.transfer("any"); err != nil {
			return answer, err
		}
		err = pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) (err error) {
			answer, err = x.handle(ctx, tx, body)
			return err
		})
		return answer, err
	})
}

// naive is what is usually written around a call, each part in a transaction of its own: the key, the work, the answer. It
// does not keep what the bank said, nor the request, and a crash between its last two commits leaves work without an answer.
func (x *payoutBench) naive(w http.ResponseWriter, r *http.Request) {
	serve(w, r, func(ctx context.Context, body []byte) (answer runtime.Response, err error) {
		account, key, fingerprint := r.Header.Get("X-Account"), r.Header.Get("Idempotency-Key"), benchRecord().Fingerprint
		claimed, err := x.pool.Exec(ctx, "INSERT INTO naive_keys (account, key, fingerprint, state, expires_at) VALUES ($1, $2, $3, 0, now() + interval '1 day') ON CONFLICT DO NOTHING",
			account, key, fingerprint)
		if err != nil || claimed.RowsAffected() != 1 {
			return answer, errors.Join(errors.New("a new key was not won"), err)
		}
		if _, err := x.transfer(key); err != nil {
			return answer, err
		}
		err = pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) (err error) {
			answer, err = x.handle(ctx, tx, body)
			return err
		})
		if err != nil {
			return answer, err
		}
		headers, err := json.Marshal(answer.Header)
		if err != nil {
			return answer, err
		}
		_, err = x.pool.Exec(ctx, "UPDATE naive_keys SET state = 1, status = $3, headers = $4, body = $5 WHERE account = $1 AND key = $2",
			account, key, int16(answer.Status), headers, answer.Body)
		return answer, err
	})
}

// leased is the work behind an engine of its own, as another process has one.
func (x *payoutBench) leased(b testing.TB, transfer func(key string) (string, error)) http.Handler {
	b.Helper()
	engine, err := runtime.New(x.store, func(r *http.Request) (string, error) { return r.Header.Get("X-Account"), nil })
	must(b, err)
	return engine.LeaseHandler(&benchPayout, func(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		return runtime.LeaseWork[pgx.Tx]{
			Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (answer runtime.Response, err error) {
				_, err = runtime.DoExternal(ctx, lease.External("transfer"), func(_ context.Context, out *runtime.Outbound) (string, error) {
					return transfer(out.Key())
				})
				if err != nil {
					return runtime.Response{}, err
				}
				err = lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (_ runtime.Response, err error) {
					answer, err = x.handle(ctx, tx, call.Body())
					return answer, err
				})
				return answer, err
			},
			Reconcile: map[string]runtime.ReconcileFunc{
				"transfer": func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
					return runtime.Unknown(), nil
				},
			},
		}, nil
	})
}

// payoutFlow is a flow that makes so many calls and payments a request.
type payoutFlow struct {
	flow
	effects int64
	sent    *atomic.Int64
}

// payoutFlows are the flows; what is in progress for two of them stays so until the benchmark ends.
func (x *payoutBench) payoutFlows(b *testing.B) []payoutFlow {
	b.Helper()
	ctx := context.Background()
	lease := x.leased(b, x.transfer)
	const account, done, held = "acct_0001", "done", "held"
	must(b, send(ctx, lease, account, done))

	// Another process is in its call to the bank.
	calling, over, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	elsewhere := x.leased(b, func(string) (string, error) {
		close(calling)
		<-over
		return "tr_0001", nil
	})
	go func() { ended <- send(ctx, elsewhere, account, held) }()
	select {
	case <-calling:
	case err := <-ended:
		b.Fatalf("the work to be in progress has ended: %v", err)
	}
	b.Cleanup(func() {
		close(over)
		must(b, <-ended)
	})

	first := func(h http.Handler) func(context.Context) error {
		return func(ctx context.Context) error {
			id := x.id()
			return send(ctx, h, id.Scope[2:11], id.Key)
		}
	}
	again := func(h http.Handler, key string, want int) func(context.Context) error {
		return func(ctx context.Context) error { return sendFor(ctx, h, account, key, want) }
	}
	var flows []payoutFlow
	for _, f := range []struct {
		name    string
		effects int64
		run     func(context.Context) error
	}{
		{"bare", 1, first(http.HandlerFunc(x.bare))},
		{"naive", 1, first(http.HandlerFunc(x.naive))},
		{"lease", 1, first(lease)},
		{"replay", 0, again(lease, done, http.StatusCreated)},
		{"conflict-elsewhere", 0, again(lease, held, http.StatusConflict)},
		{"conflict-here", 0, again(elsewhere, held, http.StatusConflict)},
	} {
		sent := new(atomic.Int64)
		run := func(ctx context.Context) error {
			sent.Add(1)
			return f.run(ctx)
		}
		flows = append(flows, payoutFlow{flow{f.name, run}, f.effects, sent})
	}
	return flows
}

// checked fails unless what the flows sent while measuring had the effects that it should have had.
func (x *payoutBench) checked(b *testing.B, flows []payoutFlow, measure func()) {
	b.Helper()
	calls, payments := x.calls.Load(), int64(count(b, x.pool, "payments"))
	var want int64
	for _, f := range flows {
		want -= f.sent.Load() * f.effects
	}
	measure()
	for _, f := range flows {
		want += f.sent.Load() * f.effects
	}
	calls, payments = x.calls.Load()-calls, int64(count(b, x.pool, "payments"))-payments
	if calls != want || payments != want {
		b.Errorf("%d calls to the bank and %d payments, want %d of each", calls, payments, want)
	}
}

// BenchmarkLeaseCost is BenchmarkCost for an operation in lease mode, whole requests with one external call.
//
//	go test -run xxx -bench LeaseCost -benchtime 1x ./runtime/pgstore
func BenchmarkLeaseCost(b *testing.B) {
	x := &payoutBench{bench: newBench(b)}
	execSQL(b, x.pool, "CREATE EXTENSION IF NOT EXISTS pg_walinspect")
	for _, f := range x.payoutFlows(b) {
		b.Run(f.name, func(b *testing.B) {
			x.checked(b, []payoutFlow{f}, func() { x.reportCost(b, f.run) })
		})
	}
}

// BenchmarkLease compares an operation in lease mode with the same work unprotected, as BenchmarkService does, where the
// external call takes no time and where it takes some.
//
//	go test -run xxx -bench 'Lease$' -benchtime 1x ./runtime/pgstore
func BenchmarkLease(b *testing.B) {
	x := &payoutBench{bench: newBench(b)}
	all := x.payoutFlows(b)
	flows := make([]flow, len(all))
	for i, f := range all {
		flows[i] = f.flow
	}
	for _, call := range []time.Duration{0, 5 * time.Millisecond} {
		for _, delay := range []time.Duration{0, time.Millisecond} {
			for _, clients := range []int{1, 8} {
				b.Run(fmt.Sprintf("call=%v/rtt=%v/clients=%d", call, delay, clients), func(b *testing.B) {
					x.takes.Store(int64(call))
					x.wire.delay.Store(int64(delay))
					defer x.wire.delay.Store(0)
					x.checked(b, all, func() { compare(b, flows, clients) })
				})
			}
		}
	}
}
