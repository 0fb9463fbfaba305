package sqltext

// maxDepth bounds how deep sub-selects and parentheses are followed; maxTables how many tables and comparisons a statement tells.
const (
	maxDepth  = 48
	maxTables = 200
)

// Parse reads every statement of a text, in its order. Its time is linear in the length of the text.
func Parse(text string) []Statement {
	tokens, mysql := scan(text)
	return statements(text, tokens, mysql, 0)
}

// statements reads the statements of tokens.
func statements(text string, tokens []token, mysql bool, depth int) []Statement {
	var list []Statement
	for len(tokens) > 0 {
		n := statementLength(tokens)
		if n > 0 {
			r := newReader(text, tokens[:n], mysql)
			st := r.statement(0, n, nil, depth)
			st.LocksAdvisory = r.locksAdvisory()
			list = append(list, st)
		}
		tokens = tokens[min(n+1, len(tokens)):]
	}
	return list
}

// statementLength counts the tokens up to the semicolon that ends the first statement. A body between BEGIN and END belongs to the statement that defines it.
func statementLength(tokens []token) int {
	body := definesRoutine(tokens)
	depth := 0
	for i, t := range tokens {
		switch {
		case t.is(";") && depth <= 0:
			return i
		case !body || t.kind != word:
		case t.text == "begin" || t.text == "case" && !before(tokens, i).is("end"):
			depth++
		case t.text == "end" && !after(tokens, i).is("if", "loop", "while", "repeat", "for"):
			depth--
		}
	}
	return len(tokens)
}

// definesRoutine reports whether tokens start with CREATE TRIGGER, PROCEDURE, FUNCTION or EVENT.
func definesRoutine(tokens []token) bool {
	if len(tokens) == 0 || !tokens[0].is("create") {
		return false
	}
	for _, t := range tokens[1:min(len(tokens), 12)] {
		if t.is("trigger", "procedure", "function", "event") {
			return true
		}
		if t.is("table", "index", "view", "type", "(", ";") {
			return false
		}
	}
	return false
}

func before(tokens []token, i int) token {
	if i == 0 {
		return token{}
	}
	return tokens[i-1]
}

func after(tokens []token, i int) token {
	if i+1 >= len(tokens) {
		return token{}
	}
	return tokens[i+1]
}

// reader reads one statement. Its methods take ranges of tokens, the end not included.
type reader struct {
	text  string
	toks  []token
	match []int // of an opening parenthesis: its closing one, or the number of tokens
	mysql bool
	looks int // how often a token was looked at, for the test that this stays linear
}

