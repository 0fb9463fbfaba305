package runtime_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

func TestBegin_S1_Principal(t *testing.T) {
	for _, c := range []struct {
		name   string
		result string
		err    error
		status int
	}{
		{"unauthenticated", "", fmt.Errorf("token expired: %w", runtime.ErrUnauthenticated), 401},
		{"empty", "", nil, 401}, // no shared bucket for the anonymous
		{"a problem", "", &runtime.Problem{Status: 403, Title: "Suspended"}, 403},
		{"a problem that is nil", "", (*runtime.Problem)(nil), 500},
		{"down", "", errors.New("token service is down"), 503},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, payment())
			engine, err := runtime.New[pgx.Tx](s.store, func(*http.Request) (string, error) { return c.result, c.err }, runtime.WithLogger(silent()))
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			s.serve(mux, engine)
			a := do(mux, s.request(body, header("Idempotency-Key", "k")))
			if a.status != c.status {
				t.Errorf("status %d, want %d: %s", a.status, c.status, a.body)
			}
			a.problem(t)
			if challenge := a.header.Get("WWW-Authenticate"); (challenge != "") != (a.status == 401) {
				t.Errorf("WWW-Authenticate %q", challenge)
			}
			if (a.status == 503) != (a.header.Get("Retry-After") != "") {
				t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
			}
			s.want(0, 0, 0)
		})
	}
}

