package existsinsert

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/schema"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// fixes adds ON CONFLICT DO NOTHING where that is the whole cure: the rule is there, and the code reads whether a row was inserted.
func (in *inspection) fixes(p *pair, category string) []analysis.SuggestedFix {
	if category != conflictUnhandled || p.verdict.Verdict != schema.Unique || p.verdict.rule == nil || p.insert.Engine != storeflow.SQL || len(p.insert.Path) > 0 || p.insert.Guard.Has(storeflow.FirstOrCreate) {
		return nil
	}
	call, ok := p.insert.Call.(*ssa.Call)
	if !ok || !readsAnswer(call) {
		return nil
	}
	literal := in.literalOf(call)
	if literal == nil {
		return nil
	}
	at := conflictOffset(literal.Value)
	if at < 0 {
		return nil
	}
	pos := literal.Pos() + token.Pos(at)
	return []analysis.SuggestedFix{{
		Message:   "Add ON CONFLICT DO NOTHING",
		TextEdits: []analysis.TextEdit{{Pos: pos, End: pos, NewText: []byte(" ON CONFLICT DO NOTHING")}},
	}}
}

// dollar are placeholders of PostgreSQL, which has the clause in this form.
var dollar = pattern.New(`\$[0-9]`)

// conflictOffset finds where the clause belongs in the source of a string literal; -1 when the literal has escapes, is not one INSERT, or is not for PostgreSQL.
func conflictOffset(source string) int {
	if len(source) < 2 || strings.ContainsRune(source, '\\') {
		return -1
	}
	text := source[1 : len(source)-1]
	statements := sqltext.Parse(text)
	if len(statements) != 1 || statements[0].Verb != sqltext.Insert || statements[0].Conflict.Action != sqltext.NoAction || !dollar.MatchString(text) {
		return -1
	}
	at := statements[0].ConflictAt
	if at < 0 || at > len(text) {
		return -1
	}
	for at > 0 && strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
		at--
	}
	return at + 1
}

// literalOf finds the string literal that a call runs: an argument, or a constant of this package that is used there.
func (in *inspection) literalOf(call *ssa.Call) *ast.BasicLit {
	var found *ast.BasicLit
	for _, file := range in.pass.Files {
		if file.FileStart > call.Pos() || call.Pos() > file.FileEnd {
			continue
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if found != nil {
				return false
			}
			expression, ok := node.(*ast.CallExpr)
			if !ok || expression.Lparen != call.Pos() {
				return true
			}
			for _, arg := range expression.Args {
				if literal := in.sqlLiteral(arg); literal != nil {
					found = literal
					return false
				}
			}
			return false
		})
	}
	return found
}

func (in *inspection) sqlLiteral(expression ast.Expr) *ast.BasicLit {
	switch expression := ast.Unparen(expression).(type) {
	case *ast.BasicLit:
		if expression.Kind == token.STRING && conflictOffset(expression.Value) >= 0 {
			return expression
		}
	case *ast.Ident:
		constant, ok := in.pass.TypesInfo.Uses[expression].(*types.Const)
		if !ok || constant.Pkg() != in.pass.Pkg || constant.Exported() || in.uses(constant) != 1 {
			return nil // shared by other statements
		}
		return in.constantLiteral(constant)
	}
	return nil
}

func (in *inspection) uses(object types.Object) int {
	n := 0
	for _, used := range in.pass.TypesInfo.Uses {
		if used == object {
			n++
		}
	}
	return n
}

func (in *inspection) constantLiteral(constant *types.Const) *ast.BasicLit {
	var found *ast.BasicLit
	for _, file := range in.pass.Files {
		if file.FileStart > constant.Pos() || constant.Pos() > file.FileEnd {
			continue
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok {
				return found == nil
			}
			for i, name := range spec.Names {
				if name.Pos() != constant.Pos() || i >= len(spec.Values) {
					continue
				}
				if literal, ok := ast.Unparen(spec.Values[i]).(*ast.BasicLit); ok && literal.Kind == token.STRING && conflictOffset(literal.Value) >= 0 {
					found = literal
				}
			}
			return false
		})
	}
	return found
}

// readsAnswer reports whether the code looks at the row count of an insert, or compares the error of its RETURNING with a sentinel for no rows.
func readsAnswer(call *ssa.Call) bool {
	answer := &look{Access: &storeflow.Access{Op: storeflow.Insert, Call: call}}
	fn := call.Parent()
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			switch v := instruction.(type) {
			case *ssa.BinOp:
				for _, operand := range []ssa.Value{v.X, v.Y} {
					if derived, ok := answer.trace(operand); ok && derived.has("RowsAffected") {
						return true
					}
				}
				if isError(v.X.Type()) && isNotFound(sentinel(v.Y)) && answer.isLookError(v.X) {
					return true
				}
			case *ssa.Call:
				if isErrorsFunc(v, "Is") && len(v.Call.Args) == 2 && isNotFound(sentinel(v.Call.Args[1])) && answer.isLookError(v.Call.Args[0]) {
					return true
				}
			}
		}
	}
	return false
}
