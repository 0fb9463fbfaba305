package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// payment is a keyed operation with a complete policy, as generated code writes one.
func payment(changes ...func(*policy.Policy)) *runtime.Operation {
	op := &runtime.Operation{
		ID:         "createPayment",
		Method:     "POST",
		Route:      "/orders/{order}/payments",
		PathParams: []string{"order"},
		DocsURL:    "https://api.example/docs/retries#createPayment",
		Policy: policy.Policy{
			Mode: policy.Transaction,
			Key: policy.Key{
				In: policy.InHeader, Name: "Idempotency-Key", Required: true,
				Format: policy.AnyFormat, MaxLength: 64, LengthUnit: policy.Characters, Syntax: policy.Either,
			},
			Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
			Retention:   24 * time.Hour,
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
			Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402", "409"}, MaxBody: 1 << 20},
			Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
			InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 10 * time.Second, RetryAfter: time.Second},
		},
	}
	for _, change := range changes {
		change(&op.Policy)
	}
	return op
}

// work is a handler under test.
type work = func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error)

// service is an engine over a store in memory, with one operation, behind net/http's mux.
type service struct {
	t       *testing.T
	store   *faultyStore
	engine  *runtime.Engine[pgx.Tx]
	op      *runtime.Operation
	mux     *http.ServeMux
	clock   *clock
	log     *lockedBuffer
	runs    atomic.Int64 // how often the handler ran
	effects atomic.Int64 // how many of its effects were committed
	work    work         // nil: pay
}

func newService(t *testing.T, op *runtime.Operation, opts ...runtime.Option) *service {
	t.Helper()
	s := &service{t: t, op: op, mux: http.NewServeMux(), clock: &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, log: &lockedBuffer{}}
	s.store = &faultyStore{Store: memstore.New(memstore.WithClock(s.clock.Now))}
	s.engine = s.newEngine(opts...)
	s.serve(s.mux, s.engine)
	return s
}

// newEngine is an engine over the service's store, as another process would have one.
func (s *service) newEngine(opts ...runtime.Option) *runtime.Engine[pgx.Tx] {
	s.t.Helper()
	opts = append([]runtime.Option{runtime.WithLogger(slog.New(slog.NewTextHandler(s.log, nil)))}, opts...)
	engine, err := runtime.New[pgx.Tx](s.store, bearer, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	return engine
}

// serve puts the operation on mux, as a generated wrapper does.
func (s *service) serve(mux *http.ServeMux, engine *runtime.Engine[pgx.Tx]) {
	s.t.Helper()
	if err := engine.Register(s.op); err != nil {
		s.t.Fatal(err)
	}
	mux.HandleFunc(s.op.Method+" "+s.op.Route, func(w http.ResponseWriter, r *http.Request) {
		call, ok := engine.Begin(w, r, s.op)
		if !ok {
			return
		}
		call.Transaction(func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
			s.runs.Add(1)
			if err := memstore.OnCommit(tx, func() { s.effects.Add(1) }); err != nil {
				return runtime.Response{}, err
			}
			if s.work != nil {
				return s.work(ctx, tx, call)
			}
			return s.pay(call)
		})
	})
}

// pay makes a payment, whose id tells which run made it.
func (s *service) pay(call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
	id := s.runs.Load()
	return runtime.Response{
		Status: 201,
		Header: http.Header{
			"Content-Type": {"application/json"},
			"Location":     {fmt.Sprintf("/payments/%d", id)},
			"Set-Cookie":   {"session=secret"},
			"X-Request-Id": {"r1"},
		},
		Body: fmt.Appendf(nil, `{"id":%d,"account":%q}`, id, call.Principal()),
	}, nil
}

// bearer takes the account from the Authorization header.
func bearer(r *http.Request) (string, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", fmt.Errorf("no bearer token: %w", runtime.ErrUnauthenticated)
	}
	return token, nil
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

// problem decodes a problem document and checks what is true of all of them.
func (a answer) problem(t *testing.T) (p struct{ Type, Title, Detail, Code string }) {
	t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q, body %s", got, a.body)
	}
	var status struct{ Status int }
	if err := errors.Join(json.Unmarshal([]byte(a.body), &p), json.Unmarshal([]byte(a.body), &status)); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	if status.Status != a.status {
		t.Errorf("status %d, and %d in the body", a.status, status.Status)
	}
	return p
}

// wantProblem checks status and problem type.
func (a answer) wantProblem(t *testing.T, status int, name string) {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d: %s", a.status, status, a.body)
		return
	}
	if got, want := a.problem(t).Type, runtime.DefaultProblemBase+name; got != want {
		t.Errorf("problem type %s, want %s", got, want)
	}
}

