package extension

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// parse reads a document and returns its only value. Nodes of the file x.yaml have their own line and column.
func parse(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(document.Content) != 1 {
		t.Fatalf("no value in %q", text)
	}
	return document.Content[0]
}

func at(node *yaml.Node) policy.Position {
	return policy.Position{File: "x.yaml", Line: node.Line, Column: node.Column}
}

// resolved decodes x-idempotency of an operation and resolves it, beside a root and a path item where they are given.
func resolved(t testing.TB, in ResolveInput, root, item, own string) (*policy.Operation, diag.List) {
	t.Helper()
	var found diag.List
	if in.Operation == nil {
		in.Operation = &policy.Operation{ID: "createPayment", Method: "POST", Path: "/payments"}
	}
	in.Operation.Pos = policy.Position{File: "x.yaml", Line: 1000, Column: 1}
	in.At = at
	var diags diag.List
	if root != "" {
		in.Root, diags = DecodeRoot(parse(t, root), at, nil)
		found = append(found, diags...)
	}
	if item != "" {
		in.PathItem, diags = DecodeMembers(parse(t, item), at, nil, policy.LevelPathItem)
		found = append(found, diags...)
	}
	if own != "" {
		in.Own, diags = DecodeMembers(parse(t, own), at, nil, policy.LevelOperation)
		found = append(found, diags...)
	}
	found = append(found, Resolve(in)...)
	return in.Operation, found.Sorted()
}

// rulesOf are the rules of the findings, in their order, each with its severity's first letter.
func rulesOf(found diag.List) string {
	var names []string
	for _, d := range found {
		names = append(names, string(d.Severity[:1])+":"+d.Rule)
	}
	return strings.Join(names, " ")
}

func TestDecodeMembers_Shorthands(t *testing.T) {
	for _, test := range []struct {
		text      string
		decision  policy.Decision
		required  bool
		reason    string
		condition string
	}{
		{"true", policy.Keyed, true, "", ""},
		{"True", policy.Keyed, true, "", ""},
		{"required", policy.Keyed, true, "", ""},
		{`"required"`, policy.Keyed, true, "", ""},
		{"optional", policy.Keyed, false, "", ""},
		{"{}", policy.Keyed, true, "", ""},
		{"retention: PT1H", policy.Keyed, true, "", ""},
		{"natural", policy.Natural, false, "", ""},
		{"{natural: sets a status}", policy.Natural, false, "sets a status", ""},
		{"none", policy.NotRepeatable, false, "", ""},
		{"false", policy.NotRepeatable, false, "", ""},
		{"{none: sends a letter}", policy.NotRepeatable, false, "sends a letter", ""},
		{"{conditional: if-match}", policy.Conditional, false, "", "If-Match"},
	} {
		op, found := resolved(t, ResolveInput{}, "", "", test.text)
		if len(found.Errors()) > 0 {
			t.Errorf("%s: %v", test.text, found)
		}
		if op.Decision != test.decision || op.Policy.Key.Required != test.required || op.Reason != test.reason || op.Condition != test.condition {
			t.Errorf("%s: decision %q, required %v, reason %q, condition %q", test.text, op.Decision, op.Policy.Key.Required, op.Reason, op.Condition)
		}
		if !op.DecidedAt.IsValid() {
			t.Errorf("%s: DecidedAt is unknown", test.text)
		}
	}
}

func TestDecodeMembers_Absent(t *testing.T) {
	if m, found := DecodeMembers(nil, at, nil, policy.LevelOperation); m != nil || found != nil {
		t.Errorf("got %v, %v", m, found)
	}
	root, found := DecodeRoot(nil, at, nil)
	if found != nil || root.Version != 1 || root.Profile != "ietf" {
		t.Errorf("got %+v, %v", root, found)
	}
}

