package proposal

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

func at(line int) policy.Position { return policy.Position{File: "api.yaml", Line: line, Column: 5} }

func header(required bool, line int) policy.DeclaredKey {
	return policy.DeclaredKey{Key: policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: required}, Known: "header named Idempotency-Key", Pos: at(line)}
}

func body(line int, batch bool) policy.DeclaredKey {
	return policy.DeclaredKey{Key: policy.Key{In: policy.InBody, Pointer: "/idempotency_key"}, Known: "body member idempotency_key", Pos: at(line), InBatchItem: batch}
}

func document() *policy.Document {
	return &policy.Document{Title: "Payments", SpecFile: "api.yaml", Operations: []policy.Operation{
		{ID: "createPayment", Method: "POST", Path: "/payments", Summary: "Pay", Pos: at(10), Declared: []policy.DeclaredKey{header(true, 12)}},
		{ID: "capture", Method: "POST", Path: "/payments/{id}/capture", Pos: at(20), Declared: []policy.DeclaredKey{header(false, 22)}},
		{ID: "getPayment", Method: "GET", Path: "/payments/{id}", Decision: policy.Safe, Pos: at(30)},
		{ID: "listPayments", Method: "GET", Path: "/payments", Decision: policy.Safe, Pos: at(31), Declared: []policy.DeclaredKey{header(false, 32)}},
		{ID: "putPayment", Method: "PUT", Path: "/payments/{id}", Decision: policy.Safe, Pos: at(33), Declared: []policy.DeclaredKey{header(false, 34)}},
		{ID: "createBatch", Method: "POST", Path: "/batches", Pos: at(40), Declared: []policy.DeclaredKey{body(41, true)}},
		{ID: "both", Method: "POST", Path: "/both", Pos: at(50), Declared: []policy.DeclaredKey{header(false, 51), body(52, false)}},
		{ID: "elsewhere", Method: "POST", Path: "/elsewhere", Pos: policy.Position{File: "paths/else.yaml", Line: 3, Column: 1}, Declared: []policy.DeclaredKey{header(false, 51)}},
		{ID: "refund", Method: "POST", Path: "/refunds", Summary: "Give money back", Pos: at(60)},
		{ID: "searchPayments", Method: "POST", Path: "/payments/search", Pos: at(61)},
		{ID: "cancelOrder", Method: "POST", Path: "/orders/{id}/cancel", Pos: at(62)},
		{ID: "frobnicate", Method: "POST", Path: "/frobnications", Pos: at(63)},
		{ID: "patchThing", Method: "PATCH", Path: "/things/{id}", Pos: at(64)},
		{ID: "decided", Method: "POST", Path: "/decided", Pos: at(70), Decision: policy.Natural},
		{ID: "copyThing", Method: "COPY", Path: "/things/{id}", Pos: at(71), Declared: []policy.DeclaredKey{header(false, 72)}},
		{ID: "paid", Method: "POST", Path: "paid", Webhook: true, Pos: at(80)},
	}}
}

