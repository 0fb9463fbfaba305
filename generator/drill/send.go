package drill

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// sent is a request with what came of it.
type sent struct {
	message message
	request *http.Request // nil when none could be made
	body    []byte        // of the request

	status int
	header http.Header
	// answer is the body as it came, without any decoding.
	answer []byte
	// sum is of the body, without a coding where it has one that is known; size is its length.
	sum  [sha256.Size]byte
	size int
	took time.Duration
	at   time.Time // when it was there
	err  error     // a sentence for a person; nothing else is set then
}

// ok reports whether there is an answer.
func (a *sent) ok() bool { return a != nil && a.err == nil }

func (a *sent) success() bool { return a.ok() && a.status/100 == 2 }

// describe is an answer in a few words.
func (a *sent) describe() string {
	if a.err != nil {
		return a.err.Error()
	}
	return fmt.Sprint(a.status)
}

// newClient is a client that follows no redirect, decodes nothing, and keeps within bounds what a server can make it hold.
func newClient(limits Limits) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: limits.Request}).DialContext,
			TLSHandshakeTimeout:    limits.Request,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
			// A server may close a connection that is not used whenever it likes. Whether a request that meets this was taken
			// nobody can tell, so none is sent where another one was.
			DisableKeepAlives: true,
		},
	}
}

func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// once sends m and reads its answer, within the limits.
func (s *session) once(m message) *sent { return s.sendWithin(m, s.run.plan.Limits.Body) }

// send sends m, and again where what answers is not the operation: a limit on requests, or a service that is away for a
// moment. A request that may do without a key is sent again after the first alone: nobody can tell whether its work was done.
func (s *session) send(m message) *sent {
	deadline := time.Now().Add(s.run.plan.Limits.Settle)
	for {
		a := s.once(m)
		limited := a.ok() && a.status == http.StatusTooManyRequests && !s.final(a)
		away := a.ok() && a.status == http.StatusServiceUnavailable && !s.final(a) && (s.op.Key.Required || len(m.key.values)+len(m.key.raw) > 0)
		if !limited && !away {
			return a
		}
		if s.run.impatient || time.Now().After(deadline) || !s.run.wait(pause(a)) {
			s.run.impatient = true // it was waited for once, and is not waited for with each request
			if limited {
				s.limited = a
			}
			return a
		}
	}
}

// final reports whether an answer is the operation's own.
func (s *session) final(a *sent) bool {
	return s.marked(a) || policy.Statuses(list(s.parameters(policydoc.PromiseKept), "statuses")).Contains(a.status) || s.is(a, s.parameters(policydoc.PromiseInFlight))
}

func (s *session) sendWithin(m message, limit int64) *sent {
	r := s.run
	a := &sent{message: m}
	ctx, cancel := context.WithTimeout(r.ctx, r.plan.Limits.Request)
	defer cancel()
	request, err := s.request(ctx, m)
	if err != nil {
		a.err = err
		return a
	}
	a.request = request
	if request.Body != http.NoBody { // it is small and in memory
		a.body, _ = io.ReadAll(request.Body)
		request.Body = io.NopCloser(bytes.NewReader(a.body))
	}
	r.requests.Add(1)
	start := time.Now()
	response, err := r.client.Do(request)
	if err != nil {
		a.err = r.sentence(err)
		return a
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	a.at, a.took = time.Now(), time.Since(start)
	switch {
	case err != nil:
		a.err = r.sentence(err)
		return a
	case int64(len(answer)) > limit:
		a.err = fmt.Errorf("the answer has more than %d bytes", limit)
		return a
	}
	a.status, a.header, a.answer, a.sum = response.StatusCode, response.Header, answer, sha256.Sum256(answer)
	a.size = len(answer)
	if plain, coded := a.decoded(limit); coded { // the coding itself may hold the time
		a.sum, a.size = sha256.Sum256(append([]byte("gzip\x00"), plain...)), len(plain)
	}
	return a
}

// sentence says in a few words why there is no answer; a library's own texts hold addresses and keys.
func (r *runner) sentence(err error) error {
	var opError *net.OpError
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case r.ctx.Err() != nil:
		return errors.New("the drill was stopped")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("there was no whole answer within %v", r.plan.Limits.Request)
	case errors.As(err, &dns):
		return errors.New("the server's name cannot be resolved")
	case errors.As(err, &certificate):
		return errors.New("the server's certificate cannot be verified")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return errors.New("this machine gives the drill no more connections, as each is an open file: allow more (ulimit -n), or send fewer at once (--concurrency)")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return errors.New("this machine has no port left for a further connection: send fewer at once (--concurrency)")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("nobody listens at the server's address")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the answer ended before it was whole")
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("the server closed the connection without a whole answer")
	case errors.As(err, &opError):
		return fmt.Errorf("the connection failed (%s)", opError.Op)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return fmt.Errorf("the server did not answer in HTTP as a client can read it (%s)", firstLine(r.masked(err.Error())))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 200 {
		line = line[:200]
	}
	return strings.ToValidUTF8(line, "�")
}

// plain is the answer's body without a coding, where it has one that is known; bounded.
func (a *sent) plain(limit int64) []byte {
	text, _ := a.decoded(limit)
	return text
}

// decoded is plain, and whether there was a coding.
func (a *sent) decoded(limit int64) (text []byte, coded bool) {
	if !strings.EqualFold(a.header.Get("Content-Encoding"), "gzip") {
		return a.answer, false
	}
	reader, err := gzip.NewReader(bytes.NewReader(a.answer))
	if err != nil {
		return a.answer, false
	}
	text, err = io.ReadAll(io.LimitReader(reader, limit))
	if err != nil {
		return a.answer, false
	}
	return text, true
}

// The longest evidence of one body and of one message's headers.
const (
	maxShownBody    = 1024
	maxShownHeaders = 40
)

// exchange is a message as evidence.
func (r *runner) exchange(a *sent) Exchange {
	e := Exchange{Request: a.message.method + " " + a.message.path}
	if a.request != nil {
		e.Request = a.request.Method + " " + a.request.URL.String() + r.shownHeaders(a.request.Header, r.credentialNames) + r.shownBody(a.body)
	}
	if a.err != nil {
		e.Answer = a.err.Error()
	} else {
		e.Answer = fmt.Sprintf("%d", a.status) + r.shownHeaders(a.header, map[string]bool{"Set-Cookie": true}) + r.shownBody(a.plain(r.plan.Limits.Body))
	}
	e.Request, e.Answer = r.masked(e.Request), r.masked(e.Answer)
	return e
}

func (r *runner) shownHeaders(header http.Header, secret map[string]bool) string {
	var b strings.Builder
	shown := 0
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			if shown++; shown > maxShownHeaders {
				return b.String() + "\n..."
			}
			if secret[name] {
				value = "***"
			}
			if value = r.masked(value); len(value) > 300 { // in this order: half a secret is not found
				value = value[:300] + "..."
			}
			b.WriteString("\n" + name + ": " + value)
		}
	}
	return b.String()
}

func (r *runner) shownBody(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	text, more := r.masked(string(body)), ""
	if len(text) > maxShownBody {
		text, more = text[:maxShownBody], fmt.Sprintf("... (%d bytes)", len(body))
	}
	return "\n\n" + strings.ToValidUTF8(text, "�") + more
}
