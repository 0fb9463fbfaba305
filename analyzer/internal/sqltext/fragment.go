package sqltext

// Condition reads a text that stands behind WHERE, as query builders take it: "tenant_id = ? AND key = ?". Only Equals, Compared, Tables (of sub-selects) and Partial are set.
func Condition(text string) Statement {
	tokens, mysql := scan(text)
	r := newReader(text, tokens, mysql)
	st := Statement{Verb: Other, ConflictAt: -1, End: len(text)}
	r.where(&st, 0, len(tokens), &tables{}, nil, 0)
	return st
}

// Suffix reads a text that a query builder puts behind a statement: "ON CONFLICT (key) DO NOTHING", "RETURNING id", "FOR UPDATE SKIP LOCKED". Only Conflict, Returning, ForUpdate, ForShare, SkipLocked and Partial are set.
// A text that starts with CONFLICT is read as one behind ON.
func Suffix(text string) Statement {
	tokens, mysql := scan(text)
	if len(tokens) > 0 && tokens[0].is("conflict", "duplicate") {
		return Suffix("ON " + text)
	}
	r := newReader(text, tokens, mysql)
	st := Statement{Verb: Other, ConflictAt: -1, End: len(text)}
	r.conflict(&st, 0, len(tokens), nil, 0)
	if st.Conflict.Action == NoAction {
		r.tail(&st, 0, len(tokens))
	}
	return st
}
