package policydoc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The page says what the runtime does: each refusal is provoked and compared with its row.

// moody is a store that can be down, or lose the answer to a commit.
type moody struct {
	*memstore.Store
	down, losesCommit bool
}

func (m *moody) ClaimLease(ctx context.Context, id runtime.ID, intent *runtime.Intent) (runtime.LeaseClaim, error) {
	if m.down {
		return runtime.LeaseClaim{}, errors.New("the database is down")
	}
	return m.Store.ClaimLease(ctx, id, intent)
}

func (m *moody) Advance(ctx context.Context, id runtime.ID, fence runtime.Fence, to *runtime.Advance) error {
	if m.losesCommit {
		return runtime.ErrCommitUnknown
	}
	return m.Store.Advance(ctx, id, fence, to)
}

func (m *moody) Claim(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
	if m.down {
		return runtime.Claim[pgx.Tx]{}, errors.New("the database is down")
	}
	claim, err := m.Store.Claim(ctx, id, wait)
	if err == nil && claim.Work != nil && m.losesCommit {
		claim.Work = &lossy{claim.Work, m}
	}
	return claim, err
}

// lossy loses the connection in its commit, after which the database cannot be asked.
type lossy struct {
	runtime.Work[pgx.Tx]
	store *moody
}

func (l *lossy) Commit(ctx context.Context, _ *runtime.Record) error {
	l.store.down = true
	return errors.Join(runtime.ErrCommitUnknown, l.Rollback(ctx))
}

// service is one keyed operation on the real engine.
type service struct {
	engine *runtime.Engine[pgx.Tx]
	leases http.Handler // in lease mode
	store  *moody
	op     runtime.Operation
	work   func() (runtime.Response, error)
}

