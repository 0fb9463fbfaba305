package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// told is an observer that keeps what it is told.
type told struct {
	runtime.Unobserved
	mu       sync.Mutex
	arrived  []string
	requests []runtime.RequestEvent
}

type contextKey struct{}

func (o *told) Request(ctx context.Context, operation string) (context.Context, func(runtime.RequestEvent)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.arrived = append(o.arrived, operation)
	return context.WithValue(ctx, contextKey{}, "observer's"), func(event runtime.RequestEvent) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.requests = append(o.requests, event)
	}
}

// ends are the events so far, of which there must be n, one for each arrival.
func (o *told) ends(t *testing.T, n int) []runtime.RequestEvent {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.arrived) != n || len(o.requests) != n {
		t.Fatalf("%d arrivals and %d ends, want %d: %+v", len(o.arrived), len(o.requests), n, o.requests)
	}
	return slices.Clone(o.requests)
}

// last is the latest event.
func (o *told) last(t *testing.T) runtime.RequestEvent {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.requests) == 0 || len(o.requests) != len(o.arrived) {
		t.Fatalf("%d arrivals and %d ends", len(o.arrived), len(o.requests))
	}
	return o.requests[len(o.requests)-1]
}

func observed(t *testing.T, change ...func(*policy.Policy)) (*service, *told) {
	t.Helper()
	o := &told{}
	return newService(t, payment(change...), runtime.WithObserver(o)), o
}

