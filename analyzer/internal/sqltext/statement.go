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
	LockTable   Verb = "lock table"
	Other       Verb = "other"
)

// Name is a table's name, folded to lower case unless it stood in double quotes, where capitals matter. Schema is empty without one, and a [Hole] where it is filled in at run time.
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
	Columns    []string // the target's columns; an expression keeps its text in parentheses; empty: any unique index
	Constraint string   // ON CONFLICT ON CONSTRAINT name
	Where      string   // predicate that names a partial index: ON CONFLICT (a) WHERE b
}

// Comparison is one column compared with = or IN, where the comparison must hold.
type Comparison struct {
	Table  Name   // whose column it is; unknown where the text leaves it open
	Column string // an expression of columns keeps its text in parentheses: (lower(email))
	Value  string // the other side as written, holes included
	List   bool   // IN or = ANY: one of several values
}

// Statement is one statement of a text.
type Statement struct {
	Verb Verb
	// Table is the table written to, or the first one that a SELECT reads; where a SELECT has no FROM, the one its only sub-select reads, so that SELECT EXISTS (SELECT 1 FROM t) reads t.
	Table Name
	// Tables are the tables read from, each once: joined ones and those of sub-selects included, names of common table expressions left out. The table that an INSERT, UPDATE, DELETE or MERGE writes to is in it only when it is read by name as well.
	Tables []Name
	// Equals are the columns of Table compared with = or IN (one value or a list) in the WHERE clause, where all of them must hold (joined by AND); qualified names lose their qualifier, and those of other tables are left out.
	// For an INSERT they are those that its NOT EXISTS asks for.
	Equals []string
	// Compared are all comparisons of the WHERE clause, those of other tables included.
	Compared []Comparison
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
	Serializable  bool        // BEGIN or SET TRANSACTION with ISOLATION LEVEL SERIALIZABLE
	With          []Statement // statements of common table expressions, in their order
	Body          []Statement // statements found in the block of a DO, whatever surrounds them there
	// Unique has the rule of a CREATE UNIQUE INDEX, and each unique rule of CREATE TABLE and ALTER TABLE.
	Unique  []UniqueRule
	Defined []ColumnRule // columns of CREATE TABLE and ADD COLUMN
	// Changes are what ALTER and DROP take away or rename. In one statement they come before Unique and Defined.
	Changes []Change
	// Partial: a hole hides a table, a condition or a clause, or the text is nested deeper than is read. A hole in the place of a value, of a SELECT's list or of an UPDATE's assignments hides none.
	Partial    bool
	Start, End int // bytes of the statement in the text, without the semicolon
	// ConflictAt is where a space and an ON CONFLICT clause could be added to an INSERT: before RETURNING, else at the end, in bytes of the text; -1 when the text does not tell, has such a clause, or is MySQL's.
	ConflictAt int
}

// UniqueRule is a primary key, a unique constraint or a unique index.
type UniqueRule struct {
	Name             string
	Columns          []string // an expression keeps its text in parentheses
	Primary          bool
	Where            string // predicate of a partial index
	NullsNotDistinct bool
	Index            string // UNIQUE USING INDEX name: the columns are that index's
	Start            int    // byte of the text where the rule is written
}

// ChangeKind is what is changed in a table.
type ChangeKind string

// Kinds of changes.
const (
	RenameTable   ChangeKind = "rename table"
	RenameColumn  ChangeKind = "rename column"
	RenameRule    ChangeKind = "rename rule" // of a constraint or an index
	DropColumn    ChangeKind = "drop column"
	DropRule      ChangeKind = "drop rule" // of a constraint or an index
	DropPrimary   ChangeKind = "drop primary key"
	DropWholly    ChangeKind = "drop table"
	SetNotNull    ChangeKind = "set not null"
	DropNotNull   ChangeKind = "drop not null"
	ReplaceColumn ChangeKind = "replace column" // MySQL's MODIFY and CHANGE; Column is the new declaration
	CopyTable     ChangeKind = "copy table"     // CREATE TABLE ... (LIKE other), PARTITION OF other, INHERITS
)

// Change is one thing that ALTER, DROP or RENAME does. Table is the table it is done to, unknown for an index dropped or renamed by its name alone.
type Change struct {
	Kind   ChangeKind
	Table  Name
	Name   string // of the column, rule or table
	To     string // the new name
	Column ColumnRule
}

// ColumnRule is a column's declaration.
type ColumnRule struct {
	Name    string
	NotNull bool
	Default string
}
