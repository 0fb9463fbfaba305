package diag

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Severity is how much a finding weighs.
type Severity string

// The severities. Only Error stops a generation.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Diagnostic is one finding.
type Diagnostic struct {
	Pos policy.Position
	// Rule is the stable id of the check, for example "key-pattern".
	Rule     string
	Severity Severity
	// Message says what is wrong in one sentence without a full stop; Hint says how to mend it.
	Message, Hint string
	// Source is the line at Pos, without its newline; empty when it could not be had.
	Source string
}

// Error is the diagnostic on one line: file:line:column: message (rule).
func (d Diagnostic) Error() string {
	where := d.Pos.String()
	if where == "" {
		return fmt.Sprintf("%s (%s)", d.Message, d.Rule)
	}
	return fmt.Sprintf("%s: %s (%s)", where, d.Message, d.Rule)
}

// List is a set of findings. It is an error whose text is one line per finding.
type List []Diagnostic

// Error joins the findings, a line each.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i := range l {
		lines[i] = l[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the findings in file, line, column, rule order, each once.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		case a.Rule != b.Rule:
			return strings.Compare(a.Rule, b.Rule)
		default:
			return strings.Compare(a.Message, b.Message)
		}
	})
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Rule == b.Rule && a.Message == b.Message
	})
}

// Errors returns the findings of severity Error.
func (l List) Errors() List {
	var errs List
	for _, d := range l {
		if d.Severity == Error {
			errs = append(errs, d)
		}
	}
	return errs
}

// Err returns l as an error when it holds at least one finding of severity Error, else nil.
func (l List) Err() error {
	if len(l.Errors()) == 0 {
		return nil
	}
	return l
}

// FromError returns the findings that err carries, if it carries any.
func FromError(err error) (List, bool) {
	var list List
	if errors.As(err, &list) {
		return list, true
	}
	var one Diagnostic
	if errors.As(err, &one) {
		return List{one}, true
	}
	return nil, false
}
