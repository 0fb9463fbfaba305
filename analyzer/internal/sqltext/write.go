package sqltext

// update reads UPDATE, with the joins of MySQL and the FROM of PostgreSQL.
func (r *reader) update(st *Statement, i, j int, sc *scope, depth int) {
	if !r.isInsert(i, j) {
		return
	}
	st.Verb = Update
	i++
	for i < j && r.is(i, "low_priority", "ignore", "only", "or", "rollback", "abort", "fail", "replace") && !r.is(i+1, "set") {
		i++
	}
	set := i
	for set < j && !(r.is(set, "set") && r.startsClause(set)) {
		set = r.skip(set)
	}
	names := &tables{}
	target := Statement{}
	r.from(&target, i, set, names, sc, depth)
	st.Table = names.first
	st.Partial = st.Partial || target.Partial || !st.Table.Known() || set == j
	for n, t := range target.Tables {
		if n > 0 {
			st.addTable(t)
		}
	}
	if set == j {
		return
	}
	end := set + 1
	for end < j && !r.is(end, "from") && !(clauses[r.at(end).text] && r.at(end).kind == word && r.startsClause(end)) {
		if r.at(end).kind == hole && r.at(end-1).endsOperand() {
			st.Partial = true
		}
		end = r.skip(end)
	}
	r.assignments(st, set+1, end)
	r.subselects(st, set+1, end, sc, depth)
	r.condition(st, end, j, names, sc, depth)
}

// delete reads DELETE, with USING and the joins of MySQL.
func (r *reader) delete(st *Statement, i, j int, sc *scope, depth int) {
	if !r.isInsert(i, j) {
		return
	}
	st.Verb = Delete
	i++
	for i < j && r.is(i, "low_priority", "quick", "ignore") {
		i++
	}
	start := i
	from := r.find(i, j, "from")
	if from == j {
		st.Partial = true
		return
	}
	end := from + 1
	for end < j && !r.is(end, "using") && !(r.at(end).kind == word && clauses[r.at(end).text] && r.startsClause(end)) {
		end = r.skip(end)
	}
	names := &tables{}
	target := Statement{}
	r.from(&target, from+1, end, names, sc, depth)
	st.Partial = st.Partial || target.Partial
	if first := r.at(start); from > start && first.named() { // MySQL: DELETE alias FROM ...
		names.first = names.alias[first.text]
	}
	st.Table = names.first
	st.Partial = st.Partial || !st.Table.Known()
	for _, t := range target.Tables {
		if t != st.Table {
			st.addTable(t)
		}
	}
	r.condition(st, end, j, names, sc, depth)
}

// condition reads FROM or USING, WHERE and RETURNING of UPDATE and DELETE.
func (r *reader) condition(st *Statement, i, j int, names *tables, sc *scope, depth int) {
	if r.is(i, "from", "using") && i < j {
		end := r.clause(i+1, j)
		r.from(st, i+1, end, names, sc, depth)
		i = end
	}
	for i < j {
		end := r.clause(i+1, j)
		switch {
		case r.is(i, "where"):
			r.where(st, i+1, end, names, sc, depth)
		case r.is(i, "returning"):
			r.returning(st, i+1, end)
		default:
			r.tail(st, i, end)
		}
		i = end
	}
}

// merge reads MERGE INTO target USING source ON condition WHEN ...
func (r *reader) merge(st *Statement, i, j int, sc *scope, depth int) {
	using := r.find(i, j, "using")
	on := r.find(using, j, "on")
	when := r.find(on, j, "when")
	if !r.isInsert(i, j) || on == j {
		return
	}
	st.Verb = Merge
	i++
	for i < using && r.is(i, "into", "only") {
		i++
	}
	names := &tables{}
	target := Statement{}
	r.from(&target, i, using, names, sc, depth)
	st.Table = names.first
	st.Partial = st.Partial || target.Partial || !st.Table.Known()
	r.from(st, using+1, on, names, sc, depth)
	for _, c := range r.comparisons(on+1, when, names, depth, true) {
		if c.Table == st.Table && st.Table.Known() {
			st.Conflict.Columns = append(st.Conflict.Columns, c.Column)
		}
	}
	st.Conflict.Action = DoNothing
	for when < j {
		next := r.find(when+1, j, "when")
		then := r.find(when, next, "then")
		switch {
		case r.is(then+1, "update"):
			st.Conflict.Action = DoUpdate
		case r.is(then+1, "insert") && st.Columns == nil:
			row := Statement{Verb: Insert}
			r.mergeInsert(&row, then+2, next)
			st.Columns, st.Values = row.Columns, row.Values
		}
		r.subselects(st, when, next, sc, depth)
		if ret := r.find(when, next, "returning"); ret < next {
			r.returning(st, ret+1, next)
		}
		when = next
	}
}

func (r *reader) mergeInsert(row *Statement, i, j int) {
	if r.is(i, "(") {
		a, b := r.inner(i, j)
		for _, part := range r.list(a, b) {
			if name, ok := r.lastName(part[0], part[1]); ok {
				row.Columns = append(row.Columns, name)
			}
		}
		i = r.skip(i)
	}
	values := r.find(i, j, "values")
	if r.is(values+1, "(") && values < j {
		a, b := r.inner(values+1, j)
		for _, part := range r.list(a, b) {
			row.Values = append(row.Values, r.span(part[0], part[1]))
		}
	}
}
