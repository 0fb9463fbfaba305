package policydoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Promise is one sentence of an operation's published policy.
type Promise struct {
	// ID is stable: it means the same in every version of every policy, and tests of a running server name it.
	ID    string   `json:"id"`
	Topic Topic    `json:"-"`
	Text  Sentence `json:"text"`
	// Parameters are the values in the sentence.
	Parameters Parameters `json:"parameters,omitempty"`
	// Testable says whether a client can find out if the promise is kept; Why says why not.
	Testable bool   `json:"testable"`
	Why      string `json:"why,omitempty"`
}

// Topic is the heading under which a promise stands on the page.
type Topic string

// The topics, in the order of the page.
const (
	TopicKey    Topic = "The key"
	TopicScope  Topic = "What it counts for"
	TopicMemory Topic = "How long it counts"
	TopicSame   Topic = "The same request"
	TopicEffect Topic = "What is done once"
	TopicRepeat Topic = "A repetition"
	// TopicRefusal is told by the page's table of refusals instead.
	TopicRefusal Topic = "Refusals"
	TopicRetry   Topic = "Retrying"
	TopicOrigin  Topic = "Where these rules come from"
)

// The ids of promises. An id is never given another meaning, nor used again once a promise is gone.
const (
	PromiseKeyPlace         = "key-place"
	PromiseKeyRequired      = "key-required"
	PromiseKeyOptional      = "key-optional"
	PromiseKeyLength        = "key-length"
	PromiseKeyFormat        = "key-format"
	PromiseKeyPattern       = "key-pattern"
	PromiseKeySyntax        = "key-syntax"
	PromiseKeyPersonalData  = "key-personal-data"
	PromiseKeyMalformed     = "key-malformed"
	PromiseFirstSent        = "first-sent"
	PromiseFirstSentExpired = "first-sent-expired"
	PromiseScope            = "scope"
	PromiseRetention        = "retention"
	PromiseRetentionEnd     = "retention-end"
	PromiseRetryWindow      = "retry-window"
	PromiseSameRequest      = "same-request"
	PromiseBodyCompared     = "body-compared"
	PromiseOneEffect        = "one-effect"
	PromiseKept             = "answer-kept"
	PromiseNotKept          = "answer-not-kept"
	PromiseFinished         = "work-finished"
	PromiseCalls            = "calls-deduplicated"
	PromiseReplay           = "replay"
	PromiseReplayHeaders    = "replay-headers"
	PromiseReplayStatus     = "replay-status"
	PromiseReplayMarker     = "replay-marker"
	PromiseReplayLimit      = "replay-limit"
	PromiseAnswerHeaders    = "answer-headers"
	PromiseMismatch         = "mismatch"
	PromiseInFlight         = "in-flight"
	PromiseUnavailable      = "unavailable"
	PromiseOutcomeUnknown   = "outcome-unknown"
	PromiseBusinessRule     = "business-rule"
	PromiseRetry            = "retry"
	PromiseUndocumented     = "undocumented"
)

// PromiseIDs returns every id there is, in the order of the page.
func PromiseIDs() []string {
	return []string{
		PromiseKeyPlace, PromiseKeyRequired, PromiseKeyOptional, PromiseKeyLength, PromiseKeyFormat, PromiseKeyPattern, PromiseKeySyntax, PromiseKeyPersonalData, PromiseKeyMalformed, PromiseFirstSent, PromiseFirstSentExpired, PromiseScope, PromiseRetention, PromiseRetentionEnd, PromiseRetryWindow, PromiseSameRequest, PromiseBodyCompared, PromiseOneEffect, PromiseKept, PromiseNotKept, PromiseFinished, PromiseCalls, PromiseReplay, PromiseReplayHeaders, PromiseReplayStatus, PromiseReplayMarker, PromiseReplayLimit, PromiseAnswerHeaders, PromiseMismatch, PromiseInFlight, PromiseUnavailable, PromiseOutcomeUnknown, PromiseBusinessRule, PromiseRetry, PromiseUndocumented,
	}
}

