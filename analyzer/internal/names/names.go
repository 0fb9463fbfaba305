package names

import (
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Set is the names that hold for one configuration: those that this package knows and those of the house. A nil Set is the first alone. It is safe for concurrent use.
type Set struct {
	keys   map[string]bool
	tables map[string]bool
	scopes map[string]bool
}

// Of gives the names for a configuration.
func Of(config *settings.Config) *Set {
	if config == nil {
		return nil
	}
	return &Set{keys: flatSet(config.KeyNames), tables: flatSet(config.KeyTables), scopes: flatSet(config.Scope)}
}

// IsKey is [IsKey] with the key names of the house.
func (s *Set) IsKey(name string) bool { return IsKey(name) || s != nil && s.keys[flat(name)] }

// IsKeyTable is [IsKeyTable] with the key tables of the house.
func (s *Set) IsKeyTable(name string) bool {
	return IsKeyTable(name) || s != nil && s.tables[flat(lastPart(name))]
}

// IsKeyPrefix is [IsKeyPrefix] with the key tables and prefixes of the house.
func (s *Set) IsKeyPrefix(text string) bool {
	if IsKeyPrefix(text) {
		return true
	}
	first := flat(prefix(text))
	return s != nil && first != "" && s.tables[first]
}

// IsScopeColumn is [IsScopeColumn] with the scope columns of the house.
func (s *Set) IsScopeColumn(name string) bool {
	return IsScopeColumn(name) || s != nil && s.scopes[flat(lastPart(name))]
}

// keyShape is what nearly all providers and programs call a key: what is in front of it (X-, Cko-, payment) says whose it is.
var keyShape = pattern.New(`^(.*?)(idempotency|idempotence|idempotent|deduplication|dedupe|dedup)(request)?(key|token|uuid|guid|id)$`)

// keyNames are names of keys that do not say so. Names that other things have too (request_id, reference, unique_token, X-Request-Id) are left out on purpose.
var keyNames = flatSet([]string{
	"idem_key", "idem-token", "x-idem-key",
	"PayPal-Request-Id",        // PayPal
	"Repeatability-Request-ID", // OASIS repeatable requests, Azure
	"client_request_token",     // AWS
	"customerTransactionId",    // Wise
	"ApiRequestKey",            // Braintree
	"Nats-Msg-Id",              // JetStream's duplicate window
})

// notKeys are words in front of a key's name that make it something else: the name of the header, a key of a context, an error.
var notKeys = []string{"header", "hdr", "ctx", "context", "contextkey", "err", "error", "errmissing", "errinvalid", "param"}

// IsKey reports whether a header, field, parameter, variable or column of this name holds an idempotency key.
func IsKey(name string) bool {
	name = flat(name)
	if keyNames[name] {
		return true
	}
	if !strings.Contains(name, "idempoten") && !strings.Contains(name, "dedup") {
		return false // nearly every name; the expression is dear
	}
	parts := keyShape.FindStringSubmatch(name)
	return parts != nil && !slices.Contains(notKeys, parts[1])
}

// requestIDs are values that must differ from call to call, or that only name a call in a log.
var requestIDs = []string{"request", "req", "trace", "tracing", "correlation", "span", "parent", "nonce", "log", "event", "consumer", "session", "conversation", "invocation", "activity", "x"}

// IsRequestID reports whether a name is that of a value which tells calls apart and must not be reused: a request id, a trace id, a nonce, a consumer tag. No such name is a key's.
func IsRequestID(name string) bool {
	if IsKey(name) {
		return false
	}
	words := Words(name)
	if len(words) == 0 {
		return false
	}
	switch last := words[len(words)-1]; last {
	case "nonce", "traceparent", "tracestate", "requestid", "traceid", "spanid", "reqid":
		return true
	case "id", "uuid", "tag", "token":
		return len(words) > 1 && slices.Contains(requestIDs, words[len(words)-2])
	}
	return false
}

// IsAttempt reports whether a variable of this name counts attempts.
func IsAttempt(name string) bool {
	words := Words(name)
	if isLimit(words) {
		return false
	}
	return len(words) > 0 && slices.ContainsFunc(words, isAttemptWord) && !slices.ContainsFunc(words, isNotCounter)
}

// IsAttemptLimit reports whether a constant, field or parameter of this name bounds attempts.
func IsAttemptLimit(name string) bool {
	words := Words(name)
	return isLimit(words) && slices.ContainsFunc(words, isAttemptWord) && !slices.ContainsFunc(words, isNotCounter)
}

func isLimit(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "max" || w == "maximum" || w == "limit" || w == "total" || w == "allowed"
	})
}

func isAttemptWord(w string) bool {
	switch w {
	case "attempt", "attempts", "try", "tries", "retry", "retries", "retrial", "retried":
		return true
	}
	return false
}

// isNotCounter knows what makes something else of an attempt's name: a delay, an identifier, an error.
func isNotCounter(w string) bool {
	switch w {
	case "delay", "wait", "backoff", "after", "interval", "timeout", "duration", "id", "uuid", "key", "err", "error", "errors", "func", "fn", "policy", "config", "opts", "options", "able", "client", "at":
		return true
	}
	return false
}

// IsRetryFunc reports whether a function of this name calls the function that it is given until it succeeds.
func IsRetryFunc(name string) bool {
	words := Words(name)
	if len(words) == 0 || words[0] == "on" {
		return false
	}
	retries := false
	for _, w := range words {
		switch w {
		case "retry", "retries", "retrying", "retried", "retryable", "retrier", "backoff", "attempts":
			retries = true
		case "no", "without", "never", "is", "should", "can", "new", "max", "set", "get", "count", "policy", "config", "options", "option", "opts", "after", "delay", "error", "err", "handler", "register", "add", "queue", "job", "hook", "condition", "predicate", "classifier", "checker", "func":
			return false
		}
	}
	return retries
}

