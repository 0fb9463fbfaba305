package migration

import (
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// storeSteps are the steps that the store really has: what the dialects make of them is what they are for.
func storeSteps(table string) []Step {
	var all []Step
	for _, s := range pgstore.SchemaSteps(table) {
		all = append(all, Step{Version: s.Version, Up: s.Up, Down: s.Down})
	}
	return all
}

func dialectOptions(dialect Dialect) Options {
	o := options("goose")
	o.Steps, o.Dialect = storeSteps(""), dialect
	return o
}

func TestDialects_Golden(t *testing.T) {
	for _, name := range Dialects() {
		t.Run(name, func(t *testing.T) {
			files, findings := generate(t, payments(), dialectOptions(Dialect(name)))
			golden(t, "dialect-"+name+".txtar", archive(files))
			told := slices.ContainsFunc(findings, func(d diag.Diagnostic) bool { return d.Rule == "migration-dialect" })
			if told == (name == string(Postgres)) {
				t.Errorf("findings: %v", findings)
			}
			for _, file := range files {
				if name != string(Postgres) && strings.Contains(file.Path, "schema") && !strings.Contains(string(file.Content), "not run against one") {
					t.Errorf("%s does not say that it was not run", file.Path)
				}
			}
			o := dialectOptions(Dialect(name))
			o.Existing = kept(nil, files)
			if again, findings := generate(t, payments(), o); len(again) > 0 || len(findings) > 0 {
				t.Errorf("second run: %d files, %v", len(again), findings)
			}
		})
	}
}

// What PostgreSQL has and a database has not is in none of its files.
func TestDialects_LeaveOutWhatADatabaseHasNot(t *testing.T) {
	for name, absent := range map[Dialect][]string{
		Citus:       {"create_distributed_table", "CONCURRENTLY"},
		CockroachDB: {"DO $$", "USING INDEX", "SET LOCAL", "BEGIN"},
		YugabyteDB:  {"PRIMARY KEY (scope, key)"},
		DSQL:        {"DO $$", "ADD CONSTRAINT", "DROP CONSTRAINT", "DROP COLUMN", "USING INDEX", "SET LOCAL", "BEGIN", "CREATE INDEX IF", ",\n    ADD COLUMN"},
	} {
		for _, format := range Formats() {
			for _, style := range []GuardStyle{AddConstraint, Concurrent} {
				o := dialectOptions(name)
				o.Format, o.Guards = format, style
				if style == Concurrent && name == Citus {
					continue
				}
				files, _ := generate(t, payments(), o)
				if len(files) == 0 {
					t.Fatalf("%s: nothing is written", name)
				}
				for _, file := range files {
					for _, text := range absent {
						for _, line := range strings.Split(string(file.Content), "\n") {
							if code, _, _ := strings.Cut(line, "--"); strings.Contains(code, text) {
								t.Errorf("%s, %s: %s has %q", name, format, file.Path, line)
							}
						}
					}
				}
			}
		}
	}
}

// Every column that the store needs is made, whatever the dialect leaves out.
func TestDialects_KeepEveryColumn(t *testing.T) {
	for _, name := range Dialects() {
		files, _ := generate(t, payments(), dialectOptions(Dialect(name)))
		all := archive(files)
		for _, column := range []string{
			"created_at", "expires_at", "attempt", "status", "body_state", "fingerprint_version", "scope", "key", "fingerprint", "operation",
			"headers", "body", "lease_until", "epoch", "request", "steps",
		} {
			if !strings.Contains(all, " "+column+" ") {
				t.Errorf("%s: no column %s", name, column)
			}
		}
	}
}

// A way down stands with the way up that it undoes, and what has to come before it with the last.
func TestDialects_WayDownIsBesideItsWayUp(t *testing.T) {
	for _, name := range []Dialect{CockroachDB, DSQL} {
		d, _ := findDialect(name)
		scripts := d.scripts(storeSteps("")[1])
		for i, script := range scripts {
			for up, down := range map[string]string{"CREATE TABLE ": "DROP TABLE ", "CREATE INDEX ": "DROP INDEX ", "ADD COLUMN ": "DROP COLUMN "} {
				want := strings.Contains(script.Up, up) && !(name == DSQL && down == "DROP COLUMN ")
				if strings.Contains(script.Down, down) != want {
					t.Errorf("%s, file %d: %q is undone by %q", name, i, script.Up, script.Down)
				}
			}
		}
		if last := scripts[len(scripts)-1]; strings.Contains(last.Down, "no_work_in_progress") == (name == DSQL) {
			t.Errorf("%s: %s", name, last.Down)
		}
	}
}

func TestStatements_CutsAtLineEnds(t *testing.T) {
	got := statements("-- first; still\nCREATE TABLE a (\n  b text, -- c;\n  d text DEFAULT ';'\n);\n\nDROP TABLE a;\n")
	want := []string{"-- first; still\nCREATE TABLE a (\n  b text, -- c;\n  d text DEFAULT ';'\n);", "DROP TABLE a;"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
