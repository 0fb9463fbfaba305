package drill

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// checkOneEffect counts what equal requests, at once and one after another, have made.
func checkOneEffect(s *session, _ *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	if !s.first.success() && s.run.plan.Effects == nil {
		return notTestable(fmt.Sprintf("its request is answered with %d, so there is no effect to count: give a body that is accepted with --body", s.first.status))
	}
	if s.reran && s.first.success() {
		s.badReplay = true
		return s.broken("the work was done again for a repetition", s.first, s.repeat)
	}
	var notes []string
	if s.burst.sent == 1 {
		notes = append(notes, "not tried with requests at once")
	}
	if result, ok := s.judgeBurst(s.key, &s.burst, s.marked(s.repeat)); !ok {
		return result
	}
	notes = append(notes, s.burst.unanswered())
	for _, n := range s.run.plan.Concurrency[1:] {
		fresh, why := s.freshKey()
		if why != "" {
			break
		}
		m := s.message()
		m.key = written(&s.op.Key, fresh)
		b := s.together(m, n)
		if len(b.answers) == 0 || !b.answers[0].success() {
			notes = append(notes, fmt.Sprintf("%d at once show nothing: a new key with the same body was answered with %s", n, b.one().describe()))
			continue
		}
		if result, ok := s.judgeBurst(fresh, &b, s.marked(s.repeat)); !ok {
			return result
		}
		notes = append(notes, b.unanswered())
		s.burst.waiting = append(s.burst.waiting, b.waiting...)
	}
	return kept(notes...)
}

// unanswered says how many of the requests at once show nothing, as they got no answer; "" where all did.
func (b *burst) unanswered() string {
	if len(b.failed) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d requests at once got no answer: %s", len(b.failed), b.sent, b.failed[0].describe())
}

// judgeBurst counts the effects of equal requests; ok is true for one.
func (s *session) judgeBurst(key string, b *burst, marks bool) (Result, bool) {
	if s.run.plan.Effects != nil {
		n, err := s.run.plan.Effects(s.run.ctx, s.op.ID, key)
		switch want := min(1, b.successes()); {
		case err != nil:
			return notTestable("the effects could not be counted: " + firstLine(err.Error())), false
		case n != want:
			s.badReplay = true
			return s.broken(fmt.Sprintf("%d requests at once had %d effects", b.sent, n), b.answers...), false
		}
		return Result{}, true
	}
	counted := b.answers
	if s.hasMarker() && marks {
		counted = slices.DeleteFunc(slices.Clone(b.answers), s.marked)
	}
	var distinct []*sent // one answer of each identity, in the order of the requests
	seen := map[string]bool{}
	for _, a := range counted {
		if id := s.identity(a); id != "" && !seen[id] {
			seen[id], distinct = true, append(distinct, a)
		}
	}
	effects := len(distinct)
	if effects == 0 && s.hasMarker() && marks {
		effects = len(counted) // empty answers, of which each says that it is the first
	}
	if effects == 2 && !s.hasMarker() && len(counted) > 2 && s.badCopies(counted) {
		effects = 1
	}
	if effects <= 1 {
		return Result{}, true
	}
	s.badReplay = true
	return s.broken(fmt.Sprintf("%d requests at once had %d effects", b.sent, effects), append(distinct, counted...)...), false
}

// badCopies reports whether all answers but one are what a repetition is, and that one says nothing else of what was made:
// then it is the copy that is wrong.
func (s *session) badCopies(answers []*sent) bool {
	copies := 0
	for _, a := range answers {
		switch {
		case s.repeat.ok() && s.identity(a) == s.identity(s.repeat):
			copies++
		case s.repeat.ok() && s.made(a) != "" && s.made(s.repeat) != "" && s.made(a) != s.made(s.repeat):
			return false
		}
	}
	return copies == len(answers)-1
}

func (b *burst) successes() int {
	n := 0
	for _, a := range b.answers {
		if a.success() {
			n++
		}
	}
	return n
}

// checkInFlight looks at what duplicates met while the first request was at work.
func checkInFlight(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	p := promise.Parameters
	waits := text(p, "answer") == string(policy.Wait)
	if len(s.burst.waiting) == 0 {
		switch {
		case s.burst.sent == 1:
			return notTestable("no requests were sent at once")
		case s.badReplay:
			return skipped("the work was done more than once")
		case waits && s.first.ok() && len(s.burst.answers) > 1:
			return kept()
		default:
			return notTestable("no repetition met the first request at work: the work is too short, or too few were sent at once")
		}
	}
	for _, a := range s.burst.waiting {
		if why := s.wrong(a, p); why != "" {
			return s.broken(why, a)
		}
		if why := s.wrongRetryAfter(a, p); why != "" {
			return s.broken(why, a)
		}
		if bound, err := policydoc.ParseDuration(text(p, "maxWait")); waits && err == nil && a.took < bound/2 {
			return s.broken(fmt.Sprintf("it was refused after %v, the policy says that it waits up to %v", a.took.Round(time.Millisecond), bound), a)
		}
	}
	return kept()
}

func (s *session) wrongRetryAfter(a *sent, p policydoc.Parameters) string {
	got := a.header.Get("Retry-After")
	want, open := policydoc.ParseDuration(text(p, "retryAfter")) // in lease mode it follows the work
	if date, err := http.ParseTime(got); err == nil {            // RFC 9110, section 10.2.3, has dates too
		if off := (date.Sub(a.at) - want).Abs(); open != nil || off <= 2*time.Second {
			return ""
		}
	}
	seconds, err := strconv.Atoi(got)
	if err != nil || seconds < 0 {
		return fmt.Sprintf("its Retry-After is %q, and no number of seconds", s.run.shortened(got))
	}
	if open == nil && time.Duration(seconds)*time.Second != want {
		return fmt.Sprintf("its Retry-After is %d, the policy says %v", seconds, want.Seconds())
	}
	return ""
}

// checkKept looks at whether an answer of a kept status is final. That a success is not done again is for one-effect to say.
func checkKept(s *session, _ *policydoc.PublishedPromise) Result {
	switch why := s.ready(); {
	case why != "":
		return notTestable(why)
	case s.reran && !s.first.success():
		s.badReplay = true
		return s.broken(fmt.Sprintf("an answer of %d was not kept: the repetition was carried out again", s.first.status), s.first, s.repeat)
	case s.badReplay:
		return skipped("the work was done more than once")
	}
	note := fmt.Sprintf("seen with %d", s.first.status)
	declined, given := s.run.plan.Declined[s.op.ID]
	if !given {
		return kept(note)
	}
	return s.checkDeclined(declined, note)
}

// checkNotKept looks at whether a body that cannot be read leaves the key free.
func checkNotKept(s *session, _ *policydoc.PublishedPromise) Result {
	why := s.ready()
	switch {
	case s.stuck != nil:
		return s.broken(fmt.Sprintf("a body that could not be read was answered with %d, and its key was not free afterwards", s.stuckAfter.status), s.stuckAfter, s.stuck)
	case s.spoiled == nil && why != "":
		return notTestable(why)
	case s.spoiled == nil:
		return notTestable("no request can be made that is refused for sure, whose answer is not kept")
	case s.spoiled.success():
		return notTestable("a body that cannot be read was carried out")
	case !s.spoiled.ok():
		return notTestable("a body that cannot be read got no answer: " + s.spoiled.err.Error())
	case why != "":
		return notTestable(why)
	}
	return kept(fmt.Sprintf("seen with %d", s.spoiled.status))
}
