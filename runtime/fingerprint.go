package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"net/url"
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// FingerprintVersion is the version of the fingerprints that this package writes. It changes with anything that would give
// the same request another fingerprint; a record of another version is never compared.
const FingerprintVersion = 1

const fingerprintSize = sha256.Size

// fingerprintOf is the hash of what makes two requests the same request: method, route, path parameters and content type
// always, query, headers and body by the policy. Each part has its length before it, each list its count, so that no two
// requests are the same by being joined.
func (p *plan) fingerprintOf(r *http.Request, c *content) [fingerprintSize]byte {
	op := p.op
	rules := &op.Policy.Fingerprint
	f := make(fields, 0, 256)
	f.number(FingerprintVersion)
	f.text(r.Method) // not op's: a router may send it HEAD, or whatever it is mounted for
	f.text(op.Route)

	f.number(len(op.PathParams))
	unset := false
	for _, name := range op.PathParams {
		value := r.PathValue(name)
		unset = unset || value == ""
		f.text(value)
	}
	if unset { // a router that does not set path values must not make all resources one
		f.text(r.URL.EscapedPath())
	}

	f.text(c.contentType)
	if rules.Query {
		f.query(r.URL.RawQuery)
	}
	for _, name := range p.fingerprint {
		f.texts(headerLines(r, name))
	}
	tail := f.body(p, c)

	hash := sha256.New()
	hash.Write(f)
	hash.Write(tail)
	var sum [fingerprintSize]byte
	hash.Sum(sum[:0])
	return sum
}

// headerLines are the lines of a header, by its canonical name.
func headerLines(r *http.Request, name string) []string {
	if name == "Host" { // net/http keeps it apart
		return []string{r.Host}
	}
	return r.Header[name]
}

// fields is a sequence of length-prefixed parts.
type fields []byte

func (f *fields) number(n int) { *f = binary.BigEndian.AppendUint64(*f, uint64(n)) }

func (f *fields) text(text string) {
	f.number(len(text))
	*f = append(*f, text...)
}

func (f *fields) bytes(data []byte) {
	f.number(len(data))
	*f = append(*f, data...)
}

func (f *fields) texts(texts []string) {
	f.number(len(texts))
	for _, text := range texts {
		f.text(text)
	}
}

// query adds a query by its decoded parameters: the order of different names does not matter, the order of one name's
// values does. A query that is not well-formed is taken as it is.
func (f *fields) query(raw string) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		f.text("raw")
		f.text(raw)
		return
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	f.text("parameters")
	f.number(len(names))
	for _, name := range names {
		f.text(name)
		f.texts(values[name])
	}
}

// body adds a body by the policy's rule. What it returns stands last and is hashed as it is, without being copied.
func (f *fields) body(p *plan, c *content) []byte {
	rules := &p.op.Policy.Fingerprint
	switch {
	case rules.Body == policy.NoBody:
		f.text("none")
		return nil
	case rules.Body == policy.RawBody || c.kind == kindBytes:
		f.text("bytes")
		return c.body
	case c.kind == kindMultipart:
		f.parts(c.parts)
		return nil
	case len(p.include) > 0:
		f.text("included")
		for i, capture := range p.include {
			f.text(rules.Include[i])
			f.bytes(c.captured[capture]) // no JSON value is empty, so absent differs from every value
		}
		return nil
	default:
		f.text("json")
		return c.canonical
	}
}

func (f *fields) parts(parts []part) {
	f.text("parts")
	f.number(len(parts))
	for i := range parts {
		f.texts(parts[i].header)
		f.bytes(parts[i].data)
	}
}
