package policydoc

import (
	"reflect"
	"testing"

	"github.com/theory/jsonpath"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Every target is RFC 9535 and selects its operation and nothing else, whatever the path is called.
func TestOperationPath_SelectsTheOperation(t *testing.T) {
	const here = "the operation"
	methods := map[string]string{"POST": "post", "PATCH": "patch", "QUERY": "query"}
	for _, name := range append([]string{"/orders/{id}", "/it's", `/back\slash`, "/a']['b", "/tab\t", "/nul\x00"}, hostile...) {
		if name != policyPath(name) {
			continue // a JSON text cannot hold it
		}
		for method, member := range methods {
			for _, webhook := range []bool{false, true} {
				op := &policy.Operation{Method: method, Path: name, Webhook: webhook}
				section := "paths"
				if webhook {
					section = "webhooks"
				}
				selects(t, op.JSONPath(), map[string]any{section: map[string]any{name: map[string]any{member: here, "get": "no"}, name + "x": map[string]any{member: "no"}}}, here)
			}
		}
		op := &policy.Operation{Method: "COPY", Path: name}
		selects(t, op.JSONPath(), map[string]any{"paths": map[string]any{name: map[string]any{"additionalOperations": map[string]any{"COPY": here}}}}, here)
		selects(t, "$.parameters[?@.name == "+policy.QuoteJSONPath(name)+" && @.in == 'header']", map[string]any{"parameters": []any{
			map[string]any{"name": name, "in": "query"}, map[string]any{"name": name, "in": "header"}, map[string]any{"$ref": "#/x"},
		}}, map[string]any{"name": name, "in": "header"})
	}
}

// policyPath is text as a document can hold it.
func policyPath(text string) string {
	var valid []rune
	for _, r := range text {
		valid = append(valid, r)
	}
	return string(valid)
}

func selects(t *testing.T, path string, document any, want any) {
	t.Helper()
	query, err := jsonpath.Parse(path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	got := query.Select(document)
	if len(got) != 1 {
		t.Errorf("%s selects %d nodes", path, len(got))
		return
	}
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("%s selects %v", path, got[0])
	}
}
