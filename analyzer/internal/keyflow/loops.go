package keyflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// loopsOf gives the loops of a function, each told apart: those that retry, and those that take turns for other reasons.
func (r *Result) loopsOf(fn *ssa.Function) []*Region {
	if known, ok := r.loops[fn]; ok {
		return known
	}
	var found []*Region
	for _, block := range fn.Blocks {
		if !loopHeader(block) {
			continue
		}
		l := &Region{Kind: turns, Fn: fn, header: block, blocks: loopBlocks(block)}
		l.Stmt, l.Pos = loopStmt(fn, l)
		found = append(found, l)
	}
	for _, l := range found {
		r.judge(l)
	}
	r.loops[fn] = found
	return found
}

// loopBlocks gives the blocks from which a turn can come round again.
func loopBlocks(header *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	blocks := map[*ssa.BasicBlock]bool{header: true}
	var work []*ssa.BasicBlock
	for _, pred := range header.Preds {
		if header.Dominates(pred) {
			work = append(work, pred)
		}
	}
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		if blocks[block] {
			continue
		}
		blocks[block] = true
		work = append(work, block.Preds...)
	}
	return blocks
}

// loopStmt gives the innermost loop statement that holds all of a loop's instructions. A loop made of goto has none; its position is that of its first instruction.
func loopStmt(fn *ssa.Function, l *Region) (ast.Stmt, token.Pos) {
	first, last := token.NoPos, token.NoPos
	for block := range l.blocks {
		for _, instruction := range block.Instrs {
			if _, isPhi := instruction.(*ssa.Phi); isPhi || !instruction.Pos().IsValid() {
				continue
			}
			if _, isAlloc := instruction.(*ssa.Alloc); isAlloc {
				continue
			}
			pos := instruction.Pos()
			if !first.IsValid() || pos < first {
				first = pos
			}
			if pos > last {
				last = pos
			}
		}
	}
	syntax := fn.Syntax()
	if syntax == nil || !first.IsValid() {
		return nil, first
	}
	gotoLoop := !strings.HasPrefix(l.header.Comment, "for.") && !strings.HasPrefix(l.header.Comment, "range")
	if gotoLoop {
		return nil, first
	}
	var innermost ast.Stmt
	ast.Inspect(syntax, func(n ast.Node) bool {
		if n == nil || n.Pos() > first || n.End() < last {
			return n == syntax
		}
		switch n := n.(type) {
		case *ast.ForStmt:
			innermost = n
		case *ast.RangeStmt:
			innermost = n
		case *ast.FuncLit:
			return n == syntax
		}
		return true
	})
	if innermost == nil {
		return nil, first
	}
	return innermost, innermost.Pos()
}

// evidence is what speaks for a loop being a retry.
type evidence struct {
	attempts  bool // a counter, a bound or a list of delays that is called so
	waits     bool // it sleeps or waits for a timer
	outcome   bool // it goes on after an error and may leave after a success
	strict    bool // it goes on after an error and always leaves after a success
	predicate bool // it asks whether to retry
	counter   bool // it counts to a bound, and the counter picks no item
	items     bool // its counter picks an item in each turn
	collision bool // it goes on because something is taken already
	worker    bool // each turn receives something
}

// judge decides whether a loop retries. Two hints are needed, and none of the shapes that look alike.
func (r *Result) judge(l *Region) {
	e := r.evidenceOf(l)
	l.worker = e.worker
	if e.collision || !mayRetry(l) {
		return
	}
	switch {
	case e.attempts && (e.outcome || e.waits || e.predicate):
	case e.worker || e.items:
		return
	case e.waits && (e.strict || e.predicate):
	case e.counter && e.strict:
	case e.strict && e.predicate:
	case e.strict:
		// for { if err := send(); err == nil { return nil } }
		l.Kind, l.Confidence = Loop, settings.Medium
		return
	default:
		return
	}
	l.Kind, l.Confidence = Loop, settings.High
}

