package drill

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// repeated says why a repetition cannot be judged; ok is true when it can.
func (s *session) repeated() (Result, bool) {
	switch why := s.ready(); {
	case why != "":
		return notTestable(why), false
	case s.badReplay || s.reran:
		return skipped("repetitions are not answered as promised"), false
	case !s.repeat.ok():
		return notTestable("the repetition got no answer: " + s.repeat.err.Error()), false
	case s.overLimit():
		return notTestable("the first answer is larger than what is kept"), false
	default:
		return Result{}, true
	}
}

// overLimit reports whether the first answer is too large to be given again.
func (s *session) overLimit() bool {
	limit := number(s.parameters(policydoc.PromiseReplayLimit), "maxBody")
	return limit > 0 && s.first.size > limit
}

// checkReplay compares the repetition's status and bytes with the first answer's.
func checkReplay(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	if s.badReplay || s.reran {
		return skipped("the work was done more than once")
	}
	if s.overLimit() {
		return notTestable("the first answer is larger than what is kept")
	}
	if !s.repeat.ok() {
		s.badReplay = true
		return s.broken("the repetition got no answer: "+s.repeat.err.Error(), s.first, s.repeat)
	}
	for _, a := range append(slices.Clone(s.burst.answers), s.repeat) {
		if a == s.first {
			continue
		}
		if why := s.wrongReplay(a, promise.Parameters); why != "" {
			s.badReplay = true
			return s.broken(why, s.first, a)
		}
	}
	return kept()
}

func (s *session) wrongReplay(a *sent, p policydoc.Parameters) string {
	if want, changed := s.replayStatus(); !changed && a.status != want || changed && a.status/100 != want/100 {
		return fmt.Sprintf("the first answer was %d, the repetition's is %d", s.first.status, a.status)
	}
	switch {
	case text(p, "as") == string(policy.Current):
		first, now := s.identity(s.first), s.identity(a)
		if first != "" && now != "" && first != now && s.first.header.Get("Location") != "" == (a.header.Get("Location") != "") {
			return "the repetition is about something else than the first answer"
		}
	case !flag(p, "body"):
		if len(a.answer) > 0 {
			return "the repetition has a body, the policy says that it has none"
		}
	case a.sum != s.first.sum:
		return fmt.Sprintf("the repetition's body, of %d bytes, is not the first one's, of %d", len(a.answer), len(s.first.answer))
	}
	return ""
}

// replayStatus is the status of repetitions, and whether that is another one than the first answer's.
func (s *session) replayStatus() (status int, changed bool) {
	status = s.repeatedAs(s.first)
	return status, status != s.first.status
}

// repeatedAs is the status of repetitions of an answer.
func (s *session) repeatedAs(a *sent) int {
	changes := object(s.parameters(policydoc.PromiseReplayStatus), "statuses")
	if to := number(changes, strconv.Itoa(a.status)); to != 0 {
		return to
	}
	return a.status
}

func checkReplayStatus(s *session, _ *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	want, changed := s.replayStatus()
	switch {
	case !changed:
		return notTestable(fmt.Sprintf("the first answer is %d, whose repetition keeps it", s.first.status))
	case s.repeat.status != want:
		return s.broken(fmt.Sprintf("the first answer was %d, the repetition's is %d, the policy says %d", s.first.status, s.repeat.status, want), s.first, s.repeat)
	}
	return kept()
}

// never are headers that no repetition may take from the first answer: they were for one client at one time.
var never = []string{"Set-Cookie", "Www-Authenticate"}

