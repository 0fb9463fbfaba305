package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxIdentifier is PostgreSQL's limit for a name, in bytes (NAMEDATALEN - 1).
const maxIdentifier = 63

// Name is the constraint's name: "idemgen_TABLE_COLUMN_COLUMN_key", lower case, with whatever is not a letter, a digit or
// an underscore replaced. A name over PostgreSQL's 63 bytes ends in a hash of the whole, so that two guards never share
// one by being cut.
func (g Guard) Name() string {
	parts := append([]string{"idemgen", g.Table}, g.Columns...)
	name := identifier(strings.Join(append(parts, "key"), "_"))
	if len(name) <= maxIdentifier {
		return name
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	tail := "_" + hex.EncodeToString(sum[:4])
	return name[:maxIdentifier-len(tail)] + tail
}

func identifier(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		default:
			return '_'
		}
	}, text)
}
