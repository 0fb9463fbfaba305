// Package schema_test holds the published JSON Schemas against the code that reads what they describe.
package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/policy"
)

const extensionFile = "extension-v1.schema.json"

func compile(t *testing.T, part string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(extensionFile + part)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// accepts asks the schema.
func accepts(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(plain(value))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

// plain writes the keys of a mapping as an editor does: all of them are text.
func plain(value any) any {
	switch value := value.(type) {
	case map[any]any:
		object := make(map[string]any, len(value))
		for key, member := range value {
			object[fmt.Sprint(key)] = plain(member)
		}
		return object
	case map[string]any:
		for key, member := range value {
			value[key] = plain(member)
		}
	case []any:
		for i, item := range value {
			value[i] = plain(item)
		}
	}
	return value
}

func node(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return document.Content[0]
}

func at(node *yaml.Node) policy.Position {
	return policy.Position{File: "x", Line: node.Line, Column: node.Column}
}

// decodes asks the code that reads the extension.
func decodes(t *testing.T, text string) error {
	t.Helper()
	_, found := extension.DecodeMembers(node(t, text), at, nil, policy.LevelOperation)
	return found.Err()
}

func decodesRoot(t *testing.T, text string) error {
	t.Helper()
	_, found := extension.DecodeRoot(node(t, text), at, nil)
	return found.Err()
}

// full is the whole grammar, as the documentation shows it.
const full = `
profile: stripe
mode: transaction
key: {in: header, name: Idempotency-Key, required: true, format: any, minLength: 1, maxLength: 255, lengthUnit: characters,
  pattern: '^[A-Za-z0-9_-]+$', syntax: either, refusePersonalData: true, firstSent: {header: X-First-Sent, maxSkew: PT5M}}
scope: [principal, operation, 'header:Stripe-Account', region]
retention: PT24H
retryWindow: PT6H
fingerprint: {body: canonical, include: [/amount, /currency], exclude: [/metadata/trace_id], query: true, headers: [Stripe-Version]}
store: {statuses: [2XX, 402, 409], headers: [X-Request-Cost], maxBody: 1MiB, body: true}
replay: {as: stored, header: Idempotent-Replayed, value: "true", status: {201: 200}}
inFlight: {answer: wait, maxWait: PT5S, retryAfter: PT1S}
lease: {duration: PT30S, heartbeat: PT10S}
steps: [reserve, charge, notify]
downstream: [{name: stripe, step: charge, header: Idempotency-Key, format: uuid5}]
errors:
  missing: {status: 400}
  malformed: {status: 400}
  mismatch: {status: 422}
  inFlight: {status: 409}
  unavailable: {status: 503}
  tooLarge: {status: 409}
  expired: {status: 412}
  shape: problem
answers: {headers: {X-Key: '{key}', X-Result: accepted}}
guard:
  - {table: payments, columns: [account_id, idem_key]}
  - {table: payments, columns: [account_id, order_id], on: conflict}
note: Free text for the policy page.
`

func TestExtension_AcceptsWhatTheDecoderAccepts(t *testing.T) {
	schema := compile(t, "#/$defs/operation")
	for _, text := range []string{
		full, "true", "false", "required", "optional", "natural", "none", "natural: It only reads.", "none: Counted.", "conditional: If-Match", "{}",
		"retention: 24h", "retention: 1h30m", "retention: P30D", "retention: P1DT12H", "store: {maxBody: 64KiB}", "store: {maxBody: 65536}", "store: {statuses: ['2xx', 402, '409']}",
	} {
		if err := decodes(t, text); err != nil {
			t.Errorf("the decoder refuses %s: %v", text, err)
		}
		if err := accepts(t, schema, text); err != nil {
			t.Errorf("the schema refuses %s: %v", text, err)
		}
	}
}

func TestExtension_RefusesWhatTheDecoderRefuses(t *testing.T) {
	schema := compile(t, "#/$defs/operation")
	for _, text := range []string{
		"maybe", "5", "[true]", "{retenton: PT1H}", "retention: 24", "retention: P1Y", "retention: P", "retention: forever", "retention: -1h", "mode: saga",
		"key: {in: cookie}", "key: {maxLength: 0}", "key: {maxLength: 2000}", "key: {format: ulid}", "key: {pointer: idempotency_key}", "key: header", "key: {required: 'yes'}",
		"scope: []", "scope: [tenant]", "scope: principal", "fingerprint: {include: [amount]}", "fingerprint: {headers: ['a b']}", "store: {statuses: []}", "store: {statuses: [2X]}", "store: {statuses: [99]}",
		"store: {maxBody: 1MB}", "store: {maxBody: 0}", "replay: {status: {201: ok}}", "inFlight: {answer: retry}", "steps: ['1st step']", "errors: {mismatch: {status: 200}}", "errors: {mismatch: 422}", "errors: {conflict: {status: 409}}",
		"guard: [{table: payments}]", "guard: [{table: payments, columns: []}]", "guard: {table: payments, columns: [a]}", "guard: [{table: payments, columns: [a], on: duplicate}]", "title: only at the root",
		"natural: It only reads.\nretention: PT1H", "key: {firstSent: X-First-Sent}", "key: {firstSent: {header: a b}}", "key: {firstSent: {maxSkew: 300}}", "answers: {headers: [X-Key]}", "answers: {header: {X-Key: a}}",
	} {
		if decodes(t, text) == nil {
			t.Errorf("the decoder accepts %s", text)
		}
		if accepts(t, schema, text) == nil {
			t.Errorf("the schema accepts %s", text)
		}
	}
}

func TestExtension_Root(t *testing.T) {
	schema := compile(t, "#/$defs/root")
	good := "version: 1\ntitle: T\ncontact: a@b.example\ndocsUrl: https://b.example/x\nconsumers:\n  - {name: settlement, event: '#/components/schemas/E', id: /id, group: ledger, retention: P7D, source: kafka}\n" + strings.TrimPrefix(full, "\n")
	if err := decodesRoot(t, good); err != nil {
		t.Errorf("the decoder: %v", err)
	}
	if err := accepts(t, schema, good); err != nil {
		t.Errorf("the schema: %v", err)
	}
	for _, text := range []string{"true", "version: 2", "docsUrl: ftp://x", "consumers: [{name: a}]"} {
		if decodesRoot(t, text) == nil {
			t.Errorf("the decoder accepts %s", text)
		}
		if accepts(t, schema, text) == nil {
			t.Errorf("the schema accepts %s", text)
		}
	}
}

// Each member that the schema offers is one that the decoder knows, and each has an example that it takes.
func TestExtension_EveryMemberIsKnownToTheDecoder(t *testing.T) {
	content, err := os.ReadFile(extensionFile)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]struct {
			Examples   []any          `json:"examples"`
			Properties map[string]any `json:"properties"`
		} `json:"properties"`
	}
	for part, ask := range map[string]func(*testing.T, string) error{"members": decodes, "root": decodesRoot} {
		var o object
		if err := json.Unmarshal(document.Defs[part], &o); err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
			property := o.Properties[name]
			if len(property.Examples) == 0 {
				t.Errorf("%s.%s has no example", part, name)
				continue
			}
			try(t, ask, map[string]any{name: property.Examples[0]})
			for inner, value := range property.Properties {
				examples, _ := value.(map[string]any)["examples"].([]any)
				if len(examples) == 0 {
					t.Errorf("%s.%s.%s has no example", part, name, inner)
					continue
				}
				try(t, ask, map[string]any{name: map[string]any{inner: examples[0]}})
			}
		}
	}
}

func try(t *testing.T, ask func(*testing.T, string) error, value any) {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := ask(t, string(text)); err != nil {
		t.Errorf("the decoder refuses the schema's own example\n%s%v", text, err)
	}
}
