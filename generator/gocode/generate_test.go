package gocode_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

func TestGenerate_Options(t *testing.T) {
	for _, c := range []struct {
		name string
		doc  *policy.Document
		o    gocode.Options
		want string
	}{
		{"no document", nil, gocode.Options{Package: "p"}, "document"},
		{"no package", paymentsDocument(), gocode.Options{}, "package"},
		{"keyword", paymentsDocument(), gocode.Options{Package: "func"}, "package"},
		{"blank", paymentsDocument(), gocode.Options{Package: "_"}, "package"},
		{"models", paymentsDocument(), gocode.Options{Package: "p", ModelsImport: "a\"b"}, "models"},
		{"folder", paymentsDocument(), gocode.Options{Package: "p", Dir: "a/../b"}, "folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, _, err := gocode.Generate(c.doc, c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) || files != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// A document without keyed operations, and operations without parameters, body or answers, still give a package that compiles.
func TestGenerate_LittleDocuments(t *testing.T) {
	bare := &policy.Document{Operations: []policy.Operation{
		keyed("bare", "POST", "/bare", nil),
		keyed("empty", "POST", "/empty", &policy.Shape{Body: &policy.Body{Required: true}}),
		{ID: "natural", Method: "PUT", Path: "/natural", Decision: policy.Natural},
	}}
	packages := map[string][]output.File{
		"none": generate(t, &policy.Document{}, gocode.Options{Package: "none", Dir: "none"}),
		"bare": generate(t, bare, gocode.Options{Package: "bare", Dir: "bare"}),
	}
	for name, files := range packages {
		for _, file := range files {
			if bytes.Contains(file.Content, []byte("Natural")) {
				t.Errorf("%s: %s has an operation that is not keyed", name, file.Path)
			}
		}
	}
	build(t, packages)
}

// Every kind of named schema can come from the user's package: here one that was generated from the same document.
func TestGenerate_ImportedModels(t *testing.T) {
	files := generate(t, shapesDocument(), gocode.Options{
		Package: "borrowed", Dir: "borrowed", ModelsImport: "github.com/idemgen/idemgen/generator/gocode/testdata/shapes",
	})
	for _, file := range files {
		if bytes.Contains(file.Content, []byte("type Everything")) {
			t.Errorf("%s declares what is imported", file.Path)
		}
	}
	build(t, map[string][]output.File{"borrowed": files})
}

// A document with lease mode alone has no way of a transaction that nobody uses, and names that the generated code itself has
// are still a step's.
func TestGenerate_LeaseModeAlone(t *testing.T) {
	shape := &policy.Shape{Responses: []policy.Response{{Status: "204", Description: "Done."}}}
	var steps []string
	var downstream []policy.Downstream
	for _, name := range []string{"complete", "Complete", "lease", "a", "A", "a-", "ctx", "tx", "runtime", "pgx", "Local", "External", "x1"} {
		steps = append(steps, name)
		downstream = append(downstream, calls("bank", name))
	}
	for _, text := range hostileTexts {
		downstream = append(downstream, calls(text, text))
	}
	doc := &policy.Document{Operations: []policy.Operation{
		leased("pay", "POST", "/pay", shape, steps, downstream...),
		leased("payA", "POST", "/pay/a", shape, []string{"a"}, calls("bank", "a")),
		leased("reconcilePayA", "POST", "/pay/b", shape, nil),
		leased("currentPay", "POST", "/pay/c", shape, []string{"once"}),
	}}
	for i := range doc.Operations {
		doc.Operations[i].Policy.Replay.As = policy.Current
	}
	files := generate(t, doc, gocode.Options{Package: "alone", Dir: "alone", Tests: true})
	for _, file := range files {
		checkHarmless(t, file)
		if bytes.Contains(file.Content, []byte("func serve[")) {
			t.Errorf("%s declares serve, which nobody calls", file.Path)
		}
	}
	build(t, map[string][]output.File{"alone": files})
}

// Equal documents give equal bytes, also side by side: Generate keeps no state and only reads the document.
func TestGenerate_IsDeterministic(t *testing.T) {
	doc, o := shapesDocument(), gocode.Options{Package: "shapes", Dir: "shapes"}
	want := generate(t, shapesDocument(), o)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			files, _, err := gocode.Generate(doc, o)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range want {
				if files[i].Path != want[i].Path || !bytes.Equal(files[i].Content, want[i].Content) {
					t.Errorf("%s differs", files[i].Path)
				}
			}
		})
	}
	all.Wait()
}
