package sqltext

// tables are the tables that a statement names, with what the rest of it may call them.
type tables struct {
	first   Name
	count   int             // items of the FROM clause
	alias   map[string]Name // an unknown Name for a sub-select
	left    map[string]Name // those of LEFT JOIN, by alias
	leftOn  map[string][]Comparison
	derived []Comparison // comparisons in sub-selects of the FROM clause: they hold for the whole
}

// add notes an item of the FROM clause.
func (t *tables) add(name Name, alias string) {
	if t.count == 0 {
		t.first = name
	}
	t.count++
	if t.alias == nil {
		t.alias = map[string]Name{}
	}
	if alias == "" {
		alias = name.Table
	}
	if alias != "" {
		t.alias[alias] = name
	}
}

// owner tells whose column a qualifier and a name stand for.
func (t *tables) owner(qualifier string) Name {
	if qualifier != "" {
		return t.alias[qualifier]
	}
	if t.count == 1 {
		return t.first
	}
	return Name{}
}

// name reads [database.][schema.]table, and gives the token behind it.
func (r *reader) name(i, j int) (Name, int) {
	var name Name
	for {
		t := r.at(i)
		if i >= j || !t.named() && t.kind != hole && t.kind != param {
			return Name{}, i
		}
		name.Schema, name.Table = name.Table, string(rune(Hole))
		if t.named() && !t.unknown {
			name.Table = t.text
		}
		i++
		if i >= j || !r.at(i).is(".") {
			break
		}
		i++
	}
	if name.Table == string(rune(Hole)) {
		return Name{}, i
	}
	return name, i
}

// from reads the items of a FROM clause, joins included.
func (r *reader) from(st *Statement, i, j int, names *tables, sc *scope, depth int) {
	if depth > maxDepth {
		st.Partial = true
		return
	}
	left := false
	for i < j {
		switch {
		case r.is(i, ","):
			left = false
			i++
		case r.joins(i):
			left = r.is(i, "left") || left && !r.is(i, "inner", "cross")
			if r.is(i, "join", "straight_join") && !r.is(i-1, "left", "outer") {
				left = false
			}
			i++
		case r.is(i, "on"):
			i = r.on(st, i+1, j, names, sc, depth, "")
		case r.is(i, "only", "lateral") && !r.at(i+1).is(",", "where"):
			i++
		case r.is(i, "("):
			i = r.derived(st, i, j, names, sc, depth)
		default:
			next := r.table(st, i, j, names, sc, depth, left)
			if next <= i {
				next = i + 1
			}
			i = next
		}
	}
}

var joinWords = set("join inner left right full outer cross natural straight_join semi anti asof")

// joins reports whether a word of a join stands at i, and not a function called LEFT or a qualified name.
func (r *reader) joins(i int) bool {
	t := r.at(i)
	if t.kind != word || !joinWords[t.text] || r.at(i-1).is(".") || r.at(i+1).is(".") {
		return false
	}
	return !r.at(i+1).is("(") || t.is("join", "straight_join")
}

// table reads a table or a function, its alias and its condition.
func (r *reader) table(st *Statement, i, j int, names *tables, sc *scope, depth int, left bool) int {
	start := i
	name, i := r.name(i, j)
	if i == start {
		return i
	}
	if r.is(i, "(") && i < j && !(r.at(i-1).kind == ident) { // a function that gives rows
		end := r.skip(i)
		r.subselects(st, i, end, sc, depth)
		name, i = Name{}, end
		if r.words(i, "with", "ordinality") {
			i += 2
		}
	} else if !name.Known() {
		st.Partial = true
	}
	if sc.has(name) {
		name = Name{}
	}
	alias, i := r.alias(i, j)
	if alias == "" && i-start == 1 && r.at(start).named() {
		alias = r.at(start).text
	}
	names.add(name, alias)
	st.addTable(name)
	for i < j && !r.is(i, ",", "on", "using") && !r.joins(i) { // TABLESAMPLE, index hints, holes
		if r.at(i).kind == hole {
			st.Partial = true
		}
		if r.is(i, "(") {
			r.subselects(st, i, r.skip(i), sc, depth)
		}
		i = r.skip(i)
	}
	if alias == "" {
		alias = name.Table
	}
	if left && name.Known() {
		if names.left == nil {
			names.left, names.leftOn = map[string]Name{}, map[string][]Comparison{}
		}
		names.left[alias] = name
	}
	switch {
	case r.is(i, "on") && i < j:
		if !left {
			alias = ""
		}
		return r.on(st, i+1, j, names, sc, depth, alias)
	case r.is(i, "using") && i < j:
		return r.skip(i + 1)
	}
	return i
}

// alias reads [AS] name [(columns)].
func (r *reader) alias(i, j int) (string, int) {
	if r.is(i, "as") && i < j {
		i++
	}
	t := r.at(i)
	if i >= j || !t.named() || t.kind == word && notAlias[t.text] {
		return "", i
	}
	i++
	if r.is(i, "(") && i < j {
		i = r.skip(i)
	}
	return t.text, i
}

var notAlias = set(`join inner left right full outer cross natural straight_join semi anti asof on using where set from values select
	default tablesample use force ignore partition with for limit order group having window union except intersect returning when indexed not`)

// derived reads a sub-select or a join in parentheses.
func (r *reader) derived(st *Statement, i, j int, names *tables, sc *scope, depth int) int {
	a, b := r.inner(i, j)
	end := min(r.skip(i), j)
	if !r.is(a, "select", "with", "values", "table", "(") {
		r.from(st, a, b, names, sc, depth+1)
		_, next := r.alias(end, j)
		return next
	}
	if r.is(a, "(") && !r.holdsSelect(a, depth) {
		r.from(st, a, b, names, sc, depth+1)
		_, next := r.alias(end, j)
		return next
	}
	sub := r.statement(a, b, sc, depth+1)
	for _, t := range sub.Tables {
		st.addTable(t)
	}
	st.With = append(st.With, sub.With...)
	st.ForUpdate = st.ForUpdate || sub.ForUpdate
	st.ForShare = st.ForShare || sub.ForShare
	st.SkipLocked = st.SkipLocked || sub.SkipLocked
	st.Partial = st.Partial || sub.Partial
	alias, next := r.alias(end, j)
	if names.count == 0 {
		names.derived = append(names.derived, sub.Compared...)
	}
	first := names.count == 0
	names.add(Name{}, alias)
	if first {
		names.first = sub.Table
	}
	return next
}

// holdsSelect reports whether the parentheses opened at i hold a SELECT and not a join.
func (r *reader) holdsSelect(i, depth int) bool {
	for ; r.is(i, "(") && depth <= maxDepth; depth++ {
		i++
	}
	return r.is(i, "select", "with", "values", "table")
}

// on reads a join's condition. For a left join, left is the alias of the table joined.
func (r *reader) on(st *Statement, i, j int, names *tables, sc *scope, depth int, left string) int {
	end := i
	for end < j && !r.is(end, ",") && !r.joins(end) {
		if r.at(end).kind == hole && r.at(end-1).endsOperand() {
			st.Partial = true
		}
		end = r.skip(end)
	}
	r.subselects(st, i, end, sc, depth)
	if name, ok := names.left[left]; ok && left != "" {
		for _, c := range r.comparisons(i, end, names, depth, true) {
			if c.Table == name {
				names.leftOn[left] = append(names.leftOn[left], c)
			}
		}
	}
	return end
}
