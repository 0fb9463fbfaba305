package realspecs

import (
	"os"
	"path/filepath"
	"testing"
)

// File is the path of a real document, relative to the test's folder. root is the repository's root as seen from there,
// such as "../..".
func File(tb testing.TB, root, name string) string {
	tb.Helper()
	file := filepath.Join(root, "..", "shared", "specs", name)
	if _, err := os.Stat(file); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("the real documents are missing: %v", err)
		}
		tb.Skipf("the real documents are missing: %v", err)
	}
	return file
}
