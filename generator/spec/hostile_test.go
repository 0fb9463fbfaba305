package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// writeSpec writes files into a folder of the test and returns the first one's path.
func writeSpec(t testing.TB, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(folder, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, filepath.FromSlash(files[0]))
}

// keyedSpec is a document whose one operation takes this schema.
func keyedSpec(version, schema, components string) string {
	return fmt.Sprintf(`{"openapi": %q, "info": {"title": "t", "version": "1"}, "paths": {"/a": {"post": {
"operationId": "a", "x-idempotency": true, "requestBody": {"content": {"application/json": {"schema": %s}}},
"responses": {"200": {"description": "ok"}}}}}, "components": {"schemas": {%s}}}`, version, schema, components)
}

func hasRule(list diag.List, rule string) bool {
	for _, d := range list {
		if d.Rule == rule {
			return true
		}
	}
	return false
}

func TestLoad_FilesThatAreNone(t *testing.T) {
	if _, _, err := Load(Options{File: filepath.Join(t.TempDir(), "none.yaml")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want fs.ErrNotExist", err)
	}
	if _, _, err := Load(Options{File: t.TempDir()}); err == nil {
		t.Error("a folder is read")
	}
	if _, _, err := Load(Options{File: writeSpec(t, "a.yaml", keyedSpec("3.0.0", "{}", "")), Overlays: []string{"none.yaml"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want fs.ErrNotExist", err)
	}
	for _, test := range []struct{ name, text, rule string }{
		{"empty", "", ruleSyntax},
		{"text", "hello", ruleNotOpenAPI},
		{"list", "[1, 2]", ruleNotOpenAPI},
		{"null", "null", ruleNotOpenAPI},
		{"other", "a: 1", ruleNotOpenAPI},
		{"version 4", "openapi: 4.0.0", ruleNotOpenAPI},
		{"version as a number", "openapi: 3.1", ruleNotOpenAPI},
		{"version as an object", "openapi: {a: b}", ruleNotOpenAPI},
		{"Swagger 1.2", "swagger: '1.2'", ruleNotOpenAPI},
		{"null byte", "openapi: 3.0.0\x00", ruleSyntax},
		{"UTF-16", "\xff\xfeo\x00p\x00", ruleSyntax},
		{"broken JSON", `{"openapi": "3.0.0",`, ruleSyntax},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc, found, err := Load(Options{File: writeSpec(t, "openapi.json", test.text)})
			if err != nil || doc == nil {
				t.Fatal(doc, err)
			}
			if !hasRule(found, test.rule) || found.Err() == nil || !found[0].Pos.IsValid() {
				t.Errorf("%v, want an error of rule %s with a place", found, test.rule)
			}
		})
	}
}

// What a document leaves out, or writes as something else, is no reason to panic.
func TestLoad_StrangeButHarmless(t *testing.T) {
	for _, text := range []string{
		"openapi: 3.0.0",
		"swagger: '2.0'",
		"openapi: 3.1.0\npaths:\nwebhooks:\ncomponents:\ninfo:",
		"openapi: 3.0.0\npaths: []\nservers: {}\ncomponents: 5\nx-idempotency:",
		"openapi: 3.0.0\npaths: {/a: null, /b: [], /c: {post: null}, /d: {post: {x-idempotency: true}}, x-e: 1}",
		"openapi: 3.0.0\npaths: {/d: {parameters: {}, post: {x-idempotency: true, parameters: [1, null, {}], requestBody: 5, responses: [1]}}}",
		"openapi: 3.0.0\npaths: {/d: {post: {x-idempotency: true, requestBody: {content: {a: 5, application/json: {schema: 7, examples: [1], encoding: 2}}}, responses: {200: 1, default: {content: 1, headers: {a: 1, b: null}}}}}}",
		"openapi: 3.0.0\npaths: {/d: {post: {x-idempotency: true, requestBody: {content: {application/json: {schema: {type: [], enum: 5, properties: [1], required: x, items: 3, allOf: {}, oneOf: [1, null], minLength: -1, maxLength: 1e99, minimum: x, pattern: 5, additionalProperties: 7}}}}}}}",
		"openapi: 3.1.0\npaths: {/d: {post: {x-idempotency: true, requestBody: {content: {application/json: {schema: {allOf: [null, true, 5, {}], anyOf: [{}, {}]}}}}}}}",
		"swagger: '2.0'\npaths: {/d: {post: {x-idempotency: true, parameters: [{in: body, name: b}, {in: formData, name: x}, {name: 1}, 4], responses: {200: {$ref: '#/responses/None'}, 201: 5}}}}\ndefinitions: []\nresponses: [1]\nschemes: 5",
	} {
		doc, found, err := Load(Options{File: writeSpec(t, "openapi.yaml", text), AcceptDeclared: true})
		if err != nil || doc == nil {
			t.Errorf("%s: %v", text, err)
		}
		for _, d := range found {
			if d.Rule == "" || d.Message == "" {
				t.Errorf("%s: an empty finding", text)
			}
		}
		strict := Options{File: writeSpec(t, "openapi.yaml", text), Strict: true}
		if _, _, err := Load(strict); err != nil {
			t.Errorf("%s, strict: %v", text, err)
		}
	}
}

// Documents that are built to cost time or memory end soon.
func TestLoad_Expensive(t *testing.T) {
	chain := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	tests := []struct{ name, version, schema, components string }{
		{"reference to itself", "3.0.0", `{"$ref": "#/components/schemas/A"}`, `"A": {"$ref": "#/components/schemas/A"}`},
		{"reference loop", "3.0.0", `{"$ref": "#/components/schemas/A"}`, `"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}`},
		{"reference to the document", "3.0.0", `{"$ref": "#"}`, ``},
		{"allOf loop", "3.0.0", `{"$ref": "#/components/schemas/A"}`, `"A": {"allOf": [{"$ref": "#/components/schemas/B"}, {"type": "object"}]}, "B": {"allOf": [{"$ref": "#/components/schemas/A"}, {"type": "object"}]}`},
		{"long chain of members", "3.0.0", `{"$ref": "#/components/schemas/S0"}`, chain(4_000, `"S%d": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/S%d"}}}, `) + `"S4000": {}`},
		{"long chain of allOf", "3.0.0", `{"$ref": "#/components/schemas/S0"}`, chain(5_000, `"S%d": {"allOf": [{"$ref": "#/components/schemas/S%d"}, {"type": "object"}]}, `) + `"S5000": {}`},
		{"doubling allOf", "3.0.0", `{"$ref": "#/components/schemas/S0"}`, chain(500, `"S%d": {"allOf": [{"$ref": "#/components/schemas/S%[2]d"}, {"allOf": [{"$ref": "#/components/schemas/S%[2]d"}]}]}, `) + `"S500": {}`},
		{"combinations in combinations", "3.1.0", `{"$ref": "#/components/schemas/S0"}`, chain(200, `"S%d": {"properties": {"x": {"$ref": "#/components/schemas/S%[2]d"}, "y": {"allOf": [{"$ref": "#/components/schemas/S%[2]d"}, {"$ref": "#/components/schemas/S%[1]d"}]}}}, `) + `"S200": {"properties": {"x": {"$ref": "#/components/schemas/S0"}}}`},
		{"wrapper of itself", "3.0.0", `{"$ref": "#/components/schemas/A"}`, `"A": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/A"}]}`},
		{"deep schema", "3.0.0", strings.Repeat(`{"type": "array", "items": `, 450) + "{}" + strings.Repeat("}", 450), ``},
		{"deep unions", "3.0.0", strings.Repeat(`{"anyOf": [{"type": "string"}, `, 300) + "{}" + strings.Repeat("]}", 300), ``},
		{"huge numbers", "3.1.0", `{"type": "number", "minimum": 1e999999999, "maximum": -1e999999999, "multipleOf": 1e-999999999, "maxLength": 99999999999999999999}`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			doc, _, err := Load(Options{File: writeSpec(t, "openapi.json", keyedSpec(test.version, test.schema, test.components))})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %s", took)
			}
			if len(doc.Keyed()) != 1 || doc.Keyed()[0].Shape == nil {
				t.Error("the operation is lost")
			}
		})
	}
}

