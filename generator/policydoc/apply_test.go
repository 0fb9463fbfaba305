package policydoc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/internal/schematest"
	"github.com/idemgen/idemgen/runtime/policy"
)

// load reads a document; findings of the document itself are errors in a strict load.
func load(t *testing.T, o spec.Options) *policy.Document {
	t.Helper()
	doc, findings, err := spec.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	return doc
}

// applyTo lays overlay over the file and returns the path of the result, beside the file so that its references hold.
func applyTo(t *testing.T, file string, overlays ...spec.Overlay) string {
	t.Helper()
	content, err := spec.ApplyOverlays(file, overlays...)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(out, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return out
}

func overlayOf(t *testing.T, doc *policy.Document) []byte {
	t.Helper()
	content, findings, err := Overlay(doc, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range findings {
		t.Logf("%v", finding)
	}
	return content
}

func TestOverlay_R7_AppliedDocumentIsValidAndComplete(t *testing.T) {
	for _, name := range []string{"openapi-3.0.yaml", "openapi-3.1.yaml", "openapi-3.1.json", "swagger-2.0.yaml", "response-refs.yaml", "swagger-response-refs.yaml"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "apply", name)
			doc := load(t, spec.Options{File: file, Strict: true})
			content := overlayOf(t, doc)
			golden(t, filepath.Join("apply", name+".overlay.yaml"), content)

			once := applyTo(t, file, spec.Overlay{Name: "overlay", Content: content})
			applied := load(t, spec.Options{File: once, Strict: true})
			if more := overlayOf(t, applied); more != nil {
				t.Errorf("the applied document still lacks something:\n%s", more)
			}

			// The same overlay laid over its own result changes nothing.
			twice := applyTo(t, once, spec.Overlay{Name: "overlay", Content: content})
			if first, second := read(t, once), read(t, twice); !bytes.Equal(first, second) {
				t.Errorf("applied twice, the document changes:\n%s\n%s", first, second)
			}
		})
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// The documents of real APIs: their findings of their own apart, the result is as valid as what it was made from.
func TestOverlay_RealDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("loads large documents several times")
	}
	for _, name := range []string{"adyen_CheckoutService-v71.json", "paypal_checkout_orders_v2.json", "square_api.json", "twilio_api_v2010.json", "obie_vrp.yaml"} {
		t.Run(name, func(t *testing.T) {
			file := realspecs.File(t, "../..", name)
			doc, before, err := spec.Load(spec.Options{File: file, AcceptDeclared: true})
			if err != nil || before.Err() != nil {
				t.Fatal(err, before.Errors())
			}
			if len(doc.Keyed()) == 0 {
				t.Fatal("nothing is keyed")
			}
			files, _, err := Generate(doc, Options{JSON: "policy.json"})
			if err != nil {
				t.Fatal(err)
			}
			if err := schematest.Validate(schematest.Closed(t, schemaFile, SchemaURL), files[0].Content); err != nil {
				t.Errorf("JSON policy: %v", err)
			}
			content := overlayOf(t, doc)
			once := applyTo(t, file, spec.Overlay{Name: "overlay", Content: content})
			applied, findings, err := spec.Load(spec.Options{File: once, AcceptDeclared: true})
			if err != nil || findings.Err() != nil {
				t.Fatal(err, findings.Errors())
			}
			if len(findings) != len(before) {
				t.Errorf("%d findings before, %d after: %v", len(before), len(findings), findings)
			}
			if more := overlayOf(t, applied); more != nil {
				t.Errorf("the applied document still lacks something:\n%s", strings.Join(strings.Split(string(more), "\n")[:20], "\n"))
			}
			twice := applyTo(t, once, spec.Overlay{Name: "overlay", Content: content})
			if first, second := read(t, once), read(t, twice); !bytes.Equal(first, second) {
				t.Errorf("applied twice, the document changes: %s", firstDifference(string(first), string(second)))
			}
		})
	}
}

func firstDifference(a, b string) string {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(linesA), len(linesB)) {
		if linesA[i] != linesB[i] {
			return strings.Join(linesA[max(0, i-8):i+1], "\n") + "\n!=\n" + linesB[i]
		}
	}
	return "one is longer"
}
