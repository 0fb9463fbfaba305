package drill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// checkMismatch sends the key with another request, and the first request again after it.
func checkMismatch(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	if s.other == nil {
		return notTestable("the policy has no other request for this operation")
	}
	a := s.settled(*s.other)
	if why := s.wrong(a, promise.Parameters); why != "" {
		s.badMismatch = true
		return s.broken("the key came with another request: "+why, s.first, a)
	}
	// A few bytes, such as {}, say nothing.
	if first := s.first.plain(s.run.plan.Limits.Body); len(first) >= 16 && bytes.Contains(a.plain(s.run.plan.Limits.Body), first) {
		s.badMismatch = true
		return s.broken("the key came with another request: it was refused, and shown the first answer", s.first, a)
	}
	again := s.settled(s.message())
	if !s.repeats(again) {
		s.badMismatch = true
		if again.ok() && !s.marked(again) {
			s.first = again // the key's record is another one from now on
		}
		before := s.repeat
		s.repeat = s.settled(s.message())
		return s.broken("after it, the first request is not answered as before: "+again.describe(), a, before, again)
	}
	return kept()
}

// compared says why it cannot be judged what is compared.
func (s *session) compared() (Result, bool) {
	if result, ok := s.repeated(); !ok {
		return result, false
	}
	if s.badMismatch {
		return skipped("another request with the same key is not refused as promised"), false
	}
	return Result{}, true
}

// taken says what is wrong with an answer to a request that is another one; "" when it was refused, for whatever reason.
func (s *session) taken(a *sent) string {
	switch {
	case !a.ok():
		return ""
	case s.marked(a), s.repeats(a):
		return "it was answered as a repetition"
	case a.success():
		return fmt.Sprintf("it was carried out: %d", a.status)
	}
	return ""
}

// checkSameRequest changes one part at a time of what has to agree, and parts that do not count.
func checkSameRequest(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.compared(); !ok {
		return result
	}
	p := promise.Parameters
	query := s.message()
	query.query = strings.TrimPrefix(query.query+"&drill=1", "&")
	a := s.settled(query)
	if why := s.taken(a); flag(p, "query") && why != "" {
		return s.broken("a query parameter more: "+why, s.first, a)
	} else if !flag(p, "query") && s.is(a, p) {
		return s.broken("a query parameter more, which does not count: it was refused as another request", s.first, a)
	}
	if flag(p, "contentType") && len(s.base.body) > 0 {
		other := s.message()
		other.contentType = otherType(s.base.contentType)
		a := s.settled(other)
		if why := s.taken(a); why != "" {
			return s.broken("with another content type: "+why, s.first, a)
		}
	}
	for _, name := range list(p, "headers") {
		other := s.message()
		other.header = other.header.Clone()
		other.header.Set(name, "drill")
		a := s.settled(other)
		if why := s.taken(a); why != "" {
			return s.broken("with another "+name+": "+why, s.first, a)
		}
	}
	plain := s.message()
	plain.header = plain.header.Clone()
	plain.header.Set("X-Drill", "1")
	a = s.settled(plain)
	if a.ok() && !s.repeats(a) {
		return s.broken("with a header that does not count it is no repetition: "+a.describe(), s.first, a)
	}
	return kept()
}

// otherType is a type that the same bytes can have.
func otherType(contentType string) string {
	if media.IsJSON(contentType) {
		if strings.Contains(contentType, "merge-patch") {
			return "application/json"
		}
		return "application/merge-patch+json"
	}
	return "application/octet-stream"
}

// checkBodyCompared writes the body in other ways, and changes what counts and what does not.
func checkBodyCompared(s *session, promise *policydoc.PublishedPromise) Result {
	if text(promise.Parameters, "body") == "refused" {
		return checkNoBody(s, promise)
	}
	if result, ok := s.compared(); !ok {
		return result
	}
	if len(s.base.body) == 0 {
		return notTestable("its request has no body")
	}
	switch rule := text(promise.Parameters, "body"); rule {
	case "json":
		return s.judgeVariants(promise, s.jsonVariants(promise.Parameters))
	case "multipart":
		return s.judgeVariants(promise, s.otherBoundary())
	case "none":
		return s.judgeVariants(promise, s.otherBody())
	default:
		return s.judgeVariants(promise, s.byteVariants())
	}
}

// variant is the first request in another form.
type variant struct {
	name    string
	message message
	same    bool // whether it is the same request by the policy
	// sure is true for a variant that is valid if the first request was: any refusal shows something.
	sure bool
}

func (s *session) judgeVariants(promise *policydoc.PublishedPromise, variants []variant) Result {
	mismatch := object(promise.Parameters, "mismatch")
	var tried, open []string
	for _, v := range variants {
		a := s.settled(v.message)
		switch {
		case !a.ok():
			open = append(open, v.name)
			continue
		case v.same && s.repeats(a):
		case v.same && (v.sure || a.success() || s.is(a, mismatch)):
			return s.broken(fmt.Sprintf("%s: the request is the same, and was answered with %d", v.name, a.status), s.first, a)
		case v.same: // the API may not take it at all
			open = append(open, v.name)
			continue
		default:
			if why := s.taken(a); why != "" {
				return s.broken(v.name+": "+why, s.first, a)
			}
		}
		tried = append(tried, v.name)
	}
	if len(tried) == 0 {
		return notTestable("the body has nothing that can be written in another way")
	}
	notes := []string{"tried: " + strings.Join(tried, ", ")}
	if len(open) > 0 {
		notes = append(notes, "not taken by the API: "+strings.Join(open, ", "))
	}
	return kept(notes...)
}

