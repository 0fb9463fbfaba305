package storeflow

import (
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/schema"
)

// rowNames is how a library names the table and the columns of a struct type.
type rowNames struct {
	tag string // the struct tag's key
	// column reads the column's name out of a tag; "-" leaves the field out, "" means that the tag does not say.
	column func(tag string) string
	// table reads the table's name out of a struct; "" when only the naming strategy says.
	table func(shape *types.Struct) string
	// primary reports whether a tag makes its field the primary key.
	primary func(tag string) bool
}

// gormNames are gorm's: `gorm:"column:ref;primaryKey"`, TableName() and snake_case plurals.
var gormNames = rowNames{
	tag:    "gorm",
	column: func(tag string) string { return gormOption(tag, "column") },
	table:  func(*types.Struct) string { return "" },
	primary: func(tag string) bool {
		lower := strings.ToLower(tag)
		return strings.Contains(lower, "primarykey") || strings.Contains(lower, "primary_key")
	},
}

// bunNames are bun's: `bun:"ref,pk"`, `bun:"table:payments"` on the embedded BaseModel, and snake_case plurals.
var bunNames = rowNames{
	tag: "bun",
	column: func(tag string) string {
		name, _, _ := strings.Cut(tag, ",")
		if strings.Contains(name, ":") {
			return ""
		}
		return name
	},
	table: func(shape *types.Struct) string {
		for i := range shape.NumFields() {
			for _, option := range strings.Split(reflect.StructTag(shape.Tag(i)).Get("bun"), ",") {
				if name, ok := strings.CutPrefix(option, "table:"); ok {
					return name
				}
			}
		}
		return ""
	},
	primary: func(tag string) bool {
		for _, option := range strings.Split(tag, ",")[1:] {
			if option == "pk" {
				return true
			}
		}
		return false
	},
}

func gormOption(tag, name string) string {
	for _, option := range strings.Split(tag, ";") {
		key, value, _ := strings.Cut(option, ":")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(value)
		}
		if strings.TrimSpace(option) == "-" && name == "column" {
			return "-"
		}
	}
	return ""
}

// tableOf names the table of a row's type: what its TableName method returns, what a tag says, else the naming strategy. "" when a method decides that is not in view.
func (n rowNames) tableOf(p *Result, row *types.Named) string {
	if row == nil {
		return ""
	}
	shape, ok := row.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	if n.tag == gormNames.tag {
		method, _, _ := types.LookupFieldOrMethod(types.NewPointer(row), true, row.Obj().Pkg(), "TableName")
		if fn, ok := method.(*types.Func); ok {
			return tableOnly(p.tableName(fn))
		}
	}
	if name := n.table(shape); name != "" {
		return tableOnly(name)
	}
	return schema.TableName(row.Obj().Name())
}

// columnOf names the column of a field, "" for one that has none.
func (n rowNames) columnOf(field *types.Var, tag string) string {
	switch name := n.column(reflect.StructTag(tag).Get(n.tag)); name {
	case "-":
		return ""
	case "":
		return schema.ColumnName(field.Name())
	default:
		return strings.ToLower(name)
	}
}

// columnsSet gives the columns that a struct literal sets to something. Embedded structs are looked into.
func (n rowNames) columnsSet(v ssa.Value) []string {
	var columns []string
	for _, set := range structFields(v) {
		if isZeroConstant(set.value) {
			continue
		}
		if set.field.Embedded() {
			columns = append(columns, n.columnsSet(set.value)...)
			continue
		}
		if column := n.columnOf(set.field, set.tag); column != "" {
			columns = append(columns, column)
		}
	}
	return unique(columns)
}

// mintsPrimary reports whether the primary key of a row literal is minted right there.
func (n rowNames) mintsPrimary(p *Result, row *types.Named, v ssa.Value) bool {
	primary := n.primaryOf(row)
	for _, set := range structFields(v) {
		if set.field.Embedded() && n.mintsPrimary(p, named(set.field.Type()), set.value) {
			return true
		}
		if n.columnOf(set.field, set.tag) == primary && p.isMint(set.value, mintDepth) {
			return true
		}
	}
	return false
}

// primaryOf names the primary key's column.
func (n rowNames) primaryOf(row *types.Named) string {
	if row == nil {
		return "id"
	}
	if shape, ok := row.Underlying().(*types.Struct); ok {
		for i := range shape.NumFields() {
			if n.primary(reflect.StructTag(shape.Tag(i)).Get(n.tag)) {
				return n.columnOf(shape.Field(i), shape.Tag(i))
			}
		}
	}
	return "id"
}

// tableOnly folds a table's name and drops its schema and alias.
func tableOnly(name string) string {
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.ToLower(strings.Trim(name, "`\"[]"))
}

// unique drops what is there twice and keeps the order.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	out := list[:0:0]
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			out = append(out, item)
		}
	}
	return out
}
