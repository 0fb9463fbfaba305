package storeflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// errorDepth bounds the walk from an error to the call that it comes from.
const errorDepth = 12

// check is a condition, or a call that translates, that tells a unique violation apart.
type check struct {
	condition ssa.Value
	err       ssa.Value // what it looks at
}

// findDuplicateChecks finds the conditions of all functions.
func (p *Result) findDuplicateChecks(functions []*ssa.Function) {
	p.checks = make(map[ssa.Value][]ssa.Value)
	for _, fn := range functions {
		for _, found := range p.checksIn(fn) {
			p.checks[found.condition] = append(p.checks[found.condition], found.err)
		}
	}
}

// DuplicateCheck reports whether a condition tells a unique violation apart: errors.As with *pgconn.PgError and a look at Code, mongo.IsDuplicateKeyError, a helper whose fact says that it does.
func (p *Result) DuplicateCheck(condition ssa.Value) bool { return p.isCheck(condition, errorDepth) }

func (p *Result) isCheck(condition ssa.Value, depth int) bool {
	if condition == nil || depth == 0 {
		return false
	}
	if len(p.checks[condition]) > 0 {
		return true
	}
	switch condition := condition.(type) {
	case *ssa.UnOp:
		return p.isCheck(condition.X, depth-1)
	case *ssa.BinOp:
		return p.isCheck(condition.X, depth-1) || p.isCheck(condition.Y, depth-1)
	case *ssa.Phi:
		if len(condition.Edges) > maxEdges {
			return false
		}
		for _, edge := range condition.Edges {
			if edge != condition && p.isCheck(edge, depth/2) {
				return true
			}
		}
	case *ssa.Extract:
		return p.isCheck(condition.Tuple, depth-1)
	}
	return false
}

// checksIn finds the conditions of one function.
func (p *Result) checksIn(fn *ssa.Function) []check {
	if known, ok := p.found[fn]; ok {
		return known
	}
	out := p.findChecks(fn)
	p.found[fn] = out
	return out
}

func (p *Result) findChecks(fn *ssa.Function) []check {
	var out []check
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			switch instruction := instruction.(type) {
			case *ssa.BinOp:
				if err := p.comparedError(instruction); err != nil {
					out = append(out, check{instruction, err})
				}
			case *ssa.Call:
				if err := p.testedError(instruction); err != nil {
					out = append(out, check{instruction, err})
				}
			}
		}
	}
	return out
}

// comparedError gives the error that a comparison looks at: pgErr.Code == "23505", err == ErrDuplicate.
func (p *Result) comparedError(b *ssa.BinOp) ssa.Value {
	if b.Op != token.EQL && b.Op != token.NEQ {
		return nil
	}
	for _, sides := range [2][2]ssa.Value{{b.X, b.Y}, {b.Y, b.X}} {
		if isError(sides[0].Type()) && p.duplicateSentinel(sides[1]) {
			return sides[0]
		}
		literal, ok := program.Resolve(sides[1]).(*ssa.Const)
		if !ok || literal.Value == nil {
			continue
		}
		member, base := memberOf(sides[0])
		switch strings.ToLower(member) {
		case "code", "number", "sqlstate", "name", "extendedcode", "errorcode":
			if isDuplicateCode(literal.Value) {
				return p.errorBehind(base, errorDepth)
			}
		case "constraintname", "constraint":
			if literal.Value.Kind() == constant.String && constant.StringVal(literal.Value) != "" && isError(base.Type()) {
				return p.errorBehind(base, errorDepth)
			}
		}
	}
	return nil
}

// isDuplicateCode knows the codes of unique violations: PostgreSQL and other SQLSTATE databases, MySQL, SQLite (also its plain constraint code).
func isDuplicateCode(value constant.Value) bool {
	if value.Kind() == constant.String {
		switch constant.StringVal(value) {
		case "23505", "23000", "1062", "unique_violation":
			return true
		}
		return false
	}
	code, _ := constant.Int64Val(constant.ToInt(value))
	switch code {
	case 1062, 2067, 1555, 19, 2627, 2601:
		return true
	}
	return false
}

// testedError gives the error that a call tests for, or translates.
func (p *Result) testedError(call *ssa.Call) ssa.Value {
	fn := declared(call)
	if fn == nil {
		callee := p.program.Callee(&call.Call)
		if callee.Body == nil {
			return nil
		}
		return p.testedBy(call, p.role(nil, callee.Body))
	}
	for _, lib := range libraries {
		if lib.duplicate(fn) {
			return errorArgument(call)
		}
	}
	args := arguments(call)
	switch {
	case fn.Name() == "Is" && len(args) == 2 && isError(args[0].Type()):
		if p.duplicateSentinel(args[1]) {
			return args[0]
		}
		return nil
	case fn.Name() == "As" && len(args) == 2 && isError(args[0].Type()):
		if duplicateName(typeName(args[1])) {
			return args[0]
		}
		return nil
	case fn.Name() == "AsType" && packagePath(fn) == "errors":
		if results := call.Call.Signature().Results(); results.Len() > 0 {
			if n := named(results.At(0).Type()); n != nil && duplicateName(n.Obj().Name()) {
				return args[0]
			}
		}
		return nil
	case packagePath(fn) == "github.com/jackc/pgerrcode" && fn.Name() == "IsIntegrityConstraintViolation":
		_, base := memberOf(args[0])
		return p.errorBehind(base, errorDepth)
	case packagePath(fn) == "strings" && fn.Name() == "Contains":
		return p.searchedError(args)
	}
	callee := p.program.Callee(&call.Call)
	if role := p.role(callee.Func, callee.Body); role != nil {
		return p.testedBy(call, role)
	}
	// A helper without a body in view, called IsUniqueViolation or the like.
	if len(args) > 0 && isError(args[0].Type()) && duplicateHelper(fn.Name()) {
		return args[0]
	}
	return nil
}

