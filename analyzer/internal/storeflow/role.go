package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// maxBindings bounds a Role, and maxRoleDepth the functions on the way to one.
const (
	maxBindings  = 16
	maxRoleDepth = 12
)

// Role is the fact of a function that handles connections, transactions or errors of stores for others.
type Role struct {
	// Binds says which connections its results, and fields of them, are.
	Binds []Binding
	// Calls are the parameters that it calls before it returns, and how.
	Calls []Callback
	// Duplicate is one more than the parameter whose error it tells a unique violation of apart, or translates.
	Duplicate int
}

// Binding says that a field of a result is a connection: a parameter's, the receiver's, the context's, or a new transaction.
type Binding struct {
	Result   int
	Field    string // path; empty: the result itself
	Executor Executor
}

// Callback is a parameter that is called.
type Callback struct {
	Param int
	InTx  bool
	// Argument is the parameter of the callback that is, or is bound to, the transaction; -1 when the context carries it.
	Argument     int
	Serializable bool
	// Runtime: the transaction is one that our runtime gives.
	Runtime bool
}

// AFact marks Role as a fact.
func (*Role) AFact() {}

func (r *Role) empty() bool { return len(r.Binds) == 0 && len(r.Calls) == 0 && r.Duplicate == 0 }

// bound finds what a field of a result is; the longest path that is known decides.
func (r *Role) bound(result int, path string) (Executor, bool) {
	var best Binding
	found := false
	for _, binding := range r.Binds {
		if binding.Result != result || !within(path, binding.Field) {
			continue
		}
		if !found || len(binding.Field) > len(best.Field) {
			best, found = binding, true
		}
	}
	if !found {
		return Executor{}, false
	}
	executor := best.Executor
	rest := strings.TrimPrefix(strings.TrimPrefix(path, best.Field), ".")
	switch executor.Kind {
	case Param, Receiver:
		if rest != "" {
			executor.Field = strings.TrimSuffix(executor.Field+"."+rest, ".")
			executor.Field = strings.TrimPrefix(executor.Field, ".")
		}
	}
	return executor, true
}

func within(path, prefix string) bool {
	return prefix == "" || path == prefix || strings.HasPrefix(path, prefix+".")
}

