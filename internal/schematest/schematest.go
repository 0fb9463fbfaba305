// Package schematest holds what the project writes for programs against the published JSON Schemas.
//
// In: a schema's file and address, and text. Out: a compiled schema, and what is wrong with the text. It must never know
// what a schema describes.
package schematest

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Published is the schema in file, under its address. It allows members that it does not describe, as readers have to.
func Published(t testing.TB, file, address string) *jsonschema.Schema {
	t.Helper()
	return compiled(t, read(t, file), address)
}

// Closed is the schema in file, and refuses members that it does not describe: what is written has none.
func Closed(t testing.TB, file, address string) *jsonschema.Schema {
	t.Helper()
	document := read(t, file)
	closeObjects(document)
	return compiled(t, document, address)
}

// Validate says what is wrong with a JSON text; nil when nothing is.
func Validate(schema *jsonschema.Schema, content []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func read(t testing.TB, file string) any {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func compiled(t testing.TB, document any, address string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(address, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(address)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// closeObjects closes what describes an object; what only says more of one, in a condition, has no type of its own.
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