// outcomes are requests in transaction mode that end with each outcome. What a request returns is its answer.
var outcomes = map[runtime.Outcome]map[string]func(t *testing.T) (answer, *told){
	runtime.OutcomeFresh: {
		"the first": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return s.post("k", body), o
		},
		"a commit that had to be looked for": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				return errors.Join(w.Commit(ctx, r), runtime.ErrCommitUnknown)
			}
			return s.post("k", body), o
		},
		"the second, after the first was not kept": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = respond(runtime.Response{Status: 400})
			s.post("k", body)
			s.work = nil
			return s.post("k", body), o
		},
	},
	runtime.OutcomeNotKept: {
		"a status that is not kept": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = respond(runtime.Response{Status: 404})
			return s.post("k", body), o
		},
		"a handler's problem": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = fails(&runtime.Problem{Status: 404})
			return s.post("k", body), o
		},
		"a problem of a runtime's kind": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = fails(&runtime.Problem{Name: runtime.ProblemInvalidRequest})
			return s.post("k", body), o
		},
		"without a key": func(t *testing.T) (answer, *told) {
			s, o := observed(t, optional)
			s.work = respond(runtime.Response{Status: 404})
			return s.do(s.request(body)), o
		},
	},
	runtime.OutcomeReplayed: {
		"a repetition": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.post("k", body)
			return s.post("k", body), o
		},
		"a lost race": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				s.store.onCommit = nil
				others := *r
				others.Attempt = [16]byte{1} // another process's
				return errors.Join(w.Commit(ctx, &others), runtime.ErrLostRace)
			}
			return s.post("k", body), o
		},
	},
	runtime.OutcomeWaited: {
		"one that came while the first was under way": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			started, release := s.hold()
			go s.post("k", body)
			<-started
			second := make(chan answer)
			go func() { second <- s.post("k", body) }()
			s.waitForQueue(s.engine, 1)
			close(release)
			a := <-second
			waitForEnds(o, 2)
			o.mu.Lock()
			defer o.mu.Unlock()
			slices.SortFunc(o.requests, func(a, b runtime.RequestEvent) int { return b.Runs - a.Runs }) // the first ran
			return a, o
		},
	},
	runtime.OutcomeInProgress: {
		"in this process": func(t *testing.T) (answer, *told) {
			s, o := observed(t, conflict)
			started, release := s.hold()
			first := make(chan answer)
			go func() { first <- s.post("k", body) }()
			<-started
			a := s.post("k", body)
			event := o.lastEnd()
			close(release)
			<-first
			waitForEnds(o, 2)
			o.mu.Lock()
			defer o.mu.Unlock()
			o.requests[1] = event
			return a, o
		},
		"in another process": func(t *testing.T) (answer, *told) {
			s, o := observed(t, conflict)
			s.store.onClaim = func(int64, context.Context, runtime.ID, time.Duration) (runtime.Claim[pgx.Tx], error) {
				return runtime.Claim[pgx.Tx]{}, nil
			}
			return s.post("k", body), o
		},
		"by lease mode, for a request that cannot be compared": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onClaim = progress(0)
			a := s.post("k", body)
			if a.header.Get("Retry-After") != "3" {
				t.Errorf("%v", a.header)
			}
			return a, o
		},
	},
	runtime.OutcomeMismatch: {
		"another request": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.post("k", body)
			return s.post("k", `{"amount":1}`), o
		},
		"one of another version": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				r.FingerprintVersion = 0
				return w.Commit(ctx, r)
			}
			s.post("k", body)
			return s.post("k", body), o
		},
		"another request in progress, in lease mode": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onClaim = progress(runtime.FingerprintVersion)
			return s.post("k", body), o
		},
	},
	runtime.OutcomeMissingKey: {
		"": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return s.do(s.request(body)), o
		},
	},
	runtime.OutcomeMalformedKey: {
		"": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return s.post("a,b", body), o
		},
	},
	runtime.OutcomeInvalid: {
		"a body that cannot be read": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return s.post("k", `{`), o
		},
		"rejected": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return s.reject(errors.New("amount is missing")), o
		},
		"rejected with a problem": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return s.reject(&runtime.Problem{Status: 415}), o
		},
		"the principal function's problem": func(t *testing.T) (answer, *told) {
			return asked(t, &runtime.Problem{Status: 403})
		},
	},
	runtime.OutcomeUnauthenticated: {
		"": func(t *testing.T) (answer, *told) { return asked(t, runtime.ErrUnauthenticated) },
		"the principal function's problem": func(t *testing.T) (answer, *told) {
			return asked(t, &runtime.Problem{Status: 401})
		},
	},
	runtime.OutcomeTooLarge: {
		"": func(t *testing.T) (answer, *told) {
			s, o := observed(t, func(p *policy.Policy) { p.Store.MaxBody = 1 })
			s.post("k", body)
			return s.post("k", body), o
		},
	},
	runtime.OutcomeDuplicateEffect: {
		"by the safety net": func(t *testing.T) (answer, *told) {
			s, o := observed(t, guarded(""))
			s.work = fails(&pgconn.PgError{Code: "23505", ConstraintName: "one_per_order"})
			return s.post("k", body), o
		},
		"by a rule of the business": func(t *testing.T) (answer, *told) {
			s, o := observed(t, guarded("conflict"))
			s.work = fails(&pgconn.PgError{Code: "23505", ConstraintName: "one_per_order"})
			return s.post("k", body), o
		},
		"without a key": func(t *testing.T) (answer, *told) {
			s, o := observed(t, optional, guarded(""))
			s.work = fails(&pgconn.PgError{Code: "23505", ConstraintName: "one_per_order"})
			return s.do(s.request(body)), o
		},
	},
	runtime.OutcomeUnavailable: {
		"the store is down": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.down.Store(true)
			return s.post("k", body), o
		},
		"the store is down, without a key": func(t *testing.T) (answer, *told) {
			s, o := observed(t, optional)
			s.store.down.Store(true)
			return s.do(s.request(body)), o
		},
		"the database asks too often": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
				return errors.Join(w.Rollback(ctx), runtime.ErrSerialization)
			}
			return s.post("k", body), o
		},
		"the principal function fails": func(t *testing.T) (answer, *told) { return asked(t, errors.New("down")) },
		"the client is gone": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			ctx, cancel := context.WithCancel(context.Background())
			s.work = func(ctx context.Context, _ pgx.Tx, _ *runtime.Call[pgx.Tx]) (runtime.Response, error) {
				cancel()
				return runtime.Response{}, ctx.Err()
			}
			return s.do(s.request(body, header("Idempotency-Key", "k")).WithContext(ctx)), o
		},
	},
	runtime.OutcomeUnknown: {
		"a commit that cannot be looked for": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				s.store.down.Store(true)
				return errors.Join(w.Commit(ctx, r), runtime.ErrCommitUnknown)
			}
			return s.post("k", body), o
		},
		"work without a record": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				return errors.Join(w.Rollback(ctx), runtime.ErrUnrecorded)
			}
			return s.post("k", body), o
		},
		"a failed commit without a key": func(t *testing.T) (answer, *told) {
			s, o := observed(t, optional)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				return errors.Join(w.Rollback(ctx), errors.New("?"))
			}
			return s.do(s.request(body)), o
		},
	},
	runtime.OutcomeFailed: {
		"the handler's error": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = fails(errors.New("no"))
			return s.post("k", body), o
		},
		"a panic": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { panic("no") }
			return s.post("k", body), o
		},
		"an answer that cannot be sent": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.work = respond(runtime.Response{Status: 7})
			return s.post("k", body), o
		},
		"a commit that failed": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], _ *runtime.Record) error {
				return errors.Join(w.Rollback(ctx), errors.New("?"))
			}
			return s.post("k", body), o
		},
		"an operation that cannot be served": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			return do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, ok := s.engine.Begin(w, r, &runtime.Operation{ID: "createPayment"}); ok {
					t.Error("it is served")
				}
			}), s.request(body)), o
		},
		"a body that was read before": func(t *testing.T) (answer, *told) {
			s, o := observed(t)
			r := s.request(body, header("Idempotency-Key", "k"))
			_, _ = io.ReadAll(r.Body)
			return s.do(r), o
		},
	},
	runtime.OutcomeUnprotected: {
		"": func(t *testing.T) (answer, *told) {
			s, o := observed(t, optional)
			return s.do(s.request(body)), o
		},
	},
}

