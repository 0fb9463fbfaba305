package existsinsert_test

import (
	"os"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/existsinsert"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
)

func TestCases(t *testing.T) {
	pattern := "./existsinsert/..."
	if one := os.Getenv("EXISTSINSERT"); one != "" {
		pattern = one
	}
	vettest.Run(t, existsinsert.Analyzer, pattern)
}

func TestEnoughCases(t *testing.T) { vettest.Cases(t, "existsinsert", 60) }

func TestValid(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{existsinsert.Analyzer}); err != nil {
		t.Error(err)
	}
}

func TestFixes(t *testing.T) { vettest.RunFixes(t, existsinsert.Analyzer, "./existsinsert/fixes") }

func TestGuardOfTheHouse(t *testing.T) {
	config := settings.Config{Guards: []string{"(example.com/idemvet/existsinsertguards.Turnstile).Enter", "(*example.com/idemvet/existsinsertguards.Gate).Pass"}}
	vettest.Run(t, existsinsert.New(suite.New(config)), "./existsinsertguards")
}
