package sqltext

// query is a SELECT with what an INSERT around it asks of it.
type query struct {
	Statement
	missing []Statement // sub-selects that must give no row, and anti-joined tables
	items   [][2]int    // the select list
}

// selection reads a SELECT, VALUES or TABLE, with its set operations and parentheses.
func (r *reader) selection(i, j int, sc *scope, depth int) query {
	if depth > maxDepth {
		return query{Statement: Statement{Verb: Select, Partial: true}}
	}
	end := r.find(i, j, "union", "intersect", "except", "minus")
	q := r.arm(i, end, sc, depth)
	for end < j {
		i = end + 1
		if r.is(i, "all", "distinct") {
			i++
		}
		end = r.find(i, j, "union", "intersect", "except", "minus")
		if !r.is(i, "select", "values", "table", "(", "with") { // a table called minus, or a hole
			q.Partial = q.Partial || r.at(i).kind == hole
			continue
		}
		next := r.arm(i, end, sc, depth)
		for _, t := range next.Tables {
			q.addTable(t)
		}
		q.Compared = common(q.Compared, next.Compared)
		q.Equals = equals(q.Compared, q.Table)
		q.With = append(q.With, next.With...)
		q.Aggregate = q.Aggregate || next.Aggregate
		q.ForUpdate = q.ForUpdate || next.ForUpdate
		q.ForShare = q.ForShare || next.ForShare
		q.SkipLocked = q.SkipLocked || next.SkipLocked
		q.Partial = q.Partial || next.Partial
		q.missing = append(q.missing, next.missing...)
	}
	return q
}

// common gives the comparisons that two SELECTs share.
func common(a, b []Comparison) []Comparison {
	seen := map[Comparison]bool{}
	for _, c := range b {
		seen[c] = true
	}
	var both []Comparison
	for _, c := range a {
		if seen[c] {
			both = append(both, c)
		}
	}
	return both
}

// arm reads one SELECT of a set operation.
func (r *reader) arm(i, j int, sc *scope, depth int) query {
	switch {
	case r.is(i, "("):
		a, b := r.inner(i, j)
		var q query
		if r.is(a, "with") {
			q.Statement = r.statement(a, b, sc, depth+1)
		} else {
			q = r.selection(a, b, sc, depth+1)
		}
		r.tail(&q.Statement, r.skip(i), j)
		return q
	case r.is(i, "with"):
		return query{Statement: r.statement(i, j, sc, depth+1)}
	case r.is(i, "values"):
		q := query{Statement: Statement{Verb: Select}}
		r.subselects(&q.Statement, i+1, j, sc, depth)
		return q
	case r.is(i, "table"):
		q := query{Statement: Statement{Verb: Select}}
		q.Table, _ = r.name(i+1, j)
		q.Partial = !q.Table.Known()
		q.addTable(q.Table)
		return q
	case r.is(i, "select"):
		return r.core(i, j, sc, depth)
	}
	return query{}
}

// core reads SELECT list FROM tables WHERE condition and what follows.
func (r *reader) core(i, j int, sc *scope, depth int) query {
	q := query{Statement: Statement{Verb: Select}}
	st := &q.Statement
	i++
	for i < j && r.is(i, "all", "distinct", "sql_calc_found_rows", "straight_join", "high_priority", "distinctrow") {
		i++
		if r.is(i, "on") && r.is(i+1, "(") {
			i = r.skip(i + 1)
		}
	}
	from := i
	for from < j && !r.startsFrom(from, i) {
		from = r.skip(from)
	}
	q.items = r.list(i, from)
	hasFrom := r.is(from, "from") && from < j
	names := &tables{}
	end := from
	if hasFrom {
		end = r.clause(from+1, j)
		r.from(st, from+1, end, names, sc, depth)
	}
	st.Table, st.Compared = names.first, names.derived
	st.Equals = equals(st.Compared, st.Table)
	for end < j && !r.is(end, "where") { // INTO, or an index hint
		next := r.clause(end+1, j)
		if !r.is(end, "into") {
			break
		}
		end = next
	}
	var hasWhere, grouped bool
	if r.is(end, "where") && end < j {
		hasWhere = true
		stop := r.clause(end+1, j)
		q.missing = r.where(st, end+1, stop, names, sc, depth)
		end = stop
	}
	if end < j {
		grouped = r.find(end, j, "group", "having") < j
		r.tail(st, end, j)
		r.subselects(st, end, j, sc, depth)
	}
	r.selectList(&q, hasFrom, hasWhere, grouped, sc, depth)
	return q
}

// startsFrom reports whether the select list, which starts at start, ends at i.
func (r *reader) startsFrom(i, start int) bool {
	switch {
	case r.is(i, "from"):
		return !r.is(i-1, "distinct") || i-1 < start || r.is(i-2, "select") // IS DISTINCT FROM
	case r.is(i, "where", "into", "having", "group"):
		return true
	case r.is(i, "order"):
		return r.is(i+1, "by")
	case r.is(i, "limit", "offset", "fetch"):
		return i > start && r.at(i-1).endsOperand() && (r.at(i+1).kind == number || r.at(i+1).kind == param)
	case r.is(i, "for"):
		return r.is(i+1, "update", "share", "no", "key")
	}
	return false
}

