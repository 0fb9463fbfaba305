package gocode

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scope hands out the identifiers of one Go scope, each once. A name that is taken has the number that was tried last
// behind it: hostile documents have ten thousands of names that come to one identifier.
type scope map[string]int

// newScope returns a scope in which the given names are taken already.
func newScope(taken ...string) scope {
	s := scope{}
	for _, name := range taken {
		s.take(name)
	}
	return s
}

func (s scope) has(name string) bool { return s[name] > 0 }

// take makes a name unavailable.
func (s scope) take(name string) { s[name] = max(s[name], 1) }

// claim returns the first candidate that is free and takes it. When none is, the last one is numbered from 2 on. Callers
// ask in a sorted order, so that equal documents get equal names.
func (s scope) claim(candidates ...string) string {
	for _, name := range candidates {
		if !s.has(name) {
			s.take(name)
			return name
		}
	}
	last := candidates[len(candidates)-1]
	for {
		s[last]++
		if name := last + strconv.Itoa(s[last]); !s.has(name) {
			s.take(name)
			return name
		}
	}
}

// initialisms are written in one case, as Go's own style asks for.
var initialisms = map[string]bool{
	"ACL": true, "API": true, "ASCII": true, "CPU": true, "CSS": true, "DNS": true, "EOF": true, "GUID": true, "HTML": true,
	"HTTP": true, "HTTPS": true, "ID": true, "IP": true, "JSON": true, "JWT": true, "QR": true, "RPC": true, "SKU": true,
	"SMTP": true, "SQL": true, "SSH": true, "TCP": true, "TLS": true, "TTL": true, "UDP": true, "UI": true, "UID": true,
	"URI": true, "URL": true, "UTF8": true, "UUID": true, "VAT": true, "XML": true, "XSRF": true, "XSS": true,
}

// exported makes an exported Go identifier of any text: words are joined in camel case with Go's initialisms, symbols that
// carry meaning are spelled out, and what does not start with a capital gets an X. It never returns an empty string.
func exported(text string) string {
	return camel(text, true)
}

// imported makes the identifier under which other generators publish a named schema: camel case without initialisms. A name
// that is an exported identifier already stays as it is.
func imported(text string) string {
	return camel(text, false)
}

// maxIdentifier bounds an identifier, in bytes: one that is longer than a line tells nobody anything. Names that are equal
// then get numbers.
const maxIdentifier = 100

func camel(text string, initials bool) string {
	if text == "" {
		return "Empty"
	}
	text = spellOut(text)
	shouting := isShouting(text)
	var b strings.Builder
	for _, word := range words(text) {
		b.WriteString(title(word, shouting && initials, initials))
	}
	name := b.String()
	if len(name) > maxIdentifier && initials { // whoever else named a type did not cut it
		name = strings.ToValidUTF8(name[:maxIdentifier], "")
	}
	first, _ := utf8.DecodeRuneInString(name)
	if !unicode.IsUpper(first) {
		name = "X" + name
	}
	return name
}

// spelled gives words to the symbols that tell two names apart: GitHub's reactions are "+1" and "-1".
var spelled = map[rune]string{
	'+': "plus", '-': "minus", '*': "star", '$': "dollar", '%': "percent", '&': "and", '@': "at", '<': "less", '>': "greater",
	'=': "equal", '!': "not", '~': "tilde", '^': "caret", '|': "or", '#': "number",
}

// spellOut replaces a symbol at the start of text, and every symbol of a text that has no letter or digit at all.
func spellOut(text string) string {
	symbolsOnly := strings.IndexFunc(text, isWordRune) < 0
	var b strings.Builder
	for i, r := range text {
		word, known := spelled[r]
		switch {
		case known && (symbolsOnly || i == 0):
			b.WriteString(" " + word + " ")
		case symbolsOnly && r != utf8.RuneError:
			fmt.Fprintf(&b, " u%04x ", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isShouting reports whether text is written in capitals, such as "PENDING_REVIEW". A short word such as "EUR" is not.
func isShouting(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters > 3
}

// words splits text at everything that is not a letter or a digit, and where camel case begins a new word.
func words(text string) []string {
	var found []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) }) {
		runes, start := []rune(part), 0
		for i := 1; i < len(runes); i++ {
			if beginsWord(runes, i) {
				found = append(found, string(runes[start:i]))
				start = i
			}
		}
		found = append(found, string(runes[start:]))
	}
	return found
}

// beginsWord reports whether a new word begins at i: "fooBar", "HTTPServer", but not within "IDs".
func beginsWord(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	plural := i+2 == len(runes) && runes[i+1] == 's'
	return i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !plural
}

func title(word string, shouting, initials bool) string {
	upper := strings.ToUpper(word)
	if initials {
		if initialisms[upper] {
			return upper
		}
		if stem, plural := strings.CutSuffix(upper, "S"); plural && initialisms[stem] && word != upper {
			return stem + "s"
		}
	}
	if shouting {
		word = strings.ToLower(word)
	}
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}
