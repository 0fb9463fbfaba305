package audit

import (
	"strings"
	"unicode"
)

// plain makes a document's text fit for a sentence on one line: nothing that ends a line, hides or changes the direction of
// what follows, and no more of it than a reader takes in.
func plain(text string) string {
	const most = 120
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	if runes := []rune(clean); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return clean
}

// name is an operation in a sentence.
func name(method, path string, webhook bool) string {
	if webhook {
		return "webhook " + plain(method+" "+path)
	}
	return plain(method + " " + path)
}
