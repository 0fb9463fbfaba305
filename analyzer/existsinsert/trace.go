package existsinsert

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// derivation is how a value comes from the result of a look.
type derivation struct {
	direct bool     // it is a result of the look's call itself
	result int      // of a direct one
	length bool     // len of it
	cell   bool     // the look wrote it into a variable of the caller
	names  []string // fields, methods and variables on the way
}

func (d derivation) has(name string) bool { return slices.Contains(d.names, name) }
func (d derivation) hasCount() bool       { return slices.ContainsFunc(d.names, isCountName) }
func (d derivation) hasIdentity() bool    { return slices.ContainsFunc(d.names, isIdentityName) }
func (d derivation) hasExistence() bool   { return slices.ContainsFunc(d.names, saysPresent) }
func (d derivation) hasAbsence() bool     { return slices.ContainsFunc(d.names, saysAbsent) }

// tellsAbsence: a nil value stands for nothing found, but for a nullable column of a row that was found.
func (d derivation) tellsAbsence() bool {
	return !d.cell || !slices.ContainsFunc(d.names, isFieldName)
}

const maxTraceSteps = 200

// trace tells how a value comes from the look; ok is false when it does not.
func (l *look) trace(v ssa.Value) (derivation, bool) {
	t := &tracer{look: l, seen: map[ssa.Value]bool{}}
	return t.value(v)
}

type tracer struct {
	look *look
	seen map[ssa.Value]bool
}

func (t *tracer) value(v ssa.Value) (derivation, bool) {
	if v == nil || t.seen[v] || len(t.seen) > maxTraceSteps {
		return derivation{}, false
	}
	t.seen[v] = true
	switch v := v.(type) {
	case *ssa.Extract:
		d, ok := t.value(v.Tuple)
		if d.direct {
			d.result = v.Index
		}
		return d, ok
	case *ssa.Call:
		if v == t.look.Call.Value() {
			return derivation{direct: true}, true
		}
		return t.call(v)
	case *ssa.Phi:
		return t.phi(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return t.load(v)
		}
	case *ssa.Field:
		d, ok := t.value(v.X)
		return t.named(d, program.FieldName(v.X.Type(), v.Field)), ok
	case *ssa.FieldAddr:
		d, ok := t.value(v.X)
		return t.named(d, program.FieldName(v.X.Type(), v.Field)), ok
	case *ssa.Alloc:
		return t.cellAt(v, v, "")
	case *ssa.FreeVar:
		if bound := program.Binding(v); bound != nil {
			return t.value(bound)
		}
	case *ssa.ChangeType:
		return t.value(v.X)
	case *ssa.ChangeInterface:
		return t.value(v.X)
	case *ssa.MakeInterface:
		return t.value(v.X)
	case *ssa.TypeAssert:
		return t.value(v.X)
	case *ssa.Convert:
		return t.value(v.X)
	case *ssa.Slice:
		return t.value(v.X)
	}
	return derivation{}, false
}

func (t *tracer) named(d derivation, name string) derivation {
	d.direct = false
	d.names = append(d.names, name)
	return d
}

// phi: all ways give a value of the look's or a constant such as nil.
func (t *tracer) phi(v *ssa.Phi) (found derivation, ok bool) {
	for _, edge := range v.Edges {
		if _, isConst := edge.(*ssa.Const); isConst || edge == ssa.Value(v) {
			continue
		}
		d, derived := t.value(edge)
		if !derived {
			if again, isPhi := edge.(*ssa.Phi); isPhi && t.seen[again] {
				continue
			}
			return derivation{}, false
		}
		found, ok = d, true
	}
	if ok && v.Comment != "" {
		found.names = append(found.names, v.Comment)
	}
	return found, ok
}

// call follows calls that only take something out of a result: row.Scan, result.RowsAffected, len, a wrapped error, pgx.CollectRows.
func (t *tracer) call(call *ssa.Call) (derivation, bool) {
	args := call.Call.Args
	if builtin, ok := call.Call.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "append" {
			return derivation{}, t.inRowLoop(call)
		}
		if builtin.Name() != "len" || len(args) != 1 {
			return derivation{}, false
		}
		d, ok := t.value(args[0])
		d.length = true
		return d, ok
	}
	name := calleeName(call)
	if call.Call.IsInvoke() {
		if takesOut(name) {
			d, ok := t.value(call.Call.Value)
			return t.named(d, name), ok
		}
		return derivation{}, false
	}
	callee := call.Call.StaticCallee()
	if callee == nil {
		return derivation{}, false
	}
	if callee.Signature.Recv() != nil {
		if len(args) > 0 && takesOut(name) {
			d, ok := t.value(args[0])
			return t.named(d, name), ok
		}
		return derivation{}, false
	}
	for _, arg := range args {
		if isError(arg.Type()) && isError(call.Type()) || isRows(arg.Type()) {
			d, ok := t.value(arg)
			if ok {
				return t.named(d, name), true
			}
		}
	}
	return derivation{}, false
}

// inRowLoop reports whether an instruction stands in a loop over the rows of the look: what is appended there is a row.
func (t *tracer) inRowLoop(call *ssa.Call) bool {
	for block, steps := call.Block(), 0; block != nil && steps < maxTraceSteps; block, steps = block.Idom(), steps+1 {
		branch, ok := last(block).(*ssa.If)
		if !ok {
			continue
		}
		if next, ok := branch.Cond.(*ssa.Call); ok && calleeName(next) == "Next" {
			if _, ok := t.call(next); ok {
				return true
			}
		}
	}
	return false
}

