package policy

import "strings"

// IsToken reports whether text is a token (RFC 9110, section 5.6.2), as the names of headers are.
func IsToken(text string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return true
}
