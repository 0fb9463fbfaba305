package program

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Callee is what a call reaches, as far as one package can tell.
type Callee struct {
	// Func is the declared function or method, the generic one for an instance; nil for a function literal or a value that is not known.
	Func *types.Func
	// Body is the function's SSA when it is in the package under analysis, also for function literals.
	Body *ssa.Function
	// Interface is the interface's method when Func was chosen because only one type in view implements it, or when nothing could be chosen (then Func is nil).
	Interface *types.Func
}

// Callee resolves a call: static calls, calls of function literals and method values held in a variable that is set once, and interface methods with exactly one implementation among the types of this package and of the imports that belong to the same module.
func (p *Package) Callee(call *ssa.CallCommon) Callee {
	if call.IsInvoke() {
		method := call.Method.Origin()
		if implementation := p.soleImplementation(method, call.Value.Type()); implementation != nil {
			return Callee{Func: implementation, Body: p.body(implementation), Interface: method}
		}
		return Callee{Interface: method}
	}
	return p.Function(call.Value)
}

// Function tells which function a value is: the callback given to a retry helper, say.
func (p *Package) Function(v ssa.Value) Callee {
	switch v := Resolve(v).(type) {
	case *ssa.Function:
		return p.callee(v)
	case *ssa.MakeClosure:
		return p.callee(v.Fn.(*ssa.Function))
	}
	return Callee{}
}

func (p *Package) callee(fn *ssa.Function) Callee {
	object, _ := fn.Object().(*types.Func)
	if object == nil {
		return Callee{Body: fn}
	}
	object = object.Origin()
	return Callee{Func: object, Body: p.body(object)}
}

func (p *Package) body(object *types.Func) *ssa.Function {
	if object.Pkg() != p.Pass.Pkg || p.ssa == nil {
		return nil
	}
	fn := p.ssa.Prog.FuncValue(object)
	if fn == nil || len(fn.Blocks) == 0 {
		return nil
	}
	return fn
}

func (p *Package) soleImplementation(method *types.Func, of types.Type) *types.Func {
	if known, ok := p.implementers.Load(method); ok {
		return known.(*types.Func)
	}
	found := p.findSoleImplementation(method, of)
	p.implementers.Store(method, found)
	return found
}

func (p *Package) findSoleImplementation(method *types.Func, of types.Type) *types.Func {
	iface, ok := of.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || p.ofStandardLibrary(method) {
		return nil
	}
	var found *types.Func
	for _, named := range p.concreteTypes() {
		pointer := types.NewPointer(named)
		// Asked first because it is cheap: hardly any type has a method of that name.
		object, _, _ := types.LookupFieldOrMethod(pointer, true, method.Pkg(), method.Name())
		implementation, ok := object.(*types.Func)
		if !ok || !types.Implements(pointer, iface) {
			continue
		}
		if found != nil {
			return nil // two: no telling which
		}
		found = implementation.Origin()
	}
	return found
}

// ofStandardLibrary reports whether a method belongs to an interface of the standard library, or to error: everybody implements those, so that one type in view says nothing.
func (p *Package) ofStandardLibrary(method *types.Func) bool {
	if method.Pkg() == nil {
		return true
	}
	path := method.Pkg().Path()
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && !within(path, p.modulePath())
}

// concreteTypes gives the types, in view of the package, that an interface's method may belong to.
func (p *Package) concreteTypes() []*types.Named {
	p.concreteOnce.Do(func() {
		for _, pkg := range p.sameModule() {
			scope := pkg.Scope()
			for _, name := range scope.Names() {
				typeName, ok := scope.Lookup(name).(*types.TypeName)
				if !ok || typeName.IsAlias() || p.standIn(typeName) {
					continue
				}
				named, ok := typeName.Type().(*types.Named)
				if !ok || named.TypeParams().Len() > 0 || types.IsInterface(named) {
					continue
				}
				p.concrete = append(p.concrete, named)
			}
		}
	})
	return p.concrete
}

// standIn reports whether a type takes another one's place in tests, so that it says nothing of what a call reaches.
func (p *Package) standIn(typeName *types.TypeName) bool {
	if strings.HasSuffix(p.Pass.Fset.Position(typeName.Pos()).Filename, "_test.go") {
		return true
	}
	name, pkg := strings.ToLower(typeName.Name()), typeName.Pkg().Name()
	for _, sign := range []string{"mock", "fake", "stub", "noop", "dummy"} {
		if strings.HasPrefix(name, sign) || strings.HasSuffix(name, sign) || strings.HasPrefix(pkg, sign) || strings.HasSuffix(pkg, sign+"s") || strings.HasSuffix(pkg, sign) {
			return true
		}
	}
	return false
}

// sameModule gives the package under analysis and those of its imports that belong to the same module.
func (p *Package) sameModule() []*types.Package {
	module := p.modulePath()
	packages := []*types.Package{p.Pass.Pkg}
	for _, imported := range p.Pass.Pkg.Imports() {
		if within(imported.Path(), module) {
			packages = append(packages, imported)
		}
	}
	return packages
}

// modulePath gives the path of the module under analysis. Without module information the first path element decides.
func (p *Package) modulePath() string {
	if p.Pass.Module != nil && p.Pass.Module.Path != "" {
		return p.Pass.Module.Path
	}
	first, _, _ := strings.Cut(p.Pass.Pkg.Path(), "/")
	return first
}

// within reports whether a package path belongs to a module.
func within(path, module string) bool { return path == module || strings.HasPrefix(path, module+"/") }
