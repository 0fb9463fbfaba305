package policydoc

import (
	"regexp"
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Origin is a provider whose rules operations of the page follow, and how far the provider's own documents go.
type Origin struct {
	Title Text
	// URL is the provider's page about its rules; it may be empty.
	URL   string
	Rules []OriginRule
}

// OriginRule is one rule of a provider.
type OriginRule struct {
	// Words name the rule. Basis says what it rests on, Mark the same in a word for a style: documented, third-party, own.
	Words, Basis, Mark string
	// Source is where it was read, with the month; both are empty where the rule is this API's own.
	Source Text
	Read   string
}

// origins are the profiles of doc's keyed operations, less the default one: the gaps of a draft standard are filled by
// every API, so it is no provider.
func origins(doc *policy.Document) []Origin {
	var list []Origin
	var seen []string
	for _, op := range doc.Keyed() {
		name := op.Policy.Profile
		if name == "" || name == policy.DefaultProfile || slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		profile := contract(op)
		if profile == nil {
			continue // a policy made by hand, with a profile of no file
		}
		list = append(list, newOrigin(doc, profile))
	}
	return list
}

func newOrigin(doc *policy.Document, profile *policy.Profile) Origin {
	o := Origin{Title: Text(profile.Title), URL: link(profile.URL)}
	for _, member := range memberWords {
		value, ok := profile.Find(member.name)
		if !ok {
			continue
		}
		rule := OriginRule{Words: member.words, Basis: "this API’s own choice", Mark: "own"}
		switch level, everywhere := levelOf(doc, profile.Name, member.name); {
		case level == "":
			continue // nothing follows it
		case !everywhere:
			rule.Basis = "this API’s own for some operations"
		case level == policy.LevelProfile && value.Basis == policy.Published:
			rule.Basis, rule.Mark = "documented by the provider", "documented"
		case level == policy.LevelProfile && value.Basis == policy.ThirdParty:
			rule.Basis, rule.Mark = "told by others, not by the provider", "third-party"
		case level != policy.LevelProfile && level != policy.LevelBuiltin:
			rule.Basis = "set by this API itself"
		case value.Basis == policy.NotFound:
			rule.Basis = "not documented by the provider; this API’s own choice"
		}
		if rule.Mark != "own" {
			rule.Source, rule.Read = Text(value.Source), monthOf(value.Read)
		}
		o.Rules = append(o.Rules, rule)
	}
	return o
}

// levelOf is the layer that set a member of the operations that follow a profile, and whether it is the same for all.
func levelOf(doc *policy.Document, profile, member string) (level policy.Level, everywhere bool) {
	everywhere = true
	for _, op := range doc.Keyed() {
		origin, ok := op.Origins.Find(member)
		if op.Policy.Profile != profile || !ok {
			continue
		}
		everywhere = everywhere && (level == "" || level == origin.Level)
		level = origin.Level
	}
	return level, everywhere
}

var month = regexp.MustCompile(`^\d{4}-\d{2}$`)

// monthOf is the month in which something was read, as YYYY-MM, and nothing else.
func monthOf(text string) string {
	if !month.MatchString(text) {
		return ""
	}
	return text
}