func TestBegin_K4_K1_K6_KeyInEachPlace(t *testing.T) {
	inBody := func(k *policy.Key) {
		*k = policy.Key{In: policy.InBody, Pointer: "/meta/key", Required: true, MaxLength: 8}
	}
	inQuery := func(k *policy.Key) {
		*k = policy.Key{In: policy.InQuery, Name: "ClientToken", Required: true, MaxLength: 8}
	}
	inForm := func(k *policy.Key) {
		*k = policy.Key{In: policy.InForm, Name: "Idempotency.Key", Required: true, MaxLength: 8}
	}
	named := func(k *policy.Key) { k.Name, k.MaxLength = "paypal-request-id", 8 }
	standard := func(k *policy.Key) { k.MaxLength = 8 }
	structured := func(k *policy.Key) { k.MaxLength, k.Syntax = 8, policy.Structured }
	form := header("Content-Type", "application/x-www-form-urlencoded")
	both := func(changes ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, change := range changes {
				change(r)
			}
		}
	}
	noType := func(r *http.Request) { r.Header.Del("Content-Type") }
	const missing, malformed, badBody, badMedia = "missing-key", "malformed-key", "malformed-body", "unsupported-media-type"
	for _, c := range []struct {
		name   string
		key    func(*policy.Key)
		body   string
		change func(*http.Request)
		want   string // "" for the key "k"
	}{
		{"header", standard, body, header("Idempotency-Key", "k"), ""},
		{"header, quoted", standard, body, header("Idempotency-Key", `"k"`), ""},
		{"header absent", standard, body, nil, missing},
		{"header empty", standard, body, header("Idempotency-Key", ""), malformed},
		{"header too long", standard, body, header("Idempotency-Key", "123456789"), malformed},
		{"header twice", standard, body, func(r *http.Request) { r.Header["Idempotency-Key"] = []string{"k", "k"} }, malformed},
		{"header non-ASCII", standard, body, header("Idempotency-Key", "ké"), malformed},
		{"header not quoted", structured, body, header("Idempotency-Key", "k"), malformed},
		{"header of another name", named, body, header("Paypal-Request-Id", "k"), ""},
		{"header of another name, and the same standard one", named, body, both(header("Paypal-Request-Id", "k"), header("Idempotency-Key", `"k"`)), ""},
		{"header of another name, and another standard one", named, body, both(header("Paypal-Request-Id", "k"), header("Idempotency-Key", "x")), malformed},
		{"only the standard header", named, body, header("Idempotency-Key", "k"), missing},

		{"query", inQuery, body, path("/orders/o1/payments?ClientToken=k"), ""},
		{"query, encoded", inQuery, body, path("/orders/o1/payments?Client%54oken=%6b"), ""},
		{"query absent", inQuery, body, path("/orders/o1/payments?clienttoken=k"), missing},
		{"query empty", inQuery, body, path("/orders/o1/payments?ClientToken="), malformed},
		{"query twice", inQuery, body, path("/orders/o1/payments?ClientToken=k&ClientToken=k"), malformed},
		{"query malformed", inQuery, body, path("/orders/o1/payments?ClientToken=k&a=%zz"), malformed},
		{"query NUL", inQuery, body, path("/orders/o1/payments?ClientToken=%00"), malformed},
		{"query and header", inQuery, body, both(path("/orders/o1/payments?ClientToken=k"), header("Idempotency-Key", "x")), malformed},

		{"body", inBody, `{"meta":{"key":"k"}}`, nil, ""},
		{"body, escaped", inBody, `{"m\u0065ta":{"k\u0065y":"\u006b"}}`, nil, ""},
		{"body, another JSON type", inBody, `{"meta":{"key":"k"}}`, header("Content-Type", "application/vnd.api+json; charset=utf-8"), ""},
		{"body absent", inBody, `{"meta":{}}`, nil, missing},
		{"body null", inBody, `{"meta":{"key":null}}`, nil, missing},
		{"body empty", inBody, "", nil, missing},
		{"body key empty", inBody, `{"meta":{"key":""}}`, nil, malformed},
		{"body key a number", inBody, `{"meta":{"key":1}}`, nil, malformed},
		{"body key an object", inBody, `{"meta":{"key":{"key":"k"}}}`, nil, malformed},
		{"body key too long", inBody, `{"meta":{"key":"123456789"}}`, nil, malformed},
		{"body key twice", inBody, `{"meta":{"key":"k","key":"k"}}`, nil, badBody},
		{"body not JSON", inBody, `meta=1`, form, badMedia},
		{"body JSON, and another type", inBody, `{"meta":{"key":"k"}}`, form, badMedia}, // what curl -d sends
		{"body JSON, and no type", inBody, `{"meta":{"key":"k"}}`, noType, badMedia},
		{"body JSON, and an unreadable type", inBody, `{"meta":{"key":"k"}}`, header("Content-Type", "JSON, please"), badMedia},
		{"body empty, and another type", inBody, "", form, missing},
		{"body empty, and no type", inBody, "", noType, missing},
		{"body malformed", inBody, `{"meta":{"key":"k"}`, nil, badBody},
		{"body and another header", inBody, `{"meta":{"key":"k"}}`, header("Idempotency-Key", "x"), malformed},
		{"body and the same header", inBody, `{"meta":{"key":"k"}}`, header("Idempotency-Key", "k"), ""},
		{"body and a malformed header", inBody, `{"meta":{"key":"k"}}`, header("Idempotency-Key", "k;v"), malformed},

		{"form", inForm, "a=1&Idempotency.Key=k", form, ""},
		{"form absent", inForm, "a=1", form, missing},
		{"form empty", inForm, "Idempotency.Key=", form, malformed},
		{"form twice", inForm, "Idempotency.Key=k&Idempotency.Key=l", form, malformed},
		{"form malformed", inForm, "Idempotency.Key=%zz", form, malformed},
		{"form in the query", inForm, "a=1", both(form, path("/orders/o1/payments?Idempotency.Key=k")), missing},
		{"form not a form", inForm, `{"Idempotency.Key":"k"}`, nil, badMedia},
		{"form, and no type", inForm, "Idempotency.Key=k", noType, badMedia},
		{"form, and an unreadable type", inForm, "Idempotency.Key=k", header("Content-Type", "form data"), badMedia},
		{"form empty, and another type", inForm, "", nil, missing},
		{"form of another multipart type", inForm, parts("x", "Idempotency.Key", "k"), header("Content-Type", "multipart/mixed; boundary=x"), badMedia},
		{"multipart", inForm, parts("x", "a", "1", "Idempotency.Key", "k"), header("Content-Type", "multipart/form-data; boundary=x"), ""},
		{"multipart absent", inForm, parts("x", "a", "1"), header("Content-Type", "multipart/form-data; boundary=x"), missing},
		{"multipart twice", inForm, parts("x", "Idempotency.Key", "k", "Idempotency.Key", "k"), header("Content-Type", "multipart/form-data; boundary=x"), malformed},
		{"multipart file", inForm, strings.Replace(parts("x", "Idempotency.Key", "k"), `y"`, `y"; filename="k"`, 1), header("Content-Type", "multipart/form-data; boundary=x"), malformed},
		{"multipart cut off", inForm, parts("x", "Idempotency.Key", "k")[:60], header("Content-Type", "multipart/form-data; boundary=x"), badBody},
		{"multipart without boundary", inForm, parts("x", "Idempotency.Key", "k"), header("Content-Type", "multipart/form-data"), badBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, payment(func(p *policy.Policy) { c.key(&p.Key) }))
			var got string
			s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
				got = call.Key()
				return runtime.Response{Status: 204}, nil
			}
			change := c.change
			if change == nil {
				change = func(*http.Request) {}
			}
			a := s.do(s.request(c.body, change))
			if c.want == "" {
				if a.status != 204 || got != "k" {
					t.Errorf("status %d, key %q: %s", a.status, got, a.body)
				}
				return
			}
			status := 400
			if c.want == badMedia {
				status = 415
				wantAccept(t, a, s.op.Policy.Key.In)
			}
			a.wantProblem(t, status, c.want)
			if s.store.claims.Load() != 0 || s.runs.Load() != 0 {
				t.Error("the store was asked, or the handler ran")
			}

			// Where the key is optional, absent is no error, and everything else still is.
			optional := newService(t, payment(func(p *policy.Policy) { c.key(&p.Key); p.Key.Required = false }))
			a = optional.do(optional.request(c.body, change))
			switch {
			case c.name == "only the standard header": // a key in another place than the policy's is a second key
				a.wantProblem(t, 400, malformed)
			case strings.HasSuffix(c.name, "no type") && c.want == badMedia, strings.HasSuffix(c.name, "unreadable type"):
				a.wantProblem(t, 415, badMedia) // it may hold a key, which must not be passed over
			case c.want != missing && c.want != badMedia: // a body of another type cannot hold a key
				a.wantProblem(t, 400, c.want)
			case a.status != 201:
				t.Errorf("optional: %d %s", a.status, a.body)
			}
		})
	}
}

