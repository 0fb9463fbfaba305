package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// outcome is how a call tells who won.
type outcome uint8

const (
	byResult outcome = iota // result 0 has RowsAffected: Exec
	byRow                   // result 0 is a row to scan: QueryRow
	byRows                  // result 0 are rows: Query
	byError                 // the error alone: Get, Select
)

// outcomeRead reports whether the function that makes a call reads who won. returning: the statement gives the row back.
func (p *Result) outcomeRead(call ssa.CallInstruction, how outcome, returning bool) bool {
	value := result(call, 0)
	switch how {
	case byResult:
		return value != nil && p.affectedRead(value)
	case byRow:
		return returning && value != nil && scanned(value)
	case byRows:
		return returning && value != nil && hasUses(value)
	case byError:
		return returning && value != nil && hasUses(value)
	}
	return false
}

// affectedRead reports whether RowsAffected of a result is read here. A result that is returned is left to the caller.
func (p *Result) affectedRead(v ssa.Value) bool {
	for _, call := range methodsOn(v, 6) {
		fn := declared(call)
		if fn == nil {
			continue
		}
		switch fn.Name() {
		case "RowsAffected", "String", "LastInsertId":
			if counted := result(call, 0); counted != nil && decides(counted, 6) {
				return true
			}
		}
	}
	return false
}

// methodsOn gives the calls that a value is the receiver or an argument of, through variables and conversions.
func methodsOn(v ssa.Value, depth int) []ssa.CallInstruction {
	if depth == 0 || v == nil || v.Referrers() == nil {
		return nil
	}
	var out []ssa.CallInstruction
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case ssa.CallInstruction:
			out = append(out, use)
		case *ssa.Phi:
			out = append(out, methodsOn(use, depth-1)...)
		case *ssa.MakeInterface:
			out = append(out, methodsOn(use, depth-1)...)
		case *ssa.ChangeType:
			out = append(out, methodsOn(use, depth-1)...)
		case *ssa.Store:
			if use.Val == v {
				for _, load := range loadsOf(use.Addr) {
					out = append(out, methodsOn(load, depth-1)...)
				}
				if alloc, ok := use.Addr.(*ssa.Alloc); ok {
					out = append(out, methodsOn(alloc, depth-1)...)
				}
			}
		}
	}
	return out
}

// loadsOf gives the loads of a variable, also those in literals that capture it.
func loadsOf(address ssa.Value) []ssa.Value {
	cell := program.Cell(address)
	if cell.Referrers() == nil {
		return nil
	}
	var out []ssa.Value
	for _, use := range *cell.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp:
			out = append(out, use)
		case *ssa.MakeClosure:
			for i, bound := range use.Bindings {
				if bound != cell {
					continue
				}
				free := use.Fn.(*ssa.Function).FreeVars[i]
				for _, inner := range *free.Referrers() {
					if load, ok := inner.(*ssa.UnOp); ok {
						out = append(out, load)
					}
				}
			}
		}
	}
	return out
}

// decides reports whether a value is looked at in its function: compared, branched on, or handed to something other than the caller.
func decides(v ssa.Value, depth int) bool {
	if depth == 0 || v.Referrers() == nil {
		return false
	}
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Return, *ssa.DebugRef:
		case *ssa.BinOp:
			if branched(use, depth-1) {
				return true
			}
		case *ssa.If, *ssa.MapUpdate, *ssa.Send:
			return true
		case *ssa.Convert:
			if decides(use, depth-1) {
				return true
			}
		case *ssa.ChangeType:
			if decides(use, depth-1) {
				return true
			}
		case *ssa.MakeInterface:
			// A log line decides nothing.
		case *ssa.Phi:
			if decides(use, depth-1) {
				return true
			}
		case *ssa.UnOp:
			if decides(use, depth-1) {
				return true
			}
		case *ssa.Store:
			if use.Val == v {
				if _, isField := use.Addr.(*ssa.FieldAddr); isField {
					return true
				}
				for _, load := range loadsOf(use.Addr) {
					if decides(load, depth-1) {
						return true
					}
				}
			}
		}
	}
	return false
}

func branched(v ssa.Value, depth int) bool { return decides(v, depth) }

