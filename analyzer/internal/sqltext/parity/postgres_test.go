package parity

import (
	"regexp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// postgresPlaceholders are what drivers and sqlc take for a value, and PostgreSQL's grammar does not.
var postgresPlaceholders = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`sqlc\.(n?arg|slice)\(\s*'?\w+'?\s*\)`), "$$1"},
	{regexp.MustCompile(`([\s(,=<>])@(\w+)`), "$1$$1"},
	{regexp.MustCompile(`([\s(,=<>]):(\w+)`), "$1$$1"},
	{regexp.MustCompile(`([\s(,=<>+-])\?\d*([\s),;]|$|::)`), "$1$$1$2"},
	{regexp.MustCompile(`([\s(,=<>+-])\?\d*([\s),;]|$|::)`), "$1$$1$2"}, // neighbours share a blank
}

func forPostgres(text string) string {
	for _, p := range postgresPlaceholders {
		text = p.from.ReplaceAllString(text, p.to)
	}
	return text
}

// postgres gives the facts of a statement as PostgreSQL's grammar reads it.
func postgres(node *pg.Node) facts {
	f := facts{skip: map[string]bool{}}
	switch n := node.GetNode().(type) {
	case *pg.Node_SelectStmt:
		f.selectFacts(n.SelectStmt)
	case *pg.Node_InsertStmt:
		f.insertFacts(n.InsertStmt)
	case *pg.Node_UpdateStmt:
		s := n.UpdateStmt
		f.verb, f.table = "update", table(s.Relation)
		for _, t := range s.TargetList {
			f.columns = append(f.columns, strings.ToLower(t.GetResTarget().Name))
		}
		f.equals = conditions(s.WhereClause)
		f.withFacts(s.WithClause)
		f.reads = tables(node, s.Relation)
	case *pg.Node_DeleteStmt:
		s := n.DeleteStmt
		f.verb, f.table = "delete", table(s.Relation)
		f.equals = conditions(s.WhereClause)
		f.withFacts(s.WithClause)
		f.reads = tables(node, s.Relation)
	case *pg.Node_MergeStmt:
		s := n.MergeStmt
		f.verb, f.table = "merge", table(s.Relation)
		f.withFacts(s.WithClause)
		f.reads = tables(node, s.Relation)
		f.skip["columns"], f.skip["conflict"], f.skip["equals"] = true, true, true
	case *pg.Node_TransactionStmt:
		switch n.TransactionStmt.Kind {
		case pg.TransactionStmtKind_TRANS_STMT_BEGIN, pg.TransactionStmtKind_TRANS_STMT_START:
			f.verb = "begin"
		case pg.TransactionStmtKind_TRANS_STMT_COMMIT:
			f.verb = "commit"
		case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK:
			f.verb = "rollback"
		default:
			f.verb = "other"
		}
	case *pg.Node_LockStmt:
		f.verb, f.table = "lock table", table(n.LockStmt.Relations[0].GetRangeVar())
	case *pg.Node_CreateStmt:
		f.verb, f.table = "create table", table(n.CreateStmt.Relation)
		for _, e := range n.CreateStmt.TableElts {
			f.element(e)
		}
	case *pg.Node_CreateTableAsStmt:
		if f.verb = "create table"; n.CreateTableAsStmt.Objtype != pg.ObjectType_OBJECT_TABLE {
			f.verb = "other"
			break
		}
		f.table = table(n.CreateTableAsStmt.Into.Rel)
	case *pg.Node_IndexStmt:
		f.verb, f.table = "create index", table(n.IndexStmt.Relation)
		if n.IndexStmt.Unique {
			f.unique = append(f.unique, index(n.IndexStmt))
		}
	case *pg.Node_AlterTableStmt:
		f.alterFacts(n.AlterTableStmt)
	case *pg.Node_RenameStmt:
		f.renameFacts(n.RenameStmt)
	case *pg.Node_DropStmt:
		f.dropFacts(n.DropStmt)
	case *pg.Node_AlterObjectSchemaStmt, *pg.Node_AlterOwnerStmt: // ALTER TABLE too
		f.verb = "other"
		f.skip["verb"] = true
	default:
		f.verb = "other"
	}
	f.skip["table"] = f.skip["table"] || f.verb == "other"
	if f.verb == "other" || f.verb == "alter table" {
		f.skip["verb"] = f.skip["verb"] || f.verb == "alter table"
	}
	f.normal()
	return f
}

