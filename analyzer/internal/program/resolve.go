package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// resolveDepth bounds the walk through conversions and variables; real code needs four or five steps.
const resolveDepth = 32

// Resolve walks from a value to what it stands for without leaving the function and the functions that hold it: through conversions, interface boxing, local variables that are set once, and variables captured by a function literal.
// Where a variable has several values, the load is returned as it is.
func Resolve(v ssa.Value) ssa.Value {
	for range resolveDepth {
		next := resolveStep(v)
		if next == nil {
			return v
		}
		v = next
	}
	return v
}

func resolveStep(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return v.X
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if stored := soleStore(Cell(v.X)); stored != nil {
				return stored
			}
		}
	case *ssa.FreeVar:
		return Binding(v)
	case *ssa.Phi:
		return sameEdges(v)
	}
	return nil
}

// Cell follows a captured variable back to the allocation in the function that declares it; any other value is returned as it is.
func Cell(v ssa.Value) ssa.Value {
	for {
		free, ok := v.(*ssa.FreeVar)
		if !ok {
			return v
		}
		bound := Binding(free)
		if bound == nil {
			return v
		}
		v = bound
	}
}

// Binding gives the value that a captured variable has where the literal is made; nil when the literal is made in several places with different ones.
func Binding(free *ssa.FreeVar) ssa.Value {
	fn := free.Parent()
	index := -1
	for i, candidate := range fn.FreeVars {
		if candidate == free {
			index = i
		}
	}
	if index < 0 || fn.Parent() == nil {
		return nil
	}
	var bound ssa.Value
	for _, referrer := range *fn.Referrers() {
		closure, ok := referrer.(*ssa.MakeClosure)
		if !ok || closure.Fn != fn {
			continue
		}
		if bound != nil && bound != closure.Bindings[index] {
			return nil
		}
		bound = closure.Bindings[index]
	}
	return bound
}

// Stores gives what is stored in a local variable, in its function and in the literals that capture it.
func Stores(cell ssa.Value) []*ssa.Store {
	var stores []*ssa.Store
	eachStore(cell, func(store *ssa.Store) bool {
		stores = append(stores, store)
		return true
	})
	return stores
}

// eachStore visits what Stores gives, until visit says that it has seen enough.
func eachStore(address ssa.Value, visit func(*ssa.Store) bool) bool {
	if address == nil {
		return true
	}
	referrers := address.Referrers()
	if referrers == nil {
		return true
	}
	for _, referrer := range *referrers {
		switch referrer := referrer.(type) {
		case *ssa.Store:
			if referrer.Addr == address && !visit(referrer) {
				return false
			}
		case *ssa.MakeClosure:
			for i, bound := range referrer.Bindings {
				if bound == address && !eachStore(referrer.Fn.(*ssa.Function).FreeVars[i], visit) {
					return false
				}
			}
		}
	}
	return true
}

// soleStore gives the value of a variable that is set once. It stops at the second store: a variable of a long function can have thousands.
func soleStore(cell ssa.Value) ssa.Value {
	if _, ok := cell.(*ssa.Alloc); !ok {
		return nil
	}
	var stored []ssa.Value
	eachStore(cell, func(store *ssa.Store) bool {
		stored = append(stored, store.Val)
		return len(stored) < 2
	})
	if len(stored) != 1 {
		return nil
	}
	return stored[0]
}

func sameEdges(phi *ssa.Phi) ssa.Value {
	var same ssa.Value
	for _, edge := range phi.Edges {
		if edge == phi {
			continue
		}
		if same != nil && same != edge {
			return nil
		}
		same = edge
	}
	return same
}
