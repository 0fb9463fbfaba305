package analyzer

import (
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/directive"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// ConfigFile is looked for in the folder of go.mod.
const ConfigFile = settings.FileName

// ReadConfig reads a settings file. The error has a line, file:line:column: what is wrong, for each problem.
func ReadConfig(file string) (Config, error) { return settings.Read(file) }

// Confidence is how sure a finding is, and Severity what it costs when it is true.
type (
	Confidence = settings.Confidence
	Severity   = report.Severity
	Grade      = report.Grade
)

// The confidences, from names alone to every step seen.
const (
	Low    = settings.Low
	Medium = settings.Medium
	High   = settings.High
)

// The severities.
const (
	SeverityError   = report.Error
	SeverityWarning = report.Warning
	SeverityInfo    = report.Info
)

// SplitGrade takes the grade off the end of a diagnostic's message: "… Mint the key before the loop. (retrykey: error, high confidence)". ok is false for a message of another tool.
func SplitGrade(message string) (text string, grade Grade, ok bool) {
	return report.SplitGrade(message)
}

// Category is a kind of finding as an analyzer's page tells of it. Severity is the highest that it has.
type Category struct {
	ID       string
	Severity Severity
	Text     string
}

// Section gives the text of a section of an analyzer's page, such as "Why"; empty when the page has none of that title.
func Section(a *analysis.Analyzer, title string) string { return report.Section(a.Doc, title) }

// CategoriesOf gives the kinds of findings of one of our analyzers, with the directives that rule nothing out, which each of them reports; for others there are none.
func CategoriesOf(a *analysis.Analyzer) []Category {
	var list []Category
	for _, c := range report.Categories(a.Doc) {
		highest := SeverityInfo
		for _, severity := range c.Severities {
			if severity == SeverityError || highest == SeverityInfo {
				highest = severity
			}
		}
		list = append(list, Category{c.ID, highest, c.Text})
	}
	if len(list) > 0 && a.Name != directive.Name {
		list = append(list, Category{report.UnusedIgnore, SeverityWarning, "a directive //idemvet:ignore rules nothing out."})
	}
	return list
}

// CategoryURL is the place in an analyzer's page that tells of a category.
func CategoryURL(a *analysis.Analyzer, category string) string {
	return report.CategoryURL(a, category)
}
