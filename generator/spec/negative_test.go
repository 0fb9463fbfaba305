package spec_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/policy"
)

var updateNegative = flag.Bool("update-negative", false, "rewrite the want files of testdata/negative")

// TestNegative loads every archive of testdata/negative and compares what is found, word for word, with the archive's want
// file. An archive's comment says what is wrong with it; a line of it that starts with "options:" may name strict and
// accept-declared. The document is openapi.yaml or openapi.json; files named *.overlay.yaml are laid over it in order, and
// those named *.profile.json are profiles of the user's own.
func TestNegative(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/negative/*.txtar")
	if err != nil || len(archives) < 60 {
		t.Fatalf("%d archives, want 60 at least (%v)", len(archives), err)
	}
	for _, path := range archives {
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { runNegative(t, full) })
	}
}

func runNegative(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	options, want := unpack(t, archive)
	_, found, err := spec.Load(options)
	if err != nil {
		t.Fatal(err)
	}
	got := printed(found)
	if *updateNegative {
		rewriteWant(t, path, archive, got)
		return
	}
	if got != want {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", strings.TrimSpace(string(archive.Comment)), got, want)
	}
}

// unpack writes the archive's files and returns how to load them and what is expected.
func unpack(t *testing.T, archive *txtar.Archive) (options spec.Options, want string) {
	t.Helper()
	for line := range strings.Lines(string(archive.Comment)) {
		if named, ok := strings.CutPrefix(line, "options:"); ok {
			options.Strict = strings.Contains(named, "strict")
			options.AcceptDeclared = strings.Contains(named, "accept-declared")
		}
	}
	for _, file := range archive.Files {
		switch {
		case file.Name == "want":
			want = string(file.Data)
			continue
		case strings.HasSuffix(file.Name, ".overlay.yaml"):
			options.Overlays = append(options.Overlays, file.Name)
		case strings.HasSuffix(file.Name, ".profile.json"):
			options.Profiles = append(options.Profiles, file.Name)
		case strings.HasPrefix(file.Name, "openapi."):
			options.File = file.Name
		}
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file.Name, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return options, want
}

// printed is one line for each finding, with its hint beneath.
func printed(found diag.List) string {
	var text strings.Builder
	for _, d := range found {
		fmt.Fprintf(&text, "%s: %s: %s (%s)\n", d.Pos, d.Severity, d.Message, d.Rule)
		if d.Hint != "" {
			fmt.Fprintf(&text, "\thint: %s\n", d.Hint)
		}
	}
	return text.String()
}

func rewriteWant(t *testing.T, path string, archive *txtar.Archive, got string) {
	t.Helper()
	files := archive.Files[:0:0]
	for _, file := range archive.Files {
		if file.Name != "want" {
			files = append(files, file)
		}
	}
	files = append(files, txtar.File{Name: "want", Data: []byte(got)})
	archive.Files = files
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNegative_Rules: each rule about x-idempotency is shown by an archive.
func TestNegative_Rules(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/negative/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range archives {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	elsewhere := map[string]string{
		"guard-table-unknown": "needs known tables: TestCheckTables_G1",
		"alias-loop":          "the loader stops such a file first: TestDecode_AliasLoop",
	}
	for _, rule := range extension.Rules() {
		if elsewhere[rule.ID] == "" && !strings.Contains(all.String(), "("+rule.ID+")\n") {
			t.Errorf("no archive shows the rule %s", rule.ID)
		}
	}
}

// The same document in YAML and in JSON, read by two parsers, is the same policy.
func TestLoad_ExtensionYAMLEqualsJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	extension := `{"profile": "stripe", "key": {"in": "header", "name": "X-Key", "required": false, "maxLength": 64, "pattern": "^[a-z0-9-]+$"},
		"scope": ["principal", "operation", "header:Stripe-Account"], "retention": "P2D", "retryWindow": "PT6H",
		"fingerprint": {"exclude": ["/trace"], "query": true, "headers": ["Api-Version"]},
		"store": {"statuses": ["2XX", 402, "409"], "maxBody": 65536, "body": false}, "replay": {"status": {"201": 200}, "value": "1"},
		"inFlight": {"answer": "wait", "maxWait": "2500ms"}, "errors": {"mismatch": {"status": 422, "headers": {"X-A": "b"}}},
		"guard": [{"table": "payments", "columns": ["account_id", "order_id"], "on": "conflict"}], "note": "two\nlines"}`
	document := `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/p": {"post": {"operationId": "p",
		"x-idempotency": ` + extension + `, "responses": {"201": {"description": "d"}, "402": {"description": "d"}, "409": {"description": "d"}}}}}}`
	var operations []policy.Operation
	for _, file := range []string{"openapi.json", "openapi.yaml"} {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(document, "\t", " ")), 0o644); err != nil {
			t.Fatal(err)
		}
		doc, found, err := spec.Load(spec.Options{File: file})
		if err != nil || len(found.Errors()) > 0 {
			t.Fatal(err, found)
		}
		op := doc.Operations[0]
		op.Policy.Guards[0].Pos = policy.Position{}
		op.Origins, op.Shape, op.Pos, op.DecidedAt, op.Outline = nil, nil, policy.Position{}, policy.Position{}, policy.Outline{} // they have positions
		operations = append(operations, op)
	}
	if !reflect.DeepEqual(operations[0], operations[1]) {
		t.Errorf("JSON: %+v\nYAML: %+v", operations[0], operations[1])
	}
}
