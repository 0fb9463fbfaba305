package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
)

const full = `
spec: api/openapi.yaml
overlays: [a.yaml, ../shared/b.yaml]
profiles: [profiles/house.json]
root: ..
out: ./internal/gen/
package: pay
models: {import: example.com/service/api}
tests: true
migrations: {dir: db, format: goose, table: app.keys, dialect: cockroachdb, guards: concurrent, tables: [payments, billing.refunds]}
docs:
  dir: site
  json: api/policy.json
  overlay: false
templates: templates
strict: true
acceptDeclared: true
`

func TestDecodeFull(t *testing.T) {
	c, found := Decode("idemgen.yaml", []byte(full))
	if len(found) > 0 {
		t.Fatal(found)
	}
	c, err := c.With(Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Spec: "api/openapi.yaml", Overlays: []string{"a.yaml", "../shared/b.yaml"}, Profiles: []string{"profiles/house.json"}, Root: "..",
		Out: "internal/gen", Package: "pay", ModelsImport: "example.com/service/api", Tests: true,
		Migrations: Migrations{Format: "goose", Dir: "db", Table: "app.keys", Dialect: "cockroachdb", Guards: "concurrent", Tables: []string{"payments", "billing.refunds"}},
		Docs:       Docs{Dir: "site", Markdown: "site/idempotency.md", HTML: "site/idempotency.html", JSON: "api/policy.json"},
		Templates:  "templates", Strict: true, AcceptDeclared: true,
	}
	equal(t, c, want)
}

func TestDecodeEmptyIsDefaults(t *testing.T) {
	for _, content := range []string{"", "# nothing\n", "---\n", "null\n", "{}\n"} {
		c, found := Decode("idemgen.yaml", []byte(content))
		if len(found) > 0 {
			t.Errorf("%q: %v", content, found)
		}
		equal(t, c, Default())
	}
}

