package keyflow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// summary is what one function of the package does with keys, whoever calls it. The facts are made of it.
type summary struct {
	flows   []Flow
	sends   SendsKey
	retries []ParamOf
}

func (s *summary) equal(other *summary) bool {
	return slices.EqualFunc(s.flows, other.flows, func(a, b Flow) bool {
		return a.Result == b.Result && a.Field == b.Field && a.Quality == b.Quality && a.Param == b.Param && a.Of == b.Of && a.Mixed == b.Mixed
	}) && s.sends.Own == other.sends.Own && slices.Equal(s.sends.Absent, other.sends.Absent) && slices.Equal(s.sends.Params, other.sends.Params) && slices.Equal(s.retries, other.retries)
}

// maxRounds bounds how far a mint may travel against the order of the source within one package; facts of other packages come complete.
const maxRounds = 8

// summarise walks over the package's functions until nothing new is learned.
func (r *Result) summarise() {
	functions := r.program.Functions()
	for range maxRounds {
		changed := false
		for _, fn := range functions {
			if object(fn) == nil {
				continue
			}
			next := r.summaryOf(fn)
			if before := r.summaries[fn]; before == nil || !before.equal(next) {
				changed = true
				clear(r.traced)
			}
			r.summaries[fn] = next
		}
		if !changed {
			return
		}
		// What a loop or a callback is may depend on what was learned.
		clear(r.loops)
	}
}

func (r *Result) summaryOf(fn *ssa.Function) *summary {
	return &summary{flows: r.resultFlows(fn), sends: r.ownSends(fn), retries: r.retriedParamsOf(fn)}
}

// resultFlows tells what the results of a function are made of.
func (r *Result) resultFlows(fn *ssa.Function) []Flow {
	results := fn.Signature.Results()
	var flows []Flow
	for i := range results.Len() {
		for _, field := range carriers(results.At(i).Type()) {
			flows = append(flows, r.flowsOfResult(fn, i, field)...)
		}
	}
	if len(flows) > maxFlows {
		flows = flows[:maxFlows]
	}
	return flows
}

// carriers gives the parts of a result that can carry a key: "" for itself, and the members of a struct.
func carriers(t types.Type) []string {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsString|types.IsInteger) != 0 {
			return []string{""}
		}
	case *types.Slice, *types.Array:
		return []string{""}
	case *types.Struct:
		if isOpaque(t) {
			return []string{""}
		}
		var fields []string
		for i := range min(u.NumFields(), 24) {
			if isTextLike(u.Field(i).Type()) {
				fields = append(fields, u.Field(i).Name())
			}
		}
		return fields
	case *types.TypeParam, *types.Interface:
		if !isError(t) {
			return []string{""}
		}
	}
	return nil
}

// isOpaque reports whether a struct is a value as a whole, such as time.Time.
func isOpaque(t types.Type) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && (named.Obj().Pkg().Path() == "time" || named.Obj().Pkg().Path() == "math/big")
}

func (r *Result) flowsOfResult(fn *ssa.Function, result int, field string) []Flow {
	t := &tracer{r: r, steps: maxSteps, memo: map[place][]Origin{}, open: map[place]bool{}, params: map[*ssa.Parameter]ssa.Value{}}
	var flows []Flow
	for _, origin := range t.either(0, returned(fn, result, field)) {
		flow := Flow{Result: result, Field: field, Quality: origin.Quality, Param: -1, Mixed: origin.Mixed}
		switch {
		case origin.Param != nil && origin.Param.Parent() == fn:
			flow.Param, flow.Of, flow.Quality = paramIndex(fn, origin.Param), origin.Field, ""
		case origin.Minted() && origin.Confidence != settings.Low:
			instruction, ok := origin.At.(ssa.Instruction)
			if !ok || r.report.Ignored(instruction.Pos()) {
				continue
			}
			life := r.guarded(fn, origin, nil)
			flow.Mixed = flow.Mixed || life.stays || len(life.param) > 0
			flow.IfAbsent = indexes(fn, life.param)
			flow.Path = longer(r.step(object(fn), instruction.Pos()), origin.Path)
		default:
			continue
		}
		flows = append(flows, flow)
	}
	return flows
}

func paramIndex(fn *ssa.Function, param *ssa.Parameter) int { return slices.Index(fn.Params, param) }

func indexes(fn *ssa.Function, params []*ssa.Parameter) []int {
	var found []int
	for _, param := range params {
		if index := paramIndex(fn, param); index >= 0 && !slices.Contains(found, index) {
			found = append(found, index)
		}
	}
	slices.Sort(found)
	return found
}

