package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// maxKeyBytes bounds every key whatever its policy says, because a key is part of an index entry.
const maxKeyBytes = 1024

// plan is an operation after its checks, with what its requests need made once.
type plan struct {
	op       *Operation
	settings *settings

	keyPattern  *regexp.Regexp // nil when the policy has none
	keyHeader   string         // canonical name; empty unless the key travels in a header
	firstSent   string         // canonical name of the header with the time of the first attempt; empty where none is asked for
	body        *selection     // which parts of a JSON body are captured or left out
	keyCapture  int            // index of the key among the captures, -1 when the key is not in the body
	include     []int          // indexes of the included values among the captures, in the policy's order
	captures    int
	fingerprint []string // canonical header names
	stored      []string // canonical names of the headers that are kept
	shape       shape
	answers     []policy.HeaderValue // canonical names
	maxBody     int64                // of a request
	steps       []stepPlan           // lease mode only: its steps, in order
	carried     []string             // lease mode only: canonical names of the headers that a request is stored with
}

// newPlan checks op. All faults are reported, not only the first.
func newPlan(op *Operation, s *settings) (*plan, error) {
	if op == nil {
		return nil, errors.New("the operation is nil")
	}
	p := &plan{op: op, settings: s, keyCapture: -1, body: newSelection(), maxBody: s.maxRequestBody}
	if bytes, ok := s.maxRequestBodyOf[op.ID]; ok {
		p.maxBody = bytes
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }

	p.checkRoute(fault)
	p.checkKey(fault)
	p.checkScope(fault)
	p.checkFingerprint(fault)
	p.checkFirstSent(fault)
	p.checkStore(fault)
	p.checkAnswers(fault)
	switch op.Policy.Mode {
	case policy.Transaction:
	case policy.LeaseMode:
		p.checkLease(fault)
	default:
		fault("mode is %q: write transaction or lease", op.Policy.Mode)
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("operation %q: %w", op.ID, errors.Join(faults...))
	}
	return p, nil
}

type faultFunc func(format string, args ...any)

func (p *plan) checkRoute(fault faultFunc) {
	op := p.op
	if op.ID == "" {
		fault("the operation has no ID")
	}
	if op.Method == "" || op.Method != strings.ToUpper(op.Method) {
		fault("method %q: it is written in capitals", op.Method)
	}
	if !strings.HasPrefix(op.Route, "/") {
		fault("route %q: it starts with a slash", op.Route)
	}
	if n := strings.Count(op.Route, "{"); n != len(op.PathParams) {
		fault("route %q has %d parameters and PathParams has %d", op.Route, n, len(op.PathParams))
	}
	if op.DocsURL != "" && !isURI(op.DocsURL) {
		fault("DocsURL is not an absolute URI")
	}
}

func (p *plan) checkKey(fault faultFunc) {
	key := &p.op.Policy.Key
	switch key.In {
	case policy.InHeader:
		p.keyHeader = http.CanonicalHeaderKey(key.Name)
		if !policy.IsToken(key.Name) {
			fault("key.name %q is not a header name", key.Name)
		}
		switch key.Syntax {
		case policy.Structured, policy.Bare, policy.Either:
		default:
			fault("key.syntax is %q: write structured, bare or either", key.Syntax)
		}
	case policy.InQuery, policy.InForm:
		if key.In == policy.InForm && p.op.WithoutBody {
			fault("key.in is form, and the operation is without a body")
		}
		if key.Name == "" {
			fault("key.name is empty")
		}
	case policy.InBody:
		path, err := parsePointer(key.Pointer)
		switch {
		case p.op.WithoutBody:
			fault("key.in is body, and the operation is without one")
		case err != nil:
			fault("key.pointer: %w", err)
		case len(path) == 0:
			fault("key.pointer is the whole body: point to a member")
		default:
			p.keyCapture = p.capture(path)
		}
	default:
		fault("key.in is %q: write header, query, body or form", key.In)
	}
	switch key.Format {
	case "", policy.AnyFormat, policy.UUID, policy.UUID4, policy.UUID5, policy.UUID7:
	default:
		fault("key.format %q is not known", key.Format)
	}
	switch key.LengthUnit {
	case "", policy.Characters, policy.Bytes:
	default:
		fault("key.lengthUnit %q is not known", key.LengthUnit)
	}
	if key.MaxLength < 1 || key.MaxLength > maxKeyBytes {
		fault("key.maxLength is %d: it is between 1 and %d", key.MaxLength, maxKeyBytes)
	}
	if key.MinLength < 0 || key.MinLength > key.MaxLength {
		fault("key.minLength is %d: it is between 0 and key.maxLength", key.MinLength)
	}
	if key.Pattern == "" {
		return
	}
	pattern, err := regexp.Compile(key.Pattern)
	if err != nil {
		fault("key.pattern: %w", err)
	}
	p.keyPattern = pattern
}

