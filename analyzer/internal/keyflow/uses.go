package keyflow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// use is an instruction that does something with a value.
type use struct {
	instruction ssa.Instruction
	value       ssa.Value // the value, as the instruction sees it
}

// maxUses bounds the walk over uses; a key or a request has a handful.
const maxUses = 400

// uses gives what is done with a value: through slices of it, interfaces around it, and captures by function literals.
func uses(v ssa.Value) []use {
	var found []use
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		referrers := v.Referrers()
		if referrers == nil || seen[v] {
			return
		}
		seen[v] = true
		for _, instruction := range *referrers {
			if len(found) >= maxUses {
				return
			}
			switch x := instruction.(type) {
			case *ssa.Slice:
				if x.X == v {
					visit(x)
				}
			case *ssa.MakeInterface:
				visit(x)
			case *ssa.ChangeInterface:
				visit(x)
			case *ssa.ChangeType:
				visit(x)
			case *ssa.MakeClosure:
				for i, bound := range x.Bindings {
					if bound == v {
						visit(x.Fn.(*ssa.Function).FreeVars[i])
					}
				}
			case *ssa.Store:
				found = append(found, use{x, v})
				// p := &T{}: the pointer sits in a variable, and what it points to is used through loads of that.
				if x.Val == v {
					for _, load := range loads(x.Addr) {
						visit(load)
					}
				}
			case *ssa.Phi:
				found = append(found, use{x, v})
			default:
				found = append(found, use{instruction, v})
			}
		}
	}
	visit(v)
	return found
}

// loads gives the reads of a variable that is set once, here and in the literals that capture it.
func loads(address ssa.Value) []ssa.Value {
	cell, ok := program.Cell(address).(*ssa.Alloc)
	if !ok || len(program.Stores(cell)) != 1 {
		return nil
	}
	var found []ssa.Value
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		for _, instruction := range *v.Referrers() {
			switch x := instruction.(type) {
			case *ssa.UnOp:
				if x.Op == token.MUL {
					found = append(found, x)
				}
			case *ssa.MakeClosure:
				for i, bound := range x.Bindings {
					if bound == v {
						visit(x.Fn.(*ssa.Function).FreeVars[i])
					}
				}
			}
		}
	}
	visit(cell)
	return found
}

// loadedCell gives the variable that a value is a read of.
func loadedCell(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	return program.Cell(load.X)
}

// storesInto reports whether v is put into a variable.
func storesInto(cell, v ssa.Value) bool {
	for _, store := range program.Stores(cell) {
		if store.Val == v {
			return true
		}
	}
	return false
}
