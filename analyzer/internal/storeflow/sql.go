package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// statement is one call that sends SQL.
type statement struct {
	call ssa.CallInstruction
	text ssa.Value // the SQL
	args []ssa.Value
	conn ssa.Value // nil: the call's receiver
	// outcome says how the call tells who won.
	outcome outcome
}

// sqlAccesses gives what a statement does. It is never nil, so that a call with a text that is not known is still one that the library knows.
func (p *Result) sqlAccesses(s statement) []Access {
	base := Access{Engine: SQL, SQL: s.text}
	if s.conn != nil {
		base.Executor = p.executor(s.conn, "", UnknownConn)
	}
	statements, partial := p.statements(s.text)
	if statements == nil {
		if parameter := p.textParameter(s.text); parameter >= 0 {
			base.Text = parameter + 1
			base.SQL = nil
			return []Access{base}
		}
		return []Access{}
	}
	list := make([]Access, 0, len(statements))
	for i := range statements {
		list = append(list, accessesOf(&statements[i], base, partial)...)
	}
	for i := range list {
		if list[i].Op != Insert {
			continue
		}
		if p.minted(&statements[0], s.args) {
			list[i].Guard |= MintedKey
		}
		if list[i].Guard.Has(OnConflict) && p.outcomeRead(s.call, s.outcome, returns(statements)) {
			list[i].Guard |= ResultRead
		}
	}
	return list
}

func returns(statements []sqltext.Statement) bool {
	for i := range statements {
		if len(statements[i].Returning) > 0 || len(statements[i].With) > 0 {
			return true
		}
	}
	return false
}

// accessesOf gives what one statement does, those of its common table expressions first.
func accessesOf(s *sqltext.Statement, base Access, partial bool) []Access {
	var out []Access
	for i := range s.With {
		out = append(out, accessesOf(&s.With[i], base, partial)...)
	}
	access := base
	access.Table, access.Partial = fold(s.Table.Table), partial || s.Partial
	if s.LocksAdvisory || s.Verb == sqltext.LockTable {
		lock := access
		lock.Op, lock.Table = Lock, ""
		out = append(out, lock)
	}
	switch s.Verb {
	case sqltext.Select:
		if access.Table == "" && len(s.Tables) > 0 {
			access.Table = fold(s.Tables[0].Table)
		}
		if access.Table == "" && s.LocksAdvisory {
			return out
		}
		access.Op, access.Columns, access.Always = Read, s.Equals, s.Aggregate
		if s.ForUpdate || s.ForShare {
			access.Guard |= ForUpdate
		}
		if s.SkipLocked {
			access.Guard |= SkipLocked
		}
	case sqltext.Insert, sqltext.Merge:
		access.Op, access.Columns = Insert, s.Columns
		if s.Conflict.Action != sqltext.NoAction || s.Verb == sqltext.Merge {
			access.Guard |= OnConflict
			access.Target = s.Conflict.Columns
		}
		if s.Conflict.Action == sqltext.DoUpdate || s.Conflict.Action == sqltext.Replace || s.Verb == sqltext.Merge {
			access.Upsert = true
		}
		if s.NotExists {
			access.Guard |= WhereNotExists
			access.Asked = s.Equals
		}
	case sqltext.Update:
		access.Op, access.Columns, access.Sets = Update, s.Equals, s.Columns
	case sqltext.Delete:
		access.Op, access.Columns = Delete, s.Equals
	default:
		return out
	}
	return append(out, access)
}

// fold drops what quoting leaves of a name's case: names are compared without it.
func fold(name string) string { return strings.ToLower(name) }

// statements reads the SQL that a value holds; partial says that a part of the structure is not known.
func (p *Result) statements(v ssa.Value) (list []sqltext.Statement, partial bool) {
	if v == nil {
		return nil, false
	}
	if list, partial, ok := p.squirrelStatements(v); ok {
		return list, partial
	}
	text, ok := p.sqlText(v, textDepth)
	if !ok {
		return nil, false
	}
	list = sqltext.Parse(text)
	trimmed := strings.TrimSpace(text)
	return list, strings.HasSuffix(trimmed, program.Hole)
}

// textDepth bounds the helpers that a text goes through.
const textDepth = 8

// sqlText gives the text of a statement: what program.Text knows, and what the helpers that programs use for SQL leave as it is.
func (p *Result) sqlText(v ssa.Value, depth int) (string, bool) {
	if depth == 0 {
		return "", false
	}
	resolved := program.Resolve(v)
	switch call := resolved.(type) {
	case *ssa.Call:
		if text, ok := p.calledText(call, depth); ok {
			return text, true
		}
	case *ssa.Extract:
		if inner, ok := call.Tuple.(*ssa.Call); ok && call.Index == 0 {
			if text, ok := p.calledText(inner, depth); ok {
				return text, true
			}
		}
	case *ssa.BinOp:
		left, okLeft := p.sqlText(call.X, depth-1)
		right, okRight := p.sqlText(call.Y, depth-1)
		if !okLeft {
			left = program.Hole
		}
		if !okRight {
			right = program.Hole
		}
		return left + right, okLeft || okRight
	case *ssa.Phi:
		return p.grownText(call, depth)
	}
	return program.Text(v)
}

