package toolstest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ariga.io/atlas/sql/migrate"
	migrator "github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	_ "github.com/golang-migrate/migrate/v4/source/file"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"
	tern "github.com/jackc/tern/v2/migrate"
	"github.com/pressly/goose/v3"

	"github.com/idemgen/idemgen/generator/migration"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// tool runs the migrations of a folder up and down again.
type tool struct {
	name     string // the format's, where empty
	format   string
	up, down func(t *testing.T, url, dir string)
	// noDown tools plan the way down by themselves.
	noDown bool
}

func (t tool) String() string {
	if t.name != "" {
		return t.name
	}
	return t.format
}

var tools = []tool{
	{format: "plain", up: func(t *testing.T, url, dir string) { scripts(t, url, dir, false) }, down: func(t *testing.T, url, dir string) { scripts(t, url, dir, true) }},
	{format: "goose", up: gooseUp, down: gooseDown},
	{format: "golang-migrate", up: migrateUp(""), down: migrateDown("")},
	{name: "golang-migrate, statement by statement", format: "golang-migrate", up: migrateUp("x-multi-statement=true"), down: migrateDown("x-multi-statement=true")},
	{format: "tern", up: ternTo(-1), down: ternTo(0)},
	{format: "dbmate", up: dbmateUp, down: dbmateDown},
	{format: "atlas", up: atlasUp, noDown: true},
}

func document() *policy.Document {
	guards := []policy.Guard{
		{Table: "payments", Columns: []string{"account_id", "idem_key"}},
		{Table: "billing.Odd Table", Columns: []string{"account_id", "Order-ID"}, On: "conflict"},
	}
	return &policy.Document{Operations: []policy.Operation{
		{ID: "createPayment", Method: "POST", Path: "/payments/{id}", Decision: policy.Keyed, Policy: policy.Policy{Guards: guards}},
	}}
}

func steps(table string) []migration.Step {
	var steps []migration.Step
	for _, s := range pgstore.SchemaSteps(table) {
		steps = append(steps, migration.Step{Version: s.Version, Up: s.Up, Down: s.Down})
	}
	return steps
}

func TestTools_G1_G2_UpInsertDown(t *testing.T) {
	for _, tool := range tools {
		for _, style := range []migration.GuardStyle{migration.AddConstraint, migration.Concurrent} {
			t.Run(tool.String()+"/"+string(style), func(t *testing.T) {
				dir := t.TempDir()
				generate(t, dir, migration.Options{Format: tool.format, Table: "idem.keys", Guards: style})
				url := pgtest.URL(t)
				// What a project has before: its own schema and tables.
				exec(t, url, `CREATE SCHEMA idem; CREATE SCHEMA billing;
					CREATE TABLE payments (account_id text NOT NULL, idem_key text NOT NULL);
					CREATE TABLE billing."Odd Table" (account_id text NOT NULL, "Order-ID" text NOT NULL)`)

				tool.up(t, url, dir)
				exec(t, url, `INSERT INTO idem.keys (created_at, expires_at, attempt, status, body_state, fingerprint_version, scope, key, fingerprint, operation, headers)
					VALUES (now(), now(), gen_random_uuid(), 201, 1, 1, 'a', 'k', 'f', 'createPayment', '')`)
				for _, constraint := range []string{"payments", `billing."Odd Table"`} {
					exec(t, url, "INSERT INTO "+constraint+" VALUES ('a', 'k')")
					violates(t, url, "INSERT INTO "+constraint+" VALUES ('a', 'k')", document())
				}

				// A folder that was issued gets nothing more.
				if more := generate(t, dir, migration.Options{Format: tool.format, Table: "idem.keys", Guards: style}); len(more) > 0 {
					t.Errorf("a second run issued %v", more)
				}
				if tool.noDown {
					return
				}
				tool.down(t, url, dir)
				exec(t, url, "INSERT INTO payments VALUES ('a', 'k')") // twice now
				if got := query(t, url, "SELECT (to_regclass('idem.keys') IS NULL)::text"); got != "true" {
					t.Error("the keys table is still there")
				}
				tool.up(t, empty(t, url), dir)
			})
		}
	}
}

