package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

const squirrelPath = "github.com/Masterminds/squirrel"

// builderLength bounds the calls of a builder that are walked back.
const builderLength = 64

// squirrelLibrary knows squirrel's builders. What they build is put together as SQL text and read like any other.
type squirrelLibrary struct{}

func (squirrelLibrary) imports(path string) bool {
	return path == squirrelPath || path == "github.com/lann/builder"
}

func (squirrelLibrary) connection(types.Type) ConnKind { return UnknownConn }

func (squirrelLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	if packagePath(fn) != squirrelPath {
		return nil
	}
	base := receiver(call)
	if base == nil {
		return p.squirrelFunction(call, fn)
	}
	if !isBuilder(base.Type()) {
		return nil
	}
	s := statement{call: call, text: base}
	switch strings.TrimSuffix(fn.Name(), "Context") {
	case "Exec":
		s.outcome = byResult
	case "Query":
		s.outcome = byRows
	case "QueryRow":
		s.outcome = byRow
	case "Scan":
		s.outcome = byError
	default:
		return nil
	}
	built := p.builtBy(base)
	if s.conn = built.runner; s.conn == nil {
		return []Access{}
	}
	list := p.sqlAccesses(s)
	if s.outcome == byError {
		value := call.Value()
		for i := range list {
			if list[i].Guard.Has(OnConflict) && value != nil && hasUses(value) {
				list[i].Guard |= ResultRead
			}
		}
	}
	return list
}

// squirrelFunction is squirrel.ExecContextWith(ctx, db, builder) and its likes.
func (p *Result) squirrelFunction(call ssa.CallInstruction, fn *types.Func) []Access {
	s := statement{call: call}
	switch fn.Name() {
	case "ExecWith", "ExecContextWith":
		s.outcome = byResult
	case "QueryWith", "QueryContextWith":
		s.outcome = byRows
	case "QueryRowWith", "QueryRowContextWith":
		s.outcome = byRow
	default:
		return nil
	}
	args := arguments(call)
	s.conn, s.text = args[len(args)-2], args[len(args)-1]
	return p.sqlAccesses(s)
}

// isBuilder reports whether a type is one of squirrel's builders of statements.
func isBuilder(t types.Type) bool {
	n := named(t)
	if n == nil || packagePath(n.Obj()) != squirrelPath {
		return false
	}
	switch n.Obj().Name() {
	case "SelectBuilder", "InsertBuilder", "UpdateBuilder", "DeleteBuilder":
		return true
	}
	return false
}

// squirrelStatements reads the statement that a builder, or the text that ToSql made of one, stands for.
func (p *Result) squirrelStatements(v ssa.Value) (list []sqltext.Statement, partial, ok bool) {
	builder := builderBehind(v)
	if builder == nil {
		return nil, false, false
	}
	built := p.builtBy(builder)
	text, known := built.text()
	if !known {
		return nil, false, false
	}
	return sqltext.Parse(text), built.partial, true
}

// builderBehind gives the builder that a value is, or that ToSql made a text of; nil for other values.
func builderBehind(v ssa.Value) ssa.Value {
	v = program.Resolve(v)
	if extract, ok := v.(*ssa.Extract); ok {
		call, ok := extract.Tuple.(*ssa.Call)
		if !ok {
			return nil
		}
		switch fnName(declared(call)) {
		case "ToSql", "MustSql":
			v = receiver(call)
		}
	}
	if v == nil || !isBuilder(program.Resolve(v).Type()) {
		return nil
	}
	return v
}

// builderStart gives the value that a chain starts with: a builder that was handed in, say.
func builderStart(v ssa.Value) ssa.Value {
	for range builderLength {
		v = program.Resolve(v)
		next := ssa.Value(nil)
		switch made := v.(type) {
		case *ssa.Call:
			next = builderArgument(made)
		case *ssa.Extract:
			if call, ok := made.Tuple.(*ssa.Call); ok {
				next = builderArgument(call)
			}
		case *ssa.Phi:
			if len(made.Edges) > 0 && made.Edges[0] != made {
				next = made.Edges[0]
			}
		}
		if next == nil {
			return v
		}
		v = next
	}
	return v
}