// grownText reads a text that some paths add to: what all of them begin with, and a hole.
func (p *Result) grownText(phi *ssa.Phi, depth int) (string, bool) {
	if len(phi.Edges) > maxEdges {
		return "", false
	}
	shortest := ""
	for _, edge := range phi.Edges {
		if edge == phi {
			continue
		}
		text, ok := p.sqlText(edge, depth/2)
		if !ok {
			return "", false
		}
		if shortest == "" || len(text) < len(shortest) {
			shortest = text
		}
	}
	for _, edge := range phi.Edges {
		if edge == phi {
			continue
		}
		if text, _ := p.sqlText(edge, depth/2); !strings.HasPrefix(text, strings.TrimRight(shortest, program.Hole)) {
			return "", false
		}
	}
	return shortest + program.Hole, shortest != ""
}

// calledText reads through helpers: Rebind, TrimSpace, Join of a literal, a builder's String, and functions of the package that give one text.
func (p *Result) calledText(call *ssa.Call, depth int) (string, bool) {
	fn := declared(call)
	if fn == nil {
		return "", false
	}
	switch fn.Name() {
	case "Rebind":
		if packagePath(fn) == sqlxPath {
			args := arguments(call)
			return p.sqlText(args[len(args)-1], depth-1)
		}
	case "In", "Named", "BindNamed":
		if packagePath(fn) == sqlxPath {
			return p.sqlText(argument(call, 0), depth-1)
		}
	case "TrimSpace", "Replace", "ReplaceAll", "Trim":
		if packagePath(fn) == "strings" {
			return p.sqlText(argument(call, 0), depth-1)
		}
	case "Join":
		if packagePath(fn) == "strings" {
			return p.joinedText(call, depth)
		}
	case "String":
		receiver := fn.Signature().Recv() // nil for a function of this name
		if receiver != nil && (isType(receiver.Type(), "strings", "Builder") || isType(receiver.Type(), "bytes", "Buffer")) {
			return p.builtText(call, depth)
		}
	}
	callee := p.program.Callee(&call.Call)
	if callee.Body == nil || callee.Body.Signature.Results().Len() == 0 {
		return "", false
	}
	var returned ssa.Value
	for _, block := range callee.Body.Blocks {
		if ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok {
			if returned != nil {
				return "", false
			}
			returned = ret.Results[0]
		}
	}
	if returned == nil || !isString(returned.Type()) {
		return "", false
	}
	return p.sqlText(returned, depth/2)
}

func isString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() == types.String
}

func (p *Result) joinedText(call *ssa.Call, depth int) (string, bool) {
	separator, ok := constantText(argument(call, 1))
	if !ok {
		return "", false
	}
	var parts []string
	known := false
	for _, element := range elements(argument(call, 0)) {
		text, ok := p.sqlText(element, depth-1)
		if element == nil || !ok {
			text = program.Hole
		}
		known = known || ok
		parts = append(parts, text)
	}
	return strings.Join(parts, separator), known
}

// builtText reads what is written to a strings.Builder in one function, in source order; writes on some paths only become part of the text all the same.
func (p *Result) builtText(call *ssa.Call, depth int) (string, bool) {
	builder, ok := program.Resolve(receiver(call)).(*ssa.Alloc)
	if !ok {
		return "", false
	}
	var text strings.Builder
	known := false
	for _, write := range program.Calls(call.Parent()) {
		fn := declared(write)
		if fn == nil || write.Pos() >= call.Pos() {
			continue
		}
		var written ssa.Value
		switch {
		case fn.Name() == "WriteString" && receiver(write) != nil && program.Resolve(receiver(write)) == builder:
			written = argument(write, 0)
		case isFunc(fn, "fmt", "Fprintf") && program.Resolve(argument(write, 0)) == builder:
			written = argument(write, 1)
		default:
			continue
		}
		part, ok := p.sqlText(written, depth-1)
		if !ok {
			part = program.Hole
		}
		known = known || ok
		text.WriteString(part)
	}
	return text.String(), known
}

// textParameter tells which parameter of its function a text is; -1 when it is none.
func (p *Result) textParameter(v ssa.Value) int {
	if builder := builderBehind(v); builder != nil {
		v = builderStart(builder)
	}
	parameter, ok := program.Resolve(v).(*ssa.Parameter)
	if !ok || parameter.Parent().Parent() != nil {
		return -1
	}
	return parameterIndex(parameter)
}

// givenText completes, in a caller, the access of a helper that runs the text it is given.
func (p *Result) givenText(access Access, call ssa.CallInstruction, callee program.Callee) []Access {
	text := argument(call, access.Text-1)
	executor := p.substitute(access.Executor, call, nil, originDepth)
	base := access
	base.Text, base.Executor = 0, executor
	base.Call, base.Pos = call, call.Pos()
	statements, partial := p.statements(text)
	if statements == nil {
		parameter := -1
		if text != nil {
			parameter = p.textParameter(text)
		}
		if parameter < 0 {
			return nil
		}
		base.Text = parameter + 1
		base.Path = p.longer(callee, access.Path)
		return []Access{base}
	}
	base.Path = p.longer(callee, access.Path)
	var out []Access
	for i := range statements {
		out = append(out, accessesOf(&statements[i], base, partial)...)
	}
	for i := range out {
		if out[i].Guard.Has(OnConflict) && usedResult(call) {
			out[i].Guard |= ResultRead
		}
		if out[i].Op == Insert && p.minted(&statements[0], arguments(call)) {
			out[i].Guard |= MintedKey
		}
	}
	return out
}
