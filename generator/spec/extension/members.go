package extension

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// setting is one member as a layer sets it.
type setting struct {
	apply func(*policy.Policy)
	pos   policy.Position
	parts []part
}

// settings are the members that one layer sets, by their dotted path.
type settings map[string]setting

// member is one leaf of the grammar: its path, and how its value is read into a policy.
type member struct {
	path string
	read func(r *reader, node *yaml.Node, name string) (apply func(*policy.Policy), ok bool)
}

// leaf ties a path, a reader and a place in the policy together.
func leaf[T any](path string, readValue read[T], place func(*policy.Policy) *T) member {
	return member{path: path, read: func(r *reader, node *yaml.Node, name string) (func(*policy.Policy), bool) {
		value, ok := readValue(r, node, name)
		return func(p *policy.Policy) { *place(p) = value }, ok
	}}
}

// maxKeyLength keeps scope and key together inside one entry of a PostgreSQL B-tree, which holds about 2,700 bytes.
const maxKeyLength = 1024

// grammar is the full form of x-idempotency, leaf by leaf. The objects between are the prefixes of the paths.
var grammar = append([]member{
	leaf("mode", oneOf(policy.Transaction, policy.LeaseMode), func(p *policy.Policy) *policy.Mode { return &p.Mode }),

	leaf("key.in", oneOf(policy.InHeader, policy.InQuery, policy.InBody, policy.InForm), func(p *policy.Policy) *policy.Location { return &p.Key.In }),
	leaf("key.name", (*reader).line, func(p *policy.Policy) *string { return &p.Key.Name }),
	leaf("key.pointer", (*reader).pointer, func(p *policy.Policy) *string { return &p.Key.Pointer }),
	leaf("key.required", (*reader).boolean, func(p *policy.Policy) *bool { return &p.Key.Required }),
	leaf("key.format", keyFormat, func(p *policy.Policy) *policy.Format { return &p.Key.Format }),
	leaf("key.minLength", integer(1, maxKeyLength), func(p *policy.Policy) *int { return &p.Key.MinLength }),
	leaf("key.maxLength", integer(1, maxKeyLength), func(p *policy.Policy) *int { return &p.Key.MaxLength }),
	leaf("key.lengthUnit", oneOf(policy.Characters, policy.Bytes), func(p *policy.Policy) *policy.LengthUnit { return &p.Key.LengthUnit }),
	leaf("key.pattern", (*reader).pattern, func(p *policy.Policy) *string { return &p.Key.Pattern }),
	leaf("key.syntax", oneOf(policy.Either, policy.Structured, policy.Bare), func(p *policy.Policy) *policy.Syntax { return &p.Key.Syntax }),
	leaf("key.refusePersonalData", (*reader).boolean, func(p *policy.Policy) *bool { return &p.Key.RefusePersonalData }),
	leaf("key.firstSent.header", firstSentHeader, func(p *policy.Policy) *string { return &p.Key.FirstSent.Header }),
	leaf("key.firstSent.maxSkew", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.Key.FirstSent.MaxSkew }),

	leaf("scope", filled(list(scopePart), "a scope starts with principal or account"), func(p *policy.Policy) *[]policy.ScopePart { return &p.Scope }),
	leaf("retention", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.Retention }),
	leaf("retryWindow", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.RetryWindow }),

	leaf("fingerprint.body", oneOf(policy.CanonicalBody, policy.RawBody, policy.NoBody), func(p *policy.Policy) *policy.BodyRule { return &p.Fingerprint.Body }),
	leaf("fingerprint.include", list((*reader).pointer), func(p *policy.Policy) *[]string { return &p.Fingerprint.Include }),
	leaf("fingerprint.exclude", list((*reader).pointer), func(p *policy.Policy) *[]string { return &p.Fingerprint.Exclude }),
	leaf("fingerprint.query", (*reader).boolean, func(p *policy.Policy) *bool { return &p.Fingerprint.Query }),
	leaf("fingerprint.headers", canonicalHeaders(list(canonical(headerName(nil, "")))), func(p *policy.Policy) *[]string { return &p.Fingerprint.Headers }),

	leaf("store.statuses", filled(list(storedStatus), "in transaction mode an answer that is not stored undoes its work: list the outcomes, such as 2XX"), func(p *policy.Policy) *[]string { return (*[]string)(&p.Store.Statuses) }),
	leaf("store.headers", list(canonical(headerName(unstorableHeaders, "belongs to one connection, client or moment and is never replayed"))), func(p *policy.Policy) *[]string { return &p.Store.Headers }),
	leaf("store.maxBody", (*reader).size, func(p *policy.Policy) *int64 { return &p.Store.MaxBody }),
	leaf("store.body", not((*reader).boolean), func(p *policy.Policy) *bool { return &p.Store.OmitBody }),

	leaf("replay.as", oneOf(policy.Stored, policy.Current), func(p *policy.Policy) *policy.ReplayKind { return &p.Replay.As }),
	leaf("replay.header", marker, func(p *policy.Policy) *string { return &p.Replay.Header }),
	leaf("replay.value", (*reader).fieldValue, func(p *policy.Policy) *string { return &p.Replay.Value }),
	leaf("replay.status", (*reader).statusChanges, func(p *policy.Policy) *[]policy.StatusChange { return &p.Replay.Status }),

	leaf("inFlight.answer", oneOf(policy.Wait, policy.Conflict), func(p *policy.Policy) *policy.InFlightAnswer { return &p.InFlight.Answer }),
	leaf("inFlight.maxWait", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.InFlight.MaxWait }),
	leaf("inFlight.retryAfter", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.InFlight.RetryAfter }),

	leaf("lease.duration", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.Lease.Duration }),
	leaf("lease.heartbeat", (*reader).duration, func(p *policy.Policy) *policy.Duration { return &p.Lease.Heartbeat }),
	leaf("steps", (*reader).steps, func(p *policy.Policy) *[]string { return &p.Steps }),
	leaf("downstream", (*reader).downstream, func(p *policy.Policy) *[]policy.Downstream { return &p.Downstream }),

	leaf("errors.shape", (*reader).shape, func(p *policy.Policy) *string { return &p.Errors.Shape }),
	leaf("answers.headers", (*reader).answerHeaders, func(p *policy.Policy) *[]policy.HeaderValue { return &p.Answers.Headers }),
	leaf("guard", (*reader).guards, func(p *policy.Policy) *[]policy.Guard { return &p.Guards }),
	leaf("note", (*reader).text, func(p *policy.Policy) *string { return &p.Note }),
}, errorAnswers()...)

