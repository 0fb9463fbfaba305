package drill

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// session is the drill of one operation: the request that is repeated, and what came of it.
type session struct {
	run    *runner
	op     *policydoc.PublishedOperation
	report *OperationReport

	started  bool
	trouble  string // why there is nothing to judge; empty when there is
	key      string
	borrowed bool // the key was another operation's before
	base     message
	other    *message // another request; nil where none is known

	spoiled *sent // a body that cannot be read, sent with the key before anything else
	// stuck is what the key was answered with afterwards, where it was not free; stuckAfter is what came before.
	stuck, stuckAfter *sent

	// long is true while the key has the greatest length; longRefused is what one was answered with, where another was taken.
	long        bool
	longRefused *sent

	crossed *sent // what a key of another operation was answered with, where it was not new here
	burst   burst // the first requests
	first   *sent // the answer that repetitions are compared with
	repeat  *sent // the first repetition after it
	reran   bool  // whether the repetition did the work again

	// limited is the last answer of a check that only says that there were too many requests.
	limited *sent

	// badMismatch and badReplay are set when these promises are found broken: others cannot be judged then.
	badMismatch, badReplay bool
	// badMarker is set when even a first answer is marked: the marker tells nothing then.
	badMarker bool
	// forgotten is set when the key was found forgotten before its time.
	forgotten bool
	// before is the operation whose key was borrowed.
	before *session
}

// burst is what equal requests at once were answered with.
type burst struct {
	key     string
	sent    int
	answers []*sent // carried out or repeated
	waiting []*sent // refused as the first one was at work
	refused []*sent // refused otherwise: 429, 503
	failed  []*sent
	limited []*sent // refused as the first answer was too large to be kept
}

// one is an answer to show for all, the most telling kind first.
func (b *burst) one() *sent {
	return slices.Concat(b.answers, b.limited, b.refused, b.waiting, b.failed)[0]
}

func newSession(r *runner, op *policydoc.PublishedOperation, report *OperationReport) *session {
	return &session{run: r, op: op, report: report}
}

// ready makes the operation's effect, once, and says why there is nothing to judge; "" when there is.
func (s *session) ready() string {
	if !s.started {
		s.started = true
		s.trouble = s.prepare()
		if s.trouble == "" {
			s.trouble = s.begin()
		}
	}
	return s.trouble
}

// message is the operation's request with its key.
func (s *session) message() message { return s.base }

// prepare builds the requests.
func (s *session) prepare() string {
	plan := s.run.plan
	if !plan.sends(s.op) {
		return "no request to it can be made from its schema: give one with --body"
	}
	s.base = message{method: s.op.Method, path: s.op.Path, header: http.Header{}}
	if s.op.Example != nil {
		s.base.fill(s.op.Example)
	}
	if s.op.Other != nil {
		other := s.base
		other.header = http.Header{}
		other.fill(s.op.Other)
		s.other = &other
	}
	for _, m := range []*message{&s.base, s.other} {
		if given, ok := plan.Paths[s.op.ID]; ok && m != nil {
			m.path, m.query, _ = strings.Cut(given, "?")
		}
	}
	if given, ok := plan.Bodies[s.op.ID]; ok {
		s.base.body = given.Content
		if given.ContentType != "" || s.base.contentType == "" {
			s.base.contentType = given.ContentType
		}
		if s.base.contentType == "" {
			s.base.contentType = "application/json"
		}
	}
	if strings.ContainsAny(s.base.path, "{}") {
		return "its path has parameters that are not filled in: give one with --path"
	}
	if s.other != nil && s.other.same(&s.base) {
		s.other = nil
	}
	if s.op.Key.FirstSent.Header != "" {
		s.base.firstSent = httpDate(time.Now().Add(s.run.virtual))
		if s.other != nil {
			s.other.firstSent = s.base.firstSent
		}
	}
	// Where keys count for one operation each, the last operation's key is new here: no effect more shows whether they do.
	if last := s.run.last; last != nil && last.key != "" && last.trouble == "" && last.op.Key.In == s.op.Key.In && fits(&s.op.Key, last.key) {
		s.key, s.borrowed, s.before = last.key, true, last
		s.place(s.key)
		return ""
	}
	// The longest key that is allowed is one that has to be taken.
	if long := longKey(&s.op.Key); long != "" && s.nextTakes(long) {
		s.run.hideKey(long)
		s.key, s.long = long, true
		s.place(long)
		return ""
	}
	return s.renew()
}

