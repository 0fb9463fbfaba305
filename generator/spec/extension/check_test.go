package extension

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// object makes a schema with the properties given as "name" or "name!" for a required one.
func object(properties map[string]*policy.Schema) *policy.Schema {
	schema := &policy.Schema{Kind: policy.Object, AdditionalAllowed: true}
	for name, property := range properties {
		plain, required := strings.CutSuffix(name, "!")
		schema.Properties = append(schema.Properties, policy.Property{Name: plain, Required: required, Schema: property})
	}
	return schema
}

func nullable(schema *policy.Schema) *policy.Schema {
	schema.Nullable = true
	return schema
}

var (
	text    = &policy.Schema{Kind: policy.String}
	nothing = &policy.Schema{Kind: policy.Any, Degraded: "oneOf"}
)

// recursive is a schema that refers to itself, as Stripe's do.
func recursive() *policy.Schema {
	node := object(map[string]*policy.Schema{"id!": text})
	node.Properties = append(node.Properties, policy.Property{Name: "parent", Schema: node})
	return node
}

// checked resolves own on an operation with the body and runs Check.
func checked(t *testing.T, own string, body *policy.Body, responses ...policy.Response) string {
	t.Helper()
	op, found := resolved(t, ResolveInput{}, "", "", own)
	if len(found.Errors()) > 0 {
		t.Fatalf("%s: %v", own, found)
	}
	if responses == nil {
		responses = []policy.Response{{Status: "201"}}
	}
	op.Shape = &policy.Shape{Body: body, Responses: responses}
	found = Check(&policy.Document{Operations: []policy.Operation{*op}})
	for _, d := range found {
		if !d.Pos.IsValid() {
			t.Errorf("%v has no position", d)
		}
	}
	return rulesOf(found.Sorted())
}

func body(contents ...policy.Content) *policy.Body { return &policy.Body{Contents: contents} }

func json(schema *policy.Schema) policy.Content {
	return policy.Content{MediaType: "application/json; charset=utf-8", Schema: schema}
}

func TestCheck_KeyInBody_K1(t *testing.T) {
	order := object(map[string]*policy.Schema{
		"id!": text, "maybe": text, "count!": {Kind: policy.Integer}, "null!": {Kind: policy.String, Nullable: true},
		"card!": object(map[string]*policy.Schema{"token!": text}), "soft": object(map[string]*policy.Schema{"token!": text}), "void!": nullable(object(map[string]*policy.Schema{"token!": text})),
		"lines!": {Kind: policy.Array, Items: object(map[string]*policy.Schema{"id!": text})}, "any!": nothing,
	})
	for own, want := range map[string]string{
		"key: {in: body, pointer: /id}":                        "",
		"key: {in: body, pointer: /card/token}":                "",
		"key: {in: body, pointer: /any/deep/inside}":           "",
		"key: {in: body, pointer: /maybe}":                     "w:nullable-key",
		"key: {in: body, pointer: /maybe, required: false}":    "",
		"key: {in: body, pointer: /soft/token}":                "w:nullable-key",
		"key: {in: body, pointer: /void/token}":                "w:nullable-key",
		"key: {in: body, pointer: /null}":                      "w:nullable-key",
		"key: {in: body, pointer: /count}":                     "e:key-type",
		"key: {in: body, pointer: /ident}":                     "e:key-pointer-unknown",
		"key: {in: body, pointer: /id/deeper}":                 "e:key-pointer-unknown",
		"key: {in: body, pointer: /lines/0/id}":                "e:body-key-in-batch",
		"key: {in: body, pointer: /lines/each/id}":             "e:body-key-in-batch",
		"key: {in: form, name: id}":                            "e:key-body-media",
		"key: {in: header, name: X-Key}":                       "",
		"{key: {in: body, pointer: /id}, retryWindow: PT0.5S}": "",
	} {
		if got := checked(t, own, body(json(order))); got != want {
			t.Errorf("%s: got %q, want %q", own, got, want)
		}
	}
	if got := checked(t, "key: {in: body, pointer: /parent/parent/id, required: false}", body(json(recursive()))); got != "" {
		t.Errorf("recursive: %q", got)
	}
	if got := checked(t, "key: {in: body, pointer: /id}", body(json(nil))); got != "" {
		t.Errorf("without a schema: %q", got)
	}
	if got := checked(t, "key: {in: body, pointer: /id}", nil); got != "e:key-body-media" {
		t.Errorf("without a body: %q", got)
	}
	if got := checked(t, "key: {in: body, pointer: /id}", body(json(order), policy.Content{MediaType: "text/csv"})); got != "w:key-body-media-some" {
		t.Errorf("two media types: %q", got)
	}
	form := policy.Content{MediaType: "application/x-www-form-urlencoded", Schema: object(map[string]*policy.Schema{"IdempotencyKey!": text})}
	if got := checked(t, "key: {in: form, name: IdempotencyKey}", body(form)); got != "" {
		t.Errorf("form: %q", got)
	}
	if got := checked(t, "key: {in: form, name: IdempotencKey}", body(form)); got != "e:key-pointer-unknown" {
		t.Errorf("form: %q", got)
	}
}

