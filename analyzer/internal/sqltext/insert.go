package sqltext

// insert reads INSERT and REPLACE.
func (r *reader) insert(st *Statement, i, j int, sc *scope, depth int) {
	if !r.isInsert(i, j) {
		return
	}
	st.Verb = Insert
	if r.is(i, "replace") {
		st.Conflict.Action = Replace
	}
	for i++; i < j && r.is(i, "or", "ignore", "replace", "abort", "fail", "rollback", "low_priority", "delayed", "high_priority", "overwrite"); i++ {
		switch {
		case r.is(i, "ignore"):
			st.Conflict.Action = DoNothing
		case r.is(i, "replace"):
			st.Conflict.Action = Replace
		}
	}
	if r.is(i, "into") { // MySQL does without
		i++
	}
	if r.is(i, "table") && r.at(i+1).named() {
		i++
	}
	st.Table, i = r.name(i, j)
	st.Partial = st.Partial || !st.Table.Known()
	if r.is(i, "as") {
		i += 2
	} else if r.at(i).named() && !r.is(i, "values", "value", "select", "with", "default", "set", "overriding", "table", "on", "returning", "partition") {
		i++
	}
	if r.is(i, "partition") && r.is(i+1, "(") {
		i = r.skip(i + 1)
	}
	i = min(i, j)                       // the text may end behind AS
	for i < j && r.at(i).kind == hole { // the columns, or all of the rest
		st.Partial = true
		i++
	}
	unknownColumns := false
	if r.is(i, "(") && !r.asks(r.inner(i, j)) {
		a, b := r.inner(i, j)
		for _, part := range r.list(a, b) {
			if name, ok := r.lastName(part[0], part[1]); ok {
				st.Columns = append(st.Columns, name)
			} else {
				unknownColumns = true
			}
		}
		i = r.skip(i)
	}
	tail := i
	for tail < j && !(r.is(tail, "on") && r.startsClause(tail)) && !(r.is(tail, "returning", "output") && r.startsClause(tail)) {
		tail = r.skip(tail)
	}
	r.source(st, i, tail, sc, depth)
	if unknownColumns || len(st.Values) != len(st.Columns) && len(st.Columns) > 0 {
		st.Partial = st.Partial || unknownColumns
		st.Values = nil
	}
	r.conflict(st, tail, j, sc, depth)
	r.conflictAt(st, tail, j)
}

// isInsert tells the statements from functions and columns called like them.
func (r *reader) isInsert(i, j int) bool { return i+1 < j && !r.at(i+1).is("(", "=", ",", ".") }

// lastName reads [t.]name.
func (r *reader) lastName(i, j int) (string, bool) {
	for i+2 < j && r.at(i).named() && r.at(i+1).is(".") {
		i += 2
	}
	t := r.at(i)
	if i >= j || !t.named() || t.unknown {
		return "", false
	}
	return t.text, i+1 == j
}

// source reads where the rows of an INSERT come from.
func (r *reader) source(st *Statement, i, j int, sc *scope, depth int) {
	if r.is(i, "overriding") {
		i += 3
	}
	for i < j && r.is(i, "(") && r.match[i] == j-1 && r.asks(r.inner(i, j)) {
		i, j = i+1, j-1
	}
	switch {
	case i >= j:
	case r.is(i, "values", "value"):
		r.values(st, i+1, j, sc, depth)
	case r.is(i, "set"):
		r.assignments(st, i+1, j)
		r.subselects(st, i+1, j, sc, depth)
	case r.is(i, "default"):
	case r.is(i, "with"):
		inner := Statement{}
		next := r.with(&inner, i, j, &sc, depth)
		st.With = append(st.With, inner.With...)
		r.rows(st, next, j, sc, depth)
	default:
		r.rows(st, i, j, sc, depth)
	}
}

// values reads the first row of VALUES, and the sub-selects in all of them.
func (r *reader) values(st *Statement, i, j int, sc *scope, depth int) {
	switch {
	case r.is(i, "row") && r.is(i+1, "("):
		i++
		fallthrough
	case r.is(i, "("):
		a, b := r.inner(i, j)
		for _, part := range r.list(a, b) {
			st.Values = append(st.Values, r.span(part[0], part[1]))
		}
		r.subselects(st, a, b, sc, depth)
		i = r.skip(i)
	case r.at(i).kind == hole, r.at(i).kind == param:
		i++
	}
	for i < j { // further rows, and MySQL's alias of the new row
		if r.at(i).kind == hole && r.at(i-1).endsOperand() {
			st.Partial = true
		}
		if r.is(i, "(") {
			a, b := r.inner(i, j)
			r.subselects(st, a, b, sc, depth)
		}
		i = r.skip(i)
	}
}

// rows reads the SELECT of an INSERT.
func (r *reader) rows(st *Statement, i, j int, sc *scope, depth int) {
	q := r.selection(i, j, sc, depth)
	if q.Verb != Select {
		st.Partial = true
		return
	}
	for _, t := range q.Tables {
		st.addTable(t)
	}
	st.With = append(st.With, q.With...)
	st.Partial = st.Partial || q.Partial
	st.ForUpdate, st.ForShare, st.SkipLocked = q.ForUpdate, q.ForShare, q.SkipLocked
	for _, item := range q.items {
		end := r.find(item[0], item[1], "as")
		st.Values = append(st.Values, r.span(item[0], end))
	}
	for _, sub := range q.missing {
		if sub.Table == st.Table && st.Table.Known() {
			st.NotExists = true
			st.Compared = append(st.Compared, sub.Compared...)
			st.Equals = append(st.Equals, sub.Equals...)
		}
	}
}

