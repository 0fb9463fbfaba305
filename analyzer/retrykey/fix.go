package retrykey

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
)

// fixer hoists mints. It remembers the names that it gave, so that two fixes in one function never share a variable.
type fixer struct {
	*syntax
	given map[string]bool // "name@position of the declaration around it"
}

func newFixer(s *syntax) *fixer { return &fixer{syntax: s, given: map[string]bool{}} }

// hoist offers to mint before the loop or before the statement that holds the callback. It offers nothing where that might not compile, or might give one key to two operations: two mints in one region, an inner loop, a mint that depends on the turn, an error beside the value.
func (f *fixer) hoist(m *mistake, all []*mistake) []analysis.SuggestedFix {
	if m.origin == nil || m.origin.Quality == keyflow.Counter || len(m.origin.IfAbsent) > 0 {
		return nil
	}
	if m.region.Kind != keyflow.Loop && m.region.Kind != keyflow.Callback {
		return nil
	}
	for _, other := range all {
		if other != m && other.region.Pos == m.region.Pos {
			return nil
		}
	}
	mint, ok := f.nodeAt(m.at).(*ast.CallExpr)
	if !ok {
		return nil
	}
	path := f.pathTo(mint.Pos(), mint.End())
	expression, rest, ok := f.valueOf(mint, path)
	if !ok {
		return nil
	}
	before, ok := f.statementBefore(m.region, rest)
	if !ok || !f.movable(expression, before) {
		return nil
	}
	name := f.freeName(before)
	if name == "" {
		return nil
	}
	var text bytes.Buffer
	if err := format.Node(&text, f.pass.Fset, expression); err != nil || bytes.ContainsRune(text.Bytes(), '\n') {
		return nil
	}
	indent := f.indentOf(before)
	return []analysis.SuggestedFix{{
		Message: "mint the key once, before the retries",
		TextEdits: []analysis.TextEdit{
			{Pos: before.Pos(), End: before.Pos(), NewText: fmt.Appendf(nil, "%s := %s\n%s", name, text.Bytes(), indent)},
			{Pos: expression.Pos(), End: expression.End(), NewText: []byte(name)},
		},
	}}
}

// valueOf climbs from the mint to the value that can be held in a variable: through methods without arguments such as String, and through a function that takes its error away. rest are the nodes around it.
func (f *fixer) valueOf(mint *ast.CallExpr, path []ast.Node) (expression ast.Expr, rest []ast.Node, ok bool) {
	expression = mint
	for len(path) > 0 && path[0] != ast.Node(mint) {
		path = path[1:]
	}
	if len(path) == 0 {
		return nil, nil, false
	}
	path = path[1:]
	for len(path) > 1 {
		if call, isCall := path[0].(*ast.CallExpr); isCall && len(call.Args) == 1 && call.Args[0] == expression && f.isTuple(expression) {
			expression, path = call, path[1:]
			continue
		}
		selector, isSelector := path[0].(*ast.SelectorExpr)
		if !isSelector || selector.X != expression {
			break
		}
		call, isCall := path[1].(*ast.CallExpr)
		if !isCall || call.Fun != ast.Expr(selector) || len(call.Args) > 0 {
			break
		}
		expression, path = call, path[2:]
	}
	if f.isTuple(expression) || isNumber(f.pass.TypesInfo.TypeOf(expression)) {
		return nil, nil, false
	}
	if len(path) > 0 {
		if _, statement := path[0].(*ast.ExprStmt); statement {
			return nil, nil, false // it fills its argument
		}
	}
	return expression, path, true
}

func (f *fixer) isTuple(e ast.Expr) bool {
	_, tuple := f.pass.TypesInfo.TypeOf(e).(*types.Tuple)
	return tuple
}

// isNumber leaves out the random digits and letters that a home-made key is put together from: one for all would be no key.
func isNumber(t types.Type) bool {
	if t == nil {
		return true
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// statementBefore gives the statement in front of which the mint goes.
func (f *fixer) statementBefore(region *keyflow.Region, path []ast.Node) (ast.Stmt, bool) {
	literal := ast.Node(nil)
	if region.Kind == keyflow.Callback {
		if region.Fn == nil {
			return nil, false
		}
		literal = region.Fn.Syntax()
	}
	reached := false
	for i, node := range path {
		switch n := node.(type) {
		case *ast.FuncLit:
			switch {
			case ast.Node(n) == literal:
				reached = true
			case !reached && !calledAtOnce(n, path[i+1:]):
				return nil, false
			}
		case *ast.ForStmt, *ast.RangeStmt:
			switch {
			case !reached && region.Kind == keyflow.Loop && ast.Node(region.Stmt) == n:
				reached = true
			case !reached:
				return nil, false
			}
		case *ast.FuncDecl:
			return nil, false
		}
		statement, isStatement := node.(ast.Stmt)
		if !reached || !isStatement || i+1 >= len(path) {
			continue
		}
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return statement, true
		}
	}
	return nil, false
}

// calledAtOnce reports whether a literal is called where it stands.
func calledAtOnce(literal *ast.FuncLit, around []ast.Node) bool {
	if len(around) == 0 {
		return false
	}
	call, ok := around[0].(*ast.CallExpr)
	return ok && call.Fun == ast.Expr(literal)
}

// movable reports whether an expression means the same in front of a statement: nothing in it is declared or changed in there.
func (f *fixer) movable(expression ast.Expr, before ast.Stmt) bool {
	inside := func(pos token.Pos) bool { return before.Pos() <= pos && pos <= before.End() }
	changed := map[types.Object]bool{}
	change := func(e ast.Expr) {
		if identifier, ok := e.(*ast.Ident); ok {
			changed[f.pass.TypesInfo.ObjectOf(identifier)] = true
		}
	}
	ast.Inspect(before, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				change(left)
			}
		case *ast.IncDecStmt:
			change(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				change(n.X)
			}
		}
		return true
	})
	movable := true
	ast.Inspect(expression, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			movable = false
		case *ast.Ident:
			object := f.pass.TypesInfo.ObjectOf(n)
			if variable, ok := object.(*types.Var); ok && !variable.IsField() && (inside(variable.Pos()) || changed[variable]) {
				movable = false
			}
		}
		return movable
	})
	return movable
}

// freeName gives a name that means nothing yet around and inside of a statement.
func (f *fixer) freeName(before ast.Stmt) string {
	file := f.fileOf(before.Pos())
	if file == nil {
		return ""
	}
	taken := map[string]bool{}
	around := before.Pos()
	for _, decl := range file.Decls {
		if decl.Pos() <= before.Pos() && before.End() <= decl.End() {
			around = decl.Pos()
			ast.Inspect(decl, func(n ast.Node) bool {
				if identifier, ok := n.(*ast.Ident); ok {
					taken[identifier.Name] = true
				}
				return true
			})
		}
	}
	name := "idempotencyKey"
	for i := 2; i < 100; i++ {
		inPackage := f.pass.Pkg.Scope().Lookup(name) != nil
		once := fmt.Sprintf("%s@%d", name, around)
		if !taken[name] && !f.given[once] && !inPackage {
			f.given[once] = true
			return name
		}
		name = fmt.Sprintf("idempotencyKey%d", i)
	}
	return ""
}

// indentOf gives the white space in front of a statement.
func (f *fixer) indentOf(statement ast.Stmt) string {
	position := f.pass.Fset.Position(statement.Pos())
	return strings.Repeat("\t", max(position.Column-1, 0))
}