func newReader(text string, toks []token, mysql bool) *reader {
	r := &reader{text: text, toks: toks, match: make([]int, len(toks)), mysql: mysql}
	var open []int
	for i, t := range toks {
		switch {
		case t.is("("):
			open = append(open, i)
			r.match[i] = len(toks)
		case t.is(")") && len(open) > 0:
			r.match[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return r
}

// at gives a token; the zero token beyond the statement.
func (r *reader) at(i int) token {
	r.looks++
	if i < 0 || i >= len(r.toks) {
		return token{}
	}
	return r.toks[i]
}

// is reports whether token i is one of these words or signs, and no part of a name behind a dot.
func (r *reader) is(i int, texts ...string) bool {
	return r.at(i).is(texts...) && !r.at(i-1).is(".")
}

// words reports whether these words follow one another from i on.
func (r *reader) words(i int, texts ...string) bool {
	for n, text := range texts {
		if !r.is(i+n, text) {
			return false
		}
	}
	return true
}

// skip gives the token behind i, or behind the parenthesis that i opens.
func (r *reader) skip(i int) int {
	if r.at(i).is("(") {
		return min(r.match[i]+1, len(r.toks))
	}
	return i + 1
}

// inner gives the range inside the parenthesis that i opens, within j.
func (r *reader) inner(i, j int) (int, int) { return i + 1, max(i+1, min(r.match[i], j)) }

// find gives the first token from i on, outside of parentheses, that is one of texts; j without one.
func (r *reader) find(i, j int, texts ...string) int {
	for ; i < j; i = r.skip(i) {
		if r.is(i, texts...) {
			return i
		}
	}
	return j
}

// span gives the text of a range.
func (r *reader) span(i, j int) string {
	if i >= j || i >= len(r.toks) {
		return ""
	}
	return r.text[r.toks[i].start:r.toks[min(j, len(r.toks))-1].end]
}

// list gives the ranges between commas.
func (r *reader) list(i, j int) [][2]int {
	var parts [][2]int
	for i < j {
		comma := r.find(i, j, ",")
		parts = append(parts, [2]int{i, comma})
		i = comma + 1
	}
	return parts
}

// scope holds the names of common table expressions.
type scope struct {
	names  map[string]bool
	parent *scope
}

func (s *scope) has(name Name) bool {
	for ; s != nil; s = s.parent {
		if name.Schema == "" && s.names[name.Table] {
			return true
		}
	}
	return false
}

// statement reads one statement, which a sub-select and a common table expression are too.
func (r *reader) statement(i, j int, sc *scope, depth int) Statement {
	st := Statement{Verb: Other, ConflictAt: -1}
	if i >= j {
		return st
	}
	st.Start, st.End = r.toks[i].start, r.toks[j-1].end
	if depth > maxDepth {
		st.Partial = true
		return st
	}
	for i < j && r.at(i).kind == hole {
		st.Partial = true
		i++
	}
	if r.is(i, "with") && i+1 < j {
		i = r.with(&st, i, j, &sc, depth)
	}
	switch t := r.at(i); {
	case i >= j:
	case r.is(i, "select", "values", "table", "("):
		if q := r.selection(i, j, sc, depth); q.Verb == Select {
			r.adopt(&st, q.Statement)
		}
	case r.is(i, "insert", "replace"):
		r.insert(&st, i, j, sc, depth)
	case r.is(i, "update"):
		r.update(&st, i, j, sc, depth)
	case r.is(i, "delete"):
		r.delete(&st, i, j, sc, depth)
	case r.is(i, "merge"):
		r.merge(&st, i, j, sc, depth)
	case t.kind == word:
		r.define(&st, i, j, sc, depth)
	}
	return st
}

// adopt fills st with what the statement behind its WITH says.
func (r *reader) adopt(st *Statement, q Statement) {
	q.Start, q.End, q.ConflictAt = st.Start, st.End, st.ConflictAt
	q.With = append(st.With, q.With...)
	q.Partial = q.Partial || st.Partial
	*st = q
}

// with reads common table expressions, and gives the token behind them.
func (r *reader) with(st *Statement, i, j int, sc **scope, depth int) int {
	*sc = &scope{names: map[string]bool{}, parent: *sc}
	i++
	if r.is(i, "recursive") {
		i++
	}
	for i < j {
		name := r.at(i)
		if !name.named() {
			st.Partial = st.Partial || name.kind == hole
			return i
		}
		(*sc).names[name.text] = true
		i++
		if r.is(i, "(") {
			i = r.skip(i)
		}
		for i < j && r.is(i, "as", "not", "materialized") {
			i++
		}
		if !r.is(i, "(") {
			return i
		}
		a, b := r.inner(i, j)
		st.With = append(st.With, r.statement(a, b, *sc, depth+1))
		i = r.skip(i)
		for i < j && !r.is(i, ",", "select", "insert", "update", "delete", "merge", "values", "replace", "(", "table") { // SEARCH and CYCLE, or a hole
			st.Partial = st.Partial || r.at(i).kind == hole
			i++
		}
		if !r.is(i, ",") {
			return i
		}
		i++
	}
	return i
}

// locksAdvisory reports whether the statement calls a function that locks by a number or a name.
func (r *reader) locksAdvisory() bool {
	for i, t := range r.toks {
		if t.kind == word && advisory[t.text] && r.at(i+1).is("(") {
			return true
		}
	}
	return false
}

var advisory = set(`pg_advisory_lock pg_advisory_lock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared
	pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared get_lock sp_getapplock`)

// addTable notes a table that is read.
func (st *Statement) addTable(name Name) {
	if !name.Known() || len(st.Tables) >= maxTables {
		return
	}
	for _, known := range st.Tables {
		if known == name {
			return
		}
	}
	st.Tables = append(st.Tables, name)
}

// ParseDefinitions reads only the statements that create, change or drop tables and indexes, and blocks that may hold such. It is the quick way through files that fill tables too.
func ParseDefinitions(text string) []Statement {
	tokens, mysql := scan(text)
	var list []Statement
	for len(tokens) > 0 {
		n := statementLength(tokens)
		if n > 0 && tokens[0].is("create", "alter", "drop", "rename", "do") {
			list = append(list, newReader(text, tokens[:n], mysql).statement(0, n, nil, 0))
		}
		tokens = tokens[min(n+1, len(tokens)):]
	}
	return list
}
