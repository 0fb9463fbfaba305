package keyflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Origin is one thing that a value is made of.
type Origin struct {
	// At is the call that mints, the counter, the parameter, or the value at which the walk ended. It may stand in a function literal or in the function around the one asked about.
	At ssa.Value
	// Quality is how it is made, "" when that is not known: a parameter, a field, a constant.
	Quality Quality
	// Param and Field are set for parameters of named functions.
	Param *ssa.Parameter
	Field string
	// Mixed is set when this is only one of several values that the value may have: a default, say.
	Mixed bool
	// Coarse is set for a time that was cut to a day or more: it is the same for tries that follow one another.
	Coarse bool
	// IfAbsent are arguments that a callee looked at before it minted.
	IfAbsent []ssa.Value
	// Confidence is Low when only a name says that it is minted.
	Confidence settings.Confidence
	// Path are the callees between At and the mint, outermost first; empty when At is the mint.
	Path []string
}

// Minted reports whether the origin differs from call to call.
func (o Origin) Minted() bool { return o.Quality.Fresh() && !o.Coarse }

// Bounds of a walk. Keys are made in a handful of steps.
const (
	maxSteps   = 1500
	maxDepth   = 60
	maxOrigins = 24
)

// tracer walks from one value to its origins.
type tracer struct {
	r     *Result
	steps int
	memo  map[place][]Origin
	open  map[place]bool
	// params stands for the parameters of function literals whose call is walked through.
	params map[*ssa.Parameter]ssa.Value
}

// place is a value or a field of the struct that it is or points to.
type place struct {
	value ssa.Value
	field string
}

func (r *Result) origins(v ssa.Value, field string) []Origin {
	t := &tracer{r: r, steps: maxSteps, memo: map[place][]Origin{}, open: map[place]bool{}, params: map[*ssa.Parameter]ssa.Value{}}
	return t.walk(place{v, field}, 0)
}

func (t *tracer) walk(p place, depth int) []Origin {
	if p.value == nil || depth > maxDepth || t.steps <= 0 || t.open[p] {
		return nil
	}
	if known, ok := t.memo[p]; ok {
		return known
	}
	t.steps--
	t.open[p] = true
	found := t.step(p, depth+1)
	delete(t.open, p)
	if len(found) > maxOrigins {
		found = found[:maxOrigins]
	}
	t.memo[p] = found
	return found
}

// all joins the origins of things that a value is made of together.
func (t *tracer) all(depth int, places ...place) []Origin {
	var found []Origin
	for _, p := range places {
		found = join(found, t.walk(p, depth))
	}
	return found
}

func join(a, b []Origin) []Origin {
	for _, origin := range b {
		if !slices.ContainsFunc(a, func(o Origin) bool {
			return o.At == origin.At && o.Quality == origin.Quality && o.Field == origin.Field && o.Mixed == origin.Mixed
		}) {
			a = append(a[:len(a):len(a)], origin)
		}
	}
	return a
}

// either joins the origins of values of which one is taken. A mint beside another value is Mixed, unless the other is empty.
func (t *tracer) either(depth int, places []place) []Origin {
	var found []Origin
	other := false
	for _, p := range places {
		if isEmpty(p.value) {
			continue
		}
		origins := t.walk(p, depth)
		if !brings(origins) {
			other = true
		}
		found = join(found, origins)
	}
	if other {
		found = mixed(found)
	}
	return found
}

// brings reports whether something is minted whatever happens.
func brings(origins []Origin) bool {
	return slices.ContainsFunc(origins, func(o Origin) bool { return o.Minted() && !o.Mixed })
}

func mixed(origins []Origin) []Origin {
	out := slices.Clone(origins)
	for i := range out {
		out[i].Mixed = out[i].Mixed || out[i].Minted()
	}
	return out
}

func isEmpty(v ssa.Value) bool {
	constValue, ok := program.Resolve(v).(*ssa.Const)
	if !ok {
		return false
	}
	if constValue.Value == nil {
		return true
	}
	return constValue.Value.Kind() == constant.String && constant.StringVal(constValue.Value) == ""
}

func leaf(v ssa.Value) []Origin { return []Origin{{At: v}} }