// References to what is no schema are written out where they stand, in the copy that is validated.
func TestLoad_ExpensiveReferences(t *testing.T) {
	var document strings.Builder
	document.WriteString("openapi: 3.1.0\ninfo: {title: t, version: '1'}\n" +
		"paths: {/a: {post: {operationId: a, x-idempotency: true, foo: {$ref: '#/f0'}, responses: {'200': {description: ok}}}}}\n")
	for i := range 60 {
		fmt.Fprintf(&document, "f%d: {a: {$ref: '#/f%[2]d'}, b: [{$ref: '#/f%[2]d'}]}\n", i, i+1)
	}
	document.WriteString("f60: {}\n")
	for _, strict := range []bool{false, true} {
		start := time.Now()
		doc, found, err := Load(Options{File: writeSpec(t, "openapi.yaml", document.String()), Strict: strict})
		if err != nil || len(doc.Keyed()) != 1 || !hasRule(found, ruleOpenAPI+"unchecked") {
			t.Errorf("%v, %v", found, err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("took %s", took)
		}
	}
}

// No reference reads a file outside the document's folder, by whatever way.
func TestLoad_ReferencesStayInTheFolder(t *testing.T) {
	outside := writeSpec(t, "secret.yaml", "Secret: {type: object, properties: {password: {type: string}}}")
	for _, ref := range []string{
		"../secret.yaml#/Secret", "sub/../../secret.yaml", "/etc/passwd", outside + "#/Secret", "file://" + outside, "%2e%2e/secret.yaml",
		"http://localhost/a.yaml", "https://example.com/a.yaml#/X", "//example.com/a.yaml", "data:application/json,{}", `..\secret.yaml`,
		"link.yaml#/Secret", "linked/secret.yaml#/Secret", "\x00", "a\x00.yaml",
	} {
		schema := fmt.Sprintf(`{"$ref": %s}`, appendString(nil, ref))
		file := writeSpec(t, "api/openapi.json", keyedSpec("3.0.0", schema, ""), "secret.yaml", "Secret: {type: string}", "api/sub/x.yaml", "a: 1")
		if err := os.Symlink(outside, filepath.Join(filepath.Dir(file), "link.yaml")); err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(filepath.Dir(outside), filepath.Join(filepath.Dir(file), "linked")); err != nil {
			t.Skip(err)
		}
		doc, found, err := Load(Options{File: file})
		if err != nil {
			t.Fatal(err)
		}
		got := doc.Keyed()[0].Shape.Body.Contents[0].Schema
		if got.Kind != policy.Any || len(found) == 0 {
			t.Errorf("%q is followed: %+v", ref, got)
		}
		for _, d := range found {
			if strings.Contains(d.Message, "password") || d.Pos.File != file {
				t.Errorf("%q: %v", ref, d)
			}
		}
		t.Log(found)
	}
}

func TestLoad_NothingOfTheDocumentIsLostInMessages(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	_, found, err := Load(Options{File: writeSpec(t, "openapi.json", keyedSpec("3.0.0", `{"type": "`+long+`"}`, ""))})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if len(d.Message) > 2_000 || len(d.Source) > maxSource || strings.ContainsAny(d.Message, "\n\r") {
			t.Errorf("a finding of %d bytes", len(d.Message)+len(d.Source))
		}
	}
}