// builderArgument gives the builder that a call goes on from: its receiver, or an argument of a helper.
func builderArgument(call *ssa.Call) ssa.Value {
	if base := receiver(call); base != nil && isBuilder(base.Type()) {
		return base
	}
	for _, arg := range arguments(call) {
		if isBuilder(arg.Type()) {
			return arg
		}
	}
	return nil
}

// building is what the calls of a chain have said.
type building struct {
	verb, table     string
	columns, values []string
	where           []string
	suffix          []string
	options         []string
	runner          ssa.Value
	partial         bool
}

// builtBy walks a chain back to its start.
func (p *Result) builtBy(v ssa.Value) *building {
	built := &building{}
	p.walkChain(v, built, builderLength)
	return built
}

func (p *Result) walkChain(v ssa.Value, built *building, left int) {
	if v == nil {
		return
	}
	if left <= 0 {
		built.partial = true
		return
	}
	switch v := program.Resolve(v).(type) {
	case *ssa.Call:
		base := receiver(v)
		fn := declared(v)
		if packagePath(fn) != squirrelPath {
			built.partial = true // a helper of the house's adds to it, or starts it
			p.walkHelper(v, built, left-1)
			return
		}
		if base != nil {
			p.walkChain(base, built, left-1)
		}
		p.noteCall(v, fn, built)
	case *ssa.Phi:
		// A condition that some paths add: what the shortest of them has holds on all.
		built.partial = true
		for _, edge := range v.Edges[:min(len(v.Edges), 4)] {
			if edge == v {
				continue
			}
			branch := &building{}
			p.walkChain(edge, branch, left/4)
			if built.verb == "" || branch.verb != "" && len(branch.where) < len(built.where) {
				runner := built.runner
				*built = *branch
				if built.runner == nil {
					built.runner = runner
				}
			}
			built.partial = true
		}
	case *ssa.UnOp:
		if _, ok := v.X.(*ssa.Global); ok {
			return // the house's StatementBuilder
		}
		// A variable that is set again and again: q = q.Where(...).
		built.partial = true
		if stores := program.Stores(program.Cell(v.X)); len(stores) > 0 {
			p.walkChain(stores[0].Val, built, left/2)
		}
	case *ssa.Extract:
		built.partial = true
		if call, ok := v.Tuple.(*ssa.Call); ok {
			p.walkHelper(call, built, left-1)
		}
	case *ssa.Parameter:
		built.partial = true
	}
}

// walkHelper reads a house function that is given a builder, or starts one.
func (p *Result) walkHelper(call *ssa.Call, built *building, left int) {
	for _, arg := range arguments(call) {
		if isBuilder(arg.Type()) {
			p.walkChain(arg, built, left)
			return
		}
	}
	body := p.program.Callee(&call.Call).Body
	if body == nil {
		return
	}
	for _, block := range body.Blocks {
		if ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && len(ret.Results) > 0 {
			p.walkChain(ret.Results[0], built, left/2)
			return
		}
	}
}

// noteCall notes what one call of a chain says.
func (p *Result) noteCall(call *ssa.Call, fn *types.Func, built *building) {
	args := arguments(call)
	switch fn.Name() {
	case "Select":
		built.verb = "select"
		built.columns = append(built.columns, texts(args, 0)...)
	case "Columns", "Column":
		built.columns = append(built.columns, texts(args, 0)...)
	case "Insert", "Replace":
		built.verb, built.table = strings.ToLower(fn.Name()), textOr(args, 0)
	case "Update", "Delete":
		built.verb, built.table = strings.ToLower(fn.Name()), textOr(args, 0)
	case "From", "Into", "Table":
		built.table = textOr(args, 0)
	case "Values":
		for range elements(args[0]) {
			built.values = append(built.values, "?")
		}
	case "Set":
		built.columns = append(built.columns, textOr(args, 0))
	case "SetMap":
		built.columns = append(built.columns, mapKeys(args[0])...)
	case "Where":
		built.where = append(built.where, p.condition(args[0], 4)...)
	case "Suffix", "SuffixExpr":
		built.suffix = append(built.suffix, p.expression(args[0]))
	case "Options":
		built.options = append(built.options, texts(args, 0)...)
	case "RunWith":
		built.runner = args[0]
	case "StatementBuilderType", "PlaceholderFormat", "OrderBy", "Limit", "Offset", "GroupBy", "Having", "Prefix", "Join", "LeftJoin", "InnerJoin", "Distinct":
	}
}

