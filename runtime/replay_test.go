package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// respond is a handler that always answers the same.
func respond(r runtime.Response) work {
	return func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { return r, nil }
}

func TestReplay_R1_Headers(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Store.Headers = []string{"x-request-cost", "Cache-Control"} }))
	kept := http.Header{
		"Content-Type":     {"application/vnd.api+json"},
		"Content-Encoding": {"br"},
		"Content-Language": {"de"},
		"Content-Location": {"/payments/1"},
		"Location":         {"/payments/1"},
		"Etag":             {`"v1"`},
		"Last-Modified":    {"Mon, 02 Jan 2006 15:04:05 GMT"},
		"Link":             {"</a>; rel=next", "</b>; rel=prev"},
		"X-Request-Cost":   {"7"},
		"Cache-Control":    {"private"},
	}
	dropped := http.Header{
		"Set-Cookie":          {"session=secret"},
		"Www-Authenticate":    {"Bearer"},
		"Date":                {"Mon, 02 Jan 2006 15:04:05 GMT"},
		"Connection":          {"close"},
		"Keep-Alive":          {"timeout=5"},
		"Proxy-Authenticate":  {"Basic"},
		"Authorization":       {"Bearer secret"},
		"X-Ratelimit-Left":    {"3"},
		"Idempotent-Replayed": {"true"}, // only a replay is one
	}
	answer := runtime.Response{Status: 201, Header: http.Header{"x-lower-case": {"1"}, "etag": {`"v1"`}}, Body: []byte("…")}
	for _, header := range []http.Header{kept, dropped} {
		for name, values := range header {
			if name != "Etag" {
				answer.Header[name] = values
			}
		}
	}
	s.work = respond(answer)
	first, second := s.post("k", body), s.post("k", body)
	wantReplay(t, first, second)
	for name, values := range kept {
		if !slices.Equal(second.header[name], values) || !slices.Equal(first.header[name], values) {
			t.Errorf("%s: first %q, replay %q, want %q", name, first.header[name], second.header[name], values)
		}
	}
	for name := range dropped {
		if name != "Idempotent-Replayed" && second.header[name] != nil {
			t.Errorf("the replay has %s: %q", name, second.header[name])
		}
	}
	if first.header.Get("Set-Cookie") == "" || first.header.Get("X-Lower-Case") == "" {
		t.Errorf("the first answer lost a header: %v", first.header)
	}
}

func TestReplay_R5_I3_Bodies(t *testing.T) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, c := range map[string]runtime.Response{
		"no body":             {Status: 201},
		"empty body":          {Status: 200, Body: []byte{}},
		"204":                 {Status: 204},
		"204 with a body":     {Status: 204, Body: []byte("ignored"), Header: http.Header{"Etag": {`"x"`}}},
		"binary":              {Status: 200, Body: every},
		"binary, typed":       {Status: 200, Body: every, Header: http.Header{"Content-Type": {"image/png"}}},
		"HTML without a type": {Status: 200, Body: []byte("<html>")},
		"at the limit":        {Status: 200, Body: bytes.Repeat([]byte("x"), 1000)},
		"no sniffing":         {Status: 200, Body: []byte("<html>"), Header: http.Header{"Content-Type": nil}},
		"zipped, not typed":   {Status: 200, Body: []byte("\x1f\x8b\x08"), Header: http.Header{"Content-Encoding": {"br"}}},
		"204 with a length":   {Status: 204, Header: http.Header{"Content-Length": {"5"}}},
		"wrong length given":  {Status: 200, Body: []byte("abc"), Header: http.Header{"Content-Length": {"99"}, "Transfer-Encoding": {"chunked"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, payment(func(p *policy.Policy) { p.Store.MaxBody = 1000 }))
			s.work = respond(c)
			s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
				if c.Status == 204 && len(r.Body) != 0 {
					t.Errorf("a body is kept: %q", r.Body)
				}
				return w.Commit(ctx, r)
			}
			server := httptest.NewServer(s.mux)
			defer server.Close()
			send := func() answer { return overTheWire(t, server, "k", body) }
			first, second := send(), send()
			wantReplay(t, first, second)
			want := string(c.Body)
			if c.Status == 204 {
				want = ""
			}
			if first.status != c.Status || first.body != want || c.Status == 204 && first.header.Get("Content-Length") != "" {
				t.Errorf("%+v", first)
			}
			s.want(1, 1, 1)
		})
	}
}

func overTheWire(t *testing.T, server *httptest.Server, key, body string) answer {
	t.Helper()
	request, err := http.NewRequest("POST", server.URL+"/orders/o1/payments", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer acct_1")
	request.Header.Set("Idempotency-Key", key)
	request.Header.Set("Content-Type", "application/json")
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, text.String()}
}