func (t *tracer) step(p place, depth int) []Origin {
	switch v := p.value.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return leaf(v)
	case *ssa.Parameter:
		return t.parameter(v, p.field, depth)
	case *ssa.FreeVar:
		if bound := program.Binding(v); bound != nil {
			return t.walk(place{bound, p.field}, depth)
		}
		return leaf(v)
	case *ssa.ChangeType:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.ChangeInterface:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.MakeInterface:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.Convert:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.MultiConvert:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.SliceToArrayPointer:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.TypeAssert:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.Slice:
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.BinOp:
		return t.binary(v, depth)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return t.load(v, p.field, depth)
		}
		return t.walk(place{v.X, p.field}, depth)
	case *ssa.Phi:
		return t.phi(v, p.field, depth)
	case *ssa.Extract:
		return t.extract(v, p.field, depth)
	case *ssa.Field:
		return t.walk(place{v.X, fieldName(v.X.Type(), v.Field)}, depth)
	case *ssa.FieldAddr:
		return t.address(v, p.field, depth)
	case *ssa.Index:
		return t.element(v.X, v.Index, depth)
	case *ssa.IndexAddr:
		return t.element(v.X, v.Index, depth)
	case *ssa.Lookup:
		return t.element(v.X, v.Index, depth)
	case *ssa.Alloc:
		return t.content(v, p.field, depth)
	case *ssa.MakeSlice, *ssa.MakeMap:
		return t.content(v, p.field, depth)
	case *ssa.Call:
		return t.call(v, 0, p.field, depth)
	}
	return leaf(p.value)
}

func (t *tracer) parameter(v *ssa.Parameter, field string, depth int) []Origin {
	if given := t.params[v]; given != nil {
		return t.walk(place{given, field}, depth)
	}
	origin := Origin{At: v, Param: v, Field: field}
	if field == "" && names.IsAttempt(v.Name()) && isInteger(v.Type()) {
		origin.Quality = Counter
	}
	return []Origin{origin}
}

func (t *tracer) binary(v *ssa.BinOp, depth int) []Origin {
	found := t.all(depth, place{v.X, ""}, place{v.Y, ""})
	if v.Op != token.ADD && v.Op != token.SUB {
		return found
	}
	// A number that is one more than itself: a counter, whatever it is called.
	_, constant := v.Y.(*ssa.Const)
	if !constant || !isInteger(v.Type()) {
		return found
	}
	if cell := loadedCell(v.X); cell != nil && storesInto(cell, v) {
		return append(found, Origin{At: v, Quality: Counter})
	}
	return found
}

func (t *tracer) phi(v *ssa.Phi, field string, depth int) []Origin {
	if field == "" && isInteger(v.Type()) && counts(v) {
		return []Origin{{At: v, Quality: Counter}}
	}
	var entries, turns []place
	for i, edge := range v.Edges {
		if v.Block().Dominates(v.Block().Preds[i]) {
			turns = append(turns, place{edge, field})
			continue
		}
		entries = append(entries, place{edge, field})
	}
	if len(turns) == 0 {
		return t.either(depth, entries)
	}
	// A loop's variable: when each turn brings a new value, what it had before does not matter.
	var turned []Origin
	always := true
	for _, p := range turns {
		origins := t.walk(p, depth)
		always = always && brings(origins)
		turned = join(turned, origins)
	}
	before := t.either(depth, entries)
	if always {
		return join(before, turned)
	}
	if !brings(before) || len(turned) > 0 {
		turned = mixed(turned)
	}
	return join(before, turned)
}

// counts reports whether a loop's variable goes up or down by a constant in each turn.
func counts(v *ssa.Phi) bool {
	for i, edge := range v.Edges {
		if !v.Block().Dominates(v.Block().Preds[i]) {
			continue
		}
		step, ok := edge.(*ssa.BinOp)
		if !ok || step.Op != token.ADD && step.Op != token.SUB || step.X != v {
			return false
		}
		if _, constant := step.Y.(*ssa.Const); !constant {
			return false
		}
	}
	return loopHeader(v.Block())
}

func loopHeader(block *ssa.BasicBlock) bool {
	return slices.ContainsFunc(block.Preds, block.Dominates)
}