// FuzzLoad looks for panics, for findings without a place, and for results that differ from run to run.
func FuzzLoad(f *testing.F) {
	folders, _ := filepath.Glob("testdata/load/*/openapi.*")
	for _, file := range folders {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := writeSpec(t, "openapi.yaml", text)
		doc, found, err := Load(Options{File: file, AcceptDeclared: true})
		if err != nil || doc == nil {
			t.Fatal(doc, err)
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u0085") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029") + 1
		for _, d := range found {
			if d.Rule == "" || d.Pos.Line > lines+1 {
				t.Fatalf("a finding out of place: %+v", d)
			}
		}
		again, foundAgain, _ := Load(Options{File: file, AcceptDeclared: true})
		if dump(doc) != dump(again) || dumpFindings(found) != dumpFindings(foundAgain) {
			t.Fatal("two runs differ")
		}
	})
}

// A few actions of an overlay, each on what the ones before have added, double the document with each.
func TestLoad_ExpensiveOverlays(t *testing.T) {
	document := keyedSpec("3.0.0", `{"type": "object"}`, "")
	for name, action := range map[string]string{
		"updates":       `{target: '$..*', update: {x-%d: {}}}`,
		"copies":        `{target: '$.info', update: {x-%[1]d: {}}}, {target: '$.info["x-%[1]d"]', copy: '$'}`,
		"list items":    `{target: '$..tags', update: [[a], {tags: [[]]}]}, {target: '$.info', update: {x-%d: {tags: []}}}`,
		"big selection": `{target: '$..*..*..*..*..*', update: {x-%d: 1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var overlay strings.Builder
			overlay.WriteString("overlay: 1.1.0\ninfo: {title: t, version: '1'}\nactions:\n  - {target: $.info, update: {tags: []}}\n")
			for i := range 60 {
				fmt.Fprintf(&overlay, "  - "+strings.ReplaceAll(action, "}, {target", "}\n  - {target")+"\n", i)
			}
			file := writeSpec(t, "openapi.json", document, "overlay.yaml", overlay.String())
			start := time.Now()
			_, found, err := Load(Options{File: file, Overlays: []string{filepath.Join(filepath.Dir(file), "overlay.yaml")}})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %s", took)
			}
			if !hasRule(found.Errors(), ruleOverlay) {
				t.Errorf("not refused: %v", found.Err())
			}
		})
	}
}
