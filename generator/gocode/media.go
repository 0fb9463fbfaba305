package gocode

import (
	"mime"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// mediaKind is how a body is read or written. The order is the one in which bodies are preferred and listed.
type mediaKind int

const (
	jsonMedia mediaKind = iota
	formMedia
	multipartMedia
	textMedia
	binaryMedia
)

// field is the name of a request's field, and the end of an answer's type name, where there are several media types.
func (k mediaKind) field() string {
	return [...]string{"JSON", "Form", "Multipart", "Text", "Binary"}[k]
}

// kindOf tells the kind of a media type or media type range.
func kindOf(mediaType string) mediaKind {
	essence, _, _ := strings.Cut(mediaType, ";")
	essence = strings.ToLower(strings.TrimSpace(essence))
	switch {
	case essence == "application/json", strings.HasSuffix(essence, "+json"), essence == "text/json":
		return jsonMedia
	case essence == "application/x-www-form-urlencoded":
		return formMedia
	case essence == "multipart/form-data":
		return multipartMedia
	case strings.HasPrefix(essence, "text/"):
		return textMedia
	default:
		return binaryMedia
	}
}

// bodyKind tells how a request's content is read. Any type at all with a schema that is no text means JSON: some frameworks
// write documents that way.
func bodyKind(c *policy.Content) mediaKind {
	kind := kindOf(c.MediaType)
	anything := c.MediaType == "*/*" || c.MediaType == "application/*"
	if anything && c.Schema != nil && c.Schema.Kind != policy.String && c.Schema.Kind != policy.Any {
		return jsonMedia
	}
	return kind
}

// answerKind is bodyKind for an answer: a form is written by the handler, as bytes.
func answerKind(c *policy.Content) mediaKind {
	switch kind := bodyKind(c); kind {
	case formMedia, multipartMedia:
		return binaryMedia
	default:
		return kind
	}
}

// distinct leaves out media types that differ from an earlier one in their charset only: JSON and forms have one.
func distinct(contents []policy.Content) []*policy.Content {
	var kept []*policy.Content
	for i := range contents {
		known := slices.ContainsFunc(kept, func(c *policy.Content) bool {
			return withoutCharset(c.MediaType) == withoutCharset(contents[i].MediaType)
		})
		if !known {
			kept = append(kept, &contents[i])
		}
	}
	return kept
}

func withoutCharset(mediaType string) string {
	essence, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return mediaType
	}
	delete(parameters, "charset")
	return mime.FormatMediaType(essence, parameters)
}