func TestDefaultsThatFollow(t *testing.T) {
	for content, want := range map[string]func(*Config){
		"spec: a.yaml":                 func(c *Config) {},
		"out: gen/my-Payments.v2":      func(c *Config) { c.Out, c.Package = "gen/my-Payments.v2", "mypaymentsv2" },
		"out: gen/2024":                func(c *Config) { c.Out = "gen/2024" },
		"out: gen/type":                func(c *Config) { c.Out = "gen/type" },
		"out: .":                       func(c *Config) { c.Out = "." },
		"migrations: {format: tern}":   func(c *Config) { c.Migrations.Format, c.Migrations.Dir = "tern", "migrations" },
		"migrations: {format: dbmate}": func(c *Config) { c.Migrations.Format, c.Migrations.Dir = "dbmate", "db/migrations" },
		"migrations: false":            func(c *Config) { c.Migrations.Off = true },
		"migrations: goose":            func(c *Config) { c.Migrations.Format, c.Migrations.Dir = "goose", "migrations" },
		"profiles: p.json":             func(c *Config) { c.Profiles = []string{"p.json"} },
		"overlays: o.yaml":             func(c *Config) { c.Overlays = []string{"o.yaml"} },
		"migrations: {format: tern, tables: a.b}": func(c *Config) {
			c.Migrations.Format, c.Migrations.Dir, c.Migrations.Tables = "tern", "migrations", []string{"a.b"}
		},
		"docs: false":                            func(c *Config) { c.Docs = Docs{} },
		"docs: {dir: .}":                         func(c *Config) { c.Docs = Docs{".", DefaultMarkdown, DefaultHTML, DefaultJSON, DefaultOverlay} },
		"docs: {markdown: false, json: x.json}":  func(c *Config) { c.Docs.Markdown, c.Docs.JSON = "", "x.json" },
		"docs: {html: false}":                    func(c *Config) { c.Docs.HTML = "" },
		"docs: {html: site/policy.html}":         func(c *Config) { c.Docs.HTML = "site/policy.html" },
		"x: &a {import: e.com/x}\nmodels: *a\n#": nil,
	} {
		c, found := Decode("idemgen.yaml", []byte(content))
		if want == nil {
			if len(found) != 1 || c.ModelsImport != "e.com/x" {
				t.Errorf("%q: %v, %+v: an alias is not followed", content, found, c)
			}
			continue
		}
		if len(found) > 0 {
			t.Errorf("%q: %v", content, found)
			continue
		}
		c, err := c.With(Overrides{Spec: "a.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		expect := Config{Spec: "a.yaml", Out: DefaultOut, Package: "idempotency", Migrations: Migrations{Table: DefaultTable, Dialect: "postgres", Guards: "constraint"},
			Docs: Docs{DefaultDocsDir, "docs/idempotency.md", "docs/idempotency.html", "docs/idempotency-policy.json", "docs/idempotency.published.overlay.yaml"}}
		want(&expect)
		equal(t, c, expect)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, test := range []struct{ content, want, hint string }{
		{"specs: a", `idemgen.yaml:1:1: the configuration has no member "specs" (config-unknown)`, "did you mean spec?"},
		{"foo: a", `idemgen.yaml:1:1: the configuration has no member "foo" (config-unknown)`, "known are spec, overlays, profiles, root, out,"},
		{"migrations: {format: goose, dirr: x}", `idemgen.yaml:1:29: migrations has no member "dirr" (config-unknown)`, "did you mean dir?"},
		{"spec: a\nspec: b", `idemgen.yaml:2:1: spec is given twice, first in line 1 (config-duplicate)`, "keep one"},
		{"spec: [a]", `idemgen.yaml:1:7: spec has to be text, and this is a list (config-type)`, ""},
		{"spec: 1", `idemgen.yaml:1:7: spec has to be text, and this is the number 1 (config-type)`, ""},
		{"spec:", `idemgen.yaml:1:6: spec has no value (config-type)`, "leave the member out"},
		{"spec: ''", `idemgen.yaml:1:7: spec: the path is empty (config-value)`, ""},
		{"spec: https://example.com/a", `idemgen.yaml:1:7: spec: "https://example.com/a" is a URL, and idemgen reads files only, so that a run is the same tomorrow (config-value)`, ""},
		{"overlays: 1", `idemgen.yaml:1:11: overlays has to be a list or text, and this is the number 1 (config-type)`, ""},
		{"overlays: {a: b}", `idemgen.yaml:1:11: overlays has to be a list, and this is an object (config-type)`, ""},
		{"migrations: gooze", `idemgen.yaml:1:13: migrations: "gooze" is not a migration format; did you mean "goose"? (config-value)`, ""},
		{"migrations: true", `idemgen.yaml:1:13: migrations has to be an object, text or false, and this is the boolean true (config-type)`, ""},
		{"migrations: {format: goose, tables: ['']}", `idemgen.yaml:1:38: migrations.tables[0]: "" is not a table name (config-value)`, ""},
		{"overlays: [a, 2]", `idemgen.yaml:1:15: overlays[1] has to be text, and this is the number 2 (config-type)`, ""},
		{"out: ../x", `idemgen.yaml:1:6: out: "../x" leaves the folder of the configuration file: move that file up to a folder that holds all outputs (config-value)`, ""},
		{"out: /x", `idemgen.yaml:1:6: out: "/x" is absolute: outputs go to places below the configuration file (config-value)`, ""},
		{`out: a\b`, `idemgen.yaml:1:6: out: "a\\b" has a backslash: paths are written with slashes (config-value)`, ""},
		{`out: "a\nb"`, `idemgen.yaml:1:6: out: "a\nb" has a control character (config-value)`, ""},
		{"package: my-api", `idemgen.yaml:1:10: package: "my-api" is not a Go package name (config-value)`, ""},
		{"package: func", `idemgen.yaml:1:10: package: "func" is not a Go package name (config-value)`, ""},
		{"package: main", `idemgen.yaml:1:10: package: package main cannot be imported, so nothing could use the generated handlers (config-value)`, ""},
		{"package: x_test", `idemgen.yaml:1:10: package: "x_test" is a name for tests only (config-value)`, ""},
		{"models: {import: ./api}", `idemgen.yaml:1:18: models.import: "./api" is not an import path such as example.com/service/api (config-value)`, ""},
		{"models: api", `idemgen.yaml:1:9: models has to be an object, and this is text (config-type)`, ""},
		{"tests: yes please", `idemgen.yaml:1:8: tests has to be true or false, and this is text (config-type)`, ""},
		{"migrations: {format: gooze}", `idemgen.yaml:1:22: migrations.format: "gooze" is not a migration format; did you mean "goose"? (config-value)`, ""},
		{"migrations: {format: liquibase}", `idemgen.yaml:1:22: migrations.format: "liquibase" is not a migration format; known are plain, goose, golang-migrate, tern, dbmate, atlas (config-value)`, ""},
		{"migrations: {format: goose, dialect: cockroach}", `idemgen.yaml:1:38: migrations.dialect: "cockroach" is not a database's dialect; did you mean "cockroachdb"? (config-value)`, ""},
		{"migrations: {format: goose, guards: lock}", `idemgen.yaml:1:37: migrations.guards: "lock" is not a way to add guards: write constraint or concurrent (config-value)`, ""},
		{"migrations: {dir: x}", `idemgen.yaml:1:13: migrations has no format (config-missing)`, "add format:"},
		{"migrations: {format: goose, table: 'a; drop table b'}", `idemgen.yaml:1:36: migrations.table: "a; drop table b" is not a table name: write name or schema.name in lower-case letters, digits and underscores (config-value)`, ""},
		{"docs: {markdown: true}", `idemgen.yaml:1:18: docs.markdown has to be text or false, and this is the boolean true (config-type)`, ""},
		{"docs: true", `idemgen.yaml:1:7: docs has to be an object, and this is the boolean true (config-type)`, ""},
		{"- spec", `idemgen.yaml:1:1: the configuration has to be an object, and this is a list (config-type)`, ""},
		{"a: b: c", `idemgen.yaml:1:5: not readable as YAML: `, ""},
		{"spec: a\n---\nspec: b\n", `the file holds more than one YAML document (config-syntax)`, "--config"},
		{strings.Repeat("[", 100), `not readable as YAML: `, ""},
		{"spec: a\x00b", `not readable as YAML: `, ""},
	} {
		_, found := Decode("idemgen.yaml", []byte(test.content))
		if len(found) != 1 || found.Err() == nil {
			t.Errorf("%.60q: %d findings, want one error: %v", test.content, len(found), found)
			continue
		}
		if !strings.Contains(found[0].Error(), test.want) {
			t.Errorf("%.60q:\n got %s\nwant %s", test.content, found[0].Error(), test.want)
		}
		if !strings.Contains(found[0].Hint, test.hint) {
			t.Errorf("%.60q: hint %q, want %q", test.content, found[0].Hint, test.hint)
		}
	}
}

func TestDecodeCollectsEverythingWithItsLine(t *testing.T) {
	_, found := Decode("idemgen.yaml", []byte("spec: 1\r\nout: /x\r\nfoo: 1\r\n"))
	var lines []string
	for _, d := range found {
		lines = append(lines, d.Source)
	}
	if got, want := strings.Join(lines, "|"), "spec: 1|out: /x|foo: 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// migrations is what full says of them, with another format and folder.
func migrations(format, dir string) Migrations {
	return Migrations{Format: format, Off: format == "", Dir: dir, Table: "app.keys", Dialect: "cockroachdb", Guards: "concurrent", Tables: []string{"payments", "billing.refunds"}}
}

func TestOverrides(t *testing.T) {
	base, found := Decode("idemgen.yaml", []byte(full))
	if len(found) > 0 {
		t.Fatal(found)
	}
	c, err := base.With(Overrides{Spec: "x.json", Overlays: []string{"o.yaml"}, Profiles: []string{"p.json"}, Out: "y", Package: "z", Migrations: "tern:sql/"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Spec != "x.json" || strings.Join(c.Overlays, ",") != "o.yaml" || strings.Join(c.Profiles, ",") != "p.json" || c.Out != "y" || c.Package != "z" || fmt.Sprint(c.Migrations) != fmt.Sprint(migrations("tern", "sql")) || !c.Strict {
		t.Errorf("%+v", c)
	}
	for value, want := range map[string]Migrations{
		"none":         migrations("", "db"),
		"goose":        migrations("goose", "db"),
		"tern":         migrations("tern", "migrations"),
		"goose:db/sql": migrations("goose", "db/sql"),
	} {
		c, err := base.With(Overrides{Migrations: value})
		if err != nil || fmt.Sprint(c.Migrations) != fmt.Sprint(want) {
			t.Errorf("--migrations %s: %+v, %v", value, c.Migrations, err)
		}
	}
	if c, err := base.With(Overrides{Dialect: "dsql"}); err != nil || c.Migrations.Dialect != "dsql" {
		t.Errorf("--dialect: %+v, %v", c.Migrations, err)
	}
	for want, o := range map[string]Overrides{
		`--out: "../y" leaves the folder`:                                               {Out: "../y"},
		`--package: "a-b" is not`:                                                       {Package: "a-b"},
		`--profile-file: the path is empty`:                                             {Profiles: []string{""}},
		`--overlay: the path is empty`:                                                  {Overlays: []string{""}},
		`--migrations: "goos" is not a migration format; did you mean "goose"?`:         {Migrations: "goos"},
		`--dialect: "yugabyte" is not a database's dialect; did you mean "yugabytedb"?`: {Dialect: "yugabyte"},
		`--migrations: "/etc" is absolute`:                                              {Migrations: "goose:/etc"},
		`--migrations: the path is empty`:                                               {Migrations: "goose:"},
		`--migrations: "none" is not a migration format; known are plain, goose, g`:     {Migrations: "none:x"},
	} {
		if _, err := base.With(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestExamplesOfThisRepository(t *testing.T) {
	const name = "../../examples/payments/idemgen.yaml"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := Decode(name, content); len(found) > 0 {
		t.Error(found)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("a: &a [*a]\nspec: *a"))
	f.Add([]byte("<<: {spec: x}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		_, found := Decode("c.yaml", content)
		for _, d := range found {
			if d.Severity != diag.Error || d.Rule == "" || d.Message == "" || !d.Pos.IsValid() {
				t.Errorf("%+v", d)
			}
		}
	})
}

func equal(t *testing.T, got, want Config) {
	t.Helper()
	a, b := render(got), render(want)
	if a != b {
		t.Errorf("\n got %s\nwant %s", a, b)
	}
}
