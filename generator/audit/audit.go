package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Run audits doc, which spec.Load has read; found is what was found while it was read. Of that the findings about
// x-idempotency and all errors are part of the report: what else is wrong with a document says nothing about retries.
// doc is only read; Run may be called from several goroutines.
func Run(doc *policy.Document, found diag.List) *Report {
	a := &auditor{doc: doc, of: make([]findings, len(doc.Operations))}
	r := &Report{Title: doc.Title, All: len(doc.Operations)}
	effects := make([]effect.Effect, len(doc.Operations))
	for i := range doc.Operations {
		effects[i] = effect.Of(&doc.Operations[i])
		a.operation(i, effects[i])
	}
	a.document()
	a.read(found)

	for i := range doc.Operations {
		op := &doc.Operations[i]
		a.of[i].finish(op)
		r.Findings = append(r.Findings, a.of[i].list...)
		if listed(op) {
			r.Operations = append(r.Operations, describeOperation(op, effects[i], marks(op, a.of[i].list)))
		}
	}
	a.whole.finish(nil)
	r.Findings = append(r.Findings, a.whole.list...)
	r.Score = score(doc, a)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		}
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Operation, b.Operation), strings.Compare(a.Message, b.Message))
	})
	r.Findings = slices.CompactFunc(r.Findings, func(a, b Finding) bool { // a shared declaration is mended once
		return a.Pos == b.Pos && a.Rule == b.Rule && a.Message == b.Message
	})
	return r
}

// listed reports whether an operation stands in the table: what may do something twice, is decided, or has a key.
func listed(op *policy.Operation) bool {
	return !op.Webhook && mayRepeat(op.Method) || op.Decision != policy.Safe && op.Decision != policy.Undecided || len(op.RequestKeys()) > 0
}

func describeOperation(op *policy.Operation, does effect.Effect, marks int) Operation {
	return Operation{
		ID: op.ID, Method: op.Method, Path: op.Path, Webhook: op.Webhook, Pos: op.Pos, Decision: op.Decision,
		Effect: does.Kind, Key: keyOf(op), Answers: answers(op, does), Marks: marks,
	}
}

func keyOf(op *policy.Operation) *Key {
	key, declared := op.Policy.Key, false
	required := key.Required
	pos := placeOf(op, "key.in")
	if op.Decision != policy.Keyed {
		keys := op.RequestKeys()
		if len(keys) == 0 {
			return nil
		}
		key, declared, pos = keys[0].Key, true, keys[0].Pos
		required = keys[0].Required()
	}
	k := &Key{In: key.In, Name: key.Name, Required: required, Declared: declared, MinLength: key.MinLength, MaxLength: key.MaxLength, Pos: pos}
	if key.In == policy.InBody {
		k.Name = key.Pointer
	}
	return k
}

// auditor is one audit while it is made.
type auditor struct {
	doc   *policy.Document
	of    []findings // of each operation of doc
	whole findings   // of the document
}

// findings are those of one operation, or of the document.
type findings struct{ list []Finding }

func (f *findings) add(rule Rule, pos policy.Position, snippet, hint, message string) {
	f.list = append(f.list, Finding{Snippet: snippet, Diagnostic: diag.Diagnostic{Rule: rule.ID, Severity: rule.Severity, Pos: pos, Message: message, Hint: hint}})
}

func (f *findings) has(rule string) bool {
	return slices.ContainsFunc(f.list, func(known Finding) bool { return known.Rule == rule })
}

// finish names the operation in each finding and gives each its ID.
func (f *findings) finish(op *policy.Operation) {
	seen := map[string]int{}
	for i := range f.list {
		d := &f.list[i]
		if op != nil {
			d.Operation = name(op.Method, op.Path, op.Webhook)
		}
		d.ID = identity(d, seen)
	}
}

func as(rule Rule, severity diag.Severity) Rule {
	rule.Severity = severity
	return rule
}
