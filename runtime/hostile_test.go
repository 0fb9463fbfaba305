package runtime_test

import (
	"context"
	"io"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

const formType = "application/x-www-form-urlencoded"

// Middleware or a principal function that reads the body would leave the engine nothing to tell requests apart by: every
// request with the key would be taken for a repetition of the first.
func TestHostile_F1_F4_BodyReadBeforeTheEngine(t *testing.T) {
	drain := func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	for name, c := range map[string]struct {
		before      func(*http.Request)
		contentType string
		body        string
	}{
		"read":              {drain, "application/json", body},
		"read and closed":   {func(r *http.Request) { drain(r); _ = r.Body.Close() }, "application/json", body},
		"a form":            {func(r *http.Request) { _ = r.ParseForm() }, formType, "a=1"},
		"a value of a form": {func(r *http.Request) { _ = r.FormValue("a") }, formType, "a=1"},
		"a chunked form":    {func(r *http.Request) { r.ContentLength = -1; _ = r.ParseForm() }, formType, "a=1"},
		"a multipart form": {func(r *http.Request) { _ = r.ParseMultipartForm(1 << 20) }, "multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n"},
		"a zipped one": {func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip"); drain(r) }, "application/json", zip(body)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, payment())
			before := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c.before(r)
				s.mux.ServeHTTP(w, r)
			})
			do(before, s.request(c.body, header("Idempotency-Key", "k"), header("Content-Type", c.contentType))).
				wantProblem(t, 500, "internal-error")
			s.want(0, 0, 0)
			if !strings.Contains(s.log.String(), "put it back") {
				t.Errorf("the log does not tell why: %s", s.log)
			}
		})
	}
	t.Run("nothing to read", func(t *testing.T) {
		s := newService(t, payment())
		before := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			s.mux.ServeHTTP(w, r)
		})
		for _, kind := range []string{formType, "application/json", "text/plain"} {
			if a := do(before, s.request("", header("Idempotency-Key", kind), header("Content-Type", kind))); a.status != 201 {
				t.Errorf("%s: %+v", kind, a)
			}
		}
	})
	t.Run("put back", func(t *testing.T) {
		s := newService(t, payment())
		before := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			r.Body = io.NopCloser(strings.NewReader("a=1"))
			s.mux.ServeHTTP(w, r)
		})
		if a := do(before, s.request("a=1", header("Idempotency-Key", "k"), header("Content-Type", formType))); a.status != 201 {
			t.Errorf("%+v", a)
		}
	})
}

// A value that is quoted must not pass for a value and a further parameter.
func TestHostile_F1_ParametersDoNotJoin(t *testing.T) {
	s := newService(t, payment())
	first := s.post("k", "x", header("Content-Type", `text/plain; a=b; c=d`))
	if a := s.post("k", "x", header("Content-Type", `text/plain; a="b;c=d"`)); a.status != 422 {
		t.Errorf("%d", a.status)
	}
	wantReplay(t, first, s.post("k", "x", header("Content-Type", `text/plain;c="d";a="b"`)))
}

// What a handler can read of a part makes it another part, whether or not a part's header can be parsed.
func TestHostile_F3_HeadersOfParts(t *testing.T) {
	form := func(head string) string { return "--x\r\n" + head + "\r\n\r\n1\r\n--x--\r\n" }
	kind := header("Content-Type", "multipart/form-data; boundary=x")
	for name, heads := range map[string][2]string{
		"a file without a name":     {`Content-Disposition: form-data; name=a`, `Content-Disposition: form-data; name=a; filename=""`},
		"joined parameters":         {`Content-Disposition: form-data; name=a; filename=b`, `Content-Disposition: form-data; filename="b;name=a"`},
		"twice the name":            {`Content-Disposition: form-data; name=a; name=a`, `Content-Disposition: form-data; name=b; name=b`},
		"another disposition":       {`Content-Disposition: form-data; name=a`, `Content-Disposition: attachment; name=a`},
		"two lines":                 {"Content-Disposition: form-data; name=a", "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b"},
		"another id":                {"Content-Disposition: form-data; name=a\r\nContent-ID: <1>", "Content-Disposition: form-data; name=a\r\nContent-ID: <2>"},
		"another transfer encoding": {"Content-Disposition: form-data; name=a", "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64"},
	} {
		s := newService(t, payment())
		first := s.post("k", form(heads[0]), kind)
		if second := s.post("k", form(heads[1]), kind); first.status != 201 || second.status != 422 {
			t.Errorf("%s: %d, then %d", name, first.status, second.status)
		}
	}
	s := newService(t, payment())
	first := s.post("k", form(`Content-Disposition: form-data; name=a; filename=b`), kind)
	wantReplay(t, first, s.post("k", form(`content-disposition: FORM-DATA; filename="b"; name="a"`), kind))
}

