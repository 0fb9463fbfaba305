package existsinsert

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// handled reports whether somebody tells the unique violation of an insert apart: the statement's own helper, the function later on, the functions around a literal, or a caller in this package.
func (in *inspection) handled(insert *storeflow.Access) bool {
	if insert.Guard.Has(storeflow.DuplicateHandled) {
		return true
	}
	errs := &look{Access: insert, in: in}
	for _, around := range outer(insert.Call.Parent()) {
		if in.tellsDuplicates(around) || errs.sentinelOfInsert(around) {
			return true
		}
		for _, call := range in.callersOf(around) {
			if in.tellsDuplicates(call.Parent()) {
				return true
			}
			if asInsert := (&look{Access: &storeflow.Access{Op: storeflow.Insert, Call: call}, in: in}); asInsert.sentinelOfInsert(call.Parent()) {
				return true
			}
		}
	}
	return false
}

// tellsDuplicates reports whether any condition in a function or its literals looks for a unique violation.
func (in *inspection) tellsDuplicates(fn *ssa.Function) bool {
	if known, ok := in.handles[fn]; ok {
		return known
	}
	in.handles[fn] = false
	tells := false
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			switch instruction := instruction.(type) {
			case *ssa.If:
				tells = tells || in.stores.DuplicateCheck(instruction.Cond)
			case *ssa.Call:
				tells = tells || isBool(instruction.Type()) && in.stores.DuplicateCheck(instruction)
			case *ssa.BinOp:
				tells = tells || (instruction.Op == token.EQL || instruction.Op == token.NEQ) && in.stores.DuplicateCheck(instruction)
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		tells = tells || in.tellsDuplicates(literal)
	}
	in.handles[fn] = tells
	return tells
}

// sentinelOfInsert reports whether the error of an insert is compared with a sentinel that says so by its name, or handed to a function that translates errors.
func (l *look) sentinelOfInsert(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			switch v := instruction.(type) {
			case *ssa.Call:
				if l.toldApartBy(v) {
					return true
				}
			case *ssa.BinOp:
				if (v.Op == token.EQL || v.Op == token.NEQ) && isError(v.X.Type()) && (isTaken(sentinel(v.Y)) && l.isLookError(v.X) || isTaken(sentinel(v.X)) && l.isLookError(v.Y)) {
					return true
				}
			}
		}
	}
	return false
}

func (l *look) toldApartBy(call *ssa.Call) bool {
	args := call.Call.Args
	switch {
	case isErrorsFunc(call, "Is") && len(args) == 2:
		return isTaken(sentinel(args[1])) && l.isLookError(args[0])
	case isErrorsFunc(call, "As") && len(args) == 2:
		return isTaken(pointedName(args[1])) && l.isLookError(args[0])
	}
	name := calleeName(call)
	if !isTaken(name) && !translateName.MatchString(name) || takesOut(name) {
		return false
	}
	if program.PathOf(call.Call.StaticCallee()) == "fmt" {
		return false
	}
	if body := l.in.program.Callee(&call.Call).Body; body != nil && !isTaken(name) {
		return l.in.tellsDuplicates(body) // in view, so its name need not be trusted
	}
	for _, arg := range args {
		if isError(arg.Type()) && l.isLookError(arg) {
			return true
		}
	}
	return false
}

// maxCallers bounds the callers that are asked; a function with more of them is a helper for everything.
const maxCallers = 40

// looksAfterFailure reports whether a failed insert leads to a look for the same rows: to the same one in a loop, or to another.
func (in *inspection) looksAfterFailure(accesses []storeflow.Access, l *look, insert *storeflow.Access) bool {
	result := &look{Access: insert, in: in}
	failed := func(e edge) bool {
		branch, ok := last(e.from).(*ssa.If)
		if !ok {
			return false
		}
		compared, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !isError(compared.X.Type()) || !result.isLookError(compared.X) && !result.isLookError(compared.Y) {
			return false
		}
		return compared.Op == token.NEQ && e.to == 0 || compared.Op == token.EQL && e.to == 1
	}
	for i := range accesses {
		again := &accesses[i]
		if again.Op != storeflow.Read || again.Call == nil || again.Table != l.Table || again.Entity != l.Entity {
			continue
		}
		_, from, to := common(insert.Call, again.Call)
		if from != nil && to != nil && from != to && reaches(from, to, nil) && !reaches(from, to, failed) {
			return true
		}
	}
	return false
}

