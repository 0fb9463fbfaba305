package report

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// place widens the place of a call to the name of what is called. SSA form knows a call by its parenthesis, which is no place that anybody would mark, and which has no end.
func (r *Reporter) place(pos, end token.Pos) (token.Pos, token.Pos) {
	if end > pos {
		return pos, end
	}
	file := r.file(pos)
	if file == nil {
		return pos, end
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if node == nil || pos < node.Pos() || node.End() <= pos {
			return false
		}
		if call, ok := node.(*ast.CallExpr); ok && call.Lparen == pos {
			if name := nameOf(call.Fun); name != nil {
				pos, end = name.Pos(), name.End()
			}
			return false
		}
		return true
	})
	return pos, end
}

// nameOf gives the identifier that a call is written with; nil for what has none, such as a function literal.
func nameOf(called ast.Expr) *ast.Ident {
	switch called := ast.Unparen(called).(type) {
	case *ast.Ident:
		return called
	case *ast.SelectorExpr:
		return called.Sel
	case *ast.IndexExpr:
		return nameOf(called.X)
	case *ast.IndexListExpr:
		return nameOf(called.X)
	}
	return nil
}

func (r *Reporter) places(related []analysis.RelatedInformation) []analysis.RelatedInformation {
	var list []analysis.RelatedInformation
	for _, at := range related {
		at.Pos, at.End = r.place(at.Pos, at.End)
		list = append(list, at)
	}
	return list
}

// file gives the file of the pass that holds pos; nil when none does.
func (r *Reporter) file(pos token.Pos) *ast.File {
	for _, file := range r.pass.Files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return file
		}
	}
	return nil
}
