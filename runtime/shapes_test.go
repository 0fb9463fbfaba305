package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// codes are a provider's own words, as its profile gives them.
var codes = map[string]func(*policy.Errors){
	"problem": func(*policy.Errors) {},
	"stripe": func(e *policy.Errors) {
		e.Mismatch = policy.ErrorAnswer{Status: 400, Type: "idempotency_error"}
		e.InFlight.Code = "idempotency_key_in_use"
	},
	"adyen": func(e *policy.Errors) {
		e.InFlight = policy.ErrorAnswer{Code: "704", Headers: []policy.HeaderValue{{Name: "Transient-Error", Value: "true"}}}
	},
	"square": func(e *policy.Errors) { e.Mismatch.Status = 400 },
	"aws":    func(e *policy.Errors) { e.Mismatch.Status = 400 },
	"paypal": func(e *policy.Errors) { e.Mismatch.Code = "PAYPAL_REQUEST_ID_PREVIOUSLY_USED" },
}

// C5: each refusal in each provider's shape. The golden files hold them whole, for a reader to compare with the
// provider's pages.
func TestShapes_C5_EachRefusalInEachShape(t *testing.T) {
	for name, words := range codes {
		t.Run(name, func(t *testing.T) {
			op := payment(func(p *policy.Policy) {
				p.Errors.Shape = name
				p.Key.FirstSent = policy.FirstSent{Header: "First-Sent", MaxSkew: time.Minute}
				p.Store.MaxBody = 10
				p.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}
				words(&p.Errors)
			})
			got := refusals(t, op)
			file := filepath.Join("testdata", "shapes", name+".golden")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; run with -update", err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs; run with -update and look at the difference. Got:\n%s", file, got)
			}
		})
	}
}

// refusals has a service refuse in each way, and prints what a client gets.
func refusals(t *testing.T, op *runtime.Operation) []byte {
	t.Helper()
	s := newService(t, op)
	sent := s.clock.Now().Format(http.TimeFormat)
	post := func(key, body, sent string) answer { return s.post(key, body, header("First-Sent", sent)) }
	var out bytes.Buffer
	show := func(name string, a answer) {
		t.Helper()
		if a.status < 400 {
			t.Fatalf("%s: status %d: %s", name, a.status, a.body)
		}
		fmt.Fprintf(&out, "%s: %d\n", name, a.status)
		for _, header := range []string{"Content-Type", "Retry-After", "Transient-Error"} {
			if value := a.header.Get(header); value != "" {
				fmt.Fprintf(&out, "%s: %s\n", header, value)
			}
		}
		if !json.Valid([]byte(a.body)) {
			t.Errorf("%s: not JSON: %s", name, a.body)
		}
		fmt.Fprintf(&out, "%s\n\n", a.body)
		if strings.Contains(a.body, "k1") || strings.Contains(a.body, "acct_1") {
			t.Errorf("%s: the body names the key or the account: %s", name, a.body)
		}
	}
	show("missing", s.do(s.request(body, header("First-Sent", sent))))
	show("malformed", post("k1 k1", body, sent))
	if a := post("k1", body, sent); a.status != 201 {
		t.Fatalf("%+v", a)
	}
	show("mismatch", post("k1", `{"amount":2}`, sent))
	show("too large", post("k1", body, sent))
	started, release := s.hold()
	done := make(chan answer)
	go func() { done <- post("k1-busy", body, sent) }()
	<-started
	show("in flight", post("k1-busy", body, sent))
	close(release)
	<-done
	show("expired", post("k1-late", body, s.clock.Now().Add(-25*time.Hour).Format(http.TimeFormat)))
	s.store.down.Store(true)
	show("unavailable", post("k1-down", body, sent))
	s.store.down.Store(false)
	show("unauthenticated", s.do(s.request(body, func(r *http.Request) { r.Header.Del("Authorization") })))
	return out.Bytes()
}

// house is a shape of a user's own.
func house(p *runtime.Problem) (string, []byte) {
	return "application/vnd.house+json", fmt.Appendf(nil, `{"what":%q,"status":%d,"say":%q}`, p.Name, p.Status, p.Detail)
}

// C5: a user's own shape writes the runtime's refusals and a handler's own problems.
func TestErrorShape_C5_OfAUsersOwn(t *testing.T) {
	op := payment(func(p *policy.Policy) { p.Errors.Shape = "template:house" })
	s := newService(t, op, runtime.WithErrorShape("house", house))
	a := s.do(s.request(body))
	want := `{"what":"missing-key","status":400,"say":"Send a key that is unique to this request in the Idempotency-Key header."}`
	if a.status != 400 || a.body != want || a.header.Get("Content-Type") != "application/vnd.house+json" {
		t.Errorf("%+v", a)
	}
	if a.header.Get("Link") == "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the engine's own headers are gone: %v", a.header)
	}
	s.post("k", body)
	if a := s.post("k", `{"amount":1}`); a.status != 422 || !strings.HasPrefix(a.body, `{"what":"key-reused","status":422,`) {
		t.Errorf("%+v", a)
	}
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, &runtime.Problem{Status: 418, Detail: "Short and stout."}
	}
	if a := s.post("k2", body); a.body != `{"what":"","status":418,"say":"Short and stout."}` {
		t.Errorf("%+v", a)
	}
}

// A shape that fails costs a client nothing but the shape, and cannot change what else is sent.
func TestErrorShape_C5_Fails(t *testing.T) {
	for name, write := range map[string]func(*runtime.Problem) (string, []byte){
		"panics":          func(*runtime.Problem) (string, []byte) { panic("no") },
		"no media type":   func(*runtime.Problem) (string, []byte) { return "", nil },
		"splits a header": func(*runtime.Problem) (string, []byte) { return "a/b\r\nX-Evil: 1", nil },
		"changes it": func(p *runtime.Problem) (string, []byte) {
			p.Header.Set("X-Evil", "1")
			p.Status = 200
			return "", nil
		},
	} {
		op := payment(func(p *policy.Policy) { p.Errors.Shape = "template:house" })
		s := newService(t, op, runtime.WithErrorShape("house", write))
		a := s.do(s.request(body))
		a.wantProblem(t, 400, "missing-key")
		if a.header.Get("X-Evil") != "" {
			t.Errorf("%s: %v", name, a.header)
		}
	}
}

// A shape that the engine does not have fails when the service starts.
func TestErrorShape_C5_UnknownAtTheStart(t *testing.T) {
	for name, c := range map[string]struct{ shape, want string }{
		"not given":      {"template:house", `give the engine WithErrorShape("house", ...)`},
		"without a name": {"template:", "WithErrorShape"},
		"not known":      {"soap", `errors.shape "soap" is not known`},
		"no template":    {"other", `errors.shape "other" is not known`},
	} {
		engine, err := runtime.New[pgx.Tx](memstore.New(), bearer, runtime.WithErrorShape("other", house))
		if err != nil {
			t.Fatal(err)
		}
		err = engine.Register(payment(func(p *policy.Policy) { p.Errors.Shape = c.shape }))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, opts := range map[string][]runtime.Option{
		"no name":     {runtime.WithErrorShape("", house)},
		"no function": {runtime.WithErrorShape("house", nil)},
		"twice":       {runtime.WithErrorShape("house", house), runtime.WithErrorShape("house", house)},
	} {
		if _, err := runtime.New[pgx.Tx](memstore.New(), bearer, opts...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
