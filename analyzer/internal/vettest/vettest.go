// Package vettest runs an analyzer over the cases in analyzer/testdata, a module of its own with the real libraries.
// What comes in is an analyzer and folders of cases; what goes out are failed tests: a diagnostic that was not expected, one that is missing, too few cases, a case that does not say what it is.
// It must never know what an analyzer reports.
package vettest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/analyzer/internal/report"
)

// Run checks the diagnostics of a, and that its page tells of them, in the folders of analyzer/testdata (patterns such as "./retrykey/..."), which are loaded together.
func Run(t *testing.T, a *analysis.Analyzer, patterns ...string) {
	t.Helper()
	told(t, a, analysistest.Run(t, module(t, patterns), a, patterns...))
}

// RunPlain checks the diagnostics alone: of a pass that a test makes to see what another one found, and that has no page.
func RunPlain(t *testing.T, a *analysis.Analyzer, patterns ...string) {
	t.Helper()
	analysistest.Run(t, module(t, patterns), a, patterns...)
}

// RunFixes does what [Run] does, applies the fixes and compares with the golden files.
func RunFixes(t *testing.T, a *analysis.Analyzer, patterns ...string) {
	t.Helper()
	told(t, a, analysistest.RunWithSuggestedFixes(t, module(t, patterns), a, patterns...))
}

// told checks what a user reads beside the message: the category is in the analyzer's page, with that severity, and the grade is in the message.
func told(t *testing.T, a *analysis.Analyzer, results []*analysistest.Result) {
	t.Helper()
	categories := report.Categories(a.Doc)
	for _, result := range results {
		for _, d := range result.Diagnostics {
			at := result.Pass.Fset.Position(d.Pos)
			text, grade, ok := report.SplitGrade(d.Message)
			if !ok || grade.Analyzer != a.Name {
				t.Errorf("%s: the message has no grade of %s: %s", at, a.Name, d.Message)
				continue
			}
			if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
				t.Errorf("%s: the message does not end in a sentence: %s", at, text)
			}
			known := slices.IndexFunc(categories, func(c report.Category) bool { return c.ID == d.Category })
			switch {
			case d.Category == report.UnusedIgnore:
			case known < 0:
				t.Errorf("%s: the page of %s lists no category %q, in the form \"- %s (%s): text\"", at, a.Name, d.Category, d.Category, grade.Severity)
			case !slices.Contains(categories[known].Severities, grade.Severity):
				t.Errorf("%s: the page of %s lists %s with %v, and the finding is of severity %s", at, a.Name, d.Category, categories[known].Severities, grade.Severity)
			}
		}
	}
}

// Cases counts the cases below a folder of analyzer/testdata: functions whose comment starts with "bug:" or "fine:", and a few words on why. It fails when a bug expects no diagnostic, a fine case expects one, or there are fewer than least of both together or less than two fifths of either.
func Cases(t *testing.T, folder string, least int) (bugs, fine int) {
	t.Helper()
	root := filepath.Join(Dir(), folder)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, f := casesOf(t, path)
		bugs, fine = bugs+b, fine+f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := bugs + fine
	if total < least || bugs*5 < total*2 || fine*5 < total*2 {
		t.Errorf("%s has %d bugs and %d fine cases; at least %d together are asked for, and two fifths of either", folder, bugs, fine, least)
	}
	t.Logf("%s: %d bugs, %d look-alikes", folder, bugs, fine)
	return bugs, fine
}

func casesOf(t *testing.T, path string) (bugs, fine int) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		wants := false
		for _, group := range file.Comments {
			if group.Pos() > fn.Pos() && group.End() <= fn.End() || fset.Position(group.Pos()).Line == fset.Position(fn.End()).Line {
				wants = wants || strings.Contains(group.List[0].Text, "want ")
			}
		}
		at := fset.Position(fn.Pos())
		switch text := fn.Doc.Text(); {
		case strings.HasPrefix(text, "bug:"):
			bugs++
			if !wants {
				t.Errorf("%s: %s is a bug and expects no diagnostic", at, fn.Name.Name)
			}
		case strings.HasPrefix(text, "fine:"):
			fine++
			if wants {
				t.Errorf("%s: %s is fine and expects a diagnostic", at, fn.Name.Name)
			}
		}
	}
	return bugs, fine
}

// Dir is the folder of analyzer/testdata.
func Dir() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "testdata")
}

var download sync.Mutex

// module makes sure that the modules which the cases import are in the module cache: the tests themselves run without network.
func module(t *testing.T, patterns []string) string {
	t.Helper()
	download.Lock()
	defer download.Unlock()
	list := exec.Command("go", append([]string{"list", "-deps", "-test"}, patterns...)...)
	list.Dir = Dir()
	list.Env = append(os.Environ(), "GOWORK=off")
	if out, err := list.CombinedOutput(); err != nil {
		text := "the libraries of analyzer/testdata cannot be loaded: " + err.Error() + "\n" + string(out)
		if os.Getenv("CI") == "" {
			t.Skip(text)
		}
		t.Fatal(text)
	}
	return Dir()
}
