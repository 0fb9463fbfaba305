package keyflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// Guards gives the values that must be empty or missing for an instruction to be reached: "set it only if it is not there". It looks at the branches of the instruction's own function that lead to it.
func Guards(instruction ssa.Instruction) []ssa.Value {
	var checked []ssa.Value
	block := instruction.Block()
	if block == nil {
		return nil
	}
	for b := block; b != nil; b = b.Idom() {
		checked = append(checked, branchedOn(b)...)
	}
	// sync.Once.Do(func() { ... }) runs once, whatever is around it.
	if fn := instruction.Parent(); fn.Parent() != nil {
		for _, site := range callSites(fn) {
			call, ok := site.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if callee := call.Common().StaticCallee(); callee != nil && isOnce(callee) {
				checked = append(checked, call.Common().Args[0])
			}
		}
	}
	return checked
}

// branchedOn gives what is absent when a block is entered. Several branches may lead there, as in if a == "" || len(a) > 40; a way in without a branch says nothing.
func branchedOn(b *ssa.BasicBlock) []ssa.Value {
	var checked []ssa.Value
	for _, pred := range b.Preds {
		if b.Dominates(pred) {
			continue // the next turn of a loop
		}
		branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If)
		if !ok || pred.Succs[0] == pred.Succs[1] {
			return nil
		}
		if v := absent(branch.Cond, pred.Succs[0] == b, 0); v != nil {
			checked = append(checked, v)
		}
	}
	return checked
}

func isOnce(fn *ssa.Function) bool {
	declared, _ := fn.Object().(*types.Func)
	if declared == nil || declared.Pkg() == nil || declared.Pkg().Path() != "sync" {
		return false
	}
	return declared.Name() == "Do" || strings.HasPrefix(declared.Name(), "OnceValue")
}

// absent gives the value that is empty or missing when cond is as told; nil when cond says no such thing.
func absent(cond ssa.Value, holds bool, depth int) ssa.Value {
	if depth > 8 {
		return nil
	}
	switch v := cond.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return absent(v.X, !holds, depth+1)
		}
	case *ssa.BinOp:
		return absentByComparison(v, holds)
	case *ssa.Extract:
		// _, ok := m[k]; v, ok := x.(T); key, ok := KeyFrom(ctx)
		if v.Index > 0 && !holds && isBool(v.Type()) {
			return v
		}
	case *ssa.Call:
		if !isBool(v.Type()) {
			return nil
		}
		name := strings.ToLower(calledName(&v.Call))
		switch {
		case !holds && (strings.HasPrefix(name, "has") || strings.HasPrefix(name, "contains") || strings.HasPrefix(name, "isset") || strings.HasPrefix(name, "exists") || name == "valid" || name == "ok"):
			return v
		case holds && (strings.HasPrefix(name, "isempty") || strings.HasPrefix(name, "iszero") || strings.HasPrefix(name, "isnil") || strings.HasPrefix(name, "isnull") || strings.HasPrefix(name, "missing") || strings.HasPrefix(name, "needs") || name == "empty"):
			return v
		case holds && strings.HasPrefix(name, "equal"):
			return v
		}
	case *ssa.Phi:
		// a && b as a value
		for _, edge := range v.Edges {
			if _, constant := edge.(*ssa.Const); constant {
				continue
			}
			if checked := absent(edge, holds, depth+1); checked != nil {
				return checked
			}
		}
	}
	return nil
}

// calledName is the name of what a call names, without its package.
func calledName(call *ssa.CallCommon) string {
	if call.IsInvoke() {
		return call.Method.Name()
	}
	if callee := call.StaticCallee(); callee != nil {
		if declared := callee.Object(); declared != nil {
			return declared.Name()
		}
	}
	return ""
}

