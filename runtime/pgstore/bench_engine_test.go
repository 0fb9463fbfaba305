package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// request is what the handlers of these benchmarks read.
type request struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

const requestBody = `{"amount":1250,"currency":"EUR","description":"two tickets, row 7"}`

var createPayment = runtime.Operation{
	ID: "createPayment", Method: "POST", Route: "/payments",
	Policy: policy.Policy{
		Mode:        policy.Transaction,
		Key:         policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, Format: policy.AnyFormat, MaxLength: 64, LengthUnit: policy.Characters, Syntax: policy.Either},
		Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
		Retention:   24 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402", "409"}, MaxBody: 1 << 20},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 30 * time.Second, RetryAfter: time.Second},
	},
}

// handle is the handler's work, the same with and without protection.
func (x *bench) handle(ctx context.Context, tx pgx.Tx, body []byte) (runtime.Response, error) {
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		return runtime.Response{}, err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO payments (id, account, amount, currency) VALUES ($1, $2, $3, $4)", x.serial.Add(1), "acct_0001", req.Amount, req.Currency); err != nil {
		return runtime.Response{}, err
	}
	rec := benchRecord()
	return runtime.Response{Status: rec.Status, Header: rec.Header, Body: rec.Body}, nil
}

// unprotected is a handler that does its work in a transaction and answers.
func (x *bench) unprotected(w http.ResponseWriter, r *http.Request) {
	serve(w, r, func(ctx context.Context, body []byte) (answer runtime.Response, err error) {
		err = pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) (err error) {
			answer, err = x.handle(ctx, tx, body)
			return err
		})
		return answer, err
	})
}

// serve is a handler without an engine.
func serve(w http.ResponseWriter, r *http.Request, work func(ctx context.Context, body []byte) (runtime.Response, error)) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := work(r.Context(), body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// protected is the same handler behind an engine, as generated code puts it there.
func (x *bench) protected(b testing.TB, store runtime.Store[pgx.Tx], work func(context.Context, pgx.Tx, []byte) (runtime.Response, error)) http.HandlerFunc {
	b.Helper()
	engine, err := runtime.New(store, func(r *http.Request) (string, error) { return r.Header.Get("X-Account"), nil })
	must(b, err)
	must(b, engine.Register(&createPayment))
	return func(w http.ResponseWriter, r *http.Request) {
		call, ok := engine.Begin(w, r, &createPayment)
		if !ok {
			return
		}
		call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) { return work(ctx, tx, call.Body()) })
	}
}

// answer is a ResponseWriter that keeps the status only.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return len(p), nil }

func send(ctx context.Context, h http.Handler, account, key string) error {
	return sendFor(ctx, h, account, key, http.StatusCreated)
}

func sendFor(ctx context.Context, h http.Handler, account, key string, want int) error {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/payments", strings.NewReader(requestBody))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Account", account)
	r.Header.Set("Idempotency-Key", key)
	a := &answer{header: http.Header{}}
	h.ServeHTTP(a, r)
	if a.status != want {
		return fmt.Errorf("status %d, want %d", a.status, want)
	}
	return nil
}

// BenchmarkService is BenchmarkTransaction one storey up: whole requests through the engine, with key, scope, fingerprint,
// gate and answer, beside the same handler without.
//
//	go test -run xxx -bench Service -benchtime 1x ./runtime/pgstore
func BenchmarkService(b *testing.B) {
	x := newBench(b)
	keyed := x.protected(b, x.store, x.handle)
	fresh := func(h http.Handler) func(context.Context) error {
		return func(ctx context.Context) error {
			id := x.id()
			return send(ctx, h, id.Scope[:11], id.Key)
		}
	}
	must(b, send(context.Background(), keyed, "acct_0001", "again"))
	flows := []flow{
		{"bare", fresh(http.HandlerFunc(x.unprotected))},
		{"keyed", fresh(keyed)},
		{"replay", func(ctx context.Context) error { return send(ctx, keyed, "acct_0001", "again") }},
	}
	for _, delay := range []time.Duration{0, time.Millisecond} {
		for _, clients := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("rtt=%v/clients=%d", delay, clients), func(b *testing.B) {
				x.wire.delay.Store(int64(delay))
				defer x.wire.delay.Store(0)
				compare(b, flows, clients)
			})
		}
	}
}

