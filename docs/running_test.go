package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The causes on the page are what the log says.
func TestRunning_CausesAreTheLogs(t *testing.T) {
	page, err := os.ReadFile("running.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, pattern := range []string{"../runtime/*.go", "../runtime/pgstore/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				source.Write(text)
			}
		}
	}
	_, table, found := strings.Cut(string(page), "| cause | what to do |\n|---|---|\n")
	causes := regexp.MustCompile(`(?m)^\| (.+?) \|`).FindAllStringSubmatch(table, -1)
	if !found || len(causes) == 0 {
		t.Fatal("running.md has no table of causes")
	}
	for _, cause := range causes {
		if !strings.Contains(source.String(), `Explain("`+cause[1]) {
			t.Errorf("nothing says %q", cause[1])
		}
	}
}