// promises are the sentences of a keyed operation, in the order of the page.
func promises(op *policy.Operation) []Promise {
	var list []Promise
	add := func(topic Topic, id string, s Sentence) {
		if len(s.spans) > 0 {
			why := untestable[id]
			list = append(list, Promise{ID: id, Topic: topic, Text: s, Parameters: parameters(op, id), Testable: why == "", Why: why})
		}
	}
	p := &op.Policy

	add(TopicKey, PromiseKeyPlace, keyPlace(p.Key))
	if p.Key.Required {
		add(TopicRefusal, PromiseKeyRequired, say("A request without a key is refused with {}, and nothing is done.", status(p.Errors.Missing)))
	} else {
		add(TopicKey, PromiseKeyOptional, say("A request without a key is not protected: sent twice, it may do its work twice."))
	}
	add(TopicKey, PromiseKeyLength, keyLength(p.Key))
	add(TopicKey, PromiseKeyFormat, keyFormat(p.Key))
	if p.Key.Pattern != "" {
		add(TopicKey, PromiseKeyPattern, say("It matches the regular expression {}.", code(p.Key.Pattern)))
	}
	add(TopicKey, PromiseKeySyntax, keySyntax(p.Key))
	if p.Key.RefusePersonalData {
		add(TopicKey, PromiseKeyPersonalData, say("It holds no e-mail address."))
	}
	add(TopicRefusal, PromiseKeyMalformed, say("A request whose key is of another form is refused with {}, and nothing is done.", status(p.Errors.Malformed)))

	if name := p.Key.FirstSent.Header; name != "" {
		add(TopicKey, PromiseFirstSent, say("Beside the key, each attempt says in the header {} when the first one was sent, as in {}. Without it, or in another form, a request is refused with {}.",
			code(name), code(name+": Mon, 02 Nov 2026 15:04:05 GMT"), status(p.Errors.Malformed)))
		add(TopicRefusal, PromiseFirstSentExpired, say("A request that was first sent more than {} ago, or more than {} in the future, is refused with {}, and nothing is done.",
			inWords(p.Retention), inWords(p.Key.FirstSent.MaxSkew), status(p.Errors.Expired)))
	}

	add(TopicScope, PromiseScope, scope(p.Scope))
	add(TopicMemory, PromiseRetention, retention(p))
	add(TopicMemory, PromiseRetentionEnd, retentionEnd(p))
	if p.RetryWindow > 0 {
		add(TopicMemory, PromiseRetryWindow, say("Do not retry later than {} after the first attempt.", inWords(p.RetryWindow)))
	}
	add(TopicSame, PromiseSameRequest, sameRequest(op))
	add(TopicSame, PromiseBodyCompared, bodyCompared(op))

	add(TopicEffect, PromiseOneEffect, say("However many requests carry one key, at once or one after another, the work is done once."))
	add(TopicEffect, PromiseKept, kept(p))
	add(TopicEffect, PromiseNotKept, notKept(p))
	if p.Mode == policy.LeaseMode {
		add(TopicEffect, PromiseFinished, say("Work that has begun is finished, after a failure on this side too, whether or not the request is sent again."))
		if len(p.Downstream) > 0 {
			add(TopicEffect, PromiseCalls, say("Where it calls another service, each attempt carries the same key, which is derived from yours. Where it is not known what became of a call, that service is asked before the call is made again."))
		}
	}
	add(TopicRepeat, PromiseReplay, replay(p))
	if p.Replay.As != policy.Current {
		add(TopicRepeat, PromiseReplayHeaders, say("Of the first answer's headers it has {}.", listed("and", keptHeaders(p))))
	}
	add(TopicRepeat, PromiseReplayStatus, replayStatus(p.Replay.Status))
	if p.Replay.Header != "" {
		add(TopicRepeat, PromiseReplayMarker, say("It carries the header {}.", code(p.Replay.Header+": "+p.Replay.Value)))
	} else {
		add(TopicRepeat, PromiseReplayMarker, say("Nothing in it tells that it is a repetition."))
	}
	if hasLimit(p) {
		add(TopicRepeat, PromiseReplayLimit, say("A body over {} is not kept: a repetition is then answered with {}, which says that the work was done.",
			inBytes(p.Store.MaxBody), status(p.Errors.TooLarge)))
	}
	add(TopicRepeat, PromiseAnswerHeaders, answerHeaders(p.Answers.Headers))
	add(TopicRepeat, PromiseInFlight, inFlight(p))

	add(TopicRefusal, PromiseMismatch, say("A key that comes back with another request is refused with {}: nothing is done, and the first answer is not shown.", status(p.Errors.Mismatch)))
	if hasBusinessRule(p) {
		add(TopicRefusal, PromiseBusinessRule, say("What may be done only once, whatever the key, is refused with {} when it was done before.", code(statusConflict)))
	}
	add(TopicRefusal, PromiseUnavailable, say("While keys cannot be checked, requests are refused with {}, and nothing is done.", status(p.Errors.Unavailable)))
	add(TopicRefusal, PromiseOutcomeUnknown, outcomeUnknown(p))
	add(TopicRetry, PromiseRetry, retry(p))
	add(TopicOrigin, PromiseUndocumented, undocumented(op))
	return list
}

