package main

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// printTable prints rows in columns; the first is their headings.
func (s *session) printTable(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], columns(text))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, text := range row {
			line.WriteString(text)
			line.WriteString(strings.Repeat(" ", widths[i]-columns(text)+2))
		}
		look := plain
		if n == 0 {
			look = bold
		}
		fmt.Fprintln(s.stdout, paint(s.colourOn(s.stdout), look, strings.TrimRight(line.String(), " ")))
	}
}

func columns(text string) int {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return n
}

// short is text from a row of the database, safe to print and at most so many columns wide.
func short(text string, most int) string {
	n := 0
	text = visible(text[:min(len(text), 8*most)], keepNothing)
	for i, r := range text {
		if n += cells(r); n > most-1 && i+len(string(r)) < len(text) {
			return text[:i] + "…"
		}
	}
	return text
}

// principal is the principal of a record's scope, or as much of the scope as there is.
func principal(e *pgstore.Entry) string {
	parts, ok := runtime.ParseScope(e.ID.Scope)
	if !ok {
		return e.ID.Scope
	}
	for _, part := range parts {
		if part.Kind == "principal" {
			return scopeValue(part)
		}
	}
	return ""
}

func scopeValue(part runtime.ScopeValue) string {
	switch {
	case part.Absent:
		return "(absent)"
	case part.Hashed:
		return "sha256:" + part.Value
	case part.Value == "":
		return "(empty)"
	default:
		return part.Value
	}
}

// lease says what is left of a record's lease.
func lease(e *pgstore.Entry) string {
	if e.Overdue() {
		return "over for " + span(-e.Left)
	}
	return span(e.Left) + " left"
}

func stepNames(e *pgstore.Entry) string {
	if e.StepsDamaged {
		return "(damaged)"
	}
	names := make([]string, len(e.Steps))
	for i, step := range e.Steps {
		names[i] = step.Name
	}
	return strings.Join(names, ", ")
}

// seenText is the state of a record as people pass it on: the epoch, and the beginning of the owner's token.
func seenText(seen pgstore.Seen) string {
	return fmt.Sprintf("%d-%s", seen.Epoch, hex.EncodeToString(seen.Owner[:4]))
}

// state is what a record is, in a word or two.
func state(e *pgstore.Entry) string {
	switch {
	case e.InProgress:
		return "in progress"
	case e.Expired:
		return "expired"
	default:
		return "complete"
	}
}

// storedText says what is stored, and shows it where it is there to be shown.
func storedText(v pgstore.Stored) string {
	text := fmt.Sprintf("%d bytes", v.Bytes)
	if v.Sealed {
		return text + ", sealed with key " + quoted(v.SealedBy)
	}
	if v.Content != nil {
		return text + ": " + quoted(string(v.Content))
	}
	return text
}

// quoted is any bytes in one line of printable text, from which they can be read exactly: Go's syntax.
func quoted(text string) string { return visible(fmt.Sprintf("%+q", text), keepNothing) }
