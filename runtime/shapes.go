package runtime

import (
	"encoding/json"
	"net/http"

	"github.com/idemgen/idemgen/runtime/policy"
)

// shape writes the body of a problem.
type shape func(*Problem) (contentType string, body any)

// shapes are the body shapes that a policy's errors.shape can name. A further one is one function and one line here.
var shapes = map[string]shape{
	"":        problemShape,
	"problem": problemShape,
	"stripe":  stripeShape,
}

func problemShape(p *Problem) (string, any) { return "application/problem+json", p }

// stripeShape is the error object of Stripe's API (https://docs.stripe.com/api/errors): a type out of a few, a code, a
// message.
func stripeShape(p *Problem) (string, any) {
	type object struct {
		Type    string `json:"type"`
		Code    string `json:"code,omitempty"`
		Message string `json:"message"`
	}
	kind := p.Type
	if !policy.IsToken(kind) { // a URI, or nothing: not one of Stripe's types
		kind = "invalid_request_error"
		if p.status() >= http.StatusInternalServerError {
			kind = "api_error"
		}
	}
	return "application/json", struct {
		Error object `json:"error"`
	}{object{Type: kind, Code: p.Code, Message: p.Error()}}
}

// response is the problem as an answer. A plan gives it the operation's shape and a link to the operation's policy.
func (p *Problem) response(plan *plan) Response {
	write, base := problemShape, DefaultProblemBase
	if plan != nil {
		base = plan.settings.problemBase
	}
	p = p.named(base)
	header := make(http.Header, len(p.Header)+3)
	for name, values := range p.Header {
		canonical := http.CanonicalHeaderKey(name)
		header[canonical] = append(header[canonical], values...)
	}
	if plan != nil {
		write = plan.shape
		if docs := plan.op.DocsURL; docs != "" {
			header.Add("Link", "<"+docs+`>; rel="describedby"; type="text/html"`)
		}
	}
	contentType, body := write(p)
	encoded, err := json.Marshal(body)
	if err != nil { // an extension that JSON cannot hold
		plain := *p
		plain.Extensions = nil
		_, body = write(&plain)
		encoded, _ = json.Marshal(body)
	}
	header.Set("Content-Type", contentType)
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-store")
	}
	return Response{Status: p.status(), Header: header, Body: encoded}
}
