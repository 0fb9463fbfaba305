package drill

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// engineServer serves operations by the runtime itself, over the store in memory.
type engineServer struct {
	http.Handler
	mu     sync.Mutex
	ahead  time.Duration
	made   int
	byKey  map[string]int
	engine *runtime.Engine[pgx.Tx]
}

func newEngineServer(t *testing.T, operations []policy.Operation) *engineServer {
	t.Helper()
	s := &engineServer{byKey: map[string]int{}}
	clock := func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return time.Now().Add(s.ahead)
	}
	engine, err := runtime.New[pgx.Tx](memstore.New(memstore.WithClock(clock)), func(r *http.Request) (string, error) {
		if account := r.Header.Get("Authorization"); account != "" {
			return account, nil
		}
		return "", errors.New("nobody")
	}, runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for i := range operations {
		from := &operations[i]
		op := &runtime.Operation{ID: from.ID, Method: from.Method, Route: from.Path, Policy: from.Policy, WithoutBody: from.Shape.Body == nil}
		if err := engine.Register(op); err != nil {
			t.Fatal(err)
		}
		if from.Policy.Mode == policy.LeaseMode {
			mux.Handle("POST "+from.Path, engine.LeaseHandler(op, func(call *runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
				key := call.Key()
				return runtime.LeaseWork[pgx.Tx]{Run: func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { return s.make(from.ID, key) }}, nil
			}))
			continue
		}
		mux.HandleFunc("POST "+from.Path, func(w http.ResponseWriter, r *http.Request) {
			call, ok := engine.Begin(w, r, op)
			if !ok {
				return
			}
			if op.Policy.Replay.As == policy.Current {
				call.Current(func(_ context.Context, _ pgx.Tx, first *runtime.First) (runtime.Response, error) {
					return runtime.Response{Status: first.Status, Header: first.Header, Body: append(first.Body, ' ')}, nil
				})
			}
			call.Transaction(func(context.Context, pgx.Tx) (runtime.Response, error) { return s.make(from.ID, call.Key()) })
		})
	}
	s.Handler = mux
	return s
}

