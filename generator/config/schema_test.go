package config

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/migration"
)

const schemaFile = "../../docs/schema/config-v1.schema.json"

func render(c Config) string { return fmt.Sprintf("%+v", c) }

// schema is the part of a JSON Schema that the published one uses.
type schema struct {
	Type       string            `json:"type"`
	Ref        string            `json:"$ref"`
	Const      any               `json:"const"`
	Enum       []string          `json:"enum"`
	OneOf      []schema          `json:"oneOf"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Defs       map[string]schema `json:"$defs"`
	Default    any               `json:"default"`
	Text       string            `json:"description"`
	Additional *bool             `json:"additionalProperties"`
}

func published(t *testing.T) schema {
	t.Helper()
	content, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(content, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// The published schema and the table of members say the same: names, kinds, formats and defaults.
func TestSchemaEqualsMembers(t *testing.T) {
	root := published(t)
	compareMembers(t, root.Defs, root, members, "")
	formats := root.Properties["migrations"].OneOf[1].Properties["format"].Enum
	if !slices.Equal(formats, migration.Formats()) {
		t.Errorf("formats: schema has %v, the code %v", formats, migration.Formats())
	}
	dialects := root.Properties["migrations"].OneOf[1].Properties["dialect"].Enum
	if !slices.Equal(dialects, migration.Dialects()) {
		t.Errorf("dialects: schema has %v, the code %v", dialects, migration.Dialects())
	}
	for path, want := range map[string]any{
		"out": Default().Out, "tests": Default().Tests, "strict": Default().Strict, "acceptDeclared": Default().AcceptDeclared,
		"migrations/table": Default().Migrations.Table, "migrations/guards": Default().Migrations.Guards, "migrations/dialect": Default().Migrations.Dialect, "docs/dir": Default().Docs.Dir,
	} {
		first, rest, nested := strings.Cut(path, "/")
		at := root.Properties[first]
		if nested {
			at = at.OneOf[1].Properties[rest]
		}
		if !reflect.DeepEqual(at.Default, want) {
			t.Errorf("default of %s: schema has %v, the code %v", path, at.Default, want)
		}
	}
}

func compareMembers(t *testing.T, defs map[string]schema, s schema, known []member, path string) {
	t.Helper()
	if s.Additional == nil || *s.Additional {
		t.Errorf("%q: the schema allows unknown members", path)
	}
	if len(s.Properties) != len(known) {
		t.Errorf("%q: the schema has %d members, the code %d", path, len(s.Properties), len(known))
	}
	for _, m := range known {
		property, ok := s.Properties[m.name]
		if !ok {
			t.Errorf("%s is not in the schema", join(path, m.name))
			continue
		}
		if property.Text == "" {
			t.Errorf("%s has no description in the schema", join(path, m.name))
		}
		if got := kindOf(defs, property); got != m.kind {
			t.Errorf("%s: %q in the schema, %q in the code", join(path, m.name), got, m.kind)
		}
		if m.members == nil {
			continue
		}
		nested := property
		if m.kind == objectOrNo || m.kind == objectTextOrNo {
			nested = property.OneOf[1]
		}
		compareMembers(t, defs, nested, m.members, m.name)
	}
}

func kindOf(defs map[string]schema, s schema) kind {
	switch {
	case s.Ref != "":
		return kindOf(defs, defs[strings.TrimPrefix(s.Ref, "#/$defs/")])
	case s.Enum != nil:
		return text
	case len(s.OneOf) == 3 && s.OneOf[0].Const == false:
		return kindOf(defs, s.OneOf[1]) + " or " + kindOf(defs, s.OneOf[2]) + " or false"
	case len(s.OneOf) == 2 && s.OneOf[0].Const == nil:
		return kindOf(defs, s.OneOf[0]) + " or " + kindOf(defs, s.OneOf[1])
	case len(s.OneOf) == 2 && s.OneOf[0].Const == false:
		return kindOf(defs, s.OneOf[1]) + " or false"
	default:
		return kind(s.Type)
	}
}

// What the schema accepts the decoder accepts, and the reverse, but for paths that climb out with "..": a regular
// expression for those would be read by nobody.
func TestSchemaAndDecoderAgree(t *testing.T) {
	compiled, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{
		full, "{}", "spec: a", "spec: 1", "spec: ''", "specs: a", "spec: 'https://x'", "spec: [a]", "overlays: a", "overlays: [a, b]", "overlays: [1]", "overlays: ['']", "overlays: ''", "overlays: false", "overlays: {a: b}", "profiles: a", "profiles: [a, b]", "profiles: [1]", "profiles: false", "migrations: goose", "migrations: gose", "migrations: 1", "migrations: []",
		"migrations: {format: goose, tables: [a, b.c]}", "migrations: {format: goose, tables: a}", "migrations: {format: goose, tables: ''}", "migrations: {format: goose, tables: [1]}",
		"out: a/b", "out: /a", `out: 'a\b'`, `out: "a\nb"`, "out: ''", "package: a", "package: a-b", "package: main", "package: a_test", "package: 1a", "package: été",
		"models: {}", "models: {import: a/b}", "models: {import: ./a}", "models: {imports: a}", "models: a", "models: false",
		"tests: true", "tests: 'true'", "tests: 1", "migrations: false", "migrations: true", "migrations: {format: goose}", "migrations: {format: x}", "migrations: {dir: x}",
		"migrations: {format: plain, table: a.b}", "migrations: {format: plain, table: A}", "migrations: {format: plain, guards: concurrent}", "migrations: {format: plain, guards: x}", "docs: false", "docs: true", "docs: {}", "docs: {dir: x}", "docs: {dir: false}",
		"docs: {json: false, markdown: a, overlay: b/c}", "docs: {json: true}", "docs: {html: x.html}", "docs: {html: false}", "docs: {html: true}", "templates: ../x", "templates: 1", "strict: false", "acceptDeclared: null", "acceptDeclared: true",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(content), &value); err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(encoded)))
		if err != nil {
			t.Fatal(err)
		}
		bySchema := compiled.Validate(instance)
		_, found := Decode("idemgen.yaml", []byte(content))
		if (bySchema == nil) != (len(found) == 0) {
			t.Errorf("%q: the schema says %v, the decoder %v", content, bySchema, found)
		}
	}
}
