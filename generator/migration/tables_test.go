package migration

import (
	"slices"
	"strings"
	"testing"
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
	const create = "CREATE TABLE payments (id bigint);"
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
		{"one schema of two", []Existing{{Name: "00001_a.sql", Content: []byte("CREATE TABLE billing.payments ()")}}, nil, 2},
		{"another schema", []Existing{{Name: "00001_a.sql", Content: []byte("CREATE TABLE public.payments ()")}}, nil, 1},
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