func TestReplay_R5_I14_Tombstone(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Store.MaxBody = 1000 }))
	large := strings.Repeat("x", 1001)
	s.work = respond(runtime.Response{Status: 201, Header: http.Header{"Location": {"/payments/1"}}, Body: []byte(large)})
	first := s.post("k", body)
	if first.status != 201 || first.body != large {
		t.Errorf("the first answer is cut: %d, %d bytes", first.status, len(first.body))
	}
	second := s.post("k", body)
	second.wantProblem(t, 409, "answer-not-kept")
	if second.header.Get("Location") != "/payments/1" || second.replayed() {
		t.Errorf("%+v", second)
	}
	var extension struct{ OriginalStatus int }
	if err := json.Unmarshal([]byte(second.body), &extension); err != nil || extension.OriginalStatus != 201 {
		t.Errorf("%s", second.body)
	}
	s.post("k", `{"amount":1}`).wantProblem(t, 422, "key-reused")
	s.want(1, 1, 1)
}

func TestReplay_R8_OmitBody(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Store.OmitBody, p.Store.MaxBody = true, 0 }))
	first, second := s.post("k", body), s.post("k", body)
	if first.body == "" || second.status != 201 || second.body != "" || !second.replayed() {
		t.Errorf("%+v\n%+v", first, second)
	}
	if second.header.Get("Location") == "" || second.header.Get("Content-Type") != "" {
		t.Errorf("%v", second.header)
	}
	s.want(1, 1, 1)
}

func TestStoredHeaders_R1(t *testing.T) {
	rules := &policy.StoreRules{Headers: []string{"x-cost", "LINK", "set-cookie"}}
	want := []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Etag", "Last-Modified", "Link", "Location", "X-Cost"}
	if got := runtime.StoredHeaders(rules); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	rules.OmitBody = true
	want = []string{"Content-Location", "Etag", "Last-Modified", "Link", "Location", "X-Cost"}
	if got := runtime.StoredHeaders(rules); !slices.Equal(got, want) {
		t.Errorf("without body: %q", got)
	}
}

func TestReplay_R7_MarkerAndStatus(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) {
		p.Replay = policy.Replay{As: policy.Stored, Header: "x-cache-hit", Value: "yes", Status: []policy.StatusChange{{From: 201, To: 200}}}
	}))
	first, second := s.post("k", body), s.post("k", body)
	if first.status != 201 || second.status != 200 || second.header.Get("X-Cache-Hit") != "yes" || second.body != first.body {
		t.Errorf("%+v\n%+v", first, second)
	}
	s = newService(t, payment(func(p *policy.Policy) { p.Replay = policy.Replay{} }))
	first, second = s.post("k", body), s.post("k", body)
	if second.status != 201 || second.body != first.body || len(second.header) >= len(first.header) {
		t.Errorf("%+v\n%+v", first, second)
	}
}

func TestReplay_F5_FingerprintVersion(t *testing.T) {
	s := newService(t, payment())
	s.store.onCommit = func(ctx context.Context, w runtime.Work[pgx.Tx], r *runtime.Record) error {
		r.FingerprintVersion = 0 // as an older release wrote it
		return w.Commit(ctx, r)
	}
	s.post("k", body)
	s.post("k", body).wantProblem(t, 422, "unknown-fingerprint")
	s.want(1, 1, 1)
}

func TestReplay_KeepsWhatMiddlewareSet(t *testing.T) {
	s := newService(t, payment())
	s.work = respond(runtime.Response{Status: 200, Header: http.Header{"Vary": {"Accept"}, "X-Frame": {"handler"}, "Link": {"</a>"}}})
	outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Origin")
		w.Header().Set("X-Frame", "outer")
		w.Header().Set("Content-Length", "7")
		s.mux.ServeHTTP(w, r)
	})
	for range 2 {
		a := do(outer, s.request(body, header("Idempotency-Key", "k")))
		if a.header.Get("Content-Length") != "0" || a.header["Vary"][0] != "Origin" || a.header.Get("Link") != "</a>" {
			t.Errorf("%v", a.header)
		}
	}
	// A replay's values are shared by all replays: what one of them appends, no other sees.
	for range 2 {
		w := httptest.NewRecorder()
		s.mux.ServeHTTP(w, s.request(body, header("Idempotency-Key", "k")))
		w.Header().Add("Link", "</b>")
		if got := w.Header()["Link"]; len(got) != 2 {
			t.Errorf("%q", got)
		}
	}
}

