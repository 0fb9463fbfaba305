package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const runtimePath = "github.com/idemgen/idemgen/runtime"

// runtimeLibrary knows our own runtime: the transactions that it hands to handlers.
type runtimeLibrary struct{}

func (runtimeLibrary) imports(path string) bool {
	return path == runtimePath || strings.HasPrefix(path, runtimePath+"/")
}

func (runtimeLibrary) connection(types.Type) ConnKind { return UnknownConn }

func (runtimeLibrary) accesses(*Result, ssa.CallInstruction, *types.Func) []Access { return nil }

func (runtimeLibrary) transaction(_ *Result, call ssa.CallInstruction, fn *types.Func) *event {
	if packagePath(fn) != runtimePath {
		return nil
	}
	for _, arg := range arguments(call) {
		signature, ok := arg.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		for i := range signature.Params().Len() {
			if kind, _ := connection(signature.Params().At(i).Type()); kind == Tx {
				return &event{kind: runs, callback: arg, callbackTx: i, runtime: true}
			}
		}
	}
	return nil
}

func (runtimeLibrary) duplicate(types.Object) bool { return false }

// ofRuntime reports whether a connection is a transaction that our runtime gives to a literal, or to a function that is called.
func (p *Result) ofRuntime(e Executor) bool {
	parameter, ok := e.Value.(*ssa.Parameter)
	if !ok {
		return e.Runtime
	}
	run := p.runs[parameter.Parent()]
	return run != nil && run.runtime && run.tx == parameter
}

// handler reports whether a method is one that generated code calls with the transaction of the idempotency record: it implements the generated interface.
func (p *Result) handler(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil {
		return false
	}
	of := named(recv.Type())
	if of == nil || of.TypeParams().Len() > 0 {
		return false
	}
	for _, pkg := range append([]*types.Package{p.pass.Pkg}, p.pass.Pkg.Imports()...) {
		generated := handlersOf(pkg)
		if generated == nil || !types.Implements(types.NewPointer(of), generated) {
			continue
		}
		if method, _, _ := types.LookupFieldOrMethod(generated, true, fn.Pkg.Pkg, fn.Name()); method != nil {
			return true
		}
	}
	return false
}

// handlersOf gives the interface that a generated package asks its user to implement; nil when the package is not a generated one.
func handlersOf(pkg *types.Package) *types.Interface {
	object, ok := pkg.Scope().Lookup("Handlers").(*types.TypeName)
	if !ok {
		return nil
	}
	generated, ok := object.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for _, imported := range pkg.Imports() {
		if imported.Path() == runtimePath {
			return generated
		}
	}
	return nil
}
