package retrykey

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
)

// syntax finds the source behind positions, which in the SSA form are those of parentheses and operators.
type syntax struct{ pass *analysis.Pass }

func newSyntax(pass *analysis.Pass) *syntax { return &syntax{pass} }

func (s *syntax) line(pos token.Pos) int {
	return s.pass.Fset.Position(s.nodeAt(pos).Pos()).Line
}

func (s *syntax) fileOf(pos token.Pos) *ast.File {
	for _, file := range s.pass.Files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return file
		}
	}
	return nil
}

// pathTo gives the nodes around a position, the innermost first.
func (s *syntax) pathTo(pos, end token.Pos) []ast.Node {
	file := s.fileOf(pos)
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, pos, end)
	return path
}

// nodeAt gives the call, assignment, key-value pair or statement that a position stands for.
func (s *syntax) nodeAt(pos token.Pos) ast.Node {
	for _, node := range s.pathTo(pos, pos) {
		switch n := node.(type) {
		case *ast.CallExpr:
			if n.Lparen == pos || n.Pos() == pos {
				return n
			}
		case *ast.KeyValueExpr:
			return n
		case ast.Stmt:
			return n
		case *ast.FuncDecl:
			return n.Name
		}
	}
	return point(pos)
}

// point is a position without a node.
type point token.Pos

func (p point) Pos() token.Pos { return token.Pos(p) }
func (p point) End() token.Pos { return token.Pos(p) }