// guarded tells what was looked at before a value was minted or sent in a function.
func (r *Result) guarded(fn *ssa.Function, origin Origin, send *Send) lifetime {
	var life lifetime
	inside := func(ssa.Instruction) bool { return true }
	look := func(instruction ssa.Instruction) {
		for _, checked := range Guards(instruction) {
			seen := r.lifetimeOf(checked, instruction.Pos(), inside, nil)
			life.stays = life.stays || seen.stays
			life.param = append(life.param, seen.param...)
		}
	}
	if instruction, ok := origin.At.(ssa.Instruction); ok {
		look(instruction)
	}
	for _, arg := range origin.IfAbsent {
		seen := r.lifetimeOf(arg, origin.At.Pos(), inside, nil)
		life.stays = life.stays || seen.stays
		life.param = append(life.param, seen.param...)
	}
	if send != nil {
		look(send.At)
	}
	for _, param := range life.param {
		if param.Parent() != fn {
			life.stays = true // of a literal: given by someone else
		}
	}
	return life
}

// ownSends tells which parameters of a function become keys, and whether it mints a key by itself.
func (r *Result) ownSends(fn *ssa.Function) SendsKey {
	var out SendsKey
	for _, send := range r.sendsWithin(fn) {
		if send.Own != nil {
			r.addCallee(fn, send, &out)
			continue
		}
		for _, origin := range r.origins(send.Value, send.Field) {
			r.addOrigin(fn, send, origin, &out)
		}
	}
	slices.SortFunc(out.Params, func(a, b ParamOf) int { return a.Index - b.Index })
	if len(out.Params) > maxParams {
		out.Params = out.Params[:maxParams]
	}
	if out.Own {
		out.Absent = nil
	}
	return out
}

// sendsWithin gives the sends of a function and of the literals that run in it.
func (r *Result) sendsWithin(fn *ssa.Function) []*Send {
	found := r.sendsOf(fn)
	for _, literal := range fn.AnonFuncs {
		if len(callSites(literal)) > 0 {
			found = append(found, r.sendsWithin(literal)...)
		}
	}
	return found
}

func (r *Result) addOrigin(fn *ssa.Function, send *Send, origin Origin, out *SendsKey) {
	if origin.Param != nil && origin.Param.Parent() == fn {
		param := ParamOf{Index: paramIndex(fn, origin.Param), Field: origin.Field}
		if !slices.Contains(out.Params, param) {
			out.Params = append(out.Params, param)
		}
		return
	}
	if !origin.Minted() || origin.Confidence == settings.Low || send.Confidence == settings.Low {
		return
	}
	mint, ok := origin.At.(ssa.Instruction)
	if !ok || r.perItemOf(fn, send.At) || r.report.Ignored(mint.Pos()) || r.report.Ignored(send.Pos()) {
		return
	}
	life := r.guarded(fn, origin, send)
	if origin.Mixed && len(life.param) == 0 {
		return // a default beside something else than a parameter
	}
	r.addOwn(fn, life, origin.Quality, longer(r.step(object(fn), mint.Pos()), origin.Path), out)
}

func (r *Result) addCallee(fn *ssa.Function, send *Send, out *SendsKey) {
	if r.perItemOf(fn, send.At) || r.report.Ignored(send.Pos()) {
		return
	}
	if _, started := send.At.(*ssa.Go); started {
		return
	}
	var life lifetime
	for _, checked := range Guards(send.At) {
		seen := r.lifetimeOf(checked, send.Pos(), func(ssa.Instruction) bool { return true }, nil)
		life.stays = life.stays || seen.stays
		life.param = append(life.param, seen.param...)
	}
	if !send.Own.Own {
		given := r.given(send, func(ssa.Instruction) bool { return true }, nil)
		life.stays = life.stays || given.stays
		life.param = append(life.param, given.param...)
	}
	r.addOwn(fn, life, send.Own.Mint, longer(r.step(object(fn), send.Pos()), send.Own.Path), out)
}

func (r *Result) addOwn(fn *ssa.Function, life lifetime, mint Quality, path []string, out *SendsKey) {
	if life.stays || out.Own {
		return
	}
	absent := indexes(fn, life.param)
	if len(life.param) > 0 && (len(absent) == 0 || len(out.Absent) > 0) {
		return
	}
	out.Own, out.Absent, out.Mint, out.Path = len(absent) == 0, absent, mint, path
}

