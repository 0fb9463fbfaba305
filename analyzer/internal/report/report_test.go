package report_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// toy reports every call of a function called bug, with the fix to call fine.
func toy(name string, config settings.Config) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name, Doc: "report calls of bug", URL: "https://example.com/" + name,
		Requires: []*analysis.Analyzer{report.Ignores},
		Run: func(pass *analysis.Pass) (any, error) {
			reporter := report.New(pass, &config)
			defer reporter.Close()
			for _, file := range pass.Files {
				ast.Inspect(file, func(node ast.Node) bool {
					call, ok := node.(*ast.CallExpr)
					if !ok {
						return true
					}
					callee, ok := call.Fun.(*ast.Ident)
					if !ok || callee.Name != "bug" && callee.Name != "guess" {
						return true
					}
					confidence := settings.High
					if callee.Name == "guess" {
						confidence = settings.Low
					}
					finding := report.Finding{
						Pos: call.Pos(), End: call.End(), Category: "call", Severity: report.Error, Confidence: confidence, Message: "this is a bug. Mend it.",
						Fixes: []analysis.SuggestedFix{{Message: "mend it", TextEdits: []analysis.TextEdit{{Pos: callee.Pos(), End: callee.End(), NewText: []byte("fine")}}}},
					}
					reporter.Report(finding)
					reporter.Report(finding) // the second is the same
					return true
				})
			}
			return nil, nil
		},
	}
}

// module writes a module of files (name, content, name, content ...) with the functions that the toy knows.
func module(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	files = append(files, "go.mod", "module example.com/m\n\ngo 1.24\n", "known.go", "package m\n\nfunc bug() bool { return true }\nfunc fine() bool { return true }\nfunc guess() bool { return true }\n")
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDirectives(t *testing.T) {
	for name, code := range map[string]string{
		"behind":                "func f() {\n\tbug() //idemvet:ignore toy a reason\n\tbug() // want `a bug`\n}",
		"above":                 "func f() {\n\t//idemvet:ignore toy a reason\n\tbug()\n\tbug() // want `a bug`\n}",
		"two above":             "func f() {\n\t//idemvet:ignore toy a reason\n\t//idemvet:ignore other a reason\n\tbug()\n}",
		"above with a comment":  "func f() {\n\t//idemvet:ignore toy a reason\n\t// and more words\n\tbug()\n}",
		"not two lines above":   "func f() {\n\t//idemvet:ignore toy a reason // want `nothing to report`\n\n\tbug() // want `a bug`\n}",
		"other analyzer":        "func f() {\n\tbug() //idemvet:ignore other a reason // want `a bug`\n}",
		"several analyzers":     "func f() {\n\tbug() //idemvet:ignore other,toy a reason\n}",
		"no reason":             "func f() {\n\tbug() //idemvet:ignore toy // want `a bug`\n}",
		"a space":               "func f() {\n\tbug() // idemvet:ignore toy a reason // want `a bug`\n}",
		"tab between":           "func f() {\n\tbug() //idemvet:ignore\ttoy\ta reason\n}",
		"doc of a function":     "// f is.\n//\n//idemvet:ignore toy a reason\nfunc f() {\n\tbug()\n\tbug()\n}\nfunc g() { bug() } // want `a bug`",
		"behind func":           "func f() { //idemvet:ignore toy a reason\n\tbug()\n\tif true {\n\t\tbug()\n\t}\n}",
		"doc of a variable":     "//idemvet:ignore toy a reason\nvar f = func() {\n\tbug()\n}\nvar g = bug() // want `a bug`",
		"variable in a group":   "var (\n\t//idemvet:ignore toy a reason\n\tf = bug()\n\tg = bug() // want `a bug`\n)",
		"statement below":       "func f() {\n\t//idemvet:ignore toy a reason\n\tfor range 3 {\n\t\tbug()\n\t}\n\tbug() // want `a bug`\n}",
		"behind for":            "func f() {\n\tfor range 3 { //idemvet:ignore toy a reason\n\t\tbug()\n\t}\n\tbug() // want `a bug`\n}",
		"behind bare for":       "func f() {\n\tfor { //idemvet:ignore toy a reason\n\t\tbug()\n\t}\n}",
		"far behind bare for":   "func f() {\n\tfor { //idemvet:ignore toy a reason\n\t\tfine()\n\t\tbug()\n\t}\n}",
		"behind else":           "func f() {\n\tif fine() {\n\t\tbug() // want `a bug`\n\t} else { //idemvet:ignore toy a reason // want `nothing to report`\n\t\tbug() // want `a bug`\n\t}\n}",
		"behind else if":        "func f() {\n\tif fine() {\n\t\tbug() // want `a bug`\n\t} else if fine() { //idemvet:ignore toy a reason\n\t\tbug()\n\t}\n}",
		"behind case":           "func f() {\n\tswitch {\n\tcase true: //idemvet:ignore toy a reason\n\t\tbug()\n\tdefault:\n\t\tbug() // want `a bug`\n\t}\n}",
		"end of a statement":    "func f() {\n\tg(\n\t\tbug(),\n\t) //idemvet:ignore toy a reason\n\tbug() // want `a bug`\n}\nfunc g(bool) {}",
		"within a call":         "func f() {\n\tg(\n\t\tbug(), //idemvet:ignore toy a reason\n\t\tbug(), // want `a bug`\n\t)\n}\nfunc g(bool, bool) {}",
		"behind a call's brace": "func f() {\n\tg(func() { //idemvet:ignore toy a reason\n\t\tbug()\n\t})\n\tbug() // want `a bug`\n}\nfunc g(func()) {}",
		"unused":                "func f() {\n\tfine() //idemvet:ignore toy a reason // want `toy has nothing to report here`\n}",
		"unused of two":         "func f() {\n\tfine() //idemvet:ignore toy,other a reason // want `toy has nothing to report here`\n}",
		"low confidence":        "func f() {\n\tguess()\n\tguess() //idemvet:ignore toy a reason\n}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, "a.go", "package m\n\n"+code+"\n")
			analysistest.Run(t, dir, toy("toy", settings.Config{}), "./...")
		})
	}
}