// load walks on from a read of a variable, a field or an element.
func (t *tracer) load(v *ssa.UnOp, field string, depth int) []Origin {
	if parameter, ok := program.Cell(v.X).(*ssa.Parameter); ok {
		return t.walk(place{parameter, field}, depth)
	}
	cell := program.Cell(v.X)
	if cell != v.X {
		// A captured variable: all that is stored in it, here or around.
		if alloc, ok := cell.(*ssa.Alloc); ok {
			return t.content(alloc, field, depth)
		}
	}
	return t.walk(place{v.X, field}, depth)
}

// address walks on from &x.f: what is stored in that field of x.
func (t *tracer) address(v *ssa.FieldAddr, field string, depth int) []Origin {
	name := fieldName(v.X.Type(), v.Field)
	if field != "" {
		return leaf(v) // a field of a field: too deep to tell
	}
	if member := fieldOf(v.X.Type(), v.Field); member != nil && isInteger(member.Type()) && names.IsAttempt(name) {
		return []Origin{{At: v, Quality: Counter}}
	}
	return t.walk(place{v.X, name}, depth)
}

// element walks on from an element to what holds it and to what chose it: a random letter is random because of its index.
func (t *tracer) element(holder, index ssa.Value, depth int) []Origin {
	chosen := slices.DeleteFunc(slices.Clone(t.walk(place{index, ""}, depth)), func(o Origin) bool { return !o.Minted() })
	return join(t.walk(place{holder, ""}, depth), chosen)
}

// content gives the origins of what is put into a variable, an array, a slice or a struct made in view.
func (t *tracer) content(holder ssa.Value, field string, depth int) []Origin {
	var whole, parts []place
	var found []Origin
	for _, use := range uses(holder) {
		switch use := use.instruction.(type) {
		case *ssa.Store:
			if program.Cell(use.Addr) == holder {
				whole = append(whole, place{use.Val, field})
			}
		case *ssa.FieldAddr:
			name := fieldName(use.X.Type(), use.Field)
			if field != "" && field != name {
				continue
			}
			for _, store := range program.Stores(use) {
				parts = append(parts, place{store.Val, ""})
			}
		case *ssa.IndexAddr:
			for _, store := range program.Stores(use) {
				parts = append(parts, place{store.Val, ""})
			}
		case *ssa.MapUpdate:
			if use.Map == holder {
				parts = append(parts, place{use.Value, ""})
			}
		case ssa.CallInstruction:
			inputs, minted := t.fills(use, holder, field)
			parts = append(parts, inputs...)
			found = join(found, minted)
		}
	}
	if field != "" {
		// Of several stores of one field one holds, and p := template is one of them.
		whole, parts = append(whole, parts...), nil
	}
	found = join(found, t.either(depth, whole))
	found = join(found, t.all(depth, parts...))
	if len(found) == 0 {
		return leaf(holder)
	}
	return found
}

// fills tells what a call puts into a buffer, a builder, a hash or a struct that it is given.
func (t *tracer) fills(call ssa.CallInstruction, holder ssa.Value, field string) (inputs []place, minted []Origin) {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "copy" && len(common.Args) == 2 && program.Resolve(common.Args[0]) != nil && sameHolder(common.Args[0], holder) {
			return []place{{common.Args[1], ""}}, nil
		}
		return nil, nil
	}
	fn := declared(t.r.program.Callee(common))
	if fn == nil {
		return nil, nil
	}
	if arg, quality, ok := known.MintsInto(fn); ok {
		value, isValue := call.(ssa.Value)
		if isValue && sameHolder(argument(common, arg), holder) && t.randomSource(fn, common) {
			return nil, []Origin{{At: value, Quality: Quality(quality)}}
		}
		return nil, nil
	}
	// b.WriteString(x), fmt.Fprintf(&b, ..., x), h.Write(x)
	isWriter := strings.HasPrefix(fn.Name(), "Write") || strings.HasPrefix(fn.Name(), "Fprint") || strings.HasPrefix(fn.Name(), "Append")
	if !isWriter || field != "" {
		return nil, nil
	}
	args := arguments(common)
	if len(args) < 2 || !sameHolder(args[0], holder) {
		return nil, nil
	}
	for _, arg := range args[1:] {
		inputs = append(inputs, place{arg, ""})
	}
	return inputs, nil
}

