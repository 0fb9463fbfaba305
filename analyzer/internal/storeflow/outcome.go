package storeflow

import (
	"go/types"
	"slices"

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
	for _, call := range methodsOn(v) {
		fn := declared(call)
		if fn == nil {
			continue
		}
		switch fn.Name() {
		case "RowsAffected", "String", "LastInsertId":
			if counted := result(call, 0); counted != nil && decides(counted) {
				return true
			}
		}
	}
	return false
}

// methodsOn gives the calls that a value is the receiver or an argument of, through variables and conversions.
func methodsOn(v ssa.Value) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	forward(v, func(user ssa.Instruction, _ ssa.Value) bool {
		if call, ok := user.(ssa.CallInstruction); ok {
			out = append(out, call)
		}
		return false
	})
	return out
}

// maxForward bounds the values that a value is followed to.
const maxForward = 64

// forward visits the instructions that use a value, and those that use what it becomes: through variables, captures, phis and conversions. It ends when visit says so, and reports that.
func forward(v ssa.Value, visit func(user ssa.Instruction, value ssa.Value) bool) bool {
	if v == nil {
		return false
	}
	seen := map[ssa.Value]bool{v: true}
	queue := []ssa.Value{v}
	add := func(next ssa.Value) {
		if !seen[next] && len(seen) < maxForward {
			seen[next] = true
			queue = append(queue, next)
		}
	}
	for len(queue) > 0 {
		value := queue[0]
		queue = queue[1:]
		if value.Referrers() == nil {
			continue
		}
		for _, user := range *value.Referrers() {
			if visit(user, value) {
				return true
			}
			switch user := user.(type) {
			case *ssa.Phi:
				add(user)
			case *ssa.MakeInterface:
				add(user)
			case *ssa.ChangeType:
				add(user)
			case *ssa.ChangeInterface:
				add(user)
			case *ssa.Store:
				if user.Val != value {
					continue
				}
				for _, load := range loadsOf(user.Addr) {
					add(load)
				}
				if alloc, ok := user.Addr.(*ssa.Alloc); ok {
					add(alloc)
				}
			}
		}
	}
	return false
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

// decides reports whether a value is looked at in its function: compared and branched on, or kept. What is returned is left to the caller, and a log line decides nothing.
func decides(v ssa.Value) bool {
	for _, step := range derived(v) {
		for _, user := range *step.Referrers() {
			switch user := user.(type) {
			case *ssa.If, *ssa.MapUpdate, *ssa.Send:
				return true
			case *ssa.Store:
				if _, isField := user.Addr.(*ssa.FieldAddr); isField && user.Val == step {
					return true
				}
			}
		}
	}
	return false
}

// derived gives a value and what is worked out of it: comparisons, conversions, negations, wherever they are stored.
func derived(v ssa.Value) []ssa.Value {
	out := []ssa.Value{v}
	seen := map[ssa.Value]bool{v: true}
	for i := 0; i < len(out) && len(out) < maxForward; i++ {
		forward(out[i], func(user ssa.Instruction, value ssa.Value) bool {
			var next ssa.Value
			switch user := user.(type) {
			case *ssa.BinOp:
				next = user
			case *ssa.Convert:
				next = user
			case *ssa.UnOp:
				next = user
			case *ssa.Phi:
				next = user
			case *ssa.ChangeType:
				next = user
			case *ssa.Store:
				if user.Val == value {
					for _, load := range loadsOf(user.Addr) {
						if !seen[load] {
							seen[load] = true
							out = append(out, load)
						}
					}
				}
			}
			if next != nil && !seen[next] && next.Referrers() != nil {
				seen[next] = true
				out = append(out, next)
			}
			return false
		})
	}
	return out
}

// scanned reports whether Scan is called on a row and its error is taken.
func scanned(row ssa.Value) bool {
	for _, call := range methodsOn(row) {
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
			if !slices.Contains(out, i) && comesFrom(returned, sources) {
				out = append(out, i)
			}
		}
	}
	return out
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
func comesFrom(v ssa.Value, sources []ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if v == nil {
			return false
		}
		v = program.Resolve(v)
		if slices.Contains(sources, v) {
			return true
		}
		if seen[v] || len(seen) >= maxForward {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.BinOp:
			return visit(v.X) || visit(v.Y)
		case *ssa.UnOp:
			if alloc, ok := program.Cell(v.X).(*ssa.Alloc); ok {
				return slices.ContainsFunc(program.Stores(alloc), func(store *ssa.Store) bool { return visit(store.Val) })
			}
			return visit(v.X)
		case *ssa.Convert:
			return visit(v.X)
		case *ssa.Extract:
			return v.Index == 0 && visit(v.Tuple)
		case *ssa.Phi:
			return slices.ContainsFunc(v.Edges, visit)
		case *ssa.Call:
			base := receiver(v)
			return base != nil && visit(base) || slices.ContainsFunc(arguments(v), visit)
		}
		return false
	}
	return visit(v)
}

// readOutcome marks an access of a callee whose outcome the caller reads.
func (p *Result) readOutcome(access *Access, call ssa.CallInstruction) {
	for _, i := range access.Outcome {
		value := result(call, i)
		if value == nil {
			continue
		}
		if isResult(value.Type()) && p.affectedRead(value) || !isResult(value.Type()) && decides(value) {
			access.Guard |= ResultRead
			return
		}
	}
}

// isResult reports whether a type is a library's result of Exec.
func isResult(t types.Type) bool {
	return isType(t, "database/sql", "Result") || isType(t, pgxPath+"/pgconn", "CommandTag")
}
