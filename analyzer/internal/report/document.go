package report

import (
	"go/parser"
	"go/token"
	"strings"
)

// Doc takes the text of an analyzer out of the source of its doc.go: the section "# Analyzer NAME" of the package comment, which goes on to the next such section, without the name in front of its first line:
//
//	# Analyzer retrykey
//
//	retrykey: find keys that are minted per attempt
//
// It is empty when the source has no such section; [analysis.Validate] then refuses the analyzer, in every driver.
func Doc(source, name string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || file.Doc == nil {
		return ""
	}
	_, section, found := strings.Cut(file.Doc.Text(), "# Analyzer "+name+"\n")
	if !found {
		return ""
	}
	section, _, _ = strings.Cut(section, "\n# Analyzer ")
	text, found := strings.CutPrefix(strings.TrimSpace(section), name+":")
	if !found {
		return ""
	}
	return strings.TrimSpace(text)
}

// Section gives the text of a section of an analyzer's text, without its heading; empty when there is none of that title.
func Section(doc, title string) string {
	_, text, found := strings.Cut("\n"+doc, "\n# "+title+"\n")
	if !found {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n# ")
	return strings.Trim(text, "\n") // a section may begin with code
}