// The whole full form of the contract, member by member.
const fullForm = `
profile: stripe
mode: transaction
key:
  in: header
  name: X-Key
  required: false
  format: uuid7
  minLength: 36
  maxLength: 40
  lengthUnit: bytes
  pattern: '^[a-z0-9-]+$'
  syntax: structured
  refusePersonalData: true
scope: [principal, operation, region, "header:stripe-account"]
retention: P2D
retryWindow: PT6H
fingerprint:
  body: canonical
  include: [/amount, /currency]
  query: false
  headers: [stripe-version, Api-Version]
store:
  statuses: [2xx, 402, "409"]
  headers: [x-request-cost]
  maxBody: 64KiB
  body: false
replay:
  as: stored
  header: X-Replayed
  value: "yes"
  status: {201: 200}
inFlight: {answer: wait, maxWait: PT2.5S, retryAfter: 3s}
errors:
  mismatch: {status: 400, type: reused, title: Reused, code: E1, headers: {x-b: "2", X-A: "1"}}
  shape: problem
guard:
  - {table: billing.payments, columns: [account_id, order_id], on: conflict}
note: |
  Two lines
  of text.
`

func TestResolve_FullForm(t *testing.T) {
	op, found := resolved(t, ResolveInput{}, "", "", fullForm)
	if rulesOf(found) != "" {
		t.Fatal(found)
	}
	p := op.Policy
	for _, check := range []struct {
		what      string
		got, want any
	}{
		{"profile", p.Profile, "stripe"},
		{"key", p.Key, policy.Key{In: policy.InHeader, Name: "X-Key", Format: policy.UUID7, MinLength: 36, MaxLength: 40, LengthUnit: policy.Bytes, Pattern: "^[a-z0-9-]+$", Syntax: policy.Structured, RefusePersonalData: true}},
		{"scope", join(p.Scope), "principal operation region header:Stripe-Account"},
		{"retention", p.Retention.String(), "48h0m0s"},
		{"retryWindow", p.RetryWindow.String(), "6h0m0s"},
		{"fingerprint.body", p.Fingerprint.Body, policy.CanonicalBody},
		{"fingerprint.include", join(p.Fingerprint.Include), "/amount /currency"},
		{"fingerprint.query", p.Fingerprint.Query, false},
		{"fingerprint.headers", join(p.Fingerprint.Headers), "Api-Version Stripe-Version"},
		{"store.statuses", join(p.Store.Statuses), "2XX 402 409"},
		{"store.headers", join(p.Store.Headers), "X-Request-Cost"},
		{"store.maxBody", p.Store.MaxBody, int64(65536)},
		{"store.body", p.Store.OmitBody, true},
		{"replay.header", p.Replay.Header + ": " + p.Replay.Value, "X-Replayed: yes"},
		{"replay.status", p.Replay.Status[0], policy.StatusChange{From: 201, To: 200}},
		{"inFlight", p.InFlight, policy.InFlight{Answer: policy.Wait, MaxWait: 2_500_000_000, RetryAfter: 3_000_000_000}},
		{"errors.mismatch", p.Errors.Mismatch.Status, 400},
		{"errors.mismatch.headers", p.Errors.Mismatch.Headers[0], policy.HeaderValue{Name: "X-A", Value: "1"}},
		{"guard", p.Guards[0].Constraint, "idemgen_billing_payments_account_id_order_id_key"},
		{"note", p.Note, "Two lines\nof text.\n"},
	} {
		if check.got != check.want {
			t.Errorf("%s: got %v, want %v", check.what, check.got, check.want)
		}
	}
}

func join[T ~string](list []T) string { return strings.Join(words(list), " ") }

func TestDecodeRoot(t *testing.T) {
	root, found := DecodeRoot(parse(t, `
version: 1
profile: stripe
title: How retries work
contact: api@example.com
docsUrl: https://docs.example.com/idempotency
retention: PT48H
consumers:
  - {name: settlement, event: '#/components/schemas/ChargeUpdated', id: /id, group: ledger, retention: P7D, source: kafka}
  - {name: audit, event: '#/components/schemas/ChargeUpdated', id: /data/id}
`), at, nil)
	if len(found) > 0 {
		t.Fatal(found)
	}
	if root.Profile != "stripe" || root.Title != "How retries work" || root.Contact != "api@example.com" || root.DocsURL != "https://docs.example.com/idempotency" {
		t.Errorf("got %+v", root)
	}
	if len(root.Consumers) != 2 || root.Consumers[0].Name != "audit" || root.Consumers[1].Retention.Hours() != 168 {
		t.Errorf("got %+v", root.Consumers)
	}
}

