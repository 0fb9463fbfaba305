package sqltext

// Hole is the byte that stands for a part filled in at run time. A hole in the place of a value is a value; a hole in the place of a table makes the name unknown, but for a prefix that ends in a dot.
const Hole = '\x00'

// Verb is what a statement does.
type Verb string

// Verbs. Other statements have the verb Other.
const (
	Select      Verb = "select"
	Insert      Verb = "insert"
	Update      Verb = "update"
	Delete      Verb = "delete"
	Merge       Verb = "merge"
	Begin       Verb = "begin"
	Commit      Verb = "commit"
	Rollback    Verb = "rollback"
	CreateTable Verb = "create table"
	CreateIndex Verb = "create index"
	AlterTable  Verb = "alter table"
	DropIndex   Verb = "drop index"
	DropTable   Verb = "drop table"
	Other       Verb = "other"
)

// Name is a table's name, folded to lower case unless it was quoted with capitals that matter; Schema may be empty.
type Name struct{ Schema, Table string }

// Known reports whether the text tells the table.
func (n Name) Known() bool { return n.Table != "" }

// Action is what an insert does about a row that is there already.
type Action string

// Actions of a conflict clause.
const (
	NoAction  Action = ""
	DoNothing Action = "nothing" // ON CONFLICT DO NOTHING, INSERT IGNORE, INSERT OR IGNORE
	DoUpdate  Action = "update"  // ON CONFLICT DO UPDATE, ON DUPLICATE KEY UPDATE, MERGE ... WHEN MATCHED
	Replace   Action = "replace" // REPLACE INTO, INSERT OR REPLACE
)

// Conflict is the clause that arbitrates between simultaneous inserts.
type Conflict struct {
	Action     Action
	Columns    []string // the target's columns, as written; empty: any unique index
	Constraint string   // ON CONFLICT ON CONSTRAINT name
}

// Statement is one statement of a text.
type Statement struct {
	Verb   Verb
	Table  Name
	Tables []Name // every table read from, joined ones included
	// Equals are the columns compared with = or IN (one value or a list) in the WHERE clause, where all of them must hold (joined by AND); qualified names lose their qualifier.
	Equals []string
	// Columns are the columns an INSERT writes or an UPDATE sets, those of a SELECT list when they are plain names.
	Columns    []string
	Values     []string // texts of the first row's values of an INSERT, as long as Columns when both are known
	Conflict   Conflict
	Returning  []string
	ForUpdate  bool // FOR UPDATE, FOR NO KEY UPDATE
	ForShare   bool
	SkipLocked bool
	// NotExists: the insert takes its rows from a SELECT that asks with NOT EXISTS or an anti-join for the same table.
	NotExists bool
	// Aggregate: the select list is COUNT, EXISTS, MAX or another function alone, so that it always gives a row.
	Aggregate bool
	// LocksAdvisory: the statement calls pg_advisory_lock, pg_advisory_xact_lock, pg_try_advisory..., GET_LOCK.
	LocksAdvisory bool
	With          []Statement // statements of common table expressions, in their order
	// Index is set for CREATE [UNIQUE] INDEX and for each unique rule of CREATE TABLE and ALTER TABLE.
	Unique     []UniqueRule
	Defined    []ColumnRule // columns of CREATE TABLE and ADD COLUMN
	Partial    bool         // a hole hides part of the structure, not only a value
	Start, End int          // bytes of the statement in the text
	// ConflictAt is where an ON CONFLICT clause could be added to an INSERT: before RETURNING, else at the end, in bytes of the text; -1 when the text does not tell.
	ConflictAt int
}

// UniqueRule is a primary key, a unique constraint or a unique index.
type UniqueRule struct {
	Name             string
	Columns          []string // an expression keeps its text in parentheses
	Primary          bool
	Where            string // predicate of a partial index
	NullsNotDistinct bool
}

// ColumnRule is a column's declaration.
type ColumnRule struct {
	Name    string
	NotNull bool
	Default string
}

// Parse reads every statement of a text.
func Parse(text string) []Statement { return nil }
