package analyzer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/analyzer"
)

// Bounds of one program. They are far above what is needed, so that only what grows without bound fails.
const (
	hostileTime  = 3 * time.Minute
	hostileBytes = 3 << 30
)

// TestHostilePrograms runs the suite over code that nobody writes by hand: it has to end, without a panic, in bounded time and memory, and to find the same in it each time, in whatever order the files come.
func TestHostilePrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the standard library from source")
	}
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/hostile\n\ngo 1.25\n")
	for name, text := range hostilePrograms() {
		write(t, dir, name, text)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir, Tests: true, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			t.Errorf("the program is not one: %v", err)
		}
	}
	if t.Failed() {
		return
	}
	total := 0
	for _, pkg := range loaded {
		first := hostileFindings(t, pkg)
		if second := hostileFindings(t, pkg); !slices.Equal(first, second) {
			t.Errorf("%s: a second run found other things:\n%s\n\n%s", pkg.ID, strings.Join(first, "\n"), strings.Join(second, "\n"))
		}
		slices.Reverse(pkg.Syntax)
		reversed := hostileFindings(t, pkg)
		slices.Sort(first)
		slices.Sort(reversed)
		if !slices.Equal(first, reversed) {
			t.Errorf("%s: the order of the files matters:\n%s\n\n%s", pkg.ID, strings.Join(first, "\n"), strings.Join(reversed, "\n"))
		}
		total += len(first)
	}
	if total < 4 {
		t.Errorf("%d findings in all: the programs have bugs, for the comparison to mean something", total)
	}
}

