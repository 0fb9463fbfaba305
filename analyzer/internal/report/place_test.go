package report_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// A finding at a call marks the name of what is called, wherever SSA form says that the call is.
func TestPlaces(t *testing.T) {
	const source = "package m\n\ntype s struct{ f func() s }\n\nfunc (s) m() s { return s{} }\nfunc g[T, U any](T, U) {}\n\n" +
		"func all(x s) {\n\tbug()\n\tx.f().m().\n\t\tm()\n\tg[int, int](1, 2)\n\tg(1, 2)\n\t(fine)()\n\tfunc() {}()\n}\n"
	dir := module(t, "a.go", source)
	parentheses := &analysis.Analyzer{
		Name: "parentheses", Doc: "report calls where they have their parenthesis", URL: "https://example.com", Requires: []*analysis.Analyzer{report.Ignores},
		Run: func(pass *analysis.Pass) (any, error) {
			reporter := report.New(pass, &settings.Config{MinConfidence: settings.Medium})
			defer reporter.Close()
			for _, file := range pass.Files {
				ast.Inspect(file, func(node ast.Node) bool {
					if call, ok := node.(*ast.CallExpr); ok {
						reporter.Report(report.Finding{Pos: call.Lparen, Category: "call", Severity: report.Info, Confidence: settings.High, Message: "a call.",
							Related: []analysis.RelatedInformation{{Pos: call.Lparen, Message: "here"}, {Pos: call.Pos(), End: call.End(), Message: "all of it"}}})
					}
					return true
				})
			}
			return nil, nil
		},
	}
	result := analysistest.Run(quiet{}, dir, parentheses, ".")[0]
	content, err := os.ReadFile(filepath.Join(dir, "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(pos, end token.Pos) string {
		if !end.IsValid() {
			return ""
		}
		file := result.Action.Package.Fset
		return string(content[file.Position(pos).Offset:file.Position(end).Offset])
	}
	var names []string
	for _, d := range result.Diagnostics {
		names = append(names, text(d.Pos, d.End))
		if here := text(d.Related[0].Pos, d.Related[0].End); here != text(d.Pos, d.End) {
			t.Errorf("a place beside %q is %q", text(d.Pos, d.End), here)
		}
		if whole := text(d.Related[1].Pos, d.Related[1].End); len(whole) < 3 {
			t.Errorf("a place with an end was changed to %q", whole)
		}
	}
	slices.Sort(names)
	if want := []string{"", "bug", "f", "fine", "g", "g", "m", "m"}; !slices.Equal(names, want) {
		t.Errorf("the places are %q, want %q", names, want)
	}
}

// quiet does not compare with want comments.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
