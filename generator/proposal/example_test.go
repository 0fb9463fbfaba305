package proposal_test

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/proposal"
	"github.com/idemgen/idemgen/runtime/policy"
)

// An operation whose key the document declares is decided; what is left is counted, and listed as comments.
func ExampleGenerate() {
	key := policy.DeclaredKey{
		Key:   policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true},
		Known: "header named Idempotency-Key",
	}
	result := proposal.Generate(&policy.Document{Title: "Payments", Operations: []policy.Operation{
		{Method: "POST", Path: "/payments", Declared: []policy.DeclaredKey{key}},
		{Method: "POST", Path: "/refunds"},
	}})
	fmt.Println(result.Decided, "decided,", result.Open, "to decide")
	// Output: 1 decided, 1 to decide
}
