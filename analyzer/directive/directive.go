package directive

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/generator/diag"
)

//go:embed doc.go
var doc string

// Name is the analyzer's; "directive" alone is an analyzer of go vet.
const Name = "idemvetdirective"

// Categories, each a part of the analyzer's page.
const (
	malformed = "malformed-ignore"
	unknown   = "unknown-analyzer"
)

// Analyzer is the analyzer with no configuration but the files that modules bring.
var Analyzer = New(suite.Default)

// New gives the analyzer over the passes of a suite.
func New(shared *suite.Shared) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     Name,
		Doc:      report.Doc(doc, Name),
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/directive.md",
		Requires: []*analysis.Analyzer{shared.Settings, shared.Ignores},
		Run:      func(pass *analysis.Pass) (any, error) { return nil, run(pass, shared) },
	}
}

func run(pass *analysis.Pass, shared *suite.Shared) error {
	if _, err := settings.For(pass, shared.Config); err != nil {
		return err
	}
	reporter := report.New(pass, pass.ResultOf[shared.Settings].(*settings.Config))
	for _, ignore := range report.CommentsOf(pass).All {
		finding := report.Finding{Pos: ignore.Comment.Pos(), End: ignore.Comment.End(), Severity: report.Warning, Confidence: settings.High}
		if ignore.Problem != "" {
			finding.Category, finding.Message, finding.Fixes = malformed, ignore.Problem+".", ignore.Repair()
			reporter.Report(finding)
			continue
		}
		for _, named := range ignore.Names {
			if slices.Contains(suite.Names, named) {
				continue
			}
			finding.Category, finding.Message = unknown, message(named)
			reporter.Report(finding)
		}
	}
	return nil
}

func message(named string) string {
	text := "idemvet has no analyzer " + named + ", so this directive rules nothing out for it. "
	if near := diag.Nearest(named, suite.Names); near != "" {
		return text + "Did you mean " + near + "?"
	}
	return text + "Name one of " + strings.Join(suite.Names, ", ") + "."
}
