package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const sqlxPath = "github.com/jmoiron/sqlx"

// sqlxLibrary knows what sqlx adds to database/sql.
type sqlxLibrary struct{}

func (sqlxLibrary) imports(path string) bool {
	return path == sqlxPath || strings.HasPrefix(path, sqlxPath+"/")
}

func (sqlxLibrary) connection(t types.Type) ConnKind {
	n := named(t)
	if n == nil || packagePath(n.Obj()) != sqlxPath {
		return UnknownConn
	}
	switch n.Obj().Name() {
	case "DB":
		return Pool
	case "Conn":
		return Conn
	case "Tx":
		return Tx
	}
	return UnknownConn
}

func (sqlxLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	name, ok := sqlxName(fn)
	if !ok {
		return nil
	}
	s := statement{call: call}
	switch name {
	case "Get", "Select":
		s.outcome = byError
	case "Queryx", "NamedQuery":
		s.outcome = byRows
	case "QueryRowx", "NamedQueryRow":
		s.outcome = byRow
	case "NamedExec", "MustExec":
		s.outcome = byResult
	default:
		return nil
	}
	args := arguments(call)
	if strings.HasSuffix(fn.Name(), "Context") {
		args = args[min(1, len(args)):]
	}
	if fn.Signature().Recv() == nil {
		if len(args) == 0 {
			return nil
		}
		s.conn, args = args[0], args[1:] // sqlx.Get(q, &dest, query)
	} else if base := receiver(call); base != nil && (isType(base.Type(), sqlxPath, "Stmt") || isType(base.Type(), sqlxPath, "NamedStmt")) {
		return p.prepared(s, base, args)
	}
	if (name == "Get" || name == "Select") && len(args) > 0 {
		args = args[1:]
	}
	if len(args) == 0 || !isString(args[0].Type()) {
		return nil
	}
	s.text = args[0]
	if len(args) > 1 {
		s.args = elements(args[len(args)-1])
	}
	return p.sqlAccesses(s)
}

// sqlxName gives the name of one of sqlx's methods and functions without its Context; also for house interfaces that have such methods.
func sqlxName(fn *types.Func) (string, bool) {
	if fn == nil {
		return "", false
	}
	name := strings.TrimSuffix(fn.Name(), "Context")
	if packagePath(fn) == sqlxPath {
		return name, true
	}
	if fn.Signature().Recv() == nil || !types.IsInterface(fn.Signature().Recv().Type()) {
		return "", false
	}
	params := fn.Signature().Params()
	switch name {
	case "Get", "Select":
		// GetContext(ctx, dest any, query string, args ...any) is nobody else's.
		at := params.Len() - 3
		return name, fn.Signature().Variadic() && at >= 0 && isEmptyInterface(params.At(at).Type()) && isString(params.At(at+1).Type())
	case "NamedExec", "NamedQuery", "Queryx", "QueryRowx":
		return name, params.Len() >= 2
	}
	return "", false
}

func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

func (sqlxLibrary) transaction(_ *Result, call ssa.CallInstruction, fn *types.Func) *event {
	results := fn.Signature().Results()
	switch fn.Name() {
	case "Beginx", "BeginTxx", "MustBegin", "MustBeginTx":
		if fn.Signature().Recv() == nil || results.Len() == 0 || !isType(results.At(0).Type(), sqlxPath, "Tx") {
			return nil
		}
		return &event{kind: begins, serializable: strings.Contains(fn.Name(), "Tx") && strictOptions(argument(call, 1), "Isolation")}
	case "Commit", "Rollback":
		base := receiver(call)
		if base == nil || !isType(base.Type(), sqlxPath, "Tx") && !isEmbeddedTx(base) {
			return nil
		}
		if tx := sqlxTx(base); tx != nil {
			base = tx
		}
		if fn.Name() == "Commit" {
			return &event{kind: commits, tx: base}
		}
		return &event{kind: rollsBack, tx: base}
	case "Unsafe":
		if packagePath(fn) == sqlxPath {
			return &event{kind: binds}
		}
	}
	return nil
}

// isEmbeddedTx reports whether a *sql.Tx is the one inside a *sqlx.Tx: tx.Commit() is a method of the inner one.
func isEmbeddedTx(v ssa.Value) bool { return sqlxTx(v) != nil }

func sqlxTx(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	address, ok := load.X.(*ssa.FieldAddr)
	if !ok || !isType(address.X.Type(), sqlxPath, "Tx") && !isType(address.X.Type(), sqlxPath, "DB") {
		return nil
	}
	return address.X
}

func (sqlxLibrary) duplicate(types.Object) bool { return false }