func optional(p *policy.Policy) { p.Key.Required = false }

func guarded(on string) func(*policy.Policy) {
	return func(p *policy.Policy) { p.Guards = []policy.Guard{{Constraint: "one_per_order", On: on}} }
}

func fails(err error) work {
	return func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, err
	}
}

// progress has an operation in lease mode hold each id, for 2.5 seconds more.
func progress(version int) func(int64, context.Context, runtime.ID, time.Duration) (runtime.Claim[pgx.Tx], error) {
	return func(int64, context.Context, runtime.ID, time.Duration) (runtime.Claim[pgx.Tx], error) {
		return runtime.Claim[pgx.Tx]{Progress: &runtime.Progress{
			Operation: "other", FingerprintVersion: version, Fingerprint: []byte("other"), Left: 2500 * time.Millisecond,
		}}, nil
	}
}

// asked has the principal function fail with err.
func asked(t *testing.T, err error) (answer, *told) {
	t.Helper()
	s, o := observed(t)
	engine, fault := runtime.New[pgx.Tx](s.store, func(*http.Request) (string, error) { return "", err },
		runtime.WithObserver(o), runtime.WithLogger(silent()))
	if fault != nil {
		t.Fatal(fault)
	}
	mux := http.NewServeMux()
	s.serve(mux, engine)
	return do(mux, s.request(body, header("Idempotency-Key", "k"))), o
}

// reject sends a request that is rejected with err.
func (s *service) reject(err error) answer {
	return do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("order", "o1")
		if call, ok := s.engine.Begin(w, r, s.op); ok {
			call.Reject(err)
		}
	}), s.request(body, header("Idempotency-Key", "k")))
}

func (o *told) lastEnd() runtime.RequestEvent {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.requests[len(o.requests)-1]
}

func waitForEnds(o *told, n int) {
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(time.Millisecond) {
		o.mu.Lock()
		done := len(o.requests) == n
		o.mu.Unlock()
		if done {
			return
		}
	}
}

