package spec

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each folder of testdata/load is a document with one feature: openapi.yaml (or .json), overlays beside it, and what
// comes of them in want.txt. A file called strict asks for Options.Strict, one called accept for AcceptDeclared.
func TestLoad_Features(t *testing.T) {
	folders, err := filepath.Glob("testdata/load/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no test data", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			doc, found, err := Load(featureOptions(t, folder))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join(folder, "want.txt"), dump(doc)+dumpFindings(found))
		})
	}
}

func featureOptions(t *testing.T, folder string) Options {
	t.Helper()
	exists := func(name string) bool { _, err := os.Stat(filepath.Join(folder, name)); return err == nil }
	o := Options{File: folder + "/openapi.yaml", Strict: exists("strict"), AcceptDeclared: exists("accept")}
	if exists("openapi.json") {
		o.File = folder + "/openapi.json"
	}
	overlays, err := filepath.Glob(folder + "/overlay*")
	if err != nil {
		t.Fatal(err)
	}
	o.Overlays = overlays
	return o
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what comes of the document (run with -update to see the difference in git):\n%s", file, got)
	}
}

// dump writes a document for people to read and for tests to compare.
func dump(doc *policy.Document) string {
	d := &dumper{seen: map[*policy.Schema]bool{}}
	d.line(0, "%s %s %q %q servers %v", doc.SpecFile, doc.OpenAPI, doc.Title, doc.Version, doc.Servers)
	for i := range doc.Operations {
		d.operation(&doc.Operations[i])
	}
	for _, s := range doc.Schemas {
		d.line(0, "schema %s", s.Name)
		d.seen[s] = true
		d.schemaBody(1, s)
	}
	return d.b.String()
}

type dumper struct {
	b    strings.Builder
	seen map[*policy.Schema]bool
}

