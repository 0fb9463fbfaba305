package migration

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// payments is a document with a safety net on two operations and a business rule on one.
func payments() *policy.Document {
	net := policy.Guard{Table: "payments", Columns: []string{"account_id", "idem_key"}}
	rule := policy.Guard{Table: "billing.payments", Columns: []string{"account_id", "order_id"}, On: "conflict"}
	for _, g := range []*policy.Guard{&net, &rule} {
		g.Constraint = g.Name()
		g.Pos = policy.Position{File: "openapi.yaml", Line: 30, Column: 9}
	}
	return &policy.Document{Operations: []policy.Operation{
		{ID: "createPayment", Method: "POST", Path: "/payments", Decision: policy.Keyed, Policy: policy.Policy{Guards: []policy.Guard{net, rule}}},
		{ID: "createRefund", Method: "POST", Path: "/refunds", Decision: policy.Keyed, Policy: policy.Policy{Guards: []policy.Guard{net}}},
	}}
}

func steps(n int) []Step {
	all := []Step{
		{Version: 1, Up: "-- A row is written once; never changed.\nCREATE TABLE idempotency_keys (\n    scope bytea NOT NULL DEFAULT '--;', -- whose; and what\n    key bytea NOT NULL,\n    PRIMARY KEY (scope, key)\n);\n", Down: "DROP TABLE idempotency_keys;\n"},
		{Version: 2, Up: "ALTER TABLE idempotency_keys ADD COLUMN note text DEFAULT '{{braces}}';\n", Down: "ALTER TABLE idempotency_keys DROP COLUMN note;\n"},
	}
	return all[:n]
}

func options(format string, existing ...Existing) Options {
	return Options{Format: format, Dir: "migrations", Steps: steps(1), Existing: existing, Tables: []string{"payments"}}
}

func generate(t *testing.T, doc *policy.Document, o Options) ([]output.File, diag.List) {
	t.Helper()
	files, findings, err := Generate(doc, o)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := Generate(doc, o)
	if err != nil || archive(files) != archive(again) {
		t.Errorf("a second generation from the same values differs (%v)", err)
	}
	return files, findings
}

// kept is what a folder holds after files were written into it.
func kept(existing []Existing, files []output.File) []Existing {
	existing = slices.Clone(existing)
	for _, file := range files {
		name := path.Base(file.Path)
		existing = slices.DeleteFunc(existing, func(e Existing) bool { return e.Name == name })
		existing = append(existing, Existing{Name: name, Content: file.Content})
	}
	return existing
}

func archive(files []output.File) string {
	var a txtar.Archive
	for _, file := range files {
		a.Files = append(a.Files, txtar.File{Name: file.Path, Data: file.Content})
	}
	return string(txtar.Format(&a))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference. It begins at:\n%s", file, firstDifference(string(want), got))
	}
}

func firstDifference(a, b string) string {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(linesA), len(linesB)) {
		if linesA[i] != linesB[i] {
			return fmt.Sprintf("line %d: %s\n!= %s", i+1, linesA[i], linesB[i])
		}
	}
	return "the end: one is longer"
}

func TestGenerate_G1_G2_Golden(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			o := options(format)
			o.Steps = steps(2)
			files, findings := generate(t, payments(), o)
			if len(findings) > 0 {
				t.Errorf("findings: %v", findings)
			}
			golden(t, format+".txtar", archive(files))

			o.Guards = Concurrent
			files, _ = generate(t, payments(), o)
			golden(t, format+"-concurrent.txtar", archive(files))
		})
	}
}

func TestGenerate_SecondRunEmitsNothing(t *testing.T) {
	for _, format := range Formats() {
		for _, style := range []GuardStyle{AddConstraint, Concurrent} {
			o := options(format)
			o.Guards = style
			files, _ := generate(t, payments(), o)
			o.Existing = kept(nil, files)
			o.Now = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			if again, findings := generate(t, payments(), o); len(again) > 0 || len(findings) > 0 {
				t.Errorf("%s/%s: second run gave %d files, findings %v", format, style, len(again), findings)
			}
		}
	}
}

