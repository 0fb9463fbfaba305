package extension

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// Rule is one check of this package. Its ID is stable: configuration, documentation and tests name it.
type Rule struct {
	ID string
	// Severity is the usual one; a finding may weigh less where the value was not the author's own.
	Severity diag.Severity
	// Title says in one sentence, without a full stop, what the rule asks for.
	Title string
}

// Rules returns every rule of this package, sorted by ID.
func Rules() []Rule {
	sorted := slices.Clone(rules)
	slices.SortFunc(sorted, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return sorted
}

var rules []Rule

// rule enters a rule into the table.
func rule(id string, severity diag.Severity, title string) Rule {
	r := Rule{ID: id, Severity: severity, Title: title}
	rules = append(rules, r)
	return r
}

// as returns the rule with another weight, for one finding.
func (r Rule) as(severity diag.Severity) Rule {
	r.Severity = severity
	return r
}

// Grammar: what a decoder finds in one value.
var (
	ruleUnknownMember   = rule("unknown-member", diag.Error, "a member of x-idempotency is one that the grammar has")
	ruleForeignShape    = rule("foreign-shape", diag.Error, "x-idempotency has idemgen's form, not that of another tool")
	ruleDuplicateMember = rule("duplicate-member", diag.Error, "a member stands once in its object")
	ruleWrongType       = rule("wrong-type", diag.Error, "a member has the JSON type that the grammar asks for")
	ruleWrongValue      = rule("wrong-value", diag.Error, "a member has one of its allowed values")
	ruleShorthand       = rule("shorthand", diag.Error, "a short form is true, false, required, optional, natural or none")
	ruleMixedDecision   = rule("mixed-decision", diag.Error, "natural, none and conditional stand alone")
	ruleMisplaced       = rule("misplaced", diag.Error, "a decision stands on an operation, root members stand at the root")
	ruleAliasLoop       = rule("alias-loop", diag.Error, "YAML aliases and merge keys end after a bounded number of values")
	ruleBadDuration     = rule("bad-duration", diag.Error, "a duration is ISO 8601 (PT24H, P30D) or Go (24h), above zero and without months or years")
	ruleBadSize         = rule("bad-size", diag.Error, "a size is a number of bytes or has the unit KiB or MiB")
	ruleBadStatus       = rule("bad-status", diag.Error, "a status is a code such as 402 or, in a set, a class such as 2XX")
	ruleBadPointer      = rule("bad-pointer", diag.Error, "a place in a body is a JSON Pointer (RFC 6901)")
	ruleBadHeader       = rule("bad-header", diag.Error, "a header name is a token (RFC 9110, section 5.6.2) and a header value is visible text")
	ruleHeaderRole      = rule("header-role", diag.Error, "a header that HTTP or authentication uses is not given a second meaning")
	ruleBadName         = rule("bad-name", diag.Error, "a name can be printed, stored and compared")
	ruleBadIdentifier   = rule("bad-identifier", diag.Error, "a guard names its table and columns as plain SQL identifiers")
	ruleKeyPattern      = rule("key-pattern", diag.Error, "a key pattern is one that Go's regular expressions (RE2) can compile")
	ruleKeyLength       = rule("key-length", diag.Error, "a key's length limits fit each other, its format and a database index")
	ruleEmptyList       = rule("empty-list", diag.Error, "a list that cannot be empty has an entry")
	ruleDuplicateEntry  = rule("duplicate-entry", diag.Error, "an entry stands once in its list")
	ruleBadURL          = rule("bad-url", diag.Error, "docsUrl is an absolute http or https address")
	ruleVersion         = rule("extension-version", diag.Error, "the version of x-idempotency is 1")
	ruleUnknownProfile  = rule("profile-unknown", diag.Error, "a profile is one that idemgen ships, or one of a file that is named")
	ruleProfileFile     = rule("profile-file", diag.Error, "a profile of one's own has a name that is free, and a value with its source for each member")
	ruleCondition       = rule("condition-unknown", diag.Error, "a conditional operation names a header that guards a change (RFC 9110, section 13.1)")
	ruleConsumer        = rule("consumer", diag.Error, "a consumer has a name, an event and an id, and its name stands once")
)

// Policy: what the effective policy of one operation comes to.
var (
	ruleScopePrincipal   = rule("scope-without-principal", diag.Error, "a scope starts with the principal or the account")
	ruleScopeParts       = rule("scope-parts", diag.Error, "the parts of a scope do not contradict each other")
	ruleRetentionWindow  = rule("retention-retry-window", diag.Error, "a record is kept longer than any client goes on retrying")
	ruleRetentionShort   = rule("retention-short", diag.Error, "a record outlives the look for a commit whose answer was lost")
	ruleLeaseHeartbeat   = rule("lease-heartbeat", diag.Error, "a heartbeat comes well before the lease is over")
	ruleDownstreamMode   = rule("transaction-downstream", diag.Error, "an operation with external calls uses lease mode")
	ruleLeaseMembers     = rule("transaction-lease-members", diag.Warning, "lease and steps are for lease mode")
	ruleLeaseSteps       = rule("lease-without-steps", diag.Warning, "lease mode has steps or downstream calls to recover")
	ruleDuplicateStep    = rule("duplicate-step", diag.Error, "a step's name stands once")
	ruleDownstreamStep   = rule("downstream-step", diag.Error, "a downstream call names one of the steps")
	ruleDownstreamForm   = rule("downstream-format", diag.Warning, "a derived key, which holds no time, is no UUID of version 7")
	ruleStepsAlike       = rule("step-names-alike", diag.Error, "the names of two steps differ by more than case, hyphens and underscores")
	ruleRetentionLease   = rule("retention-lease", diag.Error, "a record is kept longer than a lease runs")
	ruleLeaseOptional    = rule("lease-optional-key", diag.Warning, "in lease mode a key is required")
	ruleKeyPlace         = rule("key-place", diag.Error, "a key has a name in a header, query or form and a pointer in a body")
	ruleIncludeExclude   = rule("include-and-exclude", diag.Error, "a fingerprint includes pointers or excludes them, not both")
	ruleFingerprintBody  = rule("fingerprint-body", diag.Error, "pointers choose parts of a canonical body only")
	ruleVolatileHeader   = rule("fingerprint-volatile-header", diag.Warning, "a header that changes with each attempt is not part of a fingerprint")
	ruleStore5xx         = rule("store-5xx", diag.Error, "in transaction mode no 5xx is stored: it rolls the record back with the work")
	ruleReplayStatus     = rule("replay-status", diag.Error, "a replay's status is another one that can carry the stored body")
	ruleReplayUnstored   = rule("replay-status-unstored", diag.Warning, "a status that a replay changes is one that is stored")
	ruleReplayMarker     = rule("replay-marker", diag.Warning, "a replay can be told from a first answer")
	ruleWaitAnswer       = rule("in-flight-wait", diag.Warning, "maxWait is for the answer wait")
	ruleFirstSentSkew    = rule("first-sent-skew", diag.Error, "clocks may differ by less than a record is kept")
	ruleFirstSentMembers = rule("first-sent-members", diag.Warning, "maxSkew and errors.expired are for requests that say when they were sent first")
	ruleLowEntropy       = rule("low-entropy", diag.Warning, "a key has room enough that two clients do not draw the same")
	ruleDuplicateGuard   = rule("duplicate-guard", diag.Error, "a guard's table and columns stand once")
	ruleGuardTable       = rule("guard-table-unknown", diag.Warning, "a guard's table is created before the guard's migration is issued")
	ruleReasonMissing    = rule("reason-missing", diag.Info, "natural and none say why")
	ruleSafeMethod       = rule("safe-method", diag.Info, "a key is for methods that are not idempotent by themselves")
	ruleContradicts      = rule("key-contradicts-declaration", diag.Warning, "x-idempotency and the declared key parameter say the same")
	ruleDeclaredMany     = rule("declared-ambiguous", diag.Error, "where a document declares several keys, x-idempotency says which one counts")
	ruleBatchKey         = rule("body-key-in-batch", diag.Error, "a key identifies the whole request, not an item of a batch")
	ruleFern             = rule("fern-import", diag.Error, "Fern's pair has the form that Fern documents")
	ruleFernWithoutKey   = rule("fern-without-key", diag.Warning, "an operation marked by Fern has one key that can be told")
	ruleAcceptedMany     = rule("accept-declared-ambiguous", diag.Warning, "a declared key is accepted where it is the only one")
	ruleDeclaredLength   = rule("declared-key-length", diag.Warning, "a declared key length fits a database index")
)

// Document: what can be seen only beside the operation's interface, or from the whole document.
var (
	ruleUndecided          = rule("undecided", diag.Warning, "every POST and PATCH ends with a decision")
	ruleStreaming          = rule("streaming-response", diag.Error, "an answer that is stored has an end")
	ruleFingerprintUnknown = rule("fingerprint-pointer-unknown", diag.Error, "a fingerprint's pointer is in the body's schema")
	ruleStatusUnknown      = rule("store-status-undocumented", diag.Warning, "a stored status is among the operation's responses")
	ruleSuccessLost        = rule("success-not-stored", diag.Warning, "a documented success is stored: what is not stored is rolled back")
	ruleNullableKey        = rule("nullable-key", diag.Warning, "a required body key is required and not nullable in the schema")
	ruleKeyUnknown         = rule("key-pointer-unknown", diag.Error, "a body or form key is in the body's schema")
	ruleKeyType            = rule("key-type", diag.Error, "a key is a string")
	ruleParameterLost      = rule("lease-parameter-lost", diag.Error, "what a request in lease mode needs is stored with it, and credentials are not")
	ruleCredentialStored   = rule("lease-credential-stored", diag.Warning, "a request in lease mode has no credential in its query, which is stored")
	ruleKeyMedia           = rule("key-body-media", diag.Error, "a body key needs a JSON body, a form key a form")
	ruleKeyMediaSome       = rule("key-body-media-some", diag.Warning, "every media type of the body can carry the key")
)
