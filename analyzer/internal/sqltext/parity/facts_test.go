package parity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// facts is what the two readers of a statement are compared by.
type facts struct {
	verb     string
	table    string
	reads    []string // sorted, each once
	equals   []string // sorted, each once; expressions left out
	columns  []string // written by an INSERT or UPDATE
	conflict string
	locks    string
	unique   []string
	changes  []string
	with     []facts
	skip     map[string]bool // parts that the reference does not tell
}

// normal sorts what has no order.
func (f *facts) normal() {
	for _, list := range []*[]string{&f.reads, &f.equals, &f.unique, &f.changes} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	for i := range f.with {
		f.with[i].normal()
	}
}

// differs gives the parts in which a reading differs from the reference, each as "part: reading, reference".
func differs(got, want facts) []string {
	var list []string
	check := func(part, a, b string) {
		if a != b && !want.skip[part] {
			list = append(list, fmt.Sprintf("%s: %s, reference %s", part, a, b))
		}
	}
	check("verb", got.verb, want.verb)
	check("table", got.table, want.table)
	check("reads", strings.Join(got.reads, " "), strings.Join(want.reads, " "))
	check("equals", strings.Join(got.equals, " "), strings.Join(want.equals, " "))
	check("columns", strings.Join(got.columns, " "), strings.Join(want.columns, " "))
	check("conflict", got.conflict, want.conflict)
	check("locks", got.locks, want.locks)
	check("unique", strings.Join(got.unique, " "), strings.Join(want.unique, " "))
	check("changes", strings.Join(got.changes, " "), strings.Join(want.changes, " "))
	if want.skip["with"] {
		return list
	}
	if len(got.with) != len(want.with) {
		return append(list, fmt.Sprintf("with: %d, reference %d", len(got.with), len(want.with)))
	}
	for i := range got.with {
		for _, d := range differs(got.with[i], want.with[i]) {
			list = append(list, "with "+d)
		}
	}
	return list
}

// ours gives the facts of a statement that sqltext read. Names are folded: the grammars keep the case of quoted names as sqltext does, but MySQL's keeps that of all.
func ours(st sqltext.Statement) facts {
	f := facts{verb: string(st.Verb), table: strings.ToLower(st.Table.Table)}
	for _, t := range st.Tables {
		f.reads = append(f.reads, strings.ToLower(t.Table))
	}
	for _, c := range st.Compared {
		if !strings.HasPrefix(c.Column, "(") {
			f.equals = append(f.equals, strings.ToLower(c.Column))
		}
	}
	if st.Verb == sqltext.Insert || st.Verb == sqltext.Update {
		for _, c := range st.Columns {
			f.columns = append(f.columns, strings.ToLower(c))
		}
	}
	if c := st.Conflict; c.Action != sqltext.NoAction && st.Verb == sqltext.Insert {
		f.conflict = string(c.Action) + " " + plainColumns(c.Columns) + c.Constraint
	}
	if st.ForUpdate {
		f.locks += "update "
	}
	if st.ForShare {
		f.locks += "share "
	}
	if st.SkipLocked {
		f.locks += "skip"
	}
	for _, u := range st.Unique {
		text := plainColumns(u.Columns)
		if u.Primary {
			text += "!"
		}
		if u.Where != "" {
			text += "?"
		}
		if u.NullsNotDistinct {
			text += "="
		}
		if u.Index != "" {
			text += "using:" + u.Index
		}
		f.unique = append(f.unique, strings.ToLower(text))
	}
	for _, c := range st.Changes {
		name := c.Name
		switch c.Kind {
		case sqltext.DropWholly:
			name = c.Table.Table
		case sqltext.CopyTable, sqltext.ReplaceColumn:
			continue
		}
		f.changes = append(f.changes, strings.ToLower(strings.ReplaceAll(string(c.Kind), " ", "-")+":"+name+">"+c.To))
	}
	for _, d := range st.Defined {
		text := "column:" + strings.ToLower(d.Name)
		if d.NotNull {
			text += "!"
		}
		f.changes = append(f.changes, text)
	}
	for _, w := range st.With {
		f.with = append(f.with, ours(w))
	}
	f.normal()
	return f
}

// plainColumns joins the columns of an index; expressions are all the same here.
func plainColumns(columns []string) string {
	var list []string
	for _, c := range columns {
		if strings.HasPrefix(c, "(") {
			c = "(expression)"
		}
		list = append(list, strings.ToLower(c))
	}
	return strings.Join(list, ",")
}
