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

// names hands out names, each once. A name that is taken has the number that was tried last behind it: hostile documents
// have ten thousands that are alike.
type names map[string]int

// claim returns name, or where that is taken name with the next free number behind an underscore.
func (n names) claim(name string) string {
	free := name
	for n[free] > 0 {
		n[name]++
		free = name + "_" + decimal(n[name])
	}
	n[free] = 1
	return free
}
