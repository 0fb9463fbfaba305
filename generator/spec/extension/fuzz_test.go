package extension

import (
	stdjson "encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// read decodes one text at all three levels and resolves the operation.
func readAll(node *yaml.Node) (policy.Operation, diag.List) {
	root, found := DecodeRoot(node, at, nil)
	item, more := DecodeMembers(node, at, nil, policy.LevelPathItem)
	found = append(found, more...)
	own, more := DecodeMembers(node, at, nil, policy.LevelOperation)
	found = append(found, more...)
	op := policy.Operation{Method: "POST", Path: "/x", Pos: policy.Position{File: "x.yaml", Line: 1, Column: 1}}
	found = append(found, Resolve(ResolveInput{Operation: &op, Root: root, PathItem: item, Own: own, FernIdempotent: node, FernHeaders: node, At: at})...)
	return op, found.Sorted()
}

// FuzzDecodeExtension: whatever stands in a document, reading it ends, gives the same each time, and says of each finding
// which rule it is and where in the text it stands.
func FuzzDecodeExtension(f *testing.F) {
	for _, seed := range []string{
		"true", "optional", "{natural: why}", "{conditional: If-Match}", fullForm, "~", "[]", "{}", "x: &a {b: *a}",
		"<<: {retention: PT1H}", "a: &a [x]\nscope: *a", "? {a: b}\n: c", "!!bool x", "!!int ''", "!!binary aGk=", "key: !!merge x",
		"version: 1\nconsumers: [{name: a, event: '#/a', id: /b}]", "mode: lease\nsteps: [a, a]\ndownstream: [{name: a, step: b}]",
		"replay: {status: {201: 200, '201': 204}}", "errors: {missing: {headers: {a: b, A: c}}}", "guard: [{table: a.b.c, columns: [x, x]}]",
		"{ttl: 24h}", "retention: 1e9", "key: {pattern: '(?!a)'}", "\"\\u202e\"", "<<: [1, *x]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var document yaml.Node
		if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) != 1 {
			return
		}
		op, found := readAll(document.Content[0])
		again, foundAgain := readAll(document.Content[0])
		if !reflect.DeepEqual(op, again) || !reflect.DeepEqual(found, foundAgain) {
			t.Error("reading the same text twice gives two results")
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029") + strings.Count(text, "\u0085") + 1
		for _, d := range found {
			if d.Rule == "" || !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == d.Rule }) {
				t.Errorf("%v has no rule", d)
			}
			if d.Pos.Line < 1 || d.Pos.Line > lines || d.Pos.Column < 1 {
				t.Errorf("%v is outside the text of %d lines", d, lines)
			}
			if strings.ContainsFunc(d.Message+d.Hint, unprintable) {
				t.Errorf("%q | %q holds characters that are not printable", d.Message, d.Hint)
			}
		}
		if op.Decision == policy.Keyed && len(found.Errors()) == 0 {
			checkUsable(t, &op.Policy)
		}
	})
}

// checkUsable has what the runtime relies on in a policy without errors.
func checkUsable(t *testing.T, p *policy.Policy) {
	t.Helper()
	switch {
	case p.Key.MaxLength < 1, p.Key.MinLength > p.Key.MaxLength, p.Retention <= 0, p.Store.MaxBody <= 0, len(p.Store.Statuses) == 0,
		len(p.Scope) == 0, p.Errors.Mismatch.Status < 400, p.InFlight.MaxWait <= 0, p.Mode != policy.Transaction,
		checkPattern(p.Key.Pattern) != nil, (p.Key.In == policy.InBody) != (p.Key.Pointer != ""):
		t.Errorf("not usable: %+v", p)
	}
}

// One extension in YAML and in JSON is one policy, with the same findings.
func TestDecode_YAMLEqualsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawExtension(t)
		asJSON, err := stdjson.MarshalIndent(value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := yaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		fromJSON, foundJSON := readAll(node(t, asJSON))
		fromYAML, foundYAML := readAll(node(t, asYAML))
		if rules, other := messages(foundJSON), messages(foundYAML); !slices.Equal(rules, other) {
			t.Fatalf("JSON: %v\nYAML: %v\n%s\n%s", rules, other, asJSON, asYAML)
		}
		for _, op := range []*policy.Operation{&fromJSON, &fromYAML} {
			op.DecidedAt = policy.Position{}
			for i := range op.Origins {
				op.Origins[i].Pos = policy.Position{}
			}
			for i := range op.Policy.Guards {
				op.Policy.Guards[i].Pos = policy.Position{}
			}
		}
		if !reflect.DeepEqual(fromJSON, fromYAML) {
			t.Fatalf("JSON: %+v\nYAML: %+v", fromJSON, fromYAML)
		}
	})
}

func node(t *rapid.T, text []byte) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return document.Content[0]
}

// messages are the findings without their places, sorted.
func messages(found diag.List) []string {
	var texts []string
	for _, d := range found {
		texts = append(texts, d.Rule+": "+d.Message)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// drawExtension makes an extension that is nearly right: members of the grammar, each with one of the values that some
// member takes.
func drawExtension(t *rapid.T) any {
	if rapid.IntRange(0, 9).Draw(t, "form") == 0 {
		return rapid.SampledFrom([]any{true, false, "required", "optional", "natural", "none", "maybe", 1}).Draw(t, "word")
	}
	values := []any{
		true, false, 1, 36, 255, "true", "PT24H", "P1M", "48h", "transaction", "lease", "header", "body", "form", "X-Key", "/id", "any", "uuid4", "bytes",
		"^[a-z]+$", "(?!a)", "either", "canonical", "raw", "stored", "current", "wait", "conflict", "problem", "stripe", "64KiB", 409, "4XX", "", "yes", "0777", "1e3", "~", "null", "2026-11-29",
		[]any{"principal", "operation"}, []any{"account"}, []any{"/amount"}, []any{"2XX", 402}, []any{"Api-Version"}, []any{},
		map[string]any{"201": 200}, map[string]any{"X-A": "b"}, []any{map[string]any{"table": "payments", "columns": []any{"id"}}},
	}
	extension := map[string]any{}
	for range rapid.IntRange(0, 8).Draw(t, "members") {
		path := rapid.SampledFrom(grammar).Draw(t, "member").path
		value := rapid.SampledFrom(values).Draw(t, "value")
		if rapid.IntRange(0, 3).Draw(t, "right") > 0 { // mostly a right one, else nothing gets past the grammar
			value = sampleValue(path)
		}
		put(extension, path, value)
	}
	return extension
}

// sampleValue is a member's sample as a value that JSON can hold.
func sampleValue(path string) any {
	if path == "replay.status" {
		return map[string]any{"201": 200}
	}
	var value any
	if err := yaml.Unmarshal([]byte(sampleOf(path)), &value); err != nil {
		panic(err)
	}
	return value
}

func put(object map[string]any, path string, value any) {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		object[name] = value
		return
	}
	inner, ok := object[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[name] = inner
	}
	put(inner, rest, value)
}