// nextTakes reports whether the operation that is drilled next can borrow a key.
func (s *session) nextTakes(text string) bool {
	chosen := s.run.plan.chosen()
	i := slices.Index(chosen, s.op) + 1
	return i >= len(chosen) || chosen[i].Key.In != s.op.Key.In || fits(&chosen[i].Key, text)
}

func (m *message) fill(from *policydoc.Request) {
	m.path, m.query, m.contentType, m.body = from.Path, from.Query, from.ContentType, from.Bytes()
	for name, value := range from.Headers {
		m.header.Set(name, value)
	}
}

func (m *message) same(other *message) bool {
	return m.path == other.path && m.query == other.query && m.contentType == other.contentType && string(m.body) == string(other.body) &&
		fmt.Sprint(m.header) == fmt.Sprint(other.header)
}

func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// renew takes a key that was never sent.
func (s *session) renew() string {
	fresh, why := s.freshKey()
	if why != "" {
		return why
	}
	s.key, s.borrowed, s.long = fresh, false, false
	s.place(fresh)
	return ""
}

func (s *session) place(text string) {
	s.base.key = written(&s.op.Key, text)
	if s.other != nil {
		s.other.key = s.base.key
	}
}

func (s *session) freshKey() (fresh, why string) {
	fresh, err := newKey(&s.op.Key)
	if err != nil {
		return "", err.Error()
	}
	s.run.hideKey(fresh)
	return fresh, ""
}

// begin sends the first requests and a repetition. A key that is not free is left for another one: nothing was done with it.
func (s *session) begin() string {
	for {
		s.spoiled = nil
		if s.canSpoil() && s.stuck == nil {
			spoiled := s.spoil(s.message())
			if s.spoiled = s.send(spoiled); s.spoiled.success() { // it was carried out, so the key is not free now
				if why := s.renew(); why != "" {
					return why
				}
			}
		}
		s.burst = s.together(s.message(), s.run.plan.Concurrency[0])
		if s.long && s.burst.refuses(s.keeps()) {
			s.longRefused = s.burst.answers[0]
			if why := s.renew(); why != "" {
				return why
			}
			continue
		}
		out := s.lockedOut(&s.burst)
		switch {
		case out == nil:
		case s.borrowed:
			s.crossed = out
		case s.spoiled != nil:
			s.stuck, s.stuckAfter = out, s.spoiled
			s.crossed, s.longRefused = nil, nil // the same explains why the other keys were not free
		default:
			out = nil
		}
		if out == nil {
			break
		}
		if why := s.renew(); why != "" {
			return why
		}
	}
	s.acquit()
	if why := s.pickFirst(); why != "" {
		return why
	}
	if s.repeat = s.settled(s.message()); s.limited != nil {
		return fmt.Sprintf("its repetition is answered with %d for %v: the server limits how many requests it takes", s.repeat.status, s.run.plan.Limits.Settle)
	}
	s.matchFirst()
	s.reran = s.ranAgain(s.repeat)
	return ""
}

// refuses reports whether all that came is that the request is not taken: 4xx that is not kept.
func (b *burst) refuses(kept policy.Statuses) bool {
	return len(b.answers) > 0 && !slices.ContainsFunc(b.answers, func(a *sent) bool { return a.status/100 != 4 || kept.Contains(a.status) })
}

// keeps are the statuses of the answers that are kept.
func (s *session) keeps() policy.Statuses {
	return policy.Statuses(list(s.parameters(policydoc.PromiseKept), "statuses"))
}

// acquit takes back that a key was not free, where a key that nobody used is answered in the same way: then it is the
// request that the server does not take.
func (s *session) acquit() {
	if len(s.burst.answers) == 0 {
		s.stuck, s.crossed, s.longRefused = nil, nil, nil
		return
	}
	fresh := s.burst.answers[0]
	for _, suspect := range []**sent{&s.stuck, &s.crossed, &s.longRefused} {
		if a := *suspect; a != nil && a.status == fresh.status && s.marked(a) == s.marked(fresh) {
			*suspect = nil
		}
	}
}