// mayRetry rules out loops that walk through items.
func mayRetry(l *Region) bool {
	if strings.HasPrefix(l.header.Comment, "rangechan") || strings.HasPrefix(l.header.Comment, "rangeiter") {
		return false
	}
	ranging, ok := l.Stmt.(*ast.RangeStmt)
	if !ok {
		return true
	}
	if ranging.X == nil {
		return false
	}
	if strings.HasPrefix(l.header.Comment, "rangeint") {
		return true
	}
	return overDelays(l)
}

// overDelays reports whether a loop ranges over durations: the pauses between attempts.
func overDelays(l *Region) bool {
	for block := range l.blocks {
		for _, instruction := range block.Instrs {
			var element types.Type
			switch x := instruction.(type) {
			case *ssa.IndexAddr:
				element = x.Type().Underlying().(*types.Pointer).Elem()
			case *ssa.Index:
				element = x.Type()
			default:
				continue
			}
			if named, ok := types.Unalias(element).(*types.Named); ok && named.Obj().Name() == "Duration" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time" {
				return true
			}
		}
	}
	return false
}

func (r *Result) evidenceOf(l *Region) evidence {
	e := evidence{attempts: namesAttempts(l)}
	if strings.HasPrefix(l.header.Comment, "rangechan") {
		e.worker = true
	}
	if overDelays(l) {
		e.attempts = true
	}
	for _, block := range l.Fn.Blocks { // in order, for the same answer each time
		if !l.blocks[block] {
			continue
		}
		for _, instruction := range block.Instrs {
			r.see(l, instruction, &e)
		}
	}
	e.counter, e.items = counterOf(l)
	return e
}

func (r *Result) see(l *Region, instruction ssa.Instruction, e *evidence) {
	switch x := instruction.(type) {
	case ssa.CallInstruction:
		fn := declared(r.program.Callee(x.Common()))
		e.waits = e.waits || known.Sleeps(fn) || namesWait(calledName(x.Common()))
		e.worker = e.worker || fn != nil && receives(fn)
	case *ssa.UnOp:
		if x.Op == token.ARROW && takesItem(x.X.Type()) && used(x) {
			e.worker = true
		}
	case *ssa.Select:
		for _, state := range x.States {
			if state.Dir == types.RecvOnly && takesItem(state.Chan.Type()) && selectUses(x) {
				e.worker = true
			}
		}
	case *ssa.If:
		seeBranch(l, x, e)
	}
}

var (
	predicateName = pattern.New(`(?i)(retry|retri|transient|temporary)`)
	takenName     = pattern.New(`(?i)(dup|exist|conflict|taken|collision|collide|unique|inuse|used)`)
)

// namesWait reports whether a function of this name pauses.
func namesWait(name string) bool {
	for _, verb := range []string{"sleep", "wait", "backoff", "pause", "delay"} {
		if len(name) >= len(verb) && strings.EqualFold(name[:len(verb)], verb) {
			return true
		}
	}
	return false
}

func seeBranch(l *Region, branch *ssa.If, e *evidence) {
	then, otherwise := branch.Block().Succs[0], branch.Block().Succs[1]
	if failed, ok := failure(branch.Cond); ok {
		bad, good := then, otherwise
		if !failed {
			bad, good = otherwise, then
		}
		if l.comesRound(bad) && l.leaves(good) {
			e.outcome = true
			e.strict = e.strict || l.alwaysLeaves(good)
		}
	}
	if asksToRetry(branch.Cond) && l.leaves(then) != l.leaves(otherwise) || asksToRetry(branch.Cond) && (l.comesRound(then) != l.comesRound(otherwise)) {
		e.predicate = true
	}
	if positive, ok := saysTaken(branch.Cond); ok {
		stays := then
		if !positive {
			stays = otherwise
		}
		if l.comesRound(stays) {
			e.collision = true
		}
	}
}

// comesRound reports whether a branch's target is in the loop.
func (g *Region) comesRound(block *ssa.BasicBlock) bool { return g.blocks[block] }

