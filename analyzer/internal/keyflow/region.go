package keyflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Kind is why code runs again.
type Kind string

// Kinds of regions.
const (
	Loop      Kind = "loop"
	Callback  Kind = "callback"
	Recursion Kind = "recursion"
	Handler   Kind = "handler"
	// turns is a loop that does not retry: it may handle an item in each turn.
	turns Kind = "turns"
)

// Region is code that runs again when it fails.
type Region struct {
	Kind Kind
	// Pos is where the loop, the retry call, the call of itself or the handler stands.
	Pos token.Pos
	// Fn is the function that holds the loop, the literal that is called again, or the function that calls itself.
	Fn *ssa.Function
	// Stmt is the statement of a loop, nil for one made of goto.
	Stmt ast.Stmt
	// Name is what calls a callback again ("backoff.Retry"), or the engine behind a handler.
	Name string
	// Callee is the declared function that is given to a retry helper; Fn is nil then when it has no body in view.
	Callee program.Callee
	// Call is the call of the retry helper, or the call of itself.
	Call ssa.CallInstruction
	// Confidence is how sure it is that this retries.
	Confidence settings.Confidence

	header *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool // of a loop; nil for the other kinds: all of Fn
	worker bool                     // each turn receives an item
}

// Contains reports whether an instruction runs anew in each turn of the region: in its blocks, or in a literal that runs there.
func (g *Region) Contains(instruction ssa.Instruction) bool {
	return g.contains(instruction, map[*ssa.Function]bool{})
}

// contains asks each literal once: the ways from a literal to the region are as many as its calls to the power of its depth.
func (g *Region) contains(instruction ssa.Instruction, asked map[*ssa.Function]bool) bool {
	fn := instruction.Parent()
	if fn == g.Fn {
		return g.blocks == nil || g.blocks[instruction.Block()]
	}
	if fn == nil || fn.Parent() == nil || asked[fn] {
		return false
	}
	asked[fn] = true
	return slices.ContainsFunc(callSites(fn), func(site ssa.Instruction) bool { return g.contains(site, asked) })
}

// PerItem reports whether an instruction of the region handles an item of its own each time: it stands in an inner loop that receives from a queue or a channel.
func (r *Result) PerItem(g *Region, instruction ssa.Instruction) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.Kind == Handler {
		return false // the items of a delivery come again with it
	}
	return r.perItem(instruction, func(l *Region) bool { return l.header == g.header }, g.Contains, map[ssa.Instruction]bool{})
}

func (r *Result) perItem(instruction ssa.Instruction, self func(*Region) bool, inside func(ssa.Instruction) bool, asked map[ssa.Instruction]bool) bool {
	if asked[instruction] {
		return false
	}
	asked[instruction] = true
	for _, l := range r.loopsOf(instruction.Parent()) {
		if l.worker && l.Kind == turns && !self(l) && l.blocks[instruction.Block()] {
			// A receiving loop around the region is not inside of it.
			if len(l.header.Instrs) > 0 && inside(l.header.Instrs[0]) {
				return true
			}
		}
	}
	if instruction.Parent().Parent() == nil {
		return false
	}
	return slices.ContainsFunc(callSites(instruction.Parent()), func(site ssa.Instruction) bool {
		return inside(site) && r.perItem(site, self, inside, asked)
	})
}

// Counts reports whether a value is the region's own counter: the variable of the loop, the attempt that a callback is given, a variable that it counts up.
func (r *Result) Counts(g *Region, v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Phi:
		return g.header != nil && v.Block() == g.header
	case *ssa.BinOp:
		r.mu.Lock()
		defer r.mu.Unlock()
		return g.Contains(v) && r.innermost(v, g)
	case *ssa.Parameter:
		return g.Kind != Loop && v.Parent() == g.Fn
	case *ssa.FieldAddr:
		// job.Attempt of the job that a handler is given; c.attempt of a loop that counts it up
		param, given := Root(v).(*ssa.Parameter)
		if g.Kind != Loop {
			return given && param.Parent() == g.Fn
		}
		return g.Contains(v) && g.storesTo(v)
	}
	return false
}

// storesTo reports whether a turn of the region changes a field.
func (g *Region) storesTo(field *ssa.FieldAddr) bool {
	for _, block := range g.Fn.Blocks {
		if g.blocks != nil && !g.blocks[block] {
			continue
		}
		for _, instruction := range block.Instrs {
			store, ok := instruction.(*ssa.Store)
			if !ok {
				continue
			}
			address, ok := store.Addr.(*ssa.FieldAddr)
			if ok && address.Field == field.Field && Root(address) == Root(field) {
				return true
			}
		}
	}
	return false
}

