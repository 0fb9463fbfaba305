package drill

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// Plan says what is drilled, and how.
type Plan struct {
	Policy *policydoc.Published
	// BaseURL is the address that the policy's paths are appended to.
	BaseURL string
	// Credentials are headers sent with every request. OtherCredentials are those of a second account, in their place;
	// without them nobody can tell whether a key counts for one account only.
	Credentials, OtherCredentials http.Header
	// Operations and Promises choose by id; all when empty.
	Operations, Promises []string
	// Bodies are used in place of the policy's examples, by operation. Paths take the place of their path and query.
	Bodies map[string]Body
	Paths  map[string]string
	// Declined are bodies that the server reads and then refuses by its own rules, such as a card that is declined, by
	// operation. Without one, whether a refusal is kept cannot be seen.
	Declined map[string]Body
	// Effects counts what one key of an operation has caused, where somebody can look behind the server; nil otherwise.
	Effects func(ctx context.Context, operation, key string) (int, error)
	// Clock sets the server's clock forward; nil where nobody can. After is how long the drill may wait instead.
	Clock func(ctx context.Context, by time.Duration) error
	After time.Duration
	// Concurrency is how many equal requests are sent at once; each further entry takes one more effect. {50} when empty.
	Concurrency []int
	// Client sends the requests; its redirect policy is not used, as redirects are answers here. One with the bounds of
	// Limits when nil.
	Client *http.Client
	Limits Limits
	// Observer is told what happens, in its order and never at the same time; nil for nobody.
	Observer func(Event)
}

// Body is a body that a user gives.
type Body struct {
	Content []byte
	// ContentType is the example's when empty, or application/json without one.
	ContentType string
}

// Limits bound what a server can do to the drill. A zero value takes the default.
type Limits struct {
	Request time.Duration // of one request with its answer; 30 s
	Settle  time.Duration // how long work in progress is waited for; 10 s
	Total   time.Duration // of the whole drill, without the waits for a retention; 10 minutes
	Body    int64         // of an answer, in bytes; 4 MiB
}

func (l Limits) orDefaults() Limits {
	if l.Request <= 0 {
		l.Request = 30 * time.Second
	}
	if l.Settle <= 0 {
		l.Settle = 10 * time.Second
	}
	if l.Total <= 0 {
		l.Total = 10 * time.Minute
	}
	if l.Body <= 0 {
		l.Body = 4 << 20
	}
	return l
}

// Event is something an observer is told: that an operation begins, when Result is nil, or a result.
type Event struct {
	Operation *OperationReport
	Result    *Result
	// Done is how many promises have a result, of Promises in all; Requests is how many requests were sent so far.
	Done, Promises, Requests int
}

const (
	defaultConcurrency = 50
	maxConcurrency     = 10_000
)

// check fills in what is not set and refuses what cannot be run. It changes p.
func (p *Plan) check() error {
	if p.Policy == nil {
		return errors.New("there is no policy to drill")
	}
	base, err := url.Parse(p.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		return errors.New("the server's address is not a URL such as http://localhost:8080, without credentials, query and fragment")
	}
	p.BaseURL = strings.TrimRight(p.BaseURL, "/")
	if len(p.Concurrency) == 0 {
		p.Concurrency = []int{defaultConcurrency}
	}
	for _, n := range p.Concurrency {
		if n < 1 || n > maxConcurrency {
			return fmt.Errorf("%d requests at once: it has to be 1 to %d", n, maxConcurrency)
		}
	}
	p.Limits = p.Limits.orDefaults()
	for _, id := range p.Operations {
		if !slices.ContainsFunc(p.Policy.Operations, func(o policydoc.PublishedOperation) bool { return o.ID == id }) {
			return fmt.Errorf("the policy has no operation %q with a key: it has %s", id, strings.Join(operationIDs(p.Policy), ", "))
		}
	}
	for _, id := range p.Promises {
		if !slices.Contains(policydoc.PromiseIDs(), id) {
			return fmt.Errorf("there is no promise %q: there are %s", id, strings.Join(policydoc.PromiseIDs(), ", "))
		}
	}
	for _, bodies := range []map[string]Body{p.Bodies, p.Declined} {
		for id := range bodies {
			if !slices.Contains(operationIDs(p.Policy), id) {
				return fmt.Errorf("a body is given for the operation %q, and the policy has no such operation with a key", id)
			}
		}
	}
	for id, path := range p.Paths {
		if !slices.Contains(operationIDs(p.Policy), id) || !strings.HasPrefix(path, "/") {
			return fmt.Errorf("the path given for %q: the operation has to be one with a key, and the path to begin with /", id)
		}
	}
	return nil
}

func operationIDs(p *policydoc.Published) []string {
	ids := make([]string, len(p.Operations))
	for i := range p.Operations {
		ids[i] = p.Operations[i].ID
	}
	return ids
}

func (p *Plan) chosen() []*policydoc.PublishedOperation {
	var list []*policydoc.PublishedOperation
	for i := range p.Policy.Operations {
		op := &p.Policy.Operations[i]
		if len(p.Operations) == 0 || slices.Contains(p.Operations, op.ID) {
			list = append(list, op)
		}
	}
	return list
}

// wants reports whether a promise of op is to be tested.
func (p *Plan) wants(op *policydoc.PublishedOperation, id string) bool {
	promise, ok := op.Promise(id)
	return ok && promise.Testable && (len(p.Promises) == 0 || slices.Contains(p.Promises, id))
}

// MaxEffects is how many times a server that keeps its promises does the work of the chosen operations, at most. A server
// that breaks one may do more; the drill stops to test a promise once it is seen to be broken.
func (p *Plan) MaxEffects() int {
	if p.Policy == nil {
		return 0
	}
	total := 0
	for _, op := range p.chosen() {
		if op.Webhook || !p.sends(op) {
			continue
		}
		total += max(1, len(p.Concurrency))
		if _, given := p.Declined[op.ID]; given { // who gives it may be wrong
			total++
		}
		for id, more := range map[string]bool{
			policydoc.PromiseKeyOptional:  true,
			policydoc.PromiseKeyFormat:    true,
			policydoc.PromiseScope:        len(p.OtherCredentials) > 0,
			policydoc.PromiseRetentionEnd: p.Clock != nil || p.After > 0,
		} {
			if more && p.wants(op, id) {
				total++
			}
		}
	}
	return total
}

// sends reports whether there is a request to send.
func (p *Plan) sends(op *policydoc.PublishedOperation) bool {
	_, given := p.Bodies[op.ID]
	return op.Example != nil || given
}

// IsLocal reports whether an address is this machine's own.
func IsLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761, section 6.3
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
