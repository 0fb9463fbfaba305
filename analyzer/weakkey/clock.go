package weakkey

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// maxWalk bounds the walk from a key back to a clock.
const maxWalk = 400

// stepped reports whether the time reaches the key in steps of a minute or longer only: such a key says "once a day", and means it. A time that reaches the key in a way that is not in view is not stepped.
func stepped(key, clock ssa.Value) bool {
	walk := backwards{to: clock, seen: map[ssa.Value]bool{}}
	walk.from(key)
	return walk.steps && !walk.reached
}

// backwards walks from a value to another through all that it is made of.
type backwards struct {
	to      ssa.Value
	seen    map[ssa.Value]bool
	reached bool // on a way without a step
	steps   bool // a step was met
}

func (w *backwards) from(v ssa.Value) {
	if v == nil || w.reached || w.seen[v] || len(w.seen) > maxWalk {
		return
	}
	w.seen[v] = true
	if v == w.to {
		w.reached = true
		return
	}
	if steps(v) {
		w.steps = true
		return
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		w.stored(v)
		return
	case *ssa.FreeVar:
		w.from(program.Binding(v))
		return
	}
	instruction, ok := v.(ssa.Instruction)
	if !ok {
		return
	}
	for _, operand := range instruction.Operands(nil) {
		if operand != nil {
			w.from(*operand)
		}
	}
}

// stored goes on to what is put into a variable, into its members and its elements.
func (w *backwards) stored(holder ssa.Value) {
	referrers := holder.Referrers()
	if referrers == nil {
		return
	}
	for _, referrer := range *referrers {
		switch referrer := referrer.(type) {
		case *ssa.Store:
			if referrer.Addr == holder {
				w.from(referrer.Val)
			}
		case *ssa.IndexAddr:
			w.stored(referrer)
		case *ssa.FieldAddr:
			w.stored(referrer)
		}
	}
}

// steps recognises what makes a coarser time of a time: a format without seconds, truncation, a date, a division.
func steps(v ssa.Value) bool {
	if quotient, ok := v.(*ssa.BinOp); ok {
		divisor, constant := quotient.Y.(*ssa.Const)
		return quotient.Op == token.QUO && constant && divisor.Value != nil && isNumber(divisor.Type()) && divisor.Int64() >= 60
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	callee := call.Call.StaticCallee()
	if callee == nil || !strings.HasPrefix(callee.String(), "(time.Time).") {
		return false
	}
	switch callee.Name() {
	case "Truncate", "Round", "Date", "YearDay", "Day", "Month", "Year", "Hour", "Weekday", "ISOWeek":
		return true
	case "Format":
		layout, ok := program.Text(call.Call.Args[len(call.Call.Args)-1])
		return ok && !strings.Contains(layout, program.Hole) && !strings.Contains(layout, "05") && !strings.Contains(layout, "5.")
	}
	return false
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}