// make is the business: one payment.
func (s *engineServer) make(operation, key string) (runtime.Response, error) {
	time.Sleep(5 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	s.byKey[operation+key]++
	id := rand.Text()
	return runtime.Response{
		Status: 201, Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/" + id}, "Set-Cookie": {"a=" + id}},
		Body: fmt.Appendf(nil, `{"id":%q}`, id),
	}, nil
}

func formOperation(id string) policy.Operation {
	op := operation(id, "/"+id)
	op.Shape.Body.Contents = []policy.Content{{MediaType: "application/x-www-form-urlencoded", Examples: []json.RawMessage{json.RawMessage(`{"amount":"4200","currency":"EUR"}`)}}}
	return op
}

// realOperations are policies of every kind that the runtime keeps.
func realOperations() map[string][]policy.Operation {
	change := func(id string, change func(*policy.Policy)) policy.Operation {
		op := operation(id, "/"+id)
		change(&op.Policy)
		return op
	}
	nothing := func(*policy.Policy) {}
	lease := func(p *policy.Policy) {
		p.Mode = policy.LeaseMode
		p.Lease = policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
		p.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
	}
	inBody := func(p *policy.Policy) {
		p.Key = policy.Key{In: policy.InBody, Pointer: "/idempotency_key", Required: true, MinLength: 1, MaxLength: 45, LengthUnit: policy.Characters, Format: policy.AnyFormat}
	}
	form := formOperation("form")
	form.Policy.Key = policy.Key{In: policy.InForm, Name: "IdempotencyKey", Required: true, MinLength: 1, MaxLength: 64, LengthUnit: policy.Bytes, Format: policy.AnyFormat}
	multipart := formOperation("multipart")
	multipart.Shape.Body.Contents[0].MediaType = "multipart/form-data"
	none := change("none", nothing)
	none.Shape.Body = nil
	return map[string][]policy.Operation{
		"transaction mode": {change("createPayment", nothing), change("createRefund", nothing)},
		"lease mode":       {change("createPayout", lease), change("createOther", lease)},
		"waiting lease": {change("createPayout", func(p *policy.Policy) {
			lease(p)
			p.InFlight = policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second}
		})},
		"account scope": {
			change("createPayment", func(p *policy.Policy) { p.Scope = []policy.ScopePart{policy.ScopeAccount} }),
			change("createRefund", func(p *policy.Policy) { p.Scope = []policy.ScopePart{policy.ScopeAccount} }),
		},
		"key in the body": {change("createPayment", inBody)},
		"key in the form": {form},
		"key in the query": {change("createPayment", func(p *policy.Policy) {
			p.Key = policy.Key{In: policy.InQuery, Name: "request_id", Required: true, MinLength: 1, MaxLength: 40, LengthUnit: policy.Characters, Format: policy.AnyFormat}
		})},
		"multipart":  {multipart},
		"no body":    {none},
		"structured": {change("createPayment", func(p *policy.Policy) { p.Key.Syntax = policy.Structured })},
		"bare":       {change("createPayment", func(p *policy.Policy) { p.Key.Syntax = policy.Bare })},
		"uuid7": {change("createPayment", func(p *policy.Policy) {
			p.Key.Format, p.Key.MinLength, p.Key.MaxLength, p.Key.Pattern = policy.UUID7, 36, 36, ""
		})},
		"optional, personal data refused": {change("createPayment", func(p *policy.Policy) {
			p.Key.Required, p.Key.RefusePersonalData, p.Key.Pattern = false, true, ""
		})},
		"digits": {change("createPayment", func(p *policy.Policy) { p.Key.Pattern = `^[0-9]+$` })},
		"raw":    {change("createPayment", func(p *policy.Policy) { p.Fingerprint.Body = policy.RawBody })},
		"body not compared": {change("createPayment", func(p *policy.Policy) {
			p.Fingerprint = policy.Fingerprint{Body: policy.NoBody, Query: true, Headers: []string{"Api-Version"}}
		})},
		"included": {change("createPayment", func(p *policy.Policy) {
			p.Fingerprint = policy.Fingerprint{Body: policy.CanonicalBody, Include: []string{"/amount"}}
		})},
		"excluded": {change("createPayment", func(p *policy.Policy) {
			p.Fingerprint = policy.Fingerprint{Body: policy.CanonicalBody, Exclude: []string{"/amount", "/trace/id"}}
		})},
		"another status": {change("createPayment", func(p *policy.Policy) { p.Replay.Status = []policy.StatusChange{{From: 201, To: 200}} })},
		"no marker":      {change("createPayment", func(p *policy.Policy) { p.Replay.Header, p.Replay.Value = "", "" })},
		"no body kept":   {change("createPayment", func(p *policy.Policy) { p.Store.OmitBody = true })},
		"small answers":  {change("createPayment", func(p *policy.Policy) { p.Store.MaxBody = 8 })},
		"current":        {change("createPayment", func(p *policy.Policy) { p.Replay.As = policy.Current })},
		"stripe's refusals": {change("createPayment", func(p *policy.Policy) {
			p.Errors.Shape, p.Errors.Mismatch = "stripe", policy.ErrorAnswer{Status: 400, Type: "idempotency_error"}
		})},
		"first sent": {change("createPayment", func(p *policy.Policy) {
			p.Key.FirstSent = policy.FirstSent{Header: "Repeatability-First-Sent", MaxSkew: 5 * time.Minute}
			p.Errors.Expired = policy.ErrorAnswer{Status: 412}
		})},
	}
}

// The runtime keeps what the policies say that it is given, in both modes, and the drill finds nothing else.
func TestRun_P3_RuntimeKeepsEveryPromise(t *testing.T) {
	for name, operations := range realOperations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newEngineServer(t, operations)
			server := httptest.NewServer(s)
			defer server.Close()
			plan := Plan{
				Policy: published(t, operations...), BaseURL: server.URL, Concurrency: []int{20, 3},
				Credentials: http.Header{"Authorization": {"one"}}, OtherCredentials: http.Header{"Authorization": {"two"}},
				Clock: func(_ context.Context, by time.Duration) error {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.ahead += by
					return nil
				},
				Effects: func(_ context.Context, operation, key string) (int, error) {
					s.mu.Lock()
					defer s.mu.Unlock()
					return s.byKey[operation+key], nil
				},
				Limits: Limits{Settle: time.Second},
			}
			report := run(t, plan)
			if broken := brokenPromises(report); len(broken) > 0 || report.Count(Skipped) > 0 {
				t.Errorf("broken: %v\n%s", broken, show(report))
			}
			if s.made > report.MaxEffects {
				t.Errorf("%d effects, and %d were announced", s.made, report.MaxEffects)
			}
			for _, op := range report.Operations {
				for _, result := range op.Results {
					if result.Outcome == NotTestable && !mayNotBeTestable(name, result.Promise) && !mayNotBeTestableHere(name, result.Promise) {
						t.Errorf("%s was not tested: %s", result.Promise, result.Why)
					}
				}
			}
		})
	}
}

func mayNotBeTestableHere(kind, promise string) bool {
	switch promise {
	case policydoc.PromiseFinished:
		return true
	case policydoc.PromiseNotKept:
		return kind == "key in the body" || kind == "key in the form" || kind == "multipart" || kind == "no body"
	case policydoc.PromiseReplay, policydoc.PromiseReplayHeaders, policydoc.PromiseReplayMarker:
		return kind == "small answers"
	}
	return kind == "small answers"
}