// callersOf gives the calls of a function in this package.
func (in *inspection) callersOf(fn *ssa.Function) []ssa.CallInstruction {
	if in.callers == nil {
		in.callers = map[*ssa.Function][]ssa.CallInstruction{}
		for _, caller := range in.program.Functions() {
			for _, block := range caller.Blocks {
				for _, instruction := range block.Instrs {
					if call, ok := instruction.(ssa.CallInstruction); ok {
						if body := in.program.Callee(call.Common()).Body; body != nil && len(in.callers[body]) < maxCallers {
							in.callers[body] = append(in.callers[body], call)
						}
					}
				}
			}
		}
	}
	return in.callers[fn]
}

var lockTable = pattern.New(`(?i)^\s*lock\s+tables?\b`)

// locksTable reports whether a call runs LOCK TABLE.
func locksTable(call *ssa.Call) bool {
	return slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
		text, ok := program.Text(arg)
		return ok && lockTable.MatchString(text)
	})
}

// arbiter is what keeps two callers apart before they look.
type arbiter uint8

const (
	noArbiter arbiter = iota
	oneProcess
	everywhere
)

// arbiterBefore finds a lock that is taken on every way to the look, here or in all callers of this package.
func (in *inspection) arbiterBefore(fn *ssa.Function, accesses []storeflow.Access, l *look, insert *storeflow.Access) arbiter {
	found := noArbiter
	for i := range accesses {
		access := &accesses[i]
		if access.Call == nil || access.Call == l.Call {
			continue
		}
		switch {
		case access.Op == storeflow.Lock && comesBefore(access.Call, insert.Call):
			if !access.Process {
				return everywhere
			}
			found = oneProcess
		case access.Op == storeflow.Read && access.Guard.Has(storeflow.ForUpdate) && access.Table != l.Table && comesBefore(access.Call, l.Call):
			return everywhere // a parent that exists
		case access.Op == storeflow.Insert && access.Guard.Has(storeflow.OnConflict|storeflow.ResultRead) && comesBefore(access.Call, insert.Call) && access.Call != insert.Call:
			return everywhere // it was decided by that insert who goes on
		}
	}
	if named := in.namedLock(l.Call, insert.Call); named > found {
		found = named
	}
	if found == noArbiter {
		found = in.callersHold(fn)
	}
	return found
}

// namedLock finds a call of something called Lock before the insert, of a type that storeflow does not know.
func (in *inspection) namedLock(read, insert ssa.CallInstruction) arbiter {
	for _, fn := range outer(read.Parent()) {
		for _, block := range fn.Blocks {
			for _, instruction := range block.Instrs {
				call, ok := instruction.(*ssa.Call)
				if ok && locksTable(call) && comesBefore(call, insert) {
					return everywhere
				}
				if ok && lockName.MatchString(calleeName(call)) && comesBefore(call, insert) {
					return lockKind(call)
				}
			}
		}
	}
	return noArbiter
}

func lockKind(call *ssa.Call) arbiter {
	if program.PathOf(call.Call.StaticCallee()) == "sync" {
		return oneProcess
	}
	return everywhere
}

// callersHold reports what all callers of a function in this package hold when they call it.
func (in *inspection) callersHold(fn *ssa.Function) arbiter {
	calls := in.callersOf(fn)
	if len(calls) == 0 {
		return noArbiter
	}
	least := everywhere
	for _, call := range calls {
		held := noArbiter
		for _, access := range in.stores.Accesses(call.Parent()) {
			if access.Op != storeflow.Lock || access.Call == nil || !comesBefore(access.Call, call) {
				continue
			}
			if !access.Process {
				held = everywhere
			}
			held = max(held, oneProcess)
		}
		least = min(least, held)
	}
	return least
}