// given tells whether the arguments that a callee looks at before it mints bring a key.
func (r *Result) given(send *Send, contains func(ssa.Instruction) bool, header *ssa.BasicBlock) lifetime {
	var life lifetime
	args := arguments(send.At.(ssa.CallInstruction).Common())
	for _, index := range send.Own.Absent {
		if index >= len(args) {
			return lifetime{stays: true}
		}
		seen := r.lifetimeOf(args[index], send.Pos(), contains, header)
		life.stays = life.stays || seen.stays || r.hasKey(args[index], send)
		life.param = append(life.param, seen.param...)
	}
	return life
}

// hasKey reports whether a key is set in an object somewhere in the function around a call that is given it, or may be.
func (r *Result) hasKey(object ssa.Value, at *Send) bool {
	root := Root(object)
	if c, ok := root.(*ssa.Const); ok {
		return !isEmpty(c) || !isStringLike(c.Type())
	}
	if _, ok := root.(*ssa.Parameter); ok {
		return false // the callers are asked
	}
	made, ok := root.(ssa.Instruction)
	if !ok {
		return true
	}
	for _, other := range r.sendsOf(made.Parent()) {
		if other.Value != nil && other.Holder != nil && Root(other.Holder) == root {
			return true
		}
	}
	// A struct that is copied in as a whole may hold one.
	if alloc, ok := root.(*ssa.Alloc); ok {
		for _, store := range program.Stores(alloc) {
			if store.Addr == ssa.Value(alloc) {
				return true
			}
		}
	}
	return handedOn(root, at.Pos())
}

func isStringLike(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// perItemOf reports whether an instruction within a function handles an item that the function itself receives.
func (r *Result) perItemOf(fn *ssa.Function, instruction ssa.Instruction) bool {
	return r.perItem(instruction, func(*Region) bool { return false }, func(ssa.Instruction) bool { return true }, map[ssa.Instruction]bool{})
}

// retriedParamsOf tells which parameters a function calls again until they succeed: by a loop of its own, or by handing them on to a function that does.
func (r *Result) retriedParamsOf(fn *ssa.Function) []ParamOf {
	var found []ParamOf
	for index, param := range fn.Params {
		for _, field := range functionsOf(param.Type()) {
			if len(found) < maxParams && r.retried(fn, param, field) {
				found = append(found, ParamOf{Index: index, Field: field})
			}
		}
	}
	return found
}

// functionsOf gives the functions that a parameter brings: "" when it is one itself, and those of its fields that are. One that returns nothing is told of a try and is none.
func functionsOf(t types.Type) []string {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		if u.Results().Len() > 0 {
			return []string{""}
		}
	case *types.Struct:
		var fields []string
		for i := range min(u.NumFields(), 24) {
			if signature, ok := u.Field(i).Type().Underlying().(*types.Signature); ok && signature.Results().Len() > 0 {
				fields = append(fields, u.Field(i).Name())
			}
		}
		return fields
	}
	return nil
}

func (r *Result) retried(fn *ssa.Function, param *ssa.Parameter, field string) bool {
	for _, within := range withLiterals(fn) {
		for _, block := range within.Blocks {
			for _, instruction := range block.Instrs {
				call, ok := instruction.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if sameFunction(call.Common().Value, param, field) && r.runsAgain(call, map[ssa.Instruction]bool{}) {
					return true
				}
				for _, arg := range r.retriedArguments(call.Common()) {
					if sameFunction(arg, param, field) {
						return true
					}
				}
				if field != "" && r.handsOn(call.Common(), param, field) {
					return true
				}
			}
		}
	}
	return false
}

// handsOn reports whether a parameter's struct is given as a whole to a function that calls that field again.
func (r *Result) handsOn(call *ssa.CallCommon, param *ssa.Parameter, field string) bool {
	args := arguments(call)
	return slices.ContainsFunc(r.retriedParams(r.program.Callee(call)), func(retried ParamOf) bool {
		return retried.Field == field && retried.Index < len(args) && holds(args[retried.Index], param)
	})
}

func withLiterals(fn *ssa.Function) []*ssa.Function {
	all := []*ssa.Function{fn}
	for _, literal := range fn.AnonFuncs {
		all = append(all, withLiterals(literal)...)
	}
	return all
}

