package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// perRule is how many warnings of one rule are shown; a real document can have hundreds that say the same.
const perRule = 10

// reporter prints findings as text.
type reporter struct {
	w       io.Writer
	colour  bool
	verbose bool
	sources map[string][][]byte // lines of files that findings point into
	// snippets are what there is to paste for a finding, by its text; it may be nil.
	snippets map[string]string
}

// print writes the findings in their order, with source line, caret and hint, then a line that counts them.
func (r *reporter) print(found diag.List) {
	shown, hidden := r.choose(found)
	last := lastOfRule(shown)
	for i, d := range shown {
		r.one(d)
		if more := hidden[d.Rule]; more > 0 && d.Severity == diag.Warning && last[d.Rule] == i {
			fmt.Fprintf(r.w, "%s and %d more of rule %s; --verbose shows all\n", paint(r.colour, dim, "..."), more, d.Rule)
		}
	}
	if len(found) == 0 {
		return
	}
	summary := count(found)
	if r.notesHidden(found) {
		summary += "; --verbose shows the notes"
	}
	fmt.Fprintln(r.w, summary)
}

func (r *reporter) notesHidden(found diag.List) bool {
	return !r.verbose && slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Info })
}

// choose leaves out what would drown the rest: errors are all shown, warnings up to perRule of a rule, and notes, which
// ask for nothing, only on demand.
func (r *reporter) choose(found diag.List) (shown diag.List, hidden map[string]int) {
	hidden = map[string]int{}
	seen := map[string]int{}
	for _, d := range found {
		if d.Severity == diag.Info && !r.verbose {
			continue
		}
		if d.Severity == diag.Warning && !r.verbose {
			seen[d.Rule]++
			if seen[d.Rule] > perRule {
				hidden[d.Rule]++
				continue
			}
		}
		shown = append(shown, d)
	}
	return shown, hidden
}

// lastOfRule says where each rule is shown last: that is where the rest of it is counted.
func lastOfRule(shown diag.List) map[string]int {
	last := map[string]int{}
	for i, d := range shown {
		if d.Severity == diag.Warning {
			last[d.Rule] = i
		}
	}
	return last
}

func (r *reporter) one(d diag.Diagnostic) {
	where := ""
	if at := d.Pos.String(); at != "" {
		where = paint(r.colour, bold, visible(at, keepNothing)+":") + " "
	}
	fmt.Fprintf(r.w, "%s%s %s (%s)\n", where, paint(r.colour, severityStyle(d.Severity), string(d.Severity)+":"),
		visible(d.Message, keepNothing), d.Rule)
	if line, caret, ok := snippet(r.source(d), d.Pos.Column); ok {
		fmt.Fprintf(r.w, "    %s\n", line)
		if d.Pos.Column > 0 {
			fmt.Fprintf(r.w, "    %s%s\n", caret, paint(r.colour, green, "^"))
		}
	}
	if d.Hint != "" {
		fmt.Fprintf(r.w, "    %s %s\n", paint(r.colour, cyan, "hint:"), visible(d.Hint, keepNothing))
	}
	for line := range strings.Lines(r.snippets[d.Error()]) {
		fmt.Fprintf(r.w, "      %s\n", visible(strings.TrimRight(line, "\n"), keepNothing))
	}
}

// source is the line that d points at. Rooms that work on the policy alone have no text to give, so it is read here.
func (r *reporter) source(d diag.Diagnostic) string {
	if d.Source != "" || !d.Pos.IsValid() || d.Pos.File == "" {
		return d.Source
	}
	return sourceLine(r.lines(d.Pos.File), d.Pos)
}

func (r *reporter) lines(file string) [][]byte {
	lines, known := r.sources[file]
	if !known {
		if content, err := os.ReadFile(file); err == nil {
			lines = bytes.Split(content, []byte("\n"))
		}
		if r.sources == nil {
			r.sources = map[string][][]byte{}
		}
		r.sources[file] = lines
	}
	return lines
}

func sourceLine(lines [][]byte, at policy.Position) string {
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	return string(lines[at.Line-1])
}

func severityStyle(s diag.Severity) style {
	switch s {
	case diag.Error:
		return red
	case diag.Warning:
		return yellow
	default:
		return cyan
	}
}

// count is "2 errors, 1 warning".
func count(found diag.List) string {
	number := map[diag.Severity]int{}
	for _, d := range found {
		number[d.Severity]++
	}
	var parts []string
	for _, of := range []struct {
		severity diag.Severity
		one      string
	}{{diag.Error, "error"}, {diag.Warning, "warning"}, {diag.Info, "note"}} {
		if n := number[of.severity]; n > 0 {
			parts = append(parts, plural(n, of.one))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
