package media

import (
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Kind is how a body is read or written. The order is the one in which bodies are preferred and listed.
type Kind int

// The kinds.
const (
	JSON Kind = iota
	Form
	Multipart
	Text
	Binary
)

// String is the kind's name, fit for a part of a Go name.
func (k Kind) String() string {
	return [...]string{"JSON", "Form", "Multipart", "Text", "Binary"}[k]
}

// IsJSON reports whether a media type is JSON, as the runtime takes it: with any parameters, in capitals or small letters.
func IsJSON(mediaType string) bool { return Of(mediaType) == JSON }

// Of is the kind of a media type or media type range.
func Of(mediaType string) Kind {
	switch essence := essenceOf(mediaType); {
	case essence == "application/json", strings.HasSuffix(essence, "+json"), essence == "text/json":
		return JSON
	case essence == "application/x-www-form-urlencoded":
		return Form
	case essence == "multipart/form-data":
		return Multipart
	case strings.HasPrefix(essence, "text/"):
		return Text
	default:
		return Binary
	}
}

// OfContent is the kind of a body. Any type at all with a schema that is no text means JSON: some frameworks write
// documents that way.
func OfContent(c *policy.Content) Kind {
	essence := essenceOf(c.MediaType)
	anything := essence == "*/*" || essence == "application/*"
	if anything && c.Schema != nil && c.Schema.Kind != policy.String && c.Schema.Kind != policy.Any {
		return JSON
	}
	return Of(c.MediaType)
}

func essenceOf(mediaType string) string {
	essence, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(essence))
}
