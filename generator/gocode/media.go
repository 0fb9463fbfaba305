package gocode

import (
	"mime"
	"slices"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// answerKind is how an answer is written: a form is written by the handler, as bytes.
func answerKind(c *policy.Content) media.Kind {
	switch kind := media.OfContent(c); kind {
	case media.Form, media.Multipart:
		return media.Binary
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
