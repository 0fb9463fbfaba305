package runtime_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// discard is a ResponseWriter that costs nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) WriteHeader(int)             {}
func (d discard) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkEngine is what the engine itself costs: a store in memory, no network. "bare" is the handler alone. The handler in
// lease mode has one external step and completes with its answer.
func BenchmarkEngine(b *testing.B) {
	const body = `{"amount":1250,"currency":"EUR","order":"ord_8Zk2"}`
	engine, err := runtime.New[pgx.Tx](memstore.New(), accountOf)
	if err != nil {
		b.Fatal(err)
	}
	response := runtime.Response{Status: 201, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"id":"pay_1"}`)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, ok := engine.Begin(w, r, &createPayment)
		if !ok {
			return
		}
		call.Transaction(func(context.Context, pgx.Tx) (runtime.Response, error) { return response, nil })
	})
	leased := engine.LeaseHandler(&createPayout, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
		return runtime.LeaseWork[pgx.Tx]{
			Run: func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
				_, err := runtime.DoExternal(ctx, lease.External("transfer"), func(context.Context, *runtime.Outbound) (string, error) { return "tr_1", nil })
				if err != nil {
					return runtime.Response{}, err
				}
				return response, lease.Complete(ctx, func(context.Context, pgx.Tx) (runtime.Response, error) { return response, nil })
			},
			Reconcile: map[string]runtime.ReconcileFunc{
				"transfer": func(context.Context, *runtime.Interrupted) (runtime.Reconciliation, error) {
					return runtime.Unknown(), nil
				},
			},
		}, nil
	})
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buffer := make([]byte, len(body))
		_, _ = r.Body.Read(buffer)
		w.Header()["Content-Type"] = response.Header["Content-Type"]
		w.WriteHeader(response.Status)
		_, _ = w.Write(response.Body)
	})
	serial := 0
	fresh := func() string {
		serial++
		return fmt.Sprint("key-", serial)
	}
	again := func() string { return "replayed" }
	for _, c := range []struct {
		name    string
		handler http.Handler
		key     func() string
		body    string
		want    int
	}{
		{"bare", bare, again, body, 201},
		{"first", handler, fresh, body, 201},
		{"replay", handler, again, body, 201},
		{"mismatch", handler, again, `{"amount":1}`, 422},
		{"lease-first", leased, fresh, body, 201},
		{"lease-replay", leased, again, body, 201},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest("POST", "/payments", nil)
			r.Header.Set("X-Account", "acct_1")
			r.Header.Set("Content-Type", "application/json")
			r.ContentLength = int64(len(c.body))
			serve := func(w http.ResponseWriter) {
				r.Header.Set("Idempotency-Key", c.key())
				r.Body = readCloser{strings.NewReader(c.body)}
				c.handler.ServeHTTP(w, r)
			}
			for range 2 { // the first may be what the others replay
				answer := httptest.NewRecorder()
				serve(answer)
				if answer.Code != c.want {
					b.Fatalf("answered with %d: %s", answer.Code, answer.Body)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				serve(discard{http.Header{}})
			}
		})
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
