package spec

import (
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What the body's schema says of the key that x-idempotency names is its default, whatever the key is called.
func TestLoad_NamedKey_K3(t *testing.T) {
	const uuid = `{type: string, format: uuid, minLength: 36, maxLength: 36, pattern: "^[0-9a-f-]+$"}`
	const json, form = "application/json", "application/x-www-form-urlencoded"
	all := policy.Key{Required: true, Format: policy.UUID, MinLength: 36, MaxLength: 36, Pattern: "^[0-9a-f-]+$"}
	open := policy.Key{Required: true, Format: policy.AnyFormat, MinLength: 1, MaxLength: 255}
	long := open
	long.MaxLength = 64
	optional := long
	optional.Required = false
	for _, test := range []struct {
		name, version, key, media, schema, more string
		want                                    policy.Key
		rules                                   string
	}{
		{"a pointer", "3.0.3", "{in: body, pointer: /request_id}", json, "required: [request_id], properties: {request_id: " + uuid + "}", "", all, ""},
		{"a nested pointer", "3.0.3", "{in: body, pointer: /a~1b/id}", json, "required: [a/b], properties: {a/b: {type: object, required: [id], properties: {id: " + uuid + "}}}", "", all, ""},
		{"a form field", "3.0.3", "{in: form, name: RequestId}", form, "required: [RequestId], properties: {RequestId: " + uuid + "}", "", all, ""},
		{"by reference", "3.0.3", "{in: body, pointer: /id}", json, `required: [id], properties: {id: {$ref: "#/components/schemas/UUID"}}`, "", all, ""},
		{"by allOf", "3.0.3", "{in: body, pointer: /id}", json, `allOf: [{required: [id], properties: {id: {allOf: [{$ref: "#/components/schemas/UUID"}], maxLength: 40}}}]`, "", all, ""},
		{"beside a reference", "3.1.0", "{in: body, pointer: /id}", json, `required: [id], properties: {id: {$ref: "#/components/schemas/Text", maxLength: 64}}`, "", long, ""},
		{"beside a reference of 3.0", "3.0.3", "{in: body, pointer: /id}", json, `required: [id], properties: {id: {$ref: "#/components/schemas/Text", maxLength: 64}}`, "", open, ""},
		{"null or text", "3.1.0", "{in: body, pointer: /id}", json, `required: [id], properties: {id: {oneOf: [{type: "null"}, {type: string, maxLength: 64}]}}`, "", long, "nullable-key"},
		{"stated wins", "3.0.3", "{in: body, pointer: /id, maxLength: 64}", json, "required: [id], properties: {id: {type: string}}", "", long, ""},
		{"that it may be left out is no default", "3.0.3", "{in: body, pointer: /id}", json, "properties: {id: {type: string, maxLength: 64}}", "", long, "nullable-key"},
		{"a pattern that is not RE2", "3.0.3", "{in: body, pointer: /id}", json, `required: [id], properties: {id: {type: string, maxLength: 64, pattern: "^(?!x)"}}`, "", long, "key-pattern"},
		{"too long for an index", "3.0.3", "{in: body, pointer: /id}", json, "required: [id], properties: {id: {type: string, maxLength: 5000}}", "", policy.Key{Required: true, Format: policy.AnyFormat, MinLength: 1, MaxLength: 1024}, "declared-key-length"},
		{"several bodies", "3.0.3", "{in: body, pointer: /id}", json, "required: [id], properties: {id: {type: string, format: uuid, minLength: 2, maxLength: 36}}",
			"application/vnd.a+json: {schema: {type: object, required: [id], properties: {id: {type: string, minLength: 1, maxLength: 64}}}}", long, ""},
		{"two parts of one member", "3.0.3", "{in: body, pointer: /id}", json, "allOf: [{required: [id], properties: {id: {type: string}}}, {properties: {id: {type: string, maxLength: 64}}}]", "", long, ""},
		{"a schema in itself", "3.0.3", "{in: body, pointer: /loop/loop/id}", json, `required: [loop], properties: {loop: {$ref: "#/components/schemas/Loop"}}`, "", long, ""},
		{"no limit in one of several bodies", "3.0.3", "{in: body, pointer: /id}", json, "required: [id], properties: {id: {type: string, maxLength: 36}}",
			"application/vnd.a+json: {schema: {type: object, required: [id], properties: {id: {type: string}}}}", open, ""},
		{"optional, and its object can be null", "3.0.3", "{in: body, pointer: /o/id, required: false}", json, "required: [o], properties: {o: {type: object, nullable: true, required: [id], properties: {id: {type: string, maxLength: 64}}}}", "", optional, ""},
		{"optional, and it can be null", "3.0.3", "{in: body, pointer: /id, required: false}", json, "required: [id], properties: {id: {type: string, nullable: true, maxLength: 64}}", "", optional, ""},
		{"optional, and required in the schema", "3.0.3", "{in: body, pointer: /id, required: false}", json, "required: [id], properties: {id: {type: string, maxLength: 64}}", "", optional, "key-contradicts-declaration key-contradicts-declaration"},
		{"free", "3.0.3", "{in: body, pointer: /id/x}", json, "properties: {id: {type: object}}", "", open, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := `
openapi: ` + test.version + `
info: {title: t, version: "1"}
paths:
  /a:
    post:
      operationId: a
      x-idempotency: {key: ` + test.key + `}
      requestBody:
        required: true
        content:
          ` + test.media + `: {schema: {type: object, ` + test.schema + `}}
          ` + test.more + `
      responses: {"200": {description: ok}}
components: {schemas: {UUID: ` + uuid + `, Text: {type: string}, Loop: {type: object, required: [id, loop], properties: {id: {type: string, maxLength: 64}, loop: {$ref: "#/components/schemas/Loop"}}}}}
`
			doc, found, err := Load(Options{File: writeSpec(t, "openapi.yaml", text)})
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			for _, d := range found {
				rules = append(rules, d.Rule)
			}
			op := doc.Operations[0]
			got := op.Policy.Key
			got.In, got.Name, got.Pointer, got.LengthUnit, got.Syntax = "", "", "", "", ""
			if got != test.want || strings.Join(rules, " ") != test.rules || len(op.Declared) != 0 {
				t.Errorf("got %+v, want %+v, declared %v, %v", got, test.want, op.Declared, found)
			}
			if origin, _ := op.Origins.Find("key.format"); test.want.Format == policy.UUID && (origin.Level != policy.LevelDeclared || !origin.Pos.IsValid()) {
				t.Errorf("format is from %+v", origin)
			}
		})
	}
}
