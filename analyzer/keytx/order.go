package keytx

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// order knows which instruction of a function runs after which.
type order struct {
	reach map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool
}

// dominates reports whether b cannot run without a having run before.
func dominates(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return index(a) < index(b)
	}
	return a.Block().Dominates(b.Block())
}

func index(instruction ssa.Instruction) int {
	for i, candidate := range instruction.Block().Instrs {
		if candidate == instruction {
			return i
		}
	}
	return -1
}

// reaches reports whether b may run after a.
func (o *order) reaches(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() && index(a) < index(b) {
		return true
	}
	return o.from(a.Block())[b.Block()]
}

// from gives the blocks that may follow a block; itself only where it is in a loop.
func (o *order) from(block *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	if known, ok := o.reach[block]; ok {
		return known
	}
	if o.reach == nil {
		o.reach = map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool{}
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock(nil), block.Succs...)
	for len(work) > 0 {
		next := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[next] {
			continue
		}
		seen[next] = true
		work = append(work, next.Succs...)
	}
	o.reach[block] = seen
	return seen
}

// relation is where a write stands to a transaction that it does not belong to.
type relation uint8

const (
	elsewhere relation = iota // on another way through the function
	before
	inside // between begin and commit
	after
)

// relate finds where a write stands to a unit, of which example is a write.
func (f *function) relate(w *write, of *write) relation {
	switch of.unit.kind {
	case inTx:
		return f.relateTransaction(w, of.unit.tx)
	case ownTx:
		begin, _ := siteIn(f.fn, of.Call)
		switch {
		case begin == nil:
			return elsewhere
		case dominates(begin, w.site):
			return after
		case f.order.reaches(w.site, begin):
			return before
		}
	}
	return elsewhere
}

func (f *function) relateTransaction(w *write, transaction *storeflow.Transaction) relation {
	if transaction.Body != nil {
		switch begin := transaction.Begin; {
		case within(w.Call.Parent(), transaction.Body):
			if w.deferred {
				return elsewhere
			}
			return inside
		case begin == nil:
			return elsewhere
		default:
			site, _ := siteIn(f.fn, begin)
			return f.around(w, site, site)
		}
	}
	var commit ssa.Instruction
	for _, call := range transaction.Commits {
		if site, deferred := siteIn(f.fn, call); site != nil && !deferred {
			if commit == nil || dominates(site, w.site) {
				commit = site
			}
		}
	}
	var begin ssa.Instruction
	if transaction.Begin != nil {
		begin, _ = siteIn(f.fn, transaction.Begin)
	}
	return f.around(w, begin, commit)
}

// around finds where a write stands to a transaction from begin (nil: from the start) to commit (nil: to the end).
func (f *function) around(w *write, begin, commit ssa.Instruction) relation {
	if w.deferred {
		return elsewhere
	}
	if commit != nil && commit != w.site && dominates(commit, w.site) {
		return after
	}
	switch {
	case begin == nil || begin != w.site && dominates(begin, w.site):
		if commit != nil && !f.order.reaches(w.site, commit) {
			return elsewhere // a way that ends without the commit
		}
		return inside
	case f.order.reaches(w.site, begin):
		return before
	}
	return elsewhere
}