// load reads a variable, or a field of one.
func (t *tracer) load(load *ssa.UnOp) (derivation, bool) {
	switch address := load.X.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return t.cellAt(program.Cell(address), load, "")
	case *ssa.FieldAddr:
		name := program.FieldName(address.X.Type(), address.Field)
		if cell := program.Cell(address.X); isAlloc(cell) {
			d, ok := t.cellAt(cell, load, name)
			return d, ok
		}
		d, ok := t.value(address.X)
		return t.named(d, name), ok
	case *ssa.IndexAddr:
		return t.value(address.X)
	}
	return derivation{}, false
}

func isAlloc(v ssa.Value) bool {
	_, ok := v.(*ssa.Alloc)
	return ok
}

// cellAt tells whether what a variable holds at an instruction comes from the look: the last write before it does, or, where that is not known, all writes do.
func (t *tracer) cellAt(cell ssa.Value, reader ssa.Instruction, field string) (derivation, bool) {
	alloc, ok := cell.(*ssa.Alloc)
	if !ok {
		return derivation{}, false
	}
	all := writes(alloc, field)
	nearest := nearestBefore(all, reader)
	var byNearest derivation
	nearestDerived := false
	if nearest != nil {
		// The nearest write decides, and is asked alone: a function can write one error variable a hundred times.
		byNearest, nearestDerived, _ = t.write(nearest)
		if !nearestDerived && !isConstantWrite(nearest) {
			return derivation{}, false
		}
	}
	var some derivation
	anyDerived, others := false, false
	if !nearestDerived {
		some, anyDerived, others = t.rest(all, nearest, reader)
	}
	var found derivation
	switch {
	case nearestDerived:
		found = byNearest
	case anyDerived && !others:
		found = some
	default:
		return derivation{}, false
	}
	if alloc.Comment != "" && alloc.Comment != "complit" && alloc.Comment != "new" {
		found.names = append(found.names, alloc.Comment)
	}
	if field != "" {
		found = t.named(found, field)
	}
	return found, true
}

func isConstantWrite(write ssa.Instruction) bool {
	store, ok := write.(*ssa.Store)
	if !ok {
		return false
	}
	_, isConst := store.Val.(*ssa.Const)
	return isConst
}

// nearestBefore gives the last write that is on every way to a reader; nil when there is none.
func nearestBefore(all []ssa.Instruction, reader ssa.Instruction) (nearest ssa.Instruction) {
	for _, write := range all {
		if comesBefore(write, reader) && (nearest == nil || comesBefore(nearest, write)) {
			nearest = write
		}
	}
	return nearest
}

// rest asks the writes that may or may not have happened: whether one of them is derived from the look, and whether another brings something else. What the nearest write replaced does not count.
func (t *tracer) rest(all []ssa.Instruction, nearest, reader ssa.Instruction) (some derivation, anyDerived, others bool) {
	for _, write := range all {
		d, derived, constant := t.write(write)
		if derived {
			some, anyDerived = d, true
			continue
		}
		replaced := write == nearest || nearest != nil && comesBefore(write, nearest) && comesBefore(write, reader)
		if !constant && !replaced {
			others = true
		}
	}
	return some, anyDerived, others
}

// write tells whether an instruction that writes a variable writes something of the look's.
func (t *tracer) write(write ssa.Instruction) (d derivation, derived, constant bool) {
	switch write := write.(type) {
	case *ssa.Store:
		if _, isConst := write.Val.(*ssa.Const); isConst {
			return derivation{}, false, true
		}
		d, derived = t.value(write.Val)
		return d, derived, false
	case *ssa.Call:
		if write == t.look.Call.Value() {
			return derivation{cell: true}, true, false
		}
		if d, derived = t.call(write); derived {
			return derivation{cell: true, names: d.names}, true, false
		}
	}
	return derivation{}, false, false
}

const maxWrites = 64

// writes gives the instructions that may write a variable, or one field of it: stores, and calls that get its address.
func writes(alloc *ssa.Alloc, field string) []ssa.Instruction {
	var found []ssa.Instruction
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value, address bool)
	visit = func(v ssa.Value, address bool) {
		referrers := v.Referrers()
		if referrers == nil || seen[v] || len(found) > maxWrites {
			return
		}
		seen[v] = true
		for _, referrer := range *referrers {
			switch referrer := referrer.(type) {
			case *ssa.Store:
				if referrer.Addr == v && address {
					found = append(found, referrer)
				}
				if referrer.Val == v { // into the array of a variadic call
					if element, ok := referrer.Addr.(*ssa.IndexAddr); ok {
						visit(element.X, false)
					}
				}
			case *ssa.Call:
				found = append(found, referrer)
			case *ssa.MakeInterface:
				visit(referrer, false)
			case *ssa.ChangeType:
				visit(referrer, false)
			case *ssa.Convert:
				visit(referrer, false)
			case *ssa.Slice:
				visit(referrer, false)
			case *ssa.FieldAddr:
				if field == "" || program.FieldName(referrer.X.Type(), referrer.Field) == field {
					visit(referrer, field != "")
				}
			case *ssa.MakeClosure:
				for i, bound := range referrer.Bindings {
					if bound == v {
						visit(referrer.Fn.(*ssa.Function).FreeVars[i], address)
					}
				}
			}
		}
	}
	visit(alloc, true)
	return found
}

// isRows knows what libraries give back before it is read: rows, a row, a cursor.
func isRows(t types.Type) bool {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	switch named.Obj().Name() {
	case "Rows", "Row", "Cursor", "SingleResult":
		return true
	}
	return false
}