func (p *plan) checkScope(fault faultFunc) {
	parts := p.op.Policy.Scope
	if len(parts) == 0 || (parts[0] != policy.ScopePrincipal && parts[0] != policy.ScopeAccount) {
		fault("scope: its first part is principal or account, so that no two accounts share a key")
	}
	if len(parts) > maxScopeParts {
		fault("scope has %d parts: at most %d are supported", len(parts), maxScopeParts)
	}
	for i, part := range parts {
		if slices.Contains(parts[:i], part) {
			fault("scope: %q stands twice", part)
		}
		if name, ok := part.Header(); ok {
			if !policy.IsToken(name) {
				fault("scope: %q is not a header name", name)
			}
			continue
		}
		switch part {
		case policy.ScopePrincipal, policy.ScopeOperation, policy.ScopeAccount:
		case policy.ScopeRegion:
			if p.settings.region == "" {
				fault("scope has region: give the engine WithRegion")
			}
		default:
			fault("scope: %q is not known", part)
		}
	}
	if slices.Contains(parts, policy.ScopeAccount) &&
		(slices.Contains(parts, policy.ScopeOperation) || slices.Contains(parts, policy.ScopePrincipal)) {
		fault("scope: account stands for the principal without the operation; name neither beside it")
	}
}

func (p *plan) checkFingerprint(fault faultFunc) {
	f := &p.op.Policy.Fingerprint
	switch f.Body {
	case policy.CanonicalBody, policy.RawBody, policy.NoBody:
	default:
		fault("fingerprint.body is %q: write canonical, raw or none", f.Body)
	}
	if len(f.Include) > 0 && len(f.Exclude) > 0 {
		fault("fingerprint has include and exclude: use one")
	}
	if f.Body != policy.CanonicalBody && len(f.Include)+len(f.Exclude) > 0 {
		fault("fingerprint.include and exclude need body: canonical")
	}
	for _, text := range f.Include {
		path, err := parsePointer(text)
		if err != nil {
			fault("fingerprint.include: %w", err)
			continue
		}
		p.include = append(p.include, p.capture(path))
	}
	for _, text := range f.Exclude {
		path, err := parsePointer(text)
		switch {
		case err != nil:
			fault("fingerprint.exclude: %w", err)
		case len(path) == 0:
			fault("fingerprint.exclude is the whole body: write body: none")
		default:
			p.body.at(path).drop = true
		}
	}
	for _, name := range f.Headers {
		if !policy.IsToken(name) {
			fault("fingerprint.headers: %q is not a header name", name)
		}
		p.fingerprint = append(p.fingerprint, http.CanonicalHeaderKey(name))
	}
	slices.Sort(p.fingerprint)
	p.fingerprint = slices.Compact(p.fingerprint)
}

// capture has the value at path captured from each JSON body, and returns its index among the captures.
func (p *plan) capture(path []string) int {
	node := p.body.at(path)
	if node.capture < 0 {
		node.capture = p.captures
		p.captures++
	}
	return node.capture
}