// leaves reports whether a branch's target is outside of the loop, or leads out of it before the turn is over.
func (g *Region) leaves(block *ssa.BasicBlock) bool {
	if !g.blocks[block] {
		return true
	}
	if len(block.Preds) != 1 {
		return false
	}
	for inside := range g.blocks {
		if !block.Dominates(inside) {
			continue
		}
		for _, next := range inside.Succs {
			if !g.blocks[next] {
				return true
			}
		}
	}
	return false
}

// alwaysLeaves reports whether no path from a branch's target comes round again. The status of an answer is looked at after the error, and decides in its place.
func (g *Region) alwaysLeaves(from *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		if block == g.header {
			return false
		}
		if !g.blocks[block] || seen[block] || g.looksAtStatus(block) {
			continue
		}
		seen[block] = true
		work = append(work, block.Succs...)
	}
	return true
}

// looksAtStatus reports whether a block ends in a branch on the status of an answer, of which one side leaves.
func (g *Region) looksAtStatus(block *ssa.BasicBlock) bool {
	branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If)
	if !ok || !g.leaves(block.Succs[0]) && !g.leaves(block.Succs[1]) {
		return false
	}
	comparison, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	for _, side := range []ssa.Value{comparison.X, comparison.Y} {
		if load, ok := program.Resolve(side).(*ssa.UnOp); ok && strings.HasPrefix(variableName(load.X), "Status") {
			return true
		}
	}
	return false
}

// failure reads a comparison of an error with nil: whether it holds when something failed.
func failure(cond ssa.Value) (whenTrue, ok bool) {
	comparison, isBinary := cond.(*ssa.BinOp)
	if !isBinary {
		if not, isNot := cond.(*ssa.UnOp); isNot && not.Op == token.NOT {
			whenTrue, ok = failure(not.X)
			return !whenTrue, ok
		}
		return false, false
	}
	x, y := comparison.X, comparison.Y
	if c, isConst := x.(*ssa.Const); isConst && c.Value == nil {
		x, y = y, x
	}
	c, isConst := y.(*ssa.Const)
	if !isConst || c.Value != nil || !isError(x.Type()) {
		return false, false
	}
	switch comparison.Op {
	case token.NEQ:
		return true, true
	case token.EQL:
		return false, true
	}
	return false, false
}

// asksToRetry reports whether a condition is the answer of a function that is named for it: shouldRetry(resp), isTransient(err), !retryable.
func asksToRetry(cond ssa.Value) bool {
	for range 4 {
		switch v := cond.(type) {
		case *ssa.UnOp:
			if v.Op != token.NOT {
				return false
			}
			cond = v.X
		case *ssa.Extract:
			cond = v.Tuple
		case *ssa.Call:
			return predicateName.MatchString(calledName(&v.Call))
		default:
			return false
		}
	}
	return false
}

// saysTaken reads the answer of a function that tells whether something is there already, or an error that says so: whether the condition holds then.
func saysTaken(cond ssa.Value) (whenTrue, ok bool) {
	switch v := cond.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			whenTrue, ok = saysTaken(v.X)
			return !whenTrue, ok
		}
		if v.Op == token.MUL {
			return true, takenName.MatchString(variableName(v.X))
		}
	case *ssa.Extract:
		if isBool(v.Type()) {
			return saysTaken(v.Tuple)
		}
	case *ssa.Lookup:
		return true, v.CommaOk // _, taken := seen[id]
	case *ssa.Call:
		if takenName.MatchString(calledName(&v.Call)) {
			return true, true
		}
		// errors.Is(err, ErrDuplicate)
		for _, arg := range v.Call.Args {
			if load, isLoad := program.Resolve(arg).(*ssa.UnOp); isLoad && takenName.MatchString(variableName(load.X)) {
				return true, true
			}
		}
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ {
			return false, false
		}
		for _, side := range []ssa.Value{v.X, v.Y} {
			load, isLoad := side.(*ssa.UnOp)
			if isLoad && takenName.MatchString(variableName(load.X)) {
				return v.Op == token.EQL, true
			}
		}
	}
	return false, false
}

