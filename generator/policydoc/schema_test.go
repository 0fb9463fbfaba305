package policydoc

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idemgen/idemgen/runtime/policy"
)

const schemaFile = "../../docs/schema/policy-v1.schema.json"

// compiled is the published schema. strict refuses members that the schema does not describe, which the published one
// allows to readers of a later policy.
func compiled(t *testing.T, strict bool) *jsonschema.Schema {
	t.Helper()
	content, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if strict {
		closeObjects(document)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(SchemaURL, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, ok := node["properties"]; ok && node["type"] == "object" {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closeObjects(child)
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

func validate(t *testing.T, schema *jsonschema.Schema, content []byte) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

func TestPolicyJSON_P2_ValidatesAgainstThePublishedSchema(t *testing.T) {
	content, err := policyJSON(bank())
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, compiled(t, true), content); err != nil {
		t.Errorf("%v", err)
	}
	if err := validate(t, compiled(t, false), content); err != nil {
		t.Errorf("%v", err)
	}
	if id := SchemaURL; !bytes.Contains(content, []byte(id)) {
		t.Errorf("the policy does not name its schema")
	}
}

func TestPolicyJSON_SchemaRefuses(t *testing.T) {
	schema := compiled(t, false)
	for name, spoil := range map[string]func(operation map[string]any){
		"keyed without rules": func(o map[string]any) { delete(o, "rules") },
		"rules without a key": func(o map[string]any) { o["decision"] = "natural" },
		"unknown decision":    func(o map[string]any) { o["decision"] = "maybe" },
		"Go duration":         func(o map[string]any) { o["rules"].(map[string]any)["retention"] = "24h" },
		"empty duration":      func(o map[string]any) { o["rules"].(map[string]any)["retention"] = "P" },
		"status out of range": func(o map[string]any) {
			o["rules"].(map[string]any)["errors"].(map[string]any)["missing"] = map[string]any{"status": 99}
		},
		"status set": func(o map[string]any) {
			o["rules"].(map[string]any)["store"].(map[string]any)["statuses"] = []any{"2xx!"}
		},
		"promise without its id": func(o map[string]any) { o["promises"] = []any{map[string]any{"text": "x"}} },
	} {
		content, err := policyJSON(bank())
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := json.Unmarshal(content, &document); err != nil {
			t.Fatal(err)
		}
		spoil(document["operations"].([]any)[0].(map[string]any))
		spoiled, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if validate(t, schema, spoiled) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Tables and columns, steps and the services behind them are nobody's business outside.
func TestGenerate_InsidesAreNotPublished(t *testing.T) {
	files, _, err := Generate(bank(), all())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if bytes.Contains(file.Content, []byte("secret_")) {
			t.Errorf("%s names a table, a column, a step or another service", file.Path)
		}
	}
}

// Each promise stands once in an operation, and its id is one of the published list.
func TestPromises_P3_IDsAreUniqueAndKnown(t *testing.T) {
	known := map[string]bool{}
	for _, id := range PromiseIDs() {
		if known[id] {
			t.Errorf("%s is listed twice", id)
		}
		known[id] = true
	}
	said := map[string]bool{}
	doc := timed()
	for _, op := range doc.Keyed() {
		seen := map[string]bool{}
		for _, promise := range promises(op) {
			if seen[promise.ID] {
				t.Errorf("%s: %s is said twice", op.ID, promise.ID)
			}
			if !known[promise.ID] {
				t.Errorf("%s: %s is not in the list", op.ID, promise.ID)
			}
			seen[promise.ID], said[promise.ID] = true, true
		}
	}
	for id := range known {
		if !said[id] {
			t.Errorf("no test document comes to %s", id)
		}
	}
	if policy.DefaultProfile != "ietf" {
		t.Error("the default profile is not the draft standard any more: look at undocumentedMembers")
	}
}