func hostileFindings(t *testing.T, pkg *packages.Package) []string {
	t.Helper()
	type outcome struct {
		findings []string
		err      error
	}
	done := make(chan outcome, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	go func() {
		graph, err := checker.Analyze(analyzer.Suite(analyzer.Config{MinConfidence: analyzer.Low}), []*packages.Package{pkg}, &checker.Options{Sequential: true})
		if err != nil {
			done <- outcome{err: err}
			return
		}
		var out outcome
		for _, root := range graph.Roots {
			if root.Err != nil {
				out.err = root.Err
			}
			for _, d := range root.Diagnostics {
				out.findings = append(out.findings, fmt.Sprint(pkg.Fset.Position(d.Pos), " ", d.Category, " ", d.Message))
			}
		}
		done <- out
	}()
	select {
	case out := <-done:
		runtime.ReadMemStats(&after)
		t.Logf("%s: %d findings, %s, %d MiB allocated", pkg.ID, len(out.findings), time.Since(started).Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		if out.err != nil {
			t.Errorf("%s: %v", pkg.ID, out.err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > hostileBytes {
			t.Errorf("%s: %d MiB were allocated", pkg.ID, used>>20)
		}
		return out.findings
	case <-time.After(hostileTime):
		t.Fatalf("%s: no end after %s", pkg.ID, hostileTime)
		return nil
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hostilePrograms gives files, by name.
func hostilePrograms() map[string]string {
	files := map[string]string{
		"nothing/nothing.go":         "package nothing\n",
		"onlytests/only_test.go":     "package onlytests\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) { http.Get(\"x\") }\n",
		"tagged/tagged.go":           "package tagged\n",
		"tagged/other.go":            "//go:build never\n\npackage tagged\n\nimport \"example.com/none\"\n\nvar _ = none.X\n",
		"bugs/a.go":                  hostileHead("bugs") + bugs("A"),
		"bugs/b.go":                  strings.Replace(hostileHead("bugs"), "func send", "func sendB", 1) + bugs("B"),
		"nested/nested.go":           hostileHead("nested") + nestedStatements(150),
		"closures/closures.go":       hostileHead("closures") + nestedClosures(50) + manyCalledClosures(9, 12),
		"cases/cases.go":             hostileHead("cases") + cases(5000),
		"long/long.go":               hostileHead("long") + longFunction(1000),
		"literals/literals.go":       hostileHead("literals") + literals(20000),
		"mutual/mutual.go":           hostileHead("mutual") + mutual(300),
		"jumps/jumps.go":             hostileHead("jumps") + jumps(100),
		"texts/texts.go":             hostileHead("texts") + texts(),
		"values/values.go":           hostileHead("values") + values(500),
		"shapes/shapes.go":           shapes,
		"interfaces/interfaces.go":   hostileHead("interfaces") + interfaces(60),
		"names/names.go":             strangeNames,
		"iterators/iterators.go":     hostileHead("iterators") + iterators,
		"manytypes/many.go":          hostileHead("manytypes") + manyTypes(600),
		"variables/variables.go":     hostileHead("variables") + variables(500),
		"variables/loops.go":         "package variables\n" + nestedLoops(60),
		"expressions/expressions.go": "package expressions\n" + expressions(2000),
	}
	if _, err := exec.LookPath("gcc"); err == nil {
		files["cgo/cgo.go"] = "package cgo\n\n// static int one(void) { return 1; }\nimport \"C\"\n\nimport \"net/http\"\n\nfunc One(h http.Header) { for attempt := 0; attempt < int(C.one()); attempt++ { h.Set(\"Idempotency-Key\", \"x\") } }\n"
	}
	return files
}

func hostileHead(name string) string {
	return "package " + name + `

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

var (
	_ = context.Background
	_ = rand.Text
	_ = errors.New
	_ = fmt.Sprint
	_ http.Header
	_ = strings.Join
	_ time.Time
	_ *sql.DB
)

func send(h http.Header, key string) error { h.Set("Idempotency-Key", key); _, err := http.Get("x"); return err }

`
}

// bugs are findings of several analyzers, for the order of findings to be seen.
func bugs(name string) string {
	return strings.ReplaceAll(`
func PayX(h http.Header) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		h.Set("Idempotency-Key", rand.Text())
		if _, err = http.Get("x"); err == nil { return nil }
		time.Sleep(time.Second)
	}
	return err
}

func AgainX(h http.Header) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = send(h, rand.Text()); err == nil { return nil }
	}
	return err
}

func SaveX(ctx context.Context, db *sql.DB, key string) error {
	var id string
	err := db.QueryRowContext(ctx, "SELECT id FROM payments WHERE idempotency_key = $1", key).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = db.ExecContext(ctx, "INSERT INTO payments (id, idempotency_key) VALUES ($1, $2)", rand.Text(), key)
	}
	return err
}

func WeakX(h http.Header) { h.Set("Idempotency-Key", fmt.Sprint(time.Now().Unix())); http.Get("x") }
`, "X", name)
}

func nestedStatements(depth int) string {
	return "func F(h http.Header, n int) (err error) {\n" + strings.Repeat("for n > 0 { if err == nil { switch { case n > 1:\n", depth/3) + "err = send(h, rand.Text())\n" + strings.Repeat("}}}\n", depth/3) + "return err\n}\n"
}

func nestedLoops(depth int) string {
	return "func G(do func() error) (err error) {\n" + strings.Repeat("for attempt := 0; attempt < 3; attempt++ {\n", depth) + "if err = do(); err == nil { return nil }\n" + strings.Repeat("}\n", depth) + "return err\n}\n"
}

func nestedClosures(depth int) string {
	return "func F(h http.Header) (err error) {\nkey := rand.Text()\nfor attempt := 0; attempt < 3; attempt++ {\n" + strings.Repeat("func() {\n", depth) + "err = send(h, key)\nkey = rand.Text()\n" + strings.Repeat("}()\n", depth) + "if err == nil { return nil }\n}\nreturn err\n}\n"
}

// manyCalledClosures has literals in literals, each called many times: the paths from the innermost to the outermost are calls to the power of depth.
func manyCalledClosures(depth, calls int) string {
	var out strings.Builder
	out.WriteString("func G(h http.Header) (err error) {\n")
	for i := range depth {
		fmt.Fprintf(&out, "f%d := func() {\n", i)
	}
	out.WriteString("err = send(h, rand.Text())\n")
	for i := range depth {
		out.WriteString("}\n")
		for range calls {
			fmt.Fprintf(&out, "f%d()\n", depth-1-i)
		}
	}
	out.WriteString("for range 3 { if err = send(h, rand.Text()); err == nil { break } }\nreturn err\n}\n")
	return out.String()
}

func cases(n int) string {
	var out strings.Builder
	out.WriteString("func F(h http.Header, n int, s string) (err error) {\nvar key string\nswitch n {\n")
	for i := range n {
		fmt.Fprintf(&out, "case %d: key = fmt.Sprint(key, %d)\n", i, i)
	}
	out.WriteString("}\nswitch s {\n")
	for i := range n {
		fmt.Fprintf(&out, "case \"%d\": err = send(h, key)\n", i)
	}
	out.WriteString("}\nreturn err\n}\n")
	return out.String()
}

func longFunction(lines int) string {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []string{
		"if err != nil { return err }\n",
		"key = key + rand.Text()\n",
		"err = send(h, key)\n",
		"err = db.QueryRow(\"SELECT id FROM t WHERE id = $1\", key).Scan(&id)\n",
		"_, err = db.Exec(\"INSERT INTO t (id) VALUES ($1)\", key)\n",
		"go func() { err = send(h, id) }()\n",
		"defer func() { key, id = id, key }()\n",
	}
	var out strings.Builder
	out.WriteString("func F(h http.Header, db *sql.DB) (err error) {\nvar key, id string\n")
	for range lines {
		out.WriteString(kinds[random.IntN(len(kinds))])
	}
	out.WriteString("return err\n}\n")
	return out.String()
}

func literals(n int) string {
	var out strings.Builder
	out.WriteString("type row struct{ IdempotencyKey string; next *row }\nvar Rows = []row{\n")
	for i := range n {
		fmt.Fprintf(&out, "{IdempotencyKey: fmt.Sprint(%d)},\n", i)
	}
	out.WriteString("}\nvar Named = map[string]any{\n")
	for i := range n / 4 {
		fmt.Fprintf(&out, "\"Idempotency-Key-%d\": func() error { return send(nil, rand.Text()) },\n", i)
	}
	out.WriteString("}\nvar Deep = " + strings.Repeat("&row{IdempotencyKey: \"x\", next: ", 300) + "nil" + strings.Repeat("}", 300) + "\n")
	return out.String()
}

func mutual(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "func F%d(h http.Header, db *sql.DB, n int, key string) (string, error) {\nif n == 0 { return rand.Text(), send(h, key) }\ndb.Exec(\"INSERT INTO t%d (id) VALUES (1)\")\nk, err := F%d(h, db, n-1, key)\nif err != nil { return F%d(h, db, n-1, k) }\nreturn F%d(h, db, n-1, k)\n}\n", i, i%7, (i+1)%n, (i*7)%n, (i+n-1)%n)
	}
	return out.String()
}

func jumps(n int) string {
	random := rand.New(rand.NewPCG(3, 4))
	targets := random.Perm(n) // each label once, for none to be unused
	var out strings.Builder
	out.WriteString("func F(h http.Header, n int) (err error) {\nvar key string\n")
	for i := range n {
		fmt.Fprintf(&out, "l%d:\nif n == %d { key = rand.Text(); goto l%d }\nif err = send(h, key); err != nil { goto l%d }\n", i, i, random.IntN(n), targets[i])
	}
	out.WriteString("return err\n}\n")
	return out.String()
}

func texts() string {
	var out strings.Builder
	out.WriteString("func F(db *sql.DB, s string) {\na0 := \"INSERT INTO t (a) VALUES \" + s\n")
	for i := range 60 { // a text that is twice as long each time
		fmt.Fprintf(&out, "a%d := a%d + a%d\nb%d := fmt.Sprintf(\"%%s %%s\", a%d, a%d)\n_ = b%d\n", i+1, i, i, i, i, i, i)
	}
	out.WriteString("db.Exec(a60)\ndb.Exec(b59)\nq := \"SELECT 1\"\n")
	for range 1000 {
		out.WriteString("q += s + \" UNION SELECT 1\"\n")
	}
	out.WriteString("db.Exec(q)\n}\n")
	for name, unit := range map[string]string{"Rows": "(1, 'x'), ", "Open": "((((", "Quotes": "'' '", "Selects": "(SELECT * FROM (SELECT ", "Columns": "a = $1 AND ", "Statements": "CREATE TABLE t (id int); ", "Comments": "/* -- "} {
		fmt.Fprintf(&out, "const %s = \"INSERT INTO t (a, b) VALUES %s\"\n\nfunc exec%s(db *sql.DB) { db.Exec(%s); db.QueryRow(\"SELECT id FROM t WHERE \" + %s) }\n", name, strings.Repeat(unit, 1<<20/len(unit)), name, name, name)
	}
	return out.String()
}

// values gives variables that have very many values each.
func values(n int) string {
	var out strings.Builder
	out.WriteString("func F(h http.Header, n int, a, b, c string) (err error) {\nfor attempt := 0; attempt < n; attempt++ {\n")
	for i := range n {
		fmt.Fprintf(&out, "if n > %d { a, b, c = b + a, c, rand.Text() } else { b = a }\n", i)
	}
	out.WriteString("if err = send(h, a+b+c); err == nil { return nil }\n}\nreturn err\n}\n")
	return out.String()
}

const shapes = `package shapes

import (
	"database/sql"
	"net/http"
)

type (
	S []S
	M map[string]M
	C chan C
	F func(F) F
	P *P
	T struct { *T; Next *T; All []T; By map[string]*T; IdempotencyKey string }
	I interface { Self() I; Other(J) J }
	J interface { I; Back(I) }
	G[X any] struct { Inner *G[X]; Value X; sql.NullString }
	A = G[string]
	B[X any] = *G[X]
	Row struct { IdempotencyKey string; *sql.DB; http.Header }
)

func (t *T) TableName() string { return t.Next.TableName() }

func Deeper[X any](n int, x X) *G[X] {
	if n == 0 { return nil }
	if other := Deeper(n-1, x); other != nil { return other }
	return &G[X]{Value: x}
}

func Both[K comparable, V any](a func(K) V, b func(V) K, n int, k K) V {
	if n == 0 { return a(k) }
	return Both(a, b, n-1, b(Both(a, b, n-1, k)))
}

func Use(f F, p P, t T, i I, j J, r Row, a A, b B[string]) {
	f(f)(f)
	run := r.Exec
	run("INSERT INTO t (id) VALUES (1)")
	set := (http.Header).Set
	set(r.Header, "Idempotency-Key", t.Next.Next.IdempotencyKey)
	exec := (*sql.DB).Exec
	exec(r.DB, "INSERT INTO t (id) VALUES ($1)", a.Inner.Value)
	i.Self().Other(j).Back(i)
	t.T.T.T.IdempotencyKey = b.Inner.Inner.Value
	var null func() error
	null()
	var none interface{ Exec(string, ...any) (sql.Result, error) }
	none.Exec("INSERT INTO t (id) VALUES (1)")
	(*http.Request)(nil).Header.Set("Idempotency-Key", "")
}
`

func interfaces(n int) string {
	var out strings.Builder
	out.WriteString("type I0 interface{ M0(key string) error }\ntype T0 struct{}\nfunc (T0) M0(string) error { return nil }\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&out, "type I%d interface{ I%d; M%d(key string) error }\ntype T%d struct{ T%d; i I%d }\nfunc (t T%d) M%d(key string) error { f := t.i.M%d; if err := f(key); err != nil { return t.i.M%d(rand.Text()) }; return t.M%d(key) }\n", i, i-1, i, i, i-1, i, i, i, i-1, i, i-1)
	}
	return out.String()
}

func manyTypes(n int) string {
	var out strings.Builder
	out.WriteString("type Store interface{ Find(id string) error; Save(id string) error }\n")
	for i := range n {
		fmt.Fprintf(&out, "type S%d struct{ db *sql.DB }\nfunc (s S%d) Find(id string) error { return s.db.QueryRow(\"SELECT id FROM t WHERE id = $1\", id).Scan(&id) }\nfunc (s S%d) Save(id string) error { _, err := s.db.Exec(\"INSERT INTO t (id) VALUES ($1)\", id); return err }\nfunc use%d(s Store, id string) error { if err := s.Find(id); err != nil { return s.Save(id) }; return nil }\n", i, i, i, i)
	}
	return out.String()
}

// variables are captured by many literals and read many times.
func variables(n int) string {
	var out strings.Builder
	out.WriteString("func F(h http.Header) {\nkey := rand.Text()\nother := key\nswap := func() { other = key }\nswap()\n")
	for i := range n {
		fmt.Fprintf(&out, "func() { if err := send(h, key+other); err != nil { send(h, other+\"%d\") } }()\n", i)
	}
	out.WriteString("}\n")
	return out.String()
}

func expressions(n int) string {
	return "func F(a []int, s string) (int, string) { return " + strings.Repeat("(a[0] + ", n) + "1" + strings.Repeat(")", n) + ", " + strings.Repeat("s + ", n) + "s }\n"
}

const strangeNames = `package names

import (
	. "crypto/rand"
	. "database/sql"
	. "net/http"
)

type string = error
type ключ struct{ IdempotencyKey func() func() }

func len(int) (nil int) { return }
func append(DB, ...any) {}

func 支付(идемпотентность Header, 数据库 *DB) {
	var true, iota, error, copy = 1, 2, 3, 4
	_, _, _, _ = true, iota, error, copy
	for попытка := 0; попытка < 3; попытка++ {
		идемпотентность.Set("Idempotency-Key", Text())
		Get("x")
		数据库.Exec("INSERT INTO платежи (ключ) VALUES ($1)", len(1))
	}
	append(*数据库)
}
`

const iterators = `
func turns(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n { if !yield(i) { return } }
	}
}

func F(h http.Header, db *sql.DB) (err error) {
	for attempt := range turns(3) {
		for range turns(attempt) {
			if err = send(h, rand.Text()); err == nil { return nil }
			defer db.Exec("INSERT INTO t (id) VALUES (1)")
		}
	}
outer:
	for i := range turns(2) {
		for range turns(i) { if i > 1 { continue outer }; break outer }
	}
	for range turns(1) { func() { for range turns(2) { _ = send(h, rand.Text()) } }() }
	return err
}
`