func (s *session) withBody(body []byte) message {
	m := s.message()
	m.body = body
	return m
}

func (s *session) jsonVariants(p policydoc.Parameters) []variant {
	document, err := parseJSON(s.base.body)
	if err != nil {
		return nil
	}
	var variants []variant
	if changed, ok := document.reordered(); ok {
		variants = append(variants, variant{"the members in another order", s.withBody(changed.text()), true, true})
	}
	var spaced bytes.Buffer
	if json.Indent(&spaced, s.base.body, " ", "\t") == nil && !bytes.Equal(spaced.Bytes(), s.base.body) {
		variants = append(variants, variant{"other white space", s.withBody(spaced.Bytes()), true, true})
	}
	include, exclude := list(p, "include"), list(p, "exclude")
	counts := func(place string) bool {
		in := func(pointer string) bool { return under(place, pointer) }
		return (len(include) == 0 || slices.ContainsFunc(include, in)) && !slices.ContainsFunc(exclude, in)
	}
	decimal, ok := document.replaced("", func(place, raw string) string {
		if isInteger(raw) && len(raw) < 15 && counts(place) {
			return raw + ".0"
		}
		return ""
	})
	if ok && len(include)+len(exclude) == 0 {
		variants = append(variants, variant{"1.0 for 1", s.withBody(decimal.text()), true, false})
	}
	large, ok := document.replaced("", func(place, raw string) string {
		if counts(place) {
			return neighbour(raw)
		}
		return ""
	})
	if ok {
		variants = append(variants, variant{"another integer beyond 2^53", s.withBody(large.text()), false, false})
	}
	for _, pointer := range exclude {
		changed, _ := parseJSON(s.base.body)
		if changed.has(pointer[:strings.LastIndexByte(pointer, '/')]) && changed.put(pointer, quoted("drill")) {
			variants = append(variants, variant{"another " + pointer, s.withBody(changed.text()), true, false})
		}
	}
	if len(include) > 0 {
		free, ok := document.replaced("", func(place, raw string) string {
			if counts(place) || place == s.op.Key.Pointer {
				return ""
			}
			return otherScalar(raw)
		})
		if ok {
			variants = append(variants, variant{"another value that does not count", s.withBody(free.text()), true, false})
		}
	}
	return variants
}

// otherBody is a body with another value, where none counts.
func (s *session) otherBody() []variant {
	document, err := parseJSON(s.base.body)
	if err != nil || !media.IsJSON(s.base.contentType) {
		return nil
	}
	changed, ok := document.replaced("", func(place, raw string) string {
		if s.op.Key.In == policy.InBody && under(place, s.op.Key.Pointer) {
			return ""
		}
		return otherScalar(raw)
	})
	if !ok {
		return nil
	}
	return []variant{{"another body", s.withBody(changed.text()), true, false}}
}

// otherScalar is another value of the same type.
func otherScalar(raw string) string {
	switch {
	case raw == "true":
		return "false"
	case raw == "false":
		return "true"
	case isInteger(raw) && raw != "1":
		return "1"
	case isInteger(raw):
		return "2"
	case raw[0] == '"' && raw != `"drill"`:
		return `"drill"`
	}
	return ""
}

func (s *session) byteVariants() []variant {
	if parsed, err := parseJSON(s.base.body); err == nil && media.IsJSON(s.base.contentType) {
		variants := []variant{{"a space more", s.withBody(append(slices.Clone(s.base.body), ' ')), false, false}}
		if changed, ok := parsed.reordered(); ok {
			variants = append(variants, variant{"the members in another order", s.withBody(changed.text()), false, false})
		}
		return variants
	}
	base, _, _ := mime.ParseMediaType(s.base.contentType)
	if fields := strings.Split(string(s.base.body), "&"); base == "application/x-www-form-urlencoded" && len(fields) > 1 {
		slices.Reverse(fields)
		return []variant{{"the fields in another order", s.withBody([]byte(strings.Join(fields, "&"))), false, false}}
	}
	if strings.HasPrefix(base, "text/") {
		return []variant{{"a space more", s.withBody(append(slices.Clone(s.base.body), ' ')), false, false}}
	}
	return nil
}

// otherBoundary parts the same multipart body by another text.
func (s *session) otherBoundary() []variant {
	base, parameters, err := mime.ParseMediaType(s.base.contentType)
	boundary := parameters["boundary"]
	if err != nil || boundary == "" {
		return nil
	}
	const other = "idemgen-drill-other-boundary"
	m := s.withBody(bytes.ReplaceAll(s.base.body, []byte("--"+boundary), []byte("--"+other)))
	m.contentType = base + "; boundary=" + other
	return []variant{{"another boundary", m, true, true}}
}

// checkNoBody sends a body to an operation that takes none.
func checkNoBody(s *session, promise *policydoc.PublishedPromise) Result {
	if result, ok := s.repeated(); !ok {
		return result
	}
	m := s.withBody([]byte(`{"drill":1}`))
	m.contentType = "application/json"
	a := s.send(m)
	switch want := number(promise.Parameters, "status"); {
	case !a.ok():
		return notTestable("a request with a body got no answer: " + a.err.Error())
	case a.status != want:
		return s.broken(fmt.Sprintf("a request with a body was answered with %d, the policy says %d", a.status, want), a)
	}
	return kept()
}
