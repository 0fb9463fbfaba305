package runtime

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// alwaysStored are the headers that belong to a stored body and to the effect it reports.
var alwaysStored = []string{
	"Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Etag", "Last-Modified", "Link", "Location",
}

// perAnswer are the headers that are never stored, whatever a policy says: they belong to one answer, one connection or
// one session.
var perAnswer = []string{
	"Authentication-Info", "Authorization", "Connection", "Content-Length", "Date", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection", "Set-Cookie", "Set-Cookie2", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Www-Authenticate",
}

// describesBody are the stored headers that make no sense without the body.
var describesBody = []string{"Content-Encoding", "Content-Language", "Content-Type"}

// StoredHeaders are the canonical names of the headers that rules have a replay repeat, sorted.
func StoredHeaders(rules *policy.StoreRules) []string {
	names := slices.Clone(alwaysStored)
	for _, name := range rules.Headers {
		if canonical := http.CanonicalHeaderKey(name); !neverStored(canonical) {
			names = append(names, canonical)
		}
	}
	if rules.OmitBody {
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(describesBody, name) })
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func neverStored(canonical string) bool { return slices.Contains(perAnswer, canonical) }

// ErrStreaming is returned to a handler that flushes, takes over the connection or sends trailers: an answer that is not
// whole before the commit cannot be repeated.
var ErrStreaming = Explain("a keyed operation cannot stream its answer", nil)

// normalise checks an answer of a handler and completes it, so that what is sent now and what a replay sends later are
// the same: canonical header names, a Content-Type, no body where HTTP has none.
func normalise(r Response) (Response, error) {
	if !finalStatus(r.Status) {
		return Response{}, Explain(fmt.Sprintf("the handler's answer has status %d", r.Status), nil)
	}
	header := make(http.Header, len(r.Header)+1)
	for name, values := range r.Header {
		if strings.HasPrefix(name, http.TrailerPrefix) || http.CanonicalHeaderKey(name) == "Trailer" {
			return Response{}, Explain("the handler's answer has trailers", ErrStreaming)
		}
		if !policy.IsToken(name) {
			return Response{}, Explain("the handler's answer has a header whose name is not a token", nil)
		}
		canonical := http.CanonicalHeaderKey(name)
		header[canonical] = append(header[canonical], values...)
	}
	header.Del("Content-Length")
	header.Del("Transfer-Encoding")
	if noBody(r.Status) {
		return Response{Status: r.Status, Header: header}, nil
	}
	if len(r.Body) > 0 && header["Content-Type"] == nil && header["Content-Encoding"] == nil { // as net/http does
		header.Set("Content-Type", http.DetectContentType(r.Body))
	}
	return Response{Status: r.Status, Header: header, Body: r.Body}, nil
}

// noBody reports whether HTTP has no body for a status (RFC 9110, sections 15.3.5 and 15.4.5).
func noBody(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}

// record is what is kept of an answer.
func (c *Call[TX]) record(r Response, attempt [16]byte) *Record {
	rules := &c.plan.op.Policy.Store
	record := &Record{
		Operation:          c.plan.op.ID,
		FingerprintVersion: FingerprintVersion,
		Fingerprint:        c.print[:],
		Attempt:            attempt,
		Status:             r.Status,
		Header:             make(http.Header),
		Retention:          c.kept(),
	}
	for _, name := range c.plan.stored {
		if values := r.Header[name]; len(values) > 0 {
			record.Header[name] = slices.Clone(values)
		}
	}
	switch {
	case rules.OmitBody:
		record.BodyState = BodyOmitted
	case int64(len(r.Body)) > rules.MaxBody:
		record.BodyState = BodyTooLarge
	default:
		record.Body = r.Body
	}
	return record
}

// recorded answers a request for which a record exists: by a replay if it is the same request, else by a refusal. as is
// [OutcomeReplayed] or [OutcomeWaited].
func (c *Call[TX]) recorded(ctx context.Context, record *Record, as Outcome) reply {
	p := c.plan
	switch {
	case record.FingerprintVersion != FingerprintVersion:
		return c.refuse(p.problem(caseOldVersion,
			"The service was updated since. The earlier request was carried out; send a new request with a new key."))
	case len(record.Fingerprint) != fingerprintSize: // it cannot be told whose answer it is
		c.observe(ctx, "a stored answer cannot be read", errFingerprint)
		return c.refuse(p.answerUnavailable())
	case !slices.Equal(record.Fingerprint, c.print[:]):
		return c.refuse(p.problem(caseMismatch,
			"The first request with this key was another one, and stands. Send a new request with a new key."))
	case p.rebuilds() && (record.Header != nil || record.Unreadable == nil): // before the tombstone: no body is needed
		return c.rebuilt(ctx, record, as)
	case record.unreadable() != nil:
		c.observe(ctx, "a stored answer cannot be read", record.unreadable())
		return c.refuse(p.answerUnavailable())
	case record.BodyState == BodyTooLarge:
		problem := p.problem(caseTooLarge, "Do not send it again: its effect stands. Read the current state instead.")
		problem.Extensions = map[string]any{"originalStatus": record.Status}
		for _, name := range []string{"Location", "Content-Location"} {
			if values := record.Header[name]; values != nil {
				problem.Header[name] = values
			}
		}
		return c.refuse(problem)
	default:
		return reply{p.replay(record), as}
	}
}

// errFingerprint is a stored fingerprint that cannot be one.
var errFingerprint = Explain("a stored fingerprint is damaged", nil)

// errSealed is a sealed body that came from a store that was not made by [Sealed].
var errSealed = Explain("a stored body is sealed, and this process opens none; give its store the sealer by runtime.Sealed", nil)

// unreadable is why the stored body must not be sent: it did not open, or nobody here could open it.
func (r *Record) unreadable() error {
	if r.Unreadable == nil && bytes.HasPrefix(r.Body, sealedMark) {
		return errSealed
	}
	return r.Unreadable
}

// replay is the first answer again: status, stored headers, body, and the policy's marker. Where the policy keeps no
// body, the replay has none, and no header that would describe one was stored.
func (p *plan) replay(record *Record) Response {
	header := make(http.Header, len(record.Header)+2)
	maps.Copy(header, record.Header)
	p.mark(header)
	return Response{Status: p.statusAgain(record.Status), Header: header, Body: record.Body}
}

// mark puts the policy's marker of replays into header.
func (p *plan) mark(header http.Header) {
	if rules := &p.op.Policy.Replay; rules.Header != "" {
		header.Set(rules.Header, rules.Value)
	}
}

// statusAgain is the status that a replay has for a first one.
func (p *plan) statusAgain(first int) int {
	status := first
	for _, change := range p.op.Policy.Replay.Status {
		if change.From == first {
			status = change.To
		}
	}
	return status
}

// send writes an answer that is complete. A header that what runs around the engine has set already is replaced, except
// those of which there may be several.
func send(w http.ResponseWriter, r Response) {
	header := w.Header()
	for name, values := range r.Header {
		switch name {
		case "Vary", "Set-Cookie", "Link":
			header[name] = append(header[name], values...)
		default:
			header[name] = slices.Clip(values) // a record's values are shared: nobody may append to them in place
		}
	}
	if noBody(r.Status) {
		w.WriteHeader(r.Status)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(r.Status)
	// The client may be gone; what is committed stands, and a retry is answered from the record.
	_, _ = w.Write(r.Body)
}
