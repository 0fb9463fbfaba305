package existsinsert

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// look is a search for a row, and what follows from its result.
type look struct {
	*storeflow.Access
	in *inspection
	// strict: an error of any kind does not count as "nothing found".
	strict bool

	branches map[*ssa.If][2]side // filled by edgeSide
}

// lookBefore finds the nearest look for the rows that an insert fills, where the insert is reached only when the look found nothing.
func (in *inspection) lookBefore(accesses []storeflow.Access, insert int) *look {
	into := &accesses[insert]
	if !runsHere(into.Call) {
		return nil
	}
	var nearest *look
	for i := range accesses {
		read := &accesses[i]
		if read.Call == nil || read.Call == into.Call || !isLook(read) || !sameRows(read, into) || !runsHere(read.Call) {
			continue
		}
		if nearest != nil && !comesBefore(nearest.Call, read.Call) {
			continue
		}
		candidate := &look{Access: read, in: in}
		if candidate.onlyWhenAbsent(into.Call) {
			nearest = candidate
		}
	}
	return nearest
}

// runsHere leaves out what is deferred or started: it does not run where it stands.
func runsHere(call ssa.CallInstruction) bool {
	_, ok := call.(*ssa.Call)
	return ok
}

// isLook: an update is one too, for its row count tells whether the row is there.
func isLook(access *storeflow.Access) bool {
	switch access.Op {
	case storeflow.Read:
		return true
	case storeflow.Update:
		return access.Engine == storeflow.SQL && len(access.Path) == 0
	}
	return false
}

// sameRows asks whether a look and an insert are about the same rows: one table or entity, and at least one column in common where both tell theirs.
func sameRows(read, insert *storeflow.Access) bool {
	if read.Engine != insert.Engine {
		return false
	}
	switch {
	case read.Guessed || insert.Guessed:
		if read.Entity != insert.Entity && (read.Entity != "" || !oneRepository(read.Call, insert.Call)) || insert.Entity == "" {
			return false
		}
	case read.Key != nil && read.Key == insert.Key:
		return true // one Redis key, whatever it is called
	case read.Table != insert.Table || read.Table == "" && (read.Entity == "" || read.Entity != insert.Entity):
		return false
	}
	if len(read.Columns) == 0 {
		// A look without a condition asks whether the table is empty. Where the library hides the condition there may be one.
		return read.Guessed || read.Engine != storeflow.SQL || read.Partial
	}
	if len(insert.Columns) == 0 {
		return true
	}
	return slices.ContainsFunc(read.Columns, func(column string) bool { return slices.Contains(insert.Columns, column) })
}

// oneRepository: a method that gives a bool or a number tells no entity; then both must be methods of one interface.
func oneRepository(read, insert ssa.CallInstruction) bool {
	a, b := read.Common(), insert.Common()
	return a.IsInvoke() && b.IsInvoke() && types.Identical(a.Value.Type(), b.Value.Type())
}