// answerHeaders says what all answers carry.
func answerHeaders(headers []policy.HeaderValue) Sentence {
	if len(headers) == 0 {
		return Sentence{}
	}
	words := make([]Sentence, len(headers))
	for i, header := range headers {
		words[i] = say("{}", code(header.Name+": "+header.Value))
		if strings.Contains(header.Value, "{key}") {
			words[i] = say("{}, where {} stands for the key", code(header.Name+": "+header.Value), code("{key}"))
		}
	}
	all := words[0]
	for _, next := range words[1:] {
		all = say("{}; {}", all, next)
	}
	return say("The first answer and each repetition carry {}.", all)
}

func outcomeUnknown(p *policy.Policy) Sentence {
	if p.Mode == policy.LeaseMode {
		return say("When work that has begun cannot be finished at once, the answer is {}, and the same key finds out what came of it.", code(statusUnknown))
	}
	return say("When it cannot be told at once whether the work was done, the answer is {}, and the same key finds out.", code(statusUnknown))
}

// hasLimit reports whether an answer can be too large to be given again.
func hasLimit(p *policy.Policy) bool {
	return p.Store.MaxBody > 0 && !p.Store.OmitBody && p.Replay.As != policy.Current
}

// hasBusinessRule reports whether the policy names something that may be done once only, whatever the key.
func hasBusinessRule(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Guards, func(g policy.Guard) bool { return g.On == "conflict" })
}

// hasSafetyNet reports whether a guard refuses an effect that is there already, without a rule of the business.
func hasSafetyNet(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Guards, func(g policy.Guard) bool { return g.On != "conflict" })
}

// retentionEnd says what a key does once it is forgotten. A guard remembers the effect for longer than the key, unless its
// row is gone too.
func retentionEnd(p *policy.Policy) Sentence {
	if p.Key.FirstSent.Header != "" {
		return say("After that a request that says truly when it was first sent is refused with {}: nothing is done again.", status(p.Errors.Expired))
	}
	if len(p.Guards) > 0 {
		return say("After that it is new again: what was done already is then refused with {}, or else done once more.", code(statusConflict))
	}
	return say("After that it is new again: the same request is carried out once more.")
}

func status(answer policy.ErrorAnswer) code { return code(strconv.Itoa(answer.Status)) }

// keyPlace says where the key goes.
func keyPlace(key policy.Key) Sentence {
	if key.Required {
		return say("Send a key with every request, in the {}.", where(key))
	}
	return say("You can send a key, in the {}.", where(key))
}

// where names the place of a key.
func where(key policy.Key) Sentence {
	switch key.In {
	case policy.InQuery:
		return say("query parameter {}", code(key.Name))
	case policy.InForm:
		return say("form field {}", code(key.Name))
	case policy.InBody:
		if name, ok := topMember(key.Pointer); ok {
			return say("body member {}", code(name))
		}
		return say("body member at {} (a JSON Pointer)", code(key.Pointer))
	default:
		return say("header {}", code(key.Name))
	}
}

// topMember is the member that a JSON Pointer of one step names (RFC 6901, section 4).
func topMember(pointer string) (string, bool) {
	steps := pointerSteps(pointer)
	if len(steps) != 1 {
		return "", false
	}
	return steps[0], true
}

