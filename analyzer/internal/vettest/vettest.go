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
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Run checks the diagnostics of a in the folders of analyzer/testdata (patterns such as "./retrykey/..."), which are loaded together.
func Run(t *testing.T, a *analysis.Analyzer, patterns ...string) {
	t.Helper()
	analysistest.Run(t, module(t, patterns), a, patterns...)
}

// RunFixes does what [Run] does, applies the fixes and compares with the golden files.
func RunFixes(t *testing.T, a *analysis.Analyzer, patterns ...string) {
	t.Helper()
	analysistest.RunWithSuggestedFixes(t, module(t, patterns), a, patterns...)
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