// wantAccept checks that a 415 lists the types that can carry the key (RFC 9110, section 15.5.16).
func wantAccept(t *testing.T, a answer, in policy.Location) {
	t.Helper()
	want := "application/json"
	if in == policy.InForm {
		want = "application/x-www-form-urlencoded, multipart/form-data"
	}
	if got := a.header.Get("Accept"); got != want {
		t.Errorf("Accept %q, want %q", got, want)
	}
}

// parts is a multipart body of fields.
func parts(boundary string, fields ...string) string {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	_ = w.SetBoundary(boundary)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	_ = w.Close()
	return out.String()
}

func TestBegin_K2_BothFormsAreOneKey(t *testing.T) {
	s := newService(t, payment())
	first := s.post("k-1", body)
	wantReplay(t, first, s.post(`"k-1"`, body))
	s.want(1, 1, 1)
}

func TestScope_S1_S2_S3(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) {
		p.Scope = []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation, "header:Stripe-Account", policy.ScopeRegion}
	}), runtime.WithRegion("eu"))
	elsewhere := http.NewServeMux()
	s.serve(elsewhere, s.newEngine(runtime.WithRegion("us")))
	send := func(changes ...func(*http.Request)) answer { return s.post("k", body, changes...) }
	answers := []answer{
		send(),
		send(account("acct_2")),
		send(header("Stripe-Account", "")),
		send(header("Stripe-Account", "sub_1")),
		send(header("Stripe-Account", "sub_2")),
		send(account(strings.Repeat("a", 300))), // longer than what is kept as it is
		send(account(strings.Repeat("a", 299) + "b")),
		send(account(fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Repeat("a", 300)))))), // as that one is kept
		do(elsewhere, s.request(body, header("Idempotency-Key", "k"))),
	}
	for i, a := range answers {
		if a.status != 201 || a.replayed() {
			t.Errorf("scope %d is not its own: %+v", i, a)
		}
	}
	s.want(len(answers), len(answers), len(answers))
	if a := send(header("Stripe-Account", "sub_2")); !a.replayed() {
		t.Error("the same scope is not the same")
	}
	twice := send(func(r *http.Request) { r.Header["Stripe-Account"] = []string{"a", "b"} })
	twice.wantProblem(t, 400, "invalid-request")
}

