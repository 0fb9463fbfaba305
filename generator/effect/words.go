package effect

import (
	"strings"
	"unicode"
)

// verbs are the words that say what an operation does. Each counts where a verb stands: at the head of an operationId, of
// a summary or of the path's last segment. A word that says nothing alone is in doing.
var verbs = table(map[Kind][]string{
	Read: {"get", "fetch", "list", "search", "query", "retrieve", "find", "lookup", "read", "view", "show", "count", "preview", "estimate", "calculate",
		"validate", "check", "inspect", "describe", "compare", "download", "filter"},
	End: {"cancel", "void", "delete", "destroy", "remove", "close", "archive", "disable", "deactivate", "revoke", "expire", "detach", "unassign", "unlink", "dismiss",
		"terminate", "stop", "reject", "decline", "abort", "hide", "unsubscribe", "unpublish", "clear", "purge", "release", "disconnect", "deregister"},
	Set:       {"update", "modify", "edit", "replace", "rename", "upsert", "set", "put", "enable", "change", "configure", "assign", "mark", "move", "activate", "attach"},
	Relative:  {"increment", "decrement", "adjust", "accumulate", "append", "redeem", "consume", "topup", "increase", "decrease"},
	Money:     {"pay", "charge", "refund", "capture", "transfer", "withdraw", "deposit", "disburse", "settle", "debit", "credit", "remit", "donate", "fund", "authorize", "authorise"},
	Order:     {"order", "book", "reserve", "purchase", "buy", "ship"},
	Message:   {"send", "resend", "notify", "email", "sms", "invite", "broadcast", "publish", "dial"},
	Provision: {"provision", "deploy", "launch", "allocate"},
	Create:    {"create", "add", "new", "register", "upload", "import", "start", "open", "clone", "copy", "duplicate", "generate", "insert", "make", "enqueue", "schedule", "fork", "issue", "record", "report"},
})

// doing are verbs that say only that something is done: what it is done to decides.
var doing = set("submit", "process", "complete", "confirm", "approve", "execute", "finalize", "trigger", "run", "finish", "do")

// nouns are what an operation makes one more of, or does something to. Only the last word of a name counts: a payment
// link is a link.
var nouns = table(map[Kind][]string{
	Money: {"payment", "charge", "refund", "transfer", "payout", "withdrawal", "deposit", "disbursement", "settlement", "topup", "donation", "remittance",
		"reversal", "chargeback", "transaction", "capture"},
	Order:   {"order", "booking", "reservation", "subscription", "purchase", "shipment", "checkout"},
	Message: {"message", "sms", "mms", "notification", "invitation", "call", "fax", "broadcast"},
	Provision: {"instance", "server", "cluster", "machine", "database", "volume", "bucket", "codespace", "deployment", "runner", "certificate", "domain", "account",
		"tenant", "workspace", "wallet"},
})

// ambiguous are verbs that are nouns as well: an order is ordered, and a check run is no check.
var ambiguous = set("order", "book", "credit", "debit", "fund", "record", "list", "count", "copy", "charge", "capture", "transfer", "deposit", "issue", "schedule", "search", "query",
	"check", "change", "set", "release", "purchase", "fork", "import", "download", "new", "open", "move", "start", "stop", "filter", "view", "read", "email", "sms", "pay", "mark", "preview",
	"estimate", "refund", "put", "close", "broadcast", "increment", "decrement", "increase", "decrease", "deploy", "launch")

// looks are nouns for what is computed and not kept.
var looks = set("preview", "estimate", "simulation")

// handles are nouns for things that are made when they are got: "get a session" of a POST makes one.
var handles = set("session", "token", "key", "code", "secret", "credential", "link", "url", "otp")

// modifiers stand before a verb and change nothing about it.
var modifiers = set("batch", "bulk", "post", "patch", "put", "api", "v", "async", "auto", "mass", "multi", "re")

// recording are verbs that note what was done elsewhere, whatever it is that they note.
var recording = set("report", "record", "import", "upload")

// needing are words about money that others use as well, for calls, screens and repositories: they count beside another
// word about money, or an amount.
var (
	needing = set("transfer", "capture", "charge", "deposit", "credit", "debit", "fund", "settle", "withdraw", "authorize", "authorise", "transaction", "reversal", "settlement",
		"withdrawal")
	moneyWords = set("payment", "pay", "paypal", "invoice", "charge", "payout", "balance", "wallet", "card", "fund", "money", "bank", "billing", "refund", "order", "checkout", "transaction", "treasury",
		"donation", "account", "cash", "credit", "debit")
)

// news are words beside which a subscription is one to news, and not bought.
var news = set("webhook", "hook", "event", "message", "notification", "topic", "thread", "feed", "channel", "repository", "repo")

// held are words before account that say that it is somebody else's, and only named here.
var held = set("bank", "external", "debit")

// weak are verbs of reading that may note what they found, where they are about one thing that is there.
var weak = set("validate", "check", "compare")

// relativeMembers are body members that say by how much, not what.
var relativeMembers = set("delta", "increment", "incrementby", "decrement", "decrementby", "adjustment", "adjustby", "changeby", "quantitydelta", "amountdelta", "pointsdelta",
	"quantitychange", "adjustpoints", "accumulatepoints")

// Members that together make a movement of money or a message.
var (
	amountMembers = set("amount", "amountmoney", "instructedamount", "transactionamount")
	partyMembers  = set("sourceid", "destination", "paymentmethod", "recipient", "beneficiary", "payee", "payer", "creditor", "creditoraccount", "debtor",
		"debtoraccount", "iban", "bankaccount")
	addressMembers = set("to", "recipient", "recipients", "phonenumber")
	textMembers    = set("text", "subject", "message", "html", "body")
)

func set(words ...string) map[string]bool {
	known := make(map[string]bool, len(words))
	for _, word := range words {
		known[word] = true
	}
	return known
}

func table(kinds map[Kind][]string) map[string]Kind {
	known := map[string]Kind{}
	for kind, words := range kinds {
		for _, word := range words {
			known[word] = kind
		}
	}
	return known
}

// split gives the lower-case words of a name: "post-paymentMethods.json" has post, payment, methods, json.
func split(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	lower := false
	for _, r := range name {
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
	return words
}

// singular takes the plural's ending off a noun.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && word != "sms" && word != "mms":
		return word[:len(word)-1]
	}
	return word
}

// plain is a member's name as the tables of members have it.
func plain(name string) string { return strings.Join(split(name), "") }