func (f *facts) selectFacts(s *pg.SelectStmt) {
	f.verb = "select"
	f.withFacts(s.WithClause)
	f.reads = tables(&pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: s}}, nil)
	f.lockFacts(s)
	if s.Op != pg.SetOperation_SETOP_NONE {
		f.skip["equals"], f.skip["table"], f.skip["locks"] = true, true, true
		return
	}
	f.equals = conditions(s.WhereClause)
	if len(s.FromClause) > 0 {
		item := s.FromClause[0]
		for item.GetJoinExpr() != nil {
			item = item.GetJoinExpr().Larg
		}
		if sample := item.GetRangeTableSample(); sample != nil {
			item = sample.Relation
		}
		switch {
		case item.GetRangeVar() != nil:
			f.table = table(item.GetRangeVar())
			if f.names(s.WithClause)[f.table] && item.GetRangeVar().Schemaname == "" {
				f.table = ""
			}
		case item.GetRangeSubselect() != nil:
			inner := facts{skip: map[string]bool{}}
			inner.selectFacts(item.GetRangeSubselect().Subquery.GetSelectStmt())
			f.table = inner.table
			f.equals = append(f.equals, inner.equals...)
			if inner.skip["equals"] {
				f.skip["equals"], f.skip["table"] = true, true
			}
		}
		f.skip["table"] = f.skip["table"] || f.skip["cte"]
		for _, item := range s.FromClause { // locks of sub-selects are those of the whole
			if sub := item.GetRangeSubselect(); sub != nil {
				f.lockFacts(sub.Subquery.GetSelectStmt())
			}
		}
		return
	}
	var subs []*pg.SelectStmt
	for _, t := range s.TargetList {
		subs = append(subs, sublinks(t)...)
	}
	if len(subs) == 1 && len(s.FromClause) == 0 {
		inner := facts{skip: map[string]bool{}}
		inner.selectFacts(subs[0])
		f.table, f.equals, f.locks = inner.table, inner.equals, inner.locks
		f.skip["equals"] = inner.skip["equals"]
		f.skip["table"] = f.skip["table"] || inner.skip["table"]
		f.skip["with"] = subs[0].WithClause != nil
	}
}

func (f *facts) lockFacts(s *pg.SelectStmt) {
	if s == nil {
		return
	}
	for _, l := range s.LockingClause {
		lock := l.GetLockingClause()
		word := "share "
		if lock.Strength >= pg.LockClauseStrength_LCS_FORNOKEYUPDATE {
			word = "update "
		}
		if !strings.Contains(f.locks, word) {
			f.locks += word
		}
		if lock.WaitPolicy == pg.LockWaitPolicy_LockWaitSkip {
			f.locks += "skip"
		}
	}
}

func (f *facts) insertFacts(s *pg.InsertStmt) {
	f.verb, f.table = "insert", table(s.Relation)
	f.withFacts(s.WithClause)
	for _, c := range s.Cols {
		f.columns = append(f.columns, strings.ToLower(c.GetResTarget().Name))
	}
	if c := s.OnConflictClause; c != nil {
		f.conflict = "nothing "
		if c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE {
			f.conflict = "update "
		}
		if c.Infer != nil {
			f.conflict += elements(c.Infer.IndexElems) + c.Infer.Conname
		}
	}
	f.reads = tables(&pg.Node{Node: &pg.Node_InsertStmt{InsertStmt: s}}, s.Relation)
	f.skip["equals"] = true
	f.skip["locks"] = true
	f.skip["with"] = s.SelectStmt.GetSelectStmt().GetWithClause() != nil
}

func (f *facts) names(w *pg.WithClause) map[string]bool {
	names := map[string]bool{}
	for _, c := range w.GetCtes() {
		names[c.GetCommonTableExpr().Ctename] = true
	}
	return names
}

// withFacts reads common table expressions. Those inside of sub-selects are listed by sqltext too, and only counted here.
func (f *facts) withFacts(w *pg.WithClause) {
	for _, c := range w.GetCtes() {
		f.with = append(f.with, postgres(c.GetCommonTableExpr().Ctequery))
	}
	names := f.names(w)
	for i := range f.with { // they may read one another, and themselves
		f.with[i].reads = slices.DeleteFunc(f.with[i].reads, func(t string) bool { return names[t] })
		if names[f.with[i].table] && f.with[i].verb == "select" {
			f.with[i].table = ""
		}
	}
}

