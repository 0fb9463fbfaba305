package weakkey

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
)

// parts is what a key is made of, sorted by what that is worth.
type parts struct {
	random   []keyflow.Origin // tells any two keys apart
	clock    []keyflow.Origin
	weak     []keyflow.Origin // math/rand
	counter  []keyflow.Origin
	constant []keyflow.Origin
	named    []keyflow.Origin // parameters and members: ids, as a rule
	unknown  []keyflow.Origin
	hashed   bool
}

func sort(origins []keyflow.Origin, counters *counters) parts {
	var p parts
	for _, origin := range origins {
		switch origin.Quality {
		case keyflow.Random, keyflow.Ordered:
			p.random = append(p.random, origin)
			continue
		case keyflow.Clock:
			if origin.Coarse {
				p.unknown = append(p.unknown, origin)
				continue
			}
			p.clock = append(p.clock, origin)
			continue
		case keyflow.Weak:
			p.weak = append(p.weak, origin)
			continue
		case keyflow.Derived:
			p.hashed = true
			continue
		case keyflow.Counter:
			p.counter = append(p.counter, origin)
			continue
		}
		switch {
		case isConstant(origin.At):
			p.constant = append(p.constant, origin)
		case counters.counts(origin):
			p.counter = append(p.counter, origin)
		case nameOf(origin) != "":
			p.named = append(p.named, origin)
		default:
			p.unknown = append(p.unknown, origin)
		}
	}
	return p
}

// isConstant sees literals, and the name spaces of name-based UUIDs.
func isConstant(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.Global:
		return strings.HasPrefix(strings.ToLower(v.Name()), "namespace")
	}
	return false
}

// nameOf gives the name of the parameter or member that an origin is, "" for others.
func nameOf(origin keyflow.Origin) string {
	if origin.Param != nil {
		if origin.Field != "" {
			return origin.Field
		}
		return origin.Param.Name()
	}
	address, ok := origin.At.(*ssa.FieldAddr)
	if !ok {
		return ""
	}
	if structure := structOf(address.X.Type()); structure != nil {
		return structure.Field(address.Field).Name()
	}
	return ""
}

// fieldOf gives the member of the parameter's struct that an origin is, nil when it is none.
func fieldOf(origin keyflow.Origin) *types.Var {
	if origin.Param == nil || origin.Field == "" {
		return nil
	}
	structure := structOf(origin.Param.Type())
	if structure == nil {
		return nil
	}
	for i := range structure.NumFields() {
		if structure.Field(i).Name() == origin.Field {
			return structure.Field(i).Origin()
		}
	}
	return nil
}

// structOf gives the struct that a type is or points to, nil for any other.
func structOf(t types.Type) *types.Struct {
	structure, _ := pointedTo(t).Underlying().(*types.Struct)
	return structure
}

func pointedTo(t types.Type) types.Type {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
