package policydoc

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/idemgen/idemgen/internal/schematest"
	"github.com/idemgen/idemgen/runtime/policy"
)

const schemaFile = "../../docs/schema/policy-v1.schema.json"

func TestPolicyJSON_P2_ValidatesAgainstThePublishedSchema(t *testing.T) {
	content, err := policyJSON(bank())
	if err != nil {
		t.Fatal(err)
	}
	if err := schematest.Validate(schematest.Closed(t, schemaFile, SchemaURL), content); err != nil {
		t.Errorf("%v", err)
	}
	if err := schematest.Validate(schematest.Published(t, schemaFile, SchemaURL), content); err != nil {
		t.Errorf("%v", err)
	}
	if id := SchemaURL; !bytes.Contains(content, []byte(id)) {
		t.Errorf("the policy does not name its schema")
	}
}

func TestPolicyJSON_SchemaRefuses(t *testing.T) {
	schema := schematest.Published(t, schemaFile, SchemaURL)
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
		if schematest.Validate(schema, spoiled) == nil {
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
