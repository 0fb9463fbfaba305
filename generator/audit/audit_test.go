package audit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime/policy"
)

// load reads a document that is written in a test.
func load(t testing.TB, content string) (*policy.Document, diag.List) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, found, err := spec.Load(spec.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	return doc, found
}

// document is an OpenAPI document with paths, and what stands at its root.
func document(root, paths string) string {
	return "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n" + root + "\npaths:\n" + paths
}

const (
	keyHeader = "parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]"
	answersOK = "responses: {'200': {description: ok}}"
)

func operation(method, path string, members ...string) string {
	text := "  " + path + ":\n    " + method + ":\n"
	for _, member := range append(members, answersOK) {
		if strings.HasPrefix(member, "responses:") && slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, "responses:") }) && member == answersOK {
			continue
		}
		text += "      " + member + "\n"
	}
	return text
}

// Each rule has a document that breaks it and one, hardly different, that does not.
func TestRun_Rules_H1_H2_H4_H5_X2(t *testing.T) {
	retries := "x-speakeasy-retries: {strategy: backoff, backoff: {maxElapsedTime: 7200000}}"
	tests := []struct {
		rule     string
		severity diag.Severity
		broken   string
		mended   string
	}{
		{"undecided", diag.Warning, document("", operation("post", "/payments")), document("", operation("post", "/payments", "x-idempotency: {none: why}"))},
		{"undecided", diag.Warning, document("", operation("patch", "/payments/{id}")), document("", operation("patch", "/payments/{id}", "x-idempotency: {natural: why}"))},
		{"undecided-declared", diag.Warning, document("", operation("post", "/payments", keyHeader)), document("", operation("post", "/payments", keyHeader, "x-idempotency: optional"))},
		{"undecided-read", diag.Info, document("", operation("post", "/payments/search")), document("", operation("post", "/payments/search", "x-idempotency: {natural: reads}"))},
		{"relative-change", diag.Warning, document("", operation("post", "/balances/{id}/increment")), document("", operation("post", "/balances/{id}/increment", "x-idempotency: required"))},
		{"relative-change", diag.Warning, document("", operation("post", "/balances/{id}/increment", "x-idempotency: {natural: no}")), document("", operation("post", "/balances/{id}/set", "x-idempotency: {natural: yes}"))},
		{"relative-change", diag.Warning, document("", operation("put", "/balances/{id}/increment")), document("", operation("put", "/balances/{id}"))},
		{"safe-method", diag.Info, document("", operation("put", "/payments/{id}", keyHeader)), document("", operation("put", "/payments/{id}"))},
		{"condition-undeclared", diag.Warning, document("", operation("patch", "/payments/{id}", "x-idempotency: {conditional: If-Match}")),
			document("", operation("patch", "/payments/{id}", "x-idempotency: {conditional: If-Match}", "parameters: [{name: If-Match, in: header, required: true, schema: {type: string}}]"))},
		{"retry-window-unknown", diag.Warning, document("", operation("post", "/payments", "x-idempotency: required")), document("x-idempotency: {retryWindow: PT6H}", operation("post", "/payments", "x-idempotency: required"))},
		{"retries-outlast", diag.Error, document(retries, operation("post", "/payments", "x-idempotency: {retention: PT1H}")), document(retries, operation("post", "/payments", "x-idempotency: {retention: PT3H}"))},
		{"retries-outlast", diag.Warning, document(retries, operation("post", "/payments", "x-idempotency: {retryWindow: PT1H}")), document(retries, operation("post", "/payments", "x-idempotency: {retryWindow: PT2H}"))},
		{"retried-without-key", diag.Warning, document(retries, operation("post", "/payments")), document(retries, operation("post", "/payments", "x-speakeasy-retries: {strategy: none}"))},
		{"retry-layers", diag.Info, document(retries, operation("post", "/payments", "x-idempotency: required")), document("", operation("post", "/payments", "x-idempotency: required"))},
		{"scope-account", diag.Info, document("", operation("post", "/payments", "x-idempotency: {scope: [account]}")), document("", operation("post", "/payments", "x-idempotency: required"))},
		{"key-optional", diag.Info, document("", operation("post", "/payments", "x-idempotency: optional")), document("", operation("post", "/things", "x-idempotency: optional"))},
		{"stores-every-error", diag.Warning, document("", operation("post", "/payments", "x-idempotency: {mode: lease, steps: [pay], store: {statuses: [2XX, 5XX]}}")),
			document("", operation("post", "/payments", "x-idempotency: {mode: lease, steps: [pay], store: {statuses: [2XX, 500]}}"))},
		{"stores-no-error", diag.Warning, document("", operation("post", "/payments", "responses: {'201': {description: ok}, '402': {description: no}}", "x-idempotency: {store: {statuses: [2XX]}}")),
			document("", operation("post", "/payments", "responses: {'201': {description: ok}, '402': {description: no}}", "x-idempotency: {store: {statuses: [2XX, 402]}}"))},
		{"key-minted", diag.Warning, document("", operation("post", "/payments", strings.Replace(keyHeader, "type: string", "type: string, format: date-time", 1))),
			document("", operation("post", "/payments", strings.Replace(keyHeader, "type: string", "type: string, format: uuid", 1)))},
		{"low-entropy", diag.Warning, document("", operation("post", "/payments", strings.Replace(keyHeader, "type: string", "type: string, maxLength: 8", 1))), document("", operation("post", "/payments", keyHeader))},
		{"streaming-response", diag.Info, document("", operation("post", "/answers", "responses: {'200': {description: ok, content: {text/event-stream: {}}}}")), document("", operation("post", "/answers"))},
		{"consumer-retention", diag.Info, document("x-idempotency: {consumers: [{name: c, event: '#/components/schemas/E', id: /id, retention: P7D}]}", operation("post", "/payments", "x-idempotency: required")),
			document("x-idempotency: {consumers: [{name: c, event: '#/components/schemas/E', id: /id, retention: PT1H}]}", operation("post", "/payments", "x-idempotency: required"))},
		// A rule of x-idempotency itself, which the document was read with.
		{"retention-retry-window", diag.Error, document("", operation("post", "/payments", "x-idempotency: {retention: PT1H, retryWindow: PT2H}")), document("", operation("post", "/payments", "x-idempotency: {retention: PT3H, retryWindow: PT2H}"))},
	}
	tested := map[string]bool{}
	for _, test := range tests {
		tested[test.rule] = true
		t.Run(test.rule, func(t *testing.T) {
			has := func(content string) (list []Finding) {
				doc, found := load(t, content)
				for _, f := range Run(doc, found).Findings {
					if f.Rule == test.rule {
						list = append(list, f)
					}
				}
				return list
			}
			broken := has(test.broken)
			if len(broken) != 1 {
				t.Fatalf("%d findings in\n%s", len(broken), test.broken)
			}
			f := broken[0]
			if f.Severity != test.severity || !f.Pos.IsValid() || f.Hint == "" || f.ID == "" || strings.HasSuffix(f.Message, ".") {
				t.Errorf("%+v", f)
			}
			var pasted any
			if err := yaml.Load([]byte(f.Snippet), &pasted); err != nil && f.Snippet != "" {
				t.Errorf("the snippet is no YAML: %v\n%s", err, f.Snippet)
			}
			if mended := has(test.mended); len(mended) != 0 {
				t.Errorf("found in what is mended: %+v", mended[0])
			}
		})
	}
	for _, rule := range Rules() {
		if rule.Own && !tested[rule.ID] {
			t.Errorf("no test breaks %s", rule.ID)
		}
	}
}

