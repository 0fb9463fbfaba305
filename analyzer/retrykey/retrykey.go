package retrykey

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
)

//go:embed doc.go
var doc string

// Analyzer is the analyzer with no configuration but the files that modules bring.
var Analyzer = New(suite.Default)

// New gives the analyzer over the passes of a suite.
func New(shared *suite.Shared) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "retrykey",
		Doc:      report.Doc(doc, "retrykey"),
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/retrykey.md",
		Requires: []*analysis.Analyzer{shared.Settings, shared.KeyFlow, report.Ignores},
		Run: func(pass *analysis.Pass) (any, error) {
			run(pass, pass.ResultOf[shared.Settings].(*settings.Config), pass.ResultOf[shared.KeyFlow].(*keyflow.Result))
			return nil, nil
		},
	}
}

// run reports at the place that is to be changed: the mint, or the call whose callee mints.
func run(pass *analysis.Pass, config *settings.Config, flow *keyflow.Result) {
	reporter := report.New(pass, config)
	defer reporter.Close()
	found := find(flow)
	if len(found) == 0 {
		return
	}
	syntax := newSyntax(pass)
	fixes := newFixer(syntax)
	for _, m := range found {
		reporter.Report(m.finding(syntax, fixes.hoist(m, found)))
	}
}