// conditions gives the columns compared for equality where all of a clause must hold.
func conditions(node *pg.Node) []string {
	var list []string
	if b := node.GetBoolExpr(); b != nil {
		if b.Boolop == pg.BoolExprType_AND_EXPR {
			for _, a := range b.Args {
				list = append(list, conditions(a)...)
			}
		}
		return list
	}
	e := node.GetAExpr()
	if e == nil {
		if s := node.GetSubLink(); s != nil && s.SubLinkType == pg.SubLinkType_ANY_SUBLINK {
			return nil
		}
		return nil
	}
	name := ""
	if len(e.Name) > 0 {
		name = e.Name[len(e.Name)-1].GetString_().GetSval()
	}
	switch e.Kind {
	case pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		if name != "=" {
			return nil
		}
		left, right := e.Lexpr.GetRowExpr(), e.Rexpr.GetRowExpr()
		if left != nil && right != nil && len(left.Args) == len(right.Args) {
			for i := range left.Args {
				list = append(list, pair(left.Args[i], right.Args[i])...)
			}
			return list
		}
		return pair(e.Lexpr, e.Rexpr)
	case pg.A_Expr_Kind_AEXPR_IN:
		if name != "=" || !isValue(e.Rexpr) {
			return nil
		}
		if row := e.Lexpr.GetRowExpr(); row != nil {
			for _, a := range row.Args {
				if c := column(a); c != "" {
					list = append(list, c)
				}
			}
			return list
		}
		if c := column(e.Lexpr); c != "" {
			return []string{c}
		}
	case pg.A_Expr_Kind_AEXPR_OP_ANY:
		if c := column(e.Lexpr); c != "" && name == "=" && isValue(e.Rexpr) && e.Rexpr.GetSubLink() == nil {
			return []string{c}
		}
	}
	return nil
}

func pair(a, b *pg.Node) []string {
	if c := column(a); c != "" && isValue(b) {
		return []string{c}
	}
	if c := column(b); c != "" && isValue(a) {
		return []string{c}
	}
	return nil
}

// column gives the name of a column behind casts and collations.
func column(node *pg.Node) string {
	for {
		switch n := node.GetNode().(type) {
		case *pg.Node_TypeCast:
			node = n.TypeCast.Arg
		case *pg.Node_CollateClause:
			node = n.CollateClause.Arg
		case *pg.Node_ColumnRef:
			fields := n.ColumnRef.Fields
			if fields[0].GetString_().GetSval() == "excluded" {
				return ""
			}
			return strings.ToLower(fields[len(fields)-1].GetString_().GetSval())
		default:
			return ""
		}
	}
}

// isValue reports whether an expression refers to no column outside of its sub-selects.
func isValue(node *pg.Node) bool {
	value := true
	walk(node.ProtoReflect(), func(m protoreflect.Message) bool {
		switch m.Interface().(type) {
		case *pg.ColumnRef:
			value = false
		case *pg.SubLink:
			return false
		}
		return true
	})
	return value
}

// tables gives the tables that a statement reads, without written and without names of common table expressions, whose bodies are statements of their own.
func tables(node *pg.Node, written *pg.RangeVar) []string {
	names := map[string]bool{}
	var found []*pg.RangeVar
	walk(node.ProtoReflect(), func(m protoreflect.Message) bool {
		switch n := m.Interface().(type) {
		case *pg.CommonTableExpr:
			names[n.Ctename] = true
			return false
		case *pg.LockingClause, *pg.IntoClause:
			return false
		case *pg.RangeVar:
			if n != written {
				found = append(found, n)
			}
		}
		return true
	})
	var list []string
	for _, t := range found {
		if t.Schemaname != "" || !names[t.Relname] {
			list = append(list, strings.ToLower(t.Relname))
		}
	}
	return list
}

// sublinks gives the outermost sub-selects of an expression.
func sublinks(node *pg.Node) []*pg.SelectStmt {
	var list []*pg.SelectStmt
	walk(node.ProtoReflect(), func(m protoreflect.Message) bool {
		if s, ok := m.Interface().(*pg.SubLink); ok {
			list = append(list, s.Subselect.GetSelectStmt())
			return false
		}
		return true
	})
	return list
}

// walk visits a message and, where visit says so, what is in it.
func walk(m protoreflect.Message, visit func(protoreflect.Message) bool) {
	if !m.IsValid() || !visit(m) {
		return
	}
	m.Range(func(d protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case d.IsList() && d.Message() != nil:
			for i := range v.List().Len() {
				walk(v.List().Get(i).Message(), visit)
			}
		case d.Message() != nil && !d.IsMap():
			walk(v.Message(), visit)
		}
		return true
	})
}

func table(t *pg.RangeVar) string { return strings.ToLower(t.GetRelname()) }

