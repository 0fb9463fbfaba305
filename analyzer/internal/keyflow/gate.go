package keyflow

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/names"
)

// relevant is the gate in front of the SSA form: it reports whether anything in the package can have to do with keys. It looks at imports first, then at the names that the package uses.
func (r *Result) relevant() bool {
	pass := r.pass
	if isStandardLibrary(pass.Pkg.Path()) && (pass.Module == nil || pass.Module.Path == "" || pass.Module.Path == "std") {
		return false
	}
	known := r.program.ImportsAny(known.Relevant) || len(r.config.Mints) > 0 || len(r.config.Retries) > 0
	for _, imported := range pass.Pkg.Imports() {
		known = known || pass.ImportPackageFact(imported, new(Touches))
	}
	if !known {
		return r.callsParameterInLoop()
	}
	for _, used := range pass.TypesInfo.Uses {
		if r.matters(used) {
			return true
		}
	}
	return r.namesKeys() || r.callsParameterInLoop()
}

func isStandardLibrary(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// matters reports whether an object that a package uses mints, sends or retries. The clock is left out: everybody reads it, and a key made of it still has to be sent by someone.
func (r *Result) matters(used types.Object) bool {
	switch used := used.(type) {
	case *types.Func:
		fn := used.Origin()
		if _, quality, ok := known.Mint(fn); ok && Quality(quality).Fresh() && Quality(quality) != Clock {
			return true
		}
		if _, _, ok := known.MintsInto(fn); ok {
			_, conditional := known.MintSource(fn)
			return !conditional
		}
		if _, ok := known.RetryOf(fn); ok {
			return true
		}
		if isHouse(r.config.Mints, fn) || isHouse(r.config.Retries, fn) {
			return true
		}
		if sink, ok := known.SinkOf(fn); ok && sink.Name == noName {
			return true
		}
		if fn.Pkg() == nil || fn.Pkg() == r.program.Pass.Pkg {
			return false
		}
		return r.importFact(fn, new(SendsKey)) || r.importFact(fn, new(Retries)) || r.importFact(fn, new(Mints))
	case *types.Var:
		return known.IsRandomReader(used)
	}
	return false
}

// namesKeys reports whether the package names an idempotency key: in an identifier or in a text.
func (r *Result) namesKeys() bool {
	found := false
	for _, file := range r.program.Pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Ident:
				found = found || len(n.Name) > 5 && r.names.IsKey(n.Name)
			case *ast.BasicLit:
				found = found || len(n.Value) > 7 && len(n.Value) < 60 && r.names.IsKey(strings.Trim(n.Value, "\"`"))
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// callsParameterInLoop reports whether a function calls a parameter of its own in a loop that has a sign of a retry: a helper like those of the libraries, which may be the only thing that a package is for.
func (r *Result) callsParameterInLoop() bool {
	for _, file := range r.program.Pass.Files {
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if ok && decl.Body != nil && retryShaped(decl) {
				return true
			}
		}
	}
	return false
}

func retryShaped(decl *ast.FuncDecl) bool {
	given := map[string]bool{}
	for _, field := range decl.Type.Params.List {
		for _, name := range field.Names {
			given[name.Name] = true
		}
	}
	if len(given) == 0 {
		return false
	}
	calls, hint := false, names.IsRetryFunc(decl.Name.Name)
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		default:
			return true
		}
		ast.Inspect(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				calls = calls || given[fun.Name]
				hint = hint || namesWait(fun.Name)
			case *ast.SelectorExpr:
				// args.Func()
				holder, ok := fun.X.(*ast.Ident)
				calls = calls || ok && given[holder.Name]
				hint = hint || namesWait(fun.Sel.Name) || fun.Sel.Name == "After" || fun.Sel.Name == "NewTimer"
			}
			return true
		})
		hint = hint || mentionsAttempt(n)
		return true
	})
	return calls && hint
}
