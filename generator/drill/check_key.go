package drill

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// checkKeyPlace looks at whether a key at its place is what makes repetitions.
func checkKeyPlace(s *session, _ *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	if s.op.Key.In != policy.InHeader {
		return kept()
	}
	m := s.message()
	m.key.small = true // proxies and HTTP/2 write names so: RFC 9110, section 5.1, and RFC 9113, section 8.2
	if a := s.settled(m); !s.repeats(a) {
		return s.broken("the key is not found when the name of its header is in small letters: "+a.describe(), s.first, a)
	}
	return kept()
}

// checkKeySyntax sends the key in each form that a header may have.
func checkKeySyntax(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	malformed := promise.Parameters
	numeric := strings.Trim(s.key, "0123456789.") == ""
	for _, form := range []struct{ name, value string }{{"quoted", `"` + s.key + `"`}, {"bare", s.key}} {
		allowed := true
		switch policy.Syntax(text(promise.Parameters, "syntax")) {
		case policy.Structured:
			allowed = form.name == "quoted"
		case policy.Bare:
			allowed = form.name == "bare"
		default:
			if numeric && form.name == "bare" {
				continue
			}
		}
		m := s.message()
		m.key = key{values: []string{form.value}}
		a := s.settled(m)
		switch {
		case !allowed:
			if why := s.wrong(a, malformed); why != "" {
				return s.broken("the "+form.name+" key should be refused: "+why, a)
			}
		case !s.repeats(a):
			return s.broken("the "+form.name+" key was not taken for the same one: "+a.describe(), s.first, a)
		}
	}
	return kept()
}

// refusedKey sends a request that has to be refused, and says what was wrong with the answer.
func (s *session) refusedKey(promise *policydoc.PublishedPromise, name string, k key) (Result, bool) {
	m := s.message()
	m.key = k
	a := s.send(m)
	if why := s.wrong(a, promise.Parameters); why != "" {
		return s.broken(name+": "+why, a), false
	}
	return Result{}, true
}

func checkKeyRequired(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	if result, ok := s.refusedKey(promise, "no key", key{}); !ok {
		return result
	}
	return kept()
}

// checkKeyOptional sends a request without a key, which takes an effect of its own.
func checkKeyOptional(s *session, _ *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	m := s.message()
	m.key, m.firstSent = key{}, ""
	a := s.send(m)
	switch {
	case !a.ok():
		return notTestable("a request without a key got no answer: " + a.err.Error())
	case s.marked(a):
		return s.broken("a request without a key is answered as a repetition", a)
	case a.success(), a.status == s.first.status:
		return kept()
	case a.status == 503:
		return notTestable("a request without a key is answered with 503: the service was away")
	case a.status == 409 || a.status == 422:
		return notTestable(fmt.Sprintf("a request without a key is answered with %d, which may be a rule of this API", a.status))
	default:
		return s.broken(fmt.Sprintf("a request without a key is answered with %d", a.status), a)
	}
}

func checkKeyLength(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	if s.longRefused != nil {
		return s.broken(fmt.Sprintf("a key of %d characters, which the policy allows, was answered with %s", s.op.Key.MaxLength, s.longRefused.describe()), s.longRefused, s.first)
	}
	least, most := number(promise.Parameters, "min"), number(promise.Parameters, "max")
	if least < 0 || most < 1 || least > maxKey || most > maxKey {
		return notTestable("the policy has no lengths that a key can have")
	}
	// The used key made longer: a server that cuts it off does nothing new, and is found all the same.
	long := s.key
	for len(long) <= most {
		long += s.key
	}
	if result, ok := s.refusedKey(promise, fmt.Sprintf("a key of %d characters", most+1), written(&s.op.Key, long[:most+1])); !ok {
		return result
	}
	if a, cut := s.cutOff(); cut {
		return s.broken(fmt.Sprintf("of a key of %d characters, which the policy allows, the last one does not count", len(s.key)), s.first, a)
	}
	if least < 2 {
		return kept()
	}
	if result, ok := s.refusedKey(promise, fmt.Sprintf("a key of %d characters", least-1), written(&s.op.Key, s.key[:min(len(s.key), least-1)])); !ok {
		return result
	}
	return kept()
}

// cutOff reports whether a key of the greatest length is taken for the one that is the same but for its last character. A
// body that cannot be read goes with it, so that nothing is done with a key that is new.
func (s *session) cutOff() (a *sent, cut bool) {
	mismatch := s.parameters(policydoc.PromiseMismatch)
	if !s.long || !s.spoiled.ok() || s.spoiled.success() || s.is(s.spoiled, mismatch) {
		return nil, false
	}
	for _, last := range []string{"a", "b", "0", "1", "A", "B"} {
		other := s.key[:len(s.key)-1] + last
		if other == s.key || !fits(&s.op.Key, other) {
			continue
		}
		s.run.hideKey(other)
		m := s.spoil(s.message())
		m.key = written(&s.op.Key, other)
		a = s.send(m)
		return a, s.marked(a) || s.is(a, mismatch)
	}
	return nil, false
}

