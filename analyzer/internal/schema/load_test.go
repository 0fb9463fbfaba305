package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes a file system of names and texts.
func tree(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fsys
}

// describe writes the rules of a table, in order: columns, then what limits them, then where they are.
func describe(t *Table) string {
	if t == nil {
		return "no table"
	}
	var rules []string
	for _, r := range t.Rules {
		text := strings.Join(r.Columns, ",")
		if r.Primary {
			text += " primary"
		}
		if r.Partial != "" {
			text += " where " + r.Partial
		}
		if len(r.Nullable) > 0 {
			text += " null " + strings.Join(r.Nullable, ",")
		}
		rules = append(rules, fmt.Sprintf("%s @%s:%d", text, r.Origin.File, r.Origin.Line))
	}
	return strings.Join(rules, "; ")
}

func TestLoad(t *testing.T) {
	const create = "CREATE TABLE keys (id bigint PRIMARY KEY, tenant text NOT NULL, key text NOT NULL);\n"
	tests := []struct {
		name  string
		files fstest.MapFS
		want  string // rules of table keys
	}{
		{"nothing", tree("a.go", "package a"), "no table"},
		{"plain schema", tree("db/schema.sql", create), "id primary @db/schema.sql:1"},
		{"golang-migrate: only up, by number",
			tree("m/10_b.up.sql", "DROP INDEX k;", "m/9_a.up.sql", create+"CREATE UNIQUE INDEX k ON keys (key);", "m/9_a.down.sql", "DROP TABLE keys;", "m/10_b.down.sql", "CREATE UNIQUE INDEX k ON keys (key)"),
			"id primary @m/9_a.up.sql:1"},
		{"goose: the section behind Down is not applied",
			tree("m/00001_a.sql", "-- +goose Up\n"+create+"\n-- +goose Down\nDROP TABLE keys;\n", "m/00002_b.sql", "-- +goose Up\n-- +goose StatementBegin\nALTER TABLE keys ADD CONSTRAINT k UNIQUE (tenant, key);\n-- +goose StatementEnd\n-- +goose Down\nALTER TABLE keys DROP CONSTRAINT k;"),
			"id primary @m/00001_a.sql:2; tenant,key @m/00002_b.sql:3"},
		{"sql-migrate", tree("m/1.sql", "-- +migrate Up\n"+create+"-- +migrate Down\nDROP TABLE keys;"), "id primary @m/1.sql:2"},
		{"dbmate", tree("db/migrations/2020_a.sql", "-- migrate:up\n"+create+"-- migrate:down\nDROP TABLE keys"), "id primary @db/migrations/2020_a.sql:2"},
		{"dbmate with options", tree("m/1.sql", "-- migrate:up transaction:false\n"+create+"-- migrate:down transaction:false\nDROP TABLE keys"), "id primary @m/1.sql:2"},
		{"the columns of a primary key are never NULL", tree("s.sql", "CREATE TABLE keys (id bigint, key text NOT NULL, PRIMARY KEY (id), UNIQUE (id, key));"), "id primary @s.sql:1; id,key @s.sql:1"},
		{"a way back by its plain name", tree("m/1/create.sql", create, "m/1/rollback.sql", "DROP TABLE keys;"), "id primary @m/1/create.sql:1"},
		{"NOT NULL in one of two sets", tree("a/s.sql", "CREATE TABLE keys (tenant text, key text NOT NULL, UNIQUE (tenant, key));", "b/s.sql", "CREATE TABLE keys (tenant text NOT NULL, key text NOT NULL);"), "tenant,key @a/s.sql:1"},
		{"the same rule without a name twice", tree("m/1.sql", "CREATE TABLE IF NOT EXISTS keys (key text NOT NULL UNIQUE);", "m/2.sql", "CREATE TABLE IF NOT EXISTS keys (key text NOT NULL UNIQUE);"), "key @m/1.sql:1"},
		{"tern", tree("m/001_a.sql", create+"\n---- create above / drop below ----\n\nDROP TABLE keys;"), "id primary @m/001_a.sql:1"},
		{"flyway: versions, undo, repeatable last",
			tree("sql/V2__b.sql", "CREATE UNIQUE INDEX k ON keys (key);", "sql/V1_10__d.sql", "ALTER TABLE keys DROP CONSTRAINT t;", "sql/V1.2__c.sql", "ALTER TABLE keys ADD CONSTRAINT t UNIQUE (tenant);", "sql/V1__a.sql", create, "sql/U2__b.sql", "DROP INDEX k;", "sql/R__z.sql", "CREATE UNIQUE INDEX z ON keys (tenant, id)"),
			"id primary @sql/V1__a.sql:1; key @sql/V2__b.sql:1; tenant,id @sql/R__z.sql:1"},
		{"atlas: by time", tree("migrations/20230102_b.sql", "ALTER TABLE `keys` ADD UNIQUE INDEX `k` (`key`);", "migrations/20230101_a.sql", create, "migrations/atlas.sum", "h1:x"), "id primary @migrations/20230101_a.sql:1; key @migrations/20230102_b.sql:1"},
		{"up.sql and down.sql", tree("m/1/up.sql", create, "m/1/down.sql", "DROP TABLE keys", "m/2/up.sql", "CREATE UNIQUE INDEX k ON keys (key)", "m/2/down.sql", "DROP INDEX k"), "id primary @m/1/up.sql:1; key @m/2/up.sql:1"},
		{"folders by version, the later ones change what the earlier ones create",
			tree("s/v1.10/a.sql", "DROP INDEX k;", "s/v1.9/a.sql", "CREATE UNIQUE INDEX k ON keys (key);", "s/v1.0/a.sql", create), "id primary @s/v1.0/a.sql:1"},
		{"two databases: the rules of both", tree("mysql/1.sql", create+"CREATE UNIQUE INDEX k ON keys (key);", "postgres/1.sql", create, "postgres/2.sql", "DROP INDEX IF EXISTS k"),
			"id primary @mysql/1.sql:1; key @mysql/1.sql:2"},
		{"vendor, data of tests, hidden and deep folders are not read", tree("vendor/a/1.sql", create, "x/testdata/1.sql", create, ".git/1.sql", create, "_old/1.sql", create, "node_modules/a/1.sql", create, "m/a_test.sql", create, "1/2/3/4/5/6/7/8/9/1.sql", create), "no table"},
		{"too large", tree("a.sql", create+strings.Repeat(" ", maxFileSize)), "no table"},
		{"rows are skipped", tree("a.sql", "INSERT INTO t VALUES ('CREATE TABLE keys (id int PRIMARY KEY);');\n"+create), "id primary @a.sql:2"},
		{"sqlc, version 2", tree("sqlc.yaml", "version: \"2\"\nsql:\n  - engine: postgresql\n    schema: db/testdata/\n    queries: q.sql\n", "db/testdata/2.sql", "CREATE UNIQUE INDEX k ON keys (key)", "db/testdata/1.sql", create), "id primary @db/testdata/1.sql:1; key @db/testdata/2.sql:1"},
		{"sqlc, version 2, list in the order given", tree("a/sqlc.yml", "version: 2\nsql:\n- schema: [\"b.sql\", \"a.sql\", \"../../../etc/passwd\"]\n", "a/b.sql", create, "a/a.sql", "ALTER TABLE keys DROP CONSTRAINT keys_pkey;"), ""},
		{"sqlc, version 1", tree("sqlc.json", `{"version": "1", "packages": [{"schema": "s/*.sql", "queries": "q"}]}`, "s/1.sql", create), "id primary @s/1.sql:1"},
		{"sqlc, broken", tree("sqlc.yaml", "sql: {", "s/1.sql", create), "id primary @s/1.sql:1"},

		{"dropped by the name PostgreSQL gives", tree("1.sql", "CREATE TABLE keys (key text UNIQUE, a int, UNIQUE (key, a)); ALTER TABLE keys DROP CONSTRAINT keys_key_key;"), "key,a null key,a @1.sql:1"},
		{"dropped by the name MySQL gives", tree("1.sql", "CREATE TABLE keys (`key` varchar(9) NOT NULL, UNIQUE KEY (`key`)); ALTER TABLE `keys` DROP INDEX `key`;"), ""},
		{"an index dropped by a column's name is none of MySQL's", tree("1.sql", "CREATE TABLE keys (key text NOT NULL UNIQUE); DROP INDEX key;"), "key @1.sql:1"},
		{"renamed constraint, then dropped", tree("1.sql", "CREATE TABLE keys (key text NOT NULL CONSTRAINT a UNIQUE); ALTER TABLE keys RENAME CONSTRAINT a TO b; ALTER TABLE keys DROP CONSTRAINT a; ALTER TABLE keys DROP CONSTRAINT b;"), ""},
		{"renamed index, then dropped", tree("1.sql", create+"CREATE UNIQUE INDEX a ON keys (key); ALTER INDEX a RENAME TO b; DROP INDEX b;"), "id primary @1.sql:1"},
		{"dropped and added in one statement", tree("1.sql", "CREATE TABLE keys (key text NOT NULL CONSTRAINT a UNIQUE, b int NOT NULL); ALTER TABLE keys ADD CONSTRAINT a UNIQUE (b), DROP CONSTRAINT a;"), "b @1.sql:1"},
		{"primary key dropped", tree("1.sql", create+"ALTER TABLE keys DROP PRIMARY KEY;"), ""},
		{"renamed column", tree("1.sql", create+"CREATE UNIQUE INDEX ON keys (lower(key), tenant); ALTER TABLE keys RENAME COLUMN key TO token; ALTER TABLE keys RENAME tenant TO owner;"), "id primary @1.sql:1; (lower(token)),owner @1.sql:2"},
		{"dropped column", tree("1.sql", create+"CREATE UNIQUE INDEX ON keys (lower(key)); CREATE UNIQUE INDEX ON keys (tenant, key); ALTER TABLE keys DROP COLUMN key;"), "id primary @1.sql:1"},
		{"renamed table", tree("1.sql", strings.ReplaceAll(create, "keys", "old")+"ALTER TABLE old RENAME TO keys; CREATE UNIQUE INDEX k ON keys (key);"), "id primary @1.sql:1; key @1.sql:2"},
		{"SQLite's way to change a table", tree("1.sql", create+"CREATE TABLE keys_new (id int, key text NOT NULL UNIQUE); INSERT INTO keys_new SELECT id, key FROM keys; DROP TABLE keys; ALTER TABLE keys_new RENAME TO keys;"), "key @1.sql:2"},
		{"dropped table", tree("1.sql", create+"DROP TABLE IF EXISTS keys CASCADE;"), "no table"},
		{"created again if it does not exist", tree("1.sql", create, "2.sql", strings.Replace(create, "TABLE", "TABLE IF NOT EXISTS", 1)), "id primary @2.sql:1"},
		{"nullable column", tree("1.sql", "CREATE TABLE keys (tenant text, key text NOT NULL, UNIQUE (tenant, key))"), "tenant,key null tenant @1.sql:1"},
		{"nulls not distinct", tree("1.sql", "CREATE TABLE keys (tenant text, key text NOT NULL, UNIQUE NULLS NOT DISTINCT (tenant, key))"), "tenant,key @1.sql:1"},
		{"later NOT NULL", tree("1.sql", "CREATE TABLE keys (tenant text, UNIQUE (tenant)); ALTER TABLE keys ALTER COLUMN tenant SET NOT NULL"), "tenant @1.sql:1"},
		{"later NULL", tree("1.sql", "CREATE TABLE keys (tenant text NOT NULL UNIQUE); ALTER TABLE keys ALTER tenant DROP NOT NULL"), "tenant null tenant @1.sql:1"},
		{"changed by MODIFY and CHANGE", tree("1.sql", "CREATE TABLE `keys` (a int, b int, UNIQUE (a), UNIQUE (b)); ALTER TABLE `keys` MODIFY a int NOT NULL, CHANGE COLUMN b c bigint NOT NULL"), "a @1.sql:1; c @1.sql:1"},
		{"COALESCE makes a value of NULL", tree("1.sql", "CREATE TABLE keys (tenant text, key text NOT NULL); CREATE UNIQUE INDEX ON keys (COALESCE(tenant, ''), key)"), "(coalesce(tenant,'')),key @1.sql:1"},
		{"expression on a nullable column", tree("1.sql", "CREATE TABLE keys (email text); CREATE UNIQUE INDEX ON keys (lower(email))"), "(lower(email)) null email @1.sql:1"},
		{"partial", tree("1.sql", create+"CREATE UNIQUE INDEX k ON keys (key) WHERE deleted_at IS NULL"), "id primary @1.sql:1; key where deleted_at IS NULL @1.sql:2"},
		{"constraint made of an index", tree("1.sql", create+"CREATE UNIQUE INDEX k ON keys (key); ALTER TABLE keys ADD CONSTRAINT c UNIQUE USING INDEX k; DROP INDEX k;"), "id primary @1.sql:1; key @1.sql:2"},
		{"copied from another table", tree("1.sql", create+"CREATE TABLE k2 (LIKE keys INCLUDING ALL); DROP TABLE keys; ALTER TABLE k2 RENAME TO keys"), "id primary @1.sql:1"},
		{"in a block", tree("1.sql", create+"DO $$ BEGIN\n ALTER TABLE keys ADD CONSTRAINT k UNIQUE (key);\nEXCEPTION WHEN duplicate_object THEN NULL; END $$;"), "id primary @1.sql:1; key @1.sql:3"},
		{"table of a run-time schema", tree("1.sql", "CREATE TABLE {{.Schema}}.keys (key text PRIMARY KEY); CREATE UNIQUE INDEX k ON \"{{ .Bucket }}\".keys (a)"), "key primary @1.sql:1; a @1.sql:1"},
		{"a table that no file creates", tree("1.sql", "ALTER TABLE keys ADD CONSTRAINT k UNIQUE (key)"), "key @1.sql:1"},
		{"case", tree("1.sql", "create table Keys (ID bigint primary key, \"tenantId\" text not null unique)"), "id primary @1.sql:1; tenantId @1.sql:1"},
	}
	for _, test := range tests {
		s, err := LoadFS(test.files, nil)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := describe(s.Tables["keys"]); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestGlobs(t *testing.T) {
	files := tree("a/1.sql", "CREATE TABLE keys (key int PRIMARY KEY)", "a/1.down.sql", "DROP TABLE keys", "b/2.sql", "CREATE UNIQUE INDEX k ON keys (a)", "b/deep/er/3.sql", "DROP INDEX k", "c/x.sql", "CREATE TABLE other (a int)")
	for _, test := range []struct {
		globs []string
		want  []string
	}{
		{[]string{"a/*.sql"}, []string{"a/1.sql"}},
		{[]string{"./b", "a"}, []string{"b/2.sql", "a/1.sql"}},
		{[]string{"**/*.sql"}, []string{"a/1.sql", "b/2.sql", "b/deep/er/3.sql", "c/x.sql"}},
		{[]string{"b/**"}, []string{"b/2.sql", "b/deep/er/3.sql"}},
		{[]string{"none/*.sql"}, nil},
		{[]string{"../x/*.sql", "/etc/*.sql"}, nil},
	} {
		s, err := LoadFS(files, test.globs)
		if err != nil || !slices.Equal(s.Files, test.want) {
			t.Errorf("%v reads %v, want %v (%v)", test.globs, s.Files, test.want, err)
		}
	}
	if _, err := LoadFS(files, []string{"a/["}); err == nil {
		t.Error("a malformed pattern is no error")
	}
	if _, err := Load(t.TempDir()+"/none", nil); err == nil {
		t.Error("a folder that is not there is no error")
	}
	if s, err := Load(t.TempDir(), nil); err != nil || len(s.Tables) != 0 {
		t.Errorf("an empty folder gives %v, %v", s, err)
	}
}

func TestCover(t *testing.T) {
	s, err := LoadFS(tree("1.sql", `CREATE TABLE app.keys (id int PRIMARY KEY, tenant text NOT NULL, key text NOT NULL, ref text, email text NOT NULL, UNIQUE (tenant, key), UNIQUE (ref), UNIQUE (tenant, ref));
CREATE UNIQUE INDEX ON keys (lower(email)); CREATE UNIQUE INDEX ON keys (key) WHERE open; CREATE TABLE bare (a int);`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		table, columns string
		want           Verdict
		rule           string
	}{
		{"other", "a", UnknownTable, ""},
		{"bare", "a", NotUnique, ""},
		{"keys", "", NotUnique, ""},
		{"keys", "tenant", NotUnique, ""},
		{"keys", "id", Unique, "id"},
		{"KEYS", "ID", Unique, "id"},
		{"app.keys", "id", Unique, "id"},
		{"keys", "key", PartialRule, "key"},
		{"keys", "key tenant", Unique, "tenant,key"},
		{"keys", "key tenant amount", Unique, "tenant,key"},
		{"keys", "ref", NullableRule, "ref"},
		{"keys", "ref key", PartialRule, "key"},
		{"keys", "email", Unique, "(lower(email))"},
		{"keys", "(lower(email))", Unique, "(lower(email))"},
		{"keys", "(upper(email))", NotUnique, ""},
	} {
		got, rule := s.Cover(test.table, strings.Fields(test.columns))
		columns := ""
		if rule != nil {
			columns = strings.Join(rule.Columns, ",")
		}
		if got != test.want || columns != test.rule {
			t.Errorf("%s by %q: %d %s, want %d %s", test.table, test.columns, got, columns, test.want, test.rule)
		}
	}
	if got, _ := (*Schema)(nil).Cover("keys", []string{"id"}); got != UnknownTable {
		t.Error("no schema knows a table")
	}
}

func TestWith(t *testing.T) {
	s, err := LoadFS(tree("1.sql", "CREATE TABLE keys (id int PRIMARY KEY)"), nil)
	if err != nil {
		t.Fatal(err)
	}
	both := s.With(&Table{Name: "keys", Rules: []Rule{{Columns: []string{"key"}}, {Columns: []string{"id"}, Primary: true}}}, &Table{Name: "new"})
	if got := describe(both.Tables["keys"]); got != "id primary @1.sql:1; key @:0" {
		t.Error(got)
	}
	if got := describe(s.Tables["keys"]); got != "id primary @1.sql:1" || s.Tables["new"] != nil || both.Tables["new"] == nil {
		t.Errorf("the first schema changed: %s", got)
	}
}

// TestOrder loads the same files many times: maps must not decide anything.
func TestOrder(t *testing.T) {
	files := tree("1.sql", "CREATE TABLE a (x int NOT NULL CONSTRAINT k UNIQUE); CREATE TABLE b (x int NOT NULL CONSTRAINT k UNIQUE); CREATE TABLE c (x int NOT NULL CONSTRAINT k UNIQUE);", "2.sql", "DROP INDEX k;")
	for range 20 {
		s, err := LoadFS(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Tables["a"].Rules) != 0 || len(s.Tables["b"].Rules) != 1 {
			t.Fatal("another table's rule was dropped")
		}
	}
}

func TestUnmatched(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "db", "migrations"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "db", "migrations", "1.sql"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	globs := []string{"db/migrations/*.sql", "db/migrations", "db/**/*.sql", "db/migration/*.sql", "db/*.sql", "["}
	if got, want := Unmatched(root, globs), []string{"db/migration/*.sql", "db/*.sql"}; !slices.Equal(got, want) {
		t.Errorf("unmatched are %q, want %q", got, want)
	}
}