// New migrations go on where a folder stands, and the tool takes them.
func TestTools_FolderInUse(t *testing.T) {
	begin := map[string]map[string]string{
		"goose":          {"20240101120000_users.sql": "-- +goose Up\nCREATE TABLE users (id int);\n-- +goose Down\nDROP TABLE users;\n"},
		"golang-migrate": {"1700000000_users.up.sql": "CREATE TABLE users (id int);", "1700000000_users.down.sql": "DROP TABLE users;"},
		"tern":           {"001_users.sql": "CREATE TABLE users (id int);\n---- create above / drop below ----\nDROP TABLE users;\n"},
		"dbmate":         {"20240101120000_users.sql": "-- migrate:up\nCREATE TABLE users (id int);\n-- migrate:down\nDROP TABLE users;\n"},
		"atlas":          {"20240101120000_users.sql": "CREATE TABLE users (id int);\n"},
		"plain":          {"1_users.sql": "CREATE TABLE users (id int);\n", "1_users.down.sql": "DROP TABLE users;\n"},
	}
	for _, tool := range tools {
		t.Run(tool.String(), func(t *testing.T) {
			dir, url := t.TempDir(), pgtest.URL(t)
			for name, content := range begin[tool.format] {
				write(t, dir, name, []byte(content))
			}
			if tool.format == "atlas" {
				atlasHash(t, dir)
			}
			exec(t, url, "CREATE TABLE payments (account_id text, idem_key text)")
			doc := document()
			doc.Operations[0].Policy.Guards = doc.Operations[0].Policy.Guards[:1]
			generateFor(t, doc, dir, migration.Options{Format: tool.format})
			tool.up(t, url, dir)
			if got := query(t, url, "SELECT count(*)::text FROM pg_constraint WHERE conname = 'idemgen_payments_account_id_idem_key_key'"); got != "1" {
				t.Errorf("%s constraints", got)
			}
			if got := query(t, url, "SELECT count(*)::text FROM users, idempotency_keys"); got != "0" {
				t.Errorf("the tables are not both there: %s", got)
			}
		})
	}
}

// The lock timeout holds in every tool: a table in use makes a migration fail soon, and leaves nothing behind.
func TestTools_LockTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the lock timeout of 5 s")
	}
	dir, url := t.TempDir(), pgtest.URL(t)
	exec(t, url, "CREATE TABLE payments (account_id text, idem_key text)")
	doc := document()
	doc.Operations[0].Policy.Guards = doc.Operations[0].Policy.Guards[:1]
	generateFor(t, doc, dir, migration.Options{Format: "golang-migrate"})

	reader := connect(t, url)
	if _, err := reader.Exec(t.Context(), "BEGIN; SELECT * FROM payments"); err != nil {
		t.Fatal(err)
	}
	m, err := migrator.New("file://"+dir, "pgx5"+strings.TrimPrefix(url, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Up(); err == nil || !strings.Contains(err.Error(), "lock timeout") {
		t.Errorf("got %v, want a lock timeout", err)
	}
}

func generate(t *testing.T, dir string, o migration.Options) []string {
	t.Helper()
	return generateFor(t, document(), dir, o)
}

// generateFor writes the missing migrations into dir and returns their names.
func generateFor(t *testing.T, doc *policy.Document, dir string, o migration.Options) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		o.Existing = append(o.Existing, migration.Existing{Name: entry.Name(), Content: content})
	}
	o.Dir, o.Steps, o.Tables = "migrations", steps(o.Table), []string{"payments", "billing.Odd Table"}
	files, findings, err := migration.Generate(doc, o)
	if err != nil || findings.Err() != nil {
		t.Fatal(err, findings)
	}
	var names []string
	for _, file := range files {
		write(t, dir, path.Base(file.Path), file.Content)
		names = append(names, path.Base(file.Path))
	}
	return names
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// scripts runs plain files in their order, each in one message as psql -f would statement by statement.
func scripts(t *testing.T, url, dir string, down bool) {
	t.Helper()
	names := sqlFiles(t, dir, func(name string) bool { return strings.HasSuffix(name, ".down.sql") == down })
	if down {
		slices.Reverse(names)
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		exec(t, url, string(content))
	}
}

