package sqltext

// alter reads ALTER TABLE and ALTER INDEX ... RENAME.
func (r *reader) alter(st *Statement, i, j int) {
	i++
	if r.is(i, "index") {
		name, next := r.name(r.ifNot(i+1), j)
		if r.words(next, "rename", "to") {
			st.Verb = AlterTable
			st.Changes = append(st.Changes, Change{Kind: RenameRule, Name: name.Table, To: r.at(next + 2).text})
		}
		return
	}
	for r.is(i, "ignore", "foreign") {
		i++
	}
	if !r.is(i, "table") {
		return
	}
	st.Verb = AlterTable
	i = r.ifNot(i + 1)
	if r.is(i, "only") {
		i++
	}
	st.Table, i = r.name(i, j)
	st.Partial = st.Partial || !st.Table.Known()
	if r.at(i).is("*") {
		i++
	}
	for _, part := range r.list(i, j) {
		r.action(st, part[0], part[1])
	}
}

// action reads one action of ALTER TABLE.
func (r *reader) action(st *Statement, i, j int) {
	change := func(kind ChangeKind, name, to string) {
		st.Changes = append(st.Changes, Change{Kind: kind, Table: st.Table, Name: name, To: to})
	}
	switch {
	case i >= j:
	case r.is(i, "add"):
		r.add(st, i+1, j)
	case r.is(i, "drop"):
		r.dropPart(st, i+1, j)
	case r.is(i, "rename"):
		i++
		switch {
		case r.is(i, "to", "as"):
			name, _ := r.name(i+1, j)
			change(RenameTable, st.Table.Table, name.Table)
		case r.is(i, "constraint", "index", "key") && r.is(i+2, "to"):
			change(RenameRule, r.at(i+1).text, r.at(i+3).text)
		default:
			if r.is(i, "column") {
				i++
			}
			if r.is(i+1, "to") {
				change(RenameColumn, r.at(i).text, r.at(i+2).text)
			} else if i+1 == j { // MySQL: RENAME name
				change(RenameTable, st.Table.Table, r.at(i).text)
			}
		}
	case r.is(i, "alter"):
		i++
		if r.is(i, "column") {
			i++
		}
		name := r.at(i).text
		switch {
		case r.words(i+1, "set", "not", "null"):
			change(SetNotNull, name, "")
		case r.words(i+1, "drop", "not", "null"):
			change(DropNotNull, name, "")
		}
	case r.is(i, "modify", "change"):
		renames := r.is(i, "change")
		i++
		if r.is(i, "column") {
			i++
		}
		name := r.at(i).text
		if renames {
			i++
		}
		if column, ok := r.declaration(st, i, j); ok {
			st.Changes = append(st.Changes, Change{Kind: ReplaceColumn, Table: st.Table, Name: name, To: column.Name, Column: column})
		}
	case r.at(i).kind == hole, r.at(i).unknown:
		st.Partial = true
	}
}

// add reads what ADD adds: a column, several in parentheses, or a constraint.
func (r *reader) add(st *Statement, i, j int) {
	if r.is(i, "column") {
		i = r.ifNot(i + 1)
		if !r.is(i, "(") {
			if column, ok := r.declaration(st, i, j); ok {
				st.Defined = append(st.Defined, column)
			} else {
				st.Partial = true
			}
			return
		}
	}
	i = r.ifNot(i)
	if r.is(i, "(") {
		a, b := r.inner(i, j)
		for _, part := range r.list(a, b) {
			r.element(st, part[0], part[1])
		}
		return
	}
	r.element(st, i, j)
}

// dropPart reads what the DROP of an ALTER TABLE drops.
func (r *reader) dropPart(st *Statement, i, j int) {
	change := Change{Table: st.Table}
	switch {
	case r.words(i, "primary", "key"):
		change.Kind = DropPrimary
		st.Changes = append(st.Changes, change)
		return
	case r.is(i, "constraint", "index", "key") && r.at(i+1).named():
		change.Kind = DropRule
		i = r.ifNot(i + 1)
	case r.is(i, "foreign", "check", "partition", "expression", "identity", "default"):
		return
	default:
		change.Kind = DropColumn
		if r.is(i, "column") {
			i++
		}
		i = r.ifNot(i)
	}
	name, ok := r.lastName(i, i+1)
	if !ok || i >= j {
		st.Partial = true
		return
	}
	change.Name = name
	st.Changes = append(st.Changes, change)
}

// drop reads DROP TABLE and DROP INDEX.
func (r *reader) drop(st *Statement, i, j int) {
	i++
	kind := DropWholly
	switch {
	case r.is(i, "table"):
		st.Verb = DropTable
	case r.words(i, "temporary", "table"):
		st.Verb = DropTable
		i++
	case r.is(i, "index"):
		st.Verb, kind = DropIndex, DropRule
	default:
		return
	}
	i++
	if r.is(i, "concurrently") {
		i++
	}
	i = r.ifNot(i)
	on := r.find(i, j, "on")
	if kind == DropRule && on < j { // MySQL: DROP INDEX name ON table
		st.Table, _ = r.name(on+1, j)
	}
	for _, part := range r.list(i, on) {
		name, _ := r.name(part[0], part[1])
		if !name.Known() {
			st.Partial = true
			continue
		}
		change := Change{Kind: kind, Table: st.Table, Name: name.Table}
		if kind == DropWholly {
			change.Table = name
			if !st.Table.Known() {
				st.Table = name
			}
		}
		st.Changes = append(st.Changes, change)
	}
	if kind == DropWholly {
		for n := range st.Changes {
			st.Changes[n].Name = ""
		}
	}
}

// renameTables reads MySQL's RENAME TABLE a TO b, c TO d.
func (r *reader) renameTables(st *Statement, i, j int) {
	st.Verb = AlterTable
	for _, part := range r.list(i, j) {
		from, next := r.name(part[0], part[1])
		to, _ := r.name(next+1, part[1])
		if !from.Known() || !to.Known() || !r.is(next, "to") {
			st.Partial = true
			continue
		}
		if !st.Table.Known() {
			st.Table = from
		}
		st.Changes = append(st.Changes, Change{Kind: RenameTable, Table: from, Name: from.Table, To: to.Table})
	}
}

// block reads the statements in the body of a DO, whatever language surrounds them: each word that starts a statement about tables, at the start of the body or behind BEGIN, THEN, ELSE, LOOP or a semicolon.
func (r *reader) block(st *Statement, i, j, depth int) {
	for ; i < j; i++ {
		t := r.at(i)
		if t.kind != str || len(t.text) == 0 || t.text[0] != '$' {
			continue
		}
		st.Body = append(st.Body, block(r.text, t, depth)...)
	}
}

func block(text string, body token, depth int) []Statement {
	if depth > 2 {
		return nil
	}
	open := 1
	for open < len(body.text) && body.text[open] != '$' {
		open++
	}
	open++
	start, end := body.start+open, body.end-open
	if start >= end {
		return nil
	}
	tokens, mysql := scan(text[start:end])
	for n := range tokens {
		tokens[n].start += start
		tokens[n].end += start
	}
	var list []Statement
	for n := 0; n < len(tokens); n++ {
		if !tokens[n].is("alter", "create", "drop", "rename") || n > 0 && !tokens[n-1].is(";", "begin", "then", "else", "loop") {
			continue
		}
		stop := n
		for stop < len(tokens) && !tokens[stop].is(";") {
			stop++
		}
		list = append(list, statements(text, tokens[n:stop], mysql, depth+1)...)
		n = stop
	}
	return list
}
