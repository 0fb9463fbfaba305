package spec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// specsDir holds real documents, as their owners publish them, beside the repository.
const specsDir = "../../../shared/specs"

// realSpec is the path of a real document. Without the folder the test is skipped; in CI it fails.
func realSpec(t testing.TB, name string) string {
	t.Helper()
	file := filepath.Join(specsDir, name)
	if _, err := os.Stat(file); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the real specs are missing: %v", err)
		}
		t.Skipf("the real specs are missing: %v", err)
	}
	return file
}

// Each document declares keys for as many operations as its README says.
func TestLoad_RealSpecs(t *testing.T) {
	tests := []struct {
		file       string
		version    string
		operations int
		keyed      map[string]int // by method, what --accept-declared keys
	}{
		{"adyen_CheckoutService-v71.json", "3.1.0", 28, map[string]int{"POST": 22}},
		{"adyen_CheckoutService-v71.yaml", "3.1.0", 28, map[string]int{"POST": 22}},
		{"paypal_checkout_orders_v2.json", "3.0.3", 8, map[string]int{"POST": 3}},
		{"square_api.json", "3.0.0", 316, map[string]int{"POST": 52, "PUT": 11}},
		{"twilio_api_v2010.json", "3.0.1", 197, map[string]int{"POST": 4}},
		{"obie_vrp.yaml", "3.0.0", 9, map[string]int{"POST": 2, "PUT": 1, "PATCH": 1}},
		{"stripe_spec3.json", "3.0.0", 594, nil},
		{"github_api.github.com.json", "3.0.3", 767, nil},
		{"openai_openapi.yaml", "3.1.0", 288, nil},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			doc, found, err := Load(Options{File: realSpec(t, test.file), AcceptDeclared: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found.Errors() {
				t.Errorf("%v", d)
			}
			if doc.OpenAPI != test.version || len(doc.Operations) != test.operations {
				t.Errorf("version %s with %d operations, want %s with %d", doc.OpenAPI, len(doc.Operations), test.version, test.operations)
			}
			keyed := map[string]int{}
			for _, op := range doc.Keyed() {
				keyed[op.Method]++
			}
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
				if keyed[method] != test.keyed[method] {
					t.Errorf("%d keyed %s, want %d", keyed[method], method, test.keyed[method])
				}
			}
			byRule := map[string]int{}
			for _, d := range found {
				byRule[string(d.Severity)+" "+d.Rule]++
			}
			t.Logf("schemas %d, findings %v", len(doc.Schemas), byRule)
			logDegraded(t, doc)
		})
	}
}

func logDegraded(t *testing.T, doc *policy.Document) {
	t.Helper()
	reasons := map[string]int{}
	seen := map[*policy.Schema]bool{}
	total := 0
	var visit func(*policy.Schema)
	visit = func(s *policy.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		total++
		if s.Degraded != "" {
			reasons[s.Degraded]++
		}
		visit(s.Items)
		visit(s.Additional)
		for _, p := range s.Properties {
			visit(p.Schema)
		}
	}
	for _, op := range doc.Keyed() {
		for _, p := range op.Shape.Parameters {
			visit(p.Schema)
		}
		if op.Shape.Body != nil {
			for _, c := range op.Shape.Body.Contents {
				visit(c.Schema)
			}
		}
		for _, r := range op.Shape.Responses {
			for _, c := range r.Contents {
				visit(c.Schema)
			}
		}
	}
	t.Logf("%d schemas, free-form: %v", total, reasons)
}
