package program

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Receiver gives the value that a method is called on, in each form that Go has for a call: x.M(), a method value x.M that is held in a variable, a method expression T.M, a method of an interface. It is nil for a call of a function.
func Receiver(call *ssa.CallCommon) ssa.Value {
	if call.IsInvoke() {
		return call.Value
	}
	switch fn := called(call); {
	case fn == nil:
	case isBound(fn):
		if closure, ok := Resolve(call.Value).(*ssa.MakeClosure); ok && len(closure.Bindings) == 1 {
			return closure.Bindings[0]
		}
	case receiverFirst(fn) && len(call.Args) > 0:
		return call.Args[0]
	}
	return nil
}

// Arguments gives the arguments of a call as they are written, without the receiver.
func Arguments(call *ssa.CallCommon) []ssa.Value {
	if fn := called(call); !call.IsInvoke() && fn != nil && receiverFirst(fn) && len(call.Args) > 0 {
		return call.Args[1:]
	}
	return call.Args
}

// Argument gives one argument, counted without the receiver; nil when there are not so many.
func Argument(call *ssa.CallCommon, index int) ssa.Value {
	args := Arguments(call)
	if index < 0 || index >= len(args) {
		return nil
	}
	return args[index]
}

// maxElements bounds the lists that are read: longer ones are data.
const maxElements = 256

// Elements gives the values of a slice that is made in place, as for a variadic parameter; nil when it comes from elsewhere. Those that are not set are nil.
func Elements(slice ssa.Value) []ssa.Value {
	made, ok := Resolve(slice).(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := made.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	pointer, ok := array.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	of, ok := pointer.Elem().Underlying().(*types.Array)
	if !ok || of.Len() > maxElements {
		return nil
	}
	values := make([]ssa.Value, of.Len())
	for _, referrer := range *array.Referrers() {
		address, ok := referrer.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		index, ok := Resolve(address.Index).(*ssa.Const)
		if !ok || index.Value == nil {
			continue
		}
		at, exact := constant.Int64Val(index.Value)
		if !exact || at < 0 || at >= of.Len() {
			continue
		}
		for _, use := range *address.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == address {
				values[at] = store.Val
			}
		}
	}
	return values
}

// called gives the function that a call runs, also one that is held in a variable which is set once.
func called(call *ssa.CallCommon) *ssa.Function {
	switch v := Resolve(call.Value).(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		fn, _ := v.Fn.(*ssa.Function)
		return fn
	}
	return nil
}

// isBound reports whether a function is the one that x/tools makes of a method value: it has captured its receiver.
func isBound(fn *ssa.Function) bool { return isMethod(fn) && len(fn.FreeVars) == 1 }

// receiverFirst reports whether the first parameter of a function in the SSA form is the receiver: of a method, and of the function that a method expression is.
func receiverFirst(fn *ssa.Function) bool {
	return fn.Signature.Recv() != nil || isMethod(fn) && len(fn.FreeVars) == 0
}

// isMethod reports whether a function stands for a declared method, whatever its own signature says.
func isMethod(fn *ssa.Function) bool {
	object, ok := fn.Object().(*types.Func)
	return ok && object.Signature().Recv() != nil
}

// PathOf gives the import path of the package that declares a function; "" for nil and for functions that x/tools made. fn.Pkg does not tell for methods of imports.
func PathOf(fn *ssa.Function) string {
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return ""
	}
	return fn.Object().Pkg().Path()
}
