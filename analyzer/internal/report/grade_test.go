package report

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

func TestGradeRoundTrip(t *testing.T) {
	for _, message := range []string{"", "A. B.", "ends in (parentheses)", "x (a: error, high confidence)"} {
		for _, severity := range []Severity{Error, Warning, Info} {
			for _, confidence := range []settings.Confidence{settings.Low, settings.Medium, settings.High} {
				grade := Grade{"retrykey", severity, confidence}
				if text, g, ok := SplitGrade(grade.With(message)); !ok || text != message || g != grade {
					t.Errorf("%q %v became %q %v %t", message, grade, text, g, ok)
				}
			}
		}
	}
}

func TestSplitGradeOfOthers(t *testing.T) {
	for _, message := range []string{"", "result of fmt.Sprint call not used", "x (a: error, confidence)", "x (a: fatal, high confidence)", "x (a: error, utter confidence)", "x (error, high confidence)", "(a: error, high confidence)"} {
		if text, _, ok := SplitGrade(message); ok || text != message {
			t.Errorf("%q was taken for graded", message)
		}
	}
}
