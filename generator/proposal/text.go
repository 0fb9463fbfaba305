package proposal

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// maxSummary is how much of a summary a comment shows, in characters.
const maxSummary = 72

// oneLine makes a document's text fit for one line of a YAML comment: no line break of any kind, no control character, no
// character that changes the direction of what follows.
func oneLine(text string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r): // with U+0085, U+2028 and U+2029, which end a line in YAML 1.1
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(clean), " ")
}

// summary is text on one line, cut to a length that a reader takes in.
func summary(text string) string {
	clean := oneLine(text)
	if runes := []rune(clean); len(runes) > maxSummary {
		return strings.TrimSpace(string(runes[:maxSummary-1])) + "…"
	}
	return clean
}

var plainScalar = regexp.MustCompile(`^\$[A-Za-z0-9_$.'\[\]/{}*+~-]*$|^[A-Za-z][A-Za-z0-9_./ -]*[A-Za-z0-9_/-]$`)

// reserved plain words are not text in some YAML version.
var reserved = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null|y|n)$`)

// scalar writes text as a YAML scalar on one line, in double quotes where it is not plainly plain.
func scalar(text string) string {
	if plainScalar.MatchString(text) && !reserved.MatchString(text) {
		return text
	}
	return quoted(text)
}

// quoted writes text in double quotes, with everything that cannot be seen escaped.
func quoted(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteByte('\\')
			quoted.WriteRune(r)
		case r < 0x20 || r > 0x7e && !unicode.IsPrint(r):
			if r > 0xffff {
				fmt.Fprintf(&quoted, `\U%08x`, r)
				continue
			}
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}