func (a answer) wantRetryAfter(t *testing.T) {
	t.Helper()
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// request is a request to the service, from account acct_1, in JSON.
func (s *service) request(body string, changes ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest(s.op.Method, strings.NewReplacer("{order}", "o1").Replace(s.op.Route), strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer acct_1")
	r.Header.Set("Content-Type", "application/json")
	for _, change := range changes {
		change(r)
	}
	return r
}

func (s *service) do(r *http.Request) answer { return do(s.mux, r) }

func do(h http.Handler, r *http.Request) answer {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	result := w.Result()
	body, _ := io.ReadAll(result.Body)
	return answer{result.StatusCode, result.Header, string(body)}
}

// post sends body with key.
func (s *service) post(key, body string, changes ...func(*http.Request)) answer {
	return s.do(s.request(body, append([]func(*http.Request){header("Idempotency-Key", key)}, changes...)...))
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func account(name string) func(*http.Request) { return header("Authorization", "Bearer "+name) }

func path(target string) func(*http.Request) {
	return func(r *http.Request) {
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
		r.RequestURI = target
	}
}

// want checks how often the handler ran, and how many effects and records there are.
func (s *service) want(runs, effects, records int) {
	s.t.Helper()
	if got := int(s.runs.Load()); got != runs {
		s.t.Errorf("the handler ran %d times, want %d", got, runs)
	}
	if got := int(s.effects.Load()); got != effects {
		s.t.Errorf("%d effects, want %d", got, effects)
	}
	if got := s.store.Len(); got != records {
		s.t.Errorf("%d records, want %d", got, records)
	}
}

// wantReplay checks that second is first again, and is marked.
func wantReplay(t *testing.T, first, second answer) {
	t.Helper()
	if first.replayed() {
		t.Error("the first answer is marked as a replay")
	}
	if !second.replayed() {
		t.Errorf("the second answer is not marked as a replay: %d %s", second.status, second.body)
	}
	if second.status != first.status || second.body != first.body {
		t.Errorf("replay %d %s, want %d %s", second.status, second.body, first.status, first.body)
	}
	for _, name := range []string{"Content-Type", "Location", "Content-Length", "Etag", "Content-Encoding"} {
		if !slices.Equal(first.header[name], second.header[name]) {
			t.Errorf("replay's %s %q, want %q", name, second.header[name], first.header[name])
		}
	}
}

// together sends n requests at once.
func together(n int, send func(i int) answer) []answer {
	answers := make([]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i] = send(i) })
	}
	all.Wait()
	return answers
}

// count counts answers by status, and the marked ones under 0.
func count(answers []answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.status]++
		if a.replayed() {
			counts[0]++
		}
	}
	return counts
}

func wantCount(t *testing.T, answers []answer, want map[int]int) {
	t.Helper()
	if got := count(answers); !maps.Equal(got, want) {
		t.Errorf("answers by status, replays under 0: got %v, want %v", got, want)
	}
}

// faultyStore is a store in memory in which a test can let things go wrong.
type faultyStore struct {
	*memstore.Store
	claims atomic.Int64
	// onClaim and onCommit, when set, take the place of the call; they may make it themselves.
	onClaim  func(n int64, ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error)
	onCommit func(ctx context.Context, work runtime.Work[pgx.Tx], record *runtime.Record) error
	// down has every claim and every begin fail.
	down atomic.Bool
	open atomic.Int64 // transactions that have not ended
	most atomic.Int64 // the most that were open at a time
}

var errDown = errors.New("connection refused")

func (s *faultyStore) Claim(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
	n := s.claims.Add(1)
	if s.down.Load() {
		return runtime.Claim[pgx.Tx]{}, errDown
	}
	claim := s.Store.Claim
	if s.onClaim != nil {
		claim = func(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
			return s.onClaim(n, ctx, id, wait)
		}
	}
	c, err := claim(ctx, id, wait)
	c.Work = s.watch(c.Work)
	return c, err
}

func (s *faultyStore) Begin(ctx context.Context) (runtime.Work[pgx.Tx], error) {
	if s.down.Load() {
		return nil, errDown
	}
	work, err := s.Store.Begin(ctx)
	return s.watch(work), err
}

func (s *faultyStore) watch(work runtime.Work[pgx.Tx]) runtime.Work[pgx.Tx] {
	if work == nil {
		return nil
	}
	open := s.open.Add(1)
	for most := s.most.Load(); open > most && !s.most.CompareAndSwap(most, open); most = s.most.Load() {
	}
	return &faultyWork{Work: work, store: s}
}

type faultyWork struct {
	runtime.Work[pgx.Tx]
	store *faultyStore
	ended bool
}

func (w *faultyWork) end() {
	if !w.ended {
		w.store.open.Add(-1)
	}
	w.ended = true
}

func (w *faultyWork) Commit(ctx context.Context, record *runtime.Record) error {
	defer w.end()
	if w.store.onCommit != nil {
		return w.store.onCommit(ctx, w.Work, record)
	}
	return w.Work.Commit(ctx, record)
}

func (w *faultyWork) Rollback(ctx context.Context) error {
	defer w.end()
	return w.Work.Rollback(ctx)
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// lockedBuffer is a buffer that several goroutines write to.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func silent() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
