package schema

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// entTables reads the file migrate/schema.go that ent generates: its tables, columns and indexes are literals there, mixins and edges included.
func entTables(file string, text []byte) []*Table {
	if !bytes.Contains(text, []byte("entgo.io/ent/dialect/sql/schema")) {
		return nil
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	e := &entFile{fset: fset, file: file, columns: map[string][]entColumn{}}
	var tables []*Table
	for _, decl := range parsed.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			value := spec.(*ast.ValueSpec)
			if len(value.Names) != 1 || len(value.Values) != 1 {
				continue
			}
			switch literal := value.Values[0].(type) {
			case *ast.CompositeLit: // XColumns = []*schema.Column{...}
				e.columns[value.Names[0].Name] = e.readColumns(literal)
			case *ast.UnaryExpr: // XTable = &schema.Table{...}
				if table, ok := literal.X.(*ast.CompositeLit); ok && typeName(table.Type) == "Table" {
					tables = append(tables, e.table(table))
				}
			}
		}
	}
	return tables
}

// entFile is what was read of a file so far. Columns stand before their table.
type entFile struct {
	fset    *token.FileSet
	file    string
	columns map[string][]entColumn
}

type entColumn struct {
	name     string
	unique   bool
	nullable bool
	pos      token.Pos
}

func (e *entFile) position(pos token.Pos) Position {
	return Position{File: e.file, Line: e.fset.Position(pos).Line}
}

func (e *entFile) readColumns(list *ast.CompositeLit) []entColumn {
	var columns []entColumn
	for _, element := range list.Elts {
		literal, ok := element.(*ast.CompositeLit)
		if !ok {
			return nil
		}
		fields := keyed(literal)
		columns = append(columns, entColumn{name: text(fields["Name"]), unique: isTrue(fields["Unique"]), nullable: isTrue(fields["Nullable"]), pos: literal.Pos()})
	}
	return columns
}

func (e *entFile) table(literal *ast.CompositeLit) *Table {
	fields := keyed(literal)
	t := &Table{Name: text(fields["Name"]), Columns: map[string]bool{}, Origin: e.position(literal.Pos())}
	if name, ok := fields["Columns"].(*ast.Ident); ok {
		for _, c := range e.columns[name.Name] {
			t.Columns[strings.ToLower(c.name)] = c.nullable
			if c.unique {
				t.addRule(Rule{Columns: []string{c.name}, Origin: e.position(c.pos)})
			}
		}
	}
	if primary := fields["PrimaryKey"]; primary != nil {
		t.addRule(Rule{Columns: e.names(primary), Primary: true, Origin: e.position(primary.Pos())})
	}
	indexes, ok := fields["Indexes"].(*ast.CompositeLit)
	if !ok {
		return t
	}
	for _, element := range indexes.Elts {
		index, ok := element.(*ast.CompositeLit)
		if !ok {
			continue
		}
		parts := keyed(index)
		if !isTrue(parts["Unique"]) {
			continue
		}
		rule := Rule{Name: text(parts["Name"]), Columns: e.names(parts["Columns"]), Origin: e.position(index.Pos())}
		if annotation, ok := parts["Annotation"].(*ast.UnaryExpr); ok {
			if literal, ok := annotation.X.(*ast.CompositeLit); ok {
				rule.Partial = text(keyed(literal)["Where"])
			}
		}
		t.addRule(rule)
	}
	return t
}

// addRule adds a rule whose columns are known, and says which of them may be NULL.
func (t *Table) addRule(rule Rule) {
	if len(rule.Columns) == 0 {
		return
	}
	for _, c := range rule.Columns {
		if c == "" {
			return
		}
	}
	if !rule.Primary {
		rule.Nullable = t.nullable(rule.Columns)
	}
	t.Rules = append(t.Rules, rule)
}

// names reads []*schema.Column{XColumns[1], XColumns[2]}.
func (e *entFile) names(list ast.Expr) []string {
	literal, ok := list.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var names []string
	for _, element := range literal.Elts {
		index, ok := element.(*ast.IndexExpr)
		if !ok {
			return nil
		}
		base, ok := index.X.(*ast.Ident)
		if !ok {
			return nil
		}
		number, ok := index.Index.(*ast.BasicLit)
		if !ok {
			return nil
		}
		n, err := strconv.Atoi(number.Value)
		if columns := e.columns[base.Name]; err != nil || n >= len(columns) {
			return nil
		}
		names = append(names, e.columns[base.Name][n].name)
	}
	return names
}

func keyed(literal *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				fields[name.Name] = pair.Value
			}
		}
	}
	return fields
}

func typeName(expr ast.Expr) string {
	if selector, ok := expr.(*ast.SelectorExpr); ok {
		return selector.Sel.Name
	}
	return ""
}

func text(expr ast.Expr) string {
	literal, ok := expr.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return value
}

func isTrue(expr ast.Expr) bool {
	name, ok := expr.(*ast.Ident)
	return ok && name.Name == "true"
}
