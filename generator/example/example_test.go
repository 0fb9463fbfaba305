package example_test

import (
	"encoding/json"
	"fmt"

	"github.com/idemgen/idemgen/generator/example"
	"github.com/idemgen/idemgen/runtime/policy"
)

func payment() *policy.Schema {
	return &policy.Schema{Kind: policy.Object, Properties: []policy.Property{
		{Name: "id", Required: true, Schema: &policy.Schema{Kind: policy.String, Format: "uuid", ReadOnly: true}},
		{Name: "amount", Required: true, Schema: &policy.Schema{Kind: policy.Number, Minimum: "0.05", MultipleOf: "0.01"}},
		{Name: "currency", Required: true, Schema: &policy.Schema{Kind: policy.String, Pattern: "^[A-Z]{3}$", PatternRE2: true}},
	}}
}

func ExampleValue() {
	request, err := example.Value(payment(), example.ForRequest)
	fmt.Println(string(request), err)
	response, err := example.Value(payment(), example.ForResponse)
	fmt.Println(string(response), err)
	// Output:
	// {"amount":0.05,"currency":"AAA"} <nil>
	// {"id":"123e4567-e89b-42d3-a456-426614174000","amount":0.05,"currency":"AAA"} <nil>
}

func ExampleValid() {
	fmt.Println(example.Valid(payment(), json.RawMessage(`{"amount":0.055,"currency":"EUR"}`), example.ForRequest))
	// Output: the request is not valid: #/amount must be a multiple of 0.01
}

// A request with its key, and one that must be refused under the same key.
func ExampleNewCall() {
	op := &policy.Operation{
		ID: "createPayment", Method: "POST", Path: "/payments", Decision: policy.Keyed,
		Policy: policy.Policy{
			Key:         policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Format: policy.UUID7, MaxLength: 36},
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody},
		},
		Shape: &policy.Shape{Body: &policy.Body{Contents: []policy.Content{{MediaType: "application/json", Schema: payment()}}}},
	}
	key, _ := example.Key(op.Policy.Key, 0)
	call, _ := example.NewCall(op, key)
	other, _ := call.Other()
	for _, c := range []*example.Call{call, other} {
		fmt.Println(c.Method, c.Target, c.Header.Get("Idempotency-Key"), string(c.Body))
	}
	// Output:
	// POST /payments 0199f8a0-7c3b-75d2-9e4f-000000000001 {"amount":0.05,"currency":"AAA"}
	// POST /payments 0199f8a0-7c3b-75d2-9e4f-000000000001 {"amount":0.06,"currency":"AAA"}
}