// cells are the answers in the table's form.
func cells(t *testing.T, content string) string {
	t.Helper()
	doc, found := load(t, content)
	r := Run(doc, found)
	if len(r.Operations) != 1 {
		t.Fatalf("%d operations", len(r.Operations))
	}
	var list []string
	for i, a := range r.Operations[0].Answers {
		list = append(list, a.Cell())
		if !a.Pos.IsValid() || a.Why == "" {
			t.Errorf("answer %d: %+v", i+1, a)
		}
	}
	return strings.Join(list, " ")
}

// The eight questions, for each decision. Only what is said is answered; what a name suggests has a question mark.
func TestRun_Questions(t *testing.T) {
	lease := "x-idempotency: {mode: lease, retryWindow: PT6H, "
	tests := []struct{ name, content, want string }{
		{"nothing is said", document("", operation("post", "/frobnicate")), "? ? ? ? ? ? ? ?"},
		{"a name says money", document("", operation("post", "/payments")), "yes? ? ? ? ? ? ? ?"},
		{"a name says read", document("", operation("post", "/payments/search")), "no? - - - - - - -"},
		{"natural", document("", operation("post", "/payments", "x-idempotency: {natural: why}")), "no - - - - - - -"},
		{"none", document("", operation("post", "/payments", "x-idempotency: {none: why}")), "yes no no no no no no no"},
		{"conditional", document("", operation("patch", "/payments/{id}", "x-idempotency: {conditional: If-Match}")), "yes - - - - - - -"},
		{"an optional key is declared", document("", operation("post", "/payments", keyHeader)), "yes? ? ? ? ? ? ? ?"},
		{"a required key is declared", document("", operation("post", "/payments", strings.Replace(keyHeader, "in: header", "in: header, required: true", 1))), "yes? yes ? ? ? ? ? ?"},
		{"a key is declared for what reads", document("", operation("post", "/payments/search", keyHeader)), "? ? ? ? ? ? ? ?"},
		{"a key is declared on PUT", document("", operation("put", "/payments/{id}", keyHeader)), "? ? ? ? ? ? ? ?"},
		{"keyed", document("", operation("post", "/payments", "x-idempotency: required")), "yes yes yes yes yes yes yes ?"},
		{"keyed, with a retry window", document("", operation("post", "/payments", "x-idempotency: {retryWindow: PT6H}")), "yes yes yes yes yes yes yes yes"},
		{"keyed, optional", document("", operation("post", "/payments", "x-idempotency: optional")), "yes ? yes yes yes yes yes ?"},
		{"keyed, body not compared", document("", operation("post", "/payments", "x-idempotency: {fingerprint: {body: none}}")), "yes yes yes no yes yes yes ?"},
		{"lease without steps", document("", operation("post", "/payments", lease+"inFlight: {answer: conflict}}")), "yes yes yes yes ? yes yes ?"},
		{"lease with a call", document("", operation("post", "/payments", lease+"downstream: [{name: bank}]}")), "yes yes yes yes yes yes yes yes"},
		{"batch", document("", operation("post", "/batches", "requestBody: {content: {application/json: {schema: {type: object, properties: {items: {type: array, items: {type: object, properties: {idempotency_key: {type: string}}}}}}}}}")), "? no ? ? ? ? ? ?"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := cells(t, test.content); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// Answers point at the member that gives them.
func TestRun_AnswersNameTheirMember(t *testing.T) {
	doc, found := load(t, document("x-idempotency: {retention: P30D, retryWindow: P1D}", operation("post", "/payments", "x-idempotency: {key: {required: false}}")))
	answers := Run(doc, found).Operations[0].Answers
	for _, want := range []struct {
		question int
		member   string
		line     int
		why      string
	}{
		{2, "key.required", 7, "runs unprotected"}, {8, "retryWindow", 3, "remembered for P30D, and clients retry for up to PT24H"},
	} {
		a := answers[want.question-1]
		if a.Member != want.member || a.Pos.Line != want.line || !strings.Contains(a.Why, want.why) {
			t.Errorf("%d: %+v", want.question, a)
		}
	}
}

// Without a policy and without anything that may be repeated there is nothing to say.
func TestRun_NothingToAsk(t *testing.T) {
	doc, found := load(t, document("", operation("get", "/payments")))
	r := Run(doc, found)
	if len(r.Operations) != 0 || len(r.Findings) != 0 || r.Score.Value != 100 || r.All != 1 {
		t.Errorf("%+v", r)
	}
	doc, found = load(t, "openapi: 3.1.0\ninfo: {title: t, version: '1'}\nwebhooks:\n"+operation("post", "paid"))
	if r := Run(doc, found); len(r.Operations) != 0 || len(r.Findings) != 0 || r.Score.Value != 100 {
		t.Errorf("a webhook is its reader's to decide: %+v", r)
	}
}

// The score never falls when findings are mended, one after another, in any of several orders; and it ends at 100.
func TestScore_Monotone_H2(t *testing.T) {
	operations := []struct {
		method, path string
		states       []string // from worst to best
	}{
		{"post", "/payments", []string{"", "x-idempotency: {retention: PT1H, retryWindow: PT2H}", "x-idempotency: required", "x-idempotency: {retryWindow: PT6H}"}},
		{"post", "/balances/{id}/increment", []string{"", "x-idempotency: {natural: wrong}", "x-idempotency: required", "x-idempotency: {retryWindow: PT6H}"}},
		{"post", "/refunds", []string{keyHeader, keyHeader + "\n      x-idempotency: optional", keyHeader + "\n      x-idempotency: {key: {required: false}, retryWindow: PT6H}"}},
		{"post", "/payments/search", []string{"", "x-idempotency: {natural: reads}"}},
		{"put", "/stock/{id}/increment", []string{"", "x-idempotency: required", "x-idempotency: {retryWindow: PT6H}"}},
		{"put", "/things/{id}", []string{keyHeader, ""}},
		{"patch", "/things/{id}", []string{"", "x-idempotency: {conditional: If-Match}", "x-idempotency: {conditional: If-Match}\n      parameters: [{name: If-Match, in: header, schema: {type: string}}]"}},
	}
	scoreOf := func(at []int) int {
		paths := map[string]string{}
		for i, op := range operations {
			var members []string
			if state := op.states[at[i]]; state != "" {
				members = []string{state}
			}
			text := operation(op.method, op.path, members...)
			_, own, _ := strings.Cut(text, "\n")
			paths[op.path] += own
		}
		content := ""
		for _, path := range slices.Sorted(func(yield func(string) bool) {
			for path := range paths {
				if !yield(path) {
					return
				}
			}
		}) {
			content += "  " + path + ":\n" + paths[path]
		}
		doc, found := load(t, document("", content))
		return Run(doc, found).Score.Value
	}
	for order := range uint64(6) {
		random := rand.New(rand.NewPCG(order, 0))
		at := make([]int, len(operations))
		last := scoreOf(at)
		for {
			var open []int
			for i := range operations {
				if at[i]+1 < len(operations[i].states) {
					open = append(open, i)
				}
			}
			if len(open) == 0 {
				break
			}
			i := open[random.IntN(len(open))]
			at[i]++
			now := scoreOf(at)
			if now < last {
				t.Fatalf("from %d to %d by mending %s %s: %v", last, now, operations[i].method, operations[i].path, at)
			}
			last = now
		}
		if last != 100 {
			t.Errorf("order %d ends at %d", order, last)
		}
	}
}

// A baseline keeps what was known out, wherever it moves to, and lets in what is new.
func TestBaseline(t *testing.T) {
	before, found := load(t, document("", operation("post", "/payments")))
	text, err := Run(before, found).JSON()
	if err != nil {
		t.Fatal(err)
	}
	known, err := ReadBaseline(text)
	if err != nil {
		t.Fatal(err)
	}
	after, found := load(t, document("x-note: a line more", operation("get", "/about")+operation("post", "/payments")+operation("post", "/refunds")))
	var names []string
	for _, f := range Run(after, found).Without(known).Findings {
		names = append(names, f.Operation)
	}
	if !reflect.DeepEqual(names, []string{"POST /refunds"}) {
		t.Errorf("new are %v", names)
	}
	for _, bad := range []string{"{", `{"version": 9}`, `[]`} {
		if _, err := ReadBaseline([]byte(bad)); err == nil {
			t.Errorf("%s is taken for a report", bad)
		}
	}
}

// Nothing of a document's text gets out of a sentence, a table's cell or a snippet.
func TestRun_HostileTexts(t *testing.T) {
	for _, evil := range []string{"x\n  - target: $", "x|y`z", "\u202egnp\x1b[31m", "a\u2028b", "<script>", strings.Repeat("long", 500)} {
		at := policy.Position{File: evil, Line: 1, Column: 1}
		key := policy.DeclaredKey{Key: policy.Key{In: policy.InHeader, Name: evil, Pattern: evil}, Type: evil, SchemaFormat: "email", Known: evil, Pos: at}
		doc := &policy.Document{Title: evil, SpecFile: evil, Operations: []policy.Operation{
			{ID: evil, Method: "POST", Path: "/" + evil, Summary: evil, Pos: at, Declared: []policy.DeclaredKey{key},
				Outline: policy.Outline{Tags: []string{evil}, Members: []policy.OutlineMember{{Pointer: "/" + evil + "/delta", Pos: at}}}},
			{ID: evil, Method: "POST", Path: "/2" + evil, Pos: at, Decision: policy.Conditional, Condition: evil, DecidedAt: at},
		}}
		r := Run(doc, nil)
		for _, f := range r.Findings {
			if strings.ContainsAny(f.Message+f.Hint+f.Operation, "\n\r\x1b\u202e\u2028") || strings.ContainsAny(f.Snippet, "\r\x1b\u202e\u2028") {
				t.Errorf("%q", f)
			}
			var pasted any
			if err := yaml.Load([]byte(f.Snippet), &pasted); err != nil && f.Snippet != "" {
				t.Errorf("%v in %q", err, f.Snippet)
			}
		}
		if rows := strings.Count(r.Markdown(), "\n"); rows != 2+2+1+3 {
			t.Errorf("%d lines:\n%s", rows, r.Markdown())
		}
	}
}

func ExampleRun() {
	doc := &policy.Document{Operations: []policy.Operation{{ID: "createPayment", Method: "POST", Path: "/payments", Pos: policy.Position{File: "api.yaml", Line: 7, Column: 5}}}}
	for _, f := range Run(doc, nil).Findings {
		fmt.Println(f.Error())
	}
	// Output: api.yaml:7:5: POST /payments is not decided: the word payment in its path suggests that it may move money twice when it is repeated (undecided)
}

// A key that the schema requires is no required key where a request may come without it, or without a value for it; and
// one that only answers have is none.
func TestRun_K1_AKeyThatMayBeLeftOutIsNotRequired(t *testing.T) {
	const schema = "{schema: {type: object, required: [idempotency_key], properties: {idempotency_key: {type: string}}}}"
	for name, c := range map[string]struct {
		body  string
		state State
		key   string
	}{
		"a required body":            {"requestBody: {required: true, content: {application/json: " + schema + "}}", Yes, "(body /idempotency_key, required)"},
		"an optional body":           {"requestBody: {content: {application/json: " + schema + "}}", Unknown, "(body /idempotency_key, optional)"},
		"another type without a key": {"requestBody: {required: true, content: {application/json: " + schema + ", application/xml: {schema: {type: object}}}}", Unknown, "(body /idempotency_key, optional)"},
		"two types with the key":     {"requestBody: {required: true, content: {application/json: " + schema + ", application/vnd.a+json: " + schema + "}}", Yes, "(body /idempotency_key, required)"},
		"null":                       {"requestBody: {required: true, content: {application/json: " + strings.Replace(schema, "type: string", "type: [string, 'null']", 1) + "}}", Unknown, "(body /idempotency_key, optional)"},
		"read-only":                  {"requestBody: {required: true, content: {application/json: " + strings.Replace(schema, "type: string", "type: string, readOnly: true", 1) + "}}", Unknown, "-"},
	} {
		doc, found := load(t, document("", operation("post", "/things", "operationId: createThing", c.body)))
		report := Run(doc, found)
		op := report.Operations[0]
		if op.Answers[1].State != c.state || op.KeyCell() != c.key {
			t.Errorf("%s: %v (%s), %s; want %v, %s", name, op.Answers[1].State, op.Answers[1].Why, op.KeyCell(), c.state, c.key)
		}
	}
}
