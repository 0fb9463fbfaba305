package effect

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/policy"
)

func members(pointers ...string) policy.Outline {
	var o policy.Outline
	for i, pointer := range pointers {
		o.Members = append(o.Members, policy.OutlineMember{Pointer: pointer, Pos: policy.Position{File: "a.yaml", Line: 100 + i, Column: 1}})
	}
	return o
}

func TestOf_H2_H5(t *testing.T) {
	tests := []struct {
		name string
		op   policy.Operation
		kind Kind
		why  string // a part of it
	}{
		{"a noun alone", policy.Operation{Path: "/payments"}, Money, "the word payment in its path"},
		{"a verb at the end of the path", policy.Operation{Path: "/payments/{id}/cancel", ID: "createPaymentCancel"}, End, "cancel in its path"},
		{"money by its verb", policy.Operation{Path: "/payments/{id}/capture"}, Money, "capture"},
		{"order", policy.Operation{Path: "/orders", ID: "CreateOrder"}, Order, "order in its path"},
		{"a link is no payment", policy.Operation{Path: "/payment-links", ID: "createPaymentLink"}, Create, "create in its operationId"},
		{"a search", policy.Operation{Path: "/payments/search"}, Read, "search in its path"},
		{"a search by its id", policy.Operation{Path: "/orders/batch-retrieve", ID: "BatchRetrieveOrders"}, Read, "retrieve in its path"},
		{"a read by its summary", policy.Operation{Path: "/paymentMethods/balance", ID: "post-paymentMethods-balance", Summary: "Get the balance of a gift card"}, Read, "get in its summary"},
		{"third person", policy.Operation{Path: "/things", Summary: "Returns all things"}, Read, "returns in its summary"},
		{"a return is sent back", policy.Operation{Path: "/outbound/{id}/return"}, Unknown, "nothing in its name"},
		{"a session is made when it is got", policy.Operation{Path: "/applePay/sessions", Summary: "Get a session"}, Unknown, ""},
		{"a read that answers 201", policy.Operation{Path: "/reports", Summary: "Get a report", Successes: []string{"201"}}, Create, "it answers 201"},
		{"a search that is created", policy.Operation{Path: "/search", ID: "createSearch"}, Create, "create in its operationId"},
		{"a read that goes on to pay", policy.Operation{Path: "/payments/{id}/x", ID: "checkAndCapture"}, Money, "capture in its operationId"},
		{"a read that goes on to pay, in its path", policy.Operation{Path: "/search-and-pay"}, Money, "pay in its path"},
		{"a read that goes on, in its summary", policy.Operation{Path: "/x", Summary: "Search and delete old entries"}, End, "delete in its summary"},
		{"a read that makes what is not there", policy.Operation{Path: "/x", ID: "getOrCreateCustomer"}, Set, "create in its operationId"},
		{"a read and a vague verb", policy.Operation{Path: "/orders/{id}/x", ID: "validateAndSubmitOrder"}, Order, "order in its"},
		{"a read of two things", policy.Operation{Path: "/x", ID: "listPaymentsAndRefunds"}, Read, "list in its operationId"},
		{"two reads", policy.Operation{Path: "/x", ID: "searchAndCount"}, Read, "search in its operationId"},
		{"update by POST", policy.Operation{Path: "/customers/{id}", Summary: "Update a customer"}, Set, "update in its summary"},
		{"an item and no verb", policy.Operation{Path: "/customers/{id}"}, Unknown, ""},
		{"message", policy.Operation{Path: "/Accounts/{sid}/Messages.json", ID: "CreateMessage"}, Message, "message in its path"},
		{"send", policy.Operation{Path: "/invoices/{id}/send"}, Message, "send"},
		{"provisioning", policy.Operation{Path: "/servers", ID: "create_server"}, Provision, "server"},
		{"relative by its verb", policy.Operation{Path: "/loyalty/{id}/accumulate"}, Relative, "accumulate"},
		{"relative by two words", policy.Operation{Path: "/wallets/{id}/top-up"}, Relative, "topup"},
		{"relative by a member", policy.Operation{Path: "/stock", ID: "changeStock", Outline: members("/changes", "/changes/-/quantity_delta")}, Relative, "/changes/-/quantity_delta"},
		{"a filter is no change", policy.Operation{Path: "/stock/search", Outline: members("/delta")}, Read, ""},
		{"PATCH", policy.Operation{Method: "PATCH", Path: "/payments/{id}", Summary: "Pay"}, Set, "a PATCH that sets values"},
		{"relative PATCH", policy.Operation{Method: "PATCH", Path: "/balances/{id}", Outline: members("/increment")}, Relative, ""},
		{"relative PATCH by its verb", policy.Operation{Method: "PATCH", Path: "/balances/{id}/increment"}, Relative, ""},
		{"money by its members", policy.Operation{Path: "/go", Outline: members("/amount", "/currency", "/destination")}, Money, "/amount among them"},
		{"an amount alone", policy.Operation{Path: "/plans", Outline: members("/amount", "/currency")}, Unknown, ""},
		{"a message by its members", policy.Operation{Path: "/go", Outline: members("/to", "/subject")}, Message, "/to among them"},
		{"a vague verb and a tag", policy.Operation{Path: "/x/{id}/complete", ID: "CompleteIt", Outline: policy.Outline{Tags: []string{"Payments"}}}, Money, "payment in its tag"},
		{"a vague verb alone", policy.Operation{Path: "/x/{id}/complete", ID: "completeX"}, Unknown, ""},
		{"a group before the id", policy.Operation{Path: "/repos/{owner}/check-runs", ID: "checks/create"}, Create, "create"},
		{"an issue is not issued", policy.Operation{Path: "/repos/{owner}/issues", ID: "issues/create"}, Create, "create"},
		{"a verb at the end of the id", policy.Operation{Path: "/x", ID: "orderCreate"}, Create, "create"},
		{"an id that was made", policy.Operation{Path: "/x", ID: "cancelX", IDMade: true}, Unknown, ""},
		{"nothing", policy.Operation{Path: "/frobnicate"}, Unknown, "nothing in its name"},
		{"a remove token is created", policy.Operation{Path: "/runners/remove-token", ID: "create-remove-token"}, Create, "create in its operationId"},
		{"an id made of its path", policy.Operation{Path: "/v1/payouts/{payout}", ID: "PostPayoutsPayout", Summary: "Update a payout"}, Set, "update in its summary"},
		{"a report of a payment", policy.Operation{Path: "/payment_records/report_payment", ID: "PostPaymentRecordsReportPayment", Summary: "Report a payment"}, Create, "report"},
		{"a repository is transferred", policy.Operation{Path: "/repos/{owner}/{repo}/transfer", ID: "repos/transfer"}, Unknown, ""},
		{"money is transferred", policy.Operation{Path: "/transfers", ID: "PostTransfers", Outline: members("/amount")}, Money, "transfer in its path"},
		{"create or update", policy.Operation{Path: "/limit", ID: "updateLimit", Summary: "Create or update the limit"}, Set, ""},
		{"an upload is completed", policy.Operation{Path: "/uploads/{id}/complete", ID: "completeUpload"}, Unknown, ""},
		{"a subscription to news", policy.Operation{Path: "/webhooks/subscriptions", ID: "CreateWebhookSubscription"}, Create, ""},
		{"a subscription", policy.Operation{Path: "/subscriptions", ID: "PostSubscriptions"}, Order, ""},
		{"an account that is held elsewhere", policy.Operation{Path: "/customers/{id}/bank_accounts", ID: "PostBankAccounts", Summary: "Create a bank account"}, Create, ""},
		{"a review of what is there", policy.Operation{Path: "/runs/{id}/pending_deployments", ID: "actions/review-pending-deployments"}, Unknown, ""},
		{"a check that may note what it finds", policy.Operation{Path: "/domains/{id}/validate"}, Unknown, ""},
		{"an order that is authorized", policy.Operation{Path: "/orders/{id}/authorize", ID: "orders.authorize"}, Money, ""},
		{"a preview is not kept", policy.Operation{Path: "/invoices/create_preview", ID: "PostInvoicesCreatePreview", Summary: "Create a preview invoice"}, Read, "preview in its path"},
		{"an address is not sent", policy.Operation{Path: "/user/emails", ID: "users/add-email"}, Create, ""},
		{"a tax transaction moves nothing", policy.Operation{Path: "/tax/transactions", ID: "PostTaxTransactions", Summary: "Create a tax transaction for a payment"}, Create, ""},
		{"webhook", policy.Operation{Path: "payment", Webhook: true}, Money, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.op.Method == "" {
				test.op.Method = "POST"
			}
			test.op.Pos = policy.Position{File: "a.yaml", Line: 1, Column: 1}
			e := Of(&test.op)
			if e.Kind != test.kind || !strings.Contains(e.Why, test.why) {
				t.Errorf("%s: %s; want %s: %s", e.Kind, e.Why, test.kind, test.why)
			}
			if !e.Pos.IsValid() {
				t.Error("no place")
			}
		})
	}
}

// Nothing of a document's text but plain names of members gets into a reason.
func TestOf_HoldsNoHostileText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return rapid.String().Draw(t, label) }
		op := policy.Operation{Method: rapid.SampledFrom([]string{"POST", "PATCH"}).Draw(t, "method"), ID: text("id"), Path: "/" + text("path"), Summary: text("summary"),
			Outline: members("/amount"+text("member"), "/delta", "/amount", "/to", "/text", "/source")}
		op.Outline.Tags = []string{text("tag")}
		for _, r := range Of(&op).Why {
			if r < ' ' || r > '~' {
				t.Fatalf("%q", Of(&op).Why)
			}
		}
	})
}
