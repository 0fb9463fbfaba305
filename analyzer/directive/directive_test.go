package directive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/analyzer/directive"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
)

func module(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const mod = "module example.com/m\n\ngo 1.24\n"

func TestComments(t *testing.T) {
	code := `package m

//idemvet:ignore retrykey every attempt is a new order
var a int

//idemvet:ignore retrykey,keytx,weakkey,keyscope,existsinsert a reason
var b int

var c int //idemvet:ignore // want ` + "`the directive names no analyzer and no reason; write //idemvet:ignore ANALYZER reason. .idemvetdirective: warning, high confidence.`" + `
var d int //idemvet:ignore retrykey // want ` + "`gives no reason, so it has no effect`" + `
var e int // idemvet:ignore retrykey a reason // want ` + "`no space between // and idemvet:ignore`" + `
var f int //idemvet:ignore retrykey, keytx a reason // want ` + "`joined by commas without spaces`" + `
var g int //idemvet:ignored retrykey a reason // want ` + "`there is no directive idemvet:ignored; the only one is`" + `
var h int //idemvet:disable retrykey a reason // want ` + "`there is no directive idemvet:disable`" + `
var i int //idemvet:ignore retrykeys a reason // want ` + "`no analyzer retrykeys, so this directive rules nothing out for it. Did you mean retrykey\\?`" + `
var j int //idemvet:ignore retrykey,all a reason // want ` + "`no analyzer all, .* Name one of existsinsert, `" + `
var k int /*idemvet:ignore retrykey a reason*/ // want ` + "`a directive is a // comment`" + `

// A comment that tells of idemvet:ignore is none, and neither is
// the one about idemvet: it is prose.
var l int
`
	dir := module(t, "go.mod", mod, "a.go", code, "a_test.go", "package m\n\nvar x int //idemvet:ignore\n")
	analysistest.Run(t, dir, directive.Analyzer, "./...")
}

func TestRepair(t *testing.T) {
	dir := module(t, "go.mod", mod,
		"a.go", "package m\n\nvar a int // idemvet:ignore retrykey a reason // want `no space`\n",
		"a.go.golden", "package m\n\nvar a int //idemvet:ignore retrykey a reason // want `no space`\n")
	analysistest.RunWithSuggestedFixes(t, dir, directive.Analyzer, "./...")
}

// Settings that cannot be obeyed are an error and not a finding, wherever they come from.
func TestSettings(t *testing.T) {
	broken := module(t, "go.mod", mod, "a.go", "package m\n", settings.FileName, "mint: [a.B]\n")
	for name, result := range map[string][]*analysistest.Result{
		"a file":    analysistest.Run(silent{t}, broken, directive.Analyzer, "./..."),
		"a program": analysistest.Run(silent{t}, module(t, "go.mod", mod, "a.go", "package m\n"), directive.New(suite.New(settings.Config{Mints: []string{"New"}})), "./..."),
	} {
		if err := result[0].Err; err == nil || !strings.Contains(err.Error(), "mints") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type silent struct{ *testing.T }

func (silent) Errorf(string, ...any) {}
