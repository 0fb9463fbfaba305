package compat_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/internal/realspecs"
	"github.com/idemgen/idemgen/runtime/policy"
)

func load(t *testing.T, name string, overlays ...string) *policy.Document {
	t.Helper()
	doc, found, err := spec.Load(spec.Options{File: realspecs.File(t, "../..", name), Overlays: overlays, AcceptDeclared: true})
	if err != nil {
		t.Fatal(err)
	}
	if found.Err() != nil {
		t.Fatal(found.Errors())
	}
	return doc
}

// A real document that is read twice does not differ from itself, and one in two syntaxes is one.
func TestCompare_P4_RealDocumentsAreThemselves(t *testing.T) {
	for _, test := range []struct {
		name, other string
		keyed       bool
	}{
		{"adyen_CheckoutService-v71.json", "adyen_CheckoutService-v71.yaml", true},
		{"adyen_CheckoutService-v71.json", "adyen_CheckoutService-v71.json", true},
		{"square_api.json", "square_api.json", true},
		{"paypal_checkout_orders_v2.json", "paypal_checkout_orders_v2.json", true},
		{"twilio_api_v2010.json", "twilio_api_v2010.json", true},
		{"obie_vrp.yaml", "obie_vrp.yaml", true},
		{"stripe_spec3.json", "stripe_spec3.json", false},
		{"github_api.github.com.json", "github_api.github.com.json", false},
		{"openai_openapi.yaml", "openai_openapi.yaml", false},
	} {
		t.Run(test.name+" and "+filepath.Ext(test.other), func(t *testing.T) {
			if testing.Short() && !test.keyed {
				t.Skip("reads a large document twice")
			}
			before, after := load(t, test.name), load(t, test.other)
			if keyed := len(before.Keyed()) > 0; keyed != test.keyed || len(before.Operations) == 0 {
				t.Fatalf("%d operations, %d keyed", len(before.Operations), len(before.Keyed()))
			}
			if changes := compat.Compare(before, after); len(changes) > 0 {
				t.Errorf("%d changes, the first is %+v", len(changes), changes[0])
			}
		})
	}
}

// A real document whose overlay has changed has that change, and no other.
func TestCompare_P4_RealDocumentWithAnotherOverlay(t *testing.T) {
	overlay := func(name, retention string) string {
		file := filepath.Join(t.TempDir(), name)
		content := "overlay: 1.0.0\ninfo: {title: Times, version: 1.0.0}\nactions:\n  - target: $\n    update:\n      x-idempotency: {retention: " + retention + "}\n"
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	before := load(t, "adyen_CheckoutService-v71.json", overlay("before.yaml", "P7D"))
	after := load(t, "adyen_CheckoutService-v71.yaml", overlay("after.yaml", "P6D"))
	changes := compat.Compare(before, after)
	groups := compat.Grouped(changes)
	if len(groups) != 1 || len(groups[0].Operations) != len(before.Keyed()) || groups[0].Rule.ID != "retention-shorter" || groups[0].Old != "P7D" || groups[0].New != "P6D" {
		t.Fatalf("%d changes: %+v", len(changes), groups)
	}
	if at := groups[0].NewPos; filepath.Base(at.File) != "after.yaml" || at.Line != 6 {
		t.Errorf("it stands at %v", at)
	}
}
