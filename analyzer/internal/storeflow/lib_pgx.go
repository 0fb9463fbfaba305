package storeflow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

const pgxPath = "github.com/jackc/pgx"

// pgxLibrary knows pgx, pgxpool and pgxmock, and every house interface with methods of pgx's shape.
type pgxLibrary struct{}

func (pgxLibrary) imports(path string) bool {
	return path == pgxPath || strings.HasPrefix(path, pgxPath+"/") || path == "github.com/jackc/pgconn" || path == "github.com/jackc/pgerrcode" || path == "github.com/pashagolub/pgxmock"
}

func (pgxLibrary) connection(t types.Type) ConnKind {
	n := named(t)
	if n == nil {
		return UnknownConn
	}
	switch packagePath(n.Obj()) + "." + n.Obj().Name() {
	case pgxPath + "/pgxpool.Pool":
		return Pool
	case pgxPath + ".Conn", pgxPath + "/pgxpool.Conn":
		return Conn
	case pgxPath + ".Tx", pgxPath + "/pgxpool.Tx":
		return Tx
	}
	return UnknownConn
}

func (pgxLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	if fn == nil || fn.Signature().Recv() == nil {
		return nil
	}
	s := statement{call: call}
	switch fn.Name() + " " + resultOfPgx(fn) {
	case "Exec CommandTag":
		s.outcome = byResult
	case "Query Rows":
		s.outcome = byRows
	case "QueryRow Row":
		s.outcome = byRow
	case "SendBatch BatchResults":
		return p.batch(call)
	case "CopyFrom int64":
		return copied(call)
	default:
		return nil
	}
	args := arguments(call)
	if len(args) < 2 || !isString(args[1].Type()) {
		return nil
	}
	s.text = args[1]
	if len(args) > 2 {
		s.args = pgxArguments(args[len(args)-1])
	}
	return p.sqlAccesses(s)
}

// pgxArguments gives the values of the placeholders; options in front of them do not count.
func pgxArguments(variadic ssa.Value) []ssa.Value {
	values := elements(variadic)
	for len(values) > 0 && values[0] != nil {
		kind := program.Resolve(values[0]).Type()
		if !isType(kind, pgxPath, "QueryExecMode") && !isType(kind, pgxPath, "QueryResultFormats") {
			break
		}
		values = values[1:]
	}
	return values
}

// resultOfPgx names the type that a method gives: one of pgx's, or int64 for CopyFrom.
func resultOfPgx(fn *types.Func) string {
	results := fn.Signature().Results()
	if results.Len() == 0 {
		return ""
	}
	n := named(results.At(0).Type())
	if n == nil {
		if fn.Name() == "CopyFrom" && fn.Signature().Params().Len() == 4 && isType(fn.Signature().Params().At(1).Type(), pgxPath, "Identifier") {
			return "int64"
		}
		return ""
	}
	switch packagePath(n.Obj()) {
	case pgxPath, pgxPath + "/pgconn", "github.com/jackc/pgconn":
		return n.Obj().Name()
	}
	return ""
}

// batch gives the statements that were queued, in source order.
func (p *Result) batch(call ssa.CallInstruction) []Access {
	sent := batchValue(argument(call, 1))
	if sent == nil {
		return []Access{}
	}
	out := []Access{}
	for _, queued := range program.Calls(call.Parent()) {
		fn := declared(queued)
		if !isFunc(fn, pgxPath, "Queue") || batchValue(receiver(queued)) != sent {
			continue
		}
		args := arguments(queued)
		list := p.sqlAccesses(statement{call: queued, text: args[0], args: elements(args[len(args)-1]), conn: receiver(call), outcome: byRow})
		for i := range list {
			list[i].Pos = queued.Pos()
			list[i].Executor = p.executor(receiver(call), "", UnknownConn)
			if list[i].Guard.Has(OnConflict) {
				list[i].Guard |= ResultRead // who reads the results of a batch reads them by position; not followed
			}
		}
		out = append(out, list...)
	}
	return out
}

func batchValue(v ssa.Value) ssa.Value {
	if v == nil {
		return nil
	}
	v = program.Resolve(v)
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return program.Cell(load.X)
	}
	return program.Cell(v)
}

// copied gives the insert that CopyFrom is.
func copied(call ssa.CallInstruction) []Access {
	access := Access{Engine: SQL, Op: Insert}
	if parts := elements(argument(call, 1)); len(parts) > 0 {
		if table, ok := constantText(parts[len(parts)-1]); ok {
			access.Table = fold(table)
		}
	}
	for _, column := range elements(argument(call, 2)) {
		if name, ok := constantText(column); ok {
			access.Columns = append(access.Columns, name)
		}
	}
	return []Access{access}
}

func (pgxLibrary) transaction(_ *Result, call ssa.CallInstruction, fn *types.Func) *event {
	switch fn.Name() {
	case "Begin", "BeginTx":
		if fn.Signature().Recv() == nil || resultOfPgx(fn) != "Tx" && !isPoolTx(fn) {
			return nil
		}
		return &event{kind: begins, serializable: fn.Name() == "BeginTx" && strictOptions(argument(call, 1), "IsoLevel")}
	case "BeginFunc", "BeginTxFunc":
		return runsLast(call, fn)
	case "Commit", "Rollback":
		base := receiver(call)
		if base == nil || (pgxLibrary{}).connection(base.Type()) != Tx {
			return nil
		}
		if fn.Name() == "Commit" {
			return &event{kind: commits, tx: base}
		}
		return &event{kind: rollsBack, tx: base}
	case "Conn":
		if base := receiver(call); base != nil && (pgxLibrary{}).connection(base.Type()) == Tx {
			return &event{kind: binds, tx: base}
		}
	}
	return nil
}

func isPoolTx(fn *types.Func) bool {
	results := fn.Signature().Results()
	return results.Len() == 2 && isType(results.At(0).Type(), pgxPath+"/pgxpool", "Tx")
}

// runsLast is pgx.BeginFunc and its likes, whose last argument gets the transaction.
func runsLast(call ssa.CallInstruction, fn *types.Func) *event {
	args := arguments(call)
	if len(args) < 2 {
		return nil
	}
	callback, ok := args[len(args)-1].Type().Underlying().(*types.Signature)
	if !ok || callback.Params().Len() != 1 || (pgxLibrary{}).connection(callback.Params().At(0).Type()) != Tx {
		return nil
	}
	if fn.Pkg() == nil || !(pgxLibrary{}).imports(packagePath(fn)) && fn.Signature().Recv() == nil {
		return nil
	}
	serializable := fn.Name() == "BeginTxFunc" && len(args) >= 3 && strictOptions(args[len(args)-2], "IsoLevel")
	outer := receiver(call)
	if outer == nil {
		outer = args[1]
	}
	return &event{kind: runs, callback: args[len(args)-1], callbackTx: 0, outer: outer, serializable: serializable}
}

func (pgxLibrary) duplicate(types.Object) bool { return false }