func checkReplayHeaders(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	var seen, notSeen []string
	for _, name := range list(promise.Parameters, "headers") {
		if name == "Content-Encoding" && s.first.header.Get("Vary") != "" { // a coding may be chosen for each request
			continue
		}
		first := s.first.header.Values(name)
		for _, a := range append([]*sent{s.repeat}, s.burst.answers...) { // those that waited for the first one, too
			if now := a.header.Values(name); a != s.first && !slices.Equal(first, now) {
				return s.broken(fmt.Sprintf("the first answer has %s, the repetition has %s", s.named(name, first), s.named(name, now)), s.first, a)
			}
		}
		if len(first) > 0 {
			seen = append(seen, name)
		} else {
			notSeen = append(notSeen, name)
		}
	}
	for _, name := range never {
		first := s.first.header.Values(name)
		if len(first) > 0 && slices.Equal(first, s.repeat.header.Values(name)) && !s.everywhere(name, first) && !slices.Contains(list(promise.Parameters, "headers"), name) {
			return s.broken("the repetition has the first answer's "+name+", which was for one client at one time", s.first, s.repeat)
		}
	}
	if len(seen) == 0 {
		return kept("the first answer has none of them")
	}
	if len(notSeen) > 0 {
		return kept("seen with " + strings.Join(seen, ", "))
	}
	return kept()
}

// everywhere reports whether a header has the same values in an answer that nobody keeps, such as a balancer's cookie.
func (s *session) everywhere(name string, values []string) bool {
	if s.spoiled.ok() && !s.spoiled.success() {
		return slices.Equal(values, s.spoiled.header.Values(name))
	}
	m := s.message()
	m.key = badKeys(&s.op.Key, s.key)[1].key
	refused := s.send(m)
	return refused.ok() && !refused.success() && !s.marked(refused) && slices.Equal(values, refused.header.Values(name))
}

func (s *session) named(name string, values []string) string {
	if len(values) == 0 {
		return "no " + name
	}
	return s.run.shortened(name + ": " + strings.Join(values, ", "))
}

// checkReplayMarker looks for the marker on repetitions, and for its absence on everything else.
func checkReplayMarker(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	name, value := text(promise.Parameters, "header"), text(promise.Parameters, "value")
	if name == "" {
		for _, guess := range []string{"Idempotent-Replayed", "Idempotency-Replayed", "Idempotency-Replay", "X-Idempotent-Replayed", "X-Idempotency-Replayed"} {
			// Which answer was the first cannot be told here for sure: it is enough that they differ.
			for _, a := range append(slices.Clone(s.burst.answers), s.repeat) {
				if s.first.header.Get(guess) != a.header.Get(guess) {
					return s.broken("repetitions are marked by "+guess+", the policy says that nothing tells them", s.first, a)
				}
			}
		}
		return kept()
	}
	if s.marked(s.first) {
		s.badMarker = true
		return s.broken("every answer is marked as a repetition, the first one too", s.first)
	}
	if got := s.repeat.header.Values(name); len(got) != 1 || got[0] != value {
		return s.broken(fmt.Sprintf("the repetition has %s", s.named(name, got)), s.repeat)
	}
	if s.burst.sent > 1 {
		for _, a := range s.burst.answers {
			if a != s.first && !s.marked(a) {
				return s.broken("several answers to equal requests are not marked as repetitions", s.first, a)
			}
		}
	}
	return kept()
}

func checkReplayLimit(s *session, promise *policydoc.PublishedPromise) Result {
	switch why := s.ready(); {
	case why != "":
		return notTestable(why)
	case !s.overLimit():
		return notTestable(fmt.Sprintf("the answer has %d bytes only: give a body with --body whose answer has more than %s", len(s.first.answer), policydoc.SizeInWords(int64(number(promise.Parameters, "maxBody")))))
	}
	if why := s.wrong(s.repeat, promise.Parameters); why != "" {
		return s.broken(why, s.repeat)
	}
	return kept()
}

func checkAnswerHeaders(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	headers := object(promise.Parameters, "headers")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		want := strings.ReplaceAll(text(headers, name), "{key}", s.key)
		for i, a := range []*sent{s.first, s.repeat} {
			if got := a.header.Values(http.CanonicalHeaderKey(name)); len(got) != 1 || strings.Trim(got[0], `"`) != strings.Trim(want, `"`) {
				return s.broken([]string{"the first answer", "the repetition"}[i]+" has "+s.named(name, got), a)
			}
		}
	}
	return kept()
}