// answerNames are the runtime's own answers and where a policy holds them.
var answerNames = []struct {
	name  string
	place func(*policy.Policy) *policy.ErrorAnswer
}{
	{"missing", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Missing }},
	{"malformed", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Malformed }},
	{"mismatch", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Mismatch }},
	{"inFlight", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.InFlight }},
	{"unavailable", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Unavailable }},
	{"tooLarge", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.TooLarge }},
	{"expired", func(p *policy.Policy) *policy.ErrorAnswer { return &p.Errors.Expired }},
}

func errorAnswers() []member {
	var members []member
	for _, answer := range answerNames {
		path, place := "errors."+answer.name, answer.place
		members = append(members,
			leaf(path+".status", status(400, 599), func(p *policy.Policy) *int { return &place(p).Status }),
			leaf(path+".type", (*reader).line, func(p *policy.Policy) *string { return &place(p).Type }),
			leaf(path+".title", (*reader).line, func(p *policy.Policy) *string { return &place(p).Title }),
			leaf(path+".code", (*reader).line, func(p *policy.Policy) *string { return &place(p).Code }),
			leaf(path+".headers", (*reader).headerValues, func(p *policy.Policy) *[]policy.HeaderValue { return &place(p).Headers }),
		)
	}
	return members
}

// readMembers reads the members of an object of the grammar into settings. path is "" at the top, else "key" and so on.
func (r *reader) readMembers(fields []field, path string, into settings) {
	outer := r.outer
	defer func() { r.outer = outer }()
	for _, f := range fields {
		r.outer = outer
		r.outer = r.position(f.key)
		name := f.name
		if path != "" {
			name = path + "." + f.name
		}
		m, isLeaf := findMember(name)
		switch {
		case f.name == "" || strings.Contains(f.name, "."):
			r.unknown(f, whereIs(path), children(path))
		case isLeaf:
			r.readMember(m, f, into)
		case len(children(name)) == 0:
			r.reportUnknown(f, path)
		default:
			r.readObject(f, name, into)
		}
	}
}

func (r *reader) readObject(f field, name string, into settings) {
	inner, ok := r.objectIn(f.value, name)
	if !ok {
		r.failed = append(r.failed, name)
		return
	}
	r.readMembers(inner, name, into)
}

func (r *reader) readMember(m member, f field, into settings) {
	r.parts = nil
	pos := r.position(f.value)
	apply, ok := m.read(r, f.value, m.path)
	if !ok {
		r.failed = append(r.failed, m.path)
		return
	}
	into[m.path] = setting{apply: apply, pos: pos, parts: r.parts}
}

func findMember(path string) (member, bool) {
	for _, m := range grammar {
		if m.path == path {
			return m, true
		}
	}
	return member{}, false
}

// children returns the names that an object of the grammar has, in the grammar's order.
func children(path string) []string {
	var names []string
	for _, m := range grammar {
		rest := m.path
		if path != "" {
			after, ok := strings.CutPrefix(m.path, path+".")
			if !ok {
				continue
			}
			rest = after
		}
		if name, _, _ := strings.Cut(rest, "."); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func whereIs(path string) string {
	if path == "" {
		return "x-idempotency"
	}
	return path
}
