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

// Drivers have no place for a grade (go/analysis knows positions, a category and a text), so it stands at the end of the message, where each of them keeps it.

// WithGrade appends the grade to a message: "… Mint the key before the loop. (error, high confidence)".
func WithGrade(message string, severity Severity, confidence settings.Confidence) string {
	return message + " (" + string(severity) + ", " + string(confidence) + " confidence)"
}

// SplitGrade takes a message that [WithGrade] made apart. ok is false, and text the whole message, when it ends in no grade.
func SplitGrade(message string) (text string, severity Severity, confidence settings.Confidence, ok bool) {
	body, found := strings.CutSuffix(message, " confidence)")
	if !found {
		return message, "", "", false
	}
	open := strings.LastIndex(body, " (")
	if open < 0 {
		return message, "", "", false
	}
	first, second, found := strings.Cut(body[open+len(" ("):], ", ")
	severity, confidence = Severity(first), settings.Confidence(second)
	if !found || !severity.known() || !confidence.Known() {
		return message, "", "", false
	}
	return body[:open], severity, confidence, true
}

func (s Severity) known() bool { return s == Error || s == Warning || s == Info }