func TestAnswers_C5_AreDistinct(t *testing.T) {
	seen := map[string]string{}
	s := newService(t, payment(func(p *policy.Policy) {
		p.InFlight.Answer, p.InFlight.RetryAfter = policy.Conflict, 1500*time.Millisecond
	}))
	started, release := make(chan struct{}), make(chan struct{})
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		close(started)
		<-release
		return runtime.Response{Status: 200}, nil
	}
	finished := make(chan struct{})
	go func() { s.post("k", body); close(finished) }()
	<-started
	answers := map[string]answer{
		"in progress": s.post("k", body),
		"missing":     s.do(s.request(body)),
		"malformed":   s.post("a,b", body),
	}
	close(release)
	<-finished
	answers["mismatch"] = s.post("k", `{"amount":1}`)
	s.store.down.Store(true)
	answers["unavailable"] = s.post("k", body)

	for name, a := range answers {
		p := a.problem(t)
		if other, ok := seen[p.Type]; ok || !strings.HasPrefix(p.Type, "https://") || p.Title == "" || p.Detail == "" {
			t.Errorf("%s: type %q (also of %q), title %q, detail %q", name, p.Type, other, p.Title, p.Detail)
		}
		seen[p.Type] = name
		if got, want := a.header.Get("Link"), `<https://api.example/docs/retries#createPayment>; rel="describedby"; type="text/html"`; got != want {
			t.Errorf("%s: Link %q", name, got)
		}
		if a.header.Get("Cache-Control") != "no-store" || a.replayed() {
			t.Errorf("%s: %v", name, a.header)
		}
		if strings.Contains(a.body, "a,b") || strings.Contains(a.body, "amount") {
			t.Errorf("%s: the answer repeats the request: %s", name, a.body)
		}
	}
	if a := answers["in progress"]; a.status != 409 || a.header.Get("Retry-After") != "2" {
		t.Errorf("%+v", a)
	}
}

func TestAnswers_PolicyAndStripeShape(t *testing.T) {
	op := payment(func(p *policy.Policy) {
		p.Errors = policy.Errors{
			Shape:    "stripe",
			Mismatch: policy.ErrorAnswer{Status: 400, Type: "idempotency_error", Title: "Keys for idempotent requests can only be used with the same parameters"},
			Missing:  policy.ErrorAnswer{Status: 428, Code: "key_missing", Headers: []policy.HeaderValue{{Name: "X-Why", Value: "no key"}}},
			Unavailable: policy.ErrorAnswer{
				Headers: []policy.HeaderValue{{Name: "Retry-After", Value: "30"}},
			},
		}
	})
	s := newService(t, op)
	type stripe struct {
		Error struct{ Type, Code, Message string }
	}
	decode := func(a answer) (e stripe) {
		t.Helper()
		if err := json.Unmarshal([]byte(a.body), &e); err != nil || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: %+v", err, a)
		}
		return e
	}
	s.post("k", body)
	a := s.post("k", `{"amount":1}`)
	if e := decode(a).Error; a.status != 400 || e.Type != "idempotency_error" || !strings.HasPrefix(e.Message, "Keys for") {
		t.Errorf("%+v", a)
	}
	a = s.do(s.request(body))
	if e := decode(a).Error; a.status != 428 || e.Type != "invalid_request_error" || e.Code != "key_missing" || a.header.Get("X-Why") != "no key" {
		t.Errorf("%+v", a)
	}
	s.store.down.Store(true)
	a = s.post("k", body)
	if e := decode(a).Error; a.status != 503 || e.Type != "api_error" || a.header.Get("Retry-After") != "30" {
		t.Errorf("%+v", a)
	}
	s.store.down.Store(false)
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, &runtime.Problem{Status: 404, Type: "invalid_request_error", Code: "resource_missing", Title: "No such order"}
	}
	a = s.post("k2", body)
	if e := decode(a).Error; a.status != 404 || e.Code != "resource_missing" || e.Message != "No such order" {
		t.Errorf("%+v", a)
	}
}

func TestProblem_JSON(t *testing.T) {
	p := &runtime.Problem{
		Status: 409, Type: "https://example.com/x", Title: "T <&>", Detail: "D", Instance: "/i", Code: "c",
		Extensions: map[string]any{"zeta": 1, "alpha": []string{"a"}, "status": 200, "title": "no"},
	}
	encoded, err := json.Marshal(p)
	want := `{"type":"https://example.com/x","title":"T \u003c\u0026\u003e","status":409,"detail":"D","instance":"/i","code":"c","alpha":["a"],"zeta":1}`
	if err != nil || string(encoded) != want {
		t.Errorf("%s, %v", encoded, err)
	}
	if got := p.Error(); got != "T <&>: D" {
		t.Error(got)
	}
	for status, want := range map[int]string{0: "Internal Server Error", 404: "Not Found", 200: "Internal Server Error"} {
		if got := (&runtime.Problem{Status: status}).Error(); got != want {
			t.Errorf("%d: %s", status, got)
		}
	}
	s := newService(t, payment())
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, &runtime.Problem{Status: 409, Title: "x", Extensions: map[string]any{"f": func() {}}}
	}
	if a := s.post("k", body); a.status != 409 || a.problem(t).Title != "x" {
		t.Errorf("an extension that JSON cannot hold: %+v", a)
	}
}

