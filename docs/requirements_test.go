// Package docs_test holds the pages of this folder against the code that they speak of.
package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An id is a letter and a number. M is for the mistakes of others, which the tests show beside our own way; they are no
// requirements.
var (
	id       = regexp.MustCompile(`^[A-LN-Z]\d{1,2}$`)
	leading  = regexp.MustCompile(`^(?:[A-LN-Z]\d{1,2}[ ,]*)+:`) // "C1, C2: what the test shows"
	oneID    = regexp.MustCompile(`[A-LN-Z]\d{1,2}`)
	defining = regexp.MustCompile(`(?m)^\| ([A-LN-Z]\d{1,2}) \|`)
)

// The ids of requirements and invariants in tests' names and comments stand in the pages, each once; and what stands there
// is named by a test.
func TestRequirements_IDsAreDocumentedAndTested(t *testing.T) {
	documented := map[string]string{}
	for _, page := range []string{"requirements.md", "architecture.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range defining.FindAllStringSubmatch(string(text), -1) {
			if other := documented[match[1]]; other != "" {
				t.Errorf("%s stands in %s and in %s", match[1], other, page)
			}
			documented[match[1]] = page
		}
	}
	named := namedInTests(t)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if documented[name] == "" {
			t.Errorf("%s names %s, which neither requirements.md nor architecture.md has", named[name], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		if named[name] == "" {
			t.Errorf("%s has %s, which no test names", documented[name], name)
		}
	}
}

// namedInTests are the ids in names and comments of the repository's tests, with a file that has each.
func namedInTests(t *testing.T) map[string]string {
	t.Helper()
	named := map[string]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && entry.Name() != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				for _, part := range strings.Split(f.Name.Name, "_")[1:] {
					if id.MatchString(part) {
						named[part] = path
					}
				}
			}
		}
		for _, comment := range file.Comments {
			for _, name := range oneID.FindAllString(leading.FindString(comment.Text()), -1) {
				named[name] = path
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return named
}
