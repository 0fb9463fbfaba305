package main

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/generator/policydoc"
)

// markdown is a comment for a pull request. What comes from a document is made safe for it.
func (c *comparison) markdown() string {
	var out strings.Builder
	changes := c.difference.Changes
	fmt.Fprintf(&out, "### Repeated requests: %s\n", counted(changes))
	byKind := map[compat.Kind][]compat.Group{}
	for _, g := range compat.Grouped(changes) {
		byKind[g.Kind] = append(byKind[g.Kind], g)
	}
	for _, kind := range compat.Kinds() {
		groups := byKind[kind]
		if len(groups) == 0 {
			continue
		}
		// What breaks is read by everybody, the rest by who wants to.
		if kind != compat.Breaking {
			fmt.Fprintf(&out, "\n<details><summary>%d %s</summary>\n", compat.Count(changes, kind), kind)
		}
		out.WriteString("\n")
		for _, g := range groups {
			markdownGroup(&out, g)
		}
		if kind != compat.Breaking {
			out.WriteString("\n</details>\n")
		}
	}
	markdownNeeds(&out, compat.NeedsOf(changes))
	if c.difference.Published {
		fmt.Fprintf(&out, "\n%s.\n", notCompared)
	}
	if c.difference.Undecided {
		fmt.Fprintf(&out, "\n%s.\n", nothingDecided)
	}
	fmt.Fprintf(&out, "\nFrom %s to %s. The rules are those of [docs/diff.md](%sdiff.md#rules).\n", code(c.old), code(c.current), docsAddress)
	return out.String()
}

func code(text string) string { return policydoc.Code(text).String() }

func markdownGroup(out *strings.Builder, g compat.Group) {
	what := fmt.Sprintf("%s: %s → %s", code(g.Member), code(value(g.Old)), code(value(g.New)))
	if g.Member == "operation" {
		what = policydoc.Text(told(g.Change)).String()
	}
	fmt.Fprintf(out, "- **%s** %s (%s)\n", g.Kind, what, code(g.Rule.ID))
	fmt.Fprintf(out, "  - %s.\n", g.Text)
	if len(g.Operations) > 0 {
		fmt.Fprintf(out, "  - Of %s\n", markdownOperations(g.Operations))
	}
	if g.Hint != "" {
		fmt.Fprintf(out, "  - Without breaking anybody: %s.\n", g.Hint)
	}
	var places []string
	if at := g.NewPos.String(); at != "" {
		places = append(places, "at "+code(at))
	}
	if was := g.OldPos.String(); was != "" {
		places = append(places, "before at "+code(was))
	}
	if len(places) > 0 {
		fmt.Fprintf(out, "  - %s\n", strings.Join(places, ", "))
	}
}

func markdownOperations(operations []compat.Operation) string {
	var names []string
	for i, op := range operations {
		if i == 4*shownOperations {
			names = append(names, fmt.Sprintf("and %d more", len(operations)-i))
			break
		}
		names = append(names, code(operationName(op)))
	}
	return strings.Join(names, ", ")
}

func markdownNeeds(out *strings.Builder, needs []compat.NeedOf) {
	for i, need := range needs {
		if i == 0 || need.Before != needs[i-1].Before {
			fmt.Fprintf(out, "\n%s:\n\n", when(need.Before))
		}
		fmt.Fprintf(out, "- [ ] %s ([docs/%s](%s%s))", need.Text, need.See, docsAddress, need.See)
		if len(need.Operations) > 0 {
			fmt.Fprintf(out, ", for %s", markdownOperations(need.Operations))
		}
		out.WriteString("\n")
	}
}
