package compat

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What has no row, and why.
var withoutRow = map[string]string{
	"Document.Title":      "the document's own name, not the policy's",
	"Document.Version":    "grows with each release, whatever that changes",
	"Document.SpecFile":   "where it was read",
	"Document.Overlays":   "where it was read",
	"Document.OpenAPI":    "how it is written",
	"Document.Servers":    "where the API is, not what it promises",
	"Document.Operations": "compared one by one",
	"Document.Schemas":    "the API's own change, which tools for OpenAPI report",
	"Document.Consumers":  "compared one by one",

	"Operation.IDMade":       "read with ID",
	"Operation.Method":       "read with Path",
	"Operation.Webhook":      "an operation and a webhook are never one",
	"Operation.Summary":      "the document's prose",
	"Operation.Description":  "the document's prose",
	"Operation.ExternalDocs": "the document's prose",
	"Operation.Pos":          "where it stands",
	"Operation.Pointer":      "where it stands",
	"Operation.Successes":    "the API's own change; what is kept is store.statuses",
	"Operation.DecidedAt":    "where it stands",
	"Operation.Policy":       "compared member by member",
	"Operation.Origins":      "where it stands",
	"Operation.Declared":     "a proposal, not a decision",
	"Operation.Contract":     "where the policy's values come from",
	"Operation.Outline":      "the API's own change, which tools for OpenAPI report",

	"Consumer.Pos": "where it stands",
}

// A member that is added to the data model has to be given a meaning here, or a reason why it has none.
func TestRows_P4_EveryFieldHasARow(t *testing.T) {
	rowOf := map[string]int{}
	for _, r := range rows {
		for _, field := range r.fields {
			rowOf["Policy."+field]++
		}
	}
	for _, r := range operationRows {
		rowOf["Operation."+r.field] = 1 // the shape has two
	}
	for _, r := range documentRows {
		rowOf["Document."+r.field]++
	}
	for _, r := range consumerRows {
		rowOf["Consumer."+r.field]++
	}
	fields := map[string]bool{}
	for _, of := range []any{policy.Policy{}, policy.Operation{}, policy.Document{}, policy.Consumer{}} {
		kind := reflect.TypeOf(of)
		for _, leaf := range leaves(kind, kind.Name()) {
			fields[leaf] = true
			switch {
			case rowOf[leaf] == 0 && withoutRow[leaf] == "":
				t.Errorf("policy.%s has no row: say in its table what a change of it means", leaf)
			case rowOf[leaf] > 0 && withoutRow[leaf] != "":
				t.Errorf("policy.%s has a row and a reason to have none", leaf)
			case rowOf[leaf] > 1:
				t.Errorf("policy.%s has %d rows", leaf, rowOf[leaf])
			}
		}
	}
	for field := range rowOf {
		if !fields[field] {
			t.Errorf("a row is for policy.%s, which does not exist", field)
		}
	}
	for field := range withoutRow {
		if !fields[field] {
			t.Errorf("policy.%s, which has no row, does not exist", field)
		}
	}
}

// leaves are the fields of a struct, and those of the structs of a policy that it holds.
func leaves(kind reflect.Type, path string) []string {
	var all []string
	for i := range kind.NumField() {
		field := kind.Field(i)
		name := path + "." + field.Name
		if strings.HasPrefix(path, "Policy") && field.Type.Kind() == reflect.Struct {
			all = append(all, leaves(field.Type, name)...)
			continue
		}
		all = append(all, name)
	}
	return all
}

// A row's value tells any two values of its fields apart: each field of an entry of a list is written as well.
func TestRows_ValuesHoldWholeEntries(t *testing.T) {
	for _, of := range []struct {
		kind    reflect.Type
		written []string
	}{
		{reflect.TypeFor[policy.Downstream](), []string{"Name", "Step", "Header", "Format"}},
		{reflect.TypeFor[policy.StatusChange](), []string{"From", "To"}},
		{reflect.TypeFor[policy.HeaderValue](), []string{"Name", "Value"}},
		{reflect.TypeFor[policy.Guard](), []string{"Table", "Columns", "On", "Constraint", "Pos"}}, // the last two follow
	} {
		var fields []string
		for i := range of.kind.NumField() {
			fields = append(fields, of.kind.Field(i).Name)
		}
		if !slices.Equal(fields, of.written) {
			t.Errorf("%s has the fields %v, and is written by %v", of.kind, fields, of.written)
		}
	}
}

func TestRules_AreWholeAndOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		switch {
		case seen[r.ID]:
			t.Errorf("%s is there twice", r.ID)
		case r.Text == "" || strings.HasSuffix(r.Text, "."):
			t.Errorf("%s: a text is a sentence without a full stop", r.ID)
		case (r.Hint == "") == (r.Kind == Breaking):
			t.Errorf("%s: what breaks has a hint, and nothing else", r.ID)
		case (len(r.Affects) == 0) != (r.Kind == Editorial):
			t.Errorf("%s: who is affected by what is editorial, or nobody by what is not", r.ID)
		}
		seen[r.ID] = true
	}
	ids := map[string]Need{}
	for _, need := range Needs() {
		if _, twice := ids[need.ID]; twice || need.Text == "" || need.See == "" {
			t.Errorf("%+v", need)
		}
		ids[need.ID] = need
	}
}
