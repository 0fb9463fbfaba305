package keyflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
)

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
			name := program.FieldName(use.X.Type(), use.Field)
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
