package keyflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

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