// Each outcome that the package names is what some request ends with, and nothing else is.
func TestObserver_C5_EveryOutcomeIsProduced(t *testing.T) {
	elsewhere := []runtime.Outcome{runtime.OutcomeSuspended} // TestObserver_A4_Lease
	for name, outcome := range constants(t, "observer.go", "Outcome") {
		if outcomes[outcome] == nil && !slices.Contains(elsewhere, outcome) {
			t.Errorf("no request ends with %s", name)
		}
	}
	for outcome, requests := range outcomes {
		for what, send := range requests {
			t.Run(string(outcome)+"/"+what, func(t *testing.T) {
				a, o := send(t)
				event := o.last(t)
				if event.Outcome != outcome || event.Status != a.status || event.Operation != "createPayment" {
					t.Errorf("%+v, and the answer is %d %s", event, a.status, a.body)
				}
				if event.Duration <= 0 || event.Waited < 0 || event.Waited > event.Duration {
					t.Errorf("%+v", event)
				}
				if waited := outcome == runtime.OutcomeWaited; waited != (event.Waited > 0) {
					t.Errorf("waited %v", event.Waited)
				}
				if event.Runs > 0 && slices.Contains([]runtime.Outcome{
					runtime.OutcomeWaited, runtime.OutcomeInProgress, runtime.OutcomeMismatch, runtime.OutcomeMissingKey,
					runtime.OutcomeMalformedKey, runtime.OutcomeInvalid, runtime.OutcomeUnauthenticated, runtime.OutcomeTooLarge,
				}, outcome) {
					t.Errorf("it ran %d times", event.Runs)
				}
			})
		}
	}
}

// constants are the string constants of a type in a file of this package, by name.
func constants(t *testing.T, file, typeName string) map[string]runtime.Outcome {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]runtime.Outcome{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if named, ok := spec.Type.(*ast.Ident); ok && named.Name == typeName {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[spec.Names[0].Name] = runtime.Outcome(value)
		}
		return true
	})
	if len(found) == 0 {
		t.Fatalf("%s has no constant of type %s", file, typeName)
	}
	return found
}

// However a request ends, its end is told once.
func TestObserver_A10_OneEndOnEveryWayOut(t *testing.T) {
	exit := func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		goruntime.Goexit()
		return runtime.Response{}, nil
	}
	aborts := func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		panic(http.ErrAbortHandler)
	}
	for name, send := range map[string]func(s *service){
		"Goexit":                func(s *service) { s.work = exit; s.post("k", body) },
		"ErrAbortHandler":       func(s *service) { s.work = aborts; s.post("k", body) },
		"Goexit without a key":  func(s *service) { s.work = exit; s.do(s.request(body)) },
		"an abort without one":  func(s *service) { s.work = aborts; s.do(s.request(body)) },
		"a store that panics":   func(s *service) { s.store.onClaim = nil; s.store.onCommit = panics; s.post("k", body) },
		"a claim that panics":   func(s *service) { s.store.onClaim = claimPanics; s.post("k", body) },
		"a body that panics":    func(s *service) { s.do(s.request("", func(r *http.Request) { r.Body = panickingBody{} })) },
		"a writer that panics":  func(s *service) { s.mux.ServeHTTP(panickingWriter{}, s.request(body, header("Idempotency-Key", "k"))) },
		"a reader that panics":  func(s *service) { s.between(func(*runtime.Call[pgx.Tx]) { panic("no") }) },
		"a reader that returns": func(s *service) { s.between(func(*runtime.Call[pgx.Tx]) {}) },
		"a reader that rejects": func(s *service) { s.between(func(c *runtime.Call[pgx.Tx]) { c.Reject(nil); c.End() }) },
	} {
		t.Run(name, func(t *testing.T) {
			s, o := observed(t, optional)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer func() { _ = recover() }()
				send(s)
			}()
			<-ended
			o.ends(t, 1)
		})
	}
}

// between has f run where generated code reads the parameters.
func (s *service) between(f func(*runtime.Call[pgx.Tx])) {
	r := s.request(body, header("Idempotency-Key", "k"))
	call, ok := s.engine.Begin(httptest.NewRecorder(), r, s.op)
	if !ok {
		s.t.Error("it was refused")
		return
	}
	defer call.End()
	f(call)
}

func panics(context.Context, runtime.Work[pgx.Tx], *runtime.Record) error { panic("no") }

func claimPanics(int64, context.Context, runtime.ID, time.Duration) (runtime.Claim[pgx.Tx], error) {
	panic("no")
}

type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic(http.ErrAbortHandler) }
func (panickingBody) Close() error             { return nil }

type panickingWriter struct{}

func (panickingWriter) Header() http.Header       { return http.Header{} }
func (panickingWriter) WriteHeader(int)           { panic("no") }
func (panickingWriter) Write([]byte) (int, error) { panic("no") }

