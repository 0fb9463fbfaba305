package program

import (
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Field gives the field at an index of a struct, or of the struct that a pointer points to; nil when there is none.
func Field(t types.Type, index int) *types.Var {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok || index >= structure.NumFields() {
		return nil
	}
	return structure.Field(index)
}

// FieldName gives the name of what [Field] gives; empty when there is none.
func FieldName(t types.Type, index int) string {
	if field := Field(t, index); field != nil {
		return field.Name()
	}
	return ""
}

// Calls gives the calls of a function in source order.
func Calls(fn *ssa.Function) []ssa.CallInstruction {
	var calls []ssa.CallInstruction
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			if call, ok := instruction.(ssa.CallInstruction); ok {
				calls = append(calls, call)
			}
		}
	}
	sort.SliceStable(calls, func(i, j int) bool { return calls[i].Pos() < calls[j].Pos() })
	return calls
}
