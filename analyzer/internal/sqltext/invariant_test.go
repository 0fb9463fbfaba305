package sqltext

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// corpus gives the texts of testdata.
func corpus(t testing.TB) []string {
	var texts []string
	for _, file := range []string{"read.txt", "write.txt", "define.txt", "lexical.txt", "holes.txt"} {
		content, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(content), "\n\n") {
			text, _, _ := strings.Cut(strings.Trim(block, "\n")+"\n", "\n---\n")
			texts = append(texts, strings.ReplaceAll(text, "◌", string(rune(Hole))))
		}
	}
	return texts
}

func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	f.Fuzz(checkInvariants)
}

func TestInvariants(t *testing.T) {
	for _, text := range corpus(t) {
		checkInvariants(t, text)
	}
}

// TestCutOff cuts each text behind each of its tokens, and before it: a text may end anywhere, and start anywhere.
func TestCutOff(t *testing.T) {
	for _, text := range append(corpus(t), "INSERT INTO t AS", "MERGE INTO t USING", "ALTER TABLE t RENAME", "ON CONFLICT ON CONSTRAINT", "CREATE UNIQUE INDEX", "INSERT INTO t OVERRIDING") {
		tokens, _ := scan(text)
		for _, tok := range tokens {
			checkInvariants(t, text[:tok.end])
			checkInvariants(t, text[tok.start:])
		}
	}
}

// checkInvariants holds for every text: ranges lie in the text and do not overlap, a comment at the end changes nothing, and nor does the case of letters outside of quotes.
func checkInvariants(t *testing.T, text string) {
	list := Parse(text)
	end := 0
	for _, st := range list {
		if st.Start < end || st.End <= st.Start || st.End > len(text) {
			t.Fatalf("%q: statement at [%d, %d) behind %d, of %d bytes", text, st.Start, st.End, end, len(text))
		}
		end = st.End
		if st.ConflictAt != -1 && (st.ConflictAt < st.Start || st.ConflictAt > st.End || st.Verb != Insert) {
			t.Fatalf("%q: conflict clause at %d of [%d, %d)", text, st.ConflictAt, st.Start, st.End)
		}
		if st.Values != nil && st.Columns != nil && len(st.Values) != len(st.Columns) && st.Verb == Insert {
			t.Fatalf("%q: %d columns and %d values", text, len(st.Columns), len(st.Values))
		}
		for _, u := range st.Unique {
			if u.Start < st.Start || u.Start >= st.End {
				t.Fatalf("%q: rule at %d of [%d, %d)", text, u.Start, st.Start, st.End)
			}
		}
	}
	Condition(text)
	Suffix(text)
	s := &scanner{text: text}
	s.run()
	if s.open || strings.Contains(text, "/*") || strings.Contains(text, "--") || strings.Contains(text, "#") || strings.Contains(text, "$") || strings.ContainsAny(text, "%{\\") {
		return // the text may end inside of something, where a comment is no comment
	}
	if got := Parse(text + " -- 'and' \"more\" $1 (; DROP TABLE t"); !reflect.DeepEqual(got, list) {
		t.Fatalf("%q: a comment at the end changes\n %+v to\n %+v", text, list, got)
	}
	upper := Parse(otherCase(text, s.tokens))
	if len(upper) != len(list) {
		t.Fatalf("%q: %d statements, in other case %d", text, len(list), len(upper))
	}
	for i := range list {
		if a, b := strings.ToLower(describe(list[i])), strings.ToLower(describe(upper[i])); a != b {
			t.Fatalf("%q:\n%s\nin other case\n%s", text, a, b)
		}
	}
}

// otherCase turns the letters of bare words into the other case.
func otherCase(text string, tokens []token) string {
	b := []byte(text)
	for _, tok := range tokens {
		if tok.kind != word {
			continue
		}
		for i := tok.start; i < tok.end; i++ {
			switch c := b[i]; {
			case c >= 'a' && c <= 'z':
				b[i] -= 'a' - 'A'
			case c >= 'A' && c <= 'Z':
				b[i] += 'a' - 'A'
			}
		}
	}
	return string(b)
}

// TestLinear reads texts made to be slow, each at two lengths: sixteen times the text must not take much more than sixteen times the work.
func TestLinear(t *testing.T) {
	parts := []string{
		"(", "((a", "SELECT (", "SELECT * FROM (", "(SELECT 1 UNION ", "WHERE (", "a = (", "a AND ", "a = 1 AND (", "a OR ", "NOT (", "CASE ", "BETWEEN ", "/*", "/* */", "--\n", "'", "''", "\"", "`", "$a$", "$a$ $b$ ", "{{", "${", "[a", "#", "# ",
		"%", "?", ":", "@", "\x00", "\x00a", ";", "; (", ",", ".", "a.", "a.b,", "JOIN a ON ", "LEFT JOIN t ON t.a = b WHERE ", "WITH a AS (", "WITH a AS (SELECT 1), ", "INSERT INTO t (a) SELECT ", "INSERT INTO t VALUES (", "ON CONFLICT ", "ON CONFLICT (a) ", "a IN ((", "(a, b) IN (", "(a, b) = (", "EXISTS (SELECT 1 FROM t WHERE ",
		"NOT EXISTS (SELECT 1 FROM t WHERE a = 1 AND ", "UPDATE t SET a = (", "SET a = 1, ", "MERGE INTO t USING s ON a WHEN ", "CREATE TABLE t (a int GENERATED ", "CREATE TABLE t (a int DEFAULT ", "CREATE TABLE t (a UNIQUE CONSTRAINT ", "ALTER TABLE t ADD ", "ALTER TABLE t ADD (", "DO $$ ALTER TABLE ", "DO $a$ DO $b$ ", "CREATE TRIGGER BEGIN ", "a::", "a::b.", "CAST(a AS ", "x COLLATE ", "a = 1::", "ROW(", "lower(", "COPY a FROM stdin;", "INSERT OR ", "INSERT OR ABORT x ", "INSERT IGNORE ", "' '", "\\", "\\'", "N'", "U&'", "RETURNING ", "LIMIT ", "UNION SELECT a FROM t WHERE a = 1 ",
	}
	for _, prefix := range []string{"", "SELECT a FROM t WHERE a = 1 AND ", "INSERT INTO t (a) ", "UPDATE t SET a = 1 WHERE ", "CREATE TABLE t ("} {
		for _, part := range parts {
			small, large := looks(prefix+strings.Repeat(part, 1<<10/len(part))), looks(prefix+strings.Repeat(part, 16<<10/len(part)))
			if large > 32*small+10000 {
				t.Errorf("%q %q: %d looks at tokens for 1 KiB, %d for 16 KiB", prefix, part, small, large)
			}
		}
	}
}

