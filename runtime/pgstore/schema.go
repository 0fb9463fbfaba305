package pgstore

import (
	_ "embed"
	"strings"

	"github.com/jackc/pgx/v5"
)

// DefaultTable is the table of a store that is not told another.
const DefaultTable = "idempotency_keys"

// SchemaStep is one version of the tables that a store needs. Steps are appended, never changed: a database is brought
// up to date by the Up of every version above its own, in order.
type SchemaStep struct {
	// Version counts from 1 without gaps.
	Version int
	// Up and Down are complete SQL scripts that end in a newline. They set no transaction of their own and can run in
	// one. Down undoes Up and loses what the tables hold.
	Up, Down string
}

// The scripts are plain SQL for the default table; quotedDefault stands wherever they name it and nowhere else.
const quotedDefault = `"` + DefaultTable + `"`

var (
	//go:embed schema/001_up.sql
	up1 string
	//go:embed schema/001_down.sql
	down1 string
)

// SchemaSteps returns every step for the given table, which may be qualified: "billing.idempotency_keys". Each part of
// the name is quoted, so it is taken as it is written, capitals included. An empty name means [DefaultTable].
func SchemaSteps(table string) []SchemaStep {
	name := quoteTable(table)
	return []SchemaStep{
		{Version: 1, Up: strings.ReplaceAll(up1, quotedDefault, name), Down: strings.ReplaceAll(down1, quotedDefault, name)},
	}
}

// quoteTable quotes the parts of a table's name.
func quoteTable(table string) string {
	if table == "" {
		table = DefaultTable
	}
	return pgx.Identifier(strings.Split(table, ".")).Sanitize()
}