// onFailure reports whether a call runs only after something has failed: what is written then is meant to be kept apart.
// A look-up that found nothing is no failure.
func (c *checker) onFailure(call ssa.CallInstruction) bool {
	for block := call.Block(); block != nil; block = block.Idom() {
		parent := block.Idom()
		if parent == nil || len(block.Preds) != 1 || block.Preds[0] != parent {
			continue
		}
		branch, ok := parent.Instrs[len(parent.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		if err := failing(branch.Cond, parent.Succs[0] == block); err != nil && c.isFailure(err) {
			return true
		}
	}
	return false
}

// failing gives the error that is known to be set when a condition is true (or false).
func failing(condition ssa.Value, holds bool) ssa.Value {
	switch condition := condition.(type) {
	case *ssa.BinOp:
		if condition.Op != token.NEQ && condition.Op != token.EQL || (condition.Op == token.NEQ) != holds {
			return nil
		}
		if isNil(condition.Y) && isError(condition.X.Type()) {
			return condition.X
		}
		if isNil(condition.X) && isError(condition.Y.Type()) {
			return condition.Y
		}
	case *ssa.UnOp:
		if condition.Op == token.NOT {
			return failing(condition.X, !holds)
		}
	case *ssa.Call:
		if callee := condition.Call.StaticCallee(); holds && callee != nil && (callee.String() == "errors.Is" || callee.String() == "errors.As") {
			return condition.Call.Args[0]
		}
	}
	return nil
}

func isNil(v ssa.Value) bool {
	constant, ok := v.(*ssa.Const)
	return ok && constant.Value == nil
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// isFailure reports whether an error is that of something else than a look-up.
func (c *checker) isFailure(err ssa.Value) bool {
	call := callBehind(err)
	if call == nil {
		return true
	}
	if callee := call.Call.StaticCallee(); callee != nil && callee.Name() == "Scan" || call.Call.IsInvoke() && call.Call.Method.Name() == "Scan" {
		return false
	}
	list := c.stores.Of(call)
	if len(list) == 0 {
		return true
	}
	for _, access := range list {
		if access.Op != storeflow.Read {
			return true
		}
	}
	return false
}

// callBehind finds the call that gives an error.
func callBehind(err ssa.Value) *ssa.Call {
	for range 8 {
		switch v := program.Resolve(err).(type) {
		case *ssa.Extract:
			err = v.Tuple
		case *ssa.Call:
			return v
		case *ssa.UnOp:
			next := lastStore(v)
			if next == nil {
				if field, ok := v.X.(*ssa.FieldAddr); ok { // db.Error of gorm
					err = field.X
					continue
				}
				return nil
			}
			err = next
		default:
			return nil
		}
	}
	return nil
}

// lastStore gives what a variable holds that several places set, where the latest of them is on the only way to the load.
func lastStore(load *ssa.UnOp) ssa.Value {
	if load.Op != token.MUL {
		return nil
	}
	block, from := load.Block(), index(load)
	for range 16 {
		for i := from - 1; i >= 0; i-- {
			if store, ok := block.Instrs[i].(*ssa.Store); ok && store.Addr == load.X {
				return store.Val
			}
		}
		if len(block.Preds) != 1 {
			return nil
		}
		block = block.Preds[0]
		from = len(block.Instrs)
	}
	return nil
}

// leaves reports whether the error of a call can leave the function. ok is false when the call gives none.
func leaves(call ssa.CallInstruction) (leaves, ok bool) {
	value := call.Value()
	if value == nil {
		return false, true // defer, go
	}
	seen := map[ssa.Value]bool{}
	var errs []ssa.Value
	results := call.Common().Signature().Results()
	switch {
	case results.Len() == 1 && isError(results.At(0).Type()):
		errs = append(errs, value)
	case results.Len() > 1 && isError(results.At(results.Len()-1).Type()):
		for _, referrer := range *value.Referrers() {
			if extract, isExtract := referrer.(*ssa.Extract); isExtract && extract.Index == results.Len()-1 {
				errs = append(errs, extract)
			}
		}
	case results.Len() == 1:
		errs = append(errs, value) // gorm's *DB, go-redis's *StatusCmd: the error is in it
	default:
		return true, false
	}
	for _, err := range errs {
		if flowsOut(err, seen) {
			return true, true
		}
	}
	return false, true
}

// flowsOut follows a value to a return, through wrapping, and to what is done with it in ways that are not followed.
func flowsOut(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || len(seen) > 100 {
		return false
	}
	seen[v] = true
	referrers := v.Referrers()
	if referrers == nil {
		return false
	}
	for _, referrer := range *referrers {
		switch use := referrer.(type) {
		case *ssa.Return:
			return true
		case *ssa.Panic:
			return true
		case *ssa.Store:
			if use.Val != v {
				continue
			}
			if flowsOutOf(use.Addr, seen) {
				return true
			}
		case *ssa.BinOp:
			if toldWhere(use) {
				return true
			}
		case *ssa.Call:
			if passesErrorOn(use) && flowsOut(use, seen) {
				return true
			}
		case *ssa.Phi, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Extract, *ssa.FieldAddr, *ssa.UnOp, *ssa.TypeAssert, *ssa.ChangeType, *ssa.Slice:
			if flowsOut(use.(ssa.Value), seen) {
				return true
			}
		}
	}
	return false
}

// flowsOutOf follows a variable, or the array of variadic arguments, that a value is stored in.
func flowsOutOf(address ssa.Value, seen map[ssa.Value]bool) bool {
	switch address := address.(type) {
	case *ssa.IndexAddr:
		return flowsOut(address.X, seen)
	case *ssa.FieldAddr:
		return true // kept somewhere
	case *ssa.FreeVar, *ssa.Global:
		return true // a variable of the function around
	}
	return flowsOut(address, seen)
}

// passesErrorOn reports whether a call gives an error back that holds its argument: fmt.Errorf, errors.Join, Err().
func passesErrorOn(call *ssa.Call) bool {
	results := call.Call.Signature().Results()
	for i := range results.Len() {
		if isError(results.At(i).Type()) {
			return true
		}
	}
	return false
}

// toldWhere reports whether the side of a branch on which an error is there tells somebody: another error is returned, the request is answered, the program stops. To log it tells nobody who would try again.
func toldWhere(condition *ssa.BinOp) bool {
	for _, referrer := range *condition.Referrers() {
		branch, ok := referrer.(*ssa.If)
		if !ok {
			continue
		}
		for i, side := range branch.Block().Succs {
			if len(side.Preds) == 1 && failing(condition, i == 0) != nil && tells(side) {
				return true
			}
		}
	}
	return false
}

func tells(block *ssa.BasicBlock) bool {
	for _, instruction := range block.Instrs {
		switch instruction := instruction.(type) {
		case *ssa.Panic:
			return true
		case *ssa.Return:
			for _, result := range instruction.Results {
				if isError(result.Type()) && !isNil(result) {
					return true
				}
			}
		case *ssa.Call:
			if answersRequest(&instruction.Call) {
				return true
			}
		}
	}
	return false
}

// answers are methods of what a handler answers a request with: http.ResponseWriter, and the contexts of gin, echo and fiber.
var answers = []string{"WriteHeader", "AbortWithStatus", "NoContent", "SendStatus"}

// answersRequest reports whether a call is one of, or is given, what a handler answers with.
func answersRequest(call *ssa.CallCommon) bool {
	values := call.Args
	if call.IsInvoke() {
		values = append([]ssa.Value{call.Value}, values...)
	}
	return slices.ContainsFunc(values, func(value ssa.Value) bool {
		methods := types.NewMethodSet(value.Type())
		return slices.ContainsFunc(answers, func(name string) bool { return methods.Lookup(nil, name) != nil })
	})
}
