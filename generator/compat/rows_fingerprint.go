package compat

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A record keeps the fingerprint that its request had by the rules of its time, so each change of them hurts the retries
// that cross it: the same request has another fingerprint.
var (
	ruleFingerprintStricter = needing(breaking("fingerprint-stricter",
		"A client whose retries differ from the first request in what is compared now is refused, and so is each that repeats a request sent before the change",
		"leave out of the comparison what clients change between two attempts", Clients, Retries), needQuiet)
	ruleFingerprintLooser = needing(breaking("fingerprint-looser",
		"A client that uses one key for two requests which differ only in what is not compared any more gets the first one's answer, and the second is not carried out; a request sent before the change is refused when it is repeated after it",
		"go on comparing what makes two requests two", Clients, Retries), needQuiet)
	ruleFingerprintChanged = needing(breaking("fingerprint-changed",
		"A client is refused whose retries differ in what is compared now, or gets another request's answer where what differs is not compared any more; a request sent before the change is refused when it is repeated after it",
		"change one thing at a time, so that clients can be told what it means", Clients, Retries), needQuiet)
	ruleFingerprintOrder = needing(breaking("fingerprint-order",
		"Requests are compared as before, but a request sent before the change is refused when it is repeated after it",
		"keep the order: it means nothing to clients", Retries), needQuiet)
)

// bodyStrictness says how much of a body is compared.
var bodyStrictness = map[policy.BodyRule]int{policy.NoBody: 0, policy.CanonicalBody: 1, policy.RawBody: 2}

var fingerprintRows = []row{
	{
		fields: []string{"Fingerprint.Body"}, member: "fingerprint.body", context: within(takesBody),
		value: word(func(p *policy.Policy) policy.BodyRule { return p.Fingerprint.Body }),
		judge: func(p pair) Rule {
			if bodyStrictness[p.new.Policy.Fingerprint.Body] > bodyStrictness[p.old.Policy.Fingerprint.Body] {
				return ruleFingerprintStricter
			}
			return ruleFingerprintLooser
		},
	},
	{
		fields: []string{"Fingerprint.Include"}, member: "fingerprint.include", context: within(comparesMembers),
		value: names(func(p *policy.Policy) []string { return p.Fingerprint.Include }),
		judge: func(p pair) Rule {
			before, after := p.old.Policy.Fingerprint.Include, p.new.Policy.Fingerprint.Include
			added, removed := sets(before, after)
			switch {
			case len(before) == 0: // all of the body was compared
				return ruleFingerprintLooser
			case len(after) == 0:
				return ruleFingerprintStricter
			case len(added) == 0 && len(removed) == 0:
				return ruleFingerprintOrder
			default:
				return compared(added, removed)
			}
		},
	},
	{
		fields: []string{"Fingerprint.Exclude"}, member: "fingerprint.exclude", context: within(comparesMembers),
		value: names(func(p *policy.Policy) []string { return slices.Sorted(slices.Values(p.Fingerprint.Exclude)) }),
		judge: func(p pair) Rule {
			added, removed := sets(p.old.Policy.Fingerprint.Exclude, p.new.Policy.Fingerprint.Exclude)
			return compared(removed, added)
		},
	},
	{
		fields: []string{"Fingerprint.Query"}, member: "fingerprint.query",
		value: yesNo(comparesQuery), judge: turned(comparesQuery, ruleFingerprintStricter, ruleFingerprintLooser),
	},
	{
		fields: []string{"Fingerprint.Headers"}, member: "fingerprint.headers",
		value: names(fingerprintHeaders),
		judge: func(p pair) Rule {
			return compared(sets(fingerprintHeaders(&p.old.Policy), fingerprintHeaders(&p.new.Policy)))
		},
	},
}

// compared judges by what is compared now and was not, and the other way round.
func compared(more, less []string) Rule {
	switch {
	case len(less) == 0:
		return ruleFingerprintStricter
	case len(more) == 0:
		return ruleFingerprintLooser
	default:
		return ruleFingerprintChanged
	}
}

func comparesQuery(p *policy.Policy) bool          { return p.Fingerprint.Query }
func fingerprintHeaders(p *policy.Policy) []string { return headerSet(p.Fingerprint.Headers) }

func takesBody(op *policy.Operation) bool { return op.Shape == nil || op.Shape.Body != nil }

func comparesMembers(op *policy.Operation) bool {
	return takesBody(op) && op.Policy.Fingerprint.Body == policy.CanonicalBody
}
