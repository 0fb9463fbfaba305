package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A report is what its schema describes, and nothing else.
func TestReport_FollowsItsSchema(t *testing.T) {
	text, err := os.ReadFile("../../docs/schema/drill-v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	closed(document)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(SchemaURL, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	for fault, ctx := range map[string]context.Context{"": t.Context(), "any key": t.Context(), "no memory": over} {
		report, err := Run(ctx, planFor(t, newBank(fault), operation("createPayment", "/payments")))
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v\n%s", err, written)
		}
		if got := value.(map[string]any)["$schema"]; got != SchemaURL {
			t.Errorf("it names the schema %v", got)
		}
	}
}

// closed has a schema refuse members that it does not describe.
func closed(node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, ok := node["properties"]; ok {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closed(child)
		}
	case []any:
		for _, child := range node {
			closed(child)
		}
	}
}
