package report

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

func TestGradeRoundTrip(t *testing.T) {
	for _, message := range []string{"", "A. B.", "ends in (parentheses)", "x (error, high confidence)"} {
		for _, severity := range []Severity{Error, Warning, Info} {
			for _, confidence := range []settings.Confidence{settings.Low, settings.Medium, settings.High} {
				text, s, c, ok := SplitGrade(WithGrade(message, severity, confidence))
				if !ok || text != message || s != severity || c != confidence {
					t.Errorf("%q %s %s became %q %s %s %t", message, severity, confidence, text, s, c, ok)
				}
			}
		}
	}
}

func TestSplitGradeOfOthers(t *testing.T) {
	for _, message := range []string{"", "result of fmt.Sprint call not used", "x (error, confidence)", "x (fatal, high confidence)", "x (error, utter confidence)", "(error, high confidence)"} {
		if text, _, _, ok := SplitGrade(message); ok || text != message {
			t.Errorf("%q was taken for graded", message)
		}
	}
}
