package audit

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Report is what an audit of one document comes to. Equal documents give equal reports.
type Report struct {
	// Title is the document's, untrusted.
	Title string
	// Operations are every POST and PATCH under paths, and whatever else is decided or declares a key, in the document's
	// order. All counts the document's operations.
	Operations []Operation
	All        int
	// Findings are sorted by place and rule; those about an operation name it.
	Findings []Finding
	Score    Score
}

// Operation is one operation with its answers.
type Operation struct {
	ID, Method, Path string
	Webhook          bool
	Pos              policy.Position
	Decision         policy.Decision
	// Effect is what it is taken to do; of a decided operation as well.
	Effect effect.Kind
	// Key is its key: the policy's, else the declared one; nil where there is none.
	Key *Key
	// Answers are to [Questions], in their order.
	Answers [Count]Answer
	// Marks are what the operation has of [MaxMarks]; see [Score].
	Marks int
}

// Name is the operation in a few words: method and path.
func (o *Operation) Name() string { return name(o.Method, o.Path, o.Webhook) }

// Key is an idempotency key as a document has it.
type Key struct {
	// In is header, query, body or form; Name is the header's or the field's name, or a body's JSON Pointer.
	In       policy.Location
	Name     string
	Required bool
	// Declared is true for a key that the document declares and that nothing decides about.
	Declared bool
	// MinLength and MaxLength are in characters or bytes; 0 where nothing is said.
	MinLength, MaxLength int
	Pos                  policy.Position
}

// Finding is something to mend.
type Finding struct {
	diag.Diagnostic
	// ID is the same as long as the finding is about the same thing, wherever it moves to in its file.
	ID string
	// Operation is the name of the operation that it is about; empty for the whole document.
	Operation string
	// Snippet is something to paste, YAML; it may be empty.
	Snippet string
}

// Diagnostics are the findings without what only an audit knows, for printers of diagnostics.
func (r *Report) Diagnostics() diag.List {
	list := make(diag.List, len(r.Findings))
	for i := range r.Findings {
		list[i] = r.Findings[i].Diagnostic
	}
	return list
}
