package policydoc

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference. It begins at:\n%s", file, firstDifference(string(want), string(got)))
	}
}

// effective is an effective policy of the default profile.
func effective() policy.Policy {
	answer := func(status int, title string) policy.ErrorAnswer {
		return policy.ErrorAnswer{Status: status, Title: title}
	}
	return policy.Policy{
		Profile: "ietf", Mode: policy.Transaction,
		Key: policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, Format: policy.AnyFormat, MinLength: 1, MaxLength: 255,
			LengthUnit: policy.Characters, Syntax: policy.Either},
		Scope: []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation}, Retention: 24 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402", "409"}, MaxBody: 1 << 20},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
		Errors: policy.Errors{
			Missing: answer(400, "Idempotency key is missing"), Malformed: answer(400, "Idempotency key is malformed"),
			Mismatch:    answer(422, "Idempotency key was used with another request"),
			InFlight:    answer(409, "A request with this idempotency key is in progress"),
			Unavailable: answer(503, "Idempotency cannot be guaranteed at the moment"),
			TooLarge:    answer(409, "The request was carried out, and its answer was too large to keep"), Shape: "problem",
		},
	}
}

func jsonBody(example string, properties ...string) *policy.Body {
	schema := &policy.Schema{Kind: policy.Object, Name: "Request", AdditionalAllowed: true}
	for _, name := range properties {
		kind := policy.String
		if name == "amount" {
			kind = policy.Integer
		}
		schema.Properties = append(schema.Properties, policy.Property{Name: name, Required: true, Schema: &policy.Schema{Kind: kind}})
	}
	content := policy.Content{MediaType: "application/json", Schema: schema}
	if example != "" {
		content.Examples = []json.RawMessage{json.RawMessage(example)}
	}
	return &policy.Body{Required: true, Contents: []policy.Content{content}}
}

func responses(statuses ...string) []policy.Response {
	list := make([]policy.Response, len(statuses))
	for i, status := range statuses {
		list[i] = policy.Response{Status: status, Description: "Documented."}
	}
	return list
}

