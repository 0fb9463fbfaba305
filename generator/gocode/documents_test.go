package gocode_test

import (
	"encoding/json"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Documents are built by hand here, so that these tests stand on the model alone.

func at(line int) policy.Position {
	return policy.Position{File: "openapi.yaml", Line: line, Column: 7}
}

func limit(n int) *int { return &n }

func str() *policy.Schema { return &policy.Schema{Kind: policy.String} }
func strFormat(format string) *policy.Schema {
	return &policy.Schema{Kind: policy.String, Format: format}
}
func integer() *policy.Schema { return &policy.Schema{Kind: policy.Integer} }
func arrayOf(items *policy.Schema) *policy.Schema {
	return &policy.Schema{Kind: policy.Array, Items: items}
}

func enumOf(values ...string) *policy.Schema {
	s := str()
	for _, value := range values {
		literal, _ := json.Marshal(value)
		s.Enum = append(s.Enum, literal)
	}
	return s
}

func required(name string, s *policy.Schema) policy.Property {
	return policy.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *policy.Schema) policy.Property {
	return policy.Property{Name: name, Schema: s}
}

func object(name string, properties ...policy.Property) *policy.Schema {
	return &policy.Schema{Name: name, Kind: policy.Object, Properties: properties, AdditionalAllowed: true}
}

func jsonContent(s *policy.Schema) []policy.Content {
	return []policy.Content{{MediaType: "application/json", Schema: s}}
}

// keyed is an operation with the policy that the profile ietf comes to.
func keyed(id, method, path string, shape *policy.Shape) policy.Operation {
	return policy.Operation{
		ID: id, Method: method, Path: path, Pos: at(10), Decision: policy.Keyed, DecidedAt: at(12), Shape: shape,
		Policy: ietf(),
	}
}

func ietf() policy.Policy {
	return policy.Policy{
		Profile: "ietf",
		Mode:    policy.Transaction,
		Key: policy.Key{
			In: policy.InHeader, Name: "Idempotency-Key", Required: true, Format: policy.AnyFormat,
			MinLength: 1, MaxLength: 255, LengthUnit: policy.Characters, Syntax: policy.Either,
		},
		Scope:       []policy.ScopePart{policy.ScopePrincipal, policy.ScopeOperation},
		Retention:   24 * time.Hour,
		RetryWindow: 6 * time.Hour,
		Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		Store:       policy.StoreRules{Statuses: policy.Statuses{"2XX", "402"}, MaxBody: 1 << 20},
		Replay:      policy.Replay{As: policy.Stored, Header: "Idempotent-Replayed", Value: "true"},
		InFlight:    policy.InFlight{Answer: policy.Wait, MaxWait: 5 * time.Second, RetryAfter: time.Second},
		Errors: policy.Errors{
			Missing:     policy.ErrorAnswer{Status: 400},
			Malformed:   policy.ErrorAnswer{Status: 400},
			Mismatch:    policy.ErrorAnswer{Status: 422},
			InFlight:    policy.ErrorAnswer{Status: 409},
			Unavailable: policy.ErrorAnswer{Status: 503},
			TooLarge:    policy.ErrorAnswer{Status: 409},
			Shape:       "problem",
		},
	}
}

// paymentsDocument is a small service as people write it: two operations, a header, a nullable note, lines, a problem.
func paymentsDocument() *policy.Document {
	currency := &policy.Schema{
		Name: "Currency", Kind: policy.String, Description: "Currency of ISO 4217.",
		Enum: []json.RawMessage{json.RawMessage(`"EUR"`), json.RawMessage(`"USD"`)},
	}
	line := object("Line", required("sku", &policy.Schema{Kind: policy.String, MinLength: limit(1), MaxLength: limit(40),
		Pattern: `^[A-Z0-9-]+$`, PatternRE2: true}), required("quantity", &policy.Schema{Kind: policy.Integer, Format: "int32", Minimum: "1"}))
	line.AdditionalAllowed = false
	note := str()
	note.Nullable, note.MaxLength = true, limit(80)
	id := strFormat("uuid")
	id.ReadOnly, id.Description = true, "Identifier of the payment."
	created := strFormat("date-time")
	created.ReadOnly = true
	amount := &policy.Schema{Kind: policy.Integer, Minimum: "1", Maximum: "99999999", Description: "Amount in minor units."}
	lines := arrayOf(line)
	lines.MinItems = limit(1)
	payment := object("Payment",
		required("id", id),
		required("amount", amount),
		required("currency", currency),
		optional("note", note),
		required("lines", lines),
		optional("status", enumOf("pending", "settled")),
		required("created_at", created),
		optional("metadata", &policy.Schema{Kind: policy.Object, AdditionalAllowed: true, Additional: str(), MaxProperties: limit(20)}),
	)
	payment.Description = "A payment of one order.\n\nSecond paragraph."
	problem := object("Problem", optional("title", str()), optional("status", integer()))
	refund := object("", optional("amount", &policy.Schema{Kind: policy.Number, Minimum: "0", ExclusiveMinimum: true, MultipleOf: "0.01"}))

	create := keyed("createPayment", "POST", "/orders/{order-id}/payments", &policy.Shape{
		Parameters: []policy.Parameter{
			{Name: "order-id", In: "path", Required: true, Style: "simple", Schema: strFormat("uuid"), Description: "The order to pay."},
			{Name: "expand", In: "query", Style: "form", Explode: false, Schema: arrayOf(enumOf("order", "customer"))},
			{Name: "limit", In: "query", Style: "form", Explode: true, Schema: &policy.Schema{Kind: policy.Integer, Format: "int32", Minimum: "1", Maximum: "100", Default: json.RawMessage("20")}},
			{Name: "Idempotency-Key", In: "header", Required: true, Style: "simple", Schema: str(), IsKey: true},
			{Name: "X-Request-Id", In: "header", Style: "simple", Schema: str()},
		},
		Body: &policy.Body{Required: true, Contents: jsonContent(payment), Pos: at(20)},
		Responses: []policy.Response{
			{Status: "201", Description: "Created.", Contents: jsonContent(payment), Headers: []policy.Parameter{
				{Name: "Location", In: "header", Schema: strFormat("uri"), Required: true},
				{Name: "X-Cost", In: "header", Schema: integer()},
				{Name: "Idempotent-Replayed", In: "header", Schema: str()},
			}},
			{Status: "402", Description: "Declined.", Contents: []policy.Content{{MediaType: "application/problem+json", Schema: problem}}},
			{Status: "default", Description: "Anything else.", Contents: []policy.Content{{MediaType: "application/problem+json", Schema: problem}}},
		},
	})
	create.Summary = "Create a payment"
	refunds := keyed("refund-payment", "POST", "/payments/{id}:refund", &policy.Shape{
		Parameters: []policy.Parameter{{Name: "id", In: "path", Required: true, Style: "simple", Schema: str()}},
		Body:       &policy.Body{Contents: jsonContent(refund)},
		Responses:  []policy.Response{{Status: "204", Description: "Refunded."}},
	})
	refunds.Policy.Key.Required = false
	return &policy.Document{
		Title: "Payments", Version: "1", SpecFile: "openapi.yaml", OpenAPI: "3.1.0", DocsURL: "https://example.com/idempotency",
		Operations: []policy.Operation{create, refunds},
		Schemas:    []*policy.Schema{currency, line, payment, problem},
	}
}

// leased is an operation in lease mode.
func leased(id, method, path string, shape *policy.Shape, steps []string, calls ...policy.Downstream) policy.Operation {
	op := keyed(id, method, path, shape)
	op.Policy.Mode = policy.LeaseMode
	op.Policy.Lease = policy.Lease{Duration: 30 * time.Second, Heartbeat: 10 * time.Second}
	op.Policy.Steps, op.Policy.Downstream = steps, calls
	op.Policy.InFlight.Answer = policy.Conflict
	return op
}

func calls(name, step string) policy.Downstream {
	return policy.Downstream{Name: name, Step: step, Header: "Idempotency-Key", Format: policy.UUID5}
}

// payoutsDocument has the operations that are not a plain transaction: in lease mode, with an answer that is rebuilt, and
// both; and one plain one beside them.
func payoutsDocument() *policy.Document {
	payout := object("Payout", required("id", str()), required("amount", &policy.Schema{Kind: policy.Integer, Minimum: "1"}), optional("state", str()))
	body := &policy.Body{Required: true, Contents: jsonContent(object("NewPayout", required("amount", &policy.Schema{Kind: policy.Integer, Minimum: "1"})))}
	answers := []policy.Response{
		{Status: "201", Description: "Created.", Contents: jsonContent(payout)},
		{Status: "402", Description: "Declined."},
	}
	create := leased("createPayout", "POST", "/payouts", &policy.Shape{
		Credentials: []policy.Credential{{In: "header", Name: "x-api-key"}},
		Parameters: []policy.Parameter{
			{Name: "x-tenant", In: "header", Style: "simple", Schema: str()},
			{Name: "X-API-Key", In: "header", Style: "simple", Schema: str()},
			{Name: "Accept-Language", In: "header", Style: "simple", Schema: str()},
		},
		Body: body, Responses: answers,
	}, []string{"reserve", "transfer", "notify-owner"}, calls("bank", "transfer"), calls("ledger", "transfer"), calls("mailer", "notify-owner"))
	create.Summary = "Pay out"
	plain := leased("closeAccount", "POST", "/accounts/{id}/close", &policy.Shape{
		Responses: []policy.Response{{Status: "200", Description: "Closed.", Contents: jsonContent(payout)}},
	}, []string{"close"})
	plain.Policy.Replay.As = policy.Current
	account := keyed("createAccount", "POST", "/accounts", &policy.Shape{
		Body: body, Responses: []policy.Response{{Status: "201", Description: "Created.", Contents: jsonContent(payout)}},
	})
	account.Policy.Replay.As, account.Policy.Store.OmitBody = policy.Current, true
	return &policy.Document{
		Title: "Payouts", SpecFile: "openapi.yaml", OpenAPI: "3.1.0",
		Operations: []policy.Operation{create, plain, account, keyed("createLimit", "POST", "/limits", &policy.Shape{
			Body: body, Responses: []policy.Response{{Status: "204", Description: "Set."}},
		})},
		Schemas: []*policy.Schema{payout, body.Contents[0].Schema},
	}
}
