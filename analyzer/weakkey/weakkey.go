package weakkey

import (
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/suite"
)

// Analyzer is the analyzer with no configuration but the files that modules bring.
var Analyzer = New(suite.Default)

// New gives the analyzer over the passes of a suite.
func New(shared *suite.Shared) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "weakkey",
		Doc:      "TODO",
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/weakkey.md",
		Requires: []*analysis.Analyzer{shared.Settings, shared.Ignores, shared.KeyFlow, shared.StoreFlow},
		Run:      func(*analysis.Pass) (any, error) { return nil, nil },
	}
}
