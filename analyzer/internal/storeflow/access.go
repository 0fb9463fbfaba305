package storeflow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Engine is the kind of store.
type Engine uint8

// Engines.
const (
	SQL Engine = iota + 1
	Redis
	Mongo
	Dynamo
)

// Op is what is done.
type Op uint8

// Operations. A lock is advisory (pg_advisory_lock, GET_LOCK, redlock, a won SET NX on another key, sync.Mutex): what follows it is arbitrated.
const (
	Read Op = iota + 1
	Insert
	Update
	Delete
	Lock
)

// Guard is what makes an insert, or a read, safe between simultaneous callers.
type Guard uint16

// Guards. Several may hold.
const (
	OnConflict     Guard = 1 << iota // ON CONFLICT, ON DUPLICATE KEY, INSERT IGNORE, MERGE, upsert, SET NX, attribute_not_exists, $setOnInsert
	ResultRead                       // with OnConflict: the caller can see who won: RowsAffected, RETURNING, the bool of SetNX, a condition's error
	WhereNotExists                   // INSERT ... SELECT ... WHERE NOT EXISTS: no guard without a unique index
	ForUpdate                        // a read that locks rows that exist
	SkipLocked
	DuplicateHandled // the error is told apart: 23505, 1062, 2067, ErrDuplicatedKey, IsDuplicateKeyError, IsConstraintError, or a helper that translates it
	FirstOrCreate    // gorm's FirstOrCreate, ent's and bun's likes: a look and an insert of the library's own
	MintedKey        // the insert's primary key is minted in the insert, so that it cannot guard
	Serializable     // in a SERIALIZABLE transaction
)

// Has reports whether all of want hold.
func (g Guard) Has(want Guard) bool { return g&want == want }

// ConnKind is what a statement runs on.
type ConnKind uint8

// Kinds of connections. Param, Receiver and Context say where the caller decides.
const (
	UnknownConn ConnKind = iota
	Pool                 // *sql.DB, *pgxpool.Pool, *sqlx.DB, *bun.DB, a gorm.DB that is no transaction, an ent client
	Conn                 // *sql.Conn, *pgx.Conn
	Tx                   // *sql.Tx, pgx.Tx, *sqlx.Tx, bun.Tx, ent.Tx, a gorm.DB inside Transaction or after Begin
	Param                // the function's parameter Index decides (0 is the receiver for a method's SSA; here parameters only, receiver apart)
	Receiver             // a field of the receiver decides: a repository bound to a pool or a transaction
	Context              // the context decides: a transaction carried by it
	Client               // no transactions: Redis, Mongo without session, DynamoDB
)

// Executor is over what an access runs.
type Executor struct {
	Kind  ConnKind
	Index int    // of Param
	Field string // of Receiver and Param: the path of fields that leads to the connection ("repo.db"), "" when it is the connection itself
	// Static is what the type alone says; Pool for a gorm.DB, which may be a transaction all the same.
	Static ConnKind
	// Value is the connection in this package, resolved: two accesses with one Value run on the same. Nil in facts, and for a connection that a callee makes for itself: a Tx without Value is the callee's own.
	Value ssa.Value
	// Runtime: of a Tx without Value: it is one that our runtime gives to the callee, which commits with the idempotency record.
	Runtime bool

	root place // where the connection comes from in this package
}

// Step is one function on the way from a call to an access.
type Step struct {
	Function string // as types.Func.FullName
	Position string // "file.go:12", of the call or statement in it
}

// String names the function without the folders of its package, as messages do: (*store.Orders).Create (orders.go:12).
func (s Step) String() string {
	name := s.Function
	receiver := name[:len(name)-len(strings.TrimLeft(name, "(*"))]
	name = receiver + name[max(len(receiver), strings.LastIndexByte(name, '/')+1):]
	if s.Position == "" {
		return name
	}
	return name + " (" + s.Position + ")"
}

// Access is one thing that is done to a store.
type Access struct {
	Engine Engine
	Op     Op
	// Table is the table, collection or constant part of the key, folded to lower case without schema; empty when not known. For ORMs it is the name the library gives the type's table.
	Table string
	// Entity is the Go type of the row, qualified, for ORMs and repository methods; empty when there is none.
	Entity string
	// Columns are the columns compared for equality (Read, Update, Delete) or written (Insert).
	Columns []string
	Guard   Guard
	// Target are the columns of an ON CONFLICT target; empty for any.
	Target []string
	// Asked are the columns that the NOT EXISTS of an Insert asks for.
	Asked []string
	// Sets are the columns that an Update sets.
	Sets []string
	// Upsert: with OnConflict: the row that is there already is changed or replaced, not kept.
	Upsert bool
	// Always: a read that gives a row in any case (COUNT, EXISTS).
	Always bool
	// Guessed: no body was in view and names decided: an interface method called FindByKey.
	Guessed bool
	// TTL: a Redis write that has an expiry.
	TTL bool
	// Partial: the text of the statement is known in part only, so that a clause of it (ON CONFLICT, FOR UPDATE, a condition) may be hidden.
	Partial bool
	// Process: a lock that arbitrates within one process only (sync.Mutex, singleflight).
	Process  bool
	Executor Executor

	// Outcome are the results of the function of this fact that tell who won; a caller that reads one of them makes it [ResultRead].
	Outcome []int
	// Text is one more than the parameter that is the text of the statement, in facts of helpers that run what they are given; such an access has no Op and is never handed to an analyzer.
	Text int

	// Key is a Redis key's value in this package, resolved: two accesses with one Key meet the same entry, also where Table does not tell. Nil in facts.
	Key ssa.Value
	// Call is the call in the function under analysis, Pos its position; both are zero in facts.
	Call ssa.CallInstruction
	Pos  token.Pos
	// Path leads from Call to the statement, outermost first; empty when Call is the statement itself.
	Path []Step
	// SQL is the statement's value in this package when it is a literal in view, for fixes.
	SQL ssa.Value
}
