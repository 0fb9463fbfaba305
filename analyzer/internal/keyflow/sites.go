package keyflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// callSites gives the instructions of the function around a literal at which the literal runs: where it is called, deferred, or given to a function that calls it. A literal that is stored away, registered as a handler or started as a goroutine runs at none.
func callSites(literal *ssa.Function) []ssa.Instruction {
	var sites []ssa.Instruction
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		referrers := v.Referrers()
		if referrers == nil || seen[v] || len(sites) > 50 {
			return
		}
		seen[v] = true
		for _, instruction := range *referrers {
			switch x := instruction.(type) {
			case *ssa.MakeClosure:
				if x.Fn == v {
					visit(x)
				}
			case *ssa.ChangeType:
				visit(x)
			case *ssa.MakeInterface:
				visit(x)
			case *ssa.Phi:
				visit(x)
			case *ssa.Store:
				if x.Val == v {
					for _, load := range cellLoads(x.Addr) {
						visit(load)
					}
				}
			case *ssa.Call:
				if runs(&x.Call, v) {
					sites = append(sites, x)
				}
			case *ssa.Defer:
				if runs(&x.Call, v) {
					sites = append(sites, x)
				}
			}
		}
	}
	visit(literal)
	return sites
}

// runs reports whether a call runs the function that it is, or is given.
func runs(call *ssa.CallCommon, fn ssa.Value) bool {
	if call.Value == fn {
		return true
	}
	name := calledName(call)
	for _, later := range []string{"Handle", "Register", "Subscribe", "On", "Use", "Route", "Schedule", "Every", "AfterFunc", "Cron", "Go", "Listen", "Get", "Post", "Put", "Delete", "Patch"} {
		if strings.HasPrefix(name, later) && !strings.HasPrefix(name, "Once") {
			return false
		}
	}
	signature, ok := fn.Type().Underlying().(*types.Signature)
	if !ok {
		return false
	}
	// An http handler is called by a client of its own.
	return !isHTTPHandler(signature)
}

func isHTTPHandler(signature *types.Signature) bool {
	for i := range signature.Params().Len() {
		named := namedOf(signature.Params().At(i).Type())
		if named != nil && named.Obj().Name() == "ResponseWriter" {
			return true
		}
	}
	return false
}

// cellLoads gives the reads of a variable, in its function and in the literals that capture it.
func cellLoads(address ssa.Value) []ssa.Value {
	cell, ok := program.Cell(address).(*ssa.Alloc)
	if !ok {
		return nil
	}
	var found []ssa.Value
	for _, use := range uses(cell) {
		if load, ok := use.instruction.(*ssa.UnOp); ok {
			found = append(found, load)
		}
	}
	return found
}
