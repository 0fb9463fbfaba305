package policydoc

import (
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/templates"
)

// Generate returns the documents that o asks for. The overlay is left out when the API's document has everything
// already. The list says what could not be put into the overlay, and why; the error is that of a template.
func Generate(doc *policy.Document, o Options) ([]output.File, diag.List, error) {
	var files []output.File
	var findings diag.List
	if o.Markdown != "" {
		page, err := markdown(doc, o.Templates)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, output.File{Path: o.Markdown, Content: page})
	}
	if o.HTML != "" {
		page, err := webPage(doc, o.Templates)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, output.File{Path: o.HTML, Content: page})
	}
	if o.JSON != "" {
		content, err := policyJSON(doc)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, output.File{Path: o.JSON, Content: content})
	}
	if o.Overlay != "" {
		content, found, err := Overlay(doc, relative(o.Overlay, doc.SpecFile))
		if err != nil {
			return nil, nil, err
		}
		findings = append(findings, found...)
		if content != nil {
			files = append(files, output.File{Path: o.Overlay, Content: content})
		}
	}
	return files, findings.Sorted(), nil
}

func markdown(doc *policy.Document, set *templates.Set) ([]byte, error) {
	page, err := render(doc, set, "policy.md.tmpl")
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimSpace(emptyLines.ReplaceAllString(page, "\n\n")) + "\n"), nil
}

// render is the page in the form of a template.
func render(doc *policy.Document, set *templates.Set, name string) (string, error) {
	if set == nil {
		var err error
		if set, err = templates.Load(nil); err != nil {
			return "", err
		}
	}
	return set.Render(name, NewPage(doc))
}

// emptyLines are more than one; a template leaves them where it prints nothing, and no code block of a page has any.
var emptyLines = regexp.MustCompile(`\n(?:[ \t]*\n){2,}`)
