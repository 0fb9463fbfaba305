package sqltext

// define reads statements about transactions, locks and tables.
func (r *reader) define(st *Statement, i, j int, sc *scope, depth int) {
	switch {
	case r.is(i, "begin"), r.words(i, "start", "transaction"):
		st.Verb = Begin
		st.Serializable = r.find(i, j, "serializable") < j
	case r.is(i, "set"):
		st.Serializable = r.find(i, j, "transaction") < j && r.find(i, j, "serializable") < j
	case r.is(i, "commit"), r.is(i, "end") && (i+1 == j || r.is(i+1, "transaction", "work")):
		st.Verb = Commit
	case r.is(i, "rollback", "abort"):
		if r.find(i, j, "to") == j { // to a savepoint
			st.Verb = Rollback
		}
	case r.is(i, "lock"):
		st.Verb = LockTable
		for i++; r.is(i, "table", "tables", "only"); i++ {
		}
		st.Table, _ = r.name(i, j)
		st.Partial = st.Partial || !st.Table.Known()
	case r.is(i, "create"):
		r.create(st, i, j)
	case r.is(i, "alter"):
		r.alter(st, i, j)
	case r.is(i, "drop"):
		r.drop(st, i, j)
	case r.words(i, "rename", "table"):
		r.renameTables(st, i+2, j)
	case r.is(i, "do"):
		r.block(st, i, j, depth)
	}
}

// create reads CREATE TABLE and CREATE UNIQUE INDEX.
func (r *reader) create(st *Statement, i, j int) {
	i++
	if r.words(i, "or", "replace") {
		i += 2
	}
	for r.is(i, "temp", "temporary", "unlogged", "global", "local", "foreign") {
		i++
	}
	switch {
	case r.is(i, "table"):
		r.createTable(st, r.ifNot(i+1), j)
	case r.is(i, "index"), r.is(i, "fulltext", "spatial") && r.is(i+1, "index"):
		r.createIndex(st, r.find(i, j, "index")+1, j, false)
	case r.is(i, "unique") && r.find(i, min(i+3, j), "index") < j:
		r.createIndex(st, r.find(i, j, "index")+1, j, true)
	}
}

// ifNot skips IF NOT EXISTS and IF EXISTS.
func (r *reader) ifNot(i int) int {
	switch {
	case r.words(i, "if", "not", "exists"):
		return i + 3
	case r.words(i, "if", "exists"):
		return i + 2
	}
	return i
}

func (r *reader) createTable(st *Statement, i, j int) {
	st.Verb = CreateTable
	st.Table, i = r.name(i, j)
	st.Partial = st.Partial || !st.Table.Known()
	switch {
	case r.words(i, "partition", "of"):
		parent, next := r.name(i+2, j)
		st.Changes = append(st.Changes, Change{Kind: CopyTable, Table: st.Table, Name: parent.Table})
		i = next
	case r.is(i, "like"):
		other, _ := r.name(i+1, j)
		st.Changes = append(st.Changes, Change{Kind: CopyTable, Table: st.Table, Name: other.Table})
		return
	}
	if !r.is(i, "(") || r.asks(r.inner(i, j)) {
		return
	}
	a, b := r.inner(i, j)
	for _, part := range r.list(a, b) {
		r.element(st, part[0], part[1])
	}
}

// element reads a column or a constraint of CREATE TABLE or ADD.
func (r *reader) element(st *Statement, i, j int) {
	if i >= j {
		return
	}
	if r.is(i, "like") && r.at(i+1).named() && !r.is(i+1, "text", "varchar", "int") {
		other, next := r.name(i+1, j)
		if r.find(next, j, "all", "indexes") < j {
			st.Changes = append(st.Changes, Change{Kind: CopyTable, Table: st.Table, Name: other.Table})
		}
		return
	}
	if r.constraint(st, i, j) {
		return
	}
	if t := r.at(i); t.kind == hole && j-i == 1 || t.unknown {
		st.Partial = true
		return
	}
	if column, ok := r.declaration(st, i, j); ok {
		st.Defined = append(st.Defined, column)
	}
}

