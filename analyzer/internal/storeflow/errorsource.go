package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// memberOf gives the field or method that a value is read with, and what it is read from.
func memberOf(v ssa.Value) (member string, base ssa.Value) {
	for range errorDepth {
		v = program.Resolve(v)
		switch read := v.(type) {
		case *ssa.Convert:
			v = read.X
			continue
		case *ssa.UnOp:
			if address, ok := read.X.(*ssa.FieldAddr); ok {
				return program.FieldName(address.X.Type(), address.Field), address.X
			}
		case *ssa.Field:
			return program.FieldName(read.X.Type(), read.Field), read.X
		case *ssa.Call:
			if fn := declared(read); fn != nil && receiver(read) != nil {
				if fn.Name() == "Name" || fn.Name() == "String" {
					if inner, from := memberOf(receiver(read)); inner != "" {
						return inner, from
					}
				}
				return fn.Name(), receiver(read)
			}
		}
		return "", v
	}
	return "", v
}

// errorBehind gives the error that a driver's error was taken out of: by errors.As, an assertion, or a helper.
func (p *Result) errorBehind(v ssa.Value, depth int) ssa.Value {
	if v == nil || depth == 0 {
		return nil
	}
	v = program.Resolve(v)
	switch v := v.(type) {
	case *ssa.UnOp:
		if err := asTarget(program.Cell(v.X)); err != nil {
			return err
		}
		if alloc, ok := program.Cell(v.X).(*ssa.Alloc); ok {
			for _, store := range program.Stores(alloc) {
				if err := p.errorBehind(store.Val, depth-1); err != nil {
					return err
				}
			}
		}
	case *ssa.Alloc:
		return asTarget(v)
	case *ssa.FieldAddr:
		return p.errorBehind(v.X, depth-1)
	case *ssa.Field:
		return p.errorBehind(v.X, depth-1)
	case *ssa.TypeAssert:
		return v.X
	case *ssa.Extract:
		if assertion, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return assertion.X
		}
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return errorArgument(call)
		}
	case *ssa.Call:
		if err := errorArgument(v); err != nil {
			return err
		}
		if base := receiver(v); base != nil {
			return p.errorBehind(base, depth-1)
		}
	case *ssa.Parameter:
		return v
	case *ssa.Phi:
		if len(v.Edges) > maxEdges {
			return nil
		}
		for _, edge := range v.Edges {
			if edge != v && !isNil(edge) {
				if err := p.errorBehind(edge, depth/2); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// asTarget gives the error that errors.As looked for a target in.
func asTarget(target ssa.Value) ssa.Value {
	if target == nil || target.Referrers() == nil {
		return nil
	}
	for _, use := range *target.Referrers() {
		var call *ssa.Call
		switch use := use.(type) {
		case *ssa.MakeInterface:
			for _, boxed := range *use.Referrers() {
				if c, ok := boxed.(*ssa.Call); ok {
					call = c
				}
			}
		case *ssa.Call:
			call = use
		}
		if call == nil {
			continue
		}
		if fn := declared(call); fn != nil && fn.Name() == "As" && len(arguments(call)) >= 2 {
			return argument(call, 0)
		}
	}
	return nil
}

func errorArgument(call *ssa.Call) ssa.Value {
	for _, arg := range arguments(call) {
		if isError(arg.Type()) {
			return arg
		}
	}
	return nil
}

// errorSources gives the calls and parameters that an error comes from.
func (p *Result) errorSources(err ssa.Value) []ssa.Value {
	var out []ssa.Value
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value, depth int)
	visit = func(v ssa.Value, depth int) {
		if v == nil || depth == 0 {
			return
		}
		v = program.Resolve(v)
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Parameter:
			out = append(out, v)
		case *ssa.Phi:
			for _, edge := range v.Edges {
				visit(edge, depth-1)
			}
		case *ssa.Extract:
			visit(v.Tuple, depth-1)
		case *ssa.TypeAssert:
			visit(v.X, depth-1)
		case *ssa.UnOp:
			for _, store := range program.Stores(program.Cell(v.X)) {
				visit(store.Val, depth-1)
			}
		case *ssa.Call:
			out = append(out, v)
			// The row that is scanned, the error that is wrapped.
			if base := receiver(v); base != nil {
				visit(base, depth-1)
			}
			for _, arg := range arguments(v) {
				if types.Implements(arg.Type(), errorInterface) {
					visit(arg, depth-1)
				}
				for _, element := range elements(arg) {
					if element != nil && isError(program.Resolve(element).Type()) {
						visit(element, depth-1)
					}
				}
			}
		}
	}
	visit(err, errorDepth)
	return out
}