func TestGenerate_OnlyOpenStepsAndGuards(t *testing.T) {
	for _, format := range Formats() {
		o := options(format)
		first, _ := generate(t, &policy.Document{Operations: payments().Operations[1:]}, o)
		o.Existing, o.Steps = kept(nil, first), steps(2)
		second, findings := generate(t, payments(), o)
		if len(findings) > 0 {
			t.Errorf("%s: findings %v", format, findings)
		}
		text := archive(second)
		for want, present := range map[string]bool{
			"idemgen:schema 1 ": false, "idemgen:schema 2 ": true,
			"idemgen:guard idemgen_payments_account_id_idem_key_key ":         false,
			"idemgen:guard idemgen_billing_payments_account_id_order_id_key ": true,
		} {
			if strings.Contains(text, want) != present {
				t.Errorf("%s: %q present is %v, want %v", format, want, !present, present)
			}
		}
	}
}

// A git checkout on Windows changes line ends, some editors put a byte order mark: neither is an edit.
func TestGenerate_CheckoutIsNoEdit(t *testing.T) {
	for _, format := range Formats() {
		o := options(format)
		files, _ := generate(t, payments(), o)
		for i := range files {
			files[i].Content = append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(files[i].Content, []byte("\n"), []byte("\r\n"))...)
		}
		o.Existing = kept(nil, files)
		if again, findings := generate(t, payments(), o); len(again) > 0 || len(findings) > 0 {
			t.Errorf("%s: %d files, findings %v", format, len(again), findings)
		}
	}
}

func TestGenerate_EditedIssuedFileIsReported(t *testing.T) {
	o := options("goose")
	files, _ := generate(t, payments(), o)
	o.Existing = kept(nil, files)
	o.Existing[0].Content = bytes.Replace(o.Existing[0].Content, []byte("bytea"), []byte("text"), 1)

	again, findings := generate(t, payments(), o)
	if len(again) > 0 {
		t.Errorf("an edited file was issued again: %v", again)
	}
	want := "migrations/00001_idemgen_schema_1.sql:1:1: the issued migration for schema 1 was changed after it was written (migration-edited)"
	if len(findings) != 1 || findings[0].Error() != want || findings[0].Severity != diag.Error || findings[0].Hint == "" {
		t.Fatalf("findings: %v\nwant: %s", findings, want)
	}
	if !strings.HasPrefix(findings[0].Source, "-- idemgen:schema 1 sha256:") {
		t.Errorf("source line: %q", findings[0].Source)
	}

	// The user owns up to the change.
	o.Existing[0].Content = markerHash.ReplaceAll(o.Existing[0].Content, []byte("${1}edited"))
	if again, findings := generate(t, payments(), o); len(again) > 0 || len(findings) > 0 {
		t.Errorf("after owning up: %d files, findings %v", len(again), findings)
	}
}

func TestGenerate_RemovedGuardIsReportedNotDropped(t *testing.T) {
	o := options("tern")
	files, _ := generate(t, payments(), o)
	o.Existing = kept(nil, files)
	doc := payments()
	doc.Operations[0].Policy.Guards = doc.Operations[0].Policy.Guards[:1]

	again, findings := generate(t, doc, o)
	if len(again) > 0 || len(findings) != 1 || findings[0].Rule != "guard-removed" || findings[0].Severity != diag.Warning ||
		!strings.HasPrefix(findings[0].Hint, "where it was never applied, delete this file; to drop it, ") {
		t.Fatalf("%d files, findings %v", len(again), findings)
	}

	// Once the user has dropped it, nothing is said; asked for again, it is issued again.
	o.Existing = append(o.Existing, Existing{Name: "004_drop.sql", Content: []byte(
		"-- idemgen:dropped idemgen_billing_payments_account_id_order_id_key\nALTER TABLE billing.payments DROP CONSTRAINT idemgen_billing_payments_account_id_order_id_key;\n")})
	if again, findings := generate(t, doc, o); len(again) > 0 || len(findings) > 0 {
		t.Errorf("after the drop: %d files, findings %v", len(again), findings)
	}
	again, findings = generate(t, payments(), o)
	if len(again) != 1 || path.Base(again[0].Path) != "005_idemgen_guard_billing_payments_account_id_order_id.sql" || len(findings) > 0 {
		t.Errorf("asked for again: %v, findings %v", again, findings)
	}
}

