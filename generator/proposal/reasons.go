package proposal

import (
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/runtime/policy"
)

// reason is what a word in an operation's name, path or summary suggests. It is read by a person who decides; a wrong
// guess costs that person a glance.
type reason struct {
	words []string
	// text completes "the word suggests that it ...".
	text string
	// advice is what such an operation is most often.
	advice string
	// relative is true for changes that depend on what was there before.
	relative bool
}

// reasons are looked at in this order, and the first whose word is found is given: what an operation does (search,
// cancel) says more than what it does it to (payments), and money matters more than anything else that is created.
var reasons = []reason{
	{
		words: []string{"search", "query", "lookup", "preview", "estimate", "calculate", "validate"},
		text:  "changes nothing", advice: `{natural: "changes nothing"}, once that is checked`,
	},
	{
		words: []string{"cancel", "void", "delete", "remove", "close", "archive", "disable", "deactivate", "revoke", "expire", "detach", "unassign"},
		text:  "finds its work done when it is repeated", advice: `{natural: "a repeat changes nothing more"}, once that is checked`,
	},
	{
		words: []string{"update", "modify", "edit", "replace", "rename", "upsert"},
		text:  "sets values, which a repeat sets again", advice: `{natural: "sets absolute values"}, once that is checked`,
	},
	{
		words: []string{"payment", "pay", "paid", "charge", "refund", "transfer", "payout", "withdraw", "withdrawal", "deposit", "capture", "disburse", "disbursement",
			"settle", "settlement", "debit", "credit", "topup", "remit", "donate", "donation", "invoice", "billing", "loan", "reversal"},
		text: "may move money twice when it is repeated", advice: "required",
	},
	{
		words: []string{"order", "checkout", "purchase", "buy", "subscription", "subscribe", "booking", "book", "reserve", "reservation", "ship", "shipment", "issue"},
		text:  "may order twice when it is repeated", advice: "required",
	},
	{
		words: []string{"send", "message", "sms", "email", "mail", "notify", "notification", "invite", "invitation", "call", "dispatch", "publish", "broadcast", "fax"},
		text:  "may reach people twice when it is repeated", advice: "required",
	},
	{
		words: []string{"increment", "decrement", "adjust", "adjustment", "add", "append", "redeem", "accumulate", "consume"},
		text:  "may change a value relative to what it was, which a repeat does again", advice: "required", relative: true,
	},
	{
		words: []string{"create", "new", "register", "submit", "upload", "import", "start", "open", "clone", "copy", "generate", "session", "token", "batch", "bulk"},
		text:  "may create a second one when it is repeated", advice: "required, or optional while clients catch up",
	},
}

// reasonFor says why a repeat of op may matter, as a sentence without a full stop, and what such an operation is most
// often.
func reasonFor(op *policy.Operation) (text, advice string) {
	found := words(op)
	for _, r := range reasons {
		if op.Method == http.MethodPatch && !r.relative {
			continue // what a PATCH is made to says little: it changes what is there
		}
		for _, word := range r.words {
			if found[word] {
				return "the word " + word + " suggests that it " + r.text, r.advice
			}
		}
	}
	if op.Method == http.MethodPatch {
		return "a PATCH that sets values can be repeated, one that changes them relative to what they were cannot", `{natural: "sets absolute values"}, once that is checked`
	}
	if slices.Contains(op.Successes, "201") {
		return "it answers 201, so it creates something, and may create a second one when it is repeated", "required, or optional while clients catch up"
	}
	return "nothing in its name says what a repeat does", "required, or optional while clients catch up"
}

// words are the lower-case words of an operation's names, with the plural's s taken off.
func words(op *policy.Operation) map[string]bool {
	found := map[string]bool{}
	var word strings.Builder
	flush := func() {
		if w := word.String(); w != "" {
			found[w] = true
			found[strings.TrimSuffix(w, "s")] = true
			word.Reset()
		}
	}
	id := op.ID
	if op.IDMade {
		id = ""
	}
	for _, text := range []string{id, op.Path, op.Summary} {
		lower := false
		for _, r := range text {
			switch {
			case !unicode.IsLetter(r):
				flush()
			case unicode.IsUpper(r) && lower: // a hump: createPayment
				flush()
				fallthrough
			default:
				word.WriteRune(unicode.ToLower(r))
			}
			lower = unicode.IsLower(r)
		}
		flush()
	}
	return found
}
