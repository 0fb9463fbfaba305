package main

import (
	"go/token"
	"io"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer"
	"github.com/idemgen/idemgen/internal/sarif"
)

// writeSARIF prints one run.
func writeSARIF(w io.Writer, root string, analyzers []*analysis.Analyzer, findings []finding, problems []string) error {
	run := sarif.Run{Tool: "idemvet", Version: moduleVersion(), URI: "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/README.md", Fingerprint: "idemvet/v1", Root: root, Problems: problems}
	for _, a := range analyzers {
		for _, c := range analyzer.CategoriesOf(a) {
			help, markdown := ruleHelp(a, c)
			run.Rules = append(run.Rules, sarif.Rule{ID: ruleID(a.Name, c.ID), URL: analyzer.CategoryURL(a, c.ID), Level: level(c.Severity), Text: sentence(c.Text),
				Help: help, HelpMarkdown: markdown, Tags: tags(a.Name)})
		}
	}
	for _, f := range findings {
		run.Results = append(run.Results, result(f))
	}
	return sarif.Write(w, run)
}

// ruleID names a rule, which is an analyzer's category. Those of other analyzers have their name alone.
func ruleID(name, category string) string {
	if category == "" || category == name {
		return name
	}
	return name + "/" + category
}

func tags(name string) []string { return []string{"idempotency", name} }

// sentence begins with a capital letter, as what stands alone in a viewer should.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// ruleHelp is what a viewer shows beside a finding: what it costs and how it is mended, which the analyzer's page tells.
func ruleHelp(a *analysis.Analyzer, c analyzer.Category) (plain, markdown string) {
	text := sentence(c.Text) + "\n"
	for _, title := range []string{"Why", "Before and after"} {
		if section := analyzer.Section(a, title); section != "" {
			text += "\n# " + title + "\n\n" + section + "\n"
		}
	}
	url := analyzer.CategoryURL(a, c.ID)
	return text + "\nMore: " + url + "\n", text + "\n[More about it](" + url + ")\n"
}

func level(severity analyzer.Severity) sarif.Level {
	switch severity {
	case analyzer.SeverityError:
		return sarif.Error
	case analyzer.SeverityInfo:
		return sarif.Note
	}
	return sarif.Warning
}

// ranks say in SARIF's terms (0 to 100) how sure a finding is.
var ranks = map[analyzer.Confidence]float64{analyzer.Low: 30, analyzer.Medium: 60, analyzer.High: 90}

func result(f finding) sarif.Result {
	r := sarif.Result{
		Rule: ruleID(f.analyzer, f.category), URL: f.url, Tags: tags(f.analyzer), Level: level(f.grade.Severity),
		Rank: ranks[f.grade.Confidence], Confidence: string(f.grade.Confidence), Message: f.text, At: place(f.start, f.end),
	}
	for _, n := range f.related {
		r.Related = append(r.Related, sarif.Related{At: place(n.start, n.end), Text: n.text})
	}
	for _, offered := range f.fixes {
		made := sarif.Fix{Text: offered.text}
		for _, e := range offered.edits {
			made.Edits = append(made.Edits, sarif.Edit{At: place(e.start, e.end), Text: e.text})
		}
		r.Fixes = append(r.Fixes, made)
	}
	return r
}

// place is a range within one file; one that ends in another file is the point where it begins.
func place(start, end token.Position) sarif.Place {
	p := sarif.Place{File: start.Filename, Line: start.Line, Column: start.Column}
	if end.Filename == start.Filename && end.Line >= start.Line {
		p.EndLine, p.EndColumn = max(end.Line, 1), end.Column
	}
	return p
}
