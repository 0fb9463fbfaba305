package retrykey_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/retrykey"
)

// queues are the folders whose bugs are handlers that a queue or an engine runs again: silent unless asked for.
var queues = []string{"./retrykey/asynq", "./retrykey/kafka", "./retrykey/river", "./retrykey/sqs", "./retrykey/temporal", "./retrykey/watermill"}

func TestRetries(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer,
		"./retrykey/adyen", "./retrykey/aws", "./retrykey/backoff", "./retrykey/failsafe/...", "./retrykey/goretry", "./retrykey/grpc", "./retrykey/kwait",
		"./retrykey/resiliency", "./retrykey/resty", "./retrykey/retryablehttp", "./retrykey/retrygo", "./retrykey/square", "./retrykey/stripe", "./retrykey/terraform")
}

func TestShapes(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer, "./retrykey/closures", "./retrykey/loops", "./retrykey/looks", "./retrykey/options/...", "./retrykey/recursion")
}

// The keys that our runtime derives for a step are the same on every try.
func TestOwnRuntime(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer, "./retrykey/ownruntime")
}

func TestAtLeastOnce(t *testing.T) {
	vettest.Run(t, retrykey.New(suite.New(settings.Config{AtLeastOnce: true})), queues...)
}

func TestCases(t *testing.T) {
	vettest.Cases(t, "retrykey", 60)
}

func TestFacts(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer, "./retrykey/facts/...", "./retrykey/helpers/...")
}

func TestFixes(t *testing.T) {
	vettest.RunFixes(t, retrykey.Analyzer, "./retrykey/fixes")
}

// TestFixed takes the fixed file in the place of the first: it must compile, and nothing but the cases that are not moved may be found in it.
func TestFixed(t *testing.T) {
	file := filepath.Join(vettest.Dir(), "retrykey", "fixes", "fixes.go")
	golden, err := os.ReadFile(file + ".golden")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: vettest.Dir(), Overlay: map[string][]byte{file: golden}}, "./retrykey/fixes")
	if err != nil {
		t.Skip(err)
	}
	if packages.PrintErrors(loaded) > 0 {
		t.Fatal("the fixed file does not compile")
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{retrykey.Analyzer}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range graph.Roots {
		for _, diagnostic := range action.Diagnostics {
			if len(diagnostic.SuggestedFixes) > 0 || !strings.Contains(caseAround(loaded[0].Syntax, diagnostic.Pos), "not moved") {
				t.Errorf("%s: %s", loaded[0].Fset.Position(diagnostic.Pos), diagnostic.Message)
			}
		}
		if len(action.Diagnostics) == 0 {
			t.Error("the cases that are not moved are not found any more")
		}
	}
}

// caseAround gives the comment of the function around a position.
func caseAround(files []*ast.File, pos token.Pos) string {
	for _, file := range files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos <= fn.End() {
				return fn.Doc.Text()
			}
		}
	}
	return ""
}
