package audit

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// MaxMarks is what an operation has of which everything is said and nothing found.
const MaxMarks = 3

// Score says how far a document is, from 0 to 100.
//
// Every POST and PATCH under paths can have three marks: none while nothing is decided; one where a key is declared and not
// decided, or where a decision has an error; two with warnings; three without. Each other operation, and the document
// itself, takes one mark away where it has a warning or an error. The score is the share of the marks that are there,
// rounded down.
//
// No finding that is mended lowers it: how many marks there can be depends on methods and paths alone, an operation never
// loses by being decided, and however many findings of one weight there are, they cost the same.
type Score struct {
	Value int
	// Marks are there of Possible ones. Marks may be below zero, which is a score of 0.
	Marks, Possible int
}

func score(doc *policy.Document, a *auditor) Score {
	var s Score
	lost := MaxMarks - elsewhere(a.whole.list)
	for i := range doc.Operations {
		op := &doc.Operations[i]
		if counts(op) {
			s.Possible += MaxMarks
		}
		lost += MaxMarks - marks(op, a.of[i].list)
	}
	s.Marks = s.Possible - lost
	switch {
	case lost == 0:
		s.Value = 100
	case s.Marks > 0:
		s.Value = 100 * s.Marks / s.Possible
	}
	return s
}

// counts reports whether an operation is one of those that the score is about.
func counts(op *policy.Operation) bool {
	return !op.Webhook && (op.Method == "POST" || op.Method == "PATCH")
}

// marks are those of one operation.
func marks(op *policy.Operation, found []Finding) int {
	switch {
	case !counts(op):
		return elsewhere(found)
	case op.Decision != policy.Undecided:
		return graded(found)
	case len(op.RequestKeys()) > 0:
		return 1
	}
	return 0
}

func graded(found []Finding) int {
	switch worst(found) {
	case diag.Error:
		return 1
	case diag.Warning:
		return 2
	}
	return MaxMarks
}

// elsewhere are the marks of what the score is not about.
func elsewhere(found []Finding) int {
	if worst(found) != diag.Info {
		return MaxMarks - 1
	}
	return MaxMarks
}

func worst(found []Finding) diag.Severity {
	most := diag.Info
	for _, f := range found {
		switch f.Severity {
		case diag.Error:
			return diag.Error
		case diag.Warning:
			most = diag.Warning
		}
	}
	return most
}