func TestHandler_R6_Capture(t *testing.T) {
	op := payment()
	op.ID, op.Route = "untyped", "/orders/{order}/untyped"
	for _, c := range []struct {
		name    string
		handler func(w http.ResponseWriter, r *http.Request) error
		status  int
		body    string
		kept    bool
	}{
		{"implicit status", func(w http.ResponseWriter, _ *http.Request) error { _, err := fmt.Fprint(w, "hello"); return err }, 200, "hello", true},
		{"nothing written", func(http.ResponseWriter, *http.Request) error { return nil }, 200, "", true},
		{"status and header", func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Location", r.PathValue("order"))
			w.WriteHeader(201)
			w.Header().Set("Location", "too late")
			w.WriteHeader(500)
			return nil
		}, 201, "", true},
		{"interim status", func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(202)
			return nil
		}, 202, "", true},
		{"body of a 204", func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(204)
			if _, err := fmt.Fprint(w, "x"); err != http.ErrBodyNotAllowed { //nolint:errorlint // as net/http returns it
				t.Errorf("%v", err)
			}
			return nil
		}, 204, "", true},
		{"error after writing", func(w http.ResponseWriter, _ *http.Request) error {
			fmt.Fprint(w, "half")
			return &runtime.Problem{Status: 410, Title: "Gone"}
		}, 410, "", false},
		{"status that is not kept", func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(418); return nil }, 418, "", false},
		{"flush", func(w http.ResponseWriter, _ *http.Request) error {
			if _, ok := w.(http.Flusher); ok {
				t.Error("the writer is a Flusher")
			}
			if err := http.NewResponseController(w).Flush(); err != runtime.ErrStreaming { //nolint:errorlint // exactly
				t.Errorf("%v", err)
			}
			_, err := fmt.Fprint(w, "after")
			_ = err // ignored, as handlers do
			return nil
		}, 500, "", false},
		{"hijack", func(w http.ResponseWriter, _ *http.Request) error {
			if _, _, err := http.NewResponseController(w).Hijack(); err != runtime.ErrStreaming { //nolint:errorlint // exactly
				t.Errorf("%v", err)
			}
			return nil
		}, 500, "", false},
		{"upgrade", func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(101); return nil }, 500, "", false},
		{"announced trailer", func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Trailer", "X-Sum")
			fmt.Fprint(w, "x")
			w.Header().Set("X-Sum", "1")
			return nil
		}, 500, "", false},
		{"late trailer", func(w http.ResponseWriter, _ *http.Request) error {
			fmt.Fprint(w, "x")
			w.Header().Set(http.TrailerPrefix+"X-Sum", "1")
			return nil
		}, 500, "", false},
		{"too large", func(w http.ResponseWriter, _ *http.Request) error {
			for range 101 {
				if _, err := w.Write(make([]byte, 10)); err != nil {
					return err
				}
			}
			return nil
		}, 500, "", false},
		{"panic after writing", func(w http.ResponseWriter, _ *http.Request) error { fmt.Fprint(w, "half"); panic("x") }, 500, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, payment(), runtime.WithMaxResponseBody(1000))
			s.mux.Handle("POST "+op.Route, s.engine.Handler(op, func(_ context.Context, w http.ResponseWriter, r *http.Request, _ pgx.Tx) error {
				return c.handler(w, r)
			}))
			first := s.post("k", body, path("/orders/o1/untyped"))
			if first.status != c.status || c.body != "" && first.body != c.body || first.header.Get("Location") == "too late" {
				t.Errorf("%+v", first)
			}
			second := s.post("k", body, path("/orders/o1/untyped"))
			if c.kept {
				wantReplay(t, first, second)
			} else if second.replayed() || s.store.Len() != 0 {
				t.Errorf("it was kept: %+v", second)
			}
			if strings.Contains(first.body, "half") {
				t.Errorf("what was discarded is sent: %s", first.body)
			}
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a handler for an operation that cannot be served is no panic")
		}
	}()
	s := newService(t, payment())
	s.engine.Handler(&runtime.Operation{}, nil)
}

func TestTransaction_R6_TrailersOfATypedHandler(t *testing.T) {
	for _, name := range []string{"Trailer", http.TrailerPrefix + "X-Sum", "bad name"} {
		s := newService(t, payment())
		s.work = respond(runtime.Response{Status: 200, Header: http.Header{name: {"x"}}})
		s.post("k", body).wantProblem(t, 500, "internal-error")
		s.want(1, 0, 0)
	}
}
