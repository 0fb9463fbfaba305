package weakkey_test

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/weakkey"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, weakkey.Analyzer, "./weakkey/...") }

func TestCases(t *testing.T) { vettest.Cases(t, "weakkey", 50) }
