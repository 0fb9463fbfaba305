package migration

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Whether a guard can do its work where it stands: on columns that are there, and after its table.

// The rules about the place of a guard.
const (
	// RuleGuardColumn is told at a guard in the policy.
	RuleGuardColumn = "guard-column-unknown"
	// RuleGuardBeforeTable is told at an issued file.
	RuleGuardBeforeTable = "guard-before-table"
)

// columnsKnown leaves out the guards with a column that the user's migrations never name, and reports them: a misspelt
// guard would be issued for good. Only a table that the folder alone creates is looked at; one that the configuration
// names has its columns from elsewhere too.
func (r *run) columnsKnown(guards []guard, found issued) []guard {
	schema := readTables(r.format, r.Existing)
	return slices.DeleteFunc(guards, func(g guard) bool {
		if found.has(g) || !names(schema.tables, g.Table) || names(r.Tables, g.Table) {
			return false
		}
		unknown := slices.DeleteFunc(slices.Clone(g.Columns), func(column string) bool {
			return column == "" || hasWord(schema.text, column) // a name that is none is reported as such
		})
		if len(unknown) == 0 {
			return false
		}
		r.findings = append(r.findings, diag.Diagnostic{
			Pos: g.Pos, Rule: RuleGuardColumn, Severity: diag.Warning,
			Message: fmt.Sprintf("no migration in %s names %s, of the guard on %q, so its migration is not issued yet", r.Dir, strings.Join(unknown, ", "), g.Table),
			Hint:    "correct the name, or add the column in a migration and generate again; where it is added elsewhere, name the table under migrations.tables in idemgen.yaml",
		})
		return true
	})
}

// guardsBeforeTables warns of issued guards that run before any file creates their table: in a new database they fail.
func (r *run) guardsBeforeTables(guards []guard, found issued, migrations []Existing) {
	created := make([][]string, len(migrations)) // the tables of each file, in the tool's order
	for i, file := range migrations {
		created[i] = readTables(r.format, []Existing{file}).tables
	}
	for _, g := range guards {
		mark, ok := found.indexes[g.Constraint] // the first to need the table
		if !ok {
			mark, ok = found.guards[g.Constraint]
		}
		if !ok || names(r.Tables, g.Table) {
			continue
		}
		name := path.Base(mark.pos.File)
		issuedAt := slices.IndexFunc(migrations, func(file Existing) bool { return file.Name == name })
		createdAt := slices.IndexFunc(created, func(tables []string) bool { return names(tables, g.Table) })
		if createdAt <= issuedAt {
			continue // or nowhere here
		}
		r.findings = append(r.findings, diag.Diagnostic{
			Pos: mark.pos, Rule: RuleGuardBeforeTable, Severity: diag.Warning,
			Message: fmt.Sprintf("%s needs the table %q, and %s creates it only later: in a new database the guard's migration fails", name, g.Table, migrations[createdAt].Name),
			Hint:    "where they were applied nowhere yet, renumber the two files so that the table comes first; where the table is created elsewhere before, name it under migrations.tables in idemgen.yaml",
		})
	}
}

func names(tables []string, table string) bool {
	return slices.ContainsFunc(tables, func(t string) bool { return policy.SameTable(t, table) })
}

// hasWord reports whether text holds word, in any case, and not as a part of a longer name.
func hasWord(text, word string) bool {
	pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(word))
	if err != nil {
		return true // not UTF-8: reported as no name
	}
	for at := 0; at < len(text); {
		match := pattern.FindStringIndex(text[at:])
		if match == nil {
			return false
		}
		begin, end := at+match[0], at+match[1]
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inName(before) && !inName(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[begin:])
		at = begin + size
	}
	return false
}

func inName(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