func checkKeyPattern(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	pattern, err := regexp.Compile(text(promise.Parameters, "pattern"))
	if err != nil {
		return notTestable("the pattern is one that this program cannot compile")
	}
	for _, stranger := range []string{"!", "~", ".", "_", "-", "A", "a", "0"} {
		for _, bad := range []string{s.key[:len(s.key)-1] + stranger, stranger + s.key[1:], strings.Repeat(stranger, len(s.key))} {
			if pattern.MatchString(bad) {
				continue
			}
			if result, ok := s.refusedKey(promise, "a key that does not match", written(&s.op.Key, bad)); !ok {
				return result
			}
			return kept()
		}
	}
	return notTestable("no key was found that does not match the pattern")
}

// checkKeyFormat sends keys that are no such UUID, and one that differs in capitals alone, which takes an effect of its
// own where it is another key.
func checkKeyFormat(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	if !uuidForm.MatchString(s.key) {
		return notTestable("the policy's own rules on keys allow no UUID")
	}
	bad := []string{"not-a-uuid-but-as-long-as-one-is-36x", strings.ReplaceAll(s.key, "-", "x")}
	switch format := text(promise.Parameters, "format"); format {
	case "uuid4", "uuid5", "uuid7":
		version := "1"
		bad = append(bad, s.key[:14]+version+s.key[15:])
	}
	for _, one := range bad {
		if result, ok := s.refusedKey(promise, "a key of another format", written(&s.op.Key, one)); !ok {
			return result
		}
	}
	capitals := swapCase(s.key)
	if !fits(&s.op.Key, capitals) {
		return kept("capitals are not allowed by the pattern")
	}
	s.run.hideKey(capitals)
	m := s.message()
	m.key = written(&s.op.Key, capitals)
	a := s.settled(m)
	switch {
	case s.repeats(a) && (s.marked(a) || s.identity(a) != ""):
		return s.broken("the key in capitals was taken for the same key", s.first, a)
	case a.success():
		return kept()
	default:
		return kept("the key in capitals was answered with " + a.describe())
	}
}

func checkKeyPersonalData(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	address := "user@example.com"
	address = strings.Repeat("a", max(0, s.op.Key.MinLength-len(address))) + address
	k := written(&s.op.Key, address)
	if result, ok := s.refusedKey(promise, "an e-mail address", k); !ok {
		return result
	}
	return kept()
}

// checkKeyMalformed goes through what nobody may take for a key.
func checkKeyMalformed(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	tried := 0
	for _, bad := range badKeys(&s.op.Key, s.key) {
		m := s.message()
		m.key = bad.key
		a := s.send(m)
		if bad.missing && s.is(a, s.parameters(policydoc.PromiseKeyRequired)) { // an empty key may be no key
			continue
		}
		if why := s.wrong(a, promise.Parameters); why != "" {
			return s.broken(bad.name+": "+why, a)
		}
		tried++
	}
	return kept(fmt.Sprintf("%d forms tried", tried))
}

// checkFirstSent sends a new key without the time of the first attempt, and with one in other forms.
func checkFirstSent(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	now := time.Now().Add(s.run.virtual).UTC()
	for _, wrong := range []struct{ name, value string }{
		{"no time", ""}, {"a time of ISO 8601", now.Format(time.RFC3339)}, {"seconds since 1970", fmt.Sprint(now.Unix())}, {"no date", "yesterday"},
	} {
		if result, ok := s.refusedTime(promise, wrong.name, wrong.value); !ok {
			return result
		}
	}
	return kept()
}

func checkFirstSentExpired(s *session, promise *policydoc.PublishedPromise) Result {
	if why := s.ready(); why != "" {
		return notTestable(why)
	}
	retention, err := policydoc.ParseDuration(text(promise.Parameters, "retention"))
	skew, err2 := policydoc.ParseDuration(text(promise.Parameters, "maxSkew"))
	if err != nil || err2 != nil {
		return notTestable("the policy does not say how long in a form that can be read")
	}
	now := time.Now().Add(s.run.virtual)
	for _, wrong := range []struct {
		name string
		at   time.Time
	}{{"too long ago", now.Add(-retention - time.Minute)}, {"too far in the future", now.Add(skew + time.Minute)}} {
		if result, ok := s.refusedTime(promise, wrong.name, httpDate(wrong.at)); !ok {
			return result
		}
	}
	return kept()
}

// refusedTime sends a new key with the time of its first attempt, which has to be refused.
func (s *session) refusedTime(promise *policydoc.PublishedPromise, name, value string) (Result, bool) {
	fresh, why := s.freshKey()
	if why != "" {
		return notTestable(why), false
	}
	m := s.message()
	m.key, m.firstSent = written(&s.op.Key, fresh), value
	a := s.send(m)
	if why := s.wrong(a, promise.Parameters); why != "" {
		return s.broken(name+": "+why, a), false
	}
	return Result{}, true
}
