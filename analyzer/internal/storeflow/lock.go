package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// lock recognises calls after which a caller has something to itself. Advisory locks of databases are statements and come with them.
func (p *Result) lock(call ssa.CallInstruction, fn *types.Func) (Access, bool) {
	if fn == nil {
		return Access{}, false
	}
	access := Access{Op: Lock, Call: call, Pos: call.Pos()}
	if p.guards[settings.FunctionName(fn)] {
		return access, true // the house says that it arbitrates
	}
	if _, isDefer := call.(*ssa.Defer); isDefer {
		return Access{}, false
	}
	switch packagePath(fn) {
	case "sync":
		if fn.Name() == "Lock" || fn.Name() == "TryLock" {
			access.Process = true
			access.Executor = p.executor(receiver(call), "", UnknownConn)
			return access, true
		}
	case "golang.org/x/sync/singleflight":
		if fn.Name() == "Do" || fn.Name() == "DoChan" {
			access.Process = true
			access.Executor = p.executor(receiver(call), "", UnknownConn)
			return access, true
		}
	}
	return Access{}, false
}

// locksForCallers reports whether a function leaves a mutex locked when it returns.
func (p *Result) locksForCallers(fn *ssa.Function) bool {
	locks, unlocks := 0, 0
	for _, call := range program.Calls(fn) {
		called := declared(call)
		if packagePath(called) != "sync" {
			continue
		}
		switch called.Name() {
		case "Lock", "TryLock":
			locks++
		case "Unlock":
			unlocks++
		}
	}
	return locks > unlocks
}
