package sqltext

import (
	"slices"
	"strings"
)

// where reads a WHERE clause. It gives what must be missing for the clause to hold: sub-selects behind NOT EXISTS, and tables of a left join that are asked to be NULL.
func (r *reader) where(st *Statement, i, j int, names *tables, sc *scope, depth int) []Statement {
	var missing []Statement
	r.conjuncts(i, j, depth, func(a, b int) {
		if r.hidden(a, b) {
			st.Partial = true
		}
		if r.words(a, "not", "exists") && r.is(a+2, "(") {
			var holder Statement
			missing = append(missing, r.subselects(&holder, a+2, b, sc, depth)...)
			for _, t := range holder.Tables {
				st.addTable(t)
			}
			st.With = append(st.With, holder.With...)
			return
		}
		if alias, ok := r.nullTest(a, b); ok {
			if name, left := names.left[alias]; left {
				compared := names.leftOn[alias]
				missing = append(missing, Statement{Verb: Select, Table: name, Compared: compared, Equals: equals(compared, name)})
			}
		}
		r.subselects(st, a, b, sc, depth)
	})
	st.Compared = slices.Concat(names.derived, r.comparisons(i, j, names, depth, false))
	st.Equals = equals(st.Compared, names.first)
	return missing
}

// equals gives the columns of comparisons that are table's or may be.
func equals(compared []Comparison, table Name) []string {
	var columns []string
	seen := map[string]bool{}
	for _, c := range compared {
		if (c.Table == table || !c.Table.Known()) && !seen[c.Column] {
			seen[c.Column] = true
			columns = append(columns, c.Column)
		}
	}
	return columns
}

// conjuncts visits the conditions that must all hold.
func (r *reader) conjuncts(i, j, depth int, visit func(i, j int)) {
	for i < j && r.is(i, "(") && r.match[i] == j-1 && !r.is(i+1, "select", "with", "values") {
		i, j = i+1, j-1
		if depth++; depth > maxDepth {
			return
		}
	}
	var ends []int
	between, cases := false, 0
	for k := i; k < j; k = r.skip(k) {
		switch {
		case r.at(k).kind != word || r.at(k-1).is("."):
		case r.is(k, "case"):
			cases++
		case r.is(k, "end") && cases > 0:
			cases--
		case cases > 0:
		case r.is(k, "between"):
			between = true
		case r.is(k, "and") && between:
			between = false
		case r.is(k, "and"):
			ends = append(ends, k)
		case r.is(k, "or", "xor"):
			visit(i, j)
			return
		}
	}
	if len(ends) == 0 {
		if i < j {
			visit(i, j)
		}
		return
	}
	for _, end := range append(ends, j) {
		if r.is(i, "(") && i < end && r.match[i] == end-1 {
			r.conjuncts(i, end, depth+1, visit)
		} else if i < end {
			visit(i, end)
		}
		i = end + 1
	}
}

// hidden reports whether a hole of a condition may be more than a value.
func (r *reader) hidden(i, j int) bool {
	if j-i == 1 && (r.at(i).kind == hole || r.at(i).unknown) {
		return true
	}
	for k := i; k < j; k = r.skip(k) {
		if r.at(k).unknown && !r.at(k-1).is(":", "::") && !r.at(k+1).is("(") {
			return true
		}
		if r.at(k).kind != hole {
			continue
		}
		if k > i && r.at(k-1).endsOperand() {
			return true
		}
		if k == i || k+1 < j && !r.at(k+1).is("::", "+", "-", "*", "/", "||", ")", ",", "]") {
			return true
		}
	}
	return false
}

// nullTest reads alias.column IS NULL.
func (r *reader) nullTest(i, j int) (string, bool) {
	if j-i == 5 && r.at(i).named() && r.at(i+1).is(".") && r.at(i+2).named() && r.at(i+3).is("is") && r.at(i+4).is("null") {
		return r.at(i).text, true
	}
	return "", false
}

// comparisons gives the columns that a condition compares with values, where all of it must hold. With joined, columns compared with other columns count too.
func (r *reader) comparisons(i, j int, names *tables, depth int, joined bool) []Comparison {
	var list []Comparison
	r.conjuncts(i, j, depth, func(a, b int) {
		if len(list) < maxTables {
			list = append(list, r.comparison(a, b, names, joined)...)
		}
	})
	return list
}