// bank is a document with every decision, every place of a key and every way to answer.
func bank() *policy.Document {
	payment := policy.Operation{
		ID: "createPayment", Method: "POST", Path: "/payments", Summary: "Make a payment", Description: "Charges the account once.",
		Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{Body: jsonBody(`{"order_id": "order-1001", "amount": 4200, "note": "it's  fine"}`, "order_id", "amount"), Responses: responses("201", "402", "409", "default")},
	}
	payment.Policy.Key.MinLength, payment.Policy.Key.MaxLength, payment.Policy.Key.Pattern = 16, 64, "^[A-Za-z0-9_-]+$"
	payment.Policy.RetryWindow = 6 * time.Hour
	payment.Policy.Guards = []policy.Guard{{Table: "secret_table", Columns: []string{"secret_column"}, On: "conflict"}}
	payment.Policy.Note = "One order is paid once. A second payment for an order is refused with `409`, whatever its key.\n\nAsk *us* about exceptions."

	refund := policy.Operation{
		ID: "createRefund", Method: "POST", Path: "/payments/{payment-id}/refunds", Summary: "Give money back", Deprecated: true,
		Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{
			Parameters: []policy.Parameter{{Name: "payment-id", In: "path", Required: true}, {Name: "idempotency-key", In: "header", IsKey: true}},
			Body:       jsonBody("", "amount"), Responses: append(responses("201", "4XX"), policy.Response{Status: "400", Ref: "#/components/responses/Bad"}),
		},
	}
	refund.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: 1500 * time.Millisecond}
	refund.Policy.Scope = []policy.ScopePart{policy.ScopeAccount, "header:X-Shop", policy.ScopeRegion}
	refund.Policy.Fingerprint = policy.Fingerprint{Body: policy.CanonicalBody, Exclude: []string{"/metadata/trace_id"}, Headers: []string{"Api-Version"}}
	refund.Policy.Key.RefusePersonalData = true

	transfer := policy.Operation{
		ID: "transfer", Method: "POST", Path: "/transfers", Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{Body: jsonBody(`{"amount": 1}`, "amount"), Responses: []policy.Response{{Status: "200", Ref: "#/components/responses/Done~1Well"}}},
	}
	transfer.Policy.Key = policy.Key{In: policy.InBody, Pointer: "/idempotency_key", Required: true, Format: policy.UUID4, MinLength: 36, MaxLength: 36, LengthUnit: policy.Characters}
	transfer.Policy.Replay = policy.Replay{As: policy.Stored, Status: []policy.StatusChange{{From: 201, To: 200}}}
	transfer.Policy.Store.OmitBody = true
	transfer.Policy.Retention = 7 * 24 * time.Hour

	charge := policy.Operation{
		ID: "PostCharges", Method: "POST", Path: "/v1/charges", Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{Body: &policy.Body{Contents: []policy.Content{{MediaType: "application/x-www-form-urlencoded"}}}, Responses: responses("200")},
	}
	charge.Policy.Profile = "stripe"
	charge.Policy.Key.Required, charge.Policy.Key.Syntax = false, policy.Bare
	charge.Policy.Store.Statuses = policy.Statuses{"2XX", "402", "5XX"}
	charge.Policy.Errors.Shape = "stripe"
	charge.Policy.Errors.Mismatch = policy.ErrorAnswer{Status: 400, Type: "idempotency_error"}
	charge.Policy.Errors.InFlight = policy.ErrorAnswer{Status: 409, Type: "invalid_request_error", Code: "idempotency_key_in_use", Title: "In use"}
	charge.Origins = policy.Origins{{Member: "errors.unavailable.status", Level: policy.LevelBuiltin}, {Member: "inFlight.retryAfter", Level: policy.LevelBuiltin}, {Member: "retention", Level: policy.LevelProfile}}

	message := policy.Operation{
		ID: "sendMessage", Method: "POST", Path: "/messages", Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{Body: &policy.Body{Contents: []policy.Content{{MediaType: "application/x-www-form-urlencoded"}}}, Responses: responses("200")},
	}
	message.Policy.Key = policy.Key{In: policy.InForm, Name: "IdempotencyKey", MaxLength: 8, LengthUnit: policy.Bytes}

	export := policy.Operation{ID: "export", Method: "POST", Path: "/export", Decision: policy.Keyed, Policy: effective(), Shape: &policy.Shape{Responses: responses("200")}}
	export.Policy.Key = policy.Key{In: policy.InQuery, Name: "request id", Required: true, MaxLength: 40, LengthUnit: policy.Characters}
	export.Policy.Replay = policy.Replay{As: policy.Current}

	event := policy.Operation{
		ID: "chargeUpdated", Method: "POST", Path: "chargeUpdated", Webhook: true, Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{Body: jsonBody("", "id"), Responses: responses("204")},
	}
	event.Policy.Key = policy.Key{In: policy.InBody, Pointer: "/id", Required: true, MaxLength: 255, LengthUnit: policy.Characters}
	event.Policy.Key.Format = policy.AnyFormat

	payout := policy.Operation{
		ID: "createPayout", Method: "POST", Path: "/payouts", Summary: "Pay out", Decision: policy.Keyed, Policy: effective(),
		Shape: &policy.Shape{Body: jsonBody(`{"amount": 4200}`, "amount"), Responses: responses("201", "402")},
	}
	payout.Policy.Mode = policy.LeaseMode
	payout.Policy.Lease = policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
	payout.Policy.Steps = []string{"secret_step", "transfer"}
	payout.Policy.Downstream = []policy.Downstream{{Name: "secret_bank", Step: "transfer", Header: "Idempotency-Key", Format: policy.UUID5}}
	payout.Policy.InFlight = policy.InFlight{Answer: policy.Conflict, RetryAfter: time.Second}

	return &policy.Document{
		Title: "Bank", Version: "2.1", SpecFile: "openapi.yaml", OpenAPI: "3.1.0", Profile: "ietf",
		Servers:   []string{"https://{region}.bank.example", "https://api.bank.example/v2/"},
		PageTitle: "Sending requests again", Contact: "api@bank.example", DocsURL: "https://bank.example/docs/idempotency",
		Operations: []policy.Operation{
			export, message, payment,
			{ID: "listPayments", Method: "GET", Path: "/payments", Decision: policy.Safe},
			{ID: "searchPayments", Method: "POST", Path: "/payments/search", Summary: "Find payments", Decision: policy.Natural, Reason: "It only reads."},
			{ID: "patchPayment", Method: "PATCH", Path: "/payments/{payment-id}", Decision: policy.Conditional, Condition: "If-Match"},
			payout, refund, transfer,
			{ID: "ping", Method: "POST", Path: "/ping", Decision: policy.NotRepeatable, Reason: "Each ping is counted."},
			{ID: "notify", Method: "POST", Path: "/notify", Summary: "Notify somebody", Decision: policy.Undecided},
			charge, event,
		},
		Consumers: []policy.Consumer{{Name: "settlement", Event: "#/components/schemas/ChargeUpdated", ID: "/id", Group: "ledger", Retention: 7 * 24 * time.Hour, Source: "kafka"}},
	}
}

func all() Options {
	return Options{Markdown: "docs/idempotency.md", HTML: "docs/idempotency.html", JSON: "docs/idempotency-policy.json", Overlay: "docs/idempotency.published.overlay.yaml"}
}

func TestGenerate_P1_P2_Golden(t *testing.T) {
	files, findings, err := Generate(bank(), all())
	if err != nil || len(findings) > 0 {
		t.Fatalf("findings %v, error %v", findings, err)
	}
	for _, file := range files {
		// Where the runtime's problems are documented is the runtime's business.
		content := bytes.ReplaceAll(file.Content, []byte(runtime.DefaultProblemBase), []byte("https://problems.example/#"))
		golden(t, "bank-"+filepath.Base(file.Path), content)
	}
	again, _, err := Generate(bank(), all())
	if err != nil || !reflect.DeepEqual(files, again) {
		t.Errorf("a second generation differs (%v)", err)
	}
}

func TestGenerate_SwaggerGolden(t *testing.T) {
	doc := bank()
	doc.OpenAPI = "2.0"
	content, _, err := Overlay(doc, "")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "bank-swagger.overlay.yaml", content)
}
