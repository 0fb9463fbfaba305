package spec

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// loadOne loads a document of one keyed operation and returns it.
func loadOne(t *testing.T, text string, overlays ...string) *policy.Operation {
	t.Helper()
	o := Options{File: writeSpec(t, "openapi.yaml", text)}
	for _, overlay := range overlays {
		o.Overlays = append(o.Overlays, writeSpec(t, "overlay.yaml", overlay))
	}
	doc, found, err := Load(o)
	if err != nil || found.Err() != nil {
		t.Fatal(err, found)
	}
	keyed := doc.Keyed()
	if len(keyed) != 1 {
		t.Fatalf("%d keyed operations", len(keyed))
	}
	return keyed[0]
}

// Header names are compared without regard to case, others with it.
func TestShape_OperationReplacesPathItemParameters(t *testing.T) {
	op := loadOne(t, `
openapi: 3.0.0
info: {title: t, version: "1"}
paths:
  /a:
    parameters:
      - {name: X-Tenant, in: header, schema: {type: string}}
      - {name: page, in: query, schema: {type: string}}
    post:
      operationId: a
      x-idempotency: true
      parameters:
        - {name: x-tenant, in: header, required: true, schema: {type: integer}}
        - {name: Page, in: query, schema: {type: string}}
      responses: {"200": {description: ok}}
`)
	var names []string
	for _, p := range op.Shape.Parameters {
		names = append(names, p.In+" "+p.Name)
	}
	want := []string{"query Page", "query page", "header x-tenant"}
	if len(names) != 3 || names[0] != want[0] || names[1] != want[1] || names[2] != want[2] {
		t.Errorf("%v, want %v", names, want)
	}
	if !op.Shape.Parameters[2].Required {
		t.Error("the path item's parameter was kept")
	}
}

// Of two bounds the narrower counts, of two equal ones the exclusive one, in whatever order they stand.
func TestConstrainNumber_NarrowerBound(t *testing.T) {
	for _, test := range []struct{ name, schema, min, max string }{
		{"exclusive after inclusive", `{type: number, minimum: 1, exclusiveMinimum: 1, maximum: 5, exclusiveMaximum: 5}`, "1 true", "5 true"},
		{"inclusive after exclusive", `{allOf: [{type: number, exclusiveMinimum: 1, exclusiveMaximum: 5}, {minimum: 1, maximum: 5}]}`, "1 true", "5 true"},
		{"narrower first", `{allOf: [{type: number, minimum: 2, maximum: 3}, {exclusiveMinimum: 1, exclusiveMaximum: 4}]}`, "2 false", "3 false"},
		{"narrower last", `{allOf: [{type: number, minimum: 1, maximum: 4}, {exclusiveMinimum: 1.5, exclusiveMaximum: 3.5}]}`, "1.5 true", "3.5 true"},
	} {
		op := loadOne(t, `
openapi: 3.1.0
info: {title: t, version: "1"}
paths: {/a: {post: {operationId: a, x-idempotency: true, parameters: [{name: n, in: query, schema: `+test.schema+`}], responses: {"200": {description: ok}}}}}
`)
		s := op.Shape.Parameters[0].Schema
		describe := func(bound string, exclusive bool) string {
			if exclusive {
				return bound + " true"
			}
			return bound + " false"
		}
		if min, max := describe(s.Minimum, s.ExclusiveMinimum), describe(s.Maximum, s.ExclusiveMaximum); min != test.min || max != test.max {
			t.Errorf("%s: %s and %s, want %s and %s", test.name, min, max, test.min, test.max)
		}
	}
}

// A schema's own texts win over those of what it combines.
func TestSchema_OwnDescriptionWins(t *testing.T) {
	op := loadOne(t, `
openapi: 3.0.0
info: {title: t, version: "1"}
paths: {/a: {post: {operationId: a, x-idempotency: true, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Own'}}}}, responses: {"200": {description: ok}}}}}
components:
  schemas:
    Base: {type: object, description: The base, properties: {a: {type: string, description: From the base, readOnly: true}}}
    Own: {description: Its own, allOf: [{$ref: '#/components/schemas/Base'}, {properties: {a: {maxLength: 3}, b: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {c: {type: string}}}]}}}]}
`)
	s := op.Shape.Body.Contents[0].Schema
	if s.Name != "Own" || s.Description != "Its own" || len(s.Properties) != 2 {
		t.Fatalf("%+v", s)
	}
	if a := s.Properties[0].Schema; a.Description != "From the base" || !a.ReadOnly || a.MaxLength == nil || *a.MaxLength != 3 {
		t.Errorf("%+v", a)
	}
	if b := s.Properties[1].Schema; b.Name != "" || b.Description != "The base" || len(b.Properties) != 2 {
		t.Errorf("%+v", b)
	}
}