// constraint reads a constraint of a table; false when it is a column.
func (r *reader) constraint(st *Statement, i, j int) bool {
	rule := UniqueRule{Start: r.at(i).start}
	if r.is(i, "constraint") {
		if t := r.at(i + 1); t.named() && !r.is(i+1, "unique", "primary", "check", "foreign") {
			rule.Name = t.text
			i++
		}
		i++
	}
	switch {
	case r.words(i, "primary", "key"):
		rule.Primary = true
		i += 2
	case r.is(i, "unique") && !(r.at(i+1).named() && r.at(i+2).named() && !r.is(i+1, "index", "key", "nulls", "using")):
		i++
		if r.is(i, "index", "key") {
			i++
		}
	case r.is(i, "check", "exclude", "period"), r.is(i, "foreign") && r.is(i+1, "key"), r.is(i, "fulltext", "spatial") && r.is(i+1, "key", "index", "("), r.is(i, "fulltext", "spatial") && r.is(i+2, "("):
		return true
	case r.is(i, "key", "index") && (r.is(i+1, "(") || r.at(i+1).named() && (r.is(i+2, "(") && !columnTypes[r.at(i+1).text] || r.is(i+2, "using"))):
		return true
	default:
		return rule.Name != ""
	}
	if r.words(i, "nulls", "not", "distinct") {
		rule.NullsNotDistinct = true
		i += 3
	} else if r.words(i, "nulls", "distinct") {
		i += 2
	}
	if r.words(i, "using", "index") {
		rule.Index = r.at(i + 2).text
		st.Unique = append(st.Unique, rule)
		return true
	}
	for ; i < j && !r.is(i, "("); i++ { // MySQL: the index's name, USING BTREE, CLUSTERED
		if t := r.at(i); t.named() && rule.Name == "" && !r.is(i, "using", "btree", "hash", "clustered", "nonclustered") {
			rule.Name = t.text
		}
	}
	if i >= j {
		return true
	}
	a, b := r.inner(i, j)
	rule.Columns = r.indexColumns(a, b)
	st.Unique = append(st.Unique, rule)
	return true
}

var columnTypes = set("varchar char character int integer bigint smallint text numeric decimal binary varbinary bit timestamp datetime float double")

func (r *reader) indexColumns(i, j int) []string {
	var columns []string
	for _, part := range r.list(i, j) {
		columns = append(columns, r.indexColumn(part[0], part[1]))
	}
	return columns
}

// declaration reads name type constraints, and notes the unique rules among them.
func (r *reader) declaration(st *Statement, i, j int) (ColumnRule, bool) {
	t := r.at(i)
	if !t.named() || t.unknown {
		return ColumnRule{}, false
	}
	column := ColumnRule{Name: t.text}
	if serial := r.at(i + 1); serial.is("serial", "bigserial", "smallserial", "serial2", "serial4", "serial8") {
		column.NotNull = true
	}
	nextName := ""
	var next int
	for k := i + 1; k < j; k = next {
		name := nextName // CONSTRAINT name holds for what follows it
		nextName = ""
		next = r.skip(k)
		switch {
		case r.is(k, "constraint") && r.at(k+1).named():
			nextName = r.at(k + 1).text
			next = k + 2
		case r.words(k, "not", "null"):
			column.NotNull = true
			next = k + 2
		case r.words(k, "primary", "key"), r.is(k, "primary") && k+1 == j:
			column.NotNull = true
			st.Unique = append(st.Unique, UniqueRule{Name: name, Columns: []string{column.Name}, Primary: true, Start: t.start})
			next = k + 2
		case r.is(k, "unique"):
			rule := UniqueRule{Name: name, Columns: []string{column.Name}, Start: t.start}
			if r.is(next, "key") {
				next++
			}
			if r.words(next, "nulls", "not", "distinct") {
				rule.NullsNotDistinct = true
				next += 3
			}
			st.Unique = append(st.Unique, rule)
		case r.is(k, "generated"):
			for r.is(next, "by", "default", "always") { // BY DEFAULT is no default
				next++
			}
			column.NotNull = column.NotNull || r.words(next, "as", "identity")
		case r.is(k, "references"):
			_, next = r.name(next, j)
		case r.is(k, "on") && r.is(k+1, "update", "delete"):
			next = k + 2
		case r.is(k, "default"):
			end := k + 1
			for end < j && !(r.at(end).kind == word && columnWords[r.at(end).text] && end > k+1) {
				end = r.skip(end)
			}
			column.Default = r.span(k+1, end)
			next = end
		}
	}
	return column, true
}

var columnWords = set("not null primary unique check references constraint collate generated comment on auto_increment after first storage invisible visible")

func (r *reader) createIndex(st *Statement, i, j int, unique bool) {
	st.Verb = CreateIndex
	if r.is(i, "concurrently") {
		i++
	}
	i = r.ifNot(i)
	rule := UniqueRule{Start: st.Start}
	if !r.is(i, "on") {
		var name Name
		name, i = r.name(i, j)
		rule.Name = name.Table
	}
	on := r.find(i, j, "on")
	i = on + 1
	if r.is(i, "only") {
		i++
	}
	st.Table, i = r.name(i, j)
	st.Partial = st.Partial || !st.Table.Known()
	if !unique {
		return
	}
	list := i
	for list < j && !r.is(list, "(") {
		list++
	}
	if list >= j {
		return
	}
	a, b := r.inner(list, j)
	rule.Columns = r.indexColumns(a, b)
	rest := r.skip(list)
	for k := rest; k < j; k = r.skip(k) {
		if r.words(k, "nulls", "not", "distinct") {
			rule.NullsNotDistinct = true
		}
		if r.is(k, "where") {
			rule.Where = r.span(k+1, j)
			break
		}
	}
	st.Unique = append(st.Unique, rule)
}