// keyTables are tables of keys and of seen messages that do not carry a key's name, in the singular.
var keyTables = flatSet([]string{
	"inbox", "inbox_message", "inbox_event", "message_inbox", "event_inbox", "webhook_inbox",
	"request_dedup", "dedup_log", "dedupe_key", "seen_message", "seen_event", "seen_request", "seen_webhook",
	"duplicate_check", "duplicate_request", "unique_request", "replay_guard", "replay_protection",
})

// IsKeyTable reports whether a table or collection of this name, with or without its schema, holds idempotency records or the ids of messages already handled.
func IsKeyTable(name string) bool {
	words := Words(lastPart(name))
	if len(words) == 0 {
		return false
	}
	words[len(words)-1] = singular(words[len(words)-1])
	if keyTables[strings.Join(words, "")] {
		return true
	}
	for i, w := range words {
		switch w {
		case "idempotency", "idempotence", "idempotent", "idempotencykey", "dedup", "dedupe", "deduplication":
			return true
		case "processed", "handled", "consumed":
			return i+1 < len(words) && isMessage(words[i+1])
		}
	}
	return false
}

func isMessage(w string) bool {
	switch singular(w) {
	case "message", "event", "webhook", "request", "command", "notification", "callback", "delivery", "msg", "key":
		return true
	}
	return false
}

// IsKeyPrefix reports whether a key of a key-value store that starts with this text is an idempotency record: "idem:", "idempotency:%s", "processed:".
func IsKeyPrefix(text string) bool {
	first := prefix(text)
	if IsKeyTable(first) || IsKey(first) {
		return true
	}
	for _, w := range Words(first) {
		switch w {
		case "idem", "processed", "dedup", "dedupe", "seen", "handled":
			return true
		}
	}
	return false
}

// prefix cuts a key at what is filled in at run time.
func prefix(text string) string {
	if end := strings.IndexAny(text, "\x00%{"); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, ":-_/. ")
}

// scopeWords say whose a record is: the principal, or for consumers the group or the handler.
var scopeWords = flatSet([]string{
	"tenant", "account", "acct", "merchant", "user", "customer", "client", "company", "org", "organisation", "organization",
	"workspace", "project", "team", "shop", "store", "seller", "vendor", "partner", "platform", "principal", "owner", "actor", "subject",
	"realm", "namespace", "ledger", "scope", "issuer", "application", "app", "domain", "group", "member", "business", "brand", "institution",
	"consumer", "consumergroup", "subscriber", "handler", "apikey", "wallet", "profile",
})

// IsScopeColumn reports whether a column of this name, with or without its table, says whose a row is.
func IsScopeColumn(name string) bool {
	words := Words(lastPart(name))
	if len(words) > 1 {
		switch words[len(words)-1] {
		case "id", "uuid", "guid", "ref", "slug", "code", "name", "key", "number":
			words = words[:len(words)-1]
		}
	}
	if len(words) == 0 {
		return false
	}
	return scopeWords[words[len(words)-1]] || scopeWords[strings.Join(words, "")]
}

// personWords name data that tell who somebody is.
var personWords = flatSet([]string{
	"email", "mail", "phone", "mobile", "msisdn", "telephone", "ssn", "iban", "passport", "surname", "birthday", "birthdate",
	"emailaddress", "phonenumber", "firstname", "lastname", "fullname", "dateofbirth", "dob", "cardnumber", "pan", "taxid", "nationalid", "ipaddress",
})

// IsPersonal reports whether a variable, field or parameter of this name holds personal data: an e-mail address, a telephone number, a card number.
func IsPersonal(name string) bool {
	words := Words(name)
	if len(words) > 0 {
		words[len(words)-1] = singular(words[len(words)-1])
	}
	for i := range words {
		if personWords[strings.Join(words[i:], "")] {
			return true
		}
	}
	return false
}

// lastPart cuts the schema or table off a dotted name, and quotes.
func lastPart(name string) string {
	name = strings.Trim(name, "`\"[] ")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	return strings.Trim(name, "`\"[] ")
}

func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ss"):
		return w
	default:
		return strings.TrimSuffix(w, "s")
	}
}

func flatSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[flat(name)] = true
	}
	return set
}

// flat takes case and separators out of a name.
func flat(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Words gives the words of a name in lower case: "maxRetries", "MAX_RETRIES" and "max-retries" have the same two. Runs of capitals are one word: "userID", "HTTPClient". Numbers at a word's end are cut off.
func Words(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if word := strings.TrimRight(strings.ToLower(string(runes[start:end])), "0123456789"); word != "" {
			words = append(words, word)
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush(i)
			start = i + 1
			continue
		}
		if i == start || !unicode.IsUpper(r) {
			continue
		}
		afterLower := !unicode.IsUpper(runes[i-1])
		lastOfRun := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if afterLower || lastOfRun && !isPlural(runes[i:]) {
			flush(i)
			start = i
		}
	}
	if start < len(runes) {
		flush(len(runes))
	}
	return words
}

// isPlural sees the "Ds" of "IDs", which is no word of its own.
func isPlural(tail []rune) bool {
	return tail[1] == 's' && (len(tail) == 2 || !unicode.IsLower(tail[2]))
}
