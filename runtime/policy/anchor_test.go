package policy

import (
	"slices"
	"testing"
)

func TestDocument_Anchors(t *testing.T) {
	d := &Document{DocsURL: "https://example.com/idempotency#old"}
	for _, id := range []string{"createPayment", "createHTTPPayment_v2", "post-payments-paymentPspReference-refunds", "create_refund", "createRefund", "ütf", "", "日本"} {
		d.Operations = append(d.Operations, Operation{ID: id, Method: "POST", Path: "/" + id})
	}
	want := []string{"create-payment", "create-http-payment-v2", "post-payments-payment-psp-reference-refunds"}
	got := d.Anchors()
	if !slices.Equal(got[:3], want) || got[5] != "tf" {
		t.Errorf("got %q", got)
	}
	if got[3] == got[4] || got[3] == "create-refund" || got[6] == "" || got[6] == got[7] {
		t.Errorf("anchors are not each operation's own: %q", got)
	}
	if url := d.DocsURLs()[0]; url != "https://example.com/idempotency#create-payment" {
		t.Errorf("got %s", url)
	}
	d.DocsURL = ""
	if url := d.DocsURLs()[0]; url != "" {
		t.Errorf("got %s", url)
	}
}