// looks counts the looks at tokens that the reading of a text takes, as a statement, as a condition and as a suffix.
func looks(text string) int {
	tokens, mysql := scan(text)
	r := newReader(text, tokens, mysql)
	r.where(&Statement{}, 0, len(tokens), &tables{}, nil, 0)
	r.conflict(&Statement{}, 0, len(tokens), nil, 0)
	sum := r.looks
	for len(tokens) > 0 {
		n := statementLength(tokens)
		r := newReader(text, tokens[:n], mysql)
		r.statement(0, n, nil, 0)
		sum += r.looks
		tokens = tokens[min(n+1, len(tokens)):]
	}
	return sum
}

func TestRanges(t *testing.T) {
	text := "-- first\nINSERT INTO t (a) VALUES ($1) -- why\n RETURNING id ;\n/* x */ INSERT INTO t (a) VALUES ('x;') -- end"
	list := Parse(text)
	if len(list) != 2 {
		t.Fatalf("%d statements", len(list))
	}
	for i, want := range []struct{ span, before string }{
		{"INSERT INTO t (a) VALUES ($1) -- why\n RETURNING id", "INSERT INTO t (a) VALUES ($1)"},
		{"INSERT INTO t (a) VALUES ('x;')", "INSERT INTO t (a) VALUES ('x;')"},
	} {
		st := list[i]
		if got := text[st.Start:st.End]; got != want.span {
			t.Errorf("statement %d is %q, want %q", i, got, want.span)
		}
		if got := text[st.Start:st.ConflictAt]; got != want.before {
			t.Errorf("a conflict clause goes behind %q, want %q", got, want.before)
		}
	}
	for _, text := range []string{
		"INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING", "INSERT INTO t (a) VALUES (1) \x00", "INSERT INTO t (a) VALUES \x00", "INSERT INTO `t` (a) VALUES (?)",
		"REPLACE INTO t (a) VALUES (1)", "INSERT IGNORE INTO t (a) VALUES (1)", "SELECT 1", "UPDATE t SET a = 1",
	} {
		if at := Parse(text)[0].ConflictAt; at != -1 {
			t.Errorf("%q takes a conflict clause at %d", text, at)
		}
	}
}

func TestFragments(t *testing.T) {
	for text, want := range map[string]string{
		"tenant_id = ? AND key = ?":           "tenant_id key",
		"key = ? OR id = ?":                   "",
		"a IN ? AND u.b = @b AND deleted = 0": "a b deleted",
		"name = 'x'":                          "name",
		"":                                    "",
	} {
		if got := strings.Join(Condition(text).Equals, " "); got != want {
			t.Errorf("condition %q compares %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"ON CONFLICT (a) DO NOTHING RETURNING id": "other | conflict nothing a | returning id",
		"CONFLICT (a, b) DO UPDATE":               "other | conflict update a, b",
		"CONFLICT DO NOTHING":                     "other | conflict nothing",
		"ON DUPLICATE KEY UPDATE a = 1":           "other | conflict update",
		"DUPLICATE KEY UPDATE":                    "other | conflict update",
		"RETURNING \"id\", b":                     "other | returning id, b",
		"FOR UPDATE SKIP LOCKED":                  "other | for update | skip locked",
		"LIMIT 1 FOR SHARE":                       "other | for share",
		"ORDER BY id":                             "other",
		"ON CONFLICT (a) DO \x00":                 "other | partial",
	} {
		if got := describe(Suffix(text)); got != want {
			t.Errorf("suffix %q tells %q, want %q", text, got, want)
		}
	}
}

// TestCompared looks at what the columns are compared with.
func TestCompared(t *testing.T) {
	st := Parse("SELECT 1 FROM s.t x JOIN u ON true WHERE x.a = $1 AND u.b IN (1, 2) AND lower($3) = x.c AND (x.d, e) = ($4, \x00)")[0]
	want := []Comparison{
		{Table: Name{"s", "t"}, Column: "a", Value: "$1"},
		{Table: Name{"", "u"}, Column: "b", Value: "(1, 2)", List: true},
		{Table: Name{"s", "t"}, Column: "c", Value: "lower($3)"},
		{Table: Name{"s", "t"}, Column: "d", Value: "$4"},
		{Column: "e", Value: "\x00"},
	}
	if !reflect.DeepEqual(st.Compared, want) {
		t.Errorf("got %+v", st.Compared)
	}
}
