package example_test

import (
	"testing"

	"github.com/idemgen/idemgen/generator/example"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Every keyed operation of the real documents has a request, another one, and a valid value for each JSON answer.
func TestRealDocuments(t *testing.T) {
	for _, name := range []string{
		"adyen_CheckoutService-v71.yaml", "obie_vrp.yaml", "paypal_checkout_orders_v2.json", "square_api.json", "twilio_api_v2010.json",
	} {
		t.Run(name, func(t *testing.T) {
			doc, _, err := spec.Load(spec.Options{File: realspecs.File(t, "../..", name), AcceptDeclared: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(doc.Keyed()) == 0 {
				t.Fatal("no operation is keyed")
			}
			for _, op := range doc.Keyed() {
				tryOperation(t, op)
			}
		})
	}
}

func tryOperation(t *testing.T, op *policy.Operation) {
	key, err := example.Key(op.Policy.Key, 0)
	if err != nil {
		t.Errorf("%s: %v", op.ID, err)
		return
	}
	call, err := example.NewCall(op, key)
	if err != nil {
		t.Error(err)
		return
	}
	if _, err := call.Other(); err != nil {
		t.Error(err)
	}
	for _, response := range op.Shape.Responses {
		for _, content := range response.Contents {
			if _, err := example.Value(content.Schema, example.ForResponse); err != nil {
				t.Errorf("%s %s: %v", op.ID, response.Status, err)
			}
		}
	}
}