func TestDecode_Aliases(t *testing.T) {
	document := parse(t, `
defaults: &defaults
  retention: PT1H
  key: &key {maxLength: 64}
more: &more {retention: PT2H, note: merged}
own:
  <<: [*defaults, *more]
  key: *key
  scope: &scope [principal]
`)
	own := document.Content[5]
	m, found := DecodeMembers(own, at, nil, policy.LevelOperation)
	if len(found) > 0 {
		t.Fatal(found)
	}
	op := &policy.Operation{Method: "POST", Path: "/payments"}
	Resolve(ResolveInput{Operation: op, Own: m, At: at})
	if op.Policy.Retention.Hours() != 1 || op.Policy.Key.MaxLength != 64 || op.Policy.Note != "merged" {
		t.Errorf("got %+v", op.Policy)
	}
	origin, _ := op.Origins.Find("key.maxLength")
	if want := (policy.Position{File: "x.yaml", Line: 4, Column: 25}); origin.Pos != want {
		t.Errorf("key.maxLength is from %v, want where it is written, %v", origin.Pos, want)
	}
}

// A merge key that leads back to itself cannot be written, but a program can make the nodes.
func TestDecode_AliasLoop(t *testing.T) {
	loop := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	loop.Content = []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!merge", Value: "<<", Line: 1, Column: 2},
		{Kind: yaml.AliasNode, Alias: loop, Line: 1, Column: 6},
	}
	_, found := DecodeMembers(loop, at, nil, policy.LevelOperation)
	if rulesOf(found.Sorted()) != "e:alias-loop" {
		t.Errorf("got %v", found)
	}
	a := &yaml.Node{Kind: yaml.AliasNode, Alias: loop, Line: 1, Column: 6}
	loop.Content[1] = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: 1, Column: 5, Content: []*yaml.Node{a, a, a}}
	if _, found := DecodeMembers(loop, at, nil, policy.LevelOperation); rulesOf(found.Sorted()) != "e:alias-loop" {
		t.Errorf("got %v", found)
	}
	self := &yaml.Node{Kind: yaml.AliasNode, Line: 1, Column: 1}
	self.Alias = self
	if _, found := DecodeMembers(self, at, nil, policy.LevelOperation); len(found.Errors()) != 1 {
		t.Errorf("got %v", found)
	}
}

// A few lines of merge keys can come to millions of values.
func TestDecode_MultipliedMerges(t *testing.T) {
	text := "a0: &a0 {note: x}\n"
	for i := 1; i <= 12; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		text += fmt.Sprintf("a%d: &a%d {<<: [%s]}\n", i, i, strings.Join([]string{alias, alias, alias, alias, alias, alias, alias, alias}, ", "))
	}
	document := parse(t, text+"own: {<<: *a12}\n")
	_, found := DecodeMembers(document.Content[len(document.Content)-1], at, nil, policy.LevelOperation)
	if rulesOf(found) != "e:alias-loop" {
		t.Errorf("got %v", found)
	}
}