func (t *tracer) randomSource(fn *types.Func, call *ssa.CallCommon) bool {
	source, ok := known.MintSource(fn)
	if !ok {
		return true
	}
	load, ok := program.Resolve(argument(call, source)).(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	if !ok {
		return false
	}
	variable, _ := global.Object().(*types.Var)
	return known.IsRandomReader(variable)
}

func sameHolder(v, holder ssa.Value) bool {
	for range 8 {
		if v == nil {
			return false
		}
		if v == holder || program.Cell(v) == holder {
			return true
		}
		switch x := v.(type) {
		case *ssa.Slice:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			resolved := program.Resolve(v)
			if resolved == v {
				return false
			}
			v = resolved
		default:
			return false
		}
	}
	return false
}

func (t *tracer) extract(v *ssa.Extract, field string, depth int) []Origin {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		return t.call(tuple, v.Index, field, depth)
	case *ssa.Next:
		if rangeOver, ok := tuple.Iter.(*ssa.Range); ok {
			return t.walk(place{rangeOver.X, ""}, depth)
		}
	case *ssa.TypeAssert:
		return t.walk(place{tuple.X, field}, depth)
	case *ssa.Lookup:
		return t.element(tuple.X, tuple.Index, depth)
	}
	return leaf(v)
}

// call walks on through a call, or ends at it when it mints.
func (t *tracer) call(v *ssa.Call, result int, field string, depth int) []Origin {
	common := v.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "append" || builtin.Name() == "min" || builtin.Name() == "max" {
			return t.all(depth, places(common.Args)...)
		}
		return leaf(v)
	}
	callee := t.r.program.Callee(common)
	fn := declared(callee)
	if fn == nil {
		if callee.Body != nil {
			return t.literal(v, callee.Body, result, field, depth)
		}
		return leaf(v)
	}
	if isHouse(t.r.config.Mints, fn) && result == 0 {
		return []Origin{{At: v, Quality: Random}}
	}
	if isFunc(fn, "cmp", "Or") {
		return t.firstOf(common, depth)
	}
	of, quality, mints := known.Mint(fn)
	if mints && of == result && Quality(quality) != Derived {
		return []Origin{{At: v, Quality: Quality(quality)}}
	}
	if args, ok := known.PassesThrough(fn); ok && result == 0 {
		var inputs []place
		for _, index := range args {
			inputs = append(inputs, place{argument(common, index), ""})
		}
		found := t.all(depth, inputs...)
		if cutsTime(fn, common) {
			found = coarse(found)
		}
		if mints && !brings(found) {
			found = append(found[:len(found):len(found)], Origin{At: v, Quality: Derived})
		}
		return found
	}
	if mints && of == result {
		return []Origin{{At: v, Quality: Quality(quality)}}
	}
	if flows, ok := t.r.flowsOf(callee); ok {
		return t.flows(v, fn, flows, result, field, depth)
	}
	if callee.Func == nil && result == 0 && field == "" && mintName(fn) {
		return []Origin{{At: v, Quality: Random, Confidence: settings.Low}}
	}
	if isText(fn) {
		return t.all(depth, place{argument(common, -1), ""})
	}
	return leaf(v)
}

// cutsTime reports whether a method of time.Time leaves no more than the day: Format without a clock in its layout, Truncate, the parts of a date.
func cutsTime(fn *types.Func, call *ssa.CallCommon) bool {
	switch known.ID(fn) {
	case "time.Time.Format":
		layout, ok := constantText(argument(call, 0))
		return ok && !strings.ContainsAny(layout, ":.") && !strings.Contains(layout, "15") && !strings.Contains(layout, "05")
	case "time.Time.Truncate", "time.Time.Round", "time.Time.Date", "time.Time.Day", "time.Time.YearDay", "time.Time.Month", "time.Time.Year", "time.Time.ISOWeek":
		return true
	}
	return false
}

func coarse(origins []Origin) []Origin {
	out := slices.Clone(origins)
	for i := range out {
		out[i].Coarse = out[i].Coarse || out[i].Quality == Clock
	}
	return out
}

