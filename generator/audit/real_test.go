package audit

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
)

func auditFile(t testing.TB, file string) *Report {
	t.Helper()
	doc, found, err := spec.Load(spec.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	return Run(doc, found)
}

// Real documents, as their owners publish them and without a policy: each declared key is found, each place is right, and
// nothing is claimed that a document does not say.
func TestRun_RealSpecs_H1_H2(t *testing.T) {
	tests := []struct {
		file string
		// keyed are the operations with a declared key, by method; undecided all POSTs and PATCHes.
		keyed     map[string]int
		undecided int
		effects   map[string]effect.Kind // of some, by operationId
	}{
		{"adyen_CheckoutService-v71.json", map[string]int{"POST": 22}, 24, map[string]effect.Kind{"post-payments": effect.Money, "post-paymentMethods": effect.Read, "post-cancels": effect.End,
			"post-payments-paymentPspReference-refunds": effect.Money, "post-orders": effect.Order, "post-payments-paymentPspReference-amountUpdates": effect.Set}},
		{"adyen_CheckoutService-v71.yaml", map[string]int{"POST": 22}, 24, nil},
		{"paypal_checkout_orders_v2.json", map[string]int{"POST": 3}, 7, map[string]effect.Kind{"orders.create": effect.Order, "orders.capture": effect.Money, "orders.patch": effect.Set}},
		{"square_api.json", map[string]int{"POST": 52, "PUT": 11}, 139, map[string]effect.Kind{"CreatePayment": effect.Money, "RefundPayment": effect.Money, "SearchOrders": effect.Read,
			"BatchRetrieveOrders": effect.Read, "AdjustLoyaltyPoints": effect.Relative, "BatchChangeInventory": effect.Relative, "CancelPayment": effect.End, "CreateWebhookSubscription": effect.Create}},
		{"twilio_api_v2010.json", map[string]int{"POST": 4}, 62, map[string]effect.Kind{"CreateMessage": effect.Message, "CreateCall": effect.Message, "UpdateCall": effect.Set}},
		{"obie_vrp.yaml", map[string]int{"POST": 2, "PUT": 1, "PATCH": 1}, 4, nil},
		{"stripe_spec3.json", map[string]int{}, 297, map[string]effect.Kind{"PostRefunds": effect.Money, "PostPayoutsPayout": effect.Set, "PostInvoicesCreatePreview": effect.Read,
			"PostPaymentIntentsIntentIncrementAuthorization": effect.Relative, "PostSubscriptions": effect.Order}},
		{"github_api.github.com.json", map[string]int{}, 167, map[string]effect.Kind{"repos/transfer": effect.Unknown, "issues/create": effect.Create, "actions/create-remove-token-for-repo": effect.Create}},
		{"openai_openapi.yaml", map[string]int{}, 123, map[string]effect.Kind{"refer-realtime-call": effect.Unknown, "searchVectorStore": effect.Read}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			file := realspecs.File(t, "../..", test.file)
			r := auditFile(t, file)
			keyed, undecided, effects := map[string]int{}, 0, map[string]effect.Kind{}
			lines := sourceLines(t, file)
			for i := range r.Operations {
				op := &r.Operations[i]
				effects[op.ID] = op.Effect
				if op.Key != nil {
					keyed[op.Method]++
				}
				if op.Decision == policy.Undecided {
					undecided++
				}
				checkPlace(t, lines, op)
				checkClaims(t, op)
			}
			if !reflect.DeepEqual(keyed, test.keyed) || undecided != test.undecided {
				t.Errorf("keyed %v, undecided %d; want %v, %d", keyed, undecided, test.keyed, test.undecided)
			}
			for id, want := range test.effects {
				if effects[id] != want {
					t.Errorf("%s is %s, want %s", id, effects[id], want)
				}
			}
			listed := map[string]bool{}
			for _, f := range r.Findings {
				if Means(Group, f.Rule) {
					listed[f.Operation] = true
				}
			}
			if len(listed) != test.undecided {
				t.Errorf("%d undecided operations have a finding, want %d", len(listed), test.undecided)
			}
		})
	}
}

func sourceLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// checkPlace looks for the method where the operation is said to stand.
func checkPlace(t *testing.T, lines []string, op *Operation) {
	t.Helper()
	if op.Pos.Line < 1 || op.Pos.Line > len(lines) || op.Pos.Column > len(lines[op.Pos.Line-1]) {
		t.Fatalf("%s is at %s", op.Name(), op.Pos)
	}
	if at := strings.Trim(lines[op.Pos.Line-1][op.Pos.Column-1:], `"`); !strings.HasPrefix(at, strings.ToLower(op.Method)) {
		t.Errorf("%s is at %s, where %.20q stands", op.Name(), op.Pos, at)
	}
}

// checkClaims: without a policy, a document says that a key is required or stands in a batch's items, and no more. All
// else is likely or unknown.
func checkClaims(t *testing.T, op *Operation) {
	t.Helper()
	for i, a := range op.Answers {
		sure := !a.Likely && (a.State == Yes || a.State == No)
		if sure && i != 1 || i == 1 && a.State == Yes && (op.Key == nil || !op.Key.Required) {
			t.Errorf("%s, question %d: %+v is more than the document says", op.Name(), i+1, a)
		}
	}
}

// The same document in two syntaxes has the same audit, but for places.
func TestRun_JSONAndYAMLAgree(t *testing.T) {
	asJSON, asYAML := auditFile(t, realspecs.File(t, "../..", "adyen_CheckoutService-v71.json")), auditFile(t, realspecs.File(t, "../..", "adyen_CheckoutService-v71.yaml"))
	if asJSON.Markdown() != asYAML.Markdown() {
		t.Error("the tables differ")
	}
	ids := func(r *Report) map[string]string {
		known := map[string]string{}
		for _, f := range r.Findings {
			known[f.ID] = f.Message + f.Hint + f.Snippet
		}
		return known
	}
	if !reflect.DeepEqual(ids(asJSON), ids(asYAML)) {
		t.Error("the findings differ")
	}
}

// BenchmarkRun compares an audit with reading the document alone.
func BenchmarkRun(b *testing.B) {
	for _, test := range []struct{ name, file string }{{"stripe", "stripe_spec3.json"}, {"github", "github_api.github.com.json"}, {"square", "square_api.json"}} {
		file := realspecs.File(b, "../..", test.file)
		doc, found, err := spec.Load(spec.Options{File: file})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(test.name+"/read", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := spec.Load(spec.Options{File: file}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(test.name+"/audit", func(b *testing.B) {
			for b.Loop() {
				Run(doc, found)
			}
		})
	}
}