func TestCheck_FingerprintPointers_F2(t *testing.T) {
	order := object(map[string]*policy.Schema{
		"amount!": {Kind: policy.Integer}, "lines": {Kind: policy.Array, Items: object(map[string]*policy.Schema{"sku": text})},
		"metadata": {Kind: policy.Object, AdditionalAllowed: true},
	})
	for own, want := range map[string]string{
		"fingerprint: {include: [/amount, /lines/0/sku, /metadata/x]}": "",
		"fingerprint: {include: [/amonut]}":                            "e:fingerprint-pointer-unknown",
		"fingerprint: {include: [/amount, /lines/sku]}":                "e:fingerprint-pointer-unknown",
		"fingerprint: {exclude: [/trace]}":                             "w:fingerprint-pointer-unknown",
		"fingerprint: {exclude: [/metadata/trace_id]}":                 "",
	} {
		if got := checked(t, own, body(json(order))); got != want {
			t.Errorf("%s: got %q, want %q", own, got, want)
		}
	}
	if got := checked(t, "fingerprint: {include: [/a]}", nil); got != "e:fingerprint-pointer-unknown" {
		t.Errorf("without a body: %q", got)
	}
}

func TestCheck_Responses_R3_R6(t *testing.T) {
	created := policy.Response{Status: "201"}
	stream := func(mediaType string) policy.Response {
		return policy.Response{Status: "200", Contents: []policy.Content{{MediaType: mediaType, Pos: policy.Position{File: "x.yaml", Line: 7, Column: 3}}}}
	}
	for _, test := range []struct {
		own       string
		responses []policy.Response
		want      string
	}{
		{"true", []policy.Response{stream("text/event-stream")}, "e:streaming-response"},
		{"true", []policy.Response{stream("Application/X-NDJSON; charset=utf-8")}, "e:streaming-response"},
		{"true", []policy.Response{stream("application/octet-stream")}, ""},
		{"store: {statuses: [2XX, 402]}", []policy.Response{created}, "w:store-status-undocumented"},
		{"store: {statuses: [2XX, 402]}", []policy.Response{created, {Status: "4XX"}}, ""},
		{"store: {statuses: [2XX, 4XX]}", []policy.Response{created, {Status: "404"}}, ""},
		{"store: {statuses: [2XX, 402]}", []policy.Response{created, {Status: "default"}}, ""},
		{"store: {statuses: [201]}", []policy.Response{{Status: "202"}, created}, "w:success-not-stored"},
		{"true", []policy.Response{created, {Status: "402"}, {Status: "500"}}, ""},
	} {
		if got := checked(t, test.own, nil, test.responses...); got != test.want {
			t.Errorf("%s: got %q, want %q", test.own, got, test.want)
		}
	}
}

