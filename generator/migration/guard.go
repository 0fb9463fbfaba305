package migration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// guard is one constraint, with every operation that asks for it.
type guard struct {
	policy.Guard
	operations []string
}

// collectGuards returns the document's guards, each once, sorted by constraint, and what is wrong with them.
func collectGuards(doc *policy.Document) ([]guard, diag.List) {
	var findings diag.List
	byName := make(map[string]*guard)
	for _, op := range doc.Keyed() {
		asker := op.Method + " " + op.Path
		for _, g := range op.Policy.Guards {
			if g.Constraint == "" {
				g.Constraint = g.Name()
			}
			known, ok := byName[g.Constraint]
			switch {
			case !ok:
				byName[g.Constraint] = &guard{Guard: g, operations: []string{asker}}
			case known.Table != g.Table || !slices.Equal(known.Columns, g.Columns):
				findings = append(findings, diag.Diagnostic{
					Pos: g.Pos, Rule: "guard-name", Severity: diag.Error,
					Message: fmt.Sprintf("the guards on %s (%s) and %s (%s) come to one constraint name, %s",
						known.Table, strings.Join(known.Columns, ", "), g.Table, strings.Join(g.Columns, ", "), g.Constraint),
					Hint: "give the table or a column another name, or leave one of the guards out",
				})
			default:
				if !slices.Contains(known.operations, asker) {
					known.operations = append(known.operations, asker)
				}
				if g.On != "" {
					known.On = g.On
				}
			}
		}
	}

	guards := make([]guard, 0, len(byName))
	for _, g := range byName {
		guards = append(guards, *g)
	}
	slices.SortFunc(guards, func(a, b guard) int { return strings.Compare(a.Constraint, b.Constraint) })
	return guards, findings
}

// GuardData is what the templates of guard.sql.tmpl are given. Every name is quoted already.
type GuardData struct {
	Table   string // "schema"."table"
	Columns string // comma-separated
	// Constraint is the constraint's name and that of its index; Index is the same with the table's schema.
	Constraint, Index string
	// About says in a sentence what the constraint is for; Operations are the operations that ask for it, as "POST /path".
	About      string
	Operations []string
	// UniqueIndex is what guard.unique creates, where a dialect makes guards by it: UNIQUE INDEX, or as the database has it.
	UniqueIndex string
}

// data is what the templates are given, or what is wrong with the guard's names.
func (g guard) data() (data GuardData, fault string) {
	schema, table, err := quoteTable(g.Table)
	if err != nil {
		return GuardData{}, fmt.Sprintf("the guard's table: %v", err)
	}
	if len(g.Columns) == 0 {
		return GuardData{}, fmt.Sprintf("the guard on %q names no column", g.Table)
	}
	columns := make([]string, len(g.Columns))
	for i, column := range g.Columns {
		if columns[i], err = quoteIdentifier(column); err != nil {
			return GuardData{}, fmt.Sprintf("a column of the guard on %q: %v", g.Table, err)
		}
	}
	constraint, err := quoteIdentifier(g.Constraint)
	if err != nil {
		return GuardData{}, fmt.Sprintf("the guard's constraint: %v", err)
	}

	about := "Safety net under the idempotency key: no second row of one request."
	if g.On != "" {
		about = "Rule of the business, named in the policy: a violation is answered as a conflict."
	}
	operations := make([]string, len(g.operations))
	for i, operation := range g.operations {
		operations[i] = commentText(operation)
	}
	return GuardData{
		Table: qualified(schema, table), Columns: strings.Join(columns, ", "),
		Constraint: constraint, Index: qualified(schema, constraint),
		About: about, Operations: operations,
	}, ""
}

// removed reports the guards that were issued and are in no policy any more. What they protect is in a database, so they
// are never dropped without being asked.
func removed(found issued, guards []guard) diag.List {
	var findings diag.List
	for name, m := range found.guards {
		if slices.ContainsFunc(guards, func(g guard) bool { return g.Constraint == name }) {
			continue
		}
		findings = append(findings, diag.Diagnostic{
			Pos: m.pos, Rule: "guard-removed", Severity: diag.Warning,
			Message: fmt.Sprintf("the constraint %s was issued here and no policy asks for it any more; it is left in place", name),
			Hint: fmt.Sprintf("where it was never applied, delete this file; to drop it, write a migration with ALTER TABLE ... DROP CONSTRAINT %s and the line -- idemgen:%s %s",
				name, markDropped, name),
		})
	}
	return findings
}
