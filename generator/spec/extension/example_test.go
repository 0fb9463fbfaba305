package extension_test

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/policy"
)

// A document says once how long keys are kept; the operation says the rest.
func ExampleResolve() {
	document := read(`
x-idempotency: {retention: P7D}
post:
  x-idempotency:
    key: {maxLength: 64}
    scope: [principal, operation, region]
`)
	at := func(node *yaml.Node) policy.Position {
		return policy.Position{File: "openapi.yaml", Line: node.Line, Column: node.Column}
	}
	root, _ := extension.DecodeRoot(document.Content[1], at, nil)
	own, _ := extension.DecodeMembers(document.Content[3].Content[1], at, nil, policy.LevelOperation)

	op := policy.Operation{ID: "createPayment", Method: "POST", Path: "/payments"}
	found := extension.Resolve(extension.ResolveInput{Operation: &op, Root: root, Own: own, At: at})

	fmt.Println(op.Decision, len(found))
	fmt.Println(op.Policy.Key.Name, op.Policy.Key.MaxLength, op.Policy.Retention)
	for _, member := range []string{"key.maxLength", "retention", "replay.header"} {
		origin, _ := op.Origins.Find(member)
		fmt.Println(member, "is from the", origin.Level, origin.Pos)
	}
	// Output:
	// keyed 0
	// Idempotency-Key 64 168h0m0s
	// key.maxLength is from the operation openapi.yaml:5:22
	// retention is from the document openapi.yaml:2:28
	// replay.header is from the builtin
}

// Every finding says where it is, what is wrong and how to mend it.
func ExampleDecodeMembers() {
	at := func(node *yaml.Node) policy.Position {
		return policy.Position{File: "openapi.yaml", Line: node.Line, Column: node.Column}
	}
	_, found := extension.DecodeMembers(read("retension: PT24H\nkey: {in: hedaer}"), at, nil, policy.LevelOperation)
	for _, finding := range found.Sorted() {
		fmt.Println(finding)
		fmt.Println("  hint:", finding.Hint)
	}
	// Output:
	// openapi.yaml:1:1: x-idempotency has no member "retension" (unknown-member)
	//   hint: did you mean retention?
	// openapi.yaml:2:11: key.in is "hedaer" and must be header, query, body or form (wrong-value)
	//   hint: did you mean header?
}

// The table of rules is what documentation and configuration are made from.
func ExampleRules() {
	for _, rule := range extension.Rules() {
		if rule.ID == "store-5xx" {
			fmt.Println(rule.Severity, rule.Title)
		}
	}
	// Output: error in transaction mode no 5xx is stored: it rolls the record back with the work
}

// A guard can be compared with the tables that migrations create.
func ExampleCheckTables() {
	doc := &policy.Document{Operations: []policy.Operation{{Decision: policy.Keyed, Policy: policy.Policy{
		Guards: []policy.Guard{{Table: "payment", Columns: []string{"order_id"}}},
	}}}}
	for _, finding := range extension.CheckTables(doc, "migrations", []string{"payments", "accounts"}) {
		fmt.Println(finding.Message)
		fmt.Println(finding.Hint)
	}
	// Output:
	// no migration in migrations creates the table "payment", so the guard's migration is not issued yet
	// did you mean payments?
}

func read(text string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		panic(err)
	}
	return document.Content[0]
}
