package keytx_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/keytx"
)

func TestCases(t *testing.T) {
	vettest.Cases(t, "keytx", 60)
	vettest.Run(t, keytx.Analyzer, "./keytx/...")
}

func TestFixes(t *testing.T) {
	vettest.RunFixes(t, keytx.Analyzer, "./keytx/fix")
}

// The package fixed compiles and is silent in TestCases. It has to be what the fixes make.
func TestFixesEndIt(t *testing.T) {
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(vettest.Dir(), "keytx", name))
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(content), "\nimport (")
		body = regexp.MustCompile(" // want `.*`|\n// (bug:|fine: fixed,) .*").ReplaceAllString(body, "")
		return body
	}
	golden, fixed := strings.TrimSpace(read("fix/fix.go.golden")), strings.TrimSpace(read("fixed/fixed.go"))
	if !strings.HasPrefix(golden, fixed) {
		t.Error("keytx/fixed/fixed.go differs from what the fixes make of keytx/fix/fix.go")
	}
}
