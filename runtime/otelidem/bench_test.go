package otelidem_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/otelidem"
	"github.com/idemgen/idemgen/runtime/policy"
)

var benchPayment = runtime.Operation{ID: "createPayment", Method: "POST", Route: "/payments", Policy: policy.Policy{
	Mode:  policy.Transaction,
	Key:   policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, MaxLength: 64, Syntax: policy.Either},
	Scope: []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation}, Retention: time.Hour,
	Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
	Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX"}, MaxBody: 1 << 20},
	Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
	InFlight:    policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second},
}}

// BenchmarkObserver is what telemetry costs a request: no observer, OpenTelemetry without an SDK, with its metrics and spans
// that are not sampled, and with all of them sampled. Where the spans go to, and how often metrics are collected, is not in it.
func BenchmarkObserver(b *testing.B) {
	account := func(r *http.Request) (string, error) { return r.Header.Get("Account"), nil }
	metrics := func() otelidem.Option {
		return otelidem.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())))
	}
	spans := func(sampler sdktrace.Sampler) otelidem.Option {
		return otelidem.WithTracerProvider(sdktrace.NewTracerProvider(
			sdktrace.WithSampler(sampler), sdktrace.WithSpanProcessor(sdktrace.NewBatchSpanProcessor(tracetest.NewNoopExporter()))))
	}
	observed := func(opts ...otelidem.Option) []runtime.Option {
		observer, err := otelidem.New(opts...)
		if err != nil {
			b.Fatal(err)
		}
		return []runtime.Option{runtime.WithObserver(observer)}
	}
	for _, c := range []struct {
		name string
		opts []runtime.Option
	}{
		{"none", nil},
		{"without-sdk", observed()},
		{"unsampled", observed(metrics(), spans(sdktrace.NeverSample()))},
		{"sampled", observed(metrics(), spans(sdktrace.AlwaysSample()))},
	} {
		engine, err := runtime.New[pgx.Tx](memstore.New(), account, c.opts...)
		if err != nil {
			b.Fatal(err)
		}
		handler := func(w http.ResponseWriter, r *http.Request) {
			if call, ok := engine.Begin(w, r, &benchPayment); ok {
				call.Transaction(func(context.Context, pgx.Tx) (runtime.Response, error) {
					return runtime.Response{Status: 201, Body: []byte("paid")}, nil
				})
			}
		}
		serial := 0
		send := func(b *testing.B, key string) {
			r := httptest.NewRequest(http.MethodPost, "/payments", strings.NewReader(`{"amount":1250}`))
			r.Header.Set("Account", "acct_1")
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", key)
			answer := httptest.NewRecorder()
			if handler(answer, r); answer.Code != 201 {
				b.Fatalf("answered with %d: %s", answer.Code, answer.Body)
			}
		}
		b.Run("first/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				serial++
				send(b, fmt.Sprint("key-", serial))
			}
		})
		b.Run("replay/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				send(b, "again")
			}
		})
	}
}