// TestScope_S1_NoJoin has principals made to look like the ends of other scopes.
func TestScope_S1_NoJoin(t *testing.T) {
	s := newService(t, payment(func(p *policy.Policy) {
		p.Scope = []policy.ScopePart{policy.ScopePrincipal, "header:A", "header:B"}
	}))
	n := 0
	for _, p := range []string{"x", "xh1:a", "xn", "xh1:an", "x\x00"} {
		for _, a := range []string{"-", "", "a", "ah1:b", "h1:b", "ahb"} {
			for _, b := range []string{"-", "", "b", "c", "bhc"} {
				answer := s.post("k", body, account(p), func(r *http.Request) {
					if a != "-" {
						r.Header.Set("A", a)
					}
					if b != "-" {
						r.Header.Set("B", b)
					}
				})
				if n++; answer.replayed() {
					t.Errorf("%q %q %q has another scope's record", p, a, b)
				}
			}
		}
	}
	s.want(n, n, n)
}

func TestScope_S2_AccountWide(t *testing.T) {
	wide := func(p *policy.Policy) { p.Scope = []policy.ScopePart{policy.ScopeAccount} }
	s := newService(t, payment(wide))
	refund := payment(wide)
	refund.ID, refund.Route = "createRefund", "/orders/{order}/refunds"
	narrow := payment()
	narrow.ID, narrow.Route = "createNote", "/orders/{order}/notes"
	for _, op := range []*runtime.Operation{refund, narrow} {
		s.mux.Handle(op.Method+" "+op.Route, s.engine.Handler(op, func(_ context.Context, w http.ResponseWriter, _ *http.Request, _ pgx.Tx) error {
			w.WriteHeader(204)
			return nil
		}))
	}
	first := s.post("k", body)
	// The key was used for another operation of the account: not the same request, and not its answer.
	s.post("k", body, path("/orders/o1/refunds")).wantProblem(t, 422, "key-reused")
	wantReplay(t, first, s.post("k", body))
	if a := s.post("k", body, path("/orders/o1/notes")); a.status != 204 || a.replayed() {
		t.Errorf("an operation with its own scope: %+v", a)
	}
	if a := s.post("k", body, account("acct_2")); a.status != 201 || a.replayed() {
		t.Errorf("another account: %+v", a)
	}
}