func TestCheck_Undecided_H2(t *testing.T) {
	operation := func(i int, decision policy.Decision) policy.Operation {
		return policy.Operation{Method: "POST", Path: fmt.Sprintf("/x%d", i), Decision: decision, Pos: policy.Position{File: "x.yaml", Line: i + 1, Column: 5}}
	}
	for _, test := range []struct {
		decided, undecided, findings int
	}{{1, 0, 0}, {1, 1, 1}, {1, 20, 20}, {1, 21, 1}, {0, 5, 1}, {0, 1, 1}} {
		doc := &policy.Document{}
		for i := range test.decided {
			doc.Operations = append(doc.Operations, operation(i, policy.Natural))
		}
		for i := range test.undecided {
			doc.Operations = append(doc.Operations, operation(100+i, policy.Undecided))
		}
		doc.Operations = append(doc.Operations, policy.Operation{Method: "GET", Path: "/x", Decision: policy.Safe},
			policy.Operation{Method: "POST", Path: "hook", Webhook: true})
		if found := Check(doc); len(found) != test.findings {
			t.Errorf("%+v: %v", test, found)
		}
	}
}

// The hint of an undecided operation says what the document declares already.
func TestCheck_UndecidedHint(t *testing.T) {
	for _, test := range []struct {
		declared []policy.DeclaredKey
		want     string
	}{
		{nil, `write x-idempotency: required, optional, {natural: "why"} or {none: "why"}`},
		{[]policy.DeclaredKey{declared(policy.InHeader, "X-Key", true)}, "it declares a key in header X-Key: write x-idempotency: required"},
		{[]policy.DeclaredKey{declared(policy.InBody, "/id", false)}, "it declares a key in body /id: write x-idempotency: optional"},
	} {
		doc := &policy.Document{Operations: []policy.Operation{{Method: "POST", Path: "/x", Declared: test.declared}}}
		if found := Check(doc); len(found) != 1 || found[0].Hint != test.want {
			t.Errorf("got %+v", found)
		}
	}

	doc := &policy.Document{SpecFile: "a.yaml", Overlays: []string{"one.yaml", "two.yaml"}, Operations: []policy.Operation{
		{Method: "POST", Path: "/x", Pos: policy.Position{File: "a.yaml", Line: 3}},
		{Method: "PATCH", Path: "/y", Pos: policy.Position{File: "a.yaml", Line: 4}, Declared: []policy.DeclaredKey{declared(policy.InHeader, "X-Key", false)}},
		{Method: "POST", Path: "/z", Pos: policy.Position{File: "paths/z.yaml", Line: 1}},
		{Method: "POST", Path: "/decided", Decision: policy.Natural},
	}}
	var hints []string
	for _, d := range Check(doc) {
		hints = append(hints, d.Hint)
	}
	want := `add to the actions of two.yaml: - {target: "$.paths['/x'].post", update: {x-idempotency: required}}; in place of required also optional, {natural: "why"} or {none: "why"}
it declares a key in header X-Key: add to the actions of two.yaml: - {target: "$.paths['/y'].patch", update: {x-idempotency: optional}}
write x-idempotency: required, optional, {natural: "why"} or {none: "why"}`
	if got := strings.Join(hints, "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestCheckTables_G1(t *testing.T) {
	op, _ := resolved(t, ResolveInput{}, "", "", "guard: [{table: billing.Payments, columns: [id]}, {table: refunds, columns: [id]}]")
	doc := &policy.Document{Operations: []policy.Operation{*op}}
	if found := CheckTables(doc, "db", nil); rulesOf(found) != "w:guard-table-unknown w:guard-table-unknown" ||
		found[1].Message != `no migration in db creates the table "refunds", so the guard's migration is not issued yet` {
		t.Errorf("no table: %v", found)
	}
	if found := CheckTables(doc, "db", []string{"payments", "public.refunds"}); len(found) != 0 {
		t.Errorf("got %v", found)
	}
	found := CheckTables(doc, "db", []string{"archive.payments", "refund"})
	if rulesOf(found) != "w:guard-table-unknown w:guard-table-unknown" || found[1].Hint != "did you mean refund?" {
		t.Errorf("got %v", found)
	}
}

func TestCheck_Nil(t *testing.T) {
	if Check(nil) != nil || CheckTables(nil, "db", []string{"a"}) != nil || Resolve(ResolveInput{}) != nil {
		t.Error("nil has findings")
	}
}
