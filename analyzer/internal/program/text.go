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
	r := reader{steps: maxTextSteps, left: maxTextBytes}
	text = r.text(v, resolveDepth)
	return text, strings.Trim(text, Hole) != ""
}

// Bounds of a text. Without them a text that is put together of itself, s = s + s, is twice as long with each line of the program.
const (
	maxTextSteps = 500
	maxTextBytes = 1 << 20
)

// reader reads one text.
type reader struct {
	steps int // parts that may still be read
	left  int // bytes of constants that may still be put together
}

func (r *reader) text(v ssa.Value, depth int) string {
	if depth == 0 || r.steps == 0 {
		return Hole
	}
	r.steps--
	switch v := Resolve(v).(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return r.constant(constant.StringVal(v.Value))
		}
	case *ssa.BinOp:
		if v.Op == token.ADD {
			return r.text(v.X, depth-1) + r.text(v.Y, depth-1)
		}
	case *ssa.Call:
		if callee := v.Call.StaticCallee(); callee != nil && callee.String() == "fmt.Sprintf" && len(v.Call.Args) > 0 {
			return formatted(r.text(v.Call.Args[0], depth-1))
		}
	case *ssa.UnOp:
		if global, isGlobal := v.X.(*ssa.Global); isGlobal && v.Op == token.MUL {
			return r.global(global, depth)
		}
	}
	return Hole
}

func (r *reader) constant(text string) string {
	if len(text) > r.left {
		return Hole
	}
	r.left -= len(text)
	return text
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

// global gives the text of a package-level variable that is set once, where it is declared.
func (r *reader) global(global *ssa.Global, depth int) string {
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
	return r.text(stored, depth-1)
}
