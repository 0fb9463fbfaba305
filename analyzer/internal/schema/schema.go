package schema

import (
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// Rule is one unique rule of a table.
type Rule struct {
	Name     string   // of the constraint or index, empty when the source gives none
	Columns  []string // an expression keeps its text in parentheses: (lower(email))
	Primary  bool
	Partial  string   // predicate of a partial index; such a rule covers only what the predicate holds for
	Nullable []string // columns that may be NULL and so never collide
	Origin   Position
}

// Position is a place in a schema file or Go source.
type Position struct {
	File string // as found, relative to the module's root where possible
	Line int    // counted from 1; 0 when not known
}

// Table is a table with what is known of it.
type Table struct {
	Name    string
	Columns map[string]bool // name -> may be NULL
	Rules   []Rule
	Origin  Position
}

// Schema is what a module's files tell. It is not changed once made and safe for concurrent use.
type Schema struct {
	Tables map[string]*Table // by lower-case name without schema
	Files  []string          // what was read, in order
}

// Verdict is what a schema says of a look-up by some columns.
type Verdict int

// Verdicts of [Schema.Cover].
const (
	UnknownTable Verdict = iota // no schema in view tells of this table
	NotUnique                   // the table is known and no rule covers the columns
	NullableRule                // a rule covers them, but a column of it may be NULL
	PartialRule                 // a rule covers them, for some rows only
	Unique                      // two rows with these columns cannot exist
)

// Cover asks whether two rows with equal values in columns can exist: a rule covers them when all of its columns are among them. A rule on an expression covers the expression itself and the columns that it is made of: rows that agree in email agree in lower(email).
// Where several rules cover them, the strongest decides. The rule is nil unless one covers them. Case does not count, and a schema before the table's name neither.
func (s *Schema) Cover(table string, columns []string) (Verdict, *Rule) {
	if s == nil {
		return UnknownTable, nil
	}
	t := s.Tables[key(table)]
	if t == nil {
		return UnknownTable, nil
	}
	asked := map[string]bool{}
	for _, c := range columns {
		asked[strings.ToLower(c)] = true
	}
	best, found := NotUnique, (*Rule)(nil)
	for i := range t.Rules {
		rule := &t.Rules[i]
		if !covers(rule, asked) {
			continue
		}
		verdict := Unique
		switch {
		case rule.Partial != "":
			verdict = PartialRule
		case len(rule.Nullable) > 0:
			verdict = NullableRule
		}
		if verdict > best {
			best, found = verdict, rule
		}
	}
	return best, found
}

// covers reports whether every column of a rule is asked for.
func covers(rule *Rule, asked map[string]bool) bool {
	if len(rule.Columns) == 0 {
		return false
	}
	for _, column := range rule.Columns {
		column = strings.ToLower(column)
		if asked[column] {
			continue
		}
		parts := sqltext.ExpressionColumns(column)
		if len(parts) == 0 {
			return false
		}
		for _, part := range parts {
			if !asked[strings.ToLower(part)] {
				return false
			}
		}
	}
	return true
}

// With gives a schema that also has these tables; where a table is known already, the rules of both hold. Neither s nor the tables are changed.
func (s *Schema) With(tables ...*Table) *Schema {
	merged := &Schema{Tables: map[string]*Table{}}
	if s != nil {
		merged.Files = s.Files
		for name, t := range s.Tables {
			merged.Tables[name] = t
		}
	}
	for _, t := range tables {
		merged.merge(t)
	}
	return merged
}

// merge adds a table, or its rules and columns to the table of that name.
func (s *Schema) merge(t *Table) {
	known := s.Tables[key(t.Name)]
	if known == nil {
		s.Tables[key(t.Name)] = t
		return
	}
	both := &Table{Name: known.Name, Origin: known.Origin, Columns: map[string]bool{}, Rules: append([]Rule(nil), known.Rules...)}
	if both.Origin.File == "" {
		both.Origin = t.Origin
	}
	for _, columns := range []map[string]bool{known.Columns, t.Columns} {
		for name, null := range columns {
			both.Columns[name] = null
		}
	}
	for _, rule := range t.Rules {
		if !hasRule(both.Rules, rule) {
			both.Rules = append(both.Rules, rule)
		}
	}
	s.Tables[key(t.Name)] = both
}

// hasRule reports whether a rule on the same columns is there that promises as much.
func hasRule(rules []Rule, rule Rule) bool {
	for _, r := range rules {
		if r.Primary == rule.Primary && r.Partial == rule.Partial && strings.EqualFold(strings.Join(r.Columns, ","), strings.Join(rule.Columns, ",")) && len(r.Nullable) <= len(rule.Nullable) {
			return true
		}
	}
	return false
}

// key folds a table's name, without its schema.
func key(table string) string {
	return strings.ToLower(table[strings.LastIndexByte(table, '.')+1:])
}
