package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// running is a literal, or another function of the package, that a call runs before it returns.
type running struct {
	call         ssa.CallInstruction
	inTx         bool
	tx           ssa.Value // the parameter that is, or is bound to, the transaction; nil when the context carries it
	serializable bool
	runtime      bool
}

// findRuns finds the literals that run in place, those of outer functions first, so that a literal's own calls find the transaction around it.
func (p *Result) findRuns() {
	for _, fn := range p.program.Functions() {
		for _, call := range p.callsOf(fn) {
			p.findRunsOf(call)
		}
	}
}

func (p *Result) findRunsOf(call ssa.CallInstruction) {
	if _, isGo := call.(*ssa.Go); isGo {
		return
	}
	if body := literalBody(call.Common().Value); body != nil && p.runs[body] == nil {
		p.runs[body] = &running{call: call}
	}
	for i, arg := range arguments(call) {
		body := literalBody(arg)
		if body == nil || p.runs[body] != nil {
			continue
		}
		callback, ok := p.way(call, i)
		if !ok {
			continue
		}
		run := &running{call: call, inTx: callback.InTx, serializable: callback.Serializable, runtime: callback.Runtime}
		if callback.InTx && callback.Argument >= 0 && callback.Argument < len(body.Params) {
			run.tx = body.Params[callback.Argument]
		}
		p.runs[body] = run
	}
}

// literalBody gives the function literal that a value is.
func literalBody(v ssa.Value) *ssa.Function {
	switch v := program.Resolve(v).(type) {
	case *ssa.Function:
		if v.Parent() != nil {
			return v
		}
	case *ssa.MakeClosure:
		if fn := v.Fn.(*ssa.Function); fn.Parent() != nil {
			return fn
		}
	}
	return nil
}

// callsOf gives the calls of a function in source order; they are sorted once.
func (p *Result) callsOf(fn *ssa.Function) []ssa.CallInstruction {
	if known, ok := p.ordered[fn]; ok {
		return known
	}
	calls := program.Calls(fn)
	p.ordered[fn] = calls
	return calls
}

// walk visits the calls of a function and of the literals that run in it, in source order; those of deferred literals last.
func (p *Result) walk(fn *ssa.Function, visit func(call ssa.CallInstruction, in *ssa.Function)) {
	p.walkIn(fn, visit, map[*ssa.Function]bool{})
}

func (p *Result) walkIn(fn *ssa.Function, visit func(ssa.CallInstruction, *ssa.Function), seen map[*ssa.Function]bool) {
	seen[fn] = true
	var deferred []*ssa.Function
	for _, call := range p.callsOf(fn) {
		if _, isGo := call.(*ssa.Go); isGo {
			continue
		}
		visit(call, fn)
		values := append([]ssa.Value{call.Common().Value}, call.Common().Args...)
		for _, value := range values {
			body := literalBody(value)
			if body == nil || seen[body] || p.runs[body] == nil || p.runs[body].call != call {
				continue
			}
			if _, isDefer := call.(*ssa.Defer); isDefer {
				deferred = append(deferred, body)
				continue
			}
			p.walkIn(body, visit, seen)
		}
	}
	for _, body := range deferred {
		if !seen[body] {
			p.walkIn(body, visit, seen)
		}
	}
}

// runsByName reports whether an interface's method is called like one that runs a function in a transaction.
func runsByName(fn *types.Func) bool {
	name := strings.ToLower(fn.Name())
	switch name {
	case "transaction", "transact", "atomic", "atomically", "begintxfunc", "beginfunc", "exectx", "execintx", "runintx", "dointx", "intx", "tx", "withtx", "withintx", "withintransaction", "runintransaction", "intransaction", "withtransaction", "withdbtransaction", "runtx", "rundbtx":
		return true
	}
	return false
}

// guessedCallback is the way such a method runs its argument.
func guessedCallback(fn *types.Func, index int) (Callback, bool) {
	params := fn.Signature().Params()
	if index >= params.Len() {
		return Callback{}, false
	}
	signature, ok := params.At(index).Type().Underlying().(*types.Signature)
	if !ok {
		return Callback{}, false
	}
	callback := Callback{Param: index, InTx: true, Argument: -1}
	for i := range signature.Params().Len() {
		if t := signature.Params().At(i).Type(); !isType(t, "context", "Context") && maybeBound(t) {
			callback.Argument = i
		}
	}
	return callback, true
}