// clause gives the token from i on that starts the next clause; a column may be called like one of them.
func (r *reader) clause(i, j int) int {
	for ; i < j; i = r.skip(i) {
		if r.at(i).kind == word && clauses[r.at(i).text] && r.startsClause(i) {
			return i
		}
	}
	return j
}

var clauses = set("where group having window order limit offset fetch for lock into returning set qualify on output")

func (r *reader) startsClause(i int) bool {
	if r.at(i - 1).is(".") {
		return false
	}
	next := r.at(i + 1)
	switch r.at(i).text {
	case "order", "group":
		return next.is("by")
	case "window":
		return r.is(i+2, "as")
	case "for":
		return next.is("update", "share", "no", "key", "read", "xml", "json") && !r.is(i+2, "index")
	case "lock":
		return next.is("in")
	case "fetch":
		return next.is("first", "next")
	case "on":
		return next.is("conflict") || next.is("duplicate") && r.is(i+2, "key")
	case "into":
		return next.named() || next.kind == hole
	case "set":
		return next.named() || next.is("(") || next.kind == hole || next.kind == param
	case "offset", "limit", "output", "qualify", "returning":
		return !next.is("=", "<", ">", "<=", ">=", "<>", "!=", "==", ",", ")", ".", "is", "in", "and", "or", "as", "between", "not")
	}
	return true
}

// tail reads what may follow the WHERE clause: ordering, limits, locks.
func (r *reader) tail(st *Statement, i, j int) {
	for ; i < j; i = r.skip(i) {
		t := r.at(i)
		switch {
		case t.kind == hole:
			st.Partial = st.Partial || r.at(i-1).endsOperand() || r.at(i+1).kind == hole
		case t.kind != word:
		case r.is(i, "for"):
			next := i + 1
			if r.words(next, "no", "key") {
				next += 2
			}
			st.ForUpdate = st.ForUpdate || r.is(next, "update")
			st.ForShare = st.ForShare || r.is(next, "share") || r.words(next, "key", "share")
		case r.words(i, "lock", "in", "share", "mode"):
			st.ForShare = true
		case r.words(i, "skip", "locked"):
			st.SkipLocked = true
		}
	}
}

// selectList reads the columns of a SELECT and the sub-selects among them.
func (r *reader) selectList(q *query, hasFrom, hasWhere, grouped bool, sc *scope, depth int) {
	st := &q.Statement
	var subs []Statement
	aggregate := false
	for _, item := range q.items {
		i, j := item[0], item[1]
		if column, ok := r.plainColumn(i, j); ok {
			st.Columns = append(st.Columns, column)
			continue
		}
		if !grouped && !aggregate {
			aggregate = r.aggregates(i, j)
		}
		subs = append(subs, r.subselects(st, i, j, sc, depth)...)
	}
	st.Aggregate = aggregate || !hasFrom && !hasWhere && len(q.items) > 0
	if hasFrom || len(subs) != 1 || st.Table.Known() {
		return
	}
	sub := subs[0]
	st.Table, st.Equals, st.Compared, st.Partial = sub.Table, sub.Equals, sub.Compared, st.Partial || sub.Partial
	st.ForUpdate, st.ForShare, st.SkipLocked = sub.ForUpdate, sub.ForShare, sub.SkipLocked
}

// plainColumn reads [t.]name [[AS] alias].
func (r *reader) plainColumn(i, j int) (string, bool) {
	for i+2 < j && r.at(i).named() && r.at(i+1).is(".") {
		i += 2
	}
	t := r.at(i)
	if !t.named() || t.unknown || t.kind == word && constants[t.text] {
		return "", false
	}
	switch {
	case i+1 == j, i+2 == j && r.at(i+1).named(), i+3 == j && r.is(i+1, "as") && r.at(i+2).named():
		return t.text, t.kind == ident || t.text != "exists" && t.text != "case" && t.text != "not"
	}
	return "", false
}

// aggregates reports whether an item of a select list without GROUP BY makes one row of all rows.
func (r *reader) aggregates(i, j int) bool {
	for ; i < j; i++ {
		if r.is(i, "(") && r.is(i+1, "select", "with") {
			i = min(r.match[i], j)
			continue
		}
		if t := r.at(i); t.kind == word && aggregateNames[t.text] && r.at(i+1).is("(") {
			behind := r.skip(i + 1)
			if r.is(behind, "filter") && r.is(behind+1, "(") {
				behind = r.skip(behind + 1)
			}
			if !r.is(behind, "over") {
				return true
			}
		}
	}
	return false
}

var aggregateNames = set(`count max min sum avg total bool_or bool_and every array_agg json_agg jsonb_agg string_agg group_concat
	json_object_agg jsonb_object_agg bit_and bit_or any_value stddev variance percentile_cont percentile_disc json_group_array json_group_object json_arrayagg json_objectagg`)

// subselects reads every sub-select of an expression, and notes the tables that they read.
func (r *reader) subselects(st *Statement, i, j int, sc *scope, depth int) []Statement {
	var subs []Statement
	for ; i < j; i++ {
		if !r.is(i, "(") || !r.is(i+1, "select", "with", "values") {
			continue
		}
		a, b := r.inner(i, j)
		sub := r.statement(a, b, sc, depth+1)
		for _, t := range sub.Tables {
			st.addTable(t)
		}
		st.With = append(st.With, sub.With...)
		subs = append(subs, sub)
		i = min(r.match[i], j)
	}
	return subs
}
