package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A snippet shows at most this many columns, this many of them before the caret: a minified document is one line of
// megabytes.
const (
	snippetWidth  = 100
	snippetBefore = 60
	// Characters that take no column are bounded, too: a hostile line could be made of nothing else.
	snippetRunes = 4 * snippetWidth
	tabWidth     = 4
)

// snippet returns the source line and, for the line below it, what stands before the caret. column counts bytes from 1; 0
// means unknown, and gives no caret. Tabs become spaces, so that the caret is right whatever a terminal makes of them.
func snippet(source string, column int) (line, caret string, ok bool) {
	source = strings.TrimRight(source, "\r\n")
	if strings.TrimSpace(source) == "" {
		return "", "", false
	}
	if column < 1 || column > len(source)+1 {
		line, _ = window(source, 0)
		return noCommand(line), "", true
	}
	line, before := window(source, column-1)
	return noCommand(line), strings.Repeat(" ", before), true
}

// noCommand keeps a line of a document from being read as a command, as GitHub reads one that begins with two colons in
// whatever a job prints. Its columns stay.
func noCommand(line string) string {
	if strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") {
		return strings.Replace(line, ":", string(utf8.RuneError), 1)
	}
	return line
}

// window cuts source to what can be shown around the byte at offset, without its indentation, and says how many columns
// stand before it.
func window(source string, offset int) (line string, before int) {
	indent := len(source) - len(strings.TrimLeft(source, " \t"))
	source, offset = source[indent:], max(0, offset-indent)

	room := snippetWidth
	if _, long := lastCells(source, snippetWidth); long {
		room = snippetBefore
	}
	left, cut := lastCells(source[:offset], room)
	if cut {
		line, before = "…", 1
	}
	head, columns := expand(left)
	line, before = line+head, before+columns
	var right strings.Builder
	used, runes := before, 0
	for _, r := range source[offset:] {
		text, n := expandRune(r)
		if used+n > snippetWidth || runes == snippetRunes {
			return line + right.String() + "…", before
		}
		right.WriteString(text)
		used, runes = used+n, runes+1
	}
	return strings.TrimRight(line+right.String(), " "), before
}

// lastCells is the end of text that fits into limit columns.
func lastCells(text string, limit int) (end string, cut bool) {
	start, used, runes := len(text), 0, 0
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		_, n := expandRune(r)
		if used+n > limit || runes == snippetRunes {
			return text[start:], true
		}
		start, used, runes = start-size, used+n, runes+1
	}
	return text, false
}

func expand(text string) (expanded string, columns int) {
	var b strings.Builder
	for _, r := range text {
		piece, n := expandRune(r)
		b.WriteString(piece)
		columns += n
	}
	return b.String(), columns
}

func expandRune(r rune) (text string, columns int) {
	if r == '\t' {
		return strings.Repeat(" ", tabWidth), tabWidth
	}
	text = visible(string(r), keepNothing)
	for _, shown := range text {
		columns += cells(shown)
	}
	return text, columns
}
