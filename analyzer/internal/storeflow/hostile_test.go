package storeflow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// TestHostileCodeEndsSoon reads code that nobody writes by hand: variables with very many values, functions that call each other in long chains and in circles.
func TestHostileCodeEndsSoon(t *testing.T) {
	var code strings.Builder
	code.WriteString("package hostile\n\nimport (\n\t\"database/sql\"\n\t\"errors\"\n)\n\nvar ErrDuplicate = errors.New(\"duplicate\")\n\n")
	code.WriteString("type repo struct{ db *sql.DB; next *repo; exec interface{ Exec(string, ...any) (sql.Result, error) } }\n\n")

	code.WriteString("func values(a, b *sql.DB, tx *sql.Tx, n int) (int64, error) {\n\tdb, query := a, \"SELECT id FROM accounts WHERE id = 1\"\n\tvar err error\n\tvar won int64\n")
	for i := range 300 {
		fmt.Fprintf(&code, "\tif n > %d { db, a, b = b, db, a; query += \" AND x = 1\"; var done sql.Result; done, err = db.Exec(query); if done != nil { won, _ = done.RowsAffected() } else { won++ } }\n", i)
	}
	code.WriteString("\tif errors.Is(err, ErrDuplicate) { return won, nil }\n\t_, err = db.Exec(\"INSERT INTO accounts (id) VALUES (1) ON CONFLICT DO NOTHING\")\n\treturn won, err\n}\n\n")

	for i := range 400 {
		fmt.Fprintf(&code, "func (r *repo) step%d(n int) error { if n == 0 { return r.next.step%d(n) }; _, err := r.exec.Exec(\"INSERT INTO t%d (id) VALUES (1)\"); if err != nil { return r.step%d(n - 1) }; return r.next.step%d(n) }\n", i, (i+1)%400, i, (i+7)%400, (i+399)%400)
	}
	code.WriteString("func deep(fn func(*sql.Tx) error, db *sql.DB) error {\n")
	for range 60 {
		code.WriteString("\tfunc() {\n")
	}
	code.WriteString("\ttx, _ := db.Begin(); fn(tx); tx.Exec(\"INSERT INTO accounts (id) VALUES (1)\")\n")
	for range 60 {
		code.WriteString("\t}()\n")
	}
	code.WriteString("\treturn nil\n}\n")

	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/hostile\n\ngo 1.25\n", "hostile.go": code.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settingsPass := settings.New(settings.Config{})
	stores := New(settingsPass)
	var took time.Duration
	timed := &analysis.Analyzer{Name: "timed", Doc: "time the pass", Requires: []*analysis.Analyzer{program.Analyzer, settingsPass}, FactTypes: stores.FactTypes, Run: func(pass *analysis.Pass) (any, error) {
		if pass.Pkg.Path() != "example.com/hostile" {
			return nil, nil
		}
		started := time.Now()
		_, err := stores.Run(pass)
		took = time.Since(started)
		return nil, err
	}}
	analysistest.Run(t, dir, timed, "./...")
	if took == 0 || took > time.Minute {
		t.Errorf("the pass took %s", took)
	}
	t.Logf("the pass took %s", took)
}
