package keyflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

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
	maxValues  = 256 // of one variable
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
	asked := place{v, field}
	if found, ok := r.traced[asked]; ok {
		return found
	}
	t := &tracer{r: r, steps: maxSteps, memo: map[place][]Origin{}, open: map[place]bool{}, params: map[*ssa.Parameter]ssa.Value{}}
	found := t.walk(asked, 0)
	r.traced[asked] = found
	return found
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
	other := len(places) > maxValues
	for _, p := range places[:min(len(places), maxValues)] {
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
		return t.walk(place{v.X, program.FieldName(v.X.Type(), v.Field)}, depth)
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
			return t.walk(place{alloc, field}, depth)
		}
	}
	return t.walk(place{v.X, field}, depth)
}

// address walks on from &x.f: what is stored in that field of x.
func (t *tracer) address(v *ssa.FieldAddr, field string, depth int) []Origin {
	name := program.FieldName(v.X.Type(), v.Field)
	if field != "" {
		return leaf(v) // a field of a field: too deep to tell
	}
	if member := program.Field(v.X.Type(), v.Field); member != nil && isInteger(member.Type()) && names.IsAttempt(name) {
		return []Origin{{At: v, Quality: Counter}}
	}
	return t.walk(place{v.X, name}, depth)
}

// element walks on from an element to what holds it and to what chose it: a random letter is random because of its index.
func (t *tracer) element(holder, index ssa.Value, depth int) []Origin {
	chosen := slices.DeleteFunc(slices.Clone(t.walk(place{index, ""}, depth)), func(o Origin) bool { return !o.Minted() })
	return join(t.walk(place{holder, ""}, depth), chosen)
}

func isFunc(fn *types.Func, path, name string) bool {
	return fn.Name() == name && fn.Pkg() != nil && fn.Pkg().Path() == path
}

func isInteger(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}