func (p *plan) checkStore(fault faultFunc) {
	pol := &p.op.Policy
	if least := p.settings.leastRetention(); pol.Retention < least {
		fault("retention is %v: it is at least %v, the time that it can take to find out about a commit whose answer was lost", pol.Retention, least)
	}
	if len(pol.Store.Statuses) == 0 {
		fault("store.statuses is empty: nothing would ever be kept")
	}
	for _, text := range pol.Store.Statuses {
		status, err := policy.ParseStatus(text)
		switch {
		case err != nil:
			fault("store.statuses: %w", err)
		case status[0] == '5' && pol.Mode != policy.LeaseMode:
			fault("store.statuses has %s: in transaction mode a 5xx rolls the work back and is not kept", status)
		case status[0] == '1':
			fault("store.statuses has %s: an interim answer is not kept", status)
		}
	}
	if pol.Store.MaxBody <= 0 && !pol.Store.OmitBody {
		fault("store.maxBody is %d: it is positive", pol.Store.MaxBody)
	}
	for _, name := range pol.Store.Headers {
		switch {
		case !policy.IsToken(name):
			fault("store.headers: %q is not a header name", name)
		case neverStored(http.CanonicalHeaderKey(name)):
			fault("store.headers: %s is never kept, since it belongs to one answer on one connection", name)
		}
	}
	p.stored = StoredHeaders(&pol.Store)
}

func (p *plan) checkAnswers(fault faultFunc) {
	pol := &p.op.Policy
	switch pol.Replay.As {
	case "", policy.Stored, policy.Current:
	default:
		fault("replay.as is %q: write stored or current", pol.Replay.As)
	}
	if pol.Replay.Header != "" && !policy.IsToken(pol.Replay.Header) {
		fault("replay.header %q is not a header name", pol.Replay.Header)
	}
	if !isFieldValue(pol.Replay.Value) {
		fault("replay.value has a character that no header may hold")
	}
	for _, change := range pol.Replay.Status {
		if !finalStatus(change.From) || !finalStatus(change.To) {
			fault("replay.status: %d to %d is not a change between final statuses", change.From, change.To)
		}
	}
	switch pol.InFlight.Answer {
	case policy.Wait:
		if pol.InFlight.MaxWait <= 0 {
			fault("inFlight.maxWait is %v: it is positive where duplicates wait", pol.InFlight.MaxWait)
		}
	case policy.Conflict:
	default:
		fault("inFlight.answer is %q: write wait or conflict", pol.InFlight.Answer)
	}
	shape, err := p.settings.shapeOf(pol.Errors.Shape)
	if err != nil {
		fault("%w", err)
	}
	p.shape = shape
	p.checkAnswerHeaders(fault)
	for _, c := range cases {
		if c.answer == nil {
			continue
		}
		answer := c.answer(&pol.Errors)
		if answer.Status != 0 && (answer.Status < 400 || answer.Status > 599) {
			fault("errors: status %d of %s is not an error", answer.Status, c.name)
		}
		for _, header := range answer.Headers {
			switch name := http.CanonicalHeaderKey(header.Name); {
			case !policy.IsToken(header.Name) || !isFieldValue(header.Value):
				fault("errors: %q is not a header that can be sent", header.Name)
			case slices.Contains(ofTheBody, name):
				fault("errors: %s is the answer's own", name)
			}
		}
	}
}

// wait is how long a duplicate waits for a request that another process runs.
func (p *plan) wait() time.Duration {
	if p.op.Policy.InFlight.Answer == policy.Conflict {
		return 0
	}
	return p.op.Policy.InFlight.MaxWait
}

func finalStatus(status int) bool { return status >= 200 && status <= 599 }

// isFieldValue reports whether text can be sent as a header's value as it is.
func isFieldValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return text == textproto.TrimString(text)
}

func isURI(text string) bool {
	u, err := url.Parse(text)
	if err != nil || !u.IsAbs() {
		return false
	}
	return !strings.ContainsAny(text, "<>\"\\ \t\r\n") && isFieldValue(text)
}
