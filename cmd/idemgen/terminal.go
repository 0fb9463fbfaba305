package main

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// isTerminal reports whether w is a terminal that a person looks at.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// style is how a piece of text is set off, as an SGR sequence; the zero style is plain.
type style string

const (
	bold   style = "\x1b[1m"
	red    style = "\x1b[1;31m"
	yellow style = "\x1b[1;33m"
	cyan   style = "\x1b[1;36m"
	green  style = "\x1b[1;32m"
	dim    style = "\x1b[2m"
	plain  style = ""
	reset        = "\x1b[0m"
)

// paint is text in a style, where colour is on.
func paint(on bool, s style, text string) string {
	if !on || text == "" || s == plain {
		return text
	}
	return string(s) + text + reset
}

// cells is how many columns of a terminal a character takes. It follows Unicode's East Asian Width; terminals do not
// agree on joined emoji, so those are counted part by part.
func cells(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r), unicode.Is(unicode.Cf, r):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Which characters visible leaves as they are.
const (
	keepNothing = ""
	keepLayout  = "\n\t"
)

// visible makes text safe to print: bytes of a document must not move the cursor, change colours or hide what follows.
// Control characters, characters that change the direction of text and bytes that are not UTF-8 are replaced by U+FFFD.
func visible(text, keep string) string {
	clean := true
	for _, r := range text {
		if unsafe(r, keep) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unsafe(r, keep) {
			return utf8.RuneError
		}
		return r
	}, text)
}

func unsafe(r rune, keep string) bool {
	switch {
	case r == utf8.RuneError:
		return true
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return !strings.ContainsRune(keep, r)
	}
	// Bidirectional formatting, but not the joiners that scripts and emoji need.
	return r == '\u061c' || r == '\u200e' || r == '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
