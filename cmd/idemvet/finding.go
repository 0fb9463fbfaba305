package main

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"

	"github.com/idemgen/idemgen/analyzer"
)

// finding is a diagnostic as the formats print it: with positions in files instead of in a program.
type finding struct {
	analyzer, category string
	grade              analyzer.Grade // of our own analyzers; those of go vet have none
	message            string         // as the analyzer gave it
	text               string         // without the grade
	url                string
	start, end         token.Position
	related            []note
	fixes              []fix
}

type note struct {
	start, end token.Position
	text       string
}

type fix struct {
	text  string
	edits []edit
}

type edit struct {
	start, end token.Position
	text       string
}

// findingsOf gives what the roots of a graph found, in the order of files and lines, each once: a file may belong to several packages.
func findingsOf(graph *checker.Graph) []finding {
	var list []finding
	for _, act := range graph.Roots {
		for _, d := range act.Diagnostics {
			list = append(list, newFinding(act.Package.Fset, act.Analyzer.Name, d))
		}
	}
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(
			cmp.Compare(a.start.Filename, b.start.Filename), cmp.Compare(a.start.Line, b.start.Line), cmp.Compare(a.start.Column, b.start.Column),
			cmp.Compare(a.analyzer, b.analyzer), cmp.Compare(a.message, b.message), cmp.Compare(a.end.Offset, b.end.Offset))
	})
	return slices.CompactFunc(list, func(a, b finding) bool {
		return a.start == b.start && a.end == b.end && a.analyzer == b.analyzer && a.message == b.message
	})
}

func newFinding(fset *token.FileSet, name string, d analysis.Diagnostic) finding {
	f := finding{analyzer: name, category: d.Category, message: d.Message, url: d.URL, start: fset.Position(d.Pos), end: endOf(fset, d.Pos, d.End)}
	f.text, f.grade, _ = analyzer.SplitGrade(d.Message)
	for _, r := range d.Related {
		f.related = append(f.related, note{fset.Position(r.Pos), endOf(fset, r.Pos, r.End), r.Message})
	}
	for _, offered := range d.SuggestedFixes {
		made := fix{text: offered.Message}
		for _, e := range offered.TextEdits {
			made.edits = append(made.edits, edit{fset.PositionFor(e.Pos, false), endOf(fset, e.Pos, e.End), string(e.NewText)})
		}
		f.fixes = append(f.fixes, made)
	}
	return f
}

func endOf(fset *token.FileSet, start, end token.Pos) token.Position {
	if !end.IsValid() {
		end = start
	}
	return fset.Position(end)
}
