package keytx_test

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/keytx"
)

func TestCases(t *testing.T) {
	vettest.Cases(t, "keytx", 60)
	vettest.Run(t, keytx.Analyzer, "./keytx/...")
}
