package gocode

import (
	"go/token"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestExported(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"createPayment", "CreatePayment"},
		{"post-payments-paymentPspReference-refunds", "PostPaymentsPaymentPspReferenceRefunds"},
		{"issues/create", "IssuesCreate"},
		{"payment_method_details.card", "PaymentMethodDetailsCard"},
		{"id", "ID"}, {"ids", "IDs"}, {"IDs", "IDs"}, {"customerId", "CustomerID"}, {"api_url", "APIURL"}, {"HTTPServer", "HTTPServer"},
		{"PENDING_REVIEW", "PendingReview"}, {"EUR", "EUR"}, {"ACCOUNT_ID", "AccountID"}, {"3DS", "X3DS"},
		{"+1", "Plus1"}, {"-1", "Minus1"}, {"*", "Star"}, {"!!!", "NotNotNot"}, {"()", "U0028U0029"}, {"", "Empty"}, {" ", "U0020"},
		{"日本", "X日本"}, {"ß", "Xß"}, {"été", "Été"}, {"a\u202eb", "AB"}, {"\xff", "X"}, {"type", "Type"}, {"_", "U005f"},
	} {
		if got := exported(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// Names of a user's models are those that other generators give: a Go name stays as it is.
func TestImported(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Payment", "Payment"}, {"PaymentId", "PaymentId"}, {"api_errors", "ApiErrors"}, {"CheckoutCreatePaymentRequest", "CheckoutCreatePaymentRequest"},
	} {
		if got := imported(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestExported_IsNoLongerThanALine(t *testing.T) {
	for _, text := range []string{strings.Repeat("long", 100_000), strings.Repeat("é", 1000), strings.Repeat("a b ", 1000)} {
		if name := exported(text); len(name) > maxIdentifier+1 || !token.IsIdentifier(name) {
			t.Errorf("%d bytes: %q", len(name), name)
		}
	}
}

func TestExported_IsAlwaysAnExportedIdentifier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for _, name := range []string{exported(text), imported(text)} {
			first, _ := utf8.DecodeRuneInString(name)
			if !token.IsIdentifier(name) || !unicode.IsUpper(first) {
				t.Fatalf("%q becomes %q", text, name)
			}
		}
	})
}

func TestScope_Claim(t *testing.T) {
	s := newScope("Taken")
	var got []string
	for range 3 {
		got = append(got, s.claim("Taken", "Name"))
	}
	if got[0] != "Name" || got[1] != "Name2" || got[2] != "Name3" {
		t.Error(got)
	}
	s = newScope("Name", "Name2", "Name4")
	if a, b := s.claim("Name"), s.claim("Name"); a != "Name3" || b != "Name5" {
		t.Error(a, b)
	}
}
