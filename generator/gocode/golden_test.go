package gocode_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

var update = flag.Bool("update", false, "rewrite the golden packages under testdata")

// Each golden package is committed, and imported by a test or vetted by TestGoldens_Vet, so that what is generated compiles.
var goldens = []struct {
	name   string
	doc    func() *policy.Document
	models string
}{
	{"payments", paymentsDocument, ""},
	{"shapes", shapesDocument, ""},
	{"imported", paymentsDocument, "github.com/idemgen/idemgen/generator/gocode/testdata/models"},
}

func generate(t *testing.T, doc *policy.Document, o gocode.Options) []output.File {
	t.Helper()
	files, list, err := gocode.Generate(doc, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		t.Log(d)
	}
	return files
}

func TestGenerate_Goldens(t *testing.T) {
	for _, golden := range goldens {
		t.Run(golden.name, func(t *testing.T) {
			dir := filepath.Join("testdata", golden.name)
			files := generate(t, golden.doc(), gocode.Options{
				Package: golden.name, Dir: "testdata/" + golden.name, ModelsImport: golden.models,
			})
			if *update {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range files {
				path := filepath.FromSlash(file.Path)
				if *update {
					if err := os.WriteFile(path, file.Content, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(want, file.Content) {
					t.Errorf("%s differs from what is generated; run go test ./generator/gocode -update and review", path)
				}
			}
		})
	}
}