func TestGenerate_Numbering(t *testing.T) {
	now := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	tests := []struct {
		name, format string
		existing     []string
		now          time.Time
		want         string // first new file's name, or the rule of the finding after "!"
	}{
		{"goose empty", "goose", nil, now, "00001_idemgen_schema_1.sql"},
		{"goose sequence", "goose", []string{"00041_users.sql"}, now, "00042_idemgen_schema_1.sql"},
		{"goose counts go files", "goose", []string{"00041_users.sql", "00042_backfill.go"}, now, "00043_idemgen_schema_1.sql"},
		{"goose timestamp", "goose", []string{"20250101120000_users.sql"}, now, "20261129180000_idemgen_schema_1.sql"},
		{"timestamp ahead of the clock", "goose", []string{"20270101235959_users.sql"}, now, "20270102000000_idemgen_schema_1.sql"},
		{"timestamp without a clock", "dbmate", []string{"20250101120059_users.sql"}, time.Time{}, "20250101120100_idemgen_schema_1.sql"},
		{"sequence, then timestamps", "goose", []string{"00001_a.sql", "20250101120000_b.sql"}, now, "20261129180000_idemgen_schema_1.sql"},
		{"unix time", "golang-migrate", []string{"1500360784_a.up.sql", "1500360784_a.down.sql"}, now, "1795975200_idemgen_schema_1.up.sql"},
		{"migrate sequence", "golang-migrate", []string{"000007_a.up.sql", "000007_a.down.sql"}, now, "000008_idemgen_schema_1.up.sql"},
		{"migrate ignores other names", "golang-migrate", []string{"000007_a.sql"}, now, "000001_idemgen_schema_1.up.sql"},
		{"tern", "tern", []string{"001_a.sql", "002_b.sql"}, now, "003_idemgen_schema_1.sql"},
		{"tern, the width of the folder", "tern", []string{"0001_a.sql"}, now, "0002_idemgen_schema_1.sql"},
		{"tern with a hole", "tern", []string{"001_a.sql", "003_b.sql"}, now, "!migration-number"},
		{"tern with a timestamp", "tern", []string{"20250101120000_a.sql"}, now, "!migration-number"},
		{"atlas", "atlas", []string{"20250101120000.sql"}, now, "20261129180000_idemgen_schema_1.sql"},
		{"plain, no numbers", "plain", []string{"README.md", "schema.sql"}, now, "00001_idemgen_schema_1.sql"},
		{"two of one number", "goose", []string{"00001_a.sql", "00001_b.sql"}, now, "!migration-number"},
		{"one number, of another width", "dbmate", []string{"1_a.sql", "00001_b.sql"}, now, "!migration-number"},
		{"SQL and Go of one number", "goose", []string{"00001_a.sql", "00001_a.go"}, now, "!migration-number"},
		{"a test beside a Go migration", "goose", []string{"00001_a.go", "00001_a_test.go"}, now, "00002_idemgen_schema_1.sql"},
		{"two ways up", "golang-migrate", []string{"1_a.up.sql", "1_a.down.sql", "1_b.up.sql"}, now, "!migration-number"},
		{"two in tern", "tern", []string{"001_a.sql", "001_b.sql"}, now, "!migration-number"},
		{"two in atlas", "atlas", []string{"20250101120000.sql", "20250101120000_b.sql"}, now, "!migration-number"},
		{"plain files run by name", "plain", []string{"00001_a.sql", "00001_a.down.sql", "00001_b.sql"}, now, "00002_idemgen_schema_1.sql"},
		{"too large", "dbmate", []string{"99999999999999999999_a.sql"}, now, "!migration-number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(test.format)
			o.Now = test.now
			for _, name := range test.existing {
				o.Existing = append(o.Existing, Existing{Name: name, Content: []byte("SELECT 1;\n")})
			}
			files, findings := generate(t, payments(), o)
			if rule, ok := strings.CutPrefix(test.want, "!"); ok {
				if len(files) > 0 || len(findings) != 1 || findings[0].Rule != rule {
					t.Errorf("files %v, findings %v", files, findings)
				}
				return
			}
			if len(findings) > 0 || path.Base(files[0].Path) != test.want {
				t.Errorf("got %s, findings %v", files[0].Path, findings)
			}
		})
	}
}