// sameFunction reports whether a value is a parameter, or the function in that field of it.
func sameFunction(v ssa.Value, param *ssa.Parameter, field string) bool {
	if field == "" {
		return program.Resolve(v) == ssa.Value(param) || Root(v) == ssa.Value(param)
	}
	switch x := program.Resolve(v).(type) {
	case *ssa.Field:
		return program.FieldName(x.X.Type(), x.Field) == field && holds(x.X, param)
	case *ssa.UnOp:
		address, ok := x.X.(*ssa.FieldAddr)
		return ok && program.FieldName(address.X.Type(), address.Field) == field && holds(address.X, param)
	}
	return false
}

// holds reports whether a value is a parameter, or the variable that a parameter's struct was put into.
func holds(v ssa.Value, param *ssa.Parameter) bool {
	if Root(v) == ssa.Value(param) {
		return true
	}
	cell, ok := program.Cell(v).(*ssa.Alloc)
	return ok && storesInto(cell, param)
}

// runsAgain reports whether an instruction stands in a retry loop, or in a literal that is retried.
func (r *Result) runsAgain(instruction ssa.Instruction, asked map[ssa.Instruction]bool) bool {
	if asked[instruction] {
		return false
	}
	asked[instruction] = true
	fn := instruction.Parent()
	for _, l := range r.loopsOf(fn) {
		if l.Kind == Loop && l.blocks[instruction.Block()] {
			return true
		}
	}
	if fn.Parent() == nil {
		return false
	}
	for _, site := range callSites(fn) {
		call, ok := site.(ssa.CallInstruction)
		if !ok {
			continue
		}
		for _, arg := range r.retriedArguments(call.Common()) {
			if r.program.Function(arg).Body == fn {
				return true
			}
		}
		if r.runsAgain(site, asked) {
			return true
		}
	}
	return false
}

// flowsOf gives what is known of a callee's results, of this package or of another.
func (r *Result) flowsOf(callee program.Callee) ([]Flow, bool) {
	if callee.Func == nil {
		return nil, false
	}
	if callee.Body != nil {
		if s := r.summaries[callee.Body]; s != nil && len(s.flows) > 0 {
			return s.flows, true
		}
		return nil, false
	}
	var fact Mints
	if r.importFact(callee.Func, &fact) {
		return fact.Flows, true
	}
	return nil, false
}

// sendsKey gives what is known of the keys that a callee sends; nil for nothing.
func (r *Result) sendsKey(callee program.Callee) *SendsKey {
	if callee.Func == nil {
		return nil
	}
	if callee.Body != nil {
		s := r.summaries[callee.Body]
		if s == nil || !s.sends.Own && len(s.sends.Absent) == 0 && len(s.sends.Params) == 0 {
			return nil
		}
		return &s.sends
	}
	var fact SendsKey
	if r.importFact(callee.Func, &fact) {
		return &fact
	}
	return nil
}

// retriedParams gives the parameters that a callee calls again.
func (r *Result) retriedParams(callee program.Callee) []ParamOf {
	if callee.Func == nil {
		return nil
	}
	if callee.Body != nil {
		if s := r.summaries[callee.Body]; s != nil {
			return s.retries
		}
		return nil
	}
	var fact Retries
	if r.importFact(callee.Func, &fact) {
		return fact.Params
	}
	return nil
}

func (r *Result) importFact(fn *types.Func, fact analysis.Fact) bool {
	return fn.Pkg() != nil && r.pass.ImportObjectFact(fn, fact)
}

// exportFacts tells the packages that import this one what its functions do.
func (r *Result) exportFacts() {
	pass := r.pass
	touches := false
	for _, fn := range r.program.Functions() {
		s, declared := r.summaries[fn], object(fn)
		if s == nil || declared == nil {
			continue
		}
		if slices.ContainsFunc(s.flows, func(f Flow) bool { return f.Quality != "" }) || len(s.flows) > 0 && returnsText(declared) {
			pass.ExportObjectFact(declared, &Mints{Flows: s.flows})
			touches = touches || slices.ContainsFunc(s.flows, func(f Flow) bool { return f.Quality.Fresh() && f.Quality != Clock })
		}
		if s.sends.Own || len(s.sends.Absent) > 0 || len(s.sends.Params) > 0 {
			pass.ExportObjectFact(declared, &s.sends)
			touches = true
		}
		if len(s.retries) > 0 {
			pass.ExportObjectFact(declared, &Retries{Params: s.retries})
			touches = true
		}
	}
	if touches {
		pass.ExportPackageFact(&Touches{})
	}
}

func returnsText(fn *types.Func) bool {
	results := fn.Type().(*types.Signature).Results()
	return results.Len() > 0 && isTextLike(results.At(0).Type())
}
