package program

import (
	"go/constant"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Hole stands in a text for a part that is known at run time only.
const Hole = "\x00"

// Text gives the text of a string value: constants, their concatenation, fmt.Sprintf of a constant format, and package-level variables that are set once.
// Parts that are not known become [Hole]. ok is false when nothing of the text is known.
func Text(v ssa.Value) (text string, ok bool) {
	text = textOf(v, resolveDepth)
	return text, strings.Trim(text, Hole) != ""
}

func textOf(v ssa.Value, depth int) string {
	if depth == 0 {
		return Hole
	}
	switch v := Resolve(v).(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return constant.StringVal(v.Value)
		}
	case *ssa.BinOp:
		if v.Op == token.ADD {
			return textOf(v.X, depth-1) + textOf(v.Y, depth-1)
		}
	case *ssa.Call:
		if callee := v.Call.StaticCallee(); callee != nil && callee.String() == "fmt.Sprintf" && len(v.Call.Args) > 0 {
			return formatted(textOf(v.Call.Args[0], depth-1))
		}
	case *ssa.UnOp:
		if global, isGlobal := v.X.(*ssa.Global); isGlobal && v.Op == token.MUL {
			return globalText(global, depth)
		}
	}
	return Hole
}

// formatted replaces the verbs of a format by holes.
func formatted(format string) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[i]) >= 0 {
			i++
		}
		if i < len(format) && format[i] == '%' {
			out.WriteByte('%')
			continue
		}
		out.WriteString(Hole)
	}
	return out.String()
}

// globalText gives the text of a package-level variable that is set once, where it is declared.
func globalText(global *ssa.Global, depth int) string {
	if global.Pkg == nil {
		return Hole
	}
	initialiser := global.Pkg.Func("init")
	if initialiser == nil {
		return Hole
	}
	var stored ssa.Value
	for _, block := range initialiser.Blocks {
		for _, instruction := range block.Instrs {
			if store, ok := instruction.(*ssa.Store); ok && store.Addr == global {
				if stored != nil {
					return Hole
				}
				stored = store.Val
			}
		}
	}
	if stored == nil {
		return Hole
	}
	return textOf(stored, depth-1)
}