func TestGenerate_CollisionNamesBothFiles(t *testing.T) {
	files, _ := generate(t, payments(), options("goose"))
	o := options("goose", append(kept(nil, files), Existing{Name: "00001_invoices.sql", Content: []byte("CREATE TABLE invoices ();\n")})...)
	again, findings := generate(t, payments(), o)
	want := "migrations: 00001_idemgen_schema_1.sql and 00001_invoices.sql have one number, and goose takes a number for one migration (migration-number)"
	if len(again) > 0 || len(findings) != 1 || findings[0].Error() != want || findings[0].Severity != diag.Error || !strings.Contains(findings[0].Hint, "next free number") {
		t.Errorf("%d files, findings %v\nwant %s", len(again), findings, want)
	}
}

func TestGenerate_NamesThatSortWrongly(t *testing.T) {
	for format, severity := range map[string]diag.Severity{"atlas": diag.Error, "goose": diag.Warning} {
		o := options(format, Existing{Name: "9_a.sql", Content: []byte("SELECT 1;\n")})
		_, findings := generate(t, payments(), o)
		if len(findings) == 0 || findings[0].Rule != "migration-order" || findings[0].Severity != severity {
			t.Errorf("%s: findings %v", format, findings)
		}
	}
}

func TestGenerate_KeysTableRenamed(t *testing.T) {
	o := options("goose")
	files, _ := generate(t, payments(), o)
	o.Existing, o.Table = kept(nil, files), "app.keys"
	files, findings := generate(t, payments(), o)
	if len(files) != 1 || len(findings) != 1 || findings[0].Rule != "migration-table" || findings[0].Severity != diag.Warning {
		t.Errorf("files %v, findings %v", files, findings)
	}
	o.Existing = kept(o.Existing, files)
	if files, findings := generate(t, payments(), o); len(files) > 0 || len(findings) > 0 {
		t.Errorf("second run: files %v, findings %v", files, findings)
	}
}

func TestGenerate_KeysTableRenamedByTheUser(t *testing.T) {
	o := options("goose")
	files, _ := generate(t, payments(), o)
	o.Existing, o.Table = kept(nil, files), "app.keys"
	o.Existing = append(o.Existing, Existing{Name: "00004_rename.sql", Content: []byte(
		"-- +goose Up\n-- idemgen:renamed idempotency_keys app.keys\nALTER TABLE idempotency_keys RENAME TO keys;\n")})
	if files, findings := generate(t, payments(), o); len(files) > 0 || len(findings) > 0 {
		t.Errorf("files %v, findings %v", files, findings)
	}
}

func TestGenerate_FilesOfAnotherToolDoNotCount(t *testing.T) {
	files, _ := generate(t, payments(), options("goose"))
	files, findings := generate(t, payments(), options("golang-migrate", kept(nil, files)...))
	if len(files) != 6 || len(findings) != 3 || findings[0].Rule != "migration-other-tool" || findings[0].Severity != diag.Warning || findings[0].Pos.Line != 1 {
		t.Errorf("%d files, findings %v", len(files), findings)
	}
}

// golang-migrate's x-multi-statement splits a file at every semicolon, those in comments too.
func TestGenerate_NoSemicolonInComments(t *testing.T) {
	for _, format := range Formats() {
		for _, style := range []GuardStyle{AddConstraint, Concurrent} {
			o := options(format)
			o.Guards = style
			files, _ := generate(t, payments(), o)
			for _, file := range files {
				for _, line := range strings.Split(string(file.Content), "\n") {
					if strings.HasPrefix(line, "--") && strings.Contains(line, ";") {
						t.Errorf("%s: %s", file.Path, line)
					}
				}
			}
		}
	}
}

func TestGenerate_NothingKeyed(t *testing.T) {
	doc := payments()
	for i := range doc.Operations {
		doc.Operations[i].Decision = policy.Natural
	}
	if files, findings := generate(t, doc, options("goose")); len(files) > 0 || len(findings) > 0 {
		t.Errorf("files %v, findings %v", files, findings)
	}
}

func TestGenerate_AtlasSumOfAChangedFolderIsLeftAlone(t *testing.T) {
	o := options("atlas",
		Existing{Name: "00001_a.sql", Content: []byte("CREATE TABLE a (id int);\n")},
		Existing{Name: "atlas.sum", Content: []byte("h1:AAAA\n00001_a.sql h1:AAAA\n")})
	files, findings := generate(t, payments(), o)
	if len(findings) != 1 || findings[0].Rule != "migration-sum" {
		t.Errorf("findings %v", findings)
	}
	for _, file := range files {
		if file.Policy != output.Issued {
			t.Errorf("%s is written", file.Path)
		}
	}
}

