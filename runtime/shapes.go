package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// shape writes the body of a problem, which is named.
type shape func(*Problem) (contentType string, body []byte)

// shapes are the body shapes that a policy's errors.shape can name, beside those of [WithErrorShape]. A further one is one
// function and one line here.
var shapes = map[string]shape{
	"":        problemShape,
	"problem": problemShape,
	"stripe":  stripeShape,
	"adyen":   adyenShape,
	"square":  squareShape,
	"aws":     awsShape,
	"paypal":  paypalShape,
}

// templatePrefix begins what a policy's errors.shape says where the shape is one of [WithErrorShape].
const templatePrefix = "template:"

// WithErrorShape gives the engine a body shape of your own, for policies with `errors.shape: template:NAME`. write is
// called from many goroutines, with a copy of the problem whose Name is one of the runtime's kinds, such as
// [ProblemKeyReused], where it is one of them; status and headers are the engine's. It returns the body and its media type.
// Where it panics, or returns a media type that is none, the answer is problem+json.
//
// A policy that names a shape which the engine has not been given fails at [Engine.Register].
func WithErrorShape(name string, write func(*Problem) (contentType string, body []byte)) Option {
	return func(s *settings) error {
		switch {
		case name == "":
			return errors.New("WithErrorShape: the name is empty")
		case write == nil:
			return fmt.Errorf("WithErrorShape(%q): the function is nil", name)
		case s.shapes[name] != nil:
			return fmt.Errorf("WithErrorShape(%q): there are two shapes of this name", name)
		}
		if s.shapes == nil {
			s.shapes = map[string]shape{}
		}
		s.shapes[name] = guarded(write)
		return nil
	}
}

// guarded is a shape of somebody else's, which must not have a client go without an answer.
func guarded(write func(*Problem) (contentType string, body []byte)) shape {
	return func(p *Problem) (contentType string, body []byte) {
		own := *p
		own.Name, own.Header, own.Extensions = p.kind, p.Header.Clone(), maps.Clone(p.Extensions)
		err := caught(func() error {
			contentType, body = write(&own)
			return nil
		})
		if err != nil || !isMediaType(contentType) {
			return problemShape(p)
		}
		return contentType, body
	}
}

// isMediaType reports whether text can be sent as a Content-Type (RFC 9110, section 8.3.1).
func isMediaType(text string) bool {
	kind, _, err := mime.ParseMediaType(text)
	major, minor, whole := strings.Cut(kind, "/")
	return err == nil && whole && policy.IsToken(major) && policy.IsToken(minor) && kind != "*/*" && isFieldValue(text)
}

// shapeOf finds the shape with the given name.
func (s *settings) shapeOf(name string) (shape, error) {
	if own, ok := strings.CutPrefix(name, templatePrefix); ok {
		if found := s.shapes[own]; found != nil {
			return found, nil
		}
		return nil, fmt.Errorf("errors.shape is %q: give the engine WithErrorShape(%q, ...)", name, own)
	}
	if found := shapes[name]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("errors.shape %q is not known", name)
}

// problemShape is RFC 9457's. An extension that JSON cannot hold is left out, with the others.
func problemShape(p *Problem) (string, []byte) {
	const mediaType = "application/problem+json"
	var body []byte
	err := caught(func() (err error) {
		body, err = json.Marshal(p)
		return err
	})
	if err == nil {
		return mediaType, body
	}
	plain := *p
	plain.Extensions = nil
	return mediaType, encoded(&plain)
}

// encoded is JSON of what JSON can hold.
func encoded(body any) []byte {
	out, _ := json.Marshal(body)
	return out
}

// providerWord is a problem's type where a policy gives a provider's own word as one, and otherwise what is given: a URI, or
// nothing, is not a provider's word.
func (p *Problem) providerWord(otherwise string) string {
	if policy.IsToken(p.Type) {
		return p.Type
	}
	return otherwise
}

// ofTheBody are the headers that a problem does not have of its own: they belong to the body that a shape writes, and where a
// handler hands on those of somebody else's answer, they are of another one. What begins with [http.TrailerPrefix] is no token.
var ofTheBody = []string{"Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Trailer", "Transfer-Encoding"}

// response is the problem as an answer. A plan gives it the operation's shape and a link to the operation's policy.
func (p *Problem) response(plan *plan) Response {
	write, base := problemShape, DefaultProblemBase
	if plan != nil {
		base = plan.settings.problemBase
	}
	p = p.named(base)
	header := make(http.Header, len(p.Header)+3)
	for name, values := range p.Header {
		if canonical := http.CanonicalHeaderKey(name); policy.IsToken(name) && !slices.Contains(ofTheBody, canonical) {
			header[canonical] = append(header[canonical], values...)
		}
	}
	if plan != nil {
		write = plan.shape
		if docs := plan.op.DocsURL; docs != "" {
			header.Add("Link", "<"+docs+`>; rel="describedby"; type="text/html"`)
		}
	}
	contentType, body := write(p)
	header.Set("Content-Type", contentType)
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-store")
	}
	return Response{Status: p.status(), Header: header, Body: body}
}