func (d *dumper) line(depth int, format string, args ...any) {
	d.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func short(p policy.Position) string {
	if !p.IsValid() {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", filepath.Base(p.File), p.Line, p.Column)
}

func (d *dumper) operation(op *policy.Operation) {
	decision := string(op.Decision)
	if decision == "" {
		decision = "undecided"
	}
	flags := ""
	if op.Webhook {
		flags += " webhook"
	}
	if op.IDMade {
		flags += " made"
	}
	if op.Deprecated {
		flags += " deprecated"
	}
	d.line(0, "%s %s = %s%s, %s, at %s", op.Method, op.Path, op.ID, flags, decision, short(op.Pos))
	if op.DecidedAt.IsValid() {
		d.line(1, "decided at %s", short(op.DecidedAt))
	}
	for _, k := range op.Declared {
		batch := ""
		if k.InBatchItem {
			batch = " in a batch"
		}
		d.line(1, "declares %s%s: %s, at %s", dumpKey(k.Key), batch, k.Known, short(k.Pos))
	}
	if op.Decision == policy.Keyed {
		d.line(1, "key %s", dumpKey(op.Policy.Key))
	}
	if op.Shape == nil {
		return
	}
	for i := range op.Shape.Parameters {
		d.parameter(1, &op.Shape.Parameters[i])
	}
	if body := op.Shape.Body; body != nil {
		d.line(1, "body required=%t, at %s", body.Required, short(body.Pos))
		d.contents(2, body.Contents)
	}
	for i := range op.Shape.Responses {
		r := &op.Shape.Responses[i]
		d.line(1, "response %s, at %s", r.Status, short(r.Pos))
		for j := range r.Headers {
			d.parameter(2, &r.Headers[j])
		}
		d.contents(2, r.Contents)
	}
}

func dumpKey(k policy.Key) string {
	return fmt.Sprintf("%s %s%s required=%t %d..%d %s %q", k.In, k.Name, k.Pointer, k.Required, k.MinLength, k.MaxLength, k.Format, k.Pattern)
}

func (d *dumper) parameter(depth int, p *policy.Parameter) {
	key := ""
	if p.IsKey {
		key = " KEY"
	}
	d.line(depth, "%s %s%s required=%t %s explode=%t %s example=%s, at %s", p.In, p.Name, key, p.Required, p.Style, p.Explode, p.MediaType, p.Example, short(p.Pos))
	d.schema(depth+1, "", p.Schema)
}

func (d *dumper) contents(depth int, list []policy.Content) {
	for _, c := range list {
		d.line(depth, "%s, at %s", c.MediaType, short(c.Pos))
		for _, e := range c.Encodings {
			d.line(depth+1, "encoding %+v", e)
		}
		for _, e := range c.Examples {
			d.line(depth+1, "example %s", e)
		}
		d.schema(depth+1, "", c.Schema)
	}
}

func (d *dumper) schema(depth int, label string, s *policy.Schema) {
	if s == nil {
		return
	}
	if s.Name != "" {
		note := ""
		if s.Nullable {
			note += " nullable"
		}
		if s.ReadOnly {
			note += " readOnly"
		}
		d.line(depth, "%s-> %s%s %q", label, s.Name, note, s.Description)
		return
	}
	d.line(depth, "%s%s", label, dumpFacts(s))
	d.schemaChildren(depth+1, s)
}

func (d *dumper) schemaBody(depth int, s *policy.Schema) {
	d.line(depth, "%s, at %s", dumpFacts(s), short(s.Pos))
	d.schemaChildren(depth+1, s)
}

func (d *dumper) schemaChildren(depth int, s *policy.Schema) {
	d.schema(depth, "items ", s.Items)
	for _, p := range s.Properties {
		label := p.Name + " "
		if p.Required {
			label = p.Name + "! "
		}
		d.schema(depth, label, p.Schema)
	}
	d.schema(depth, "others ", s.Additional)
}

func dumpFacts(s *policy.Schema) string {
	facts := []string{string(s.Kind)}
	add := func(ok bool, format string, args ...any) {
		if ok {
			facts = append(facts, fmt.Sprintf(format, args...))
		}
	}
	number := func(name string, n *int) {
		if n != nil {
			add(true, "%s=%d", name, *n)
		}
	}
	add(s.Degraded != "", "(%s)", s.Degraded)
	add(s.Format != "", "format=%s", s.Format)
	add(s.Nullable, "nullable")
	add(s.ReadOnly, "readOnly")
	add(s.WriteOnly, "writeOnly")
	add(s.Deprecated, "deprecated")
	add(s.Title != "", "title=%q", s.Title)
	add(s.Description != "", "%q", s.Description)
	add(s.Enum != nil, "enum=%s", s.Enum)
	add(s.Default != nil, "default=%s", s.Default)
	add(s.Example != nil, "example=%s", s.Example)
	add(s.Minimum != "", "min=%s exclusive=%t", s.Minimum, s.ExclusiveMinimum)
	add(s.Maximum != "", "max=%s exclusive=%t", s.Maximum, s.ExclusiveMaximum)
	add(s.MultipleOf != "", "multipleOf=%s", s.MultipleOf)
	number("minLength", s.MinLength)
	number("maxLength", s.MaxLength)
	number("minItems", s.MinItems)
	number("maxItems", s.MaxItems)
	number("minProperties", s.MinProperties)
	number("maxProperties", s.MaxProperties)
	add(s.UniqueItems, "unique")
	add(s.Pattern != "", "pattern=%q re2=%t", s.Pattern, s.PatternRE2)
	add(s.Kind == policy.Object && !s.AdditionalAllowed, "closed")
	return strings.Join(facts, " ")
}

func dumpFindings(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		d.Pos.File = filepath.Base(d.Pos.File)
		fmt.Fprintf(&b, "%s: %v | %s | %s\n", d.Severity, d, d.Hint, strings.TrimSpace(d.Source))
	}
	return b.String()
}

// A finding's list is sorted and has each finding once.
func TestLoad_FindingsAreSorted(t *testing.T) {
	for _, folder := range []string{"testdata/load/dangling", "testdata/load/duplicates"} {
		_, found, err := Load(featureOptions(t, folder))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(found, found.Sorted()) {
			t.Errorf("%s: findings are not sorted", folder)
		}
	}
}
