package drill

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// runner is one drill.
type runner struct {
	plan     *Plan
	ctx      context.Context
	client   *http.Client
	requests atomic.Int64

	mu      sync.Mutex
	secrets []string // pairs of a text and what is shown in its place
	mask    *strings.Replacer
	keys    int // that were made

	credentialNames map[string]bool
	// impatient is set when a server went on to be busy for as long as is waited.
	impatient bool

	// virtual is how far the server's clock was set forward.
	virtual        time.Duration
	done, promises int // results, of all that there will be
	// last is the operation before, and the key that it took.
	last *session
}

// Run drills a server. The error says why the plan cannot be run at all; whatever the server does is in the report. When
// ctx ends, the report has what is known by then.
func Run(ctx context.Context, plan Plan) (*Report, error) {
	if err := plan.check(); err != nil {
		return nil, err
	}
	started := time.Now()
	// Waits for a retention are not the server's fault and stand beside the bound.
	ctx, cancel := context.WithTimeoutCause(ctx, plan.Limits.Total+2*plan.After, errTooLong)
	defer cancel()
	r := &runner{plan: &plan, ctx: ctx, mask: strings.NewReplacer(), credentialNames: map[string]bool{}}
	r.client = newClient(plan.Limits)
	if plan.Client != nil {
		copied := *plan.Client
		r.client = &copied
	} else {
		defer r.client.CloseIdleConnections()
	}
	r.client.CheckRedirect = noRedirects
	for _, headers := range []http.Header{plan.Credentials, plan.OtherCredentials} {
		for name, values := range headers {
			r.credentialNames[http.CanonicalHeaderKey(name)] = true
			for _, value := range values {
				for _, form := range credentialForms(value) {
					r.hide(form, "***")
				}
			}
		}
	}

	report := &Report{Schema: SchemaURL, Version: 1, API: plan.Policy.Title, URL: plan.BaseURL, Started: started, MaxEffects: plan.MaxEffects()}
	chosen := plan.chosen()
	report.Operations = make([]OperationReport, len(chosen))
	sessions := make([]*session, len(chosen))
	for i, op := range chosen {
		report.Operations[i] = OperationReport{ID: op.ID, Method: op.Method, Path: op.Path, Results: []Result{}}
		sessions[i] = newSession(r, op, &report.Operations[i])
		r.promises += len(op.Promises)
	}
	for _, s := range sessions {
		s.notify(nil)
		s.runChecks(now)
	}
	r.late(sessions)
	for _, s := range sessions {
		s.sortResults()
	}
	if ctx.Err() != nil {
		report.Stopped = "it was interrupted"
		if errors.Is(context.Cause(ctx), errTooLong) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			report.Stopped = "it took longer than allowed"
		}
	}
	report.Requests, report.Seconds = int(r.requests.Load()), time.Since(started).Seconds()
	return report, nil
}

var errTooLong = errors.New("the drill took too long")

// hide keeps a text out of what is shown.
func (r *runner) hide(secret, shown string) {
	if len(secret) < 4 {
		return // it would be found in every text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.secrets, secret) {
		return
	}
	r.secrets = append(r.secrets, secret, shown)
	r.mask = strings.NewReplacer(r.secrets...)
}

// hideKey keeps a key out of what is shown, and bad keys that were made of its halves.
func (r *runner) hideKey(key string) {
	r.mu.Lock()
	r.keys++
	name := "KEY-" + strconv.Itoa(r.keys)
	r.mu.Unlock()
	r.hide(key, name)
	if half := len(key) / 2; half >= 6 {
		r.hide(key[:half], name+"-BEGIN")
		r.hide(key[half:], name+"-END")
		r.hide(key[half:len(key)-1], name+"-END")
	}
}

func (r *runner) masked(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mask.Replace(text)
}

// wait waits for a time; false when the drill was stopped.
func (r *runner) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// phase is when a check runs.
type phase int

const (
	now    phase = iota
	before       // shortly before the retention is over
	after        // when it is over
)