// Runs are counted, and the observer's context is the rest of the request's.
func TestObserver_A7_RunsAndContext(t *testing.T) {
	s, o := observed(t)
	s.work = func(ctx context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		for _, ctx := range []context.Context{ctx, call.Request().Context()} {
			if ctx.Value(contextKey{}) != "observer's" {
				t.Error("the handler has another context")
			}
		}
		if s.runs.Load() < 3 {
			return runtime.Response{}, &pgconn.PgError{Code: "40001"}
		}
		return s.pay(call)
	}
	s.post("k", body)
	if event := o.last(t); event.Runs != 3 || event.Outcome != runtime.OutcomeFresh {
		t.Errorf("%+v", event)
	}
	s.post("k", body)
	if event := o.last(t); event.Runs != 0 {
		t.Errorf("%+v", event)
	}
}

// Several observers are told in their order, and of ends in the opposite one.
func TestObservers_Order(t *testing.T) {
	var order []string
	named := func(name string) runtime.Observer { return &tracing{name: name, order: &order} }
	both := runtime.Observers(named("a"), nil, runtime.Observers(named("b"), named("c")))
	ctx, end := both.Request(context.Background(), "op")
	if ctx.Value(contextKey{}) != "abc" {
		t.Errorf("%v", ctx.Value(contextKey{}))
	}
	end(runtime.RequestEvent{Operation: "op"})
	both.Step(ctx, runtime.StepEvent{})
	both.LeaseLost(ctx, runtime.LeaseLostEvent{})
	both.WorkLimit(ctx, runtime.WorkLimitEvent{})
	both.Recovered(ctx, runtime.RecoveryEvent{})
	both.Backlog(ctx, runtime.Backlog{})
	want := "a+ b+ c+ c- b- a- a:step b:step c:step a:lost b:lost c:lost a:limit b:limit c:limit a:recovered b:recovered c:recovered a:backlog b:backlog c:backlog"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("%s", got)
	}
	if _, err := runtime.New[pgx.Tx](newService(t, payment()).store, bearer, runtime.WithObserver(nil)); err == nil {
		t.Error("no observer is taken")
	}
}

type tracing struct {
	name  string
	order *[]string
}

func (o *tracing) add(what string) { *o.order = append(*o.order, o.name+what) }

func (o *tracing) Request(ctx context.Context, _ string) (context.Context, func(runtime.RequestEvent)) {
	o.add("+")
	before, _ := ctx.Value(contextKey{}).(string)
	return context.WithValue(ctx, contextKey{}, before+o.name), func(runtime.RequestEvent) { o.add("-") }
}
func (o *tracing) Step(context.Context, runtime.StepEvent)           { o.add(":step") }
func (o *tracing) LeaseLost(context.Context, runtime.LeaseLostEvent) { o.add(":lost") }
func (o *tracing) WorkLimit(context.Context, runtime.WorkLimitEvent) { o.add(":limit") }
func (o *tracing) Recovered(context.Context, runtime.RecoveryEvent)  { o.add(":recovered") }
func (o *tracing) Backlog(context.Context, runtime.Backlog)          { o.add(":backlog") }

// Nothing of a request is in what an observer is told, whatever becomes of it.
func TestObserver_NothingOfTheRequestIsTold(t *testing.T) {
	const secret = "s3cr3t"
	o := &told{}
	s := newService(t, payment(optional), runtime.WithObserver(o))
	for _, w := range []work{nil, fails(errors.New(secret)), respond(runtime.Response{Status: 404, Body: []byte(secret)})} {
		s.work = w
		for _, key := range []string{secret, secret + ",", secret + fmt.Sprintf("%p", w), ""} {
			s.do(s.request(`{"card":"`+secret+`"}`, account(secret), func(r *http.Request) {
				if key != "" {
					r.Header.Set("Idempotency-Key", key)
				}
			}, path("/orders/"+secret+"/payments?q="+secret)))
		}
	}
	events := o.ends(t, 12)
	if text := fmt.Sprintf("%+v %+v", o.arrived, events); strings.Contains(text, secret) {
		t.Errorf("the secret is out: %s", text)
	}
}
