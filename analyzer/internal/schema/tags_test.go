package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// check type-checks a source beside small doubles of the packages it imports: only their names are looked at.
func check(t *testing.T, source string) (*token.FileSet, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	packages := map[string]*types.Package{}
	imports := importerFunc(func(path string) (*types.Package, error) {
		if p := packages[path]; p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("no package %s", path)
	})
	add := func(path, source string) *types.Package {
		file, err := parser.ParseFile(fset, path+".go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&types.Config{Importer: imports}).Check(path, fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		packages[path] = p
		return p
	}
	add("time", "package time; type Time struct{ wall uint64 }")
	add("database/sql", "package sql; type NullString struct { String string; Valid bool }; func (NullString) Value() (any, error) { return nil, nil }")
	add("github.com/uptrace/bun", "package bun; type BaseModel struct{}")
	add("gorm.io/gorm", `package gorm; import "time"; type DeletedAt struct{ Time time.Time }; func (DeletedAt) Value() (any, error) { return nil, nil }
type Model struct { ID uint `+"`gorm:\"primarykey\"`"+`; CreatedAt time.Time; DeletedAt DeletedAt `+"`gorm:\"index\"`"+` }`)
	return fset, add("shop", source)
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func TestFromStruct(t *testing.T) {
	fset, shop := check(t, `package shop

import (
	"database/sql"
	"time"

	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

type Plain struct{ ID int }

type IdempotencyKey struct {
	ID       uint
	TenantID string  `+"`gorm:\"uniqueIndex:idx_tenant_key,priority:1;not null\"`"+`
	Key      string  `+"`gorm:\"column:token;uniqueIndex:idx_tenant_key,priority:2\"`"+`
	Ref      *string `+"`gorm:\"uniqueIndex\"`"+`
	Email    string  `+"`gorm:\"index:,unique\"`"+`
	Phone    string  `+"`gorm:\"unique;index\"`"+`
	Alive    string  `+"`gorm:\"uniqueIndex:ux,where:deleted_at IS NULL\"`"+`
	Skipped  string  `+"`gorm:\"-\"`"+`
	Other    Plain
	Lines    []Plain
	At       time.Time
	Maybe    sql.NullString `+"`gorm:\"unique\"`"+`
}

type Model struct {
	gorm.Model
	Code string `+"`gorm:\"uniqueIndex\"`"+`
}

type Money struct {
	Amount   int
	Currency string
}

type Embedding struct {
	A     string `+"`gorm:\"primaryKey\"`"+`
	B     string `+"`gorm:\"primary_key\"`"+`
	Price Money  `+"`gorm:\"embedded;embeddedPrefix:price_\"`"+`
}

func (Embedding) TableName() string { return "x" }

type Entry struct {
	bun.BaseModel `+"`bun:\"table:ledger.entries,alias:e\"`"+`

	ID      int64   `+"`bun:\"id,pk,autoincrement\"`"+`
	Ledger  string  `+"`bun:\"ledger,unique:ref,notnull\"`"+`
	Ref     string  `+"`bun:\"type:text,unique:ref,nullzero\"`"+`
	Hash    string  `+"`bun:\",unique\"`"+`
	Parent  *Entry  `+"`bun:\"rel:belongs-to\"`"+`
	Price   Money   `+"`bun:\"embed:price_\"`"+`
	HTTPURL string  `+"`bun:\"-\"`"+`
}
`)
	for name, want := range map[string]string{
		"Plain":          "none",
		"IdempotencyKey": "idempotency_keys: id primary @shop.go:14; tenant_id,token @shop.go:15; ref null ref @shop.go:17; email @shop.go:18; phone @shop.go:19; alive where deleted_at IS NULL @shop.go:20; maybe null maybe @shop.go:25",
		"Model":          "models: id primary @gorm.io/gorm.go:2; code @shop.go:30",
		"Embedding":      ": a,b primary @shop.go:39",
		"Entry":          "entries: id primary @shop.go:49; ledger,ref null ref @shop.go:50; hash @shop.go:52",
	} {
		named := shop.Scope().Lookup(name).Type().(*types.Named)
		got := "none"
		table, ok := FromStruct(fset, named)
		if ok {
			got = table.Name + ": " + describe(table)
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	key, _ := FromStruct(nil, shop.Scope().Lookup("IdempotencyKey").Type().(*types.Named))
	for column, null := range map[string]bool{"id": false, "tenant_id": false, "token": false, "ref": true, "at": false, "maybe": true} {
		if got, ok := key.Columns[column]; !ok || got != null {
			t.Errorf("column %s: known %v, may be NULL %v", column, ok, got)
		}
	}
	for _, column := range []string{"skipped", "other", "lines"} {
		if _, ok := key.Columns[column]; ok {
			t.Errorf("%s is no column", column)
		}
	}
	money, _ := FromStruct(fset, shop.Scope().Lookup("Entry").Type().(*types.Named))
	if _, ok := money.Columns["price_currency"]; !ok {
		t.Errorf("no column of the embedded struct in %v", money.Columns)
	}
}

func TestNaming(t *testing.T) {
	for name, want := range map[string]string{"ID": "id", "TenantID": "tenant_id", "UserIDs": "user_ids", "HTTPServer": "http_server", "HTTPURL": "http_url", "CreatedAt": "created_at", "A": "a", "already_snake": "already_snake", "Key2": "key2", "IdempotencyKey": "idempotency_key", "": ""} {
		if got := ColumnName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	// What gorm's NamingStrategy gives, v1.31.
	for name, want := range map[string]string{
		"Payment": "payments", "IdempotencyKey": "idempotency_keys", "APIKey": "api_keys", "UserID": "user_ids", "UserIDs": "user_ids",
		"HTTPURL": "http_urls", "HTTPStatus": "http_statuses", "URLPath": "url_paths", "OAuth2Token": "o_auth2_tokens", "IPAddress": "ip_addresses",
		"JSONData": "json_data", "Person": "people", "Child": "children", "Man": "men", "Woman": "women", "Mouse": "mice", "Ox": "oxen", "Quiz": "quizzes",
		"Money": "money", "Equipment": "equipment", "Series": "series", "Species": "species", "News": "news", "Fish": "fish", "Sheep": "sheep",
		"Police": "police", "Information": "information", "Rice": "rice", "Jeans": "jeans", "Datum": "data", "Medium": "media", "Criterion": "criterions",
		"Move": "moves", "Sex": "sexes", "Hero": "heros", "Tomato": "tomatoes", "Echo": "echos", "Buffalo": "buffaloes",
		"Photo": "photos", "Status": "statuses", "Alias": "aliases", "Campus": "campus", "Bus": "buses", "Matrix": "matrices", "Vertex": "vertices",
		"Index": "indices", "Analysis": "analyses", "Basis": "bases", "Crisis": "crises", "Thesis": "theses", "Axis": "axes", "Virus": "viri",
		"Octopus": "octopi", "Address": "addresses", "Process": "processes", "Box": "boxes", "Tax": "taxes", "Batch": "batches", "Hash": "hashes",
		"Dish": "dishes", "Knife": "knives", "Life": "lives", "Wife": "wives", "Leaf": "leafs", "Shelf": "shelves", "Half": "halves", "Wolf": "wolves",
		"Chief": "chiefs", "Roof": "roofs", "Safe": "saves", "Key": "keys", "Day": "days", "Category": "categories", "Company": "companies",
		"Query": "queries", "Soliloquy": "soliloquies", "History": "histories", "Data": "data", "Metadata": "metadata", "UserData": "user_data",
		"Stadium": "stadia", "Bacteria": "bacteria", "Account": "accounts", "Accounts": "accounts", "Orders": "orders", "Bonus": "bonus", "Lens": "lens",
		"Gas": "gas", "Canvas": "canvas", "Balance": "balances", "Cache": "caches", "Hive": "hives", "Archive": "archives", "Entry": "entries",
		"Outbox": "outboxes", "InboxMessage": "inbox_messages", "Lease": "leases", "Cause": "causes", "Case": "cases", "Base": "bases", "House": "houses",
		"Horse": "horses", "Size": "sizes", "Prize": "prizes", "Tooth": "tooths", "Foot": "foots", "Goose": "gooses", "Leaves": "leaves",
		"Proof": "proofs", "Zombie": "zombies", "UTF8Text": "utf8_texts", "ID": "ids", "SHA256Sum": "sha256_sums", "A1B2": "a1_b2",
		"LedgerV2Entry": "ledger_v2_entries", "payment": "payments",
	} {
		if got := TableName(name); got != want {
			t.Errorf("rows of %s are in %s, want %s", name, got, want)
		}
	}
}
