package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	quotedTest = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	namedAfter = regexp.MustCompile(`^Test(?:Peer[A-Z]|Lesson(\d\d)_)`)
)

// Each line of the page names a test that exists, or says why it does not apply; each test that is named after a fault
// stands in the page, those of the trackers in the line of their number.
func TestFaults_HaveTests(t *testing.T) {
	page, err := os.ReadFile("faults.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	lessons, peers := 0, 0
	linesOf := map[string][]string{} // by test
	section := ""
	for _, line := range strings.Split(string(page), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			section = heading
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || cells[len(cells)-1] == "here" {
			continue
		}
		here := cells[len(cells)-1]
		names := quotedTest.FindAllStringSubmatch(here, -1)
		if len(names) == 0 && !strings.HasPrefix(here, "does not apply") {
			t.Errorf("no test and no reason: %s", line)
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("there is no %s", name[1])
			}
			linesOf[name[1]] = append(linesOf[name[1]], cells[0])
		}
		switch section {
		case "In trackers":
			if lessons++; cells[0] != strconv.Itoa(lessons) {
				t.Errorf("lesson %s stands in the place of %d", cells[0], lessons)
			}
		case "In the source of peers":
			peers++
		}
	}
	if lessons != 54 || peers < 20 {
		t.Errorf("%d lessons and %d faults of peers", lessons, peers)
	}
	for name := range tests {
		match := namedAfter.FindStringSubmatch(name)
		if match == nil {
			continue
		}
		found := len(linesOf[name]) > 0
		if match[1] != "" {
			number, _ := strconv.Atoi(match[1])
			found = false
			for _, line := range linesOf[name] {
				found = found || line == strconv.Itoa(number)
			}
		}
		if !found {
			t.Errorf("faults.md does not name %s where it belongs", name)
		}
	}
}

// testNames are the tests of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