// comparison reads left = right and its likes.
func (r *reader) comparison(i, j int, names *tables, joined bool) []Comparison {
	op, width := r.operator(i, j)
	if op < 0 {
		return nil
	}
	right := op + width
	in := r.at(op).is("in")
	if r.is(i, "(", "row") {
		if pairs := r.tuples(i, op, right, j, in, names); pairs != nil {
			return pairs
		}
	}
	list := in
	if r.is(right, "any", "some") && r.is(right+1, "(") {
		if a, b := r.inner(right+1, j); r.asks(a, b) {
			return nil
		}
		list = true
	}
	if column, table, ok := r.column(i, op, names); ok {
		if r.isValue(right, j) && !(in && r.is(right, "(") && r.asks(r.inner(right, j))) {
			return []Comparison{{Table: table, Column: column, Value: r.span(right, j), List: list}}
		}
		if other, otherTable, isColumn := r.column(right, j, names); isColumn && joined && !in {
			return []Comparison{{Table: table, Column: column, Value: r.span(right, j)}, {Table: otherTable, Column: other, Value: r.span(i, op)}}
		}
		return nil
	}
	if column, table, ok := r.column(right, j, names); ok && !in && r.isValue(i, op) {
		return []Comparison{{Table: table, Column: column, Value: r.span(i, op)}}
	}
	if text, ok := r.expression(i, op); ok && r.isValue(right, j) && !(in && r.is(right, "(") && r.asks(r.inner(right, j))) {
		return []Comparison{{Table: names.owner(""), Column: text, Value: r.span(right, j), List: list}}
	}
	return nil
}

// asks reports whether a list is a sub-select.
func (r *reader) asks(i, j int) bool {
	for i < j && (r.is(i, "(", "array") || r.at(i).is("[")) {
		i++
	}
	return i < j && r.is(i, "select", "with", "values", "table")
}

// operator finds the only comparison of a condition, when it is one for equality: =, ==, <=>, IN, IS NOT DISTINCT FROM. It gives the tokens that it takes.
func (r *reader) operator(i, j int) (at, width int) {
	at = -1
	cases := 0
	for k := i; k < j; k = r.skip(k) {
		t := r.at(k)
		switch {
		case t.kind != word && t.kind != punct || r.at(k-1).is("."):
			continue
		case t.is("case"):
			cases++
			continue
		case t.is("end") && cases > 0:
			cases--
			continue
		case cases > 0:
			continue
		case t.is("not") && (k == i || r.is(k+1, "in", "like", "between")):
			return -1, 0
		case t.is("=", "==", "<=>"), t.is("in") && k > i:
			if at >= 0 {
				return -1, 0
			}
			at, width = k, 1
		case t.is("is") && r.words(k+1, "not", "distinct", "from"):
			if at >= 0 {
				return -1, 0
			}
			at, width = k, 4
			k += 3
		case comparing[t.text]:
			return -1, 0
		}
	}
	if at <= i || at+width >= j {
		return -1, 0
	}
	return at, width
}

var comparing = set("< > <= >= <> != ~ ~* !~ !~* @> <@ && ?| ?& like ilike rlike regexp similar between is isnull notnull or xor and match glob all overlaps escape")

// tuples reads (a, b) = (x, y) and (a, b) IN ((x, y), ...).
func (r *reader) tuples(i, op, right, j int, in bool, names *tables) []Comparison {
	left := r.row(i, op)
	if left == nil || len(left) < 2 && !r.is(i, "row") {
		return nil
	}
	var values [][2]int
	if in {
		if !r.is(right, "(") || r.asks(r.inner(right, j)) || !r.isValue(right, j) {
			return nil
		}
	} else if values = r.row(right, j); len(values) != len(left) {
		return nil
	}
	var list []Comparison
	for n, part := range left {
		a, b := right, j
		if !in {
			a, b = values[n][0], values[n][1]
		}
		if column, table, ok := r.column(part[0], part[1], names); ok && (in || r.isValue(a, b)) {
			list = append(list, Comparison{Table: table, Column: column, Value: r.span(a, b), List: in})
		} else if column, table, ok := r.column(a, b, names); ok && !in && r.isValue(part[0], part[1]) {
			list = append(list, Comparison{Table: table, Column: column, Value: r.span(part[0], part[1])})
		}
	}
	return list
}

// row gives the parts of (a, b) or ROW(a, b).
func (r *reader) row(i, j int) [][2]int {
	if r.is(i, "row") {
		i++
	}
	if !r.is(i, "(") || r.match[i] != j-1 {
		return nil
	}
	return r.list(i+1, j-1)
}

// column reads [t.]name, in parentheses, with a cast or a collation.
func (r *reader) column(i, j int, names *tables) (string, Name, bool) {
	for i < j && r.is(i, "(") && r.match[i] == j-1 {
		i, j = i+1, j-1
	}
	if r.is(i, "binary") && j-i > 1 {
		i++
	}
	if r.is(i, "cast") && r.is(i+1, "(") && r.match[i+1] == j-1 {
		i += 2
		j = r.find(i, j-1, "as")
	}
	qualifier := ""
	for i+2 < j && r.at(i).named() && r.at(i+1).is(".") {
		qualifier = r.at(i).text
		i += 2
	}
	t := r.at(i)
	if i >= j || !t.named() || t.unknown || qualifier == "" && t.kind == word && (constants[t.text] || neverColumn[t.text]) || qualifier == "excluded" {
		return "", Name{}, false
	}
	i++
	for i < j {
		switch {
		case r.at(i).is("::"):
			i = r.typeName(i+1, j)
		case r.is(i, "collate"):
			i += 2
			if r.at(i).is(".") {
				i += 2
			}
		default:
			return "", Name{}, false
		}
	}
	return t.text, names.owner(qualifier), true
}