// elements joins the columns of an index.
func elements(list []*pg.Node) string {
	var names []string
	for _, e := range list {
		name := strings.ToLower(e.GetIndexElem().GetName())
		if name == "" {
			name = "(expression)"
			if c := column(e.GetIndexElem().GetExpr()); c != "" && e.GetIndexElem().GetExpr().GetTypeCast() == nil {
				name = c // (a) in parentheses
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

func index(s *pg.IndexStmt) string {
	text := elements(s.IndexParams)
	if s.WhereClause != nil {
		text += "?"
	}
	if s.NullsNotDistinct {
		text += "="
	}
	return text
}

// element reads a column or a constraint of CREATE TABLE or ADD.
func (f *facts) element(node *pg.Node) {
	if c := node.GetConstraint(); c != nil {
		f.constraint(c, "")
		return
	}
	d := node.GetColumnDef()
	if d == nil {
		return
	}
	text := "column:" + strings.ToLower(d.Colname)
	notNull := strings.HasSuffix(typeOf(d), "serial")
	for _, n := range d.Constraints {
		c := n.GetConstraint()
		switch c.Contype {
		case pg.ConstrType_CONSTR_NOTNULL, pg.ConstrType_CONSTR_PRIMARY, pg.ConstrType_CONSTR_IDENTITY:
			notNull = true
		}
		f.constraint(c, d.Colname)
	}
	if notNull {
		text += "!"
	}
	f.changes = append(f.changes, text)
}

func typeOf(d *pg.ColumnDef) string {
	names := d.GetTypeName().GetNames()
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1].GetString_().GetSval()
}

func (f *facts) constraint(c *pg.Constraint, column string) {
	text := column
	switch c.Contype {
	case pg.ConstrType_CONSTR_PRIMARY:
		defer func() { f.unique[len(f.unique)-1] += "!" + using(c) }()
	case pg.ConstrType_CONSTR_UNIQUE:
		defer func() {
			if c.NullsNotDistinct {
				f.unique[len(f.unique)-1] += "="
			}
			f.unique[len(f.unique)-1] += using(c)
		}()
	default:
		return
	}
	if column == "" {
		var names []string
		for _, k := range c.Keys {
			names = append(names, k.GetString_().GetSval())
		}
		text = strings.Join(names, ",")
	}
	f.unique = append(f.unique, strings.ToLower(text))
}

func using(c *pg.Constraint) string {
	if c.Indexname == "" {
		return ""
	}
	return "using:" + c.Indexname
}

func (f *facts) alterFacts(s *pg.AlterTableStmt) {
	if s.Objtype != pg.ObjectType_OBJECT_TABLE {
		f.verb = "other"
		f.skip["verb"], f.skip["table"] = true, true
		return
	}
	f.verb, f.table = "alter table", table(s.Relation)
	for _, n := range s.Cmds {
		c := n.GetAlterTableCmd()
		change := func(kind string) { f.changes = append(f.changes, strings.ToLower(kind+":"+c.Name+">")) }
		switch c.Subtype {
		case pg.AlterTableType_AT_AddColumn, pg.AlterTableType_AT_AddConstraint:
			f.element(c.Def)
		case pg.AlterTableType_AT_DropColumn:
			change("drop-column")
		case pg.AlterTableType_AT_DropConstraint:
			change("drop-rule")
		case pg.AlterTableType_AT_SetNotNull:
			change("set-not-null")
		case pg.AlterTableType_AT_DropNotNull:
			change("drop-not-null")
		}
	}
}

func (f *facts) renameFacts(s *pg.RenameStmt) {
	f.verb = "alter table"
	f.table = table(s.Relation)
	switch s.RenameType {
	case pg.ObjectType_OBJECT_TABLE:
		f.changes = append(f.changes, "rename-table:"+f.table+">"+strings.ToLower(s.Newname))
	case pg.ObjectType_OBJECT_COLUMN:
		f.changes = append(f.changes, "rename-column:"+strings.ToLower(s.Subname+">"+s.Newname))
	case pg.ObjectType_OBJECT_TABCONSTRAINT:
		f.changes = append(f.changes, "rename-rule:"+strings.ToLower(s.Subname+">"+s.Newname))
	case pg.ObjectType_OBJECT_INDEX:
		f.changes = append(f.changes, "rename-rule:"+f.table+">"+strings.ToLower(s.Newname))
		f.table = ""
	default:
		f.verb = "other"
	}
}

func (f *facts) dropFacts(s *pg.DropStmt) {
	var kind string
	switch s.RemoveType {
	case pg.ObjectType_OBJECT_TABLE:
		f.verb, kind = "drop table", "drop-table:"
	case pg.ObjectType_OBJECT_INDEX:
		f.verb, kind = "drop index", "drop-rule:"
	default:
		f.verb = "other"
		return
	}
	for i, o := range s.Objects {
		items := o.GetList().GetItems()
		name := strings.ToLower(items[len(items)-1].GetString_().GetSval())
		f.changes = append(f.changes, kind+name+">")
		if i == 0 && f.verb == "drop table" {
			f.table = name
		}
	}
}