// lockedOut is the answer that says that a key which nobody used for this request is not free; nil where it is.
func (s *session) lockedOut(b *burst) *sent {
	mismatch := s.parameters(policydoc.PromiseMismatch)
	var last *sent
	if s.borrowed {
		last = s.before.first
	}
	for _, a := range b.answers {
		others := last != nil && len(a.answer) > 0 && a.sum == last.sum
		same := s.spoiled.ok() && a.status == s.spoiled.status && (s.marked(a) || a.sum == s.spoiled.sum && !a.success())
		if !others && !same && !s.is(a, mismatch) {
			return nil
		}
	}
	if len(b.answers) == 0 {
		return nil
	}
	return b.answers[0]
}

// canSpoil reports whether a body can be sent that nobody can read, although its key can be.
func (s *session) canSpoil() bool {
	in := s.op.Key.In
	kept := policy.Statuses(list(s.parameters(policydoc.PromiseNotKept), "statuses"))
	_, err := parseJSON(s.base.body)
	return (in == policy.InHeader || in == policy.InQuery) && err == nil && len(s.base.body) > 1 && media.IsJSON(s.base.contentType) &&
		!kept.Contains(http.StatusBadRequest) && !kept.Contains(http.StatusUnprocessableEntity) && s.run.plan.wants(s.op, policydoc.PromiseNotKept)
}

// spoil cuts a JSON document off in its middle.
func (s *session) spoil(m message) message {
	m.body = m.body[:len(m.body)/2+1]
	if _, err := parseJSON(m.body); err == nil {
		m.body = []byte("{")
	}
	return m
}

// together sends n equal requests at once, and waits where all that is known is that the work is in progress.
func (s *session) together(m message, n int) burst {
	b := burst{sent: n}
	limit := min(s.run.plan.Limits.Body, max(64<<10, (256<<20)/int64(n)))
	all := make([]*sent, n)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			<-start
			all[i] = s.sendWithin(m, limit)
		})
	}
	close(start)
	group.Wait()
	for _, a := range all {
		s.sort(&b, a)
	}
	// A refusal of the status for work in progress is one, whatever else is wrong with it, where the work was done.
	inFlight := number(s.parameters(policydoc.PromiseInFlight), "status")
	if slices.ContainsFunc(b.answers, (*sent).success) {
		b.answers = slices.DeleteFunc(b.answers, func(a *sent) bool {
			waiting := a.status == inFlight && !s.marked(a)
			if waiting {
				b.waiting = append(b.waiting, a)
			}
			return waiting
		})
	}
	for deadline := time.Now().Add(s.run.plan.Limits.Settle); len(b.answers) == 0 && len(b.waiting)+len(b.refused) > 0 && time.Now().Before(deadline); {
		if !s.run.wait(pause(append(b.waiting, b.refused...)[0])) {
			break
		}
		s.sort(&b, s.once(m))
	}
	return b
}

func (s *session) sort(b *burst, a *sent) {
	switch {
	case !a.ok():
		b.failed = append(b.failed, a)
	case s.is(a, s.parameters(policydoc.PromiseInFlight)):
		b.waiting = append(b.waiting, a)
	case s.is(a, s.parameters(policydoc.PromiseReplayLimit)):
		b.limited = append(b.limited, a)
	case a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable:
		b.refused = append(b.refused, a)
	default:
		b.answers = append(b.answers, a)
	}
}

// pause is how long an answer asks to wait, within reason.
func pause(a *sent) time.Duration {
	after := a.header.Get("Retry-After")
	if date, err := http.ParseTime(after); err == nil { // RFC 9110, section 10.2.3
		return min(max(time.Until(date), 50*time.Millisecond), 2*time.Second)
	}
	seconds, err := strconv.Atoi(after)
	if err != nil || seconds < 0 {
		return 100 * time.Millisecond
	}
	return min(max(time.Duration(seconds)*time.Second, 50*time.Millisecond), 2*time.Second)
}

