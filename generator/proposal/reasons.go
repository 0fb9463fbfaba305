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
	// likely is what such an operation is most often.
	likely advice
	// relative is true for changes that depend on what was there before.
	relative bool
}

// advice is a decision, as it is written in YAML, and under which condition, which may be empty.
type advice struct{ decision, condition string }

func natural(why string) advice {
	return advice{`{natural: "` + why + `"}`, "once that is checked"}
}

var (
	setsValues         = natural("sets absolute values")
	requiredOrOptional = advice{"required", "or optional while clients catch up"}
)

// reasons are looked at in this order, and the first whose word is found is given: what an operation does (search,
// cancel) says more than what it does it to (payments), and money matters more than anything else that is created.
var reasons = []reason{
	{
		words: []string{"search", "query", "lookup", "preview", "estimate", "calculate", "validate"},
		text:  "changes nothing", likely: natural("changes nothing"),
	},
	{
		words: []string{"cancel", "void", "delete", "remove", "close", "archive", "disable", "deactivate", "revoke", "expire", "detach", "unassign"},
		text:  "finds its work done when it is repeated", likely: natural("a repeat changes nothing more"),
	},
	{
		words: []string{"update", "modify", "edit", "replace", "rename", "upsert"},
		text:  "sets values, which a repeat sets again", likely: setsValues,
	},
	{
		words: []string{"payment", "pay", "paid", "charge", "refund", "transfer", "payout", "withdraw", "withdrawal", "deposit", "capture", "disburse", "disbursement",
			"settle", "settlement", "debit", "credit", "topup", "remit", "donate", "donation", "invoice", "billing", "loan", "reversal"},
		text: "may move money twice when it is repeated", likely: advice{decision: "required"},
	},
	{
		words: []string{"order", "checkout", "purchase", "buy", "subscription", "subscribe", "booking", "book", "reserve", "reservation", "ship", "shipment", "issue"},
		text:  "may order twice when it is repeated", likely: advice{decision: "required"},
	},
	{
		words: []string{"send", "message", "sms", "email", "mail", "notify", "notification", "invite", "invitation", "call", "dispatch", "publish", "broadcast", "fax"},
		text:  "may reach people twice when it is repeated", likely: advice{decision: "required"},
	},
	{
		words: []string{"increment", "decrement", "adjust", "adjustment", "add", "append", "redeem", "accumulate", "consume"},
		text:  "may change a value relative to what it was, which a repeat does again", likely: advice{decision: "required"}, relative: true,
	},
	{
		words: []string{"create", "new", "register", "submit", "upload", "import", "start", "open", "clone", "copy", "generate", "session", "token", "batch", "bulk"},
		text:  "may create a second one when it is repeated", likely: requiredOrOptional,
	},
}

// reasonFor says why a repeat of op may matter, as a sentence without a full stop, and what such an operation is most
// often. What the operation is called says more than what it is found under: /bookings/{id}/payments pays.
func reasonFor(op *policy.Operation) (text string, likely advice) {
	for _, found := range []map[string]bool{words(named(op), lastSegment(op.Path)), words(op.Path, op.Summary)} {
		for _, r := range reasons {
			if op.Method == http.MethodPatch && !r.relative {
				continue // what a PATCH is made to says little: it changes what is there
			}
			for _, word := range r.words {
				if found[word] {
					return "the word " + word + " suggests that it " + r.text, r.likely
				}
			}
		}
	}
	if op.Method == http.MethodPatch {
		return "a PATCH that sets values can be repeated, one that changes them relative to what they were cannot", setsValues
	}
	if slices.Contains(op.Successes, "201") {
		return "it answers 201, so it creates something, and may create a second one when it is repeated", requiredOrOptional
	}
	return "nothing in its name says what a repeat does", requiredOrOptional
}

func named(op *policy.Operation) string {
	if op.IDMade {
		return ""
	}
	return op.ID
}

// lastSegment is the last part of a path that is no parameter.
func lastSegment(path string) string {
	parts := strings.Split(path, "/")
	for _, part := range slices.Backward(parts) {
		if part != "" && !strings.Contains(part, "{") {
			return part
		}
	}
	return ""
}

// words are the lower-case words of texts, with the plural's s taken off.
func words(texts ...string) map[string]bool {
	found := map[string]bool{}
	var word strings.Builder
	flush := func() {
		if w := word.String(); w != "" {
			found[w] = true
			found[strings.TrimSuffix(w, "s")] = true
			word.Reset()
		}
	}
	for _, text := range texts {
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
