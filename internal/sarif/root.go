package sarif

import (
	"os"
	"path/filepath"
)

// SourceRoot is the folder that paths in reports are relative to: the repository, else the module, else the working directory.
func SourceRoot() string {
	for _, name := range []string{".git", "go.mod"} {
		if root := Above(name); root != "" {
			return root
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// Above gives the nearest folder, from the working directory upwards, that has an entry of that name; empty when none has.
func Above(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
