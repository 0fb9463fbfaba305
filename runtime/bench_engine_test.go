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

// BenchmarkEngine is what the engine itself costs: a store in memory, no network. "bare" is the handler alone.
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
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buffer := make([]byte, len(body))
		_, _ = r.Body.Read(buffer)
		w.Header()["Content-Type"] = response.Header["Content-Type"]
		w.WriteHeader(response.Status)
		_, _ = w.Write(response.Body)
	})
	for _, c := range []struct {
		name    string
		handler http.Handler
		key     func(i int) string
	}{
		{"bare", bare, func(int) string { return "k" }},
		{"first", handler, func(i int) string { return fmt.Sprint("key-", i) }},
		{"replay", handler, func(int) string { return "replayed" }},
		{"mismatch", handler, func(int) string { return "replayed" }},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest("POST", "/payments", nil)
			r.Header.Set("X-Account", "acct_1")
			r.Header.Set("Content-Type", "application/json")
			text := body
			if c.name == "mismatch" {
				text = `{"amount":1}`
			}
			r.ContentLength = int64(len(text))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Header.Set("Idempotency-Key", c.key(i))
				r.Body = readCloser{strings.NewReader(text)}
				c.handler.ServeHTTP(discard{http.Header{}}, r)
			}
		})
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
