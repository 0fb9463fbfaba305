package drill

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// checkDeclined sends a body twice that the server refuses by its own rules. Where the policy keeps the answer, the second
// is the first one's copy; where it does not, nothing may call it one.
func (s *session) checkDeclined(body Body, note string) Result {
	fresh, why := s.freshKey()
	if why != "" {
		return kept(note, "not tried with the declined body: "+why)
	}
	m := s.message()
	m.body = body.Content
	if body.ContentType != "" {
		m.contentType = body.ContentType
	}
	m.key = written(&s.op.Key, fresh)
	first := s.settled(m)
	switch {
	case !first.ok():
		return kept(note, "the declined body got no answer: "+first.err.Error())
	case first.success():
		return kept(note, fmt.Sprintf("the declined body was carried out, with %d", first.status))
	}
	again := s.settled(m)
	if !again.ok() {
		return s.broken("a repetition of the declined body got no answer: "+again.err.Error(), first, again)
	}
	keeps := policy.Statuses(list(s.parameters(policydoc.PromiseKept), "statuses")).Contains(first.status)
	if why := s.wrongDeclined(first, again, keeps); why != "" {
		return s.broken(why, first, again)
	}
	if !keeps {
		return kept(note, fmt.Sprintf("the declined body is answered with %d, which is not kept", first.status))
	}
	return kept(note, fmt.Sprintf("and with %d", first.status))
}

// wrongDeclined says what is wrong with the second answer to a declined body.
func (s *session) wrongDeclined(first, again *sent, keeps bool) string {
	replay := s.parameters(policydoc.PromiseReplay)
	switch {
	case !keeps && s.marked(again):
		return fmt.Sprintf("an answer of %d is not kept, and the next one to the request is marked as its repetition", first.status)
	case !keeps:
		return ""
	case again.status != s.repeatedAs(first):
		return fmt.Sprintf("an answer of %d was not kept: the repetition's is %d", first.status, again.status)
	case s.hasMarker() && !s.marked(again):
		return fmt.Sprintf("an answer of %d was not kept: the repetition is not marked as one", first.status)
	case text(replay, "as") != string(policy.Current) && flag(replay, "body") && again.sum != first.sum:
		return fmt.Sprintf("an answer of %d was not kept: the repetition's body is another one", first.status)
	}
	return ""
}
