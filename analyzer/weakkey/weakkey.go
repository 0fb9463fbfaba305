package weakkey

import (
	_ "embed"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/program"
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
		Name:     "weakkey",
		Doc:      report.Doc(doc, "weakkey"),
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/weakkey.md",
		Requires: []*analysis.Analyzer{shared.Settings, shared.KeyFlow, program.Analyzer, report.Ignores},
		Run: func(pass *analysis.Pass) (any, error) {
			run(pass, pass.ResultOf[shared.Settings].(*settings.Config), pass.ResultOf[shared.KeyFlow].(*keyflow.Result))
			return nil, nil
		},
	}
}

// run judges the value of each key that is sent. What a callee mints for itself is judged where the callee is written.
func run(pass *analysis.Pass, config *settings.Config, flow *keyflow.Result) {
	reporter := report.New(pass, config)
	defer reporter.Close()
	type place struct {
		pos      token.Pos
		category string
	}
	told := map[place]bool{}
	counters := &counters{functions: program.Of(pass).Functions}
	for _, send := range flow.Sends {
		if send.Value == nil {
			continue
		}
		finding := judge(send, sort(flow.Origins(send.Value, send.Field), counters))
		if finding == nil || told[place{finding.Pos, finding.Category}] {
			continue
		}
		told[place{finding.Pos, finding.Category}] = true
		reporter.Report(*finding)
	}
}
