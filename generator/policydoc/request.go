package policydoc

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/example"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Request is an example of a request, complete but for the server's address, the credentials and the key.
type Request struct {
	// Path is percent-encoded, its parameters filled in. Query has no question mark; it is empty where there is none.
	Path  string `json:"path"`
	Query string `json:"query,omitempty"`
	// Headers are those that the operation requires, without Content-Type.
	Headers     map[string]string `json:"headers,omitempty"`
	ContentType string            `json:"contentType,omitempty"`
	// Body is the body as text; a body that is not UTF-8 stands in BodyBase64 instead (RFC 4648, section 4).
	Body       string `json:"body,omitempty"`
	BodyBase64 string `json:"bodyBase64,omitempty"`
}

// maxExample is the longest body that is published as an example, in bytes.
const maxExample = 64 << 10

// exampleRequests are a request to op and another that is not the same request; nil where none can be made, or where it
// is too large to be published.
func exampleRequests(op *policy.Operation) (first, other *Request) {
	if op.Shape == nil {
		return nil, nil
	}
	call, err := example.NewCall(op, "")
	if err != nil {
		return nil, nil // a schema that no value satisfies
	}
	if first = newRequest(op, call); first == nil {
		return nil, nil
	}
	different, err := call.Other()
	if err != nil {
		return first, nil
	}
	return first, newRequest(op, different)
}

func newRequest(op *policy.Operation, call *example.Call) *Request {
	if len(call.Body) > maxExample {
		return nil
	}
	r := &Request{ContentType: call.Header.Get("Content-Type")}
	r.Path, r.Query, _ = strings.Cut(call.Target, "?")
	for name, values := range call.Header {
		if name == "Content-Type" || isCredential(op, name) {
			continue
		}
		if r.Headers == nil {
			r.Headers = map[string]string{}
		}
		separator := ", "
		if name == "Cookie" {
			separator = "; "
		}
		r.Headers[name] = strings.Join(values, separator)
	}
	if utf8.Valid(call.Body) {
		r.Body = string(call.Body)
	} else {
		r.BodyBase64 = base64.StdEncoding.EncodeToString(call.Body)
	}
	return r
}

// isCredential reports whether a header is one that a security scheme asks for: who sends the request has it.
func isCredential(op *policy.Operation, name string) bool {
	for _, credential := range op.Shape.Credentials {
		if credential.In == "header" && http.CanonicalHeaderKey(credential.Name) == name {
			return true
		}
	}
	return false
}

// Bytes is the body; nil where there is none, or where BodyBase64 cannot be decoded.
func (r *Request) Bytes() []byte {
	if r.BodyBase64 == "" {
		return []byte(r.Body)
	}
	body, err := base64.StdEncoding.DecodeString(r.BodyBase64)
	if err != nil {
		return nil
	}
	return body
}
