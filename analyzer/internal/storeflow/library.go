package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A library knows the calls of one library. Adding one is one file, with the recogniser, and one row in libraries.
// Methods get fn, the declared function or method behind a call (an interface's method where the library declares interfaces, as pgx.Tx), and may be called from several goroutines.
type library interface {
	// imports reports whether an import path, with its major version cut off, belongs to the library.
	imports(path string) bool

	// connection tells what kind of connection a type of the library is; UnknownConn for every other type.
	connection(t types.Type) ConnKind

	// accesses tells what a call does; nil when it touches no store by itself. The caller fills in Call and Pos, and Executor.Value and Executor.Kind where the library leaves them empty.
	// Calls that only build a query (gorm's Where, a squirrel builder) give nil: the call that runs it walks back over the chain.
	accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access

	// transaction tells what a call does to transactions; nil when nothing.
	transaction(p *Result, call ssa.CallInstruction, fn *types.Func) *event

	// duplicate reports whether a function tells a unique violation apart: mongo.IsDuplicateKeyError, ent.IsConstraintError; or whether an object is a sentinel for one: gorm.ErrDuplicatedKey.
	duplicate(object types.Object) bool
}

// eventKind is what a call does to a transaction.
type eventKind uint8

const (
	begins    eventKind = iota + 1 // result Result is the transaction
	commits                        // the receiver or argument Tx is committed
	rollsBack                      //
	runs                           // argument Callback is a function that runs in a transaction, given to it as its parameter CallbackTx (-1: by context)
	binds                          // result Result is the receiver or first argument, bound to the transaction Tx: q.WithTx(tx), db.WithContext(ctx)
)

// event is what a call does to transactions.
type event struct {
	kind         eventKind
	result       int
	tx           ssa.Value
	callback     ssa.Value
	callbackTx   int
	outer        ssa.Value // of runs: the connection that the transaction is begun on; nil where a library does not tell
	serializable bool
	plain        bool // of runs: the callback runs before the call returns, in no transaction of SQL's kind
	runtime      bool // of runs: the transaction is one of our runtime's
}

// A library whose connection type serves for pools and transactions alike (gorm.DB, ent's Client) also has this method; where it says so, what the value comes from decides, and the type only when nothing else does.
type sharing interface {
	shared(t types.Type) bool
}

// libraries are asked in this order; the first that answers wins.
var libraries = []library{
	runtimeLibrary{},
	pgxLibrary{},
	sqlxLibrary{},
	squirrelLibrary{},
	sqlLibrary{},
	gormLibrary{},
	bunLibrary{},
	entLibrary{},
	redisLibrary{},
	redisLocks{},
	mongoLibrary{},
	dynamoLibrary{},
}
