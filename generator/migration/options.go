package migration

import (
	"time"

	"github.com/idemgen/idemgen/templates"
)

// Options says where and how migrations are written.
type Options struct {
	// Format is the migration tool, one of [Formats].
	Format string
	// Dir is the target folder, slash-separated and relative, as output.File wants it.
	Dir string
	// Existing are all files of the target folder itself, without its subfolders: migrations of any origin, and the
	// tool's own files such as atlas.sum.
	Existing []Existing
	// Table is the keys table, "name" or "schema.name"; empty means [DefaultTable].
	Table string
	// Tables are business tables that are created elsewhere than in Dir, "name" or "schema.name".
	Tables []string
	// Steps are the schema steps of the store, sorted by version.
	Steps []Step
	// Dialect is the SQL spoken; empty means Postgres. It is of one database: the steps that were issued are not written anew
	// when it changes.
	Dialect Dialect
	// Guards says how constraints are added to business tables; empty means AddConstraint.
	Guards GuardStyle
	// Now is read only where the folder counts its files by time: a new file is then numbered by Now, or just after the
	// last one if that is later. The zero time numbers it just after the last one.
	Now time.Time
	// Templates render the SQL; nil means the built-in ones.
	Templates *templates.Set
}

// DefaultTable is the keys table when none is configured.
const DefaultTable = "idempotency_keys"

// Existing is one file of the target folder.
type Existing struct {
	// Name is the file's name without any folder.
	Name    string
	Content []byte
}

// Step is one step of the keys table's schema. A step that was issued never changes; a change is a further step.
type Step struct {
	// Version counts from 1.
	Version int
	// Up and Down are whole statements, each ending in a semicolon at the end of a line.
	Up, Down string
}

// GuardStyle is how a constraint is added to a table that may be large.
type GuardStyle string

// The styles.
const (
	// AddConstraint adds the constraint in one statement. The table is locked while its index is built, and a lock
	// timeout keeps the statement from queueing in front of other work.
	AddConstraint GuardStyle = "constraint"
	// Concurrent builds the index without blocking writes, in a file without a transaction, and makes it a constraint
	// in the next file.
	Concurrent GuardStyle = "concurrent"
)
