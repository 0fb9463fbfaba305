package parity

import (
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// TestMySQL compares the texts that PostgreSQL's grammar refuses and MySQL's takes. Those with a $ are left out: it is a name there.
func TestMySQL(t *testing.T) {
	p := parser.New()
	for name, set := range samples(t) {
		var refused []sample
		for _, s := range set {
			if _, ok := postgresFacts(s.text); ok {
				continue
			}
			for _, st := range sqltext.Parse(s.text) {
				part := s.text[st.Start:st.End]
				if _, ok := postgresFacts(part); !ok && !strings.Contains(part, "$") {
					refused = append(refused, sample{s.place, part})
				}
			}
		}
		c := compare(t, refused, func(text string) ([]facts, bool) {
			nodes, _, err := p.Parse(text, "", "")
			if err != nil {
				return nil, false
			}
			var list []facts
			for _, n := range nodes {
				list = append(list, mysql(n))
			}
			return list, true
		})
		t.Logf("%s: %d texts, %d refused by the grammar; %d statements, %d agree: %.2f %%", name, c.texts, c.refused, c.accepted, c.agreed, c.percent())
		if c.percent() < atLeast {
			t.Errorf("%s: agreement below %d %%", name, atLeast)
		}
	}
}

// mysql gives the facts of a statement as TiDB's grammar reads it.
func mysql(node ast.Node) facts {
	f := facts{skip: map[string]bool{"with": true, "locks": true, "changes": true}}
	switch n := node.(type) {
	case *ast.SelectStmt:
		f.verb = "select"
		f.reads = mysqlTables(n, nil)
		if n.Where != nil {
			f.equals = mysqlConditions(n.Where)
		}
		if n.From == nil {
			f.skip["equals"], f.skip["table"] = true, true
		} else {
			f.first(n.From)
		}
	case *ast.SetOprStmt:
		f.verb = "select"
		f.reads = mysqlTables(n, nil)
		f.skip["table"], f.skip["equals"] = true, true
	case *ast.InsertStmt:
		f.verb = "insert"
		written := f.first(n.Table)
		f.reads = mysqlTables(n, written)
		for _, c := range n.Columns {
			f.columns = append(f.columns, c.Name.L)
		}
		switch {
		case n.IsReplace:
			f.conflict = "replace "
		case len(n.OnDuplicate) > 0:
			f.conflict = "update "
		case n.IgnoreErr:
			f.conflict = "nothing "
		}
		f.skip["equals"] = true
	case *ast.UpdateStmt:
		f.verb = "update"
		written := f.first(n.TableRefs)
		f.reads = mysqlTables(n, written)
		for _, a := range n.List {
			f.columns = append(f.columns, a.Column.Name.L)
		}
		if n.Where != nil {
			f.equals = mysqlConditions(n.Where)
		}
	case *ast.DeleteStmt:
		f.verb = "delete"
		written := f.first(n.TableRefs)
		f.reads = mysqlTables(n, written)
		f.skip["table"], f.skip["reads"] = n.IsMultiTable, n.IsMultiTable
		if n.Where != nil {
			f.equals = mysqlConditions(n.Where)
		}
	case *ast.CreateTableStmt:
		f.verb, f.table = "create table", n.Table.Name.L
		for _, c := range n.Cols {
			f.mysqlColumn(c)
		}
		for _, c := range n.Constraints {
			f.mysqlConstraint(c)
		}
	case *ast.CreateIndexStmt:
		f.verb, f.table = "create index", n.Table.Name.L
		if n.KeyType == ast.IndexKeyTypeUnique {
			f.unique = append(f.unique, mysqlParts(n.IndexPartSpecifications))
		}
	case *ast.AlterTableStmt:
		f.verb, f.table = "alter table", n.Table.Name.L
		for _, s := range n.Specs {
			switch s.Tp {
			case ast.AlterTableAddColumns:
				for _, c := range s.NewColumns {
					f.mysqlColumn(c)
				}
			case ast.AlterTableAddConstraint:
				f.mysqlConstraint(s.Constraint)
			}
		}
	case *ast.DropTableStmt:
		f.verb, f.table = "drop table", n.Tables[0].Name.L
		if n.IsView {
			f.verb, f.table = "other", ""
		}
	case *ast.DropIndexStmt:
		f.verb, f.table = "drop index", n.Table.Name.L
	case *ast.RenameTableStmt:
		f.verb, f.table = "alter table", n.TableToTables[0].OldTable.Name.L
	case *ast.BeginStmt:
		f.verb = "begin"
	case *ast.CommitStmt:
		f.verb = "commit"
	case *ast.RollbackStmt:
		f.verb = "rollback"
		f.skip["verb"] = n.SavepointName != ""
	case *ast.LockTablesStmt:
		f.verb, f.table = "lock table", n.TableLocks[0].Table.Name.L
	default:
		f.verb = "other"
	}
	f.normal()
	return f
}

// first notes the first table of a FROM clause.
func (f *facts) first(from *ast.TableRefsClause) *ast.TableName {
	var node ast.ResultSetNode = from.TableRefs
	for {
		switch n := node.(type) {
		case *ast.Join:
			node = n.Left
		case *ast.TableSource:
			node = n.Source
		case *ast.TableName:
			f.table = n.Name.L
			return n
		default: // a sub-select
			f.skip["table"], f.skip["equals"] = true, true
			return nil
		}
	}
}

func (f *facts) mysqlColumn(c *ast.ColumnDef) {
	for _, o := range c.Options {
		switch o.Tp {
		case ast.ColumnOptionPrimaryKey:
			f.unique = append(f.unique, c.Name.Name.L+"!")
		case ast.ColumnOptionUniqKey:
			f.unique = append(f.unique, c.Name.Name.L)
		}
	}
}

func (f *facts) mysqlConstraint(c *ast.Constraint) {
	switch c.Tp {
	case ast.ConstraintPrimaryKey:
		f.unique = append(f.unique, mysqlParts(c.Keys)+"!")
	case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
		f.unique = append(f.unique, mysqlParts(c.Keys))
	}
}

func mysqlParts(parts []*ast.IndexPartSpecification) string {
	var names []string
	for _, p := range parts {
		if p.Column == nil {
			names = append(names, "(expression)")
			continue
		}
		names = append(names, p.Column.Name.L)
	}
	return strings.Join(names, ",")
}

func mysqlConditions(e ast.ExprNode) []string {
	switch n := e.(type) {
	case *ast.ParenthesesExpr:
		return mysqlConditions(n.Expr)
	case *ast.BinaryOperationExpr:
		switch n.Op {
		case opcode.LogicAnd:
			return append(mysqlConditions(n.L), mysqlConditions(n.R)...)
		case opcode.EQ, opcode.NullEQ:
			left, ok := n.L.(*ast.RowExpr)
			right, ok2 := n.R.(*ast.RowExpr)
			if ok && ok2 && len(left.Values) == len(right.Values) {
				var list []string
				for i := range left.Values {
					list = append(list, mysqlPair(left.Values[i], right.Values[i])...)
				}
				return list
			}
			return mysqlPair(n.L, n.R)
		}
	case *ast.PatternInExpr:
		if n.Not || n.Sel != nil {
			return nil
		}
		for _, v := range n.List {
			if !mysqlValue(v) {
				return nil
			}
		}
		if row, ok := n.Expr.(*ast.RowExpr); ok {
			var list []string
			for _, v := range row.Values {
				list = append(list, mysqlName(v)...)
			}
			return list
		}
		return mysqlName(n.Expr)
	}
	return nil
}

func mysqlPair(a, b ast.ExprNode) []string {
	if c := mysqlName(a); c != nil && mysqlValue(b) {
		return c
	}
	if c := mysqlName(b); c != nil && mysqlValue(a) {
		return c
	}
	return nil
}

func mysqlName(e ast.ExprNode) []string {
	for {
		switch n := e.(type) {
		case *ast.ParenthesesExpr:
			e = n.Expr
		case *ast.FuncCastExpr:
			e = n.Expr
		case *ast.SetCollationExpr:
			e = n.Expr
		case *ast.ColumnNameExpr:
			return []string{n.Name.Name.L}
		default:
			return nil
		}
	}
}

func mysqlValue(e ast.ExprNode) bool {
	v := &columnsIn{}
	e.Accept(v)
	return !v.found
}

// columnsIn looks for columns outside of sub-selects.
type columnsIn struct{ found bool }

func (v *columnsIn) Enter(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.ColumnNameExpr:
		v.found = true
	case *ast.SubqueryExpr:
		return n, true
	}
	return n, false
}

func (v *columnsIn) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// tablesIn collects the tables of a statement but for one.
type tablesIn struct {
	written *ast.TableName
	names   []string
	with    map[string]bool
}

func (v *tablesIn) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.TableName:
		if n != v.written {
			v.names = append(v.names, n.Name.L)
		}
	case *ast.CommonTableExpression:
		v.with[n.Name.L] = true
		return n, true
	}
	return n, false
}

func (v *tablesIn) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func mysqlTables(n ast.Node, written *ast.TableName) []string {
	v := &tablesIn{written: written, with: map[string]bool{}}
	n.Accept(v)
	var list []string
	for _, name := range v.names {
		if !v.with[name] {
			list = append(list, name)
		}
	}
	return list
}