// scanned reports whether Scan is called on a row and its error is taken.
func scanned(row ssa.Value) bool {
	for _, call := range methodsOn(row, 6) {
		fn := declared(call)
		if fn == nil {
			continue
		}
		switch fn.Name() {
		case "Scan", "StructScan", "MapScan", "SliceScan", "Err":
			if value := call.Value(); value != nil && hasUses(value) {
				return true
			}
		default:
			// A helper that scans the row: scanAccount(row).
			if len(arguments(call)) > 0 && usedResult(call) {
				return true
			}
		}
	}
	return false
}

func hasUses(v ssa.Value) bool {
	if v.Referrers() == nil {
		return false
	}
	for _, use := range *v.Referrers() {
		if _, isDebug := use.(*ssa.DebugRef); !isDebug {
			return true
		}
	}
	return false
}

// usedResult reports whether a result of a call that is not its error is taken.
func usedResult(call ssa.CallInstruction) bool {
	results := call.Common().Signature().Results()
	for i := range results.Len() {
		if types.Identical(results.At(i).Type(), types.Universe.Lookup("error").Type()) && results.Len() > 1 {
			continue
		}
		if value := result(call, i); value != nil && hasUses(value) {
			return true
		}
	}
	return false
}

// outcomes gives the results of fn that tell its callers who won an insert.
func (p *Result) outcomes(access Access, fn *ssa.Function) []int {
	if !access.Guard.Has(OnConflict) || access.Guard.Has(ResultRead) || access.Call == nil {
		return nil
	}
	sources := p.tellers(access)
	if len(sources) == 0 {
		return nil
	}
	var out []int
	for _, block := range fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, returned := range ret.Results {
			if comesFrom(returned, sources, 10) {
				out = addInt(out, i)
			}
		}
	}
	return out
}

func addInt(list []int, n int) []int {
	for _, known := range list {
		if known == n {
			return list
		}
	}
	return append(list, n)
}

// tellers gives the values that tell who won: the result of the call itself, or those results that a callee's fact names.
func (p *Result) tellers(access Access) []ssa.Value {
	var out []ssa.Value
	if len(access.Path) > 1 || len(access.Path) == 1 && access.Path[0].Function != "" {
		for _, i := range access.Outcome {
			if value := result(access.Call, i); value != nil {
				out = append(out, value)
			}
		}
		return out
	}
	value := result(access.Call, 0)
	if value == nil {
		return nil
	}
	return []ssa.Value{value}
}

// comesFrom reports whether a value is made of one of sources: RowsAffected of it, a comparison of that.
func comesFrom(v ssa.Value, sources []ssa.Value, depth int) bool {
	if depth == 0 || v == nil {
		return false
	}
	v = program.Resolve(v)
	for _, source := range sources {
		if v == source {
			return true
		}
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		return comesFrom(v.X, sources, depth-1) || comesFrom(v.Y, sources, depth-1)
	case *ssa.UnOp:
		if alloc, ok := program.Cell(v.X).(*ssa.Alloc); ok {
			for _, store := range program.Stores(alloc) {
				if comesFrom(store.Val, sources, depth-2) {
					return true
				}
			}
			return false
		}
		return comesFrom(v.X, sources, depth-1)
	case *ssa.Convert:
		return comesFrom(v.X, sources, depth-1)
	case *ssa.Extract:
		return v.Index == 0 && comesFrom(v.Tuple, sources, depth-1)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if edge != v && comesFrom(edge, sources, depth-2) {
				return true
			}
		}
	case *ssa.Call:
		if base := receiver(v); base != nil && comesFrom(base, sources, depth-1) {
			return true
		}
		for _, arg := range v.Call.Args {
			if comesFrom(arg, sources, depth-2) {
				return true
			}
		}
	}
	return false
}

// readOutcome marks an access of a callee whose outcome the caller reads.
func (p *Result) readOutcome(access *Access, call ssa.CallInstruction) {
	for _, i := range access.Outcome {
		value := result(call, i)
		if value == nil {
			continue
		}
		if isResult(value.Type()) && p.affectedRead(value) || !isResult(value.Type()) && decides(value, 6) {
			access.Guard |= ResultRead
			return
		}
	}
}

// isResult reports whether a type is a library's result of Exec.
func isResult(t types.Type) bool {
	return isType(t, "database/sql", "Result") || isType(t, pgxPath+"/pgconn", "CommandTag")
}
