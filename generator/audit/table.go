package audit

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Cell is an answer in a table: yes, no, likely ones with a question mark behind, "?" for unknown, "-" for not asked.
func (a Answer) Cell() string {
	switch {
	case a.State == Unknown:
		return "?"
	case a.State == NotAsked:
		return "-"
	case a.Likely:
		return string(a.State) + "?"
	}
	return string(a.State)
}

// KeyCell is the key in a table: "header Idempotency-Key, optional, up to 64 characters"; a key that is declared and not
// decided is in brackets.
func (o *Operation) KeyCell() string {
	if o.Key == nil {
		return "-"
	}
	text := string(o.Key.In) + " " + plain(o.Key.Name)
	if o.Key.Required {
		text += ", required"
	} else {
		text += ", optional"
	}
	switch k := o.Key; {
	case k.MinLength > 0 && k.MaxLength > 0:
		text += fmt.Sprintf(", %d-%d", k.MinLength, k.MaxLength)
	case k.MaxLength > 0:
		text += fmt.Sprintf(", up to %d", k.MaxLength)
	}
	if o.Key.Declared {
		return "(" + text + ")"
	}
	return text
}

// Summary is the report in a few lines.
func (r *Report) Summary() []string {
	decided, declared, keyed := 0, 0, 0
	for i := range r.Operations {
		op := &r.Operations[i]
		switch {
		case op.Decision == policy.Keyed:
			keyed++
			decided++
		case op.Decision != policy.Undecided && op.Decision != policy.Safe:
			decided++
		case op.Key != nil:
			declared++
		}
	}
	lines := []string{fmt.Sprintf("%d operations, %d looked at: %d decided (%d with a key), %d declare a key that nothing decides about, %d without either",
		r.All, len(r.Operations), decided, keyed, declared, len(r.Operations)-decided-declared)}
	var parts []string
	for _, of := range []struct {
		severity diag.Severity
		word     string
	}{{diag.Error, "error"}, {diag.Warning, "warning"}, {diag.Info, "note"}} {
		n := 0
		for _, f := range r.Findings {
			if f.Severity == of.severity {
				n++
			}
		}
		if n == 1 {
			parts = append(parts, "1 "+of.word)
		} else {
			parts = append(parts, fmt.Sprintf("%d %ss", n, of.word))
		}
	}
	return append(lines, "findings: "+strings.Join(parts, ", "),
		fmt.Sprintf("score: %d of 100 (%d of %d marks)", r.Score.Value, r.Score.Marks, r.Score.Possible))
}

// Markdown is the table of operations, for a page or a pull request.
func (r *Report) Markdown() string {
	var text strings.Builder
	text.WriteString("| operation | decision | key | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | a repeat |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range r.Operations {
		op := &r.Operations[i]
		key := op.KeyCell()
		if op.Key != nil {
			key = policydoc.Text(key).String()
		}
		fmt.Fprintf(&text, "| %s | %s | %s |", policydoc.Code(plain(op.ID)), DecisionWord(op.Decision), key)
		for _, a := range op.Answers {
			fmt.Fprintf(&text, " %s |", a.Cell())
		}
		fmt.Fprintf(&text, " %s |\n", op.Effect)
	}
	text.WriteString("\n")
	for _, line := range r.Summary() {
		text.WriteString(line + "  \n")
	}
	return text.String()
}
