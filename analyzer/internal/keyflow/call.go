package keyflow

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// argument gives an argument as the tables of package known count: -1 is the receiver, 0 the first argument. nil when there is none.
func argument(call *ssa.CallCommon, index int) ssa.Value {
	args := arguments(call)
	if hasReceiver(call) {
		index++
	}
	if index < 0 || index >= len(args) {
		return nil
	}
	return args[index]
}

// arguments gives all arguments, the receiver first, as the facts of this package count.
func arguments(call *ssa.CallCommon) []ssa.Value {
	if call.IsInvoke() {
		return append([]ssa.Value{call.Value}, call.Args...)
	}
	if bound := boundReceiver(call.Value); bound != nil {
		return append([]ssa.Value{bound}, call.Args...)
	}
	return call.Args
}

func hasReceiver(call *ssa.CallCommon) bool {
	if call.IsInvoke() {
		return true
	}
	if boundReceiver(call.Value) != nil {
		return true
	}
	callee := call.StaticCallee()
	return callee != nil && callee.Signature.Recv() != nil
}

// boundReceiver gives x of a call of a method value x.M that is held in a variable.
func boundReceiver(callee ssa.Value) ssa.Value {
	closure, ok := program.Resolve(callee).(*ssa.MakeClosure)
	if !ok {
		return nil
	}
	fn := closure.Fn.(*ssa.Function)
	if fn.Object() == nil || len(closure.Bindings) != 1 {
		return nil
	}
	return closure.Bindings[0]
}

// declared gives the function that a call names: the one that runs, else the interface's method.
func declared(callee program.Callee) *types.Func {
	if callee.Func != nil {
		return callee.Func
	}
	return callee.Interface
}

// parameter gives a parameter of a callee's signature as the facts count, nil for a receiver or none.
func parameter(fn *types.Func, index int) *types.Var {
	signature, ok := fn.Type().(*types.Signature)
	if !ok {
		return nil
	}
	if signature.Recv() != nil {
		index--
	}
	if index < 0 || index >= signature.Params().Len() {
		return nil
	}
	return signature.Params().At(index)
}

// step names a function and a place in it for a path: "ids.New (ids.go:12)".
func (r *Result) step(fn *types.Func, at token.Pos) string {
	position := r.program.Pass.Fset.Position(at)
	name := shortName(fn)
	if !position.IsValid() {
		return name
	}
	return fmt.Sprintf("%s (%s:%d)", name, filepath.Base(position.Filename), position.Line)
}

// shortName is how a reader calls a function: package and name, or type and name.
func shortName(fn *types.Func) string {
	signature, ok := fn.Type().(*types.Signature)
	if ok && signature.Recv() != nil {
		if named := namedOf(signature.Recv().Type()); named != nil {
			return named.Obj().Name() + "." + fn.Name()
		}
		return fn.Name()
	}
	if fn.Pkg() == nil {
		return fn.Name()
	}
	return fn.Pkg().Name() + "." + fn.Name()
}

func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// longer puts a step in front of a path and keeps the path short: the first steps and the last, which is the mint.
func longer(step string, path []string) []string {
	out := append([]string{step}, path...)
	if len(out) > maxPath {
		out = append(out[:maxPath-1:maxPath-1], out[len(out)-1])
	}
	return out
}
