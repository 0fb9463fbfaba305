package docs_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/migration"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func operations(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("operations.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// What the page has for psql runs on the store's tables.
func TestOperations_SQLRuns(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	if err := pgstore.Migrate(context.Background(), pool, ""); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(operations(t), -1)
	if len(blocks) < 3 {
		t.Fatalf("%d blocks of SQL", len(blocks))
	}
	for _, block := range blocks {
		if _, err := pool.Exec(context.Background(), block[1]); err != nil {
			t.Errorf("%v: %s", err, block[1])
		}
	}
}

// Shortening the retention by hand leaves work in progress alone.
func TestOperations_X1_ShorterRetentionLeavesWorkInProgress(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	ctx := context.Background()
	if err := pgstore.Migrate(ctx, pool, ""); err != nil {
		t.Fatal(err)
	}
	const row = `INSERT INTO idempotency_keys (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers)
VALUES (now(), $1::timestamptz, gen_random_uuid(), $2, 1, 1, 's', $3, '', 'createPayment', '')`
	for key, values := range map[string][]any{"done": {"2999-01-01", 201}, "at work": {"infinity", 0}} {
		if _, err := pool.Exec(ctx, row, values[0], values[1], []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	update := regexp.MustCompile("(?s)```sql\n(UPDATE .*?)```").FindStringSubmatch(operations(t))
	if update == nil {
		t.Fatal("the page has no UPDATE")
	}
	tag, err := pool.Exec(ctx, update[1])
	if err != nil || tag.RowsAffected() != 1 {
		t.Errorf("%d rows, %v", tag.RowsAffected(), err)
	}
	var forever int
	if err := pool.QueryRow(ctx, "SELECT count(*) FROM idempotency_keys WHERE status = 0 AND expires_at = 'infinity'").Scan(&forever); err != nil || forever != 1 {
		t.Errorf("%d records in progress, %v", forever, err)
	}
}

// Each dialect has its line, and what the page names of the code and the Makefile is there.
func TestOperations_NamesWhatIsThere(t *testing.T) {
	page := operations(t)
	for _, dialect := range migration.Dialects() {
		if dialect != string(migration.Postgres) && !strings.Contains(page, "| `"+dialect+"` |") {
			t.Errorf("no line of %s", dialect)
		}
	}
	source := ""
	for _, file := range []string{"../Makefile", "../runtime/options.go", "../runtime/pgstore/store.go", "../runtime/pgstore/purger.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(text)
	}
	named := regexp.MustCompile("`(?:make |pgstore\\.)?(With[A-Za-z]+|test-[a-z]+)").FindAllStringSubmatch(page, -1)
	if len(named) < 4 {
		t.Fatalf("the page names %v", named)
	}
	for _, name := range named {
		if !strings.Contains(source, "func "+name[1]+"(") && !strings.Contains(source, "\n"+name[1]+":") {
			t.Errorf("there is no %s", name[1])
		}
	}
}
