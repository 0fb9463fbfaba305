package keyscope_test

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/keyscope"
)

func TestCases(t *testing.T) {
	vettest.Cases(t, "keyscope", 30)
	vettest.Run(t, keyscope.Analyzer, "./keyscope/...")
}
