package existsinsert

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// side is what one side of a branch says of a look. Absent includes that the look failed.
type side uint8

const (
	neither side = iota
	absent
	present
)

const maxConditionDepth = 8

// sides tells what a condition says of the look when it is true and when it is false.
func (l *look) sides(condition ssa.Value, depth int) (whenTrue, whenFalse side) {
	if depth == 0 {
		return neither, neither
	}
	switch v := condition.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			whenFalse, whenTrue = l.sides(v.X, depth-1)
			return whenTrue, whenFalse
		}
	case *ssa.BinOp:
		return l.comparison(v, depth)
	case *ssa.Phi:
		if whenTrue, whenFalse := l.flag(v); whenTrue != neither || whenFalse != neither {
			return whenTrue, whenFalse
		}
	case *ssa.Call:
		if whenTrue, whenFalse, ok := l.predicate(v); ok {
			return whenTrue, whenFalse
		}
	}
	return l.boolean(condition)
}

// flag reads a bool that is set on the sides of an earlier branch: found := true; if errors.Is(err, ErrNotFound) { found = false }.
func (l *look) flag(v *ssa.Phi) (whenTrue, whenFalse side) {
	byValue := map[bool]side{}
	for i, edge := range v.Edges {
		truth, ok := truthOf(edge)
		if !ok {
			return neither, neither
		}
		at := last(v.Block().Preds[i])
		chosen := neither
		switch {
		case l.onlyOn(at, absent) || l.leaves(v.Block().Preds[i], v.Block(), absent):
			chosen = absent
		case l.onlyOn(at, present) || l.leaves(v.Block().Preds[i], v.Block(), present):
			chosen = present
		}
		if before, seen := byValue[truth]; seen && before != chosen {
			chosen = neither
		}
		byValue[truth] = chosen
	}
	return byValue[true], byValue[false]
}

// leaves reports whether the way from one block to the next is a branch of one side.
func (l *look) leaves(from, to *ssa.BasicBlock, want side) bool {
	for i, next := range from.Succs {
		if next == to && l.edgeSide(edge{from, i}) != want {
			return false
		}
	}
	return len(from.Succs) > 1
}

// comparison reads x == nil, n > 0, err != ErrNoRows and the like.
func (l *look) comparison(v *ssa.BinOp, depth int) (whenTrue, whenFalse side) {
	x, y, op := v.X, v.Y, v.Op
	if _, ok := x.(*ssa.Const); ok {
		x, y, op = y, x, mirrored(op)
	}
	if op == token.EQL || op == token.NEQ {
		whenTrue, whenFalse = l.equality(x, y, depth)
		if op == token.NEQ {
			return whenFalse, whenTrue
		}
		return whenTrue, whenFalse
	}
	bound, ok := y.(*ssa.Const)
	if !ok || bound.Value == nil || bound.Value.Kind() != constant.Int {
		return neither, neither
	}
	if !l.counts(x) {
		return neither, neither
	}
	n, exact := constant.Int64Val(bound.Value)
	switch {
	case !exact:
	case op == token.GTR && n == 0, op == token.GEQ && n == 1:
		return present, absent
	case op == token.LSS && n == 1, op == token.LEQ && n == 0:
		return absent, present
	}
	return neither, neither
}

func mirrored(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.GTR:
		return token.LSS
	case token.LEQ:
		return token.GEQ
	case token.GEQ:
		return token.LEQ
	}
	return op
}

// equality reads x == y.
func (l *look) equality(x, y ssa.Value, depth int) (whenTrue, whenFalse side) {
	bound, isConst := y.(*ssa.Const)
	if !isConst {
		return l.equalsValue(x, y)
	}
	switch {
	case bound.IsNil() && isError(x.Type()):
		return l.noError(x)
	case bound.IsNil():
		if derived, ok := l.trace(x); ok && derived.tellsAbsence() {
			return absent, present
		}
	case bound.Value == nil: // the zero value of a struct or an array
		if _, ok := l.trace(x); ok {
			return absent, present
		}
	case bound.Value.Kind() == constant.Bool:
		whenTrue, whenFalse = l.sides(x, depth-1)
		if !constant.BoolVal(bound.Value) {
			return whenFalse, whenTrue
		}
		return whenTrue, whenFalse
	case bound.Value.Kind() == constant.Int:
		n, exact := constant.Int64Val(bound.Value)
		if exact && n == 0 && (l.counts(x) || l.identifies(x)) {
			return absent, present
		}
		if exact && n == 1 && l.counts(x) {
			return present, absent
		}
	case bound.Value.Kind() == constant.String:
		if constant.StringVal(bound.Value) == "" && l.identifies(x) {
			return absent, present
		}
	}
	return neither, neither
}

// equalsValue reads err == ErrNotFound, id == uuid.Nil and p == (Payment{}).
func (l *look) equalsValue(x, y ssa.Value) (whenTrue, whenFalse side) {
	for range 2 {
		if isError(x.Type()) {
			if l.isLookError(x) {
				if isNotFound(sentinel(y)) {
					return absent, neither
				}
				if isTaken(sentinel(y)) {
					return present, absent
				}
			}
		} else if derived, ok := l.trace(x); ok && !derived.length {
			if isNilName(sentinel(y)) || isZeroStruct(y) {
				return absent, present
			}
		}
		x, y = y, x
	}
	return neither, neither
}

// noError reads err == nil.
func (l *look) noError(err ssa.Value) (whenTrue, whenFalse side) {
	derived, ok := l.trace(err)
	if !ok {
		return neither, neither
	}
	if l.Op == storeflow.Update {
		return neither, neither
	}
	switch l.errorMeaning(derived) {
	case whenPresent: // ensureUnused gives an error when there is one
		return absent, present
	case whenAbsent:
		return present, absent
	}
	return neither, neither
}