// innermost reports whether no loop inside of the region holds an instruction.
func (r *Result) innermost(instruction ssa.Instruction, g *Region) bool {
	return !slices.ContainsFunc(r.loopsOf(instruction.Parent()), func(l *Region) bool {
		return l.header != g.header && l.blocks[instruction.Block()] && g.Contains(l.header.Instrs[0])
	})
}

// LookedFor reports whether a send of the region, or the mint behind it, happens only when no key is there yet, in something that stays from one turn to the next or that was given from outside.
func (r *Result) LookedFor(g *Region, send *Send, origin *Origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	looked := func(v ssa.Value, at token.Pos) bool {
		life := r.lifetimeOf(v, at, g.Contains, g.header)
		return life.stays || len(life.param) > 0
	}
	guards := func(instruction ssa.Instruction) bool {
		return slices.ContainsFunc(Guards(instruction), func(v ssa.Value) bool { return looked(v, instruction.Pos()) })
	}
	if guards(send.At) {
		return true
	}
	if send.Own != nil {
		life := r.given(send, g.Contains, g.header)
		return !send.Own.Own && (life.stays || len(life.param) > 0)
	}
	if origin == nil {
		return false
	}
	if instruction, ok := origin.At.(ssa.Instruction); ok && guards(instruction) {
		return true
	}
	return slices.ContainsFunc(origin.IfAbsent, func(v ssa.Value) bool { return looked(v, origin.At.Pos()) })
}

// Retries gives the regions of the package that run again, in source order: loops, callbacks of retry helpers, functions that call themselves after an error, and, when the configuration asks for them, handlers of queues.
func (r *Result) Retries() []*Region {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.summaries) == 0 {
		return nil
	}
	var found []*Region
	for _, fn := range r.program.Functions() {
		for _, l := range r.loopsOf(fn) {
			if l.Kind == Loop {
				found = append(found, l)
			}
		}
		found = append(found, r.callbacksOf(fn)...)
		found = append(found, r.recursionsOf(fn)...)
		if r.config.AtLeastOnce {
			found = append(found, r.handlersOf(fn)...)
		}
	}
	return found
}

// callbacksOf gives what a function hands to retry helpers.
func (r *Result) callbacksOf(fn *ssa.Function) []*Region {
	var found []*Region
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			switch x := instruction.(type) {
			case ssa.CallInstruction:
				callee := declared(r.program.Callee(x.Common()))
				for _, given := range r.retriedArguments(x.Common()) {
					called := r.program.Function(given)
					if called.Func == nil && called.Body == nil {
						continue
					}
					found = append(found, &Region{Kind: Callback, Pos: x.Pos(), Fn: called.Body, Callee: called, Name: retryName(x, callee), Call: x, Confidence: settings.High})
				}
			case *ssa.Store:
				if region := r.hook(x); region != nil {
					found = append(found, region)
				}
			}
		}
	}
	return found
}

// hook gives the function that is stored in a field which a retrying client calls before each try.
func (r *Result) hook(store *ssa.Store) *Region {
	address, ok := store.Addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	field := program.Field(address.X.Type(), address.Field)
	if !known.RetryHookField(address.X.Type(), field) {
		return nil
	}
	called := r.program.Function(store.Val)
	if called.Body == nil {
		return nil
	}
	return &Region{Kind: Callback, Pos: store.Pos(), Fn: called.Body, Callee: called, Name: field.Name(), Confidence: settings.High}
}

func retryName(call ssa.CallInstruction, callee *types.Func) string {
	if callee != nil {
		return shortName(callee)
	}
	return call.Common().Value.Name()
}

// retriedArguments gives the arguments that a call calls again until they succeed.
func (r *Result) retriedArguments(call *ssa.CallCommon) []ssa.Value {
	callee := r.program.Callee(call)
	fn := declared(callee)
	if fn == nil {
		return nil
	}
	if retry, ok := known.RetryOf(fn); ok && retry.Field == "" && r.calls(retry.Needs) {
		return nonNil(argument(call, retry.Callback))
	}
	if isHouse(r.config.Retries, fn) {
		return functionsAmong(call.Args)
	}
	var found []ssa.Value
	args := arguments(call)
	for _, param := range r.retriedParams(callee) {
		switch {
		case param.Index >= len(args):
		case param.Field == "":
			found = append(found, args[param.Index])
		default:
			found = append(found, putInto(args[param.Index], param.Field)...)
		}
	}
	return found
}

