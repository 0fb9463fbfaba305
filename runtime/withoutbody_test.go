package runtime_test

import (
	"net/http"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A body that the document does not declare is refused before any work, and what clients send in place of no body makes no
// other request.
func TestWithoutBody_F1_F4_R2(t *testing.T) {
	op := payment()
	op.WithoutBody = true
	s := newService(t, op)
	bare := func(r *http.Request) { r.Header.Del("Content-Type") }
	first := s.post("k", "", bare)
	if first.status != 201 {
		t.Fatalf("%+v", first)
	}
	for _, c := range []struct {
		body   string
		change func(*http.Request)
	}{
		{"", header("Content-Type", "application/json")},
		{"{}", header("Content-Type", "application/json")},
		{" { }\r\n", bare},
		{"\n", header("Content-Type", "text/plain")},
		{"", header("Content-Type", "application/x-www-form-urlencoded")},
	} {
		wantReplay(t, first, s.post("k", c.body, c.change))
	}
	s.want(1, 1, 1)
	for _, body := range []string{`{"amount":1}`, "null", "[]", "{", "x", "amount=1"} {
		s.post("k", body).wantProblem(t, 400, "invalid-request")
		s.post("another", body).wantProblem(t, 400, "invalid-request")
	}
	s.want(1, 1, 1)
	s.post("k", "", path("/orders/o1/payments?x=1")).wantProblem(t, 422, "key-reused") // the query still counts
	if a := s.post("another", ""); a.status != 201 {
		t.Errorf("%+v", a)
	}
}

// Without the mark a body counts, whether anybody reads it or not.
func TestWithBody_F1_F4_BodyCounts(t *testing.T) {
	s := newService(t, payment())
	if a := s.post("k", ""); a.status != 201 {
		t.Errorf("%+v", a)
	}
	s.post("k", "{}").wantProblem(t, 422, "key-reused")
}

func TestRegister_WithoutBodyTheKeyIsElsewhere(t *testing.T) {
	for _, in := range []policy.Location{policy.InBody, policy.InForm} {
		op := payment(func(p *policy.Policy) { p.Key.In, p.Key.Name, p.Key.Pointer = in, "key", "/key" })
		op.WithoutBody = true
		if err := newService(t, payment()).engine.Register(op); err == nil {
			t.Errorf("%s: no error", in)
		}
	}
}
