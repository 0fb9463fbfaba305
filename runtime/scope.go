package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A scope is part of an index entry, and so bounded: by its number of parts, and by the length of each in bytes. A longer
// value is represented by its hash.
const (
	maxScopeParts = 5
	maxScopePart  = 256
)

// scope is the canonical text of the policy's scope parts for a request. Each part is a letter for its kind, its length
// and its value, so that no two scopes share a text by being joined.
func (p *plan) scope(r *http.Request, principal string) (string, *Problem) {
	text := make([]byte, 0, 64)
	for _, part := range p.op.Policy.Scope {
		if name, ok := part.Header(); ok {
			lines := headerLines(r, http.CanonicalHeaderKey(name))
			switch len(lines) {
			case 0:
				text = append(text, 'n') // no header is not the same as an empty one
			case 1:
				text = appendScopePart(text, 'h', lines[0])
			default:
				return "", p.problem(caseBadRequest, "The "+http.CanonicalHeaderKey(name)+" header is sent in more than one line.")
			}
			continue
		}
		switch part {
		case policy.ScopePrincipal, policy.ScopeAccount:
			text = appendScopePart(text, 'p', principal)
		case policy.ScopeOperation:
			text = appendScopePart(text, 'o', p.op.ID)
		case policy.ScopeRegion:
			text = appendScopePart(text, 'r', p.settings.region)
		}
	}
	return string(text), nil
}

func appendScopePart(text []byte, kind byte, value string) []byte {
	if len(value) > maxScopePart {
		sum := sha256.Sum256([]byte(value))
		kind -= 'a' - 'A' // a value and a hash of the same letters stay apart
		value = hex.EncodeToString(sum[:])
	}
	text = append(text, kind)
	text = strconv.AppendInt(text, int64(len(value)), 10)
	text = append(text, ':')
	return append(text, value...)
}
