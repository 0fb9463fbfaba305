package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// migration applies statements, one after another, to the tables of one set of files.
type migration struct {
	own    map[string]*state // tables that the set itself creates
	before map[string]*state // tables of the sets before it: a change of one that the set does not create is a change of these
}

// state is a table while statements change it.
type state struct {
	name    string
	columns map[string]bool // name -> NOT NULL
	rules   []rule
	origin  Position
}

// rule is a unique rule while statements change it.
type rule struct {
	sqltext.UniqueRule
	names  []string // what a database may call it, when the statement does not
	column string   // what MySQL calls it then, in ALTER TABLE and DROP INDEX ... ON
	origin Position
}

// apply applies the statements of one file. position tells the line of a byte of its text.
func (m *migration) apply(list []sqltext.Statement, position func(offset int) Position) {
	for _, st := range list {
		m.statement(st, position)
		m.apply(st.Body, position)
	}
}

func (m *migration) statement(st sqltext.Statement, position func(offset int) Position) {
	switch st.Verb {
	case sqltext.CreateTable:
		if !st.Table.Known() {
			return
		}
		t := m.own[key(st.Table.Table)]
		if t == nil {
			t = &state{name: st.Table.Table, columns: map[string]bool{}, origin: position(st.Start)}
			m.own[key(st.Table.Table)] = t
		}
	case sqltext.CreateIndex, sqltext.AlterTable, sqltext.DropIndex, sqltext.DropTable:
	default:
		return
	}
	for _, change := range st.Changes {
		m.change(change)
	}
	t := m.table(st.Table.Table)
	if st.Table.Known() && t == nil && st.Verb != sqltext.DropTable && (len(st.Unique) > 0 || len(st.Defined) > 0) {
		t = &state{name: st.Table.Table, columns: map[string]bool{}, origin: position(st.Start)} // created where no file shows it
		m.own[key(st.Table.Table)] = t
	}
	if t == nil {
		return
	}
	for _, column := range st.Defined {
		t.columns[strings.ToLower(column.Name)] = column.NotNull
	}
	for _, unique := range st.Unique {
		t.add(unique, st.Verb == sqltext.CreateIndex, position(unique.Start))
	}
}

// table finds a table of the set, else one of the sets before.
func (m *migration) table(name string) *state {
	if t := m.own[key(name)]; t != nil {
		return t
	}
	return m.before[key(name)]
}

// add adds a unique rule.
func (t *state) add(unique sqltext.UniqueRule, index bool, origin Position) {
	if unique.Index != "" { // made of an index, whose name it takes unless it has its own
		for i := range t.rules {
			if t.rules[i].called(unique.Index) {
				t.rules[i].Primary = t.rules[i].Primary || unique.Primary
				if unique.Name != "" {
					t.rules[i].Name = unique.Name
				}
				t.require(t.rules[i].UniqueRule)
				return
			}
		}
		return
	}
	if len(unique.Columns) == 0 {
		return
	}
	r := rule{UniqueRule: unique, origin: origin}
	if unique.Name == "" || unique.Primary {
		joined := strings.ToLower(strings.Join(unique.Columns, "_"))
		name := strings.ToLower(t.name)
		switch {
		case unique.Primary:
			r.names = []string{name + "_pkey", "primary"}
		case index:
			r.names = []string{name + "_" + joined + "_idx"}
		default:
			r.names = []string{name + "_" + joined + "_key"}
			r.column = strings.ToLower(unique.Columns[0])
		}
	}
	for i := range t.rules { // IF NOT EXISTS, or the table created again
		if unique.Name != "" && t.rules[i].called(unique.Name) || t.rules[i].Primary && unique.Primary {
			t.rules[i] = r
			t.require(unique)
			return
		}
		if unique.Name == "" && t.rules[i].Where == unique.Where && slices.Equal(t.rules[i].Columns, unique.Columns) {
			return
		}
	}
	t.rules = append(t.rules, r)
	t.require(unique)
}

// require makes the columns of a primary key NOT NULL.
func (t *state) require(unique sqltext.UniqueRule) {
	if !unique.Primary {
		return
	}
	for _, c := range unique.Columns {
		t.columns[strings.ToLower(c)] = true
	}
}

func (r *rule) called(name string) bool {
	return r.Name != "" && strings.EqualFold(r.Name, name) || slices.Contains(r.names, strings.ToLower(name))
}