func TestFingerprint_F1_F4(t *testing.T) {
	op := func() *runtime.Operation {
		return payment(func(p *policy.Policy) { p.Fingerprint.Headers = []string{"stripe-version"} })
	}
	base := []func(*http.Request){path("/orders/o1/payments?dry=0&tag=a&tag=b"), header("Stripe-Version", "1")}
	for _, c := range []struct {
		name   string
		body   string
		change func(*http.Request)
		same   bool
	}{
		{"the same", body, nil, true},
		{"spelt differently", "{ \"amount\" : 1e2 }\n", nil, true},
		{"another amount", `{"amount":101}`, nil, false},
		{"a further member", `{"amount":100,"note":null}`, nil, false},
		{"no body", "", nil, false},
		{"another order", body, path("/orders/o2/payments?dry=0&tag=a&tag=b"), false},
		{"another query", body, path("/orders/o1/payments?dry=1&tag=a&tag=b"), false},
		{"no query", body, path("/orders/o1/payments"), false},
		{"query, other order of names", body, path("/orders/o1/payments?tag=a&dry=0&tag=b"), true},
		{"query, other order of values", body, path("/orders/o1/payments?dry=0&tag=b&tag=a"), false},
		{"query, spelt differently", body, path("/orders/o1/payments?d%72y=%30&tag=a&tag=b"), true},
		{"query, joined", body, path("/orders/o1/payments?dry=0&tag=a%26tag=b"), false},
		{"another version header", body, header("Stripe-Version", "2"), false},
		{"no version header", body, func(r *http.Request) { r.Header.Del("Stripe-Version") }, false},
		{"another header", body, header("User-Agent", "retry/2"), true},
		{"charset", body, header("Content-Type", "Application/JSON; charset=UTF-8"), true},
		{"another content type", body, header("Content-Type", "application/vnd.api+json"), false},
		{"a content type parameter", body, header("Content-Type", "application/json; profile=x"), false},
		{"not JSON", body, header("Content-Type", "text/plain"), false},
		{"no content type", body, func(r *http.Request) { r.Header.Del("Content-Type") }, false},
		{"a malformed content type parameter", body, header("Content-Type", "application/json; charset"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, op())
			first := s.post("k", body, base...)
			changes := append([]func(*http.Request){}, base...)
			if c.change != nil {
				changes = append(changes, c.change)
			}
			second := s.post("k", c.body, changes...)
			if c.same {
				wantReplay(t, first, second)
			} else {
				second.wantProblem(t, 422, "key-reused")
				if strings.Contains(second.body, `"id"`) || second.header.Get("Location") != "" {
					t.Errorf("the first answer shows: %+v", second)
				}
			}
			s.want(1, 1, 1)
			wantReplay(t, first, s.post("k", body, base...)) // the record is untouched
		})
	}
}

// TestFingerprint_F1_ListsAreCounted has two queries that are one sequence of names and values.
func TestFingerprint_F1_ListsAreCounted(t *testing.T) {
	s := newService(t, payment())
	s.post("k", body, path("/orders/o1/payments?a=b&a=c&d=e"))
	s.post("k", body, path("/orders/o1/payments?a=b&c=d&c=e")).wantProblem(t, 422, "key-reused")
}

// TestFingerprint_F1_RouterWithoutPathValues: another router must not make all resources one.
func TestFingerprint_F1_RouterWithoutPathValues(t *testing.T) {
	s := newService(t, payment())
	handler := s.engine.Handler(s.op, func(_ context.Context, w http.ResponseWriter, r *http.Request, _ pgx.Tx) error {
		_, err := io.WriteString(w, r.URL.Path)
		return err
	})
	send := func(target string) answer {
		return do(handler, s.request(body, header("Idempotency-Key", "k"), path(target)))
	}
	first := send("/orders/o1/payments")
	wantReplay(t, first, send("/orders/o1/payments"))
	send("/orders/o2/payments").wantProblem(t, 422, "key-reused")
}

func TestFingerprint_F2_MalformedJSON(t *testing.T) {
	s := newService(t, payment())
	for _, text := range []string{`{"a":1,"a":1}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{`, `{}{}`, "[" + strings.Repeat("[", 200), `{"a":1e9999999999999999999}`} {
		a := s.post("k", text)
		a.wantProblem(t, 400, "malformed-body")
		if !strings.Contains(a.problem(t).Detail, "at byte") {
			t.Errorf("%s: %s", text, a.body)
		}
	}
	s.post("k", `{"a":1,"a":1}`, header("Content-Type", "application/json; charset")).wantProblem(t, 400, "malformed-body")
	s.want(0, 0, 0)
	if a := s.post("k", `{"a":1e999999999}`); a.status != 201 {
		t.Errorf("a large exponent: %+v", a)
	}
	s.post("k", `{"a":1e999999998}`).wantProblem(t, 422, "key-reused")
}

