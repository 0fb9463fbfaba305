package analyzer_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer"
	"github.com/idemgen/idemgen/analyzer/existsinsert"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/analyzer/keyscope"
	"github.com/idemgen/idemgen/analyzer/keytx"
	"github.com/idemgen/idemgen/analyzer/retrykey"
	"github.com/idemgen/idemgen/analyzer/weakkey"
)

func TestSuiteIsValid(t *testing.T) {
	if err := analysis.Validate(analyzer.Suite(analyzer.Config{})); err != nil {
		t.Error(err)
	}
	if err := analysis.Validate([]*analysis.Analyzer{existsinsert.Analyzer, keyscope.Analyzer, keytx.Analyzer, retrykey.Analyzer, weakkey.Analyzer}); err != nil {
		t.Error(err)
	}
}

// A directive can name every analyzer that finds bugs.
func TestDirectivesKnowTheSuite(t *testing.T) {
	var names []string
	for _, a := range analyzer.Suite(analyzer.Config{}) {
		if a.Name != "idemvetdirective" {
			names = append(names, a.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, suite.Names) {
		t.Errorf("the suite has %v, directives know %v", names, suite.Names)
	}
}

// Passes are shared within a suite and by no two suites: their settings differ.
func TestSuitesShareNothing(t *testing.T) {
	settings := func(analyzers []*analysis.Analyzer) map[*analysis.Analyzer]bool {
		found := map[*analysis.Analyzer]bool{}
		var walk func(*analysis.Analyzer)
		walk = func(a *analysis.Analyzer) {
			if a.Name == "idemvetsettings" {
				found[a] = true
			}
			for _, required := range a.Requires {
				walk(required)
			}
		}
		for _, a := range analyzers {
			walk(a)
		}
		return found
	}
	one, two := settings(analyzer.Suite(analyzer.Config{})), settings(analyzer.Suite(analyzer.Config{Tests: true}))
	if len(one) != 1 || len(two) != 1 {
		t.Errorf("%d and %d passes of settings", len(one), len(two))
	}
	for a := range one {
		if two[a] {
			t.Error("two suites have one pass of settings")
		}
	}
}