// texts gives the constant strings among a variadic argument and those before it.
func texts(args []ssa.Value, from int) []string {
	var out []string
	for _, arg := range args[from:] {
		if text, ok := constantText(arg); ok {
			out = append(out, text)
			continue
		}
		for _, element := range elements(arg) {
			if text, ok := constantText(element); ok {
				out = append(out, text)
			} else {
				out = append(out, program.Hole)
			}
		}
	}
	return out
}

func textOr(args []ssa.Value, index int) string {
	if index < len(args) {
		if text, ok := program.Text(args[index]); ok {
			return text
		}
	}
	return program.Hole
}

// mapKeys gives the constant keys of a map that is written where it is used.
func mapKeys(v ssa.Value) []string {
	made, ok := program.Resolve(v).(*ssa.MakeMap)
	if !ok {
		return nil
	}
	var out []string
	for _, use := range *made.Referrers() {
		if update, ok := use.(*ssa.MapUpdate); ok {
			if key, ok := constantText(update.Key); ok {
				out = append(out, key)
			}
		}
	}
	return out
}

// condition gives the conditions, all of which must hold, of one Where.
func (p *Result) condition(v ssa.Value, depth int) []string {
	if depth == 0 {
		return []string{program.Hole}
	}
	v = program.Resolve(v)
	if text, ok := program.Text(v); ok && isString(v.Type()) {
		return []string{text}
	}
	n := named(v.Type())
	if n == nil || packagePath(n.Obj()) != squirrelPath {
		return []string{program.Hole}
	}
	switch n.Obj().Name() {
	case "Eq":
		var out []string
		for _, key := range mapKeys(v) {
			out = append(out, key+" = ?")
		}
		return out
	case "And":
		var out []string
		for _, element := range elements(v) {
			if element != nil {
				out = append(out, p.condition(element, depth-1)...)
			}
		}
		return out
	}
	return []string{"? > ?"} // narrows, and compares nothing for equality that is known
}

// expression gives the text of a suffix: a string, or squirrel.Expr of one.
func (p *Result) expression(v ssa.Value) string {
	if text, ok := program.Text(v); ok {
		return text
	}
	if call, ok := program.Resolve(v).(*ssa.Call); ok && isFunc(declared(call), squirrelPath, "Expr") {
		if text, ok := program.Text(argument(call, 0)); ok {
			return text
		}
	}
	return program.Hole
}

// text writes what was built as SQL.
func (b *building) text() (string, bool) {
	var out strings.Builder
	switch b.verb {
	case "select":
		out.WriteString("SELECT " + strings.Join(b.columns, ", ") + " FROM " + b.table)
	case "insert", "replace":
		out.WriteString(b.verb + " " + strings.Join(b.options, " ") + " INTO " + b.table)
		if len(b.columns) > 0 {
			out.WriteString(" (" + strings.Join(b.columns, ", ") + ")")
		}
		values := b.values
		if len(b.columns) > 0 {
			if len(values) > len(b.columns) {
				values = values[:len(b.columns)]
			}
			for len(values) < len(b.columns) {
				values = append(values, "?")
			}
		}
		out.WriteString(" VALUES (" + strings.Join(values, ", ") + ")")
	case "update":
		out.WriteString("UPDATE " + b.table + " SET " + strings.Join(b.columns, " = ?, ") + " = ?")
	case "delete":
		out.WriteString("DELETE FROM " + b.table)
	default:
		return "", false
	}
	if len(b.where) > 0 && b.verb != "insert" && b.verb != "replace" {
		out.WriteString(" WHERE " + strings.Join(b.where, " AND "))
	}
	for _, suffix := range b.suffix {
		out.WriteString(" " + suffix)
	}
	return out.String(), true
}

func (squirrelLibrary) transaction(*Result, ssa.CallInstruction, *types.Func) *event { return nil }

func (squirrelLibrary) duplicate(types.Object) bool { return false }