// role gives what is known of a function; nil when nothing is.
func (p *Result) role(fn *types.Func, body *ssa.Function) *Role {
	if body != nil {
		return p.roleOf(body)
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == p.pass.Pkg {
		return nil
	}
	var fact Role
	if p.pass.ImportObjectFact(fn.Origin(), &fact) {
		return &fact
	}
	return nil
}

// roleOf works out the role of a function of this package. While it is at it, the function has none: recursion ends there.
func (p *Result) roleOf(fn *ssa.Function) *Role {
	if known, ok := p.roles[fn]; ok {
		return known
	}
	if p.roleDepth >= maxRoleDepth {
		return nil
	}
	p.roleDepth++
	defer func() { p.roleDepth-- }()
	role := &Role{}
	p.roles[fn] = role
	if fn.Parent() == nil {
		role.Calls = p.callbacks(fn)
	}
	role.Binds = p.bindings(fn)
	role.Duplicate = p.duplicateParameter(fn)
	return role
}

// bindings looks at what a function returns.
func (p *Result) bindings(fn *ssa.Function) []Binding {
	results := fn.Signature.Results()
	var out []Binding
	for i := range results.Len() {
		if !maybeBound(results.At(i).Type()) {
			continue
		}
		var list []Binding
		for _, block := range fn.Blocks {
			ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
			if !ok || i >= len(ret.Results) || isNil(ret.Results[i]) {
				continue
			}
			for _, binding := range p.bindingsOf(ret.Results[i], "", fn, 4) {
				binding.Result = i
				list = addBinding(list, binding)
			}
		}
		out = append(out, list...)
		if len(out) > maxBindings {
			return out[:maxBindings]
		}
	}
	return out
}

// addBinding merges what several return statements say: the context's transaction wins over the pool next to it.
func addBinding(list []Binding, binding Binding) []Binding {
	for i, known := range list {
		if known.Field != binding.Field {
			continue
		}
		if weight(binding.Executor.Kind) > weight(known.Executor.Kind) {
			list[i] = binding
		}
		return list
	}
	return append(list, binding)
}

// maybeBound leaves out results that cannot hold a connection.
func maybeBound(t types.Type) bool {
	if isType(t, "context", "Context") {
		return false
	}
	if kind, _ := connection(t); kind != UnknownConn {
		return true
	}
	switch under := t.Underlying().(type) {
	case *types.Interface:
		return !types.Identical(t, types.Universe.Lookup("error").Type()) && under.NumMethods() > 0
	case *types.Struct:
		return under.NumFields() > 0
	case *types.Pointer:
		structure, ok := under.Elem().Underlying().(*types.Struct)
		return ok && structure.NumFields() > 0
	}
	return false
}

func (p *Result) bindingsOf(v ssa.Value, field string, fn *ssa.Function, depth int) []Binding {
	if depth == 0 || !maybeBound(v.Type()) {
		return nil
	}
	resolved := program.Resolve(v)
	if load, ok := resolved.(*ssa.UnOp); ok {
		if alloc, ok := load.X.(*ssa.Alloc); ok && isStruct(alloc) {
			resolved = alloc // a struct literal by value
		}
	}
	switch made := resolved.(type) {
	case *ssa.Alloc:
		if isStruct(made) {
			return p.bindingsOfLiteral(made, field, fn, depth)
		}
	case *ssa.Call, *ssa.Extract:
		if list := p.bindingsOfCall(made, field, fn, depth); list != nil {
			return list
		}
	}
	executor := p.executor(v, "", UnknownConn)
	out := exported(executor, fn)
	if out.Kind == UnknownConn || (out.Kind == Pool || out.Kind == Conn) && field == "" {
		return nil
	}
	return []Binding{{Field: field, Executor: out}}
}

func isStruct(alloc *ssa.Alloc) bool {
	pointer, ok := alloc.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = pointer.Elem().Underlying().(*types.Struct)
	return ok
}

func (p *Result) bindingsOfLiteral(alloc *ssa.Alloc, field string, fn *ssa.Function, depth int) []Binding {
	var out []Binding
	for _, referrer := range *alloc.Referrers() {
		switch use := referrer.(type) {
		case *ssa.FieldAddr:
			name := program.FieldName(use.X.Type(), use.Field)
			for _, storing := range *use.Referrers() {
				if store, ok := storing.(*ssa.Store); ok && store.Addr == use {
					out = append(out, p.bindingsOf(store.Val, joinPath(field, name), fn, depth-1)...)
				}
			}
		case *ssa.Store:
			// A copy of another struct, changed afterwards.
			if use.Addr == alloc {
				if executor := exported(p.executor(use.Val, "", UnknownConn), fn); executor.Kind == Param || executor.Kind == Receiver {
					out = append(out, Binding{Field: field, Executor: executor})
				}
			}
		}
		if len(out) >= maxBindings {
			break
		}
	}
	return out
}

func joinPath(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// bindingsOfCall passes on what a constructor that is called binds.
func (p *Result) bindingsOfCall(v ssa.Value, field string, fn *ssa.Function, depth int) []Binding {
	index := 0
	call, ok := v.(*ssa.Call)
	if !ok {
		extract := v.(*ssa.Extract)
		index = extract.Index
		if call, ok = extract.Tuple.(*ssa.Call); !ok {
			return nil
		}
	}
	callee := p.program.Callee(&call.Call)
	role := p.role(callee.Func, callee.Body)
	if role == nil {
		return nil
	}
	var out []Binding
	for _, binding := range role.Binds {
		if binding.Result != index || binding.Field == "" {
			continue
		}
		executor := exported(p.substitute(binding.Executor, call, v, originDepth/2), fn)
		if executor.Kind != UnknownConn {
			out = append(out, Binding{Field: strings.Trim(field+"."+binding.Field, "."), Executor: executor})
		}
	}
	return out
}

// callbacks finds the parameters that a function calls before it returns.
func (p *Result) callbacks(fn *ssa.Function) []Callback {
	var out []Callback
	for _, parameter := range fn.Params {
		if _, ok := parameter.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		if callback, ok := p.callback(fn, parameter); ok {
			callback.Param = parameterIndex(parameter)
			out = append(out, callback)
		}
	}
	return out
}

// callback looks for the calls of a parameter in a function and in the literals that run in it.
func (p *Result) callback(fn *ssa.Function, parameter *ssa.Parameter) (found Callback, ok bool) {
	begun := false
	serializable := false
	p.walk(fn, func(call ssa.CallInstruction, in *ssa.Function) {
		if event := p.event(call); event != nil && event.kind == begins {
			begun, serializable = true, serializable || event.serializable
		} else if p.beginsFor(call) {
			begun = true
		}
		if program.Resolve(call.Common().Value) == parameter {
			callback := Callback{Argument: -1}
			if around := p.enclosing(in, fn); around != nil {
				callback.InTx, callback.Serializable, callback.Runtime = true, around.serializable, around.runtime
			}
			callback.InTx = callback.InTx || begun
			callback.Serializable = callback.Serializable || serializable
			for i, arg := range call.Common().Args {
				if p.boundToTx(arg, 4) {
					callback.Argument = i
				}
			}
			if !ok || callback.InTx && !found.InTx {
				found, ok = callback, true
			}
			return
		}
		// Handed on to a function that calls it.
		for i, arg := range arguments(call) {
			if program.Resolve(arg) != parameter {
				continue
			}
			if way, known := p.way(call, i); known {
				if around := p.enclosing(in, fn); around != nil {
					way.InTx, way.Runtime = true, way.Runtime || around.runtime
				}
				if !ok || way.InTx && !found.InTx {
					found, ok = way, true
				}
			}
		}
	})
	return found, ok
}

// way tells whether a call calls its argument of that index, and how.
func (p *Result) way(call ssa.CallInstruction, index int) (Callback, bool) {
	if event := p.event(call); event != nil && event.kind == runs {
		if event.callback != argument(call, index) {
			return Callback{}, false
		}
		return Callback{Param: index, InTx: !event.plain, Argument: event.callbackTx, Serializable: event.serializable, Runtime: event.runtime}, true
	}
	if fn := declared(call); fn != nil {
		if retry, ok := known.RetryOf(fn); ok && retry.Callback == index && retry.Field == "" {
			return Callback{Param: index, Argument: -1}, true
		}
	}
	callee := p.program.Callee(call.Common())
	role := p.role(callee.Func, callee.Body)
	if role == nil {
		if fn := declared(call); fn != nil && call.Common().IsInvoke() && !p.ofLibrary(fn) && runsByName(fn) {
			return guessedCallback(fn, index)
		}
		return Callback{}, false
	}
	for _, callback := range role.Calls {
		if callback.Param == index {
			return callback, true
		}
	}
	return Callback{}, false
}

// enclosing gives the transaction that a literal inside fn runs in.
func (p *Result) enclosing(in, fn *ssa.Function) *running {
	for in != nil && in != fn {
		if run := p.runs[in]; run != nil && run.inTx {
			return run
		}
		in = in.Parent()
	}
	return nil
}

// beginsFor reports whether a house function gives the caller a transaction of its own.
func (p *Result) beginsFor(call ssa.CallInstruction) bool {
	callee := p.program.Callee(call.Common())
	role := p.role(callee.Func, callee.Body)
	if role == nil {
		return false
	}
	for _, binding := range role.Binds {
		if binding.Field == "" && binding.Executor.Kind == Tx {
			return true
		}
	}
	return false
}

// boundToTx reports whether a value is a transaction, or something made with one.
func (p *Result) boundToTx(v ssa.Value, depth int) bool {
	if depth == 0 || v == nil || !maybeBound(v.Type()) {
		return false
	}
	if p.executor(v, "", UnknownConn).Kind == Tx {
		return true
	}
	switch made := program.Resolve(v).(type) {
	case *ssa.Alloc:
		for _, referrer := range *made.Referrers() {
			address, ok := referrer.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			for _, use := range *address.Referrers() {
				if store, ok := use.(*ssa.Store); ok && store.Addr == address && p.boundToTx(store.Val, depth-1) {
					return true
				}
			}
		}
	case *ssa.UnOp:
		if alloc, ok := made.X.(*ssa.Alloc); ok {
			return p.boundToTx(alloc, depth-1)
		}
	case *ssa.Call:
		callee := p.program.Callee(&made.Call)
		role := p.role(callee.Func, callee.Body)
		if role == nil {
			return false
		}
		for _, binding := range role.Binds {
			if p.substitute(binding.Executor, made, nil, originDepth/2).Kind == Tx {
				return true
			}
		}
	}
	return false
}
