package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

// The committed code, page and migrations of the example are what the generator writes today, so that neither `make demo`
// nor a reader of the example meets another.
func TestExampleIsFresh(t *testing.T) {
	config := filepath.Join("..", "..", "examples", "payments", "idemgen.yaml")
	var stdout, stderr bytes.Buffer
	noEnvironment := func(string) (string, bool) { return "", false }
	code := run(t.Context(), []string{"check", "--config", config}, new(bytes.Buffer), &stdout, &stderr, noEnvironment)
	if code != exitDone {
		t.Errorf("exit code %d; `make generate` writes the example again\n%s%s", code, stdout.String(), stderr.String())
	}
}
