package spec

import "strings"

// keyName is a parameter that a published API carries idempotency keys in.
type keyName struct {
	name string
	// fold compares without regard to case, as header names are compared.
	fold bool
	// why is what a finding says: where the name comes from.
	why string
}

// headerKeys are the request headers that carry a key. Names and meanings are from the providers' documentation, named
// beside each; a header is listed only where that says that it makes a request repeatable. `X-Request-Id` alone is
// mostly a trace id: see requestHeaders.
var headerKeys = []keyName{
	{"Idempotency-Key", true, "header named Idempotency-Key"},                                           // draft-ietf-httpapi-idempotency-key-header-07
	{"X-Idempotency-Key", true, "header named X-Idempotency-Key"},                                       // Open Banking UK, Moov
	{"X-Idempotence-Uuid", true, "header named X-idempotence-uuid (Wise)"},                              // Wise, balances
	{"PayPal-Request-Id", true, "profile paypal"},                                                       // PayPal, API guidelines
	{"Cko-Idempotency-Key", true, "header named Cko-Idempotency-Key (Checkout.com)"},                    // Checkout.com
	{"Klarna-Idempotency-Key", true, "header named Klarna-Idempotency-Key (Klarna)"},                    // Klarna
	{"Request-Idempotency-Key", true, "header named Request-Idempotency-Key (PPRO)"},                    // PPRO
	{"I-Twilio-Idempotency-Token", true, "header named I-Twilio-Idempotency-Token (Twilio's webhooks)"}, // list in the IETF draft
	{"Repeatability-Request-ID", true, "profile repeatability"},                                         // OASIS Repeatable Requests 1.0
}

// bodyKeys are members of a JSON request body, at its top level.
var bodyKeys = []keyName{
	{"idempotency_key", false, "body member idempotency_key (profile square)"}, // Square, Plaid
	{"idempotencyKey", false, "body member idempotencyKey"},                    // the same in camel case
	{"clientToken", false, "profile aws"},                                      // AWS, EC2 and others
	{"ClientToken", false, "profile aws"},
	{"unique_token", false, "body member unique_token (Shopify)"},                // Shopify, older REST API
	{"customerTransactionId", false, "body member customerTransactionId (Wise)"}, // Wise, transfers
}

// requestIDs are names that AIP-155 gives the key and that others give a trace id. They count where the declaration says
// which of the two it is.
var requestIDs = []keyName{
	{"requestId", false, "profile aip-155"},
	{"request_id", false, "profile aip-155"},
}

// requestHeaders count under the same condition.
var requestHeaders = []keyName{
	{"X-Request-Id", true, "header named X-Request-Id that is said to make requests idempotent"}, // Nium
}

// formKeys are fields of a form body.
var formKeys = []keyName{
	{"IdempotencyKey", false, "form field IdempotencyKey (Twilio)"}, // Twilio, Payments
	{"idempotency_key", false, "form field idempotency_key"},
	{"idempotencyKey", false, "form field idempotencyKey"},
	{"ClientToken", false, "profile aws"}, // EC2's query protocol
}

// queryKeys are query parameters.
var queryKeys = []keyName{
	{"ClientToken", false, "profile aws"},
	{"idempotency_key", false, "query parameter idempotency_key"},
	{"idempotencyKey", false, "query parameter idempotencyKey"},
}

func known(names []keyName, name string) (why string, ok bool) {
	for _, k := range names {
		if k.name == name || k.fold && strings.EqualFold(k.name, name) {
			return k.why, true
		}
	}
	return "", false
}

// saysIdempotent reports whether a declaration's text speaks of repeating a request.
func saysIdempotent(description string) bool {
	lower := strings.ToLower(description)
	for _, word := range []string{"idempoten", "duplicate request", "retry the request", "retried", "exactly once", "only once"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