// assignments reads a = 1, b = 2 and (a, b) = (1, 2).
func (r *reader) assignments(st *Statement, i, j int) {
	for _, part := range r.list(i, j) {
		eq := r.find(part[0], part[1], "=", ":=")
		if eq == part[1] {
			continue
		}
		if row := r.row(part[0], eq); row != nil {
			for _, p := range row {
				if name, ok := r.lastName(p[0], p[1]); ok {
					st.Columns = append(st.Columns, name)
				}
			}
			continue
		}
		end := part[0]
		for end < eq && !r.at(end).is("[") {
			end++
		}
		if name, ok := r.lastName(part[0], end); ok {
			st.Columns = append(st.Columns, name)
			if st.Verb == Insert {
				st.Values = append(st.Values, r.span(eq+1, part[1]))
			}
		}
	}
}

// conflict reads ON CONFLICT, ON DUPLICATE KEY UPDATE and RETURNING.
func (r *reader) conflict(st *Statement, i, j int, sc *scope, depth int) {
	for i < j {
		switch {
		case r.is(i, "on") && r.is(i+1, "conflict"):
			i = r.onConflict(st, i+2, j)
		case r.words(i, "on", "duplicate", "key"):
			st.Conflict.Action = DoUpdate
			i += 3
		case r.is(i, "returning", "output") && r.startsClause(i):
			end := r.find(i+1, j, "into")
			r.returning(st, i+1, end)
			return
		default:
			if r.at(i).kind == hole && r.at(i-1).endsOperand() {
				st.Partial = true
			}
			if r.is(i, "(") {
				r.subselects(st, i, r.skip(i), sc, depth)
			}
			i = r.skip(i)
		}
	}
}

// onConflict reads the target and the action, and gives the token behind DO NOTHING or DO UPDATE.
func (r *reader) onConflict(st *Statement, i, j int) int {
	c := Conflict{}
	hidden := false
	if r.words(i, "on", "constraint") {
		c.Constraint = r.at(i + 2).text
		i += 3
	} else if r.is(i, "(") {
		a, b := r.inner(i, j)
		for _, part := range r.list(a, b) {
			c.Columns = append(c.Columns, r.indexColumn(part[0], part[1]))
		}
		i = r.skip(i)
	}
	do := i
	for do < j && !(r.is(do, "do") && r.is(do+1, "nothing", "update")) {
		hidden = hidden || r.at(do).kind == hole
		do = r.skip(do)
	}
	if r.is(i, "where") {
		c.Where = r.span(i+1, do)
	}
	switch {
	case r.is(do+1, "nothing"):
		c.Action = DoNothing
	case r.is(do+1, "update"):
		c.Action = DoUpdate
	}
	if st.Conflict.Action == NoAction || c.Action != NoAction { // SQLite takes several clauses: the last one without a target speaks for the rest
		if len(st.Conflict.Columns) > 0 && len(c.Columns) > 0 {
			c.Columns = st.Conflict.Columns
		}
		st.Conflict = c
	}
	st.Partial = st.Partial || hidden || c.Action == NoAction
	return min(do+2, j)
}

// indexColumn reads a column of an index or a conflict target: its name, or its expression in parentheses.
func (r *reader) indexColumn(i, j int) string {
	if name, ok := r.lastName(i, i+1); ok && !r.at(i+1).is("(", ".", "->", "->>", "||", "#>>") || i+1 == j && ok {
		return name // what follows is a collation, an operator class, an order
	}
	if name, ok := r.lastName(i, j); ok {
		return name
	}
	if r.at(i).named() && r.is(i+1, "(") && r.at(i+2).kind == number && r.match[i+1] == i+3 && r.match[i+1] < j { // MySQL's prefix: name(10)
		return r.at(i).text
	}
	if r.is(i, "(") {
		return r.canonical(i, min(r.skip(i), j))
	}
	end := i
	for end < j && !r.at(end).is("(") && !r.is(end, "asc", "desc", "nulls", "collate") {
		end++
	}
	if end < j && r.at(end).is("(") { // a function; an operator class may follow
		end = min(r.skip(end), j)
	}
	return r.canonical(i, end)
}

// returning reads the list behind RETURNING.
func (r *reader) returning(st *Statement, i, j int) {
	for _, part := range r.list(i, j) {
		if name, ok := r.plainColumn(part[0], part[1]); ok {
			st.Returning = append(st.Returning, name)
		} else {
			st.Returning = append(st.Returning, r.span(part[0], part[1]))
		}
	}
}

// conflictAt tells where an ON CONFLICT clause could go.
func (r *reader) conflictAt(st *Statement, tail, j int) {
	if st.Partial || st.Conflict.Action != NoAction || r.mysql || tail == 0 || r.at(tail-1).kind == hole || tail < j && !r.is(tail, "returning") {
		return
	}
	st.ConflictAt = r.toks[tail-1].end
}
