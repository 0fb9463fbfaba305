package spec

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// shown is a text of the document, such as a path, without quotes where it needs none.
func shown(s string) string {
	quoted := quoteShort(s)
	if s == "" || quoted != `"`+s+`"` || strings.Contains(s, " ") {
		return quoted
	}
	return s
}

// quoteShort quotes a text of the document for a message: cut where it is long, with everything unprintable escaped.
func quoteShort(s string) string {
	const most = 80
	if len(s) <= most {
		return strconv.Quote(s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "..."
}
