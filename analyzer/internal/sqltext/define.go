package sqltext

// define reads statements about transactions and tables.
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
		if r.find(i, j, "to") == j {
			st.Verb = Rollback
		}
	case r.is(i, "lock"):
		st.Verb = LockTable
		for i++; r.is(i, "table", "tables", "only"); i++ {
		}
		st.Table, _ = r.name(i, j)
		st.Partial = st.Partial || !st.Table.Known()
	}
}
