package storeflow

import (
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// maxPath bounds the functions between a call and the statement it leads to.
const maxPath = 6

// rounds bounds how often functions that call each other in a circle are read again.
const rounds = 3

func run(pass *analysis.Pass, config *settings.Config) *Result {
	p := &Result{program: program.Of(pass), pass: pass}
	if ofLibraries(pass.Pkg.Path()) {
		return p // what a library's own functions do is in its table
	}
	exportTableNames(pass)
	if generatedByEnt(pass.Pkg) {
		pass.ExportPackageFact(new(Stores)) // what its builders do is in ent's file
		return p
	}
	declares := p.declaresStore()
	if declares {
		pass.ExportPackageFact(new(Stores))
	}
	if !declares && !p.importsStore() {
		return p
	}
	p.relevant = true
	p.guards = make(map[string]bool, len(config.Guards))
	for _, guard := range config.Guards {
		p.guards[guard] = true
	}
	p.build()
	p.export()
	return p
}

// importsStore is the gate: a library of stores, or a package of the same house that is known to touch one.
func (p *Result) importsStore() bool {
	if p.program.ImportsAny(ofLibraries) {
		return true
	}
	for _, imported := range p.pass.Pkg.Imports() {
		if p.sameHouse(imported.Path()) && p.pass.ImportPackageFact(imported, new(Stores)) {
			return true
		}
	}
	return false
}

// ofLibraries reports whether an import path belongs to a library in the table.
func ofLibraries(path string) bool {
	path = known.Path(path)
	for _, lib := range libraries {
		if lib.imports(path) {
			return true
		}
	}
	return false
}

// ofLibrary reports whether a function belongs to a library in the table.
func (p *Result) ofLibrary(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && ofLibraries(fn.Pkg().Path())
}

func (p *Result) build() {
	functions := p.program.Functions()
	p.functions = make(map[*ssa.Function]*function, len(functions))
	p.calls = make(map[ssa.CallInstruction][]Access)
	p.events = make(map[ssa.CallInstruction]*event)
	p.runs = make(map[*ssa.Function]*running)
	p.roles = make(map[*ssa.Function]*Role)
	p.found = make(map[*ssa.Function][]check)
	p.ordered = make(map[*ssa.Function][]ssa.CallInstruction)
	p.handled = make(map[*ssa.Function]map[ssa.Value]bool)
	p.places = make(map[place]ssa.Value)
	p.findFieldKinds(functions)
	p.findRuns()
	p.findDuplicateChecks(functions)
	for range rounds {
		if !p.summarise(functions) {
			break
		}
	}
	for _, fn := range functions {
		known := p.functions[fn]
		known.list = shown(known.list)
	}
	for call, list := range p.calls {
		p.calls[call] = shown(list)
	}
}

// summarise reads every function once, callees first. It reports whether that was not enough: functions that call each other.
func (p *Result) summarise(functions []*ssa.Function) (again bool) {
	before := p.functions
	p.functions = make(map[*ssa.Function]*function, len(functions))
	for _, fn := range functions {
		p.summary(fn, before)
	}
	for fn, now := range p.functions {
		if now.cyclic && (before[fn] == nil || len(before[fn].out) != len(now.out)) {
			again = true
		}
	}
	return again
}

// summary reads a function. In a circle, what the round before found stands in.
func (p *Result) summary(fn *ssa.Function, before map[*ssa.Function]*function) *function {
	if known := p.functions[fn]; known != nil {
		if !known.working {
			return known
		}
		known.cyclic = true
		if last := before[fn]; last != nil {
			return last
		}
		return known
	}
	known := &function{working: true}
	p.functions[fn] = known
	if last := before[fn]; last != nil {
		known.transactions = last.transactions
	} else {
		known.transactions = p.transactionsOf(fn)
	}
	handled := p.handledIn(fn)
	p.walk(fn, func(call ssa.CallInstruction, in *ssa.Function) {
		list := p.accessesOf(call, before)
		p.mark(list, call, handled)
		markSerializable(list, known.transactions)
		if in == fn {
			p.calls[call] = list
		}
		if len(known.list) < maxListed {
			known.list = append(known.list, list...)
		}
	})
	known.out = p.outward(known.list, fn)
	known.working = false
	return known
}

// accessesOf tells what a call does: by itself, or through the function that it calls.
func (p *Result) accessesOf(call ssa.CallInstruction, before map[*ssa.Function]*function) []Access {
	fn := declared(call)
	if lock, ok := p.lock(call, fn); ok {
		return []Access{lock}
	}
	if fn != nil {
		for _, lib := range libraries {
			if list := lib.accesses(p, call, fn); list != nil {
				return p.complete(list, call)
			}
		}
		if p.ofLibrary(fn) {
			return nil
		}
	}
	callee := p.program.Callee(call.Common())
	list := p.calleeList(callee, before)
	if list == nil && callee.Func == nil && callee.Interface != nil {
		list = p.guess(call, callee.Interface)
		return p.complete(list, call)
	}
	out := make([]Access, 0, len(list))
	for _, access := range list {
		out = append(out, p.inward(access, call, callee)...)
	}
	return append(out, p.handedOn(call, before)...)
}

// calleeList gives the accesses of a callee in terms of its callers.
func (p *Result) calleeList(callee program.Callee, before map[*ssa.Function]*function) []Access {
	switch {
	case callee.Body != nil && callee.Body.Parent() != nil:
		return nil // a literal counts where it stands
	case callee.Body != nil:
		return p.summary(callee.Body, before).out
	case callee.Func != nil && callee.Func.Pkg() != nil && callee.Func.Pkg() != p.pass.Pkg && p.sameHouse(callee.Func.Pkg().Path()):
		var fact Accesses
		if p.pass.ImportObjectFact(callee.Func, &fact) {
			return fact.List
		}
	}
	return nil
}

// sameHouse reports whether a package belongs to the module under analysis, or to one of the same owner: the tables of a job queue from elsewhere are none of the caller's.
func (p *Result) sameHouse(path string) bool {
	own := p.pass.Pkg.Path()
	if p.pass.Module != nil && p.pass.Module.Path != "" {
		own = p.pass.Module.Path
		if path == own || strings.HasPrefix(path, own+"/") {
			return true
		}
	}
	return owner(path) == owner(own)
}

// owner is the host and the first element of a path; the path itself when it has no host.
func owner(path string) string {
	host, rest, _ := strings.Cut(path, "/")
	if !strings.Contains(host, ".") {
		return host
	}
	first, _, _ := strings.Cut(rest, "/")
	return host + "/" + first
}

// handedOn tells what the functions and methods do that a call runs for the caller: RunInTx(ctx, s.create).
func (p *Result) handedOn(call ssa.CallInstruction, before map[*ssa.Function]*function) []Access {
	var out []Access
	for i, arg := range arguments(call) {
		if _, ok := arg.Type().Underlying().(*types.Signature); !ok || literalBody(arg) != nil {
			continue
		}
		callback, ok := p.way(call, i)
		if !ok {
			continue
		}
		target := p.methodValue(arg)
		for _, access := range p.calleeList(target, before) {
			access.Call, access.Pos = call, call.Pos()
			access.Path = p.longer(target, access.Path)
			switch {
			case access.Executor.Kind == Param && callback.InTx && access.Executor.Index == callback.Argument:
				access.Executor = Executor{Kind: Tx, Static: Tx, Runtime: callback.Runtime}
			case access.Executor.Kind == Param || access.Executor.Kind == Receiver:
				access.Executor = Executor{Kind: access.Executor.Static, Static: access.Executor.Static}
			}
			out = append(out, access)
		}
	}
	return out
}

// methodValue gives the function behind a function value, a method's for s.create.
func (p *Result) methodValue(v ssa.Value) program.Callee {
	callee := p.program.Function(v)
	if callee.Body == nil || callee.Body.Synthetic == "" {
		return callee
	}
	for _, call := range program.Calls(callee.Body) {
		if inner := p.program.Callee(call.Common()); inner.Func != nil {
			return inner
		}
	}
	return callee
}

// complete fills in what a library leaves to its caller.
func (p *Result) complete(list []Access, call ssa.CallInstruction) []Access {
	for i := range list {
		access := &list[i]
		access.Call = call
		if access.Pos == token.NoPos {
			access.Pos = call.Pos()
		}
		if access.Executor.Value == nil && access.Executor.root.root == nil {
			kind := access.Executor.Kind
			if base := receiver(call); base != nil {
				access.Executor = p.executor(base, "", kind)
			}
		} else if access.Executor.Kind == UnknownConn {
			access.Executor = p.executor(access.Executor.Value, "", UnknownConn)
		}
	}
	return list
}

// inward says in terms of the caller what an access of a callee is.
func (p *Result) inward(access Access, call ssa.CallInstruction, callee program.Callee) []Access {
	if access.Text > 0 {
		return p.givenText(access, call, callee)
	}
	access.Call, access.Pos, access.SQL = call, call.Pos(), nil
	access.Path = p.longer(callee, access.Path)
	access.Executor = p.substitute(access.Executor, call, nil, originDepth)
	if len(access.Outcome) > 0 && !access.Guard.Has(ResultRead) {
		p.readOutcome(&access, call)
	}
	return []Access{access}
}

// longer puts a callee in front of a path.
func (p *Result) longer(callee program.Callee, path []Step) []Step {
	name := ""
	if callee.Func != nil {
		name = callee.Func.FullName()
	} else if callee.Body != nil {
		name = callee.Body.Name()
	}
	// outward has left the place in the callee, for its name to be put to it.
	if len(path) > 0 && path[0].Function == "" {
		return append([]Step{{Function: name, Position: path[0].Position}}, path[1:]...)
	}
	return append([]Step{{Function: name}}, path...)
}

// outward says in terms of fn's callers what its accesses are, without doubles.
func (p *Result) outward(list []Access, fn *ssa.Function) []Access {
	if fn.Parent() != nil {
		return nil
	}
	var out []Access
	seen := map[string]bool{}
	for _, access := range list {
		if access.Op == Lock && access.Process && !p.locksForCallers(fn) {
			continue
		}
		place := p.position(access.Pos)
		if len(access.Path) == 0 {
			access.Path = []Step{{Position: place}}
		} else {
			access.Path = append([]Step{{Position: place}}, access.Path...)
		}
		access.Outcome = p.outcomes(access, fn)
		runtime := p.ofRuntime(access.Executor)
		access.Executor = exported(access.Executor, fn)
		access.Executor.Runtime = runtime && access.Executor.Kind == Tx
		access.Call, access.Pos, access.SQL, access.Key = nil, token.NoPos, nil, nil
		id := identity(access)
		if seen[id] || len(access.Path) > maxPath {
			continue
		}
		seen[id] = true
		out = append(out, access)
		if len(out) == MaxAccesses {
			break
		}
	}
	return out
}

func identity(a Access) string {
	text := strconv.Itoa(int(a.Engine)) + " " + strconv.Itoa(int(a.Op)) + " " + a.Table + " " + a.Entity + " " + strconv.Itoa(int(a.Guard)) + " " + strconv.Itoa(a.Text)
	for _, column := range a.Columns {
		text += "," + column
	}
	text += " " + strconv.Itoa(int(a.Executor.Kind)) + " " + strconv.Itoa(a.Executor.Index) + a.Executor.Field + strconv.FormatBool(a.Executor.Runtime)
	return text
}

// position writes a place as "file.go:12".
func (p *Result) position(pos token.Pos) string {
	at := p.pass.Fset.Position(pos)
	return filepath.Base(at.Filename) + ":" + strconv.Itoa(at.Line)
}

// shown leaves out what only callers can complete.
func shown(list []Access) []Access {
	out := list[:0:0]
	for _, access := range list {
		if access.Op != 0 {
			out = append(out, access)
		}
	}
	return out
}

// export tells other packages.
func (p *Result) export() {
	told := false
	for _, fn := range p.program.Functions() {
		object, ok := fn.Object().(*types.Func)
		if !ok || !object.Exported() || fn.Parent() != nil {
			continue
		}
		if known := p.functions[fn]; known != nil && len(known.out) > 0 {
			p.pass.ExportObjectFact(object, &Accesses{List: known.out})
			told = true
		}
		if role := p.roleOf(fn); role != nil && !role.empty() {
			p.pass.ExportObjectFact(object, role)
			told = true
		}
	}
	if told {
		p.pass.ExportPackageFact(new(Stores))
	}
}