// change applies one change of ALTER, DROP or RENAME.
func (m *migration) change(c sqltext.Change) {
	if !c.Table.Known() { // an index by its name alone
		for _, tables := range []map[string]*state{m.own, m.before} {
			for _, name := range slices.Sorted(maps.Keys(tables)) {
				if t := tables[name]; m.table(name) == t && t.changeRule(c) { // the set's own table of that name hides an earlier one
					return
				}
			}
		}
		return
	}
	name := key(c.Table.Table)
	t := m.table(name)
	if t == nil {
		return
	}
	column := strings.ToLower(c.Name)
	switch c.Kind {
	case sqltext.DropWholly:
		if m.own[name] != nil {
			delete(m.own, name)
		} else {
			delete(m.before, name)
		}
	case sqltext.RenameTable:
		t.name = c.To
		if m.own[name] != nil {
			delete(m.own, name)
			m.own[key(c.To)] = t
		} else {
			delete(m.before, name)
			m.before[key(c.To)] = t
		}
	case sqltext.CopyTable:
		if source := m.table(c.Name); source != nil && source != t {
			for name, notNull := range source.columns {
				t.columns[name] = notNull
			}
			for _, r := range source.rules {
				r.Name, r.names, r.column = "", nil, ""
				t.rules = append(t.rules, r)
			}
		}
	case sqltext.DropColumn:
		delete(t.columns, column)
		t.rules = slices.DeleteFunc(t.rules, func(r rule) bool { return r.mentions(column) })
	case sqltext.DropPrimary:
		t.rules = slices.DeleteFunc(t.rules, func(r rule) bool { return r.Primary })
	case sqltext.DropRule, sqltext.RenameRule:
		t.changeRule(c)
	case sqltext.SetNotNull, sqltext.DropNotNull:
		if _, known := t.columns[column]; known || c.Kind == sqltext.SetNotNull {
			t.columns[column] = c.Kind == sqltext.SetNotNull
		}
	case sqltext.RenameColumn:
		t.renameColumn(column, c.To)
	case sqltext.ReplaceColumn:
		t.renameColumn(column, c.To)
		t.columns[strings.ToLower(c.To)] = c.Column.NotNull
	}
}

// changeRule drops or renames a rule of the table; false when it has none of that name.
func (t *state) changeRule(c sqltext.Change) bool {
	for i := range t.rules {
		if !t.rules[i].called(c.Name) && (!c.Table.Known() || t.rules[i].column == "" || t.rules[i].column != strings.ToLower(c.Name)) {
			continue
		}
		if c.Kind == sqltext.DropRule {
			t.rules = slices.Delete(t.rules, i, i+1)
		} else {
			t.rules[i].Name, t.rules[i].names, t.rules[i].column = c.To, nil, ""
		}
		return true
	}
	return false
}

func (t *state) renameColumn(from, to string) {
	to = strings.ToLower(to)
	if to == from || to == "" {
		return
	}
	if notNull, ok := t.columns[from]; ok {
		delete(t.columns, from)
		t.columns[to] = notNull
	}
	for i := range t.rules {
		columns := slices.Clone(t.rules[i].Columns)
		for n, c := range columns {
			if strings.EqualFold(c, from) {
				columns[n] = to
			} else if parts := sqltext.ExpressionColumns(c); slices.Contains(parts, from) {
				columns[n] = sqltext.RenameInExpression(c, from, to)
			}
		}
		t.rules[i].Columns = columns
	}
}

// mentions reports whether a rule is on a column, itself or in an expression.
func (r *rule) mentions(column string) bool {
	for _, c := range r.Columns {
		if strings.EqualFold(c, column) || slices.Contains(sqltext.ExpressionColumns(strings.ToLower(c)), column) {
			return true
		}
	}
	return false
}

// table gives what a state says at the end.
func (t *state) table() *Table {
	table := &Table{Name: t.name, Origin: t.origin, Columns: map[string]bool{}}
	for name, notNull := range t.columns {
		table.Columns[name] = !notNull
	}
	for _, r := range t.rules {
		out := Rule{Name: r.Name, Columns: r.Columns, Primary: r.Primary, Partial: r.Where, Origin: r.origin}
		if !r.Primary && !r.NullsNotDistinct {
			out.Nullable = table.nullable(r.Columns)
		}
		table.Rules = append(table.Rules, out)
	}
	return table
}

// nullable gives the columns of a rule that may be NULL. A column that no file declares is taken not to be; COALESCE makes a value of a NULL.
func (t *Table) nullable(columns []string) []string {
	var list []string
	for _, c := range columns {
		c = strings.ToLower(c)
		if strings.HasPrefix(c, "(coalesce(") || strings.HasPrefix(c, "(ifnull(") {
			continue
		}
		names := []string{c}
		if strings.HasPrefix(c, "(") {
			names = sqltext.ExpressionColumns(c)
		}
		for _, name := range names {
			if t.Columns[name] && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}
