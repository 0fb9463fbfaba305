package spec

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
)

func realSpec(t testing.TB, name string) string {
	t.Helper()
	return realspecs.File(t, "../..", name)
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
			operations := 0
			for _, op := range doc.Operations {
				if !op.Webhook {
					operations++
				}
			}
			if doc.OpenAPI != test.version || operations != test.operations {
				t.Errorf("version %s with %d operations, want %s with %d", doc.OpenAPI, operations, test.version, test.operations)
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

// Ten operations of large documents, decided by an overlay, with every schema that they reach.
func TestLoad_RealSpecsThroughOverlays(t *testing.T) {
	tests := []struct{ file, overlay string }{
		{"stripe_spec3.json", "stripe.yaml"},
		{"github_api.github.com.json", "github.yaml"},
		{"openai_openapi.yaml", "openai.yaml"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			doc, found, err := Load(Options{File: realSpec(t, test.file), Overlays: []string{filepath.Join("testdata/overlays", test.overlay)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found.Errors() {
				t.Errorf("%v", d)
			}
			if keyed := len(doc.Keyed()); keyed != 10 {
				t.Errorf("%d keyed operations, want 10", keyed)
			}
			for _, op := range doc.Keyed() {
				if want := filepath.Join("testdata/overlays", test.overlay); op.DecidedAt.File != want || op.DecidedAt.Line == 0 {
					t.Errorf("%s is decided at %s, want a place in %s", op.Path, op.DecidedAt, want)
				}
				if op.Shape == nil || len(op.Shape.Responses) == 0 {
					t.Errorf("%s has no shape", op.Path)
				}
			}
			for _, d := range found {
				if d.Rule != "undecided" {
					t.Logf("%s %v", d.Severity, d)
				}
			}
			t.Logf("%d named schemas", len(doc.Schemas))
			logDegraded(t, doc)
		})
	}
}

// The same document in two syntaxes is one document.
func TestLoad_JSONAndYAMLAgree(t *testing.T) {
	load := func(name string) *policy.Document {
		doc, found, err := Load(Options{File: realSpec(t, name), AcceptDeclared: true})
		if err != nil || found.Err() != nil {
			t.Fatal(err, found.Err())
		}
		return withoutPlaces(doc)
	}
	asJSON, asYAML := load("adyen_CheckoutService-v71.json"), load("adyen_CheckoutService-v71.yaml")
	if reflect.DeepEqual(asJSON, asYAML) {
		return
	}
	for i := range asJSON.Operations {
		if !reflect.DeepEqual(asJSON.Operations[i], asYAML.Operations[i]) {
			t.Errorf("%s %s differs", asJSON.Operations[i].Method, asJSON.Operations[i].Path)
		}
	}
	for i := range asJSON.Schemas {
		if !reflect.DeepEqual(asJSON.Schemas[i], asYAML.Schemas[i]) {
			t.Errorf("schema %s differs", asJSON.Schemas[i].Name)
		}
	}
	t.Error("the two documents differ")
}

// withoutPlaces clears every position and the file's name, in place.
func withoutPlaces(doc *policy.Document) *policy.Document {
	doc.SpecFile = ""
	seen := map[uintptr]bool{}
	var clear func(reflect.Value)
	clear = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || seen[v.Pointer()] {
				return
			}
			seen[v.Pointer()] = true
			clear(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				clear(v.Index(i))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[policy.Position]() {
				v.SetZero()
				return
			}
			for i := range v.NumField() {
				clear(v.Field(i))
			}
		}
	}
	clear(reflect.ValueOf(doc))
	return doc
}

// BenchmarkLoad measures reading a document with everything that is done to it, beside kin-openapi's mere loading of it.
func BenchmarkLoad(b *testing.B) {
	for _, test := range []struct{ name, file, overlay string }{
		{"stripe", "stripe_spec3.json", "stripe.yaml"},
		{"github", "github_api.github.com.json", "github.yaml"},
		{"openai", "openai_openapi.yaml", "openai.yaml"},
	} {
		file := realSpec(b, test.file)
		b.Run(test.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, found, err := Load(Options{File: file, Overlays: []string{filepath.Join("testdata/overlays", test.overlay)}})
				if err != nil || found.Err() != nil {
					b.Fatal(err, found.Err())
				}
			}
		})
		b.Run(test.name+"/kin", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				loader := openapi3.NewLoader()
				loader.IncludeOrigin = true
				if _, err := loader.LoadFromFile(file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
