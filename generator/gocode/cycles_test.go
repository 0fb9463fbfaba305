package gocode_test

import (
	"strconv"
	"testing"

	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Each schema holds the next one twice: by value the first would have 2^40 members, and the compiler would not end.
func TestGenerate_DoublingSchemasCompile(t *testing.T) {
	schemas := make([]*policy.Schema, 40)
	for i := range schemas {
		schemas[i] = &policy.Schema{Name: "Level" + strconv.Itoa(i), Kind: policy.Object, AdditionalAllowed: true}
	}
	for i, s := range schemas {
		next := &policy.Schema{Kind: policy.String}
		if i+1 < len(schemas) {
			next = schemas[i+1]
		}
		s.Properties = []policy.Property{{Name: "left", Required: true, Schema: next}, {Name: "right", Required: true, Schema: next}}
	}
	doc := &policy.Document{Schemas: schemas, Operations: []policy.Operation{keyed("double", "POST", "/double", &policy.Shape{
		Body: &policy.Body{Required: true, Contents: []policy.Content{{MediaType: "application/json", Schema: schemas[0]}}},
	})}}
	build(t, map[string][]output.File{"doubling": generate(t, doc, gocode.Options{Package: "doubling", Dir: "doubling"})})
}