func TestFingerprint_F2_IncludeExclude(t *testing.T) {
	first := `{"amount":1,"meta":{"trace":"a"},"lines":[{"sku":"x","seen":1}]}`
	for _, c := range []struct {
		name             string
		include, exclude []string
		body             string
		same             bool
	}{
		{"excluded member", nil, []string{"/meta/trace"}, `{"amount":1.0,"meta":{"trace":"b"},"lines":[{"sku":"x","seen":1}]}`, true},
		{"excluded and absent", nil, []string{"/meta/trace"}, `{"amount":1,"meta":{},"lines":[{"sku":"x","seen":1}]}`, true},
		{"excluded in an array", nil, []string{"/lines/0/seen"}, `{"amount":1,"meta":{"trace":"a"},"lines":[{"sku":"x","seen":2}]}`, true},
		{"not excluded", nil, []string{"/meta/trace"}, `{"amount":2,"meta":{"trace":"a"},"lines":[{"sku":"x","seen":1}]}`, false},
		{"included", []string{"/amount", "/lines/0/sku"}, nil, `{"lines":[{"sku":"x"}],"amount":1e0}`, true},
		{"included differs", []string{"/amount", "/lines/0/sku"}, nil, `{"amount":1,"lines":[{"sku":"y"}]}`, false},
		{"included and absent", []string{"/amount", "/lines/0/sku"}, nil, `{"amount":1}`, false},
		{"included and null", []string{"/amount", "/none"}, nil, `{"amount":1,"none":null}`, false},
		{"included, another place", []string{"/amount", "/other"}, nil, `{"other":1}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, payment(func(p *policy.Policy) { p.Fingerprint.Include, p.Fingerprint.Exclude = c.include, c.exclude }))
			one, two := s.post("k", first), s.post("k", c.body)
			if c.same {
				wantReplay(t, one, two)
				return
			}
			two.wantProblem(t, 422, "key-reused")
		})
	}
}

func TestFingerprint_BodyRules(t *testing.T) {
	for rule, same := range map[policy.BodyRule][3]bool{ // the same bytes, the same value, another value
		policy.CanonicalBody: {true, true, false},
		policy.RawBody:       {true, false, false},
		policy.NoBody:        {true, true, true},
	} {
		for i, text := range []string{body, ` {"amount":1e2}`, `{"amount":1}`} {
			s := newService(t, payment(func(p *policy.Policy) { p.Fingerprint.Body = rule }))
			s.post("k", body)
			if a := s.post("k", text); a.replayed() != same[i] {
				t.Errorf("%s, %s: replayed %v", rule, text, a.replayed())
			}
		}
	}
	// Without the query, what it says does not count.
	s := newService(t, payment(func(p *policy.Policy) { p.Fingerprint.Query = false }))
	s.post("k", body)
	if a := s.post("k", body, path("/orders/o1/payments?x=1")); !a.replayed() {
		t.Errorf("%+v", a)
	}
}

func TestFingerprint_F3_Multipart(t *testing.T) {
	type field struct{ name, file, contentType, data string }
	encode := func(boundary string, fields ...field) string {
		var out bytes.Buffer
		w := multipart.NewWriter(&out)
		_ = w.SetBoundary(boundary)
		for _, f := range fields {
			h := textproto.MIMEHeader{}
			disposition := fmt.Sprintf("form-data; name=%q", f.name)
			if f.file != "" {
				disposition += fmt.Sprintf("; filename=%q", f.file)
			}
			h.Set("Content-Disposition", disposition)
			if f.contentType != "" {
				h.Set("Content-Type", f.contentType)
			}
			part, _ := w.CreatePart(h)
			_, _ = io.WriteString(part, f.data)
		}
		_ = w.Close()
		return out.String()
	}
	a, b := field{"purpose", "", "", "dispute"}, field{"file", "a.png", "image/png", "\x89PNG\r\n--x\r\n"}
	for _, c := range []struct {
		name   string
		fields []field
		same   bool
	}{
		{"another boundary", []field{a, b}, true},
		{"another order", []field{b, a}, false},
		{"another name", []field{{"purpose2", "", "", "dispute"}, b}, false},
		{"another file name", []field{a, {"file", "b.png", "image/png", b.data}}, false},
		{"another type", []field{a, {"file", "a.png", "image/jpeg", b.data}}, false},
		{"other content", []field{a, {"file", "a.png", "image/png", "\x89PNG"}}, false},
		{"no file", []field{a}, false},
		{"joined", []field{{"purpose", "", "", "disputefile"}, {"", "a.png", "image/png", b.data}}, false},
	} {
		s := newService(t, payment())
		first := s.post("k", encode("one", a, b), header("Content-Type", "multipart/form-data; boundary=one"))
		second := s.post("k", encode("two", c.fields...), header("Content-Type", `multipart/form-data; boundary="two"`))
		if c.same {
			wantReplay(t, first, second)
			continue
		}
		if second.status != 422 {
			t.Errorf("%s: %d %s", c.name, second.status, second.body)
		}
	}
	s := newService(t, payment())
	many := encode("x", make([]field, 1001)...)
	s.post("k", many, header("Content-Type", "multipart/form-data; boundary=x")).wantProblem(t, 400, "malformed-body")
}

func TestFingerprint_F3_Gzip(t *testing.T) {
	s := newService(t, payment(), runtime.WithMaxRequestBody(64<<10))
	var decoded string
	s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		read, err := io.ReadAll(call.Request().Body)
		decoded = string(read)
		r := call.Request()
		if r.Header.Get("Content-Encoding") != "" || r.ContentLength != int64(len(read)) || string(call.Body()) != decoded {
			t.Errorf("%v, length %d, %q", r.Header, r.ContentLength, call.Body())
		}
		return runtime.Response{Status: 200}, err
	}
	zipped := header("Content-Encoding", "gzip")
	first := s.post("k", zip(body), zipped)
	if first.status != 200 || decoded != body {
		t.Fatalf("%+v, %q", first, decoded)
	}
	wantReplay(t, first, s.post("k", body))
	wantReplay(t, first, s.post("k", zip(body[:5])+zip(body[5:]), header("Content-Encoding", "X-GZIP")))
	wantReplay(t, first, s.post("k", body, header("Content-Encoding", "identity")))

	s.post("k", body, zipped).wantProblem(t, 400, "malformed-body")
	s.post("k", zip(body)[:20], zipped).wantProblem(t, 400, "malformed-body")
	s.post("k", zip(body)+"x", zipped).wantProblem(t, 400, "malformed-body")
	for _, encoding := range []string{"br", "deflate", "gzip, gzip", "zstd"} {
		a := s.post("k", body, header("Content-Encoding", encoding))
		a.wantProblem(t, 415, "unsupported-encoding")
		if a.header.Get("Accept-Encoding") == "" {
			t.Error("no Accept-Encoding")
		}
	}
	bomb := zip(strings.Repeat("0", 10<<20))
	if len(bomb) > 64<<10 {
		t.Fatal("the bomb is no bomb")
	}
	s.post("k", bomb, zipped).wantProblem(t, 413, "body-too-large")
	s.want(1, 1, 1)
}

func zip(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

func TestBegin_BodyLimitOfAnOperation(t *testing.T) {
	for _, c := range []struct {
		what  string
		opts  []runtime.Option
		bound int
	}{
		{"by default", nil, 1 << 20},
		{"of all", []runtime.Option{runtime.WithMaxRequestBody(64)}, 64},
		{"of this one", []runtime.Option{runtime.WithMaxRequestBody(3<<20, "upload", "createPayment"), runtime.WithMaxRequestBody(64)}, 3 << 20},
		{"of another one", []runtime.Option{runtime.WithMaxRequestBody(3<<20, "upload"), runtime.WithMaxRequestBody(64)}, 64},
		{"of this one, lower", []runtime.Option{runtime.WithMaxRequestBody(32, "createPayment")}, 32},
	} {
		s := newService(t, payment(), c.opts...)
		fits := `"` + strings.Repeat("x", c.bound-2) + `"`
		if a := s.post("k1", fits); a.status != 201 {
			t.Errorf("%s: %+v", c.what, a)
		}
		a := s.post("k2", fits+" ")
		a.wantProblem(t, 413, "body-too-large")
		if want := fmt.Sprintf("at most %d bytes", c.bound); !strings.Contains(a.problem(t).Detail, want) {
			t.Errorf("%s: detail %q, want %q", c.what, a.problem(t).Detail, want)
		}
	}
	if _, err := runtime.New[pgx.Tx](memstore.New(), bearer, runtime.WithMaxRequestBody(1, "")); err == nil {
		t.Error("an operation without a name is fine")
	}
}

func TestBegin_BodyLimits(t *testing.T) {
	s := newService(t, payment(), runtime.WithMaxRequestBody(100))
	fits := `"` + strings.Repeat("x", 98) + `"`
	if a := s.post("k1", fits); a.status != 201 {
		t.Errorf("%+v", a)
	}
	s.post("k2", fits+" ").wantProblem(t, 413, "body-too-large")
	s.post("k3", fits+" ", func(r *http.Request) { r.ContentLength = -1 }).wantProblem(t, 413, "body-too-large")
	s.post("k4", "", func(r *http.Request) { r.Body = io.NopCloser(brokenReader{}) }).wantProblem(t, 400, "malformed-body")
	s.post("k5", fits, func(r *http.Request) { r.Header["Content-Type"] = []string{"application/json", "text/plain"} }).wantProblem(t, 400, "malformed-body")
	if a := s.post("k6", "", func(r *http.Request) { r.Body = nil }); a.status != 201 {
		t.Errorf("%+v", a)
	}
	s.want(2, 2, 2)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestCall_RequestCanBeReadAgain(t *testing.T) {
	s := newService(t, payment())
	s.work = func(_ context.Context, _ pgx.Tx, call *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		for range 3 {
			read, err := io.ReadAll(call.Request().Body)
			if err != nil || string(read) != body {
				t.Errorf("%q, %v", read, err)
			}
		}
		if call.Request().PathValue("order") != "o1" || call.Principal() != "acct_1" || call.Key() != "k" {
			t.Errorf("%q %q %q", call.Request().PathValue("order"), call.Principal(), call.Key())
		}
		return runtime.Response{Status: 200}, nil
	}
	original := s.request(body, header("Idempotency-Key", "k"))
	before := original.Body
	if a := s.do(original); a.status != 200 {
		t.Errorf("%+v", a)
	}
	if original.Body != before {
		t.Error("the request of the caller was changed")
	}
}

// TestBegin_OverTheWire sends what httptest's own requests cannot carry: chunked bodies, form values, a real connection.
func TestBegin_OverTheWire(t *testing.T) {
	s := newService(t, payment())
	server := httptest.NewServer(s.mux)
	defer server.Close()
	send := func(r io.Reader) answer {
		request, err := http.NewRequest("POST", server.URL+"/orders/o1/payments", r)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer acct_1")
		request.Header.Set("Idempotency-Key", `"k"`)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return answer{response.StatusCode, response.Header, string(text)}
	}
	form := url.Values{"amount": {"100"}}.Encode()
	first := send(strings.NewReader(form))
	wantReplay(t, first, send(io.MultiReader(strings.NewReader(form[:3]), strings.NewReader(form[3:])))) // chunked
	send(strings.NewReader("amount=10")).wantProblem(t, 422, "key-reused")
	s.want(1, 1, 1)
}
