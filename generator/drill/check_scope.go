package drill

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/policydoc"
)

// checkScope sends the key as a second account, which takes an effect of its own, and looks at what became of another
// operation's key.
func checkScope(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	parts := list(promise.Parameters, "parts")
	var notes []string
	switch perOperation := slices.Contains(parts, "operation"); {
	case perOperation && s.crossed != nil:
		return s.broken("a key of another operation was not new: "+s.crossed.describe(), s.before.first, s.crossed)
	case perOperation && s.borrowed, !perOperation && s.crossed != nil:
		if !perOperation {
			if why := s.wrong(s.crossed, object(promise.Parameters, "mismatch")); why != "" {
				return s.broken("a key of another operation was not refused: "+why, s.crossed)
			}
		}
	case !perOperation && s.borrowed:
		return s.broken("a key of another operation was new, the policy says that keys count across operations", s.before.first, s.first)
	default:
		notes = append(notes, "not tried with a key of another operation")
	}
	for _, part := range parts {
		if strings.HasPrefix(part, "header:") || part == "region" {
			notes = append(notes, "not tried with another "+strings.TrimPrefix(part, "header:"))
		}
	}
	if len(s.run.plan.OtherCredentials) == 0 {
		if len(notes) > 0 && !s.borrowed && s.crossed == nil {
			return notTestable("a second account is needed: give its credentials with --other-header")
		}
		return kept(append(notes, "not tried with a second account")...)
	}
	m := s.message()
	m.other = true
	a := s.settled(m)
	mismatch := object(promise.Parameters, "mismatch")
	switch {
	case !a.ok():
		return notTestable("the second account got no answer: " + a.err.Error())
	case s.marked(a), s.repeats(a) && s.identity(a) != "":
		return s.broken("a second account was answered with what the first one made", s.first, a)
	case s.is(a, mismatch):
		return s.broken("a second account's key was taken for the first one's, and refused", s.first, a)
	case a.status == 401 || a.status == 403:
		return notTestable("the second account is not accepted: " + a.describe())
	case a.status != s.first.status:
		notes = append(notes, "the second account was answered with "+a.describe())
	}
	again := s.settled(s.message())
	if !s.repeats(again) {
		return s.broken("after a second account used the key, the first one's request is not answered as before", a, again)
	}
	return kept(notes...)
}
