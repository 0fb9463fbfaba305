package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/audit"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/internal/sarif"
)

// auditPage is where the rules are explained.
const auditPage = "https://github.com/idemgen/idemgen/blob/main/docs/audit.md"

// mended are the findings of a report with what there is to paste in their hints.
func mended(report *audit.Report) diag.List {
	list := report.Diagnostics()
	for i := range list {
		if snippet := report.Findings[i].Snippet; snippet != "" {
			list[i].Hint += ":\n" + snippet
		}
	}
	return list
}

func writeAuditSARIF(w io.Writer, report *audit.Report) error {
	idemgen, _ := versions()
	run := sarif.Run{Tool: "idemgen audit", Version: idemgen, URI: auditPage, Fingerprint: "idemgen/v1", Root: sarif.SourceRoot()}
	for _, rule := range audit.Rules() {
		run.Rules = append(run.Rules, sarif.Rule{ID: rule.ID, URL: rulePage(rule), Level: sarifLevel(rule.Severity), Text: rule.Title, Tags: []string{"idempotency"}})
	}
	for i, d := range mended(report) {
		text := d.Message
		if d.Hint != "" {
			text += "\n" + d.Hint
		}
		file, err := filepath.Abs(d.Pos.File)
		if err != nil {
			return err
		}
		run.Results = append(run.Results, sarif.Result{Rule: d.Rule, Level: sarifLevel(d.Severity), Message: text, Tags: []string{"idempotency"},
			At: sarif.Place{File: file, Line: d.Pos.Line, Column: d.Pos.Column}, Identity: report.Findings[i].ID})
	}
	return sarif.Write(w, run)
}

func rulePage(rule audit.Rule) string {
	if rule.Own {
		return auditPage + "#rules"
	}
	return strings.Replace(auditPage, "audit.md", "extension.md#rules", 1)
}

func sarifLevel(severity diag.Severity) sarif.Level {
	switch severity {
	case diag.Error:
		return sarif.Error
	case diag.Warning:
		return sarif.Warning
	}
	return sarif.Note
}

// writeAuditTable prints a row for each operation, the questions below, and the summary. With verbose each answer has a
// line of its own, with what it rests on and where that stands.
func writeAuditTable(w io.Writer, report *audit.Report, colour, verbose bool) error {
	rows := [][]string{{"operation", "decision", "1", "2", "3", "4", "5", "6", "7", "8", "a repeat", "key"}}
	for i := range report.Operations {
		op := &report.Operations[i]
		row := []string{op.Name(), audit.DecisionWord(op.Decision)}
		for _, a := range op.Answers {
			row = append(row, a.Cell())
		}
		rows = append(rows, append(row, string(op.Effect), op.KeyCell()))
	}
	widths := columnWidths(rows)
	var out strings.Builder
	for i, row := range rows {
		line := aligned(row, widths)
		if i == 0 {
			line = paint(colour, bold, line)
		}
		out.WriteString(line + "\n")
		if i > 0 && verbose {
			writeAnswers(&out, &report.Operations[i-1])
		}
	}
	if len(report.Operations) > 0 {
		out.WriteString("\n")
		for i, question := range audit.Questions {
			fmt.Fprintf(&out, "%d  %s\n", i+1, question)
		}
		out.WriteString("yes? and no? are what names suggest, ? is not said, - is not asked; a key in brackets is declared and not decided\n\n")
	}
	for _, line := range report.Summary() {
		out.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeAnswers(out *strings.Builder, op *audit.Operation) {
	for i, a := range op.Answers {
		if a.State == audit.NotAsked {
			continue
		}
		why := a.Why
		if a.Member != "" {
			why = a.Member + ": " + why
		}
		fmt.Fprintf(out, "    %d %-4s %s (%s)\n", i+1, a.Cell(), visible(why, keepNothing), visible(a.Pos.String(), keepNothing))
	}
}

// maxCell is the widest cell of a table, in columns; the last column has no bound.
const maxCell = 48

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = visible(row[i], keepNothing)
			widths[i] = max(widths[i], min(maxCell, columns(row[i])))
		}
	}
	return widths
}

func aligned(row []string, widths []int) string {
	var line strings.Builder
	for i, cell := range row {
		line.WriteString(cell)
		if i < len(row)-1 {
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-columns(cell))+2))
		}
	}
	return strings.TrimRight(line.String(), " ")
}
