package compat

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A record is found by the text of its scope and by its key. With any other scope the records that are there are not found,
// so each change of it hurts the retries that cross it, whatever it does to those that come later.
var (
	ruleScopeNarrower = needing(breaking("scope-narrower",
		"A key that counted for more counts once for each value of the new part: a client that repeats a request with another value has it carried out again, and so has each that repeats one sent before the change",
		"add the part to another version of the operation, with clients that send new keys", Clients, Retries), needQuiet)
	ruleScopeWider = needing(breaking("scope-wider",
		"Keys that counted apart are one key: a client that uses one key for two values of the part that is gone gets a refusal, or the other request's answer; and a request sent before the change is carried out again when it is repeated after it",
		"ask clients for keys that are unique without the part, and take it away when they are", Clients, Retries), needQuiet)
	ruleScopeChanged = needing(breaking("scope-changed",
		"Keys count within other bounds: a client has a request carried out again where one key counted before, gets another request's answer where two did, and has each request that crosses the change carried out again",
		"change it in another version of the operation, with clients that send new keys", Clients, Retries), needQuiet)
	ruleScopeOrder = needing(breaking("scope-order",
		"Keys count as before, but those in use are not found: a request sent before the change is carried out again when it is repeated after it",
		"keep the order: it means nothing to clients", Retries), needQuiet)
	ruleScopeWords = editorial("scope-words",
		"The account and the principal are one part of a scope in two words")
)

var scopeRows = []row{{
	fields: []string{"Scope"}, member: "scope",
	value: names(func(p *policy.Policy) []policy.ScopePart { return p.Scope }),
	judge: func(p pair) Rule {
		before, after := scopeParts(&p.old.Policy), scopeParts(&p.new.Policy)
		added, removed := sets(before, after)
		switch {
		case slices.Equal(before, after):
			return ruleScopeWords
		case len(added) > 0 && len(removed) > 0:
			return ruleScopeChanged
		case len(added) > 0:
			return ruleScopeNarrower
		case len(removed) > 0:
			return ruleScopeWider
		default:
			return ruleScopeOrder
		}
	},
}}

// scopeParts are the parts as a record's scope has them: the account is the principal.
func scopeParts(p *policy.Policy) []policy.ScopePart {
	parts := slices.Clone(p.Scope)
	for i, part := range parts {
		if part == policy.ScopeAccount {
			parts[i] = policy.ScopePrincipal
		}
	}
	return parts
}

// perOperation reports whether a record's scope holds the operation's id.
func perOperation(p *policy.Policy) bool { return slices.Contains(p.Scope, policy.ScopeOperation) }
