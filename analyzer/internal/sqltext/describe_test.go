package sqltext

import (
	"fmt"
	"strings"
)

// describe writes what a statement tells on one line, so that a test can hold it beside the text.
func describe(st Statement) string {
	var b strings.Builder
	b.WriteString(string(st.Verb))
	part := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, " | %s %s", label, value)
		}
	}
	list := func(label string, values []string) { part(label, strings.Join(values, ", ")) }
	flag := func(label string, set bool) {
		if set {
			b.WriteString(" | " + label)
		}
	}
	part("table", nameText(st.Table))
	var tables []string
	for _, t := range st.Tables {
		if t != st.Table {
			tables = append(tables, nameText(t))
		}
	}
	list("reads", tables)
	list("equals", st.Equals)
	var others []string
	for _, c := range st.Compared {
		if c.Table != st.Table && c.Table.Known() {
			others = append(others, c.Table.Table+"."+c.Column)
		}
	}
	list("compares", others)
	list("columns", st.Columns)
	list("values", st.Values)
	if c := st.Conflict; c.Action != NoAction {
		part("conflict", strings.TrimSpace(string(c.Action)+" "+strings.Join(c.Columns, ", ")+c.Constraint))
		part("conflict where", c.Where)
	}
	list("returning", st.Returning)
	flag("for update", st.ForUpdate)
	flag("for share", st.ForShare)
	flag("skip locked", st.SkipLocked)
	flag("not exists", st.NotExists)
	flag("aggregate", st.Aggregate)
	flag("locks", st.LocksAdvisory)
	flag("serializable", st.Serializable)
	for _, u := range st.Unique {
		text := strings.Join(u.Columns, ", ")
		for _, p := range []struct {
			label string
			set   bool
		}{{"primary", u.Primary}, {"nulls not distinct", u.NullsNotDistinct}, {"named " + u.Name, u.Name != ""}, {"using " + u.Index, u.Index != ""}, {"where " + u.Where, u.Where != ""}} {
			if p.set {
				text += " " + p.label
			}
		}
		part("unique", text)
	}
	for _, d := range st.Defined {
		text := d.Name
		if d.NotNull {
			text += " not null"
		}
		if d.Default != "" {
			text += " default " + d.Default
		}
		part("defines", text)
	}
	for _, c := range st.Changes {
		text := string(c.Kind)
		for _, s := range []string{nameText(c.Table), c.Name, c.To, c.Column.Name} {
			if s != "" {
				text += " " + s
			}
		}
		part("change", text)
	}
	flag("partial", st.Partial)
	for _, w := range st.With {
		b.WriteString(" | with (" + describe(w) + ")")
	}
	for _, w := range st.Body {
		b.WriteString(" | body (" + describe(w) + ")")
	}
	return strings.ReplaceAll(b.String(), string(rune(Hole)), "◌")
}

func nameText(n Name) string {
	if n.Schema != "" {
		return n.Schema + "." + n.Table
	}
	return n.Table
}
