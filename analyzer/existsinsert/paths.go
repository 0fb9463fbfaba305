package existsinsert

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// maxNesting bounds how deep literals stand in each other.
const maxNesting = 12

// outer gives the functions that hold fn, fn first.
func outer(fn *ssa.Function) []*ssa.Function {
	var chain []*ssa.Function
	for ; fn != nil && len(chain) < maxNesting; fn = fn.Parent() {
		chain = append(chain, fn)
	}
	return chain
}

// lift gives the instruction of fn that makes the literal which holds the instruction, or the instruction itself when it is one of fn.
func lift(instruction ssa.Instruction, fn *ssa.Function) ssa.Instruction {
	for range maxNesting {
		if instruction == nil || instruction.Parent() == fn {
			return instruction
		}
		instruction = maker(instruction.Parent())
	}
	return nil
}

// maker gives the instruction that makes a literal, or uses it as it is when it captures nothing.
func maker(literal *ssa.Function) ssa.Instruction {
	if literal.Parent() == nil {
		return nil
	}
	for _, user := range *literal.Referrers() {
		if user.Parent() == literal.Parent() {
			return user
		}
	}
	return nil
}

// common lifts two instructions into the innermost function that holds both; nil when there is none.
func common(a, b ssa.Instruction) (fn *ssa.Function, inA, inB ssa.Instruction) {
	if a.Parent() == b.Parent() {
		return a.Parent(), a, b
	}
	around := outer(b.Parent())
	for _, candidate := range outer(a.Parent()) {
		if slices.Contains(around, candidate) {
			return candidate, lift(a, candidate), lift(b, candidate)
		}
	}
	return nil, nil, nil
}

// comesBefore reports whether a is on every way to b.
func comesBefore(a, b ssa.Instruction) bool {
	_, a, b = common(a, b)
	if a == nil || b == nil || a == b {
		return false
	}
	if a.Block() == b.Block() {
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	return a.Block().Dominates(b.Block())
}

// edge is one way out of a block.
type edge struct {
	from *ssa.BasicBlock
	to   int
}

// reaches reports whether a way leads from start to end that passes none of the cut edges and does not come back to start. A nil start is the function's entry.
func reaches(start, end ssa.Instruction, cut func(edge) bool) bool {
	block := end.Parent().Blocks[0]
	if start != nil {
		block = start.Block()
		if block == end.Block() && slices.Index(block.Instrs, start) < slices.Index(block.Instrs, end) {
			return true
		}
	} else if block == end.Block() {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	queue := []*ssa.BasicBlock{block}
	for len(queue) > 0 {
		block, queue = queue[0], queue[1:]
		for i, next := range block.Succs {
			if seen[next] || cut != nil && cut(edge{block, i}) {
				continue
			}
			if next == end.Block() {
				return true
			}
			seen[next] = true
			if start == nil || next != start.Block() {
				queue = append(queue, next)
			}
		}
	}
	return false
}

// onlyWhenAbsent reports whether an insert is reached from the look only over branches that say "nothing found".
func (l *look) onlyWhenAbsent(insert ssa.Instruction) bool {
	fn, from, to := common(l.Call, insert)
	if from == nil || to == nil || from == to {
		return false
	}
	absentEdge := func(e edge) bool { return l.edgeSide(e) == absent }
	if !reaches(from, to, nil) {
		return false
	}
	if !reaches(from, to, absentEdge) {
		return true
	}
	// The branch may stand in the literal that holds the insert.
	for inner := insert.Parent(); inner != fn && inner != nil; inner = inner.Parent() {
		if at := lift(insert, inner); at != nil && !reaches(nil, at, absentEdge) {
			return true
		}
	}
	return false
}

// drawsUntilFree knows the loop that draws random codes until one is free: found means another turn, and nothing leads from the insert back to the look. The draw itself keeps two callers apart.
func (l *look) drawsUntilFree(insert *storeflow.Access) bool {
	fn, from, to := common(l.Call, insert.Call)
	if from == nil || to == nil || from == to || reaches(to, from, nil) {
		return false
	}
	for _, block := range fn.Blocks {
		for i := range block.Succs {
			taken := edge{block, i}
			if l.edgeSide(taken) == present && reaches(last(block), from, func(e edge) bool { return e.from == block && e != taken }) {
				return true
			}
		}
	}
	return false
}

// edgeSide tells what a branch says of the look.
func (l *look) edgeSide(e edge) side {
	branch, ok := last(e.from).(*ssa.If)
	if !ok {
		return neither
	}
	sides, known := l.branches[branch]
	if !known {
		if l.branches == nil {
			l.branches = map[*ssa.If][2]side{}
		}
		l.branches[branch] = sides // for flags that are set in a loop
		sides[0], sides[1] = l.sides(branch.Cond, maxConditionDepth)
		l.branches[branch] = sides
	}
	return sides[e.to]
}

// last is the instruction that ends a block.
func last(block *ssa.BasicBlock) ssa.Instruction {
	if len(block.Instrs) == 0 {
		return nil
	}
	return block.Instrs[len(block.Instrs)-1]
}
