package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document that goes to another folder still finds the files that it is split over.
func TestApplyOverlaysTo(t *testing.T) {
	const document = `openapi: 3.1.0
info: {title: Split, version: "1"}
paths:
  /a:
    $ref: paths/a%20b.yaml
  /b:
    get:
      responses:
        default: {$ref: './responses.yaml#/Error'}
        "200":
          description: ok
          links: {next: {operationRef: 'openapi.yaml#/paths/~1b/get'}, other: {operationRef: 'other.yaml#/paths/~1x/get'}}
          content:
            application/json:
              schema:
                oneOf: [{$ref: 'schemas/cat.yaml'}, {$ref: '#/components/schemas/Dog'}]
                discriminator: {propertyName: kind, mapping: {cat: schemas/cat.yaml, dog: Dog, bird: bird.json, own: '#/components/schemas/Dog'}}
              examples:
                one: {externalValue: 'examples/one.json'}
                two: {value: {$ref: 'is/data.yaml'}}
components:
  schemas:
    Dog: {type: object, properties: {example: {$ref: 'schemas/example.yaml'}, $ref: {type: string}}, default: {$ref: data}}
    Far: {$ref: 'https://example.com/far.yaml#/X'}
    Rooted: {$ref: /etc/schema.yaml}
    Named: {$id: 'https://example.com/named', properties: {a: {$ref: 'beside.yaml'}}}
    bird.json: {type: object}
x-code: {$ref: code/a.sh}
`
	file := writeSpec(t, "api/openapi.yaml", document)
	folder := filepath.Dir(filepath.Dir(file))
	overlay := Overlay{Name: "o", Content: []byte(`{"overlay":"1.0.0","actions":[{"target":"$.paths['/b']","update":{"parameters":[{"$ref":"params.yaml#/P"}]}}]}`)}
	for _, test := range []struct {
		out  string
		want []string
	}{
		{"api/public.yaml", []string{"paths/a%20b.yaml", "./responses.yaml#/Error", "openapi.yaml#/paths/~1b/get", "cat: schemas/cat.yaml", "params.yaml#/P"}},
		{"dist/openapi.yaml", []string{
			"$ref: ../api/paths/a%20b.yaml", "../api/responses.yaml#/Error", "operationRef: '#/paths/~1b/get'", "../api/other.yaml#/paths/~1x/get", "$ref: '../api/schemas/cat.yaml'",
			"{$ref: '#/components/schemas/Dog'}", "mapping: {cat: ../api/schemas/cat.yaml, dog: Dog, bird: bird.json, own: '#/components/schemas/Dog'}",
			"externalValue: '../api/examples/one.json'", "value: {$ref: 'is/data.yaml'}", "example: {$ref: '../api/schemas/example.yaml'}", "default: {$ref: data}",
			"https://example.com/far.yaml#/X", "$ref: /etc/schema.yaml", "{$ref: 'beside.yaml'}", "$ref: ../api/code/a.sh", "../api/params.yaml#/P",
		}},
		{"all.yaml", []string{"$ref: api/paths/a%20b.yaml", "api/responses.yaml#/Error", "cat: api/schemas/cat.yaml"}},
		{"api/dist/v 1/openapi.yaml", []string{"$ref: ../../paths/a%20b.yaml", "../../responses.yaml#/Error"}},
	} {
		got, err := ApplyOverlaysTo(file, filepath.Join(folder, test.out), overlay)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s: no %s in\n%s", test.out, want, got)
			}
		}
	}
}

// The moved document loads, and means the same: its files are found.
func TestApplyOverlaysTo_Loads(t *testing.T) {
	file := writeSpec(t, "api: v1/openapi.yaml", `openapi: 3.1.0
info: {title: Split, version: "1"}
paths:
  /a: {$ref: paths/a.yaml}
`, "api: v1/paths/a.yaml", "post: {operationId: a, x-idempotency: true, responses: {'201': {description: ok}}}\n")
	out := filepath.Join(filepath.Dir(filepath.Dir(file)), "all.yaml")
	got, err := ApplyOverlaysTo(file, out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, got, 0o644); err != nil {
		t.Fatal(err)
	}
	doc, found, err := Load(Options{File: out})
	if err != nil || len(found) != 0 || len(doc.Keyed()) != 1 {
		t.Errorf("%v %v\n%s", err, found, got)
	}
}