func newService(t *testing.T, p policy.Policy) *service {
	t.Helper()
	s := &service{store: &moody{Store: memstore.New()}, op: runtime.Operation{ID: "createPayment", Method: "POST", Route: "/payments", Policy: p}}
	engine, err := runtime.New(s.store, func(r *http.Request) (string, error) { return "account", nil },
		runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Register(&s.op); err != nil {
		t.Fatal(err)
	}
	s.engine = engine
	if p.Mode == policy.LeaseMode {
		s.leases = engine.LeaseHandler(&s.op, func(*runtime.Call[pgx.Tx]) (runtime.LeaseWork[pgx.Tx], error) {
			return runtime.LeaseWork[pgx.Tx]{Run: func(context.Context, *runtime.Lease[pgx.Tx]) (runtime.Response, error) { return s.work() }}, nil
		})
	}
	s.work = func() (runtime.Response, error) {
		return runtime.Response{Status: 201, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"id":1}`)}, nil
	}
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.leases != nil {
		s.leases.ServeHTTP(w, r)
		return
	}
	call, ok := s.engine.Begin(w, r, &s.op)
	if !ok {
		return
	}
	call.Transaction(func(context.Context, pgx.Tx) (runtime.Response, error) { return s.work() })
}

func (s *service) post(key, body string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, "/payments", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set(s.op.Policy.Key.Name, key)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func strict() policy.Policy {
	p := effective()
	p.Key.MinLength, p.InFlight.Answer = 4, policy.Conflict
	p.Guards = []policy.Guard{
		{Table: "t", Columns: []string{"c"}, On: "conflict", Constraint: "one_per_order"},
		{Table: "t", Columns: []string{"k"}, Constraint: "one_per_key"},
	}
	return p
}

// provoked are the ways to each refusal.
var provoked = map[string]func(t *testing.T, s *service) *http.Response{
	refusalMissing:   func(t *testing.T, s *service) *http.Response { return s.post("", "{}") },
	refusalMalformed: func(t *testing.T, s *service) *http.Response { return s.post("abc", "{}") },
	refusalMismatch: func(t *testing.T, s *service) *http.Response {
		s.post("key-1", `{"amount":1}`)
		return s.post("key-1", `{"amount":2}`)
	},
	refusalInFlight: func(t *testing.T, s *service) *http.Response {
		inside, leave := make(chan struct{}), make(chan struct{})
		work := s.work
		s.work = func() (runtime.Response, error) {
			close(inside)
			<-leave
			return work()
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.post("key-1", "{}")
		}()
		<-inside
		answer := s.post("key-1", "{}")
		close(leave)
		<-done
		return answer
	},
	refusalTooLarge: func(t *testing.T, s *service) *http.Response {
		s.op.Policy.Store.MaxBody = 4
		s.post("key-1", "{}")
		return s.post("key-1", "{}")
	},
	refusalBusinessRule: func(t *testing.T, s *service) *http.Response {
		s.work = func() (runtime.Response, error) {
			return runtime.Response{}, &pgconn.PgError{Code: "23505", ConstraintName: "one_per_order"}
		}
		return s.post("key-1", "{}")
	},
	refusalEffect: func(t *testing.T, s *service) *http.Response {
		s.work = func() (runtime.Response, error) {
			return runtime.Response{}, &pgconn.PgError{Code: "23505", ConstraintName: "one_per_key"}
		}
		return s.post("key-1", "{}")
	},
	refusalUnavailable: func(t *testing.T, s *service) *http.Response {
		s.store.down = true
		return s.post("key-1", "{}")
	},
	refusalUnknown: func(t *testing.T, s *service) *http.Response {
		s.store.losesCommit = true
		return s.post("key-1", "{}")
	},
}

func TestPage_P1_RefusalsAreTheRuntimes(t *testing.T) {
	for _, shape := range []string{"problem", "stripe"} {
		p := strict()
		p.Errors.Shape = shape
		refusalsAreTheRuntimes(t, shape, p)
		p.Mode, p.Lease = policy.LeaseMode, policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
		refusalsAreTheRuntimes(t, shape+" in lease mode", p)
	}
}

func refusalsAreTheRuntimes(t *testing.T, name string, p policy.Policy) {
	for _, row := range refusals(&p) {
		t.Run(name+"/"+row.Case, func(t *testing.T) {
			provoke, ok := provoked[row.Case]
			if !ok {
				t.Fatal("nothing provokes it")
			}
			answer := provoke(t, newService(t, p))
			if got := strconv.Itoa(answer.StatusCode); got != row.Status.Raw() {
				t.Errorf("status %s, the page says %s", got, row.Status.Raw())
			}
			if later := answer.Header.Get("Retry-After") != ""; strings.Contains(row.Do.Plain(), "Retry-After") && !later {
				t.Errorf("the page speaks of Retry-After, and there is none")
			}
			if marked := answer.Header.Get(p.Replay.Header); marked != "" {
				t.Errorf("a refusal is marked as a repetition: %s", marked)
			}
			var body struct {
				Type  string
				Error struct{ Type string }
			}
			if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
				t.Fatal(err)
			}
			if p.Errors.Shape == "problem" && !strings.HasSuffix(body.Type, strings.TrimPrefix(row.Mark.Plain(), "…")) {
				t.Errorf("type %s, the page says %s", body.Type, row.Mark.Plain())
			}
			if p.Errors.Shape == "stripe" && body.Error.Type == "" {
				t.Errorf("the body has no error object with a type")
			}
		})
	}
}

func TestPage_R1_R7_RepetitionHasTheHeadersThePageNames(t *testing.T) {
	for _, omit := range []bool{false, true} {
		p := strict()
		p.Store.Headers, p.Store.OmitBody = []string{"X-Cost"}, omit
		s := newService(t, p)
		header := http.Header{"X-Other": {"x"}, "Set-Cookie": {"a=b"}, "Www-Authenticate": {"Basic"}, "Cache-Control": {"no-store"}}
		for _, name := range append(keptHeaders(&p), "Content-Encoding", "Content-Language", "Content-Type") {
			header.Set(name, "value")
		}
		s.work = func() (runtime.Response, error) {
			return runtime.Response{Status: 201, Header: header, Body: []byte("{}")}, nil
		}
		s.post("key-1", "{}")
		repetition := s.post("key-1", "{}")

		var got []string
		for name := range repetition.Header {
			if name != "Content-Length" && name != p.Replay.Header {
				got = append(got, strings.ReplaceAll(name, "Etag", "ETag"))
			}
		}
		slices.Sort(got)
		if want := keptHeaders(&p); !slices.Equal(got, want) {
			t.Errorf("body left out %v: a repetition has %v, the page says %v", omit, got, want)
		}
		if repetition.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("a repetition is not marked")
		}
	}
}

// What the page says is compared is what tells two requests apart, with a declared body and without.
func TestPage_P1_F1_F4_SameRequestIsTheRuntimes(t *testing.T) {
	type request struct{ query, contentType, body string }
	for name, c := range map[string]struct {
		body   *policy.Body
		first  string // the first request's body
		other  map[string]request
		always []request // the same request, whatever is compared
	}{
		"with a body": {
			body:  &policy.Body{Contents: []policy.Content{{MediaType: "application/json"}}},
			first: `{"amount":1}`,
			other: map[string]request{
				"query parameters": {"?x=1", "application/json", `{"amount":1}`},
				"content type":     {"", "application/merge-patch+json", `{"amount":1}`},
				"body":             {"", "application/json", `{"amount":2}`},
			},
			always: []request{{"", "application/json", `{ "amount": 1.0 }`}},
		},
		"without a body": {
			other: map[string]request{
				"query parameters": {"?x=1", "application/json", ""},
				"content type":     {"", "text/plain", ""},
			},
			always: []request{{"", "application/json", ""}, {"", "application/json", "{}"}, {"", "", ""}},
		},
	} {
		for _, query := range []bool{true, false} {
			p := strict()
			p.Fingerprint = policy.Fingerprint{Body: policy.CanonicalBody, Query: query}
			op := &policy.Operation{Policy: p, Shape: &policy.Shape{Body: c.body}}
			page := sameRequest(op).Plain()
			s := newService(t, p)
			s.op.WithoutBody = c.body == nil
			answer := func(sent request) int {
				r := httptest.NewRequest(http.MethodPost, "/payments"+sent.query, strings.NewReader(sent.body))
				r.Header.Set("Idempotency-Key", "key-1")
				if sent.contentType != "" {
					r.Header.Set("Content-Type", sent.contentType)
				}
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				return w.Code
			}
			if got := answer(request{"", "application/json", c.first}); got != http.StatusCreated {
				t.Fatalf("%s: %d", name, got)
			}
			for part, other := range c.other {
				want := http.StatusCreated
				if strings.Contains(page, part) {
					want = http.StatusUnprocessableEntity
				}
				if got := answer(other); got != want {
					t.Errorf("%s: another %s is answered with %d, the page says: %s", name, part, got, page)
				}
			}
			for i, same := range c.always {
				if got := answer(same); got != http.StatusCreated {
					t.Errorf("%s: the same request, in another form (%d), is answered with %d", name, i, got)
				}
			}
			says := strings.Contains(bodyCompared(op).Plain(), "with one is refused with 400")
			if refused := answer(request{"", "application/json", `{"amount":7}`}) == http.StatusBadRequest; refused != says {
				t.Errorf("%s: a body is refused: %v, the page says: %s", name, refused, bodyCompared(op).Plain())
			}
		}
	}
}

// The page takes a body for JSON where the runtime does.
func TestPage_P1_F2_JSONIsWhatTheRuntimeTakesForJSON(t *testing.T) {
	for mediaType, want := range map[string]bool{
		"application/json": true, "text/json": true, "Text/JSON; charset=utf-8": true, "application/hal+json": true, "text/plain": false, "application/jsonlines": false,
	} {
		p := strict()
		p.Fingerprint = policy.Fingerprint{Body: policy.CanonicalBody}
		op := &policy.Operation{Policy: p, Shape: &policy.Shape{Body: &policy.Body{Contents: []policy.Content{{MediaType: mediaType}}}}}
		s := newService(t, p)
		answer := func(body string) int {
			r := httptest.NewRequest(http.MethodPost, "/payments", strings.NewReader(body))
			r.Header.Set("Idempotency-Key", "key-1")
			r.Header.Set("Content-Type", mediaType)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w.Code
		}
		if got := answer(`{"amount":1}`); got != http.StatusCreated {
			t.Fatalf("%s: %d", mediaType, got)
		}
		does := answer(`{ "amount": 1.0 }`) == http.StatusCreated
		says := strings.HasPrefix(bodyCompared(op).Plain(), "In a JSON body")
		if rule := bodyParameters(op)["body"]; says != does || (rule == "json") != does || does != want {
			t.Errorf("%s: compared as JSON: %v, want %v; the page says: %s; its parameter is %v", mediaType, does, want, bodyCompared(op).Plain(), rule)
		}
	}
}

// The example key is one that the policy's own runtime accepts.
func TestCurl_ExampleKeyIsAccepted(t *testing.T) {
	for name, change := range map[string]func(*policy.Key){
		"any":      func(*policy.Key) {},
		"uuid":     func(k *policy.Key) { k.Format = policy.UUID },
		"uuid4":    func(k *policy.Key) { k.Format = policy.UUID4 },
		"uuid5":    func(k *policy.Key) { k.Format = policy.UUID5 },
		"uuid7":    func(k *policy.Key) { k.Format = policy.UUID7 },
		"short":    func(k *policy.Key) { k.MaxLength = 8 },
		"hex":      func(k *policy.Key) { k.Pattern = "^[0-9a-f]{32}$" },
		"digits":   func(k *policy.Key) { k.Pattern = "^[0-9]+$" },
		"capitals": func(k *policy.Key) { k.Pattern = "^[0-9A-F-]{36}$" },
		"quoted":   func(k *policy.Key) { k.Syntax = policy.Structured },
		"bare":     func(k *policy.Key) { k.Syntax, k.Pattern = policy.Bare, "^[0-9]+$" },
		"long":     func(k *policy.Key) { k.MinLength = 20 },
	} {
		p := strict()
		change(&p.Key)
		answer := newService(t, p).post(headerValue(p.Key, exampleKey(p.Key)), "{}")
		if answer.StatusCode != http.StatusCreated {
			t.Errorf("%s: %s is answered with %d", name, exampleKey(p.Key), answer.StatusCode)
		}
	}
}

// A key that is forgotten is new, but the row that a guard watches may be there still: both ends that the page names are real.
func TestPage_P1_G1_RetentionEndIsTheRuntimes(t *testing.T) {
	for _, c := range []struct {
		guards   []policy.Guard
		effect   error // what the work meets when its effect is there still
		statuses []int
	}{
		{nil, nil, []int{http.StatusCreated}},
		{[]policy.Guard{{Constraint: "net"}}, &pgconn.PgError{Code: "23505", ConstraintName: "net"}, []int{http.StatusConflict, http.StatusCreated}},
		{[]policy.Guard{{Constraint: "rule", On: "conflict"}}, &pgconn.PgError{Code: "23505", ConstraintName: "rule"}, []int{http.StatusConflict, http.StatusCreated}},
	} {
		p := strict()
		p.Guards = c.guards
		page := retentionEnd(&p).Plain()
		for _, status := range c.statuses {
			s := newService(t, p) // an empty store: the key is forgotten
			if status == http.StatusConflict {
				s.work = func() (runtime.Response, error) { return runtime.Response{}, c.effect }
			}
			if got := s.post("key-1", "{}").StatusCode; got != status {
				t.Errorf("%d, want %d; the page says: %s", got, status, page)
			}
		}
		if says := strings.Contains(page, "409"); says != (len(c.guards) > 0) {
			t.Errorf("%d guards, and the page says: %s", len(c.guards), page)
		}
	}
}