// BenchmarkHotKey sends 1,000 requests with one key at once and meanwhile, one after the other, requests with other keys.
// It prints how long the thousand took in all, and one of the others: the median and the worst. The hot key's handler is
// done at once or takes 50 ms. It fails unless the hot key has exactly one effect.
//
//	go test -run xxx -bench HotKey -benchtime 1x ./runtime/pgstore
func BenchmarkHotKey(b *testing.B) {
	x := newBench(b)
	for _, handler := range []time.Duration{0, 50 * time.Millisecond} {
		work := func(ctx context.Context, tx pgx.Tx, body []byte) (runtime.Response, error) {
			pauseIfHot(ctx)
			return x.handle(ctx, tx, body)
		}
		keyed := x.protected(b, x.store, work)
		for _, c := range []struct {
			name string
			send func(ctx context.Context, key string) error
		}{
			{"engine", func(ctx context.Context, key string) error { return send(ctx, keyed, "acct_0001", key) }},
			{"store-without-gate", func(ctx context.Context, key string) error { return x.withoutGate(ctx, key, work) }},
			{"naive", func(ctx context.Context, key string) error { return x.naiveOf(ctx, key) }},
		} {
			b.Run(fmt.Sprintf("handler=%v/%s", handler, c.name), func(b *testing.B) {
				ctx := context.Background()
				for i := range 64 { // connections, statements
					must(b, c.send(ctx, fmt.Sprintf("warm-%d-%d", x.serial.Add(1), i%8)))
				}
				var storms, others, worst []float64
				for range *rounds {
					before := count(b, x.pool, "payments")
					storm, probes := hotKey(b, handler, c.send, fmt.Sprintf("hot-%d", x.serial.Add(1)))
					if effects := count(b, x.pool, "payments") - before - len(probes); effects != 1 {
						b.Fatalf("%d effects of the hot key, want 1", effects)
					}
					storms = append(storms, milliseconds(storm))
					others = append(others, milliseconds(probes[len(probes)/2]))
					worst = append(worst, milliseconds(probes[len(probes)-1]))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(storms), "storm-ms")
				b.ReportMetric(median(others), "other-key-ms")
				b.ReportMetric(median(worst), "other-key-worst-ms")
				b.Logf("storm %s ms   another key %s ms, at worst %s ms", spread(storms), spread(others), spread(worst))
			})
		}
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// takes is the context key under which a request of the hot key carries how long its handler takes.
type takes struct{}

func pauseIfHot(ctx context.Context) {
	if d, ok := ctx.Value(takes{}).(time.Duration); ok {
		time.Sleep(d)
	}
}

// hotKey returns how long the storm took, and the sorted latencies of the other keys' requests meanwhile.
func hotKey(b *testing.B, handler time.Duration, send func(context.Context, string) error, key string) (storm time.Duration, probes []time.Duration) {
	b.Helper()
	const requests = 1000
	hot := context.WithValue(context.Background(), takes{}, handler)
	var ready, all sync.WaitGroup
	start, over := make(chan struct{}), make(chan struct{})
	errs := make([]error, requests)
	for i := range requests {
		ready.Add(1)
		all.Go(func() {
			ready.Done()
			<-start
			errs[i] = send(hot, key)
		})
	}
	ready.Wait()
	began := time.Now()
	close(start)
	go func() {
		all.Wait()
		storm = time.Since(began)
		close(over)
	}()
	for i := 0; ; i++ {
		probing := time.Now()
		must(b, send(context.Background(), fmt.Sprintf("other-%d-%s", i, key)))
		probes = append(probes, time.Since(probing))
		select {
		case <-over:
			must(b, errors.Join(errs...))
			slices.Sort(probes)
			return storm, probes
		default:
		}
	}
}

// withoutGate is the store alone: what happens between processes.
func (x *bench) withoutGate(ctx context.Context, key string, work func(context.Context, pgx.Tx, []byte) (runtime.Response, error)) error {
	id := runtime.ID{Scope: "9:acct_0001,13:createPayment", Key: key}
	claim, err := x.store.Claim(ctx, id, 30*time.Second)
	if err != nil || claim.Record != nil {
		return err
	}
	if claim.Work == nil {
		return errors.New("not won in 30 s")
	}
	if _, err := work(ctx, claim.Work.Tx(), []byte(requestBody)); err != nil {
		return errors.Join(err, claim.Work.Rollback(ctx))
	}
	return claim.Work.Commit(ctx, benchRecord())
}

// naiveOf is naive for a given key: the row's lock makes duplicates wait, each on a connection of its own.
func (x *bench) naiveOf(ctx context.Context, key string) error {
	rec := benchRecord()
	return pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO naive_keys (account, key, fingerprint, state, expires_at) VALUES ('acct_0001', $1, $2, 0, now() + interval '1 day') ON CONFLICT DO NOTHING", key, rec.Fingerprint); err != nil {
			return err
		}
		var state int16
		if err := tx.QueryRow(ctx, "SELECT state FROM naive_keys WHERE account = 'acct_0001' AND key = $1 FOR UPDATE", key).Scan(&state); err != nil || state == 1 {
			return err
		}
		pauseIfHot(ctx)
		if err := x.pay(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE naive_keys SET state = 1, status = $2, headers = $3, body = $4 WHERE account = 'acct_0001' AND key = $1", key, int16(rec.Status), []byte{}, rec.Body)
		return err
	})
}