func TestGenerate(t *testing.T) {
	r := Generate(document())
	if r.Decided != 4 || r.Open != 10 || r.Before != 1 {
		t.Errorf("decided %d, open %d, before %d", r.Decided, r.Open, r.Before)
	}
	golden := filepath.Join("testdata", "payments.overlay.yaml")
	if *update {
		if err := os.WriteFile(golden, r.Overlay, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(r.Overlay) {
		t.Errorf("differs from %s; run with -update to see how:\n%s", golden, r.Overlay)
	}
}

// parsed is an overlay as a reader of the result sees it.
type parsed struct {
	Overlay string `yaml:"overlay"`
	Info    struct{ Title, Version string }
	Actions []struct {
		Target string
		Update map[string]any
	}
}

func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte) parsed {
	t.Helper()
	var p parsed
	if err := yaml.Load(text, &p); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return p
}

func TestOverlayDecidesWhatIsDeclared(t *testing.T) {
	var got []string
	for _, action := range parse(t, Generate(document()).Overlay).Actions {
		decision, _ := action.Update["x-idempotency"].(string)
		got = append(got, action.Target+" "+decision)
	}
	want := `$ 
$.paths['/payments'].post required
$.paths['/payments/{id}/capture'].post optional
$.paths['/payments/{id}'].put optional
$.paths['/things/{id}'].additionalOperations['COPY'] optional`
	if strings.Join(got, "\n") != want {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}

// Whatever comment is opened up, the file stays an overlay: this is what a user does.
func TestCommentedActionsAreValid(t *testing.T) {
	text := string(Generate(document()).Overlay)
	var opened []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, prefix := range []string{"  # - target:", "  #   update:", "  #     x-idempotency:"} {
			if strings.HasPrefix(line, prefix) {
				line = "  " + strings.TrimPrefix(line, "  # ")
			}
		}
		opened = append(opened, line)
	}
	p := parse(t, []byte(strings.Join(opened, "\n")))
	if len(p.Actions) != 1+4+9 {
		t.Errorf("%d actions", len(p.Actions))
	}
	if last := p.Actions[len(p.Actions)-1].Target; last != "$.webhooks['paid'].post" {
		t.Errorf("last target %s", last)
	}
}

// Nothing in a document's texts becomes a part of the overlay.
func TestHostileTexts(t *testing.T) {
	checkHostile(t, "harmless")
	for _, evil := range []string{
		"x\n  - target: $\n    remove: true", "x\r  - target: $", "x\u2028  - target: $", "x\u0085- target: $", "x\x00y", "\u202egnp", "'\"]\\", "a: b # c", "*/ {{ }}", "\xff\xfe", "- x", "", strings.Repeat("long ", 1000),
	} {
		checkHostile(t, evil)
	}
	rapid.Check(t, func(t *rapid.T) { checkHostile(t, rapid.String().Draw(t, "text")) })
}

func checkHostile(t interface {
	Helper()
	Fatalf(string, ...any)
}, evil string) {
	t.Helper()
	position := policy.Position{File: evil, Line: 1, Column: 1}
	key := policy.DeclaredKey{Key: policy.Key{In: policy.InHeader, Name: evil}, Known: evil, Pos: position}
	doc := &policy.Document{Title: evil, SpecFile: evil, Operations: []policy.Operation{
		{ID: evil, Method: "POST", Path: "/" + evil, Summary: evil, Pos: position, Declared: []policy.DeclaredKey{key}},
		{ID: evil, Method: "POST", Path: "/2" + evil, Summary: evil, Pos: position},
		{ID: evil, Method: "POST", Path: evil, Summary: evil, Pos: position, Webhook: true},
	}}
	r := Generate(doc)
	p := parse(t, r.Overlay)
	if r.Decided != 1 || r.Open != 2 || len(p.Actions) != 2 {
		t.Fatalf("%q: %d actions in:\n%s", evil, len(p.Actions), r.Overlay)
	}
	if strings.ContainsAny(string(r.Overlay), "\u0085\u2028\u2029\r\x00\x1b\u202e\ufeff") {
		t.Fatalf("%q: a character that ends a line or hides is in:\n%q", evil, r.Overlay)
	}
	const lines = 47 // of the same document with harmless texts
	if got := strings.Count(string(r.Overlay), "\n"); got != lines {
		t.Fatalf("%q: %d lines, want %d:\n%s", evil, got, lines, r.Overlay)
	}
}

// What the document says of an operation counts where its name says nothing; its target is where it is written.
func TestReasonsAndTargetsFromTheDocument(t *testing.T) {
	text := string(Generate(&policy.Document{SpecFile: "api.yaml", Operations: []policy.Operation{
		{Method: "POST", Path: "/frobnications", Pointer: "/components/pathItems/Frob/post", Successes: []string{"201", "204"}},
		{Method: "POST", Path: "/payments/search", Successes: []string{"201"}},
		{Method: "POST", Path: "/frobnicate", Successes: []string{"200"}},
		{Method: "POST", Path: "/bookings/{booking-id}/payments", ID: "payBooking", Summary: "Pay"},
		{Method: "POST", Path: "/orders/{id}/notes/{note}", ID: "postOrdersIdNotes", IDMade: true, Summary: "Send a note"},
	}}).Overlay)
	for _, want := range []string{
		"# POST /frobnications\n  # To decide: it answers 201, so it creates something, and may create a second one when it is repeated.\n",
		"  # - target: $.components.pathItems['Frob'].post\n",
		"# POST /payments/search\n  # To decide: the word search in its path suggests that it changes nothing.\n",
		"# POST /bookings/{booking-id}/payments: Pay\n  # To decide: the word pay in its operationId suggests that it may move money twice when it is repeated.\n",
		"# POST /orders/{id}/notes/{note}: Send a note\n  # To decide: the word send in its summary suggests",
		"# POST /frobnicate\n  # To decide: nothing in its name says what a repeat does.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// One operation's proposal is the action that the whole overlay has for it.
func TestFor(t *testing.T) {
	doc := document()
	whole := string(Generate(doc).Overlay)
	for i := range doc.Operations {
		op := &doc.Operations[i]
		p := For(doc, op)
		if op.ID == "elsewhere" {
			if p.Action != "x-idempotency: optional" {
				t.Errorf("in another file: %q", p.Action)
			}
			continue
		}
		var decided, open strings.Builder
		for line := range strings.Lines(p.Action) {
			decided.WriteString("  " + line)
			open.WriteString("  # " + line)
		}
		listed := strings.Contains(whole, decided.String()) || strings.Contains(whole, open.String())
		if want := op.Decision == policy.Undecided || len(op.Declared) > 0; listed != want {
			t.Errorf("%s %s: listed %v, want %v:\n%s", op.Method, op.Path, listed, want, p.Action)
		}
	}
}