// putInto gives what is put into a field of a struct that is made in view, or of the one that a pointer points to.
func putInto(v ssa.Value, field string) []ssa.Value {
	holder := program.Resolve(v)
	if load, ok := holder.(*ssa.UnOp); ok && load.Op == token.MUL {
		holder = load.X
	}
	cell, ok := program.Cell(holder).(*ssa.Alloc)
	if !ok {
		return nil
	}
	var found []ssa.Value
	for _, use := range uses(cell) {
		address, ok := use.instruction.(*ssa.FieldAddr)
		if !ok || program.FieldName(address.X.Type(), address.Field) != field {
			continue
		}
		for _, store := range program.Stores(address) {
			found = append(found, store.Val)
		}
	}
	return found
}

func nonNil(v ssa.Value) []ssa.Value {
	if v == nil {
		return nil
	}
	return []ssa.Value{v}
}

func functionsAmong(args []ssa.Value) []ssa.Value {
	return slices.DeleteFunc(slices.Clone(args), func(v ssa.Value) bool {
		_, ok := v.Type().Underlying().(*types.Signature)
		return !ok
	})
}

// calls reports whether the package calls one of the functions, named as package known does; none asked for is enough.
func (r *Result) calls(ids []string) bool {
	if len(ids) == 0 {
		return true
	}
	for _, used := range r.program.Pass.TypesInfo.Uses {
		if fn, ok := used.(*types.Func); ok && slices.Contains(ids, known.ID(fn.Origin())) {
			return true
		}
	}
	return false
}

// recursionsOf gives the calls of a function of itself that stand behind an error.
func (r *Result) recursionsOf(fn *ssa.Function) []*Region {
	self := object(fn)
	if self == nil {
		return nil
	}
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			call, ok := instruction.(*ssa.Call)
			if !ok {
				continue
			}
			callee := call.Call.StaticCallee()
			if callee == nil || callee.Object() == nil || object(callee) != self || !retriesItself(call) {
				continue
			}
			return []*Region{{Kind: Recursion, Pos: call.Pos(), Fn: fn, Call: call, Confidence: settings.High}}
		}
	}
	return nil
}

// retriesItself reports whether a call of the function around it is made because something failed: behind an error or a retry's predicate, or with a counter that goes on.
func retriesItself(call *ssa.Call) bool {
	counter := slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
		step, ok := arg.(*ssa.BinOp)
		if !ok || step.Op != token.ADD && step.Op != token.SUB {
			return false
		}
		param, ok := step.X.(*ssa.Parameter)
		return ok && isInteger(param.Type()) && attemptLike(param.Name())
	})
	if counter {
		return true
	}
	for b := call.Block(); b != nil; b = b.Idom() {
		for _, pred := range b.Preds {
			if len(b.Preds) > 1 || len(pred.Instrs) == 0 {
				continue
			}
			branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If)
			if !ok {
				continue
			}
			if failed, ok := failure(branch.Cond); ok && failed == (pred.Succs[0] == b) {
				return true
			}
			if asksToRetry(branch.Cond) && pred.Succs[0] == b {
				return true
			}
		}
	}
	return false
}

// handlersOf gives a function as a handler of an at-least-once system, and the handlers that it registers.
func (r *Result) handlersOf(fn *ssa.Function) []*Region {
	var found []*Region
	if system, ok := known.AtLeastOnceMethod(object(fn)); ok {
		found = append(found, &Region{Kind: Handler, Pos: fn.Pos(), Fn: fn, Name: system, Confidence: settings.High})
	}
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			call, ok := instruction.(ssa.CallInstruction)
			if !ok {
				continue
			}
			index, system, ok := known.AtLeastOnceRegistration(declared(r.program.Callee(call.Common())))
			if !ok {
				continue
			}
			handler := r.program.Function(argument(call.Common(), index))
			if handler.Body == nil && handler.Func == nil {
				continue
			}
			found = append(found, &Region{Kind: Handler, Pos: call.Pos(), Fn: handler.Body, Callee: handler, Name: system, Call: call, Confidence: settings.High})
		}
	}
	return found
}