func absentByComparison(v *ssa.BinOp, holds bool) ssa.Value {
	x, y := v.X, v.Y
	if _, ok := x.(*ssa.Const); ok {
		x, y = y, x
	}
	bound, ok := y.(*ssa.Const)
	if !ok {
		if zeroVariable(y) && equalWhen(v.Op, holds) {
			return x // id == uuid.Nil
		}
		return nil
	}
	if isError(x.Type()) {
		return nil // err == nil says nothing about a key
	}
	if length := lengthOf(x); length != nil {
		n, exact := constant.Int64Val(constant.ToInt(constantOr(bound)))
		if !exact {
			return nil
		}
		switch {
		case n == 0 && equalWhen(v.Op, holds),
			n == 0 && (v.Op == token.GTR && !holds || v.Op == token.LEQ && holds),
			n == 1 && (v.Op == token.LSS && holds || v.Op == token.GEQ && !holds):
			return length
		}
		return nil
	}
	if !isZero(bound) || !equalWhen(v.Op, holds) {
		return nil
	}
	return x
}

func constantOr(c *ssa.Const) constant.Value {
	if c.Value == nil {
		return constant.MakeUnknown()
	}
	return c.Value
}

func equalWhen(op token.Token, holds bool) bool {
	return op == token.EQL && holds || op == token.NEQ && !holds
}

// isZero reports whether a constant is nil, "", 0 or the zero of a struct or an array; false says nothing.
func isZero(c *ssa.Const) bool {
	if c.Value == nil {
		return true
	}
	switch c.Value.Kind() {
	case constant.String:
		return constant.StringVal(c.Value) == ""
	case constant.Int:
		return constant.Sign(c.Value) == 0
	}
	return false
}

// zeroVariable recognises the package-level zeros of identifier packages: uuid.Nil, ksuid.Nil, ulid.Zero.
func zeroVariable(v ssa.Value) bool {
	load, ok := program.Resolve(v).(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && slices.Contains([]string{"Nil", "Zero", "Empty", "NilObjectID"}, global.Name())
}

func lengthOf(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || len(call.Call.Args) != 1 {
		return nil
	}
	if builtin, ok := call.Call.Value.(*ssa.Builtin); ok && builtin.Name() == "len" {
		return call.Call.Args[0]
	}
	return nil
}

func isBool(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

func isError(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == nil && named.Obj().Name() == "error"
}

// Root walks from a value to what it is read from: a parameter, a variable, a package-level variable, the call that made the object it belongs to, or a constant. A variable of a loop is its own root.
func Root(v ssa.Value) ssa.Value {
	for range 40 {
		next := rootStep(v)
		if next == nil || next == v {
			return v
		}
		v = next
	}
	return v
}

func rootStep(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return v.X
		}
		if cell, ok := program.Cell(v.X).(*ssa.Alloc); ok {
			// A pointer that is set once is what it points to.
			if stores := program.Stores(cell); len(stores) == 1 && isPointer(stores[0].Val) {
				return stores[0].Val
			}
			return cell
		}
		return v.X
	case *ssa.FreeVar:
		if bound := program.Binding(v); bound != nil {
			return bound
		}
	case *ssa.FieldAddr:
		return v.X
	case *ssa.Field:
		return v.X
	case *ssa.IndexAddr:
		return v.X
	case *ssa.Index:
		return v.X
	case *ssa.Lookup:
		return v.X
	case *ssa.Slice:
		return v.X
	case *ssa.Extract:
		return v.Tuple
	case *ssa.TypeAssert:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.Convert:
		return v.X
	case *ssa.BinOp:
		return v.X
	case *ssa.Phi:
		if !loopHeader(v.Block()) && len(v.Edges) > 0 {
			return v.Edges[0]
		}
	case *ssa.Call:
		return readFrom(&v.Call)
	}
	return nil
}

func isPointer(v ssa.Value) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Interface:
		return true
	}
	return false
}

// readFrom gives what a call reads from: its receiver or first argument. A call that makes something new reads from nothing.
func readFrom(call *ssa.CallCommon) ssa.Value {
	name := strings.ToLower(calledName(call))
	for _, maker := range []string{"new", "make", "build", "create", "clone", "copy", "init", "with", "parse", "generate", "must", "default"} {
		if strings.HasPrefix(name, maker) {
			return nil
		}
	}
	args := arguments(call)
	if len(args) == 0 {
		return nil
	}
	return args[0]
}
