package compat

import (
	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	rulePageTitle = editorial("page-title", "The page has another title")
	ruleContact   = editorial("contact", "Somebody else is to be asked")
	ruleDocsURL   = editorial("docs-url", "The page is published at another address")
	ruleDefault   = editorial("document-profile", "The document's values start from another profile; what is another value for it is listed at each operation")
)

// documentRow is a member of the document's own.
type documentRow struct {
	field, member string
	value         func(*policy.Document) string
	rule          Rule
}

var documentRows = []documentRow{
	{"PageTitle", "title", func(d *policy.Document) string { return quoted(d.PageTitle) }, rulePageTitle},
	{"Contact", "contact", func(d *policy.Document) string { return quoted(d.Contact) }, ruleContact},
	{"DocsURL", "docsUrl", func(d *policy.Document) string { return quoted(d.DocsURL) }, ruleDocsURL},
	{"Profile", "profile", func(d *policy.Document) string { return quoted(d.Profile) }, ruleDefault},
}

func documentChanges(old, current *policy.Document) []Change {
	var changes []Change
	for _, r := range documentRows {
		if before, after := r.value(old), r.value(current); before != after {
			changes = append(changes, Change{
				Rule: r.rule, Member: r.member, Old: before, New: after,
				OldPos: policy.Position{File: old.SpecFile}, NewPos: policy.Position{File: current.SpecFile},
			})
		}
	}
	return changes
}
