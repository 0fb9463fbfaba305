package report

import (
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Severity is what a finding costs when it is true.
type Severity string

// Error: money or data is lost or doubled. Warning: an error or a stuck request under concurrency. Info: worth a look.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Drivers have no place for a grade (go/analysis knows positions, a category and a text) and go vet does not tell the analyzer's name, which a directive needs. So both stand at the end of the message, where every driver keeps them.

// Grade is what stands in parentheses at the end of a message.
type Grade struct {
	Analyzer   string
	Severity   Severity
	Confidence settings.Confidence
}

// With appends the grade to a message: "… Mint the key before the loop. (retrykey: error, high confidence)".
func (g Grade) With(message string) string {
	return message + " (" + g.Analyzer + ": " + string(g.Severity) + ", " + string(g.Confidence) + " confidence)"
}

// SplitGrade takes a message that [Grade.With] made apart. ok is false, and text the whole message, when it ends in no grade.
func SplitGrade(message string) (text string, g Grade, ok bool) {
	body, found := strings.CutSuffix(message, " confidence)")
	if !found {
		return message, Grade{}, false
	}
	open := strings.LastIndex(body, " (")
	if open < 0 {
		return message, Grade{}, false
	}
	analyzer, rest, _ := strings.Cut(body[open+len(" ("):], ": ")
	first, second, found := strings.Cut(rest, ", ")
	g = Grade{analyzer, Severity(first), settings.Confidence(second)}
	if !found || !g.Severity.known() || !g.Confidence.Known() {
		return message, Grade{}, false
	}
	return body[:open], g, true
}

func (s Severity) known() bool { return s == Error || s == Warning || s == Info }
