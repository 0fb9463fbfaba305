package storeflow

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// receiver gives the value that a method is called on; nil for a function.
func receiver(call ssa.CallInstruction) ssa.Value { return program.Receiver(call.Common()) }

// arguments gives the arguments as they are written, without the receiver.
func arguments(call ssa.CallInstruction) []ssa.Value { return program.Arguments(call.Common()) }

// argument gives one argument; nil when there are not so many.
func argument(call ssa.CallInstruction, index int) ssa.Value {
	return program.Argument(call.Common(), index)
}

// elements gives the values of a slice that is made in place, as for a variadic parameter; nil when it comes from elsewhere.
func elements(slice ssa.Value) []ssa.Value { return program.Elements(slice) }

// result gives the value of a call's result, or nil when nobody takes it.
func result(call ssa.CallInstruction, index int) ssa.Value {
	value := call.Value()
	if value == nil {
		return nil
	}
	if _, isTuple := value.Type().(*types.Tuple); !isTuple {
		if index == 0 {
			return value
		}
		return nil
	}
	for _, referrer := range *value.Referrers() {
		if extract, ok := referrer.(*ssa.Extract); ok && extract.Index == index {
			return extract
		}
	}
	return nil
}

// named gives the named type behind pointers and aliases; nil for others.
func named(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// isType reports whether t is, behind a pointer, the type of that name in a package whose path without major version is path.
func isType(t types.Type, path, name string) bool {
	n := named(t)
	return n != nil && n.Obj().Name() == name && n.Obj().Pkg() != nil && known.Path(n.Obj().Pkg().Path()) == path
}

// isFunc reports whether fn is the function, or a method, of that name in the package.
func isFunc(fn *types.Func, path, name string) bool {
	return fn != nil && fn.Name() == name && packagePath(fn) == path
}

// packagePath is the path of an object's package without its major version; empty for universe objects.
func packagePath(object types.Object) string {
	if fn, ok := object.(*types.Func); object == nil || ok && fn == nil || object.Pkg() == nil {
		return ""
	}
	return known.Path(object.Pkg().Path())
}

// constantText gives the value of a constant string.
func constantText(v ssa.Value) (string, bool) {
	if v == nil {
		return "", false
	}
	c, ok := program.Resolve(v).(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Value), true
}

// constantInt gives the value of a constant integer.
func constantInt(v ssa.Value) (int64, bool) {
	if v == nil {
		return 0, false
	}
	c, ok := program.Resolve(v).(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

// literalField gives what a struct literal, by value or by pointer, stores in a field; nil when it is not set, or not in view.
func literalField(v ssa.Value, field string) ssa.Value {
	if v == nil {
		return nil
	}
	v = program.Resolve(v)
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	alloc, ok := v.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var stored ssa.Value
	for _, referrer := range *alloc.Referrers() {
		address, ok := referrer.(*ssa.FieldAddr)
		if !ok || program.FieldName(address.X.Type(), address.Field) != field {
			continue
		}
		for _, use := range *address.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == address {
				stored = store.Val
			}
		}
	}
	return stored
}

// declared gives the function or method behind a call as it is declared, generic ones for instances; an interface's method for an invocation; nil for values.
func declared(call ssa.CallInstruction) *types.Func {
	common := call.Common()
	if common.IsInvoke() {
		return common.Method.Origin()
	}
	callee := common.StaticCallee()
	if callee == nil {
		return nil
	}
	if callee.Origin() != nil {
		callee = callee.Origin()
	}
	fn, _ := callee.Object().(*types.Func)
	return fn
}