func (p *Result) testedBy(call *ssa.Call, role *Role) ssa.Value {
	if role == nil || role.Duplicate == 0 {
		return nil
	}
	return argument(call, role.Duplicate-1)
}

// searchedError gives the error whose text is searched for the words of a duplicate.
func (p *Result) searchedError(args []ssa.Value) ssa.Value {
	words, ok := constantText(args[1])
	if !ok || !duplicateWords(words) {
		return nil
	}
	text := program.Resolve(args[0])
	for range 4 {
		call, ok := text.(*ssa.Call)
		if !ok {
			return nil
		}
		fn := declared(call)
		if fn == nil {
			return nil
		}
		if fn.Name() == "Error" && receiver(call) != nil {
			return receiver(call)
		}
		if len(call.Call.Args) == 0 {
			return nil
		}
		text = program.Resolve(call.Call.Args[0])
	}
	return nil
}

func duplicateWords(words string) bool {
	words = strings.ToLower(words)
	for _, sign := range []string{"duplicate", "unique", "1062", "23505", "already exists"} {
		if strings.Contains(words, sign) {
			return true
		}
	}
	return false
}

// duplicateSentinel reports whether a value is an error variable that stands for a duplicate: a library's, or one that is called so.
func (p *Result) duplicateSentinel(v ssa.Value) bool {
	load, ok := program.Resolve(v).(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	if !ok {
		return false
	}
	if object := global.Object(); object != nil {
		for _, lib := range libraries {
			if lib.duplicate(object) {
				return true
			}
		}
	}
	return duplicateName(global.Name())
}

// duplicateName reports whether an error is called like one for a row that is there already.
func duplicateName(name string) bool {
	name = strings.ToLower(name)
	for _, sign := range []string{"notexist", "doesntexist", "nonexist", "noexist", "inexist", "mustexist"} {
		if strings.Contains(name, sign) {
			return false
		}
	}
	for _, sign := range []string{"duplicate", "dupkey", "exist", "conflict", "unique", "constraint"} {
		if strings.Contains(name, sign) {
			return true
		}
	}
	return false
}

// duplicateHelper reports whether a function is called like one that tests for a duplicate.
func duplicateHelper(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "is") && duplicateName(name)
}

func typeName(v ssa.Value) string {
	t := program.Resolve(v).Type()
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if n := named(t); n != nil {
		return n.Obj().Name()
	}
	return ""
}

func isError(t types.Type) bool {
	return types.Implements(t, errorInterface) || types.Implements(types.NewPointer(t), errorInterface)
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// duplicateParameter tells, plus one, which parameter of a function is an error that it tells a duplicate apart of.
func (p *Result) duplicateParameter(fn *ssa.Function) int {
	var parameter int
	for _, found := range p.checksIn(fn) {
		for _, source := range p.errorSources(found.err) {
			if given, ok := source.(*ssa.Parameter); ok && given.Parent() == fn {
				parameter = parameterIndex(given) + 1
			}
		}
	}
	return parameter
}

// handledIn gives the calls of a declared function, and of the literals in it, whose error is looked at for a duplicate.
func (p *Result) handledIn(fn *ssa.Function) map[ssa.Value]bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if known, ok := p.handled[fn]; ok {
		return known
	}
	handled := map[ssa.Value]bool{}
	p.handled[fn] = handled
	var add func(in *ssa.Function)
	add = func(in *ssa.Function) {
		for _, found := range p.checksIn(in) {
			for _, source := range p.errorSources(found.err) {
				handled[source] = true
			}
		}
		for _, literal := range in.AnonFuncs {
			add(literal)
		}
	}
	add(fn)
	return handled
}

// mark notes at inserts that their error is looked at, here or where the literal that holds them is run.
func (p *Result) mark(list []Access, call ssa.CallInstruction, handled map[ssa.Value]bool) {
	if len(handled) == 0 || len(list) == 0 {
		return
	}
	marked := call.Value() != nil && handled[call.Value()]
	for in := call.Parent(); !marked && in != nil; in = in.Parent() {
		if run := p.runs[in]; run != nil && run.call.Value() != nil {
			marked = handled[run.call.Value()]
		}
	}
	if !marked {
		return
	}
	for i := range list {
		if list[i].Op == Insert {
			list[i].Guard |= DuplicateHandled
		}
	}
}