// late brings the server's clock, or this one, to the moments that retentions name.
func (r *runner) late(sessions []*session) {
	type moment struct {
		s     *session
		at    time.Duration // since the first answer, by the server's clock
		phase phase
	}
	var moments []moment
	for _, s := range sessions {
		if !s.hasLate() {
			s.giveUp(before, "")
			s.giveUp(after, "")
			continue
		}
		retention, why := s.retention()
		if why == "" && s.ready() != "" {
			why = s.ready()
		}
		margin := max(time.Second, retention/10)
		switch {
		case why != "":
		case r.plan.Clock == nil && r.plan.After == 0:
			why = "the key is remembered for " + policydoc.DurationInWords(retention) + ": set the server's clock with --clock, or wait with --after"
		case r.plan.Clock == nil && r.plan.After < retention+margin:
			why = "the key is remembered for " + policydoc.DurationInWords(retention) + ", and the drill may wait for " + policydoc.DurationInWords(r.plan.After) + " only; it would take " + policydoc.DurationInWords(retention+margin)
		}
		if why != "" {
			s.giveUp(before, why)
			s.giveUp(after, why)
			continue
		}
		moments = append(moments, moment{s, retention - min(retention/10, time.Minute), before}, moment{s, retention + margin, after})
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		return a.s.firstAt().Add(a.at).Compare(b.s.firstAt().Add(b.at))
	})
	for _, m := range moments {
		left := m.at - time.Since(m.s.firstAt()) - r.virtual
		why := ""
		switch {
		case left <= 0 && m.phase == before:
			why = "the drill itself took longer than the key is remembered"
		case left <= 0:
		case r.plan.Clock != nil:
			if err := r.plan.Clock(r.ctx, left); err != nil {
				why = "the server's clock could not be set: " + firstLine(r.masked(err.Error()))
			}
			r.virtual += left
		case !r.wait(left):
			why = stopped
		}
		if why != "" {
			m.s.giveUp(m.phase, why)
			continue
		}
		m.s.runChecks(m.phase)
	}
}

const stopped = "the drill was stopped"

// notify tells the observer.
func (s *session) notify(result *Result) {
	if s.run.plan.Observer != nil {
		s.run.plan.Observer(Event{Operation: s.report, Result: result, Done: s.run.done, Promises: s.run.promises, Requests: int(s.run.requests.Load())})
	}
}

// runChecks tests the promises of a phase, in the order of the table.
func (s *session) runChecks(when phase) {
	for _, c := range checks {
		if c.when != when {
			continue
		}
		for i := range s.op.Promises {
			if promise := &s.op.Promises[i]; promise.ID == c.promise {
				s.add(promise, s.judge(promise, c.run))
			}
		}
	}
	if when != now {
		return
	}
	for i := range s.op.Promises { // what cannot be tested at all, or only by a later idemgen
		promise := &s.op.Promises[i]
		if slices.ContainsFunc(checks, func(c check) bool { return c.promise == promise.ID }) {
			continue
		}
		why := promise.Why
		if promise.Testable {
			why = "this idemgen does not know the promise"
		}
		s.add(promise, notTestable(why))
	}
	s.run.last = s
	s.burst = burst{sent: s.burst.sent} // up to thousands of answers, which no later check looks at
}

func (s *session) judge(promise *policydoc.PublishedPromise, run func(*session, *policydoc.PublishedPromise) Result) Result {
	if !promise.Testable {
		return notTestable(promise.Why)
	}
	if chosen := s.run.plan.Promises; len(chosen) > 0 && !slices.Contains(chosen, promise.ID) {
		return skipped("it was not chosen")
	}
	if s.op.Webhook {
		return notTestable("a webhook's receiver chooses its own address: drill it as an operation of that service")
	}
	if s.run.ctx.Err() != nil {
		return skipped(stopped)
	}
	s.limited = nil
	result := run(s, promise)
	if result.Outcome == Broken && s.limited != nil {
		result = notTestable(fmt.Sprintf("the server limits how many requests it takes: it answered with %d for %v", s.limited.status, s.run.plan.Limits.Settle))
	}
	if s.run.ctx.Err() != nil { // the last messages were cut off and show nothing
		return skipped(stopped)
	}
	return result
}

func (s *session) add(promise *policydoc.PublishedPromise, result Result) {
	result.Promise, result.Text, result.Testable = promise.ID, promise.Text, promise.Testable && !s.op.Webhook
	result.Why = s.run.masked(result.Why)
	s.report.Results = append(s.report.Results, result)
	s.run.done++
	s.notify(&result)
}

// giveUp ends the checks of a phase that does not come.
func (s *session) giveUp(when phase, why string) {
	for _, c := range checks {
		if c.when != when {
			continue
		}
		if promise, ok := s.op.Promise(c.promise); ok {
			s.add(promise, s.judge(promise, func(*session, *policydoc.PublishedPromise) Result { return notTestable(why) }))
		}
	}
}

// sortResults brings the results into the order of the policy.
func (s *session) sortResults() {
	place := map[string]int{}
	for i, promise := range s.op.Promises {
		place[promise.ID] = i
	}
	slices.SortStableFunc(s.report.Results, func(a, b Result) int { return place[a.Promise] - place[b.Promise] })
}
