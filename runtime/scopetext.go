package runtime

import (
	"strconv"
	"strings"
)

// ScopeValue is one part of a scope, as [ParseScope] reads it.
type ScopeValue struct {
	// Kind is "principal", "operation", "region" or "header".
	Kind string
	// Value is what the client or the service gave; its SHA-256 in hexadecimal where Hashed, since it was too long.
	Value  string
	Hashed bool
	// Absent: the request had no such header.
	Absent bool
}

// scopeKinds are the letters of [plan.scope].
var scopeKinds = map[byte]string{'p': "principal", 'o': "operation", 'r': "region", 'h': "header"}

// ParseScope takes the text of an [ID]'s scope apart, for whoever has to look at records. It is false for a text that this
// version of the package would not have written.
func ParseScope(scope string) ([]ScopeValue, bool) {
	var parts []ScopeValue
	for scope != "" {
		letter := scope[0]
		if letter == 'n' {
			parts, scope = append(parts, ScopeValue{Kind: "header", Absent: true}), scope[1:]
			continue
		}
		kind, hashed := scopeKinds[letter], false
		if kind == "" {
			kind, hashed = scopeKinds[letter+'a'-'A'], true
		}
		number, rest, ok := strings.Cut(scope[1:], ":")
		length, err := strconv.Atoi(number)
		if kind == "" || !ok || err != nil || length < 0 || length > len(rest) || strconv.Itoa(length) != number {
			return nil, false
		}
		parts, scope = append(parts, ScopeValue{Kind: kind, Value: rest[:length], Hashed: hashed}), rest[length:]
	}
	return parts, len(parts) > 0
}

// PrincipalScope is how the text of each scope begins whose first part is this principal, and of no other.
func PrincipalScope(principal string) string {
	return string(appendScopePart(nil, 'p', principal))
}