// A component that is used with more to say of it is a copy of the component, under its name; the component stays as it is.
func TestSchema_UsesThatSayMore(t *testing.T) {
	op := loadOne(t, `
openapi: 3.0.0
info: {title: t, version: "1"}
paths: {/a: {post: {operationId: a, x-idempotency: true, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Node'}}}}, responses: {"200": {description: ok}}}}}
components:
  schemas:
    Node: {type: object, properties: {next: {nullable: true, allOf: [{$ref: '#/components/schemas/Node'}]}, plain: {$ref: '#/components/schemas/Node'}}}
`)
	s := op.Shape.Body.Contents[0].Schema
	next, plain := s.Properties[0].Schema, s.Properties[1].Schema
	if plain != s || s.Nullable {
		t.Error("a bare reference is not the component itself")
	}
	if next == s || next.Name != "Node" || !next.Nullable || len(next.Properties) != 2 || next.Properties[0].Schema != next {
		t.Errorf("%+v", next)
	}
}

// What an overlay makes of the version counts.
func TestLoad_OverlayChangesVersion(t *testing.T) {
	spec := `
openapi: 3.0.0
info: {title: t, version: "1"}
paths: {/a: {post: {operationId: a, x-idempotency: true, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/A', description: Beside}}}}, responses: {"200": {description: ok}}}}}
components: {schemas: {A: {type: object}}}
`
	if s := loadOne(t, spec).Shape.Body.Contents[0].Schema; s.Description != "" {
		t.Error("OpenAPI 3.0 ignores what stands beside $ref")
	}
	upgrade := "overlay: 1.0.0\nactions: [{target: $, update: {openapi: 3.1.0}}]"
	if s := loadOne(t, spec, upgrade).Shape.Body.Contents[0].Schema; s.Description != "Beside" {
		t.Error("OpenAPI 3.1 reads what stands beside $ref")
	}
}

// An operation that is safe by its method declares keys in headers only.
func TestDeclared_SafeMethods(t *testing.T) {
	doc, _, err := Load(Options{File: writeSpec(t, "openapi.yaml", `
openapi: 3.0.0
info: {title: t, version: "1"}
paths:
  /a:
    get: {parameters: [{name: idempotency_key, in: query, schema: {type: string}}], responses: {"200": {description: ok}}}
    put: {parameters: [{name: idempotency_key, in: query, schema: {type: string}}], responses: {"200": {description: ok}}}
`)})
	if err != nil {
		t.Fatal(err)
	}
	if get, put := doc.Operations[0], doc.Operations[1]; len(get.Declared) != 0 || len(put.Declared) != 1 {
		t.Errorf("GET declares %v, PUT %v", get.Declared, put.Declared)
	}
}

// A key is found in a body of each type that is JSON, and in no other.
func TestDeclared_K1_InEachTypeOfJSON(t *testing.T) {
	for mediaType, want := range map[string]int{"application/json": 1, "text/json": 1, "application/vnd.a+json; v=1": 1, "application/xml": 0, "text/plain": 0} {
		doc, _, err := Load(Options{File: writeSpec(t, "openapi.yaml", `
openapi: 3.0.0
info: {title: t, version: "1"}
paths:
  /a:
    post: {requestBody: {required: true, content: {"`+mediaType+`": {schema: {type: object, properties: {idempotency_key: {type: string}}}}}}, responses: {"200": {description: ok}}}
`)})
		if err != nil {
			t.Fatal(err)
		}
		if declared := doc.Operations[0].Declared; len(declared) != want {
			t.Errorf("%s: %v, want %d", mediaType, declared, want)
		}
	}
}

// Options.Root widens the folder that references may lead into.
func TestLoad_Root(t *testing.T) {
	file := writeSpec(t, "api/openapi.json", keyedSpec("3.0.0", `{"$ref": "../shared/a.yaml#/A"}`, ""), "shared/a.yaml", "A: {type: object, properties: {b: {type: string}}}")
	root := file[:len(file)-len("/api/openapi.json")]
	doc, found, err := Load(Options{File: file, Root: root})
	if err != nil || found.Err() != nil || doc.Keyed()[0].Shape.Body.Contents[0].Schema.Kind != policy.Object {
		t.Error(err, found)
	}
	t.Chdir(root)
	if _, found, err := Load(Options{File: "api/openapi.json", Root: root}); err != nil || found.Err() != nil {
		t.Error("a relative document in an absolute root:", err, found)
	}
	if _, found, _ := Load(Options{File: file}); !hasRule(found, ruleOutsideRef) {
		t.Error("a reference leaves the document's own folder")
	}
}
