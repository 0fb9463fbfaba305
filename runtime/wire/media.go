package wire

import (
	"mime"
	"net/http"
	"strings"
)

// Content says which of the media types that a document lists the body has, "" when there is no body or it has none of
// them. The second is reported and answered with 415, and so is, where the body is required, the first with 400. A list
// may hold ranges such as image/*, and types with parameters; the closest wins. A body without Content-Type is taken
// for the only type that is listed, if there is one only.
func (in *Reader) Content(required bool, types ...string) string {
	header := in.request.Header.Get("Content-Type")
	if len(in.body) == 0 && !mayBeEmpty(header) {
		if required {
			in.add(Violation{Pointer: "#", Detail: "a request body is required"})
		}
		return ""
	}
	if header == "" && len(types) == 1 && !strings.Contains(types[0], "*") {
		return types[0]
	}
	sent, parameters, err := mime.ParseMediaType(header)
	if err == nil && len(in.request.Header.Values("Content-Type")) == 1 && readableCharset(sent, parameters["charset"]) {
		if best := closest(sent, parameters, types); best != "" {
			return best
		}
	}
	in.add(Violation{In: "header", Parameter: "Content-Type", Detail: "must be one of " + listed(types)})
	in.invalid.Status = http.StatusUnsupportedMediaType
	in.invalid.Accept = types
	return ""
}

// mayBeEmpty reports whether nothing is a value of the content type: an empty text is a text, but there is no empty
// JSON value.
func mayBeEmpty(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && !isJSON(kind) && kind != "application/x-www-form-urlencoded" && !strings.HasPrefix(kind, "multipart/")
}

// closest returns the listed type that a sent one matches best: the same type with the same parameters, the same type,
// the same structured suffix, a range of the type, any type.
func closest(sent string, parameters map[string]string, types []string) (best string) {
	bestRank := 0
	for _, listed := range types {
		if rank := matchRank(sent, parameters, listed); rank > bestRank {
			best, bestRank = listed, rank
		}
	}
	return best
}

func matchRank(sent string, parameters map[string]string, listed string) int {
	want, wanted, err := mime.ParseMediaType(listed)
	if err != nil {
		return 0
	}
	delete(wanted, "charset")
	switch {
	case want == sent && len(wanted) > 0:
		for name, value := range wanted {
			if !strings.EqualFold(parameters[name], value) {
				return 0
			}
		}
		return 5
	case want == sent:
		return 4
	case strings.HasSuffix(want, "/*") && want != "*/*":
		if strings.HasPrefix(sent, strings.TrimSuffix(want, "*")) {
			return 2
		}
	case strings.Contains(want, "/*+"): // application/*+json
		kind, suffix, _ := strings.Cut(want, "*")
		if strings.HasPrefix(sent, kind) && strings.HasSuffix(sent, suffix) {
			return 3
		}
	case want == "*/*":
		return 1
	}
	return 0
}

// readableCharset reports whether the text of a body is UTF-8 as far as its type says.
func readableCharset(sent, charset string) bool {
	if charset == "" || !isJSON(sent) && !strings.HasPrefix(sent, "text/") && sent != "application/x-www-form-urlencoded" {
		return true
	}
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "us-ascii")
}

// isJSON reports whether a media type is JSON, by either of its names or by its suffix (RFC 6839, section 3.1), as package
// runtime compares it.
func isJSON(mediaType string) bool {
	kind, _, err := mime.ParseMediaType(mediaType)
	return err == nil && (kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json"))
}
