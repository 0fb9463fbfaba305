package audit

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec/extension"
)

// Rule is one check. Its ID is stable: commands, baselines and documents name it.
type Rule struct {
	ID       string
	Severity diag.Severity
	// Title says in one sentence, without a full stop, what the rule asks for.
	Title string
	// Own is true for a rule of this package; the others are those of x-idempotency itself (docs/extension.md).
	Own bool
}

// Group is a name that stands for several rules in --fail-on.
const Group = "undecided"

// The rules of this package. Some share their ID with a rule of x-idempotency that looks at the same thing once an
// operation is decided.
var (
	ruleUndecided         = own("undecided", diag.Warning, "every POST and PATCH ends with a decision")
	ruleUndecidedDeclared = own("undecided-declared", diag.Warning, "an operation that declares a key says what the key promises")
	ruleUndecidedRead     = own("undecided-read", diag.Info, "a POST that seems to read only is stated as natural")
	ruleRelative          = own("relative-change", diag.Warning, "a change relative to what was there has a key, or sets an absolute value")
	ruleCondition         = own("condition-undeclared", diag.Warning, "the header that makes an operation safe is among its parameters")
	ruleEveryError        = own("stores-every-error", diag.Warning, "a failure that may pass is not kept and replayed")
	ruleNoError           = own("stores-no-error", diag.Warning, "a refusal that is an outcome is kept, so that a retry gets it too")
	ruleAccountScope      = own("scope-account", diag.Info, "a key that counts across operations is meant to")
	ruleNoWindow          = own("retry-window-unknown", diag.Warning, "it is said for how long clients retry, so that it can be compared with the retention")
	ruleOutlasted         = own("retries-outlast", diag.Error, "what the document tells generated clients fits retention and retry window")
	ruleRetried           = own("retried-without-key", diag.Warning, "what generated clients repeat by themselves has a key")
	ruleLayers            = own("retry-layers", diag.Info, "attempts are made in one layer, for they multiply")
	ruleConsumer          = own("consumer-retention", diag.Info, "a key outlives the events that a consumer may see again")
	ruleOptional          = own("key-optional", diag.Info, "what may move money, order or send twice requires its key")
	ruleMinted            = own("key-minted", diag.Warning, "a key is random, and neither a time, a number nor personal data")
)

var rules []Rule

func own(id string, severity diag.Severity, title string) Rule {
	r := Rule{ID: id, Severity: severity, Title: title, Own: true}
	rules = append(rules, r)
	return r
}

// Rules returns every rule that a finding of an audit can have, sorted by ID.
func Rules() []Rule {
	all := slices.Clone(rules)
	for _, r := range extension.Rules() {
		if !slices.ContainsFunc(all, func(known Rule) bool { return known.ID == r.ID }) {
			all = append(all, Rule{ID: r.ID, Severity: r.Severity, Title: r.Title})
		}
	}
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Means reports whether a word of --fail-on means a rule: its own ID, or the group that it belongs to.
func Means(word, rule string) bool {
	return word == rule || word == Group && strings.HasPrefix(rule, Group+"-")
}
