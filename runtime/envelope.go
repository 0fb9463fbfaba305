package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/http"
	"net/url"
	"slices"
)

// envelopeVersion is the version of the envelopes that this package writes. It changes with anything that an older program
// would misread.
const envelopeVersion = 1

// envelope is a request as it is stored with its record, so that its work can be run again without its client. It has no
// credentials.
type envelope struct {
	method, host string
	path         string // escaped, as sent
	query        string
	pathValues   [][2]string // name and value
	header       http.Header
	body         []byte
	principal    string
	key          string
	secret       string // the id of the secret of the downstream keys
}

// What can be wrong with a stored envelope. Their work is left in progress: it may have had effects.
var (
	errEnvelopeVersion = Explain("the stored request was written by a newer version of the service; a process of that version has to take it up", nil)
	errEnvelopeBroken  = Explain("the stored request is damaged", nil)
)

// envelope is the call's request.
func (c *Call[TX]) envelope() *envelope {
	r := c.request
	e := &envelope{
		method: r.Method, host: r.Host, path: r.URL.EscapedPath(), query: r.URL.RawQuery,
		header: http.Header{}, body: c.body, principal: c.principal, key: c.key, secret: c.engine.settings.secret,
	}
	for _, name := range c.plan.op.PathParams {
		e.pathValues = append(e.pathValues, [2]string{name, r.PathValue(name)})
	}
	for _, name := range c.plan.carried {
		if lines := r.Header[name]; len(lines) > 0 {
			e.header[name] = lines
		}
	}
	return e
}

// encode writes the version in one byte, and each part with its length before it.
func (e *envelope) encode() []byte {
	f := make(fields, 0, 512+len(e.body))
	f = append(f, envelopeVersion)
	f.text(e.method)
	f.text(e.host)
	f.text(e.path)
	f.text(e.query)
	f.number(len(e.pathValues))
	for _, value := range e.pathValues {
		f.text(value[0])
		f.text(value[1])
	}
	names := make([]string, 0, len(e.header))
	for name := range e.header {
		names = append(names, name)
	}
	slices.Sort(names)
	f.number(len(names))
	for _, name := range names {
		f.text(name)
		f.texts(e.header[name])
	}
	f.bytes(e.body)
	f.text(e.principal)
	f.text(e.key)
	f.text(e.secret)
	return f
}

// envelope is the stored request of work that is taken up.
func (h *Held) envelope() (*envelope, error) {
	if h.Unreadable != nil {
		return nil, h.Unreadable
	}
	return decodeEnvelope(h.Request)
}

// decodeEnvelope undoes encode. It refuses a version that it does not know before it reads anything.
func decodeEnvelope(stored []byte) (*envelope, error) {
	if len(stored) == 0 {
		return nil, errEnvelopeBroken
	}
	if stored[0] != envelopeVersion {
		return nil, errEnvelopeVersion
	}
	p := parts{rest: stored[1:]}
	e := &envelope{method: p.text(), host: p.text(), path: p.text(), query: p.text(), header: http.Header{}}
	for range p.count() {
		e.pathValues = append(e.pathValues, [2]string{p.text(), p.text()})
	}
	for range p.count() {
		name := p.text()
		lines := []string{}
		for range p.count() {
			lines = append(lines, p.text())
		}
		e.header[name] = lines
	}
	e.body = bytes.Clone(p.bytes())
	e.principal, e.key, e.secret = p.text(), p.text(), p.text()
	if p.failed || len(p.rest) > 0 {
		return nil, errEnvelopeBroken
	}
	return e, nil
}

// request is an HTTP request again.
func (e *envelope) request(ctx context.Context) (*http.Request, error) {
	target, err := url.ParseRequestURI(e.path)
	if err != nil {
		return nil, errEnvelopeBroken
	}
	target.RawQuery = e.query
	r := (&http.Request{
		Method: e.method, Host: e.host, URL: target, RequestURI: target.RequestURI(), Header: e.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(e.body)),
	}).WithContext(ctx)
	for _, value := range e.pathValues {
		r.SetPathValue(value[0], value[1])
	}
	return r, nil
}

// parts reads what [fields] has written. After a part that is cut off it reads empty ones.
type parts struct {
	rest   []byte
	failed bool
}

func (p *parts) number() uint64 {
	if len(p.rest) < 8 {
		p.failed, p.rest = true, nil
		return 0
	}
	n := binary.BigEndian.Uint64(p.rest)
	p.rest = p.rest[8:]
	return n
}

// count is a number of parts that follow, each of which has eight bytes at least.
func (p *parts) count() int {
	n := p.number()
	if n > uint64(len(p.rest))/8 {
		p.failed, p.rest = true, nil
		return 0
	}
	return int(n)
}

func (p *parts) bytes() []byte {
	n := p.number()
	if n > uint64(len(p.rest)) {
		p.failed, p.rest = true, nil
		return nil
	}
	part := p.rest[:n]
	p.rest = p.rest[n:]
	return part
}

func (p *parts) text() string { return string(p.bytes()) }