func TestDecode_Findings(t *testing.T) {
	for text, want := range map[string]string{
		`{"": x}`:                              "e:unknown-member",
		`key: {"": x}`:                         "e:unknown-member",
		`scope: [principal, "header:Cookie"]`:  "e:header-role",
		`{retention: PT6H, retryWindow: PT6H}`: "e:retention-retry-window",
		`{conditional: [If-Match]}`:            "e:wrong-type",
		`{conditional: If-Range}`:              "e:condition-unknown",
		`off`:                                  "e:shorthand",
		`a b`:                                  "e:shorthand",
		`? {a: b}
: c`: "e:wrong-type",
		`{<<: x, retention: PT1H}`:                                                            "e:wrong-type",
		`downstream: [{step: a}]`:                                                             "e:wrong-type",
		`downstream: [x]`:                                                                     "e:wrong-type",
		`downstream: [{name: a, stepp: b}]`:                                                   "e:unknown-member",
		`{mode: lease, downstream: [{name: a}, {name: a}]}`:                                   "e:duplicate-entry",
		`{mode: lease, downstream: [{name: a, step: b}]}`:                                     "e:downstream-step",
		`{mode: lease, downstream: [{name: a}]}`:                                              "",
		`{mode: lease, downstream: [{name: a b}]}`:                                            "e:downstream-step",
		`{mode: lease, downstream: [{name: a, format: any}]}`:                                 "",
		`{mode: lease, downstream: [{name: a, format: uuid4}]}`:                               "",
		`{mode: lease, downstream: [{name: a, format: uuid7}]}`:                               "w:downstream-format",
		`{mode: lease, steps: [a, b], downstream: [{name: c, step: a}, {name: c, step: b}]}`:  "",
		`{mode: lease, steps: [a, b], downstream: [{name: c}]}`:                               "e:downstream-step",
		`{mode: lease, steps: [a, b], downstream: [{name: c, step: b}]}`:                      "",
		`{mode: lease, steps: [a-b, a_b]}`:                                                    "e:step-names-alike",
		`{mode: lease, steps: [ab, aB, A-B]}`:                                                 "e:step-names-alike e:step-names-alike",
		`{mode: lease, steps: [a], lease: {duration: 9s, heartbeat: 6s}}`:                     "e:lease-heartbeat",
		`{mode: lease, steps: [a], retention: 90s, lease: {duration: 90s}, retryWindow: 10s}`: "e:retention-lease",
		`{mode: lease, steps: [a], store: {statuses: [2XX, 500]}}`:                            "",
		`{mode: lease, steps: [a], key: {required: false}}`:                                   "w:lease-optional-key",
		`{replay: {as: current}}`:                                                             "",
		`{replay: {as: current}, store: {body: false}}`:                                       "",
		`guard: [x]`:                                                  "e:wrong-type",
		`guard: [{columns: [a]}]`:                                     "e:bad-identifier",
		`guard: [{table: a.b.c, columns: [a]}]`:                       "e:bad-identifier",
		`guard: [{table: a, columns: ["a b"]}]`:                       "e:bad-identifier",
		`guard: [{table: a, column: b}]`:                              "e:unknown-member",
		`errors: {missing: {headers: {Set-Cookie: a}}}`:               "e:header-role",
		`errors: {missing: {headers: {A: b, a: c}}}`:                  "e:duplicate-member",
		`errors: {missing: {headers: {A: "é"}}}`:                      "e:bad-header",
		`errors: {missing: {title: "a\nb"}}`:                          "e:bad-name",
		`replay: {status: {201: 201}}`:                                "e:replay-status",
		`replay: {status: {abc: 200}}`:                                "e:bad-status",
		`replay: {status: {204: 304}}`:                                "",
		`store: {maxBody: 2GiB}`:                                      "e:bad-size",
		`note: "` + strings.Repeat("x", maxText+1) + `"`:              "e:bad-name",
		`retention: 1us`:                                              "e:bad-duration",
		`inFlight: {retryAfter: 0s}`:                                  "e:bad-duration",
		`key: {in: body, name: "a b"}`:                                "e:key-place",
		`key: {in: body, name: a, pointer: /a}`:                       "e:key-place",
		`key: {in: query, name: k, syntax: bare}`:                     "e:key-place",
		`errors: {shape: "template:mine"}`:                            "",
		`scope: [principal, account]`:                                 "e:scope-parts",
		`key: {maxLength: 64.0}`:                                      "e:wrong-type",
		`retryWindow: PT48H`:                                          "e:retention-retry-window",
		`key: {firstSent: {header: X-First-Sent}}`:                    "",
		`key: {firstSent: {header: ""}}`:                              "",
		`key: {firstSent: {header: Date}}`:                            "e:header-role",
		`key: {firstSent: {header: "a b"}}`:                           "e:bad-header",
		`key: {firstSent: {header: IDEMPOTENCY-KEY}}`:                 "e:header-role",
		`key: {firstSent: X-First-Sent}`:                              "e:wrong-type",
		`key: {firstSent: {maxSkew: PT1M}}`:                           "w:first-sent-members",
		`errors: {expired: {status: 410}}`:                            "w:first-sent-members",
		`{retention: PT5M, key: {firstSent: {header: X-First-Sent}}}`: "e:first-sent-skew",
		`{scope: [principal, "header:X-First-Sent"], key: {firstSent: {header: x-first-sent}}}`: "e:header-role",
		`answers: {headers: {X-A: "{key}", X-B: "a {b c} {}"}}`:                                 "",
		`answers: {headers: {X-A: "v1/{KEY}"}}`:                                                 "e:bad-header",
		`answers: {headers: {Set-Cookie: a}}`:                                                   "e:header-role",
		`answers: {headers: {Idempotent-replayed: a}}`:                                          "w:replay-marker",
		`answers: {header: {X-A: a}}`:                                                           "e:unknown-member",
		`errors: {shape: "template:"}`:                                                          "e:wrong-value",
	} {
		if _, found := resolved(t, ResolveInput{}, "", "", text); rulesOf(found) != want {
			t.Errorf("%s: %v", text, found)
		}
	}
	for text, want := range map[string]string{
		"docsUrl: https://user:secret@docs.example.com/": "e:bad-url",
		"docsUrl: javascript:alert(1)":                   "e:bad-url",
		"docsUrl: /docs":                                 "e:bad-url",
		"docsUrl: 1":                                     "e:wrong-type",
		"version: '1'":                                   "e:extension-version",
		"consumers: x":                                   "e:wrong-type",
		"consumers: [x]":                                 "e:wrong-type",
		"consumers: [{name: a, event: '#/a'}]":           "e:consumer",
		"consumers: [{name: a, event: /a, id: /b}]":      "e:bad-pointer",
		"consumers: [{name: a, event: [], id: /b}]":      "e:wrong-type",
		"consumers: [{name: a b, event: '#/a', id: /b}]": "e:bad-name",
		"consumers: [{named: a}]":                        "e:unknown-member",
	} {
		if _, found := DecodeRoot(parse(t, text), at, nil); rulesOf(found) != want {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// A path item holds defaults, nothing else.
func TestDecode_PathItem(t *testing.T) {
	for text, want := range map[string]string{
		"true": "e:misplaced", "~": "e:misplaced", "none: why": "e:misplaced", "{header: X}": "e:foreign-shape", "{title: x, retention: PT1H}": "e:misplaced", "{}": "",
	} {
		if _, found := DecodeMembers(parse(t, text), at, nil, policy.LevelPathItem); rulesOf(found) != want {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// Hostile text must not reach a terminal or a log as it is.
func TestDecode_HostileText(t *testing.T) {
	_, found := DecodeMembers(parse(t, `"\e[31mred\u202e\n::error::`+strings.Repeat("x", 500)+`"`), at, nil, policy.LevelOperation)
	if len(found) != 1 {
		t.Fatal(found)
	}
	if strings.ContainsFunc(found[0].Message, unprintable) || len(found[0].Message) > 300 {
		t.Errorf("message %q", found[0].Message)
	}
	op := &policy.Operation{Method: "POST", Path: "/x\x1b[2J\u202e" + strings.Repeat("y", 500)}
	if name := operationName(op); strings.ContainsFunc(name, unprintable) || len(name) > 300 {
		t.Errorf("operation %q", name)
	}
	if hint := didYouMean("amount", []string{"am\x1bount"}); strings.ContainsFunc(hint, unprintable) {
		t.Errorf("hint %q", hint)
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if rule.ID == "" || rule.Title == "" || strings.HasSuffix(rule.Title, ".") || seen[rule.ID] {
			t.Errorf("rule %+v", rule)
		}
		if rule.Severity != diag.Error && rule.Severity != diag.Warning && rule.Severity != diag.Info {
			t.Errorf("rule %s has severity %q", rule.ID, rule.Severity)
		}
		seen[rule.ID] = true
	}
}
