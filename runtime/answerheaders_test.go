package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// echoing has each answer name the key, as Adyen's do, and say that the request was accepted, as OASIS asks for.
func echoing(p *policy.Policy) {
	p.Answers.Headers = []policy.HeaderValue{{Name: "idempotency-key", Value: "{key}"}, {Name: "Repeatability-Result", Value: "accepted"}}
	for _, answer := range []*policy.ErrorAnswer{&p.Errors.Missing, &p.Errors.Malformed, &p.Errors.Mismatch, &p.Errors.InFlight, &p.Errors.Unavailable} {
		answer.Headers = []policy.HeaderValue{{Name: "Repeatability-Result", Value: "rejected"}}
	}
}

func (a answer) wantAccepted(t *testing.T, key string) {
	t.Helper()
	if got := a.header["Idempotency-Key"]; len(got) != 1 || got[0] != key {
		t.Errorf("status %d: Idempotency-Key %q, want %q", a.status, got, key)
	}
	if got := a.header["Repeatability-Result"]; len(got) != 1 || got[0] != "accepted" {
		t.Errorf("status %d: Repeatability-Result %q", a.status, got)
	}
}

func (a answer) wantNotAccepted(t *testing.T, result string) {
	t.Helper()
	if got := a.header["Idempotency-Key"]; got != nil {
		t.Errorf("status %d: Idempotency-Key %q", a.status, got)
	}
	if got := a.header.Get("Repeatability-Result"); got != result {
		t.Errorf("status %d: Repeatability-Result %q, want %q", a.status, got, result)
	}
}

// R7: the policy's headers come with each answer to an accepted request, the first and the repeated alike, and with no
// refusal.
func TestAnswerHeaders_R7(t *testing.T) {
	s := newService(t, payment(echoing, conflict))
	s.post("k", body).wantAccepted(t, "k")
	again := s.post("k", body)
	again.wantAccepted(t, "k")
	if !again.replayed() {
		t.Errorf("%+v", again)
	}
	s.post(`"k"`, body).wantAccepted(t, "k")
	s.post("k", `{"amount":1}`).wantNotAccepted(t, "rejected")
	s.post("k k", body).wantNotAccepted(t, "rejected")
	s.do(s.request(body)).wantNotAccepted(t, "rejected")
	s.do(s.request(body, header("Idempotency-Key", "k"), func(r *http.Request) { r.Header.Del("Authorization") })).wantNotAccepted(t, "")
	s.post("k", "{").wantNotAccepted(t, "")

	started, release := s.hold()
	done := make(chan answer)
	go func() { done <- s.post("busy", body) }()
	<-started
	s.post("busy", body).wantNotAccepted(t, "rejected")
	close(release)
	(<-done).wantAccepted(t, "busy")

	s.store.down.Store(true)
	s.post("down", body).wantNotAccepted(t, "rejected")
	s.store.down.Store(false)
	for status, want := range map[int]bool{204: true, 402: true, 404: true, 503: true} {
		key := fmt.Sprint("k", status)
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{Status: status, Header: http.Header{"Repeatability-Result": {"maybe"}}}, nil
		}
		if a := s.post(key, body); want && a.status == status {
			a.wantAccepted(t, key) // whatever the handler says
			s.post(key, body).wantAccepted(t, key)
		} else {
			t.Errorf("%d: %+v", status, a)
		}
	}
	s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
		return runtime.Response{}, &runtime.Problem{Status: 422, Title: "No such currency"}
	}
	s.post("problem", body).wantAccepted(t, "problem")
	for _, err := range []error{errors.New("broken"), runtime.ErrStreaming} { // R6
		s.work = func(context.Context, pgx.Tx, *runtime.Call[pgx.Tx]) (runtime.Response, error) {
			return runtime.Response{}, err
		}
		if a := s.post("fails", body); a.status != 500 {
			t.Errorf("%+v", a)
		} else {
			a.wantNotAccepted(t, "")
		}
	}
}

