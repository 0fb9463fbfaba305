package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// docsAddress is where the pages stand that the needs of a change name.
const docsAddress = "https://github.com/idemgen/idemgen/blob/main/docs/"

// notCompared is said where a version is a published policy.
const notCompared = "One version is a published policy: guards, steps, calls of other services and heartbeats, which are not published, were not compared"

// nothingDecided is said where neither version has a policy.
const nothingDecided = "Neither version decides anything about a POST or PATCH: where the policy is in an overlay, name it with --overlay; where the documents declare key parameters, --accept-declared takes those as decided"

// printDiff prints what a comparison found, in the format that was asked for.
func (s *session) printDiff(c *comparison) error {
	switch s.format {
	case "json":
		return c.json(s)
	case "markdown":
		_, err := io.WriteString(s.stdout, c.markdown())
		return err
	case "github":
		writeGitHub(s.stdout, c.annotations())
		return nil
	default:
		p := diffPrinter{w: s.stdout, reporter: reporter{colour: s.colourOn(s.stdout)}, verbose: s.verbose}
		p.print(c)
		return nil
	}
}

// diffPrinter prints a comparison as text.
type diffPrinter struct {
	w        io.Writer
	reporter reporter // reads lines of files
	verbose  bool
}

func (p *diffPrinter) print(c *comparison) {
	changes := c.difference.Changes
	for _, group := range compat.Grouped(changes) {
		p.group(group)
	}
	before := true
	for i, need := range compat.NeedsOf(changes) {
		if i == 0 || need.Before != before {
			before = need.Before
			fmt.Fprintln(p.w, paint(p.reporter.colour, bold, when(before)+":"))
		}
		fmt.Fprintf(p.w, "    %s (docs/%s)\n", need.Text, need.See)
		p.operations(need.Operations)
	}
	if c.difference.Published {
		fmt.Fprintln(p.w, notCompared)
	}
	if c.difference.Undecided {
		fmt.Fprintln(p.w, nothingDecided)
	}
	fmt.Fprintln(p.w, counted(changes))
}

func (p *diffPrinter) group(g compat.Group) {
	at, was := g.NewPos, g.OldPos
	if !at.IsValid() && at.File == "" {
		at, was = was, policy.Position{}
	}
	colour := p.reporter.colour
	where := ""
	if text := at.String(); text != "" {
		where = paint(colour, bold, visible(text, keepNothing)+":") + " "
	}
	fmt.Fprintf(p.w, "%s%s %s (%s)\n", where, paint(colour, kindStyle(g.Kind), string(g.Kind)+":"), visible(told(g.Change), keepNothing), g.Rule.ID)
	if line, caret, ok := snippet(p.reporter.source(diag.Diagnostic{Pos: at}), at.Column); ok {
		fmt.Fprintf(p.w, "    %s\n", line)
		if at.Column > 0 {
			fmt.Fprintf(p.w, "    %s%s\n", caret, paint(colour, green, "^"))
		}
	}
	p.operations(g.Operations)
	fmt.Fprintf(p.w, "    %s\n", g.Text)
	if g.Hint != "" {
		fmt.Fprintf(p.w, "    %s %s\n", paint(colour, cyan, "hint:"), g.Hint)
	}
	if text := was.String(); text != "" {
		fmt.Fprintf(p.w, "    %s %s\n", paint(colour, dim, "before:"), visible(text, keepNothing))
	}
}

// shownOperations is how many operations are named that have a change alike.
const shownOperations = 5

func (p *diffPrinter) operations(operations []compat.Operation) {
	if len(operations) == 0 {
		return
	}
	shown := operations
	if !p.verbose && len(shown) > shownOperations {
		shown = shown[:shownOperations]
	}
	names := make([]string, len(shown))
	for i, op := range shown {
		names[i] = visible(operationName(op), keepNothing)
	}
	more := ""
	if n := len(operations) - len(shown); n > 0 {
		more = fmt.Sprintf(" and %d more; --verbose names all", n)
	}
	fmt.Fprintf(p.w, "    %s %s%s\n", paint(p.reporter.colour, dim, "of:"), strings.Join(names, ", "), more)
}

func operationName(op compat.Operation) string {
	name := op.Method + " " + op.Path
	if op.Webhook {
		name = "webhook " + op.Path
	}
	if op.ID == "" {
		return name
	}
	return op.ID + " (" + name + ")"
}

func kindStyle(kind compat.Kind) style {
	switch kind {
	case compat.Breaking:
		return red
	case compat.Compatible:
		return green
	default:
		return cyan
	}
}

// longestValue is how many characters of a value are shown; a note can be a page.
const longestValue = 120

// told says what has changed: "retention: PT24H -> PT12H".
func told(c compat.Change) string {
	before, after := apart(c.Old, c.New)
	before, after = value(before), value(after)
	switch {
	case c.Member == "operation" && c.Old == "":
		return "operation added, " + after
	case c.Member == "operation":
		return "operation removed, " + before
	default:
		return c.Member + ": " + before + " -> " + after
	}
}

// sameBefore is how many characters are shown, of what two long values have in common, before they part.
const sameBefore = 20

// apart are two values without what they begin with alike, where one is too long to be shown: what has changed would stand
// behind the cut.
func apart(before, after string) (string, string) {
	a, b := []rune(before), []rune(after)
	if len(a) <= longestValue && len(b) <= longestValue {
		return before, after
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	start := max(0, same-sameBefore)
	if i := strings.LastIndex(string(a[start:same]), ", "); i >= 0 {
		start += utf8.RuneCountInString(string(a[start:same])[:i+2])
	}
	if start == 0 {
		return before, after
	}
	return "…" + string(a[start:]), "…" + string(b[start:])
}

func value(text string) string {
	if text == "" {
		return "none"
	}
	if utf8.RuneCountInString(text) <= longestValue {
		return text
	}
	return string([]rune(text)[:longestValue]) + "…"
}

func when(before bool) string {
	if before {
		return "Before the new policy is served"
	}
	return "Afterwards"
}

// counted is "1 breaking, 2 compatible, 3 editorial changes".
func counted(changes []compat.Change) string {
	var parts []string
	for _, kind := range compat.Kinds() {
		if n := compat.Count(changes, kind); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	switch {
	case len(changes) == 0:
		return "the policies are the same"
	case len(changes) == 1:
		return parts[0] + " change"
	default:
		return strings.Join(parts, ", ") + " changes"
	}
}

// annotations are the changes as findings at their places in the new version, where it still has one.
func (c *comparison) annotations() diag.List {
	severities := map[compat.Kind]diag.Severity{compat.Breaking: diag.Error, compat.Compatible: diag.Info, compat.Editorial: diag.Info}
	var list diag.List
	for _, g := range compat.Grouped(c.difference.Changes) {
		message := string(g.Kind) + ": " + visible(told(g.Change), keepNothing)
		for i, op := range g.Operations {
			separator := ", "
			if i == 0 {
				separator = "\nof "
			}
			message += separator + visible(operationName(op), keepNothing)
		}
		message += "\n" + g.Text
		if was := g.OldPos.String(); was != "" {
			message += "\nbefore: " + visible(was, keepNothing)
		}
		hint := g.Hint
		for _, need := range g.Needs {
			hint += "\n" + when(need.Before) + ": " + need.Text + " (" + docsAddress + need.See + ")"
		}
		at := g.NewPos
		at.File = visible(at.File, keepNothing)
		list = append(list, diag.Diagnostic{Pos: at, Rule: g.Rule.ID, Severity: severities[g.Kind], Message: message, Hint: strings.TrimSpace(hint)})
	}
	return list
}