func variableName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Global:
		return v.Name()
	case *ssa.Alloc:
		return v.Comment
	case *ssa.FieldAddr:
		return program.FieldName(v.X.Type(), v.Field)
	}
	return ""
}

// namesAttempts reports whether a loop counts, bounds or labels attempts by name.
func namesAttempts(l *Region) bool {
	switch stmt := l.Stmt.(type) {
	case *ast.ForStmt:
		return mentionsAttempt(stmt.Init) || mentionsAttempt(stmt.Cond) || mentionsAttempt(stmt.Post) || countsInside(stmt.Body)
	case *ast.RangeStmt:
		return strings.HasPrefix(l.header.Comment, "rangeint") && (mentionsAttempt(stmt.Key) || mentionsAttempt(stmt.X) || countsInside(stmt.Body))
	}
	return false
}

func attemptLike(name string) bool {
	return names.IsAttempt(name) || names.IsAttemptLimit(name)
}

func mentionsAttempt(n ast.Node) bool {
	found := false
	if n == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if identifier, ok := n.(*ast.Ident); ok && attemptLike(identifier.Name) {
			found = true
		}
		return !found
	})
	return found
}

// countsInside reports whether a loop's body counts a variable up or down that is called an attempt.
func countsInside(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IncDecStmt:
			found = found || mentionsAttempt(n.X)
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
				found = found || mentionsAttempt(n.Lhs[0])
			}
		}
		return !found
	})
	return found
}

// counterOf tells whether a loop has a counter that counts only, or one that picks an item in each turn: the next account, the next of several providers.
func counterOf(l *Region) (counter, items bool) {
	for _, instruction := range l.header.Instrs {
		phi, ok := instruction.(*ssa.Phi)
		if !ok {
			break
		}
		if !isInteger(phi.Type()) || !counts(phi) {
			continue
		}
		if picksItem(phi) {
			return false, true
		}
		counter = true
	}
	return counter, false
}

func picksItem(phi *ssa.Phi) bool {
	for _, referrer := range *phi.Referrers() {
		switch x := referrer.(type) {
		case *ssa.IndexAddr:
			return x.Index == phi
		case *ssa.Index:
			return x.Index == phi
		}
	}
	return false
}

// receiverNames are calls that wait for the next item.
var receiverNames = map[string]bool{
	"Accept": true, "Receive": true, "ReceiveMessage": true, "ReceiveMsg": true, "ReadMessage": true, "FetchMessage": true, "Fetch": true, "Poll": true,
	"PollFetches": true, "PollRecords": true, "Next": true, "NextMsg": true, "Recv": true, "Scan": true, "Consume": true, "Dequeue": true, "Pop": true,
	"Pull": true, "BLPop": true, "BRPop": true, "XReadGroup": true, "Claim": true, "Lease": true,
}

func receives(fn *types.Func) bool { return receiverNames[fn.Name()] }

// takesItem reports whether what comes from a channel is more than a signal.
func takesItem(channel types.Type) bool {
	of, ok := channel.Underlying().(*types.Chan)
	if !ok || isError(of.Elem()) {
		return false
	}
	if structure, ok := of.Elem().Underlying().(*types.Struct); ok && structure.NumFields() == 0 {
		return false
	}
	named, ok := types.Unalias(of.Elem()).(*types.Named)
	isTime := ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time"
	return !isTime && !isBool(of.Elem()) && !isSignal(of.Elem())
}

func isSignal(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "os" && named.Obj().Name() == "Signal"
}

func used(v ssa.Value) bool {
	referrers := v.Referrers()
	return referrers != nil && len(*referrers) > 0
}

// selectUses reports whether something that a select received is used.
func selectUses(x *ssa.Select) bool {
	for _, referrer := range *x.Referrers() {
		if extract, ok := referrer.(*ssa.Extract); ok && extract.Index >= 2 && used(extract) {
			return true
		}
	}
	return false
}
