package gocode_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/runtime/policy"
)

// A document in, files as values out; package output writes them.
func ExampleGenerate() {
	doc := &policy.Document{
		Title: "Payments",
		Operations: []policy.Operation{{
			ID: "createPayment", Method: "POST", Path: "/payments", Decision: policy.Keyed,
			Policy: policy.Policy{Mode: policy.Transaction},
			Shape: &policy.Shape{
				Body: &policy.Body{Required: true, Contents: []policy.Content{{
					MediaType: "application/json",
					Schema: &policy.Schema{Name: "Payment", Kind: policy.Object, AdditionalAllowed: true, Properties: []policy.Property{
						{Name: "amount", Required: true, Schema: &policy.Schema{Kind: policy.Integer, Minimum: "1"}},
					}},
				}}},
				Responses: []policy.Response{{Status: "201", Description: "Created."}},
			},
		}},
	}
	files, warnings, err := gocode.Generate(doc, gocode.Options{Package: "payments", Dir: "internal/payments"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(warnings), "warnings")
	for _, file := range files {
		fmt.Println(file.Path)
	}
	_, reader, _ := bytes.Cut(files[5].Content, []byte("func"))
	fmt.Printf("func%s", reader)
	// Output:
	// 0 warnings
	// internal/payments/doc.go
	// internal/payments/handlers.go
	// internal/payments/requests.go
	// internal/payments/responses.go
	// internal/payments/policies.go
	// internal/payments/readers.go
	// internal/payments/models.go
	// func readPayment(v wire.Value) (m Payment) {
	// 	o := v.Object()
	// 	m.Amount = o.Member("amount").Required().Min("1").Int64()
	// 	return m
	// }
}
