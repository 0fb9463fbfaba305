package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

const sqlPath = "database/sql"

// sqlLibrary knows database/sql, its drivers, and every house interface with methods of its shape: sqlc's DBTX, an Execer.
type sqlLibrary struct{}

func (sqlLibrary) imports(path string) bool {
	switch path {
	case sqlPath, "database/sql/driver", "github.com/lib/pq", "github.com/go-sql-driver/mysql", "github.com/mattn/go-sqlite3", "modernc.org/sqlite", "github.com/microsoft/go-mssqldb":
		return true
	}
	return false
}

func (sqlLibrary) connection(t types.Type) ConnKind {
	n := named(t)
	if n == nil || packagePath(n.Obj()) != sqlPath {
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

func (sqlLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	if fn == nil || fn.Signature().Recv() == nil {
		return nil
	}
	s := statement{call: call}
	switch resultOfSQL(fn) {
	case "Result":
		s.outcome = byResult
	case "Row":
		s.outcome = byRow
	case "Rows":
		s.outcome = byRows
	default:
		return nil
	}
	args := arguments(call)
	if strings.HasSuffix(fn.Name(), "Context") {
		args = args[min(1, len(args)):]
	}
	if base := receiver(call); base != nil && isType(base.Type(), sqlPath, "Stmt") {
		return p.prepared(s, base, args)
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

// resultOfSQL names the type of database/sql that Exec, Query and QueryRow of any type give; empty for other methods.
func resultOfSQL(fn *types.Func) string {
	switch fn.Name() {
	case "Exec", "ExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext":
	default:
		return ""
	}
	results := fn.Signature().Results()
	if results.Len() == 0 {
		return ""
	}
	n := named(results.At(0).Type())
	if n == nil || packagePath(n.Obj()) != sqlPath {
		return ""
	}
	return n.Obj().Name()
}

// prepared finds the text that a statement was prepared with, and over what.
func (p *Result) prepared(s statement, stmt ssa.Value, args []ssa.Value) []Access {
	if len(args) > 0 {
		s.args = elements(args[len(args)-1])
	}
	conn := ssa.Value(nil)
	v := program.Resolve(stmt)
	for range 4 {
		if extract, ok := v.(*ssa.Extract); ok {
			v = extract.Tuple
		}
		made, ok := v.(*ssa.Call)
		if !ok {
			return []Access{}
		}
		fn := declared(made)
		if packagePath(fn) != sqlPath && packagePath(fn) != sqlxPath && !strings.HasPrefix(fnName(fn), "Prepare") {
			return []Access{}
		}
		if conn == nil {
			conn = receiver(made)
		}
		args := arguments(made)
		if len(args) == 0 {
			return []Access{} // a house's own, which knows its text
		}
		switch fnName(fn) {
		case "Stmt", "StmtContext", "Stmtx", "StmtxContext":
			v = program.Resolve(args[len(args)-1])
			continue
		case "Prepare", "PrepareContext", "Preparex", "PreparexContext", "PrepareNamed", "PrepareNamedContext":
			s.text, s.conn = args[len(args)-1], conn
			return p.sqlAccesses(s)
		}
		return []Access{}
	}
	return []Access{}
}

func fnName(fn *types.Func) string {
	if fn == nil {
		return ""
	}
	return fn.Name()
}

func (sqlLibrary) transaction(_ *Result, call ssa.CallInstruction, fn *types.Func) *event {
	results := fn.Signature().Results()
	switch fn.Name() {
	case "Begin", "BeginTx":
		if fn.Signature().Recv() == nil || results.Len() != 2 || !isType(results.At(0).Type(), sqlPath, "Tx") {
			return nil
		}
		return &event{kind: begins, serializable: fn.Name() == "BeginTx" && strictOptions(argument(call, 1), "Isolation")}
	case "Commit", "Rollback":
		base := receiver(call)
		if base == nil || !isType(base.Type(), sqlPath, "Tx") {
			return nil
		}
		if fn.Name() == "Commit" {
			return &event{kind: commits, tx: base}
		}
		return &event{kind: rollsBack, tx: base}
	}
	return nil
}

// strictOptions reads the isolation level out of options that are written at the call: sql.LevelSerializable is 6, and at least as strict.
func strictOptions(options ssa.Value, field string) bool {
	level := literalField(options, field)
	if level == nil {
		return false
	}
	if text, ok := constantText(level); ok {
		return strings.EqualFold(text, "serializable")
	}
	number, ok := constantInt(level)
	return ok && number >= 6
}

func (sqlLibrary) duplicate(types.Object) bool { return false }
