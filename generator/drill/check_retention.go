package drill

import (
	"github.com/idemgen/idemgen/generator/policydoc"
)

// checkRetention repeats the request shortly before the key may be forgotten.
func checkRetention(s *session, _ *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	a := s.settled(s.message())
	if !s.repeats(a) {
		s.forgotten = true
		return s.broken("shortly before the end the key is not remembered: "+a.describe(), s.first, a)
	}
	return kept()
}

// checkRetentionEnd sends the request once more when the key is to be new again, which takes an effect of its own.
func checkRetentionEnd(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	if s.forgotten {
		return skipped("the key was forgotten before")
	}
	a := s.settled(s.message())
	switch then := text(promise.Parameters, "then"); {
	case !a.ok():
		return notTestable("the request got no answer: " + a.err.Error())
	case then == "expired":
		if why := s.wrong(a, promise.Parameters); why != "" {
			return s.broken("after the end: "+why, s.first, a)
		}
	case s.marked(a), s.repeats(a) && s.identity(a) != "":
		return s.broken("after the end the key is still remembered", s.first, a)
	case then == "new-or-refused" && a.status == number(promise.Parameters, "status"):
		return kept("what was done already is refused with " + a.describe())
	case a.status != s.first.status:
		return s.broken("after the end the request is answered with "+a.describe(), s.first, a)
	}
	return kept()
}