func sqlFiles(t *testing.T, dir string, keep func(string) bool) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".sql") && keep(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func gooseProvider(t *testing.T, url, dir string) *goose.Provider {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func gooseUp(t *testing.T, url, dir string) {
	t.Helper()
	if _, err := gooseProvider(t, url, dir).Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func gooseDown(t *testing.T, url, dir string) {
	t.Helper()
	if _, err := gooseProvider(t, url, dir).DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}

func migrateUp(options string) func(t *testing.T, url, dir string) {
	return migrateWith(options, (*migrator.Migrate).Up)
}

func migrateDown(options string) func(t *testing.T, url, dir string) {
	return migrateWith(options, (*migrator.Migrate).Down)
}

func migrateWith(options string, move func(*migrator.Migrate) error) func(t *testing.T, url, dir string) {
	return func(t *testing.T, url, dir string) {
		t.Helper()
		url = "pgx5" + strings.TrimPrefix(strings.TrimPrefix(url, "postgresql"), "postgres")
		if options != "" {
			separator := "?"
			if strings.Contains(url, "?") {
				separator = "&"
			}
			url += separator + options
		}
		m, err := migrator.New("file://"+dir, url)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := move(m); err != nil {
			t.Fatal(err)
		}
	}
}

func ternTo(version int32) func(t *testing.T, url, dir string) {
	return func(t *testing.T, url, dir string) {
		t.Helper()
		m, err := tern.NewMigrator(t.Context(), connect(t, url), "public.schema_version")
		if err != nil {
			t.Fatal(err)
		}
		if err := m.LoadMigrations(os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if version < 0 {
			err = m.Migrate(t.Context())
		} else {
			err = m.MigrateTo(t.Context(), version)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// atlasUp checks the sum and runs the files as Atlas's own library splits them, in a transaction each unless told
// otherwise.
func atlasUp(t *testing.T, url, dir string) {
	t.Helper()
	local, err := migrate.NewLocalDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate.Validate(local); err != nil {
		t.Fatalf("atlas.sum: %v", err)
	}
	files, err := local.Files()
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, url)
	for _, file := range files {
		statements, err := file.Stmts()
		if err != nil {
			t.Fatal(err)
		}
		inTransaction := !slices.Contains(file.(*migrate.LocalFile).Directive("txmode"), "none")
		run := func(statement string) {
			if _, err := conn.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v\n%s", file.Name(), err, statement)
			}
		}
		if inTransaction {
			run("BEGIN")
		}
		for _, statement := range statements {
			run(statement)
		}
		if inTransaction {
			run("COMMIT")
		}
	}
}

func atlasHash(t *testing.T, dir string) {
	t.Helper()
	local, err := migrate.NewLocalDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := local.Checksum()
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate.WriteSumFile(local, sum); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func exec(t *testing.T, url, statements string) {
	t.Helper()
	if _, err := connect(t, url).Exec(t.Context(), statements); err != nil {
		t.Fatalf("%v\n%s", err, statements)
	}
}

func query(t *testing.T, url, statement string) string {
	t.Helper()
	var got string
	if err := connect(t, url).QueryRow(t.Context(), statement).Scan(&got); err != nil {
		t.Fatalf("%v\n%s", err, statement)
	}
	return got
}

// violates checks that the statement breaks one of the document's guards, under the name that the runtime knows.
func violates(t *testing.T, url, statement string, doc *policy.Document) {
	t.Helper()
	_, err := connect(t, url).Exec(t.Context(), statement)
	var failure *pgconn.PgError
	if !errors.As(err, &failure) || failure.Code != "23505" {
		t.Fatalf("%s: got %v, want a unique violation", statement, err)
	}
	if !slices.ContainsFunc(doc.Operations[0].Policy.Guards, func(g policy.Guard) bool { return g.Name() == failure.ConstraintName }) {
		t.Errorf("the constraint %s is no guard's", failure.ConstraintName)
	}
}

// empty removes the rows that would break the guards.
func empty(t *testing.T, url string) string {
	t.Helper()
	exec(t, url, "TRUNCATE payments")
	return url
}