// net/http keeps the Host header apart from the others.
func TestHostile_S3_HostInTheScope(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) {
		p.Scope = []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation, "header:Host"}
	}))
	for _, host := range []string{"one.example", "two.example"} {
		if a := s.post("k", body, func(r *http.Request) { r.Host = host }); a.status != 201 || a.replayed() {
			t.Errorf("%s: %+v", host, a)
		}
	}
	s.want(2, 2, 2)
}

// A client must not take more memory than it sends: not by an announcement, nor by zeros that zip well.
func TestHostile_BodiesTakeLittleMemory(t *testing.T) {
	const bound = 64 << 20
	for name, c := range map[string]struct {
		limit    int64
		body     string
		announce int64
		status   int
		encoding string
	}{
		"announced and not sent": {limit: bound, announce: bound, status: 500},
		"a bomb":                 {limit: 64 << 10, body: zip(strings.Repeat(" ", bound/4)), status: 413, encoding: "gzip"},
	} {
		s := newService(t, payment(), runtime.WithMaxRequestBody(c.limit))
		r := s.request(c.body, header("Idempotency-Key", "k"))
		if c.encoding != "" {
			r.Header.Set("Content-Encoding", c.encoding)
		}
		if c.announce > 0 {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("")), c.announce
		}
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		a := s.do(r)
		goruntime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; a.status != c.status || taken > 2<<20 {
			t.Errorf("%s: %d, and %d bytes were taken", name, a.status, taken)
		}
	}
}

// What is announced as too large is refused unread, so that a client that asks first (RFC 9110, section 10.1.1) sends nothing.
func TestHostile_TooLargeIsRefusedUnread(t *testing.T) {
	s := newService(t, payment(), runtime.WithMaxRequestBody(100))
	r := s.request("", header("Idempotency-Key", "k"))
	r.ContentLength = 101
	r.Body = io.NopCloser(readerFunc(func([]byte) (int, error) {
		t.Error("the body was read")
		return 0, io.EOF
	}))
	s.do(r).wantProblem(t, 413, "body-too-large")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The marker tells a client that its request was carried out before; a handler cannot say so of an answer of its own.
func TestHostile_R7_MarkerIsTheRuntimesOwn(t *testing.T) {
	forged := http.Header{"idempotent-replayed": {"true"}, "Idempotent-Replayed": {"true"}}
	for name, w := range map[string]work{
		"kept":     respond(runtime.Response{Status: 201, Header: forged.Clone()}),
		"not kept": respond(runtime.Response{Status: 404, Header: forged.Clone()}),
		"a problem": func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, &runtime.Problem{Status: 422, Header: forged.Clone()}
		},
	} {
		s := newService(t, payment())
		s.work = w
		for sent := range s.post("k", body).header {
			if strings.EqualFold(sent, "Idempotent-Replayed") {
				t.Errorf("%s: %s is sent", name, sent)
			}
		}
	}
}

// net/http sends HEAD to a handler of GET, and a router that does not look at the method sends it anything.
func TestHostile_F1_MethodIsTheRequestsOwn(t *testing.T) {
	op := payment()
	op.Method = "GET"
	s := newService(t, op)
	first := s.post("k", body)
	if a := s.post("k", body, func(r *http.Request) { r.Method = "HEAD" }); a.status != 422 {
		t.Errorf("%d", a.status)
	}
	wantReplay(t, first, s.post("k", body))
	s.want(1, 1, 1)
}

// A number is a key where the policy has keys bare.
func TestHostile_K2_BareNumber(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) { p.Key.Syntax = policy.Bare }))
	wantReplay(t, s.post("12345", body), s.post("12345", body))
}

// An answer without a body has no length of one, whatever the handler says.
func TestHostile_R5_NoLengthWithoutBody(t *testing.T) {
	s := newService(t, payment())
	s.work = respond(runtime.Response{Status: 204, Header: http.Header{"Content-Length": {"7"}, "Transfer-Encoding": {"chunked"}}})
	for range 2 {
		if a := s.post("k", body); a.status != 204 || a.header.Get("Content-Length") != "" || a.header.Get("Transfer-Encoding") != "" {
			t.Errorf("%+v", a)
		}
	}
}