func pointerSteps(pointer string) []string {
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	steps := strings.Split(pointer[1:], "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}

// uuidLength is how many characters a UUID has, each of one byte (RFC 9562, section 4).
const uuidLength = 36

// keyLengths are the lengths that a key can have: those that are allowed, and of a UUID the one.
func keyLengths(key policy.Key) (low, high int, unit policy.LengthUnit) {
	if key.Format != "" && key.Format != policy.AnyFormat {
		return uuidLength, uuidLength, policy.Characters
	}
	if key.LengthUnit == policy.Bytes {
		return key.MinLength, key.MaxLength, policy.Bytes
	}
	return key.MinLength, key.MaxLength, policy.Characters
}

func keyLength(key policy.Key) Sentence {
	least, most, counted := keyLengths(key)
	unit := "characters"
	if counted == policy.Bytes {
		unit = "bytes of UTF-8"
	}
	low, high := strconv.Itoa(least), strconv.Itoa(most)
	switch {
	case most == 0:
		return Sentence{}
	case least == most:
		return say("It has {} {}.", high, unit)
	case least == 0:
		return say("It has at most {} {}.", high, unit)
	default:
		return say("It has {} to {} {}.", low, high, unit)
	}
}

func keyFormat(key policy.Key) Sentence {
	const asSent = "capitals and small letters make two different keys"
	switch key.Format {
	case policy.UUID:
		return say("It is a UUID, compared as sent: {}.", asSent)
	case policy.UUID4, policy.UUID5, policy.UUID7:
		return say("It is a UUID of version {}, compared as sent: {}.", strings.TrimPrefix(string(key.Format), "uuid"), asSent)
	default:
		return Sentence{}
	}
}

func keySyntax(key policy.Key) Sentence {
	if key.In != policy.InHeader {
		return Sentence{}
	}
	switch key.Syntax {
	case policy.Structured:
		return say("It is written between quotation marks, as a string of RFC 9651: {}.", code(key.Name+`: "`+exampleKey(key)+`"`))
	case policy.Bare:
		return say("It is written without quotation marks.")
	case policy.Either:
		if key.Format != "" && key.Format != policy.AnyFormat {
			return say("Quotation marks around it (RFC 9651) make no difference.")
		}
		return say("Quotation marks around it (RFC 9651) make no difference, except that a number needs them.")
	default:
		return Sentence{}
	}
}

func scope(parts []policy.ScopePart) Sentence {
	perOperation := slices.Contains(parts, policy.ScopeOperation)
	within := ""
	if slices.Contains(parts, policy.ScopeRegion) {
		within = ", within one region"
	}
	var headers []string
	for _, part := range parts {
		if name, ok := part.Header(); ok {
			headers = append(headers, name)
		}
	}
	whose := say("A key counts for the account you authenticate as{}, and for no other.", within)
	if len(headers) > 0 {
		whose = say("A key counts for the account you authenticate as{}, together with the value of {}.", within, listed("and", headers))
	}
	if perOperation {
		return paragraph(whose, say("It counts for this operation: sent to another one, it is another key."))
	}
	return paragraph(whose, say("It counts across operations: sent to another one, it is refused as another request's."))
}

// sameRequest lists what is compared.
func sameRequest(op *policy.Operation) Sentence {
	f := &op.Policy.Fingerprint
	parts := []string{"method", "address"}
	if f.Query {
		parts = append(parts, "query parameters")
	}
	hasBody := op.Shape == nil || op.Shape.Body != nil
	if hasBody {
		parts = append(parts, "content type")
	}
	if hasBody && f.Body != policy.NoBody {
		parts = append(parts, "body")
	}
	last := len(parts) - 1
	words := strings.Join(parts[:last], ", ") + " and " + parts[last]
	if len(f.Headers) == 0 {
		return say("Two requests are the same when they agree in {}.", words)
	}
	return say("Two requests are the same when they agree in {}, and in the header {}.", words, listed("and", f.Headers))
}

func bodyCompared(op *policy.Operation) Sentence {
	f := &op.Policy.Fingerprint
	if op.Shape != nil && op.Shape.Body == nil {
		return say("The operation takes no body, and a request with one is refused with {}.", code("400"))
	}
	switch {
	case f.Body == policy.NoBody:
		return say("The body is not compared.")
	case f.Body == policy.RawBody:
		return say("The body is compared byte by byte.")
	case len(f.Include) > 0:
		return say("Of a JSON body, {} count, whatever the order of members and the white space.", listed("and", f.Include))
	case len(f.Exclude) > 0:
		return say("Of a JSON body, everything but {} counts, whatever the order of members and the white space.", listed("and", f.Exclude))
	case hasMediaType(op, media.IsJSON):
		return say("In a JSON body, the order of members, the white space and whether a number is written {} or {} make no difference.", code("1"), code("1.0"))
	case hasMediaType(op, isMultipart):
		return say("Of a multipart body, names, file names, types and contents of the parts count, and its boundary does not.")
	default:
		return say("The body is compared byte by byte.")
	}
}

func hasMediaType(op *policy.Operation, is func(string) bool) bool {
	if op.Shape == nil || op.Shape.Body == nil {
		return false
	}
	return slices.ContainsFunc(op.Shape.Body.Contents, func(c policy.Content) bool { return is(baseType(c.MediaType)) })
}

func baseType(mediaType string) string {
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

func isMultipart(mediaType string) bool { return strings.HasPrefix(mediaType, "multipart/") }

// statuses writes a status set for people: "2XX" is "2xx" in running text.
func statuses(set policy.Statuses) []string {
	words := make([]string, len(set))
	for i, entry := range set {
		words[i] = strings.ToLower(entry)
	}
	return words
}

// retention says how long a key is remembered. Work in progress is not forgotten.
func retention(p *policy.Policy) Sentence {
	if p.Mode == policy.LeaseMode {
		return say("A key is remembered until its work is finished, and for {} from then on.", inWords(p.Retention))
	}
	return say("A key is remembered for {} from the first answer on.", inWords(p.Retention))
}

// kept says which answers are final.
func kept(p *policy.Policy) Sentence {
	set := listed("or", statuses(p.Store.Statuses))
	if p.Replay.As == policy.Current {
		return say("An answer of {} is final: nothing is done again.", set)
	}
	return say("An answer of {} is final: each repetition gets it, and nothing is done again.", set)
}

func notKept(p *policy.Policy) Sentence {
	if p.Mode != policy.LeaseMode {
		return say("Any other answer leaves nothing done, and the key is free for another attempt.")
	}
	return paragraph(
		say("Any other answer below {} is final too once the work has begun, and otherwise leaves nothing done and the key free.", code("500")),
		say("After any other {} the work may have begun: send the same request with the same key to learn what came of it, never with a new key.", code("5xx")))
}

// replay says what a repetition is answered with.
func replay(p *policy.Policy) Sentence {
	switch {
	case p.Replay.As == policy.Current:
		return say("A repetition is answered from the state of things at its time, so it may differ from the first answer.")
	case p.Store.OmitBody:
		return say("A repetition gets the first answer's status, without its body.")
	default:
		return say("A repetition gets the first answer again, with the same status and the same bytes.")
	}
}

func replayStatus(changes []policy.StatusChange) Sentence {
	sentences := make([]Sentence, len(changes))
	for i, change := range changes {
		sentences[i] = say("Where the first answer was {}, the repetition's is {}.", code(strconv.Itoa(change.From)), code(strconv.Itoa(change.To)))
	}
	return paragraph(sentences...)
}

// keptHeaders are the headers of a first answer that a repetition has, sorted. truth_test.go holds them against the
// runtime, which keeps them.
func keptHeaders(p *policy.Policy) []string {
	kept := []string{"Content-Location", "ETag", "Last-Modified", "Link", "Location"}
	if !p.Store.OmitBody {
		kept = append(kept, "Content-Encoding", "Content-Language", "Content-Type")
	}
	for _, name := range p.Store.Headers {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.EqualFold(k, name) }) {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	return kept
}

func inFlight(p *policy.Policy) Sentence {
	answer := say("{} and {}", status(p.Errors.InFlight), code(fmt.Sprintf("Retry-After: %d", retryAfter(p))))
	if p.Mode == policy.LeaseMode {
		answer = say("{} and a {} that says when to ask again", status(p.Errors.InFlight), code("Retry-After"))
	}
	first := "the first request is still at work"
	if p.Mode == policy.LeaseMode {
		first = "the work is not finished"
	}
	if p.InFlight.Answer == policy.Wait {
		return say("A repetition that comes while {} waits up to {} for its answer, and is then answered with {}.",
			first, inWords(p.InFlight.MaxWait), answer)
	}
	return say("A repetition that comes while {} is answered at once with {}.", first, answer)
}

// retryAfter is what Retry-After says, in whole seconds. In lease mode it follows the work instead.
func retryAfter(p *policy.Policy) int64 {
	const second = 1e9
	return max(1, (int64(p.InFlight.RetryAfter)+second-1)/second)
}

func retry(p *policy.Policy) Sentence {
	advice := say("Retry, with the same key, after a timeout, a lost connection, {}, any {}, and {} for a request that is still at work.",
		code("429"), code("5xx"), status(p.Errors.InFlight))
	switch {
	case p.Store.Statuses.Contains(500):
		return paragraph(advice, say("A {} that was kept comes back as it was.", code("5xx")))
	case p.Store.Statuses.Contains(p.Errors.InFlight.Status):
		return paragraph(advice, say("Any other {} is an answer like the rest: do not retry it.", status(p.Errors.InFlight)))
	default:
		return advice
	}
}

// undocumented names the values that a provider, whose contract the operation follows, does not document itself.
func undocumented(op *policy.Operation) Sentence {
	gaps := undocumentedMembers(op)
	if len(gaps) == 0 {
		return Sentence{}
	}
	words := make([]string, len(gaps))
	for i, gap := range gaps {
		for _, member := range memberWords {
			if member.name == gap {
				words[i] = member.words
			}
		}
	}
	title := op.Policy.Profile
	if profile := contract(op); profile != nil {
		title = profile.Title
	}
	return say("These rules follow those of {}. Not documented by the provider, and this API's own choice: {}.", title, strings.Join(words, "; "))
}

// undocumentedMembers are the members of op's policy that its profile's provider does not document and that nobody else
// set. A draft standard, whose gaps every API has to fill, does not count as a provider.
func undocumentedMembers(op *policy.Operation) []string {
	name := op.Policy.Profile
	if name == "" || name == policy.DefaultProfile {
		return nil
	}
	profile := contract(op)
	if profile == nil {
		return nil
	}
	var gaps []string
	for _, member := range memberWords {
		value, ok := profile.Find(member.name)
		if !ok || value.Basis != policy.NotFound {
			continue
		}
		if origin, ok := op.Origins.Find(member.name); ok && origin.Level == policy.LevelBuiltin {
			gaps = append(gaps, member.name)
		}
	}
	return gaps
}

// contract is the profile that op's policy started from; nil for a policy made by hand with a profile of no file.
func contract(op *policy.Operation) *policy.Profile {
	if op.Contract != nil {
		return op.Contract
	}
	profile, err := policy.LoadProfile(op.Policy.Profile)
	if err != nil {
		return nil
	}
	return profile
}

// memberWords names members of a policy for readers who never see the extension.
var memberWords = []struct{ name, words string }{
	{"key.required", "whether the key is required"},
	{"key.format", "the key's format"},
	{"key.maxLength", "the key's greatest length"},
	{"scope", "what a key counts for"},
	{"retention", "how long a key is remembered"},
	{"fingerprint.body", "how requests are compared"},
	{"store.statuses", "which answers are kept"},
	{"store.headers", "which headers are kept"},
	{"replay.as", "what a repetition gets"},
	{"replay.header", "how a repetition is marked"},
	{"inFlight.answer", "what a repetition gets while the first request is at work"},
	{"inFlight.retryAfter", "the value of Retry-After"},
	{"errors.missing.status", "the answer to a missing key"},
	{"errors.malformed.status", "the answer to a malformed key"},
	{"errors.mismatch.status", "the answer to a key with another request"},
	{"errors.inFlight.status", "the answer while the first request is at work"},
	{"errors.unavailable.status", "the answer while keys cannot be checked"},
	{"errors.tooLarge.status", "the answer where the first one was too large to keep"},
}
