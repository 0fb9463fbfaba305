package program

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer gives a [*Package]. It has no facts and builds nothing by itself, so that the driver's walk over the whole import closure costs next to nothing.
var Analyzer = &analysis.Analyzer{
	Name:       "idemvetprogram",
	Doc:        "prepare the SSA form of a package for idemvet's passes",
	Run:        func(pass *analysis.Pass) (any, error) { return &Package{Pass: pass}, nil },
	ResultType: reflect.TypeFor[*Package](),
}

// Package is one package under analysis. Its methods may be called by several passes at once.
//
// x/tools' buildssa is not used because it builds every package of the import closure as soon as one analyzer with facts requires it; most
// packages never get that far here.
type Package struct {
	Pass *analysis.Pass

	build sync.Once
	ssa   *ssa.Package
	funcs []*ssa.Function

	implementers sync.Map // *types.Func of an interface -> *types.Func or nil
	concreteOnce sync.Once
	concrete     []*types.Named // what an interface's method may belong to
}

// Of gives the package of a pass that requires [Analyzer].
func Of(pass *analysis.Pass) *Package { return pass.ResultOf[Analyzer].(*Package) }

// ImportsAny reports whether the package imports, directly, a package for which match is true. It is the gate in front of everything that costs: match gets import paths as they are written in types, without vendor prefixes.
func (p *Package) ImportsAny(match func(path string) bool) bool {
	for _, imported := range p.Pass.Pkg.Imports() {
		if match(imported.Path()) {
			return true
		}
	}
	return false
}

// Functions gives every function, method and function literal of the package that has a body, in source order, each literal after the function that holds it.
// The first call builds the SSA form.
func (p *Package) Functions() []*ssa.Function {
	p.build.Do(p.buildSSA)
	return p.funcs
}

// Built reports whether the SSA form was built. The tests of gates look at it, when the analysis is over.
func (p *Package) Built() bool { return p.ssa != nil }

func (p *Package) buildSSA() {
	// Without bare initialisers each import would have to be there.
	prog := ssa.NewProgram(p.Pass.Fset, ssa.BareInits)
	prog.SetNoReturn(neverReturns)
	for _, imported := range p.referredTo() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	p.ssa = prog.CreatePackage(p.Pass.Pkg, p.Pass.Files, p.Pass.TypesInfo, false)
	p.ssa.Build()

	for _, file := range p.Pass.Files {
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			object, ok := p.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			if fn := prog.FuncValue(object); fn != nil {
				p.add(fn)
			}
		}
	}
	// Literals in package-level variables hang below the synthetic initialiser.
	if initialiser := p.ssa.Func("init"); initialiser != nil {
		for _, literal := range initialiser.AnonFuncs {
			p.add(literal)
		}
	}
}

// referredTo gives the imports whose functions or variables the package names. Of the others, the types and their methods are all that is needed, and x/tools makes methods as they are called; to make the members of a whole package costs more than to read a small one that imports it.
func (p *Package) referredTo() []*types.Package {
	named := map[*types.Package]bool{}
	for _, used := range p.Pass.TypesInfo.Uses {
		switch used := used.(type) {
		case *types.Func:
			if used.Signature().Recv() == nil {
				named[used.Pkg()] = true
			}
		case *types.Var:
			if !used.IsField() && used.Pkg() != nil && used.Parent() == used.Pkg().Scope() {
				named[used.Pkg()] = true
			}
		}
	}
	var packages []*types.Package
	for _, imported := range p.Pass.Pkg.Imports() {
		if named[imported] {
			packages = append(packages, imported)
		}
	}
	return packages
}

func (p *Package) add(fn *ssa.Function) {
	p.funcs = append(p.funcs, fn)
	for _, literal := range fn.AnonFuncs {
		p.add(literal)
	}
}

// neverReturns knows the calls that end a path by convention. ctrlflow would infer them for every function at the price of a control-flow graph of every package in the closure.
func neverReturns(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	name := fn.Name()
	switch fn.Pkg().Path() {
	case "os":
		return name == "Exit"
	case "runtime":
		return name == "Goexit"
	case "log", "github.com/sirupsen/logrus", "go.uber.org/zap":
		return strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")
	case "testing":
		return strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Skip") || name == "FailNow"
	}
	return false
}