func TestGenerate_BadOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`there is no format "rails"; the formats are plain, goose, golang-migrate, tern, dbmate, atlas`: {Format: "rails"},
		`the keys table: "a;b" holds ';'`:                                        {Format: "goose", Table: "a;b"},
		`there is no dialect "oracle"`:                                           {Format: "goose", Dialect: "oracle"},
		`guards are added by "constraint" or`:                                    {Format: "goose", Guards: "later"},
		`"` + strings.Repeat("x", 64) + `" is longer than PostgreSQL's 63 bytes`: {Format: "goose", Table: strings.Repeat("x", 64)},
	} {
		if _, _, err := Generate(payments(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Nothing from a document gets out of its place, in any format.
func TestGenerate_HostileNames(t *testing.T) {
	hostile := []string{
		`payments"; DROP TABLE users; --`, "a\n-- +goose Down", "{{.x}}", "a;b", "x -- y", "", "a.b.c", "tab\tle", "nul\x00", "\xff",
		"---- create above / drop below ----", "-- migrate:down", strings.Repeat("long", 20), `back\slash`, "'quote'", "$1", "ünïcode",
	}
	for _, format := range Formats() {
		for _, name := range hostile {
			doc := payments()
			doc.Operations[0].Path = "/" + name
			doc.Operations[0].Policy.Guards = []policy.Guard{
				{Table: name, Columns: []string{"id"}, Pos: policy.Position{File: "openapi.yaml", Line: 3}},
				{Table: "t", Columns: []string{"id", name}, Pos: policy.Position{File: "openapi.yaml", Line: 4}},
			}
			o := options(format)
			o.Tables = []string{name, "t", "payments"}
			files, findings := generate(t, doc, o)
			for _, finding := range findings {
				if finding.Rule != "guard-identifier" || finding.Pos.Line == 0 {
					t.Errorf("%s %q: %v", format, name, finding)
				}
			}
			for _, file := range files {
				if strings.ContainsAny(path.Base(file.Path), "/\\ \n\"';") {
					t.Errorf("%q is a file name", file.Path)
				}
				for number, line := range strings.Split(string(file.Content), "\n") {
					if bad := directiveOutOfPlace(format, line); bad {
						t.Errorf("%s %q: %s:%d: %s", format, name, file.Path, number+1, line)
					}
				}
			}
		}
	}
}

func directiveOutOfPlace(format, line string) bool {
	if strings.HasPrefix(line, "-- Asked for by") {
		return strings.Contains(line, "{{") || strings.Contains(line, "+goose") || strings.Contains(line, ";")
	}
	if strings.Contains(line, "DROP TABLE users") {
		return true
	}
	return format == "tern" && strings.Contains(strings.ReplaceAll(line, `{{"{{"}}`, ""), "{{")
}

func TestGenerate_GuardsOfOneName(t *testing.T) {
	doc := payments()
	doc.Operations[0].Policy.Guards = []policy.Guard{{Table: "a.b", Columns: []string{"c"}}, {Table: "a_b", Columns: []string{"c"}}}
	o := options("goose")
	o.Tables = []string{"a.b", "a_b", "payments"}
	_, findings := generate(t, doc, o)
	if len(findings) != 1 || findings[0].Rule != "guard-name" {
		t.Errorf("findings %v", findings)
	}
}

func ExampleGenerate() {
	doc := &policy.Document{Operations: []policy.Operation{{
		ID: "createPayment", Method: "POST", Path: "/payments", Decision: policy.Keyed,
		Policy: policy.Policy{Guards: []policy.Guard{{Table: "payments", Columns: []string{"account_id", "idem_key"}}}},
	}}}
	files, _, err := Generate(doc, Options{
		Format: "goose", Dir: "db/migrations",
		Steps:    []Step{{Version: 1, Up: "CREATE TABLE idempotency_keys ();", Down: "DROP TABLE idempotency_keys;"}},
		Existing: []Existing{{Name: "00007_users.sql", Content: []byte("-- +goose Up\n")}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range files {
		fmt.Println(file.Path)
	}
	// Output:
	// db/migrations/00008_idemgen_schema_1.sql
	// db/migrations/00009_idemgen_guard_payments_account_id_idem_key.sql
}
