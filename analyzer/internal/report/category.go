package report

import (
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
)

// Category is a kind of finding as an analyzer's page tells of it.
type Category struct {
	ID         string
	Severities []Severity // in the order in which the page names them
	Text       string
}

var (
	section = pattern.New(`(?s)\n# What it reports\n(.*?)(\n# |$)`)
	item    = pattern.New(`^\s*- ([a-z][a-z0-9-]*) \(([a-z]+(?:(?:, | or )[a-z]+)*)[^)]*\)[:.] *(.*)$`)
	comma   = pattern.New(`, | or `)
)

// Categories reads the list in the section "What it reports" of an analyzer's text. Its items have the form
//
//   - mint-in-retry-loop (error): a key that is minted in every turn
func Categories(doc string) []Category {
	found := section.FindStringSubmatch("\n" + doc)
	if found == nil {
		return nil
	}
	var list []Category
	open := false // an item may go on in the next line
	for line := range strings.Lines(found[1]) {
		line = strings.TrimRight(line, "\n")
		if parts := item.FindStringSubmatch(line); parts != nil {
			category := Category{ID: parts[1], Text: parts[3]}
			for _, word := range comma.Split(parts[2]) {
				if Severity(word).known() {
					category.Severities = append(category.Severities, Severity(word))
				}
			}
			list, open = append(list, category), true
			continue
		}
		text := strings.TrimSpace(line)
		if open = open && text != "" && !strings.HasPrefix(text, "- "); open {
			list[len(list)-1].Text += " " + text
		}
	}
	return list
}