// errorMeaning tells when the error of a look is one.
func (l *look) errorMeaning(derived derivation) meaning {
	if derived.direct && len(l.Path) > 0 {
		switch m := l.in.helperMeaning(l, derived.result); m {
		case whenPresent, whenAbsent:
			return m
		}
		if resultCount(l.Call) == 1 {
			return unknownMeaning // a check of whatever kind
		}
		if givesMany(l.Call) {
			return unknownMeaning // nothing found is an empty list
		}
		if !readsAsLook(l.Call) {
			return unknownMeaning
		}
		if l.strict {
			return unknownMeaning
		}
		return whenAbsent
	}
	if l.strict || l.Always || derived.direct && givesMany(l.Call) {
		return unknownMeaning
	}
	return whenAbsent
}

// counts reports whether a number is how many rows the look found.
func (l *look) counts(v ssa.Value) bool {
	derived, ok := l.trace(v)
	if !ok || !isInteger(v.Type()) {
		return false
	}
	if l.Op == storeflow.Update {
		return derived.has("RowsAffected")
	}
	return derived.length || l.Always || derived.hasCount() || derived.direct && len(l.Path) > 0
}

// identifies reports whether a value is the identity of the row that was found.
func (l *look) identifies(v ssa.Value) bool {
	derived, ok := l.trace(v)
	return ok && l.Op == storeflow.Read && derived.hasIdentity()
}

// boolean reads a bool that the look gave.
func (l *look) boolean(v ssa.Value) (whenTrue, whenFalse side) {
	derived, ok := l.trace(v)
	if !ok || !isBool(v.Type()) || l.Op != storeflow.Read {
		return neither, neither
	}
	if derived.direct && len(l.Path) > 0 {
		switch l.in.helperMeaning(l, derived.result) {
		case whenPresent:
			return present, absent
		case whenAbsent:
			return absent, present
		}
		switch {
		case saysAbsent(calleeName(l.Call)):
			return absent, present
		case saysPresent(calleeName(l.Call)), resultCount(l.Call) > 1 && !givesOnlyBoolAndError(l.Call):
			return present, absent
		}
		return neither, neither
	}
	if derived.has("Next") || derived.has("TryNext") {
		return l.next(v)
	}
	if derived.hasAbsence() {
		return absent, present
	}
	if l.Always || derived.direct || derived.hasExistence() {
		return present, absent
	}
	return neither, neither
}

// next reads rows.Next(): false means that there is none, but for a loop over the rows, which ends so in any case.
func (l *look) next(v ssa.Value) (whenTrue, whenFalse side) {
	call, ok := v.(*ssa.Call)
	if !ok {
		return neither, neither
	}
	start := call.Block()
	back := reaches(last(start), call, func(e edge) bool {
		return e.from == start && e.to == 1 || l.Call.Parent() == call.Parent() && e.from.Succs[e.to] == l.Call.Block()
	})
	if back {
		return neither, neither
	}
	return present, absent
}

// predicate reads calls: errors.Is(err, ErrNoRows), ent.IsNotFound(err), rows.Next(), id.IsZero().
func (l *look) predicate(call *ssa.Call) (whenTrue, whenFalse side, ok bool) {
	name := calleeName(call)
	args := call.Call.Args
	switch {
	case isErrorsFunc(call, "Is") && len(args) == 2:
		if !l.isLookError(args[0]) {
			return neither, neither, true
		}
		if isNotFound(sentinel(args[1])) {
			return absent, neither, true
		}
		if isTaken(sentinel(args[1])) {
			return present, absent, true
		}
		return neither, neither, true
	case isErrorsFunc(call, "As") && len(args) == 2:
		if l.isLookError(args[0]) && isNotFound(pointedName(args[1])) {
			return absent, neither, true
		}
		return neither, neither, true
	case isNotFound(name):
		for _, arg := range args {
			if isError(arg.Type()) && l.isLookError(arg) {
				return absent, neither, true
			}
		}
	case isZeroName(name):
		receiver := call.Call.Value
		if !call.Call.IsInvoke() && len(args) > 0 {
			receiver = args[0]
		}
		if derived, traced := l.trace(receiver); traced && l.Op == storeflow.Read && (derived.direct || derived.hasIdentity() || derived.cell) {
			return absent, present, true
		}
	}
	return neither, neither, false
}

// isLookError: an error that comes from the look.
func (l *look) isLookError(err ssa.Value) bool {
	_, ok := l.trace(err)
	return ok && isError(program.Resolve(err).Type()) || ok && isError(err.Type())
}

// sentinel gives the name of a package-level variable that a value is read from.
func sentinel(v ssa.Value) string {
	if load, ok := program.Resolve(v).(*ssa.UnOp); ok && load.Op == token.MUL {
		if global, ok := load.X.(*ssa.Global); ok {
			return global.Name()
		}
	}
	if boxed, ok := program.Resolve(v).(*ssa.Const); ok { // redis.Nil in old releases is a typed constant
		if named, ok := boxed.Type().(*types.Named); ok {
			return named.Obj().Name()
		}
	}
	return ""
}

// pointedName gives the name of the type that errors.As looks for.
func pointedName(target ssa.Value) string {
	t := program.Resolve(target).Type()
	for range 3 {
		pointer, ok := t.Underlying().(*types.Pointer)
		if !ok {
			break
		}
		t = pointer.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// isZeroStruct reports whether a value is a struct that nothing was ever stored in: Payment{}.
func isZeroStruct(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	cell, ok := load.X.(*ssa.Alloc)
	return ok && len(*cell.Referrers()) == 1
}
