package migration

import (
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

func TestTablesIn_G1(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE payments (id bigint);":                                                 "payments",
		"create table if not exists Payments(id bigint)":                                     "payments",
		`CREATE UNLOGGED TABLE "Billing" . "my ""x"" table" ()`:                              `Billing.my "x" table`,
		"CREATE TABLE public.payments_2026 PARTITION OF public.payments FOR VALUES IN (1);":  "public.payments_2026",
		"CREATE TABLE a AS SELECT 1; CREATE FOREIGN TABLE b (x int) SERVER s;":               "a b",
		"CREATE\n\tTABLE\n\tзаказы (x int)":                                                  "заказы",
		"ALTER TABLE IF EXISTS ONLY public.orders RENAME TO payments;":                       "public.payments",
		"ALTER TABLE orders RENAME COLUMN a TO b; ALTER TABLE orders ADD COLUMN c int":       "",
		"ALTER TABLE orders SET SCHEMA billing":                                              "billing.orders",
		"-- CREATE TABLE a (x int)\n/* CREATE TABLE b ()\n*/ CREATE /* c */ TABLE d (x int)": "d",
		"CREATE TEMP TABLE scratch (x int); CREATE INDEX ON t (a); CREATE TABLESPACE s":      "",
		"CREATE TABLE": "",
	} {
		if got := strings.Join(tablesIn(sql), " "); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}

// A guard waits for its table, since an issued migration keeps its number; what was issued before is not asked again.
func TestGenerate_G1_GuardWaitsForItsTable(t *testing.T) {
	const columns = " (account_id bigint, idem_key text, order_id bigint);"
	const create = "CREATE TABLE payments" + columns
	guards := func(o Options) (issued int) {
		t.Helper()
		files, findings := generate(t, payments(), o)
		if len(findings) > 0 {
			t.Error(findings)
		}
		for _, file := range files {
			if strings.Contains(file.Path, "guard") {
				issued++
			}
		}
		return issued
	}
	for _, test := range []struct {
		name     string
		existing []Existing
		tables   []string
		issued   int
	}{
		{"an empty folder", nil, nil, 0},
		{"an empty folder, tables elsewhere", nil, []string{"payments"}, 2},
		{"another table", []Existing{{Name: "00001_a.sql", Content: []byte("CREATE TABLE accounts ();")}}, nil, 0},
		{"the table", []Existing{{Name: "00001_a.sql", Content: []byte(create)}}, nil, 2},
		{"the table, dropped on the way down only", []Existing{{Name: "00001_a.down.sql", Content: []byte(create)}, {Name: "00001_a.sql", Content: []byte("CREATE TABLE accounts ()")}}, nil, 0},
		{"migrations that say nothing of tables", []Existing{{Name: "00001_a.go", Content: []byte("package migrations")}}, nil, 2},
		{"the same, but another table is named", []Existing{{Name: "00001_a.go", Content: []byte("package migrations")}}, []string{"accounts"}, 0},
		{"one schema of two", []Existing{{Name: "00001_a.sql", Content: []byte("CREATE TABLE billing.payments" + columns)}}, nil, 2},
		{"another schema", []Existing{{Name: "00001_a.sql", Content: []byte("CREATE TABLE public.payments" + columns)}}, nil, 1},
	} {
		o := options("goose", test.existing...)
		o.Tables = test.tables
		if issued := guards(o); issued != test.issued {
			t.Errorf("%s: %d guards, want %d", test.name, issued, test.issued)
		}
	}

	files, _ := generate(t, payments(), options("goose"))
	o := options("goose", kept(nil, files)...)
	o.Tables = nil
	if issued := guards(o); issued != 0 {
		t.Errorf("%d are issued twice", issued)
	}
	o.Existing = slices.DeleteFunc(o.Existing, func(e Existing) bool { return strings.Contains(e.Name, "billing") })
	if issued := guards(o); issued != 1 {
		t.Errorf("%d are issued where one is missing, on a table of the other's name", issued)
	}
}

// A column that no migration of the user's names is misspelt, and an issued guard is for good: so it waits.
func TestGenerate_G1_GuardWaitsForItsColumns(t *testing.T) {
	for _, test := range []struct {
		name   string
		sql    string // of the user's one migration
		tables []string
		want   string // the columns that are missing
	}{
		{"all there", "CREATE TABLE payments (Account_ID bigint, \"idem_key\" text, order_id bigint)", nil, ""},
		{"one in another statement", "CREATE TABLE payments (account_id bigint, order_id bigint); ALTER TABLE payments ADD idem_key text", nil, ""},
		{"one missing", "CREATE TABLE payments (account_id bigint, order_id bigint)", nil, "idem_key"},
		{"part of a word", "CREATE TABLE payments (my_account_id bigint, account_ids text, idem_key2 text, éidem_key text, order_id bigint)", nil, "account_id and account_id, idem_key"},
		{"the table is named in the configuration", "CREATE TABLE payments (id bigint)", []string{"payments"}, ""},
		{"nothing to be read of the table", "CREATE TABLE accounts (id bigint)", []string{"payments"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := options("goose", Existing{Name: "00001_a.sql", Content: []byte(test.sql)})
			o.Tables = test.tables
			files, findings := generate(t, payments(), o)
			var missing []string
			for _, f := range findings {
				if f.Rule != RuleGuardColumn || f.Severity != diag.Warning || f.Pos.Line != 30 || f.Hint == "" {
					t.Errorf("finding %+v", f)
				}
				_, columns, _ := strings.Cut(f.Message, "no migration in migrations names ")
				columns, _, _ = strings.Cut(columns, ", of the guard")
				missing = append(missing, columns)
			}
			slices.Sort(missing)
			if got := strings.Join(missing, " and "); got != test.want {
				t.Errorf("missing %q, want %q: %v", got, test.want, findings)
			}
			if issued := strings.Count(archive(files), "-- idemgen:guard "); issued != 2-len(missing) {
				t.Errorf("%d are issued, with %d to wait", issued, len(missing))
			}
		})
	}
}

// An issued guard that runs before its table is there fails in every new database.
func TestGenerate_G1_GuardBeforeItsTable(t *testing.T) {
	first := options("goose", Existing{Name: "00001_a.go", Content: []byte("package migrations")}) // tells of no table
	for style, guard := range map[GuardStyle]string{AddConstraint: "00003_idemgen_guard_billing_payments_account_id_order_id.sql", Concurrent: "00003_idemgen_guard_billing_payments_account_id_order_id_index.sql"} {
		first.Guards = style
		files, _ := generate(t, payments(), first)
		for _, test := range []struct {
			name, file string
			tables     []string
			warned     bool
		}{
			{"later", "00099_payments.sql", nil, true},
			{"later, and elsewhere before", "00099_payments.sql", []string{"billing.payments"}, false},
			{"before", "00000_payments.sql", nil, false},
			{"on a way down", "00099_payments.down.sql", nil, false},
		} {
			o := options("goose", append(kept(first.Existing, files), Existing{Name: test.file, Content: []byte("CREATE TABLE billing.payments ();")})...)
			o.Guards, o.Tables = style, slices.Concat(test.tables, []string{"accounts"})
			again, findings := generate(t, &policy.Document{Operations: onlyRule()}, o)
			findings = slices.DeleteFunc(findings, func(d diag.Diagnostic) bool { return d.Rule == "guard-removed" })
			if len(again) > 0 || (len(findings) > 0) != test.warned {
				t.Errorf("%s, %s: %d files, findings %v", style, test.name, len(again), findings)
			}
			for _, f := range findings {
				if f.Rule != RuleGuardBeforeTable || f.Severity != diag.Warning || f.Pos.File != "migrations/"+guard ||
					!strings.Contains(f.Message, guard) || !strings.Contains(f.Message, test.file) {
					t.Errorf("%s, %s: %v", style, test.name, f)
				}
			}
		}
	}
}

// onlyRule are the operations with the guard on billing.payments alone.
func onlyRule() []policy.Operation {
	operations := payments().Operations[:1]
	operations[0].Policy.Guards = operations[0].Policy.Guards[1:]
	return operations
}
