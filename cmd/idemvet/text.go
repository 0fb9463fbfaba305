package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeText prints a line for each finding and one for each related position, as go vet does.
func writeText(w io.Writer, findings []finding) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, f := range findings {
		f.start.Filename = shorten(dir, f.start.Filename)
		fmt.Fprintf(&out, "%s: %s\n", f.start, f.message)
		for _, r := range f.related {
			r.start.Filename = shorten(dir, r.start.Filename)
			fmt.Fprintf(&out, "%s: \t%s\n", r.start, r.text)
		}
	}
	_, err = w.Write(out.Bytes())
	return err
}

// shorten makes a file's name relative to dir when that is shorter.
func shorten(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		return rel
	}
	return file
}
