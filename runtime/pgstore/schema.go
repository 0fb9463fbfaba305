package pgstore

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
	"unicode/utf8"

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

// The scripts are plain SQL for the default table; its quoted name, and those that are made from it, stand wherever they
// name a table or an index and nowhere else.
var (
	//go:embed schema/001_up.sql
	up1 string
	//go:embed schema/001_down.sql
	down1 string
	//go:embed schema/002_up.sql
	up2 string
	//go:embed schema/002_down.sql
	down2 string
)

// SchemaSteps returns every step for the given table, which may be qualified: "billing.idempotency_keys". Each part of
// the name is quoted, so it is taken as it is written, capitals included. An empty name means [DefaultTable].
func SchemaSteps(table string) []SchemaStep {
	if table == "" {
		table = DefaultTable
	}
	return []SchemaStep{
		{Version: 1, Up: forTable(up1, table), Down: forTable(down1, table)},
		{Version: 2, Up: forTable(up2, table), Down: forTable(down2, table)},
	}
}

func forTable(script, table string) string {
	index := derived(table, inProgressSuffix)
	_, bare := splitTable(index)
	return strings.NewReplacer(
		`INDEX IF NOT EXISTS "`+DefaultTable+inProgressSuffix+`"`, `INDEX IF NOT EXISTS `+quoteTable(bare), // in the table's schema
		`"`+DefaultTable+inProgressSuffix+`"`, quoteTable(index),
		`"`+DefaultTable+releasesSuffix+`"`, quoteTable(derived(table, releasesSuffix)),
		`"`+DefaultTable+`"`, quoteTable(table),
	).Replace(script)
}

const (
	inProgressSuffix = "_in_progress" // the index of the work in progress
	releasesSuffix   = "_releases"    // the table of what was ended by hand
)

// derived is the name of what belongs to a table, in the table's schema. PostgreSQL cuts a name off after 63 bytes, which
// could make it the table's own: a name that is too long is cut here, and told apart by its hash.
func derived(table, suffix string) string {
	schema, name := splitTable(table)
	if len(name)+len(suffix) > maxName {
		sum := sha256.Sum256([]byte(name))
		hash := "_" + hex.EncodeToString(sum[:4])
		cut := maxName - len(suffix) - len(hash)
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + hash
	}
	return schema + name + suffix
}

// maxName is how long a name may be in PostgreSQL, in bytes.
const maxName = 63

// splitTable returns the schema of a table with its dot, "" where it has none, and the table's bare name.
func splitTable(table string) (schema, name string) {
	dot := strings.LastIndexByte(table, '.')
	return table[:dot+1], table[dot+1:]
}

// quoteTable quotes the parts of a table's name.
func quoteTable(table string) string {
	if table == "" {
		table = DefaultTable
	}
	return pgx.Identifier(strings.Split(table, ".")).Sanitize()
}
