package runtime_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// upstream are the headers of an answer of somebody else's, as a handler hands them on with a problem of its own.
func upstream() http.Header {
	return http.Header{
		"Content-Encoding": {"gzip"}, "Content-Length": {"12345"}, "Transfer-Encoding": {"chunked"}, "content-range": {"bytes 0-1/2"},
		"Trailer": {"X-Sum"}, http.TrailerPrefix + "X-Sum": {"1"}, "Content-Type": {"text/html"},
		"X-Upstream": {"bank"}, "Retry-After": {"7"}, "Not A Name": {"1"}, "X-Lines": {"a\r\nX-Evil: 1"},
	}
}

// I14, R3: a problem's own headers do not make its body unreadable, whatever they say of another one, and break out of nothing:
// over a real connection, in both modes, first and repeated.
func TestProblem_I14_R3_HeadersOfAnotherBody(t *testing.T) {
	err := &runtime.Problem{Status: 409, Title: "The bank says no", Header: upstream()}
	s := newService(t, payment())
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, err
	}
	o := newOffice(t, payout(func(p *policy.Policy) { p.Store.Headers = []string{"X-Upstream", "X-Lines"} }))
	o.run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
		_, _ = o.reserve(ctx, lease)
		return runtime.Response{}, err
	}
	for name, service := range map[string]*service{"transaction": s, "lease": o.service} {
		server := httptest.NewServer(service.mux)
		defer server.Close()
		for n := range 2 {
			r, _ := http.NewRequest(service.op.Method, server.URL+strings.Replace(service.op.Route, "{order}", "o1", 1), strings.NewReader(body))
			r.Header = http.Header{"Authorization": {"Bearer acct_1"}, "Content-Type": {"application/json"}, "Idempotency-Key": {"k"}}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatalf("%s, answer %d: %v", name, n, err)
			}
			read, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != 409 || !strings.Contains(string(read), `"title":"The bank says no"`) {
				t.Errorf("%s, answer %d: %d %q, %v", name, n, response.StatusCode, read, err)
			}
			for _, header := range []string{"Content-Encoding", "Content-Range", "Transfer-Encoding", "Trailer", "X-Evil", "Not A Name"} {
				if got := response.Header[header]; got != nil {
					t.Errorf("%s, answer %d: %s %q", name, n, header, got)
				}
			}
			if response.Header.Get("X-Upstream") != "bank" || response.Header.Get("Content-Type") != "application/problem+json" || len(response.Trailer) != 0 {
				t.Errorf("%s, answer %d: %v, trailers %v", name, n, response.Header, response.Trailer)
			}
		}
	}
	if len(err.Header) != len(upstream()) {
		t.Errorf("the handler's own headers were changed: %v", err.Header)
	}
}

// The same of a policy, which is refused when the service starts.
func TestRegister_ErrorsWithHeadersOfABody(t *testing.T) {
	engine := newService(t, payment()).engine
	for _, name := range []string{"content-length", "Transfer-Encoding", "Content-Encoding", "content-range", "Trailer", "content-type"} {
		err := engine.Register(payment(func(p *policy.Policy) {
			p.Errors.Mismatch.Headers = []policy.HeaderValue{{Name: name, Value: "1"}}
		}))
		if err == nil || !strings.Contains(err.Error(), "is the answer's own") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rude is an extension that JSON cannot be made of.
type rude struct{}

func (rude) MarshalJSON() ([]byte, error) { panic("no") }

// C5, A10: an extension that panics costs the extensions, and no answer, whichever shape there is.
func TestShapes_C5_A10_AnExtensionThatPanics(t *testing.T) {
	for _, shape := range []string{"problem", "paypal", "template:house"} {
		s := newService(t, payment(func(p *policy.Policy) { p.Errors.Shape = shape }), runtime.WithErrorShape("house", func(p *runtime.Problem) (string, []byte) {
			body, err := p.MarshalJSON()
			if err != nil {
				panic(err)
			}
			return "application/json", body
		}))
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, &runtime.Problem{Status: 409, Title: "Closed", Extensions: map[string]any{"state": rude{}}}
		}
		func() {
			defer func() {
				if value := recover(); value != nil {
					t.Errorf("%s: the request panicked: %v", shape, value)
				}
			}()
			if a := s.post("k", body); a.status != 409 || a.body == "" {
				t.Errorf("%s: %+v", shape, a)
			}
		}()
	}
}

// C5: what a shape does to the problem that it is given, it does to a copy: a handler may share one.
func TestErrorShape_C5_AProblemThatIsShared(t *testing.T) {
	shared := &runtime.Problem{Status: 409, Title: "Closed", Header: http.Header{"X-A": {"1"}}, Extensions: map[string]any{"state": "closed"}}
	s := newService(t, payment(func(p *policy.Policy) { p.Errors.Shape = "template:house" }), runtime.WithErrorShape("house", func(p *runtime.Problem) (string, []byte) {
		p.Title, p.Extensions["state"], p.Header["X-A"][0] = "", "gone", "2"
		delete(p.Extensions, "state")
		return "application/json", nil
	}))
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, shared
	}
	if a := s.post("k", body); a.status != 409 || a.body != "" || a.header.Get("X-A") != "1" || a.header.Get("Content-Length") != "0" {
		t.Errorf("%+v", a)
	}
	if shared.Title != "Closed" || shared.Extensions["state"] != "closed" || shared.Header.Get("X-A") != "1" {
		t.Errorf("the handler's problem was changed: %+v", shared)
	}
}

// C5: what is no media type is not sent as one.
func TestErrorShape_C5_NoMediaType(t *testing.T) {
	for mediaType, sent := range map[string]bool{
		"nonsense": false, "/": false, "a/": false, "/json": false, "a b/c": false, "a/b; charset": false, "a/b/c": false, "*/*": false, "a/b\u00e9": false,
		"text/plain; charset=utf-8": true, "application/vnd.house+json": true,
	} {
		s := newService(t, payment(func(p *policy.Policy) { p.Errors.Shape = "template:house" }), runtime.WithErrorShape("house", func(*runtime.Problem) (string, []byte) {
			return mediaType, []byte("no key")
		}))
		a := s.do(s.request(body))
		if got := a.header.Get("Content-Type"); sent && got != mediaType || !sent && got != "application/problem+json" {
			t.Errorf("%q: %s %s", mediaType, got, a.body)
		}
	}
}

// R7, I14: the policy's headers stand beside a zipped answer as beside any other, first and repeated, and beside one without a body.
func TestAnswerHeaders_R7_ZippedAndEmpty(t *testing.T) {
	var zipped strings.Builder
	writer := gzip.NewWriter(&zipped)
	_, _ = writer.Write([]byte(`{"id":1}`))
	_ = writer.Close()
	s := newService(t, payment(echoing))
	for key, answer := range map[string]runtime.Response{
		"zip":  {Status: 201, Header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, Body: []byte(zipped.String())},
		"none": {Status: 204, Header: http.Header{"idempotency-key": {"another"}}, Body: []byte("ignored")},
	} {
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) { return answer, nil }
		first := s.post(key, body)
		again := s.post(key, body)
		first.wantAccepted(t, key)
		again.wantAccepted(t, key)
		wantReplay(t, first, again)
		if key == "none" && (first.body != "" || first.header.Get("Content-Length") != "") {
			t.Errorf("%+v", first)
		}
	}
}
