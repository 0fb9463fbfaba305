package main

import (
	"strings"
	"unicode/utf8"
)

// A snippet shows at most this many columns, this many of them before the caret: a minified document is one line of
// megabytes.
const (
	snippetWidth  = 100
	snippetBefore = 60
	tabWidth      = 4
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
		return line, "", true
	}
	line, before := window(source, column-1)
	return line, strings.Repeat(" ", before), true
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
	used := before
	for _, r := range source[offset:] {
		text, n := expandRune(r)
		if used+n > snippetWidth {
			return line + "…", before
		}
		line, used = line+text, used+n
	}
	return strings.TrimRight(line, " "), before
}

// lastCells is the end of text that fits into limit columns.
func lastCells(text string, limit int) (end string, cut bool) {
	start, used := len(text), 0
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		_, n := expandRune(r)
		if used+n > limit {
			return text[start:], true
		}
		start, used = start-size, used+n
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