// isText recognises String methods of types that no table has: they tell what their receiver is.
func isText(fn *types.Func) bool {
	signature := fn.Type().(*types.Signature)
	return signature.Recv() != nil && signature.Params().Len() == 0 && (fn.Name() == "String" || fn.Name() == "Bytes")
}

// mintName recognises a method of an interface that can only be meant to mint.
func mintName(fn *types.Func) bool {
	if fn.Type().(*types.Signature).Params().Len() > 0 {
		return false
	}
	switch strings.ToLower(fn.Name()) {
	case "newid", "newuuid", "newulid", "newkey", "newidempotencykey", "generateid", "generateuuid", "generatekey", "generateidempotencykey", "nextid", "newv4", "newv7":
		return true
	}
	return false
}

// firstOf is cmp.Or: the first argument that is not empty.
func (t *tracer) firstOf(common *ssa.CallCommon, depth int) []Origin {
	if len(common.Args) != 1 {
		return nil
	}
	slice, ok := common.Args[0].(*ssa.Slice)
	if !ok {
		return nil
	}
	var choices []place
	for _, use := range uses(slice.X) {
		address, ok := use.instruction.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, store := range program.Stores(address) {
			choices = append(choices, place{store.Val, ""})
		}
	}
	return t.either(depth, choices)
}

// literal walks into a function literal that is called where it is in view.
func (t *tracer) literal(call *ssa.Call, body *ssa.Function, result int, field string, depth int) []Origin {
	for i, param := range body.Params {
		if i < len(call.Call.Args) && t.params[param] == nil {
			t.params[param] = call.Call.Args[i]
		}
	}
	return t.either(depth, returned(body, result, field))
}

// returned gives what a function may return as one of its results.
func returned(body *ssa.Function, result int, field string) []place {
	var choices []place
	for _, block := range body.Blocks {
		if len(block.Instrs) == 0 {
			continue
		}
		back, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if ok && result < len(back.Results) && block != body.Recover {
			choices = append(choices, place{back.Results[result], field})
		}
	}
	return choices
}

// flows applies what is known of a callee's results to a call.
func (t *tracer) flows(call *ssa.Call, fn *types.Func, flows []Flow, result int, field string, depth int) []Origin {
	args := arguments(call.Common())
	var found []Origin
	for _, flow := range flows {
		if flow.Result != result || flow.Field != field && !(field == "" && flow.Field != "") {
			continue
		}
		if flow.Quality == "" {
			if flow.Param < len(args) && flow.Param >= 0 {
				origins := t.walk(place{args[flow.Param], flow.Of}, depth)
				if flow.Mixed {
					origins = mixed(origins)
				}
				found = join(found, origins)
			}
			continue
		}
		origin := Origin{At: call, Quality: flow.Quality, Mixed: flow.Mixed, Path: flow.Path}
		for _, index := range flow.IfAbsent {
			if index < len(args) {
				origin.IfAbsent = append(origin.IfAbsent, args[index])
			}
		}
		if len(origin.IfAbsent) > 0 && allEmpty(origin.IfAbsent) {
			origin.Mixed, origin.IfAbsent = false, nil
		}
		found = join(found, []Origin{origin})
	}
	if len(found) == 0 {
		return leaf(call)
	}
	return found
}

func allEmpty(values []ssa.Value) bool {
	return !slices.ContainsFunc(values, func(v ssa.Value) bool { return !isEmpty(v) })
}

func places(values []ssa.Value) []place {
	out := make([]place, len(values))
	for i, v := range values {
		out[i] = place{v, ""}
	}
	return out
}

func isFunc(fn *types.Func, path, name string) bool {
	return fn.Name() == name && fn.Pkg() != nil && fn.Pkg().Path() == path
}

func isInteger(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// fieldName gives the name of a field of a struct or of the struct that a pointer points to.
func fieldName(t types.Type, index int) string {
	if field := fieldOf(t, index); field != nil {
		return field.Name()
	}
	return ""
}

func fieldOf(t types.Type, index int) *types.Var {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok || index >= structure.NumFields() {
		return nil
	}
	return structure.Field(index)
}