// R1: they are not stored, so a policy that changes holds for what was done before.
func TestAnswerHeaders_R1_AreNotStored(t *testing.T) {
	s := newService(t, payment(echoing, func(p *policy.Policy) { p.Store.Headers = []string{"Repeatability-Result", "Idempotency-Key"} }))
	first := s.post("k", body)
	first.wantAccepted(t, "k")
	s.op = payment()
	mux := http.NewServeMux()
	s.serve(mux, s.newEngine())
	again := do(mux, s.request(body, header("Idempotency-Key", "k")))
	wantReplay(t, first, again)
	again.wantNotAccepted(t, "")
}

// R5: a tombstone says that the work was done, so the request was accepted.
func TestAnswerHeaders_R5_Tombstone(t *testing.T) {
	s := newService(t, payment(echoing, func(p *policy.Policy) { p.Store.MaxBody = 3 }))
	s.post("k", body).wantAccepted(t, "k")
	again := s.post("k", body)
	again.wantProblem(t, 409, "answer-not-kept")
	again.wantAccepted(t, "k")
}

// A key from a body may be text that no header can hold: it is not sent then, and nothing breaks out of the header.
func TestAnswerHeaders_KeysThatNoHeaderHolds(t *testing.T) {
	s := newService(t, payment(echoing, func(p *policy.Policy) {
		p.Key = policy.Key{In: policy.InBody, Pointer: "/key", Required: true, MaxLength: 64}
		p.Answers.Headers = append(p.Answers.Headers, policy.HeaderValue{Name: "X-Request", Value: "key={key};v=1"})
	}))
	for key, echoed := range map[string]bool{"plain": true, `a, "b"; c`: true, " led": false, "trailed ": false, "schl\u00fcssel": false} {
		a := s.do(s.request(`{"key":` + quote(key) + `}`))
		if a.status != 201 {
			t.Fatalf("%q: %+v", key, a)
		}
		if got := a.header.Get("X-Request"); echoed && got != "key="+key+";v=1" || !echoed && a.header["X-Request"] != nil {
			t.Errorf("%q: X-Request %q", key, got)
		}
		if got := a.header.Get("Repeatability-Result"); got != "accepted" {
			t.Errorf("%q: Repeatability-Result %q", key, got)
		}
	}
}

func quote(text string) string {
	var out bytes.Buffer
	out.WriteByte('"')
	for _, r := range text {
		if r == '"' || r == '\\' {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	out.WriteByte('"')
	return out.String()
}

// A request that carries no key, where it is optional, was not accepted for repetition.
func TestAnswerHeaders_WithoutAKey(t *testing.T) {
	s := newService(t, payment(echoing, func(p *policy.Policy) { p.Key.Required = false }))
	if a := s.do(s.request(body)); a.status != 201 {
		t.Errorf("%+v", a)
	} else {
		a.wantNotAccepted(t, "")
	}
}

func TestAnswerHeaders_CurrentAndLease(t *testing.T) {
	o := newOffice(t, payout(echoing))
	o.post("k", body).wantAccepted(t, "k")
	again := o.post("k", body)
	again.wantAccepted(t, "k")
	if !again.replayed() {
		t.Errorf("%+v", again)
	}
	o.bank.fail = func(int) error { return errors.New("no line") } // after a step: the outcome is not known
	if a := o.post("unknown", body); a.status != 503 {
		t.Errorf("%+v", a)
	} else {
		a.wantNotAccepted(t, "")
	}
}

func TestAnswerHeaders_Register(t *testing.T) {
	engine := newService(t, payment()).engine
	for part, headers := range map[string][]policy.HeaderValue{
		"is not a header name":     {{Name: "X Y", Value: "1"}},
		"no header may hold":       {{Name: "X-Y", Value: "1\r\nSet-Cookie: a=b"}},
		"is the answer's own":      {{Name: "content-length", Value: "1"}},
		"Location is the answer's": {{Name: "location", Value: "/"}},
		"Set-Cookie is the":        {{Name: "set-cookie", Value: "a=b"}},
		"is what marks a replay":   {{Name: "idempotent-replayed", Value: "true"}},
		"stands twice":             {{Name: "X-Y", Value: "1"}, {Name: "x-y", Value: "2"}},
	} {
		err := engine.Register(payment(func(p *policy.Policy) { p.Answers.Headers = headers }))
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
}
