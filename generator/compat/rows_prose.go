package compat

import "github.com/idemgen/idemgen/runtime/policy"

var (
	ruleProfile = editorial("profile",
		"The values start from another profile; those that are others for it are listed on their own")
	ruleNote = editorial("note",
		"The page's note reads otherwise")
)

// proseRows are for readers of the page.
var proseRows = []row{
	{
		fields: []string{"Profile"}, member: "profile",
		value: text(func(p *policy.Policy) string { return p.Profile }), judge: always(ruleProfile),
	},
	{
		fields: []string{"Note"}, member: "note",
		value: text(func(p *policy.Policy) string { return p.Note }), judge: always(ruleNote),
	},
}