func TestDirectivesHoldInTheirFile(t *testing.T) {
	dir := module(t, "a.go", "package m\n\nvar x = bug() //idemvet:ignore toy a reason\n", "b.go", "package m\n\nvar y = bug() // want `a bug`\n")
	analysistest.Run(t, dir, toy("toy", settings.Config{}), "./...")
}

func TestLowConfidenceWhenAskedFor(t *testing.T) {
	dir := module(t, "a.go", "package m\n\nvar x = guess() // want `a bug`\n")
	analysistest.Run(t, dir, toy("toy", settings.Config{MinConfidence: settings.Low}), "./...")
}

func TestTestFiles(t *testing.T) {
	code := "package m\n\nvar x = bug()\nvar y = fine() //idemvet:ignore toy a reason\n"
	analysistest.Run(t, module(t, "a_test.go", code), toy("toy", settings.Config{}), "./...")
	code = "package m\n\nvar x = bug() // want `a bug`\nvar y = fine() //idemvet:ignore toy a reason // want `nothing to report`\n"
	analysistest.Run(t, module(t, "a_test.go", code), toy("toy", settings.Config{Tests: true}), "./...")
}

func TestDiagnostics(t *testing.T) {
	dir := module(t,
		"a.go", "package m\n\nvar x = bug() // want `^this is a bug. Mend it. .toy: error, high confidence.$`\n",
		"b.go", "// Code generated by hand. DO NOT EDIT.\n\npackage m\n\nvar y = bug() // want `a bug`\n")
	for _, result := range analysistest.Run(t, dir, toy("toy", settings.Config{}), "./...") {
		if len(result.Diagnostics) != 2 {
			t.Fatalf("%d diagnostics", len(result.Diagnostics))
		}
		for _, d := range result.Diagnostics {
			if d.Category != "call" || d.URL != "https://example.com/toy#call" {
				t.Errorf("category %q, URL %q", d.Category, d.URL)
			}
			file := filepath.Base(result.Pass.Fset.Position(d.Pos).Filename)
			if fixes := len(d.SuggestedFixes); file == "a.go" && fixes != 1 || file == "b.go" && fixes != 0 {
				t.Errorf("%s: %d fixes", file, fixes)
			}
		}
	}
}

func TestRemoval(t *testing.T) {
	for name, code := range map[string][2]string{
		"behind":       {"func f() {\n\tfine() //idemvet:ignore toy a reason\n}", "func f() {\n\tfine()\n}"},
		"on its own":   {"func f() {\n\t//idemvet:ignore toy a reason\n\tfine()\n}", "func f() {\n\tfine()\n}"},
		"first of two": {"func f() {\n\tfine() //idemvet:ignore toy,other a reason\n}", "func f() {\n\tfine() //idemvet:ignore other a reason\n}"},
		"last of two":  {"func f() {\n\tfine() //idemvet:ignore other,toy a reason\n}", "func f() {\n\tfine() //idemvet:ignore other a reason\n}"},
		"of three":     {"func f() {\n\tfine() //idemvet:ignore a,toy,b a reason\n}", "func f() {\n\tfine() //idemvet:ignore a,b a reason\n}"},
		"of the file":  {"func f() {}\n\n//idemvet:ignore toy a reason", "func f() {}"},
	} {
		t.Run(name, func(t *testing.T) {
			source := "package m\n\n" + code[0] + "\n"
			dir := module(t, "a.go", source)
			for _, result := range analysistest.Run(silent{t}, dir, toy("toy", settings.Config{}), "./...") {
				edit := result.Diagnostics[0].SuggestedFixes[0].TextEdits[0]
				file := result.Pass.Fset.File(edit.Pos)
				got := source[:file.Offset(edit.Pos)] + source[file.Offset(edit.End):]
				if want := "package m\n\n" + code[1] + "\n"; strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
}

// silent lets a test look at diagnostics that no comment asks for.
type silent struct{ *testing.T }

func (silent) Errorf(string, ...any) {}

// A pass that exports facts obeys the comments for the analyzer that they become findings of, and that analyzer does not call the comment unused.
func TestObeyedByAFactPass(t *testing.T) {
	facts := &analysis.Analyzer{
		Name: "facts", Doc: "obey", Requires: []*analysis.Analyzer{report.Ignores},
		Run: func(pass *analysis.Pass) (any, error) {
			reporter := report.NewFor(pass, &settings.Config{}, "toy")
			for _, file := range pass.Files {
				for _, decl := range file.Decls {
					reporter.Ignored(decl.Pos())
				}
			}
			return nil, nil
		},
	}
	a := toy("toy", settings.Config{})
	a.Requires = append(a.Requires, facts)
	dir := module(t, "a.go", "package m\n\n//idemvet:ignore toy a reason\nfunc f() { fine() }\n\nfunc g() {\n\tfine() //idemvet:ignore toy a reason // want `nothing to report`\n}\n")
	analysistest.Run(t, dir, a, "./...")
}

// The lines that comments stand on are those of the file, whatever //line says.
func TestLineDirectives(t *testing.T) {
	dir := module(t, "a.go", "package m\n\nfunc f() {\n//line a.go:100\n\tbug() //idemvet:ignore toy a reason\n}\n")
	analysistest.Run(t, dir, toy("toy", settings.Config{}), "./...")
}