// typeName skips the type behind a cast.
func (r *reader) typeName(i, j int) int {
	for i+1 < j && r.at(i+1).is(".") {
		i += 2
	}
	i++
	for i < j && (r.is(i, "precision", "varying") || r.is(i, "with", "without") && r.is(i+1, "time", "local") || r.is(i, "time", "local") && r.is(i-1, "with", "without", "local") || r.is(i, "zone") && r.is(i-1, "time")) {
		i++
	}
	if i < j && r.is(i, "(") {
		i = r.skip(i)
	}
	for i < j && r.at(i).is("[") {
		for i < j && !r.at(i).is("]") {
			i++
		}
		i++
	}
	return i
}

// isValue reports whether an expression names no column outside of its sub-selects.
func (r *reader) isValue(i, j int) bool {
	if i >= j {
		return false
	}
	for k := i; k < j; k++ {
		t := r.at(k)
		switch {
		case t.is("(") && r.is(k+1, "select", "with", "values"):
			k = min(r.match[k], j)
		case t.is("::"):
			k = r.typeName(k+1, j) - 1
		case t.is("as") && r.inCast(k): // CAST(x AS type)
			k = r.typeName(k+1, j) - 1
		case t.is("timestamp", "time") && r.is(k+1, "with", "without"): // timestamp with time zone '...'
			k = r.typeName(k, j) - 1
		case t.is("collate"):
			k++
			if r.at(k + 1).is(".") {
				k += 2
			}
		case !t.named():
		case r.at(k + 1).is("("), r.at(k + 1).is("=>"), r.at(k+1).kind == str:
		case t.is("sqlc", "pggen") && r.at(k+1).is(".") && r.at(k+3).is("("): // sqlc.arg(name) is a placeholder
			k = min(r.match[k+3], j)
		case r.at(k+1).is(".") && r.at(k+2).named() && r.at(k+3).is("("): // a function with its schema
			k += 2
		case t.kind == word && (constants[t.text] || valueWords[t.text]) && !r.at(k-1).is(".") && !r.at(k+1).is("."):
		case t.unknown:
		default:
			return false
		}
	}
	return true
}

// inCast reports whether the AS at k is the one of a cast.
func (r *reader) inCast(k int) bool { return r.at(k+1).named() && !r.at(k-1).is("with") }

// constants are bare words that are values; valueWords may stand among values; neverColumn are reserved everywhere.
var (
	neverColumn = set("select from where case not exists and or in as on")
	constants   = set(`null true false default current_timestamp current_date current_time localtime localtimestamp current_user
	session_user current_role current_schema current_catalog sysdate utc_timestamp`)
	valueWords = set(`interval array row any some cast at time zone case when then else end collate distinct and or not is between
	second minute hour day week month quarter year microsecond seconds minutes hours days weeks months years in from for both leading trailing using binary like exists`)
)

// expression gives the text of an expression of columns alone, such as lower(email), in parentheses and without blanks.
func (r *reader) expression(i, j int) (string, bool) {
	for i < j && r.is(i, "(") && r.match[i] == j-1 {
		i, j = i+1, j-1
	}
	if i >= j || j-i > 40 {
		return "", false
	}
	columns := false
	for k := i; k < j; k++ {
		t := r.at(k)
		switch {
		case t.kind == param, t.kind == hole, t.unknown, t.is("select", "case"):
			return "", false
		case t.named() && !r.at(k+1).is("(") && !constants[t.text]:
			columns = true
		}
	}
	if !columns {
		return "", false
	}
	return r.canonical(i, j), true
}

// canonical writes an expression in one way: in parentheses, without blanks, qualifiers of tables and casts of strings.
func (r *reader) canonical(i, j int) string {
	for i < j && r.is(i, "(") && r.match[i] == j-1 {
		i, j = i+1, j-1
	}
	var b strings.Builder
	b.WriteByte('(')
	for k := i; k < j; k++ {
		t := r.at(k)
		switch {
		case t.named() && r.at(k+1).is(".") && r.at(k+2).named() && !r.at(k+3).is("("):
			k++
			continue
		case t.is("::") && (r.at(k-1).kind == str || r.at(k-1).is(")") || r.at(k-1).named()):
			k = r.typeName(k+1, j) - 1
			continue
		}
		if last := b.String()[b.Len()-1]; k > i && (isLetter(last) || isDigit(last)) && (t.kind == word || t.kind == ident || t.kind == number) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	b.WriteByte(')')
	return b.String()
}
