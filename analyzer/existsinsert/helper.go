package existsinsert

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// meaning is when a result of a helper that looks says something: when its error is one, when its bool is true.
type meaning uint8

const (
	unknownMeaning meaning = iota
	whenAbsent
	whenPresent
)

type helperResult struct {
	helper *ssa.Function
	table  string
	result int
}

// helperMeaning reads the body of a helper in this package, and otherwise its name.
func (in *inspection) helperMeaning(l *look, result int) meaning {
	body := in.program.Callee(l.Call.Common()).Body
	if body == nil {
		if resultCount(l.Call) == 1 && isError(l.Call.Common().Signature().Results().At(0).Type()) && ensureAbsent.MatchString(calleeName(l.Call)) {
			return whenPresent
		}
		return unknownMeaning
	}
	key := helperResult{body, l.Table + "/" + l.Entity, result}
	if known, ok := in.meanings[key]; ok {
		return known
	}
	in.meanings[key] = unknownMeaning // for helpers that call themselves
	m := in.readHelper(l, body, result)
	in.meanings[key] = m
	return m
}

func (in *inspection) readHelper(outer *look, body *ssa.Function, result int) meaning {
	accesses := in.stores.Accesses(body)
	for i := range accesses {
		read := &accesses[i]
		if read.Op != storeflow.Read || read.Call == nil || read.Table != outer.Table || read.Entity != outer.Entity || !slices.Equal(read.Columns, outer.Columns) {
			continue
		}
		inner := &look{Access: read, in: in}
		if m := inner.resultMeaning(body, result); m != unknownMeaning {
			return m
		}
	}
	return unknownMeaning
}

// resultMeaning reads the returns of a function that looks.
func (l *look) resultMeaning(body *ssa.Function, index int) meaning {
	if index >= body.Signature.Results().Len() {
		return unknownMeaning
	}
	votes := map[meaning]int{}
	for _, block := range body.Blocks {
		ret, ok := last(block).(*ssa.Return)
		if !ok || index >= len(ret.Results) {
			continue
		}
		for _, v := range l.returned(ret, ret.Results[index]) {
			votes[l.vote(v)]++
		}
	}
	switch {
	case votes[whenAbsent] > 0 && votes[whenPresent] == 0:
		return whenAbsent
	case votes[whenPresent] > 0 && votes[whenAbsent] == 0:
		return whenPresent
	}
	return unknownMeaning
}

// outcome is one value that a function may return and where it is chosen.
type outcome struct {
	value ssa.Value
	at    ssa.Instruction
}

// returned gives the values that one return may give, each with a place on the way to it.
func (l *look) returned(ret *ssa.Return, v ssa.Value) []outcome {
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != ret.Block() {
		return []outcome{{v, ret}}
	}
	var all []outcome
	for i, edge := range phi.Edges {
		from := phi.Block().Preds[i]
		all = append(all, outcome{edge, last(from)})
	}
	return all
}

// vote tells what one return says: an error that is returned only where a row was found means that there is one.
func (l *look) vote(o outcome) meaning {
	truth, isTruth := truthOf(o.value)
	if !isTruth {
		if isBool(o.value.Type()) {
			switch whenTrue, whenFalse := l.sides(o.value, maxConditionDepth); {
			case whenTrue == present || whenFalse == absent:
				return whenPresent
			case whenTrue == absent || whenFalse == present:
				return whenAbsent
			}
			return unknownMeaning
		}
		if isError(o.value.Type()) {
			truth = true
			if l.isLookError(o.value) && !l.Always {
				return unknownMeaning // it says both, by what it is
			}
		} else {
			return unknownMeaning
		}
	}
	onAbsent, onPresent := l.onlyOn(o.at, absent), l.onlyOn(o.at, present)
	switch {
	case onAbsent && !onPresent && truth, onPresent && !onAbsent && !truth:
		return whenAbsent
	case onPresent && !onAbsent && truth, onAbsent && !onPresent && !truth:
		return whenPresent
	}
	return unknownMeaning
}

// truthOf gives constants: true and false, and nil for an error that is none.
func truthOf(v ssa.Value) (truth, ok bool) {
	c, isConst := v.(*ssa.Const)
	if !isConst {
		return false, false
	}
	if c.IsNil() && isError(c.Type()) {
		return false, true
	}
	if c.Value != nil && c.Value.Kind() == constant.Bool {
		return constant.BoolVal(c.Value), true
	}
	return false, false
}

// onlyOn reports whether an instruction is reached only over branches of one side.
func (l *look) onlyOn(at ssa.Instruction, want side) bool {
	fn, from, to := common(l.Call, at)
	if fn == nil || from == nil || to == nil || from == to {
		return false
	}
	return reaches(from, to, nil) && !reaches(from, to, func(e edge) bool { return l.edgeSide(e) == want })
}
