package keyflow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// lifetime says how long a value that was looked at lives, compared with some code that runs again.
type lifetime struct {
	stays bool             // it outlives a turn, or may have been given from outside
	param []*ssa.Parameter // it is one of these, or comes from it
}

// lifetimeOf tells whether a value that must be absent is made anew in the code that contains tells of, so that it is absent every time. at is where it is looked at.
func (r *Result) lifetimeOf(v ssa.Value, at token.Pos, contains func(ssa.Instruction) bool, header *ssa.BasicBlock) lifetime {
	root := Root(v)
	switch root := root.(type) {
	case *ssa.Const:
		return lifetime{}
	case *ssa.Parameter:
		return lifetime{param: []*ssa.Parameter{root}}
	case *ssa.Phi:
		if header != nil && root.Block() == header || !contains(root) {
			return lifetime{stays: true}
		}
		return lifetime{stays: !r.onlyEmptyOrMinted(v)}
	case *ssa.Alloc:
		if !contains(root) || handedOn(root, at) {
			return lifetime{stays: true}
		}
		return r.filledFrom(v, root)
	case *ssa.Call:
		if !contains(root) {
			return lifetime{stays: true}
		}
		name := calledName(&root.Call)
		switch {
		case name == "Clone" || name == "WithContext":
			// What the copy lacks the original lacks too. Whether it does is for those to say who hand it in.
			if header == nil {
				if args := arguments(&root.Call); len(args) > 0 {
					return r.lifetimeOf(args[0], at, contains, nil)
				}
			}
			return lifetime{stays: handedOn(root, at)}
		case strings.HasPrefix(name, "NewRequest"):
			return lifetime{stays: handedOn(root, at)}
		}
	}
	return lifetime{stays: true}
}

func (r *Result) onlyEmptyOrMinted(v ssa.Value) bool {
	for _, origin := range r.origins(v, "") {
		if !origin.Minted() && !isEmpty(origin.At) {
			return false
		}
	}
	return true
}

// filledFrom tells where what is looked at in a local variable was taken from.
func (r *Result) filledFrom(v ssa.Value, root *ssa.Alloc) lifetime {
	var life lifetime
	for _, origin := range r.origins(v, "") {
		switch {
		case origin.Minted() || isEmpty(origin.At) || origin.At == ssa.Value(root):
		case origin.Param != nil:
			life.param = append(life.param, origin.Param)
		default:
			if _, constant := origin.At.(*ssa.Const); !constant && Root(origin.At) != ssa.Value(root) {
				life.stays = true
			}
		}
	}
	return life
}

// handedOn reports whether an object is given to a function before a place: options or middleware may have set the key in it.
func handedOn(object ssa.Value, before token.Pos) bool {
	var visit func(v ssa.Value, depth int) bool
	visit = func(v ssa.Value, depth int) bool {
		for _, use := range uses(v) {
			switch x := use.instruction.(type) {
			case ssa.CallInstruction:
				if x.Pos() >= before {
					continue
				}
				if name := calledName(x.Common()); name == "Get" || name == "Values" || name == "Set" || name == "Add" || name == "Del" || name == "Clone" || name == "WithContext" {
					continue
				}
				return true
			case *ssa.Extract:
				if depth < 3 && visit(x, depth+1) {
					return true
				}
			}
		}
		return false
	}
	return visit(object, 0)
}