// pickFirst finds the first answer, and says why there is none to go on with.
func (s *session) pickFirst() string {
	b := &s.burst
	if len(b.answers) == 0 {
		for _, some := range [][]*sent{b.failed, b.refused, b.waiting} {
			if len(some) > 0 {
				return "its request got no answer: " + some[0].describe()
			}
		}
		return stopped
	}
	s.first = b.answers[0]
	changes := object(s.parameters(policydoc.PromiseReplayStatus), "statuses")
	for _, a := range b.answers {
		_, changed := changes[strconv.Itoa(a.status)]
		if s.hasMarker() && !s.marked(a) || !s.hasMarker() && changed {
			s.first = a
			break
		}
	}
	kept := policy.Statuses(list(s.parameters(policydoc.PromiseKept), "statuses"))
	if status := s.first.status; !kept.Contains(status) {
		return unaccepted(s.op, s.base.body, status)
	}
	return ""
}

// matchFirst takes, where nothing tells the first answer from repetitions, the one that the repetition repeats.
func (s *session) matchFirst() {
	if s.hasMarker() && !s.marked(s.first) {
		unmarked := slices.DeleteFunc(slices.Clone(s.burst.answers), s.marked)
		if i := slices.IndexFunc(unmarked, func(a *sent) bool { return s.repeat.ok() && a.sum == s.repeat.sum }); i >= 0 {
			s.first = unmarked[i]
		}
		return
	}
	for _, a := range s.burst.answers {
		if s.repeat.ok() && a.status == s.first.status && a.sum == s.repeat.sum && len(a.header) > len(s.first.header) {
			s.first = a // the first answer can only have lost headers in being repeated
		}
	}
}

// settled sends m until its answer is not that the work is in progress; the last answer when it stays so.
func (s *session) settled(m message) *sent {
	deadline := time.Now().Add(s.run.plan.Limits.Settle)
	for {
		a := s.send(m)
		again := s.is(a, s.parameters(policydoc.PromiseInFlight))
		if !again || time.Now().After(deadline) || !s.run.wait(pause(a)) {
			return a
		}
	}
}

// identity is what tells one effect's answers from another's: the body, or where it may change or is empty, the address or
// the id of what was made; "" where nothing does.
func (s *session) identity(a *sent) string {
	replay := s.parameters(policydoc.PromiseReplay)
	if text(replay, "as") != string(policy.Current) && flag(replay, "body") && len(a.answer) > 0 {
		return string(a.sum[:])
	}
	return s.made(a)
}

// made is the address or the id of what an answer says was made; "" where it says none.
func (s *session) made(a *sent) string {
	if location := a.header.Get("Location"); location != "" {
		return location
	}
	var made map[string]json.RawMessage
	if json.Unmarshal(a.plain(s.run.plan.Limits.Body), &made) == nil {
		for _, name := range []string{"id", "uuid", "reference", "token"} {
			if id, ok := made[name]; ok {
				return string(id)
			}
		}
	}
	return ""
}

// ranAgain reports whether a repetition shows an effect that no answer before has shown.
func (s *session) ranAgain(a *sent) bool {
	if !a.ok() || s.marked(a) || a.status != s.first.status && !a.success() {
		return false
	}
	id := s.identity(a)
	if id == "" || slices.ContainsFunc(s.burst.answers, func(b *sent) bool { return s.identity(b) == id }) {
		return false
	}
	if s.hasMarker() {
		return true
	}
	// Without a marker, a repetition that is another text each time is another effect; one that stays is a bad copy.
	again := s.settled(s.message())
	return again.ok() && s.identity(again) != id
}

// repeats reports whether an answer is the repetition that the session knows.
func (s *session) repeats(a *sent) bool {
	if !a.ok() || a.status != s.repeat.status || s.marked(a) != s.marked(s.repeat) {
		return false
	}
	replay := s.parameters(policydoc.PromiseReplay)
	if text(replay, "as") == string(policy.Current) {
		return s.marked(a) || s.identity(a) == s.identity(s.repeat)
	}
	return a.sum == s.repeat.sum
}

func (s *session) firstAt() time.Time { return s.first.at }

// hasLate reports whether there is something to test when the key is to be forgotten.
func (s *session) hasLate() bool {
	return !s.op.Webhook && slices.ContainsFunc(checks, func(c check) bool { return c.when != now && s.run.plan.wants(s.op, c.promise) })
}

// retention is how long the policy says that a key is remembered.
func (s *session) retention() (d time.Duration, why string) {
	d, err := policydoc.ParseDuration(text(s.parameters(policydoc.PromiseRetentionEnd), "retention"))
	if err != nil {
		return 0, "the policy does not say how long in a form that can be read"
	}
	return d, ""
}
