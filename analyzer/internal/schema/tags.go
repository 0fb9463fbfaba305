package schema

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// FromStruct reads the unique rules that the struct tags of gorm or bun give a type; false for a type without such tags. Both libraries make the rules when they create the tables; a team that writes its migrations by hand may have others, so the tags are a hint where no file tells.
//
// The table's name is the one that the library derives from the type's, or that bun's tag gives; it is empty where the type has a method TableName, whose result types do not tell. fset may be nil; positions have no line then.
func FromStruct(fset *token.FileSet, named *types.Named) (*Table, bool) {
	structure, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil, false
	}
	t := &tagged{fset: fset, named: map[string]int{}, table: &Table{Columns: map[string]bool{}}}
	t.table.Name = NameOf(named)
	t.table.Origin = t.position(named.Obj())
	t.fields(structure, "", 0)
	if !t.seen {
		return nil, false
	}
	if len(t.primary.Columns) == 0 && t.id != "" {
		t.primary.Columns = []string{t.id}
		t.primary.Origin = t.idAt
	}
	if len(t.primary.Columns) > 0 {
		t.primary.Primary = true
		for _, c := range t.primary.Columns {
			t.table.Columns[strings.ToLower(c)] = false
		}
		t.table.Rules = append([]Rule{t.primary}, t.table.Rules...)
	}
	for i := range t.table.Rules {
		if rule := &t.table.Rules[i]; !rule.Primary {
			rule.Nullable = t.table.nullable(rule.Columns)
		}
	}
	return t.table, true
}

// NameOf gives the name of the table that gorm and bun make of a type's name; "" where the type names its table itself.
func NameOf(named *types.Named) string {
	if hasTableName(named) {
		return ""
	}
	return plural(snake(named.Obj().Name()))
}

// tagged reads the fields of one type.
type tagged struct {
	fset    *token.FileSet
	table   *Table
	seen    bool // a tag of either library, or an embedded base
	primary Rule
	id      string // column of a field called ID, which gorm takes for the key
	idAt    Position
	named   map[string]int // rules of several fields, by their name
}

func (t *tagged) position(object types.Object) Position {
	if t.fset == nil {
		if object.Pkg() != nil {
			return Position{File: object.Pkg().Path()}
		}
		return Position{}
	}
	at := t.fset.Position(object.Pos())
	return Position{File: at.Filename, Line: at.Line}
}

// fields reads the fields of a struct, embedded ones included. prefix stands before the names of their columns.
func (t *tagged) fields(structure *types.Struct, prefix string, depth int) {
	if depth > 6 {
		return
	}
	for i := range min(structure.NumFields(), 500) {
		field := structure.Field(i)
		tag := reflect.StructTag(structure.Tag(i))
		gormTag, isGorm := tag.Lookup("gorm")
		bunTag, isBun := tag.Lookup("bun")
		t.seen = t.seen || isGorm || isBun
		switch {
		case gormTag == "-" || strings.HasPrefix(gormTag, "-:all") || strings.HasPrefix(gormTag, "-;") || bunTag == "-":
		case field.Embedded() && isType(field.Type(), "github.com/uptrace/bun", "BaseModel"):
			t.seen = true
			if name := bunTable(bunTag); name != "" {
				t.table.Name = name
			}
		case isBun:
			t.bun(field, bunTag, prefix, depth)
		case field.Exported() || field.Embedded():
			t.gorm(field, gormTag, prefix, depth)
		}
	}
}

// gorm reads a field with gorm's tag, which may be empty.
func (t *tagged) gorm(field *types.Var, tag, prefix string, depth int) {
	options := gormOptions(tag)
	if inner := structOf(field.Type()); inner != nil && !isValue(field.Type()) {
		_, embedded := options["embedded"]
		if field.Embedded() || embedded {
			t.seen = t.seen || isType(field.Type(), "gorm.io/gorm", "Model")
			t.fields(inner, prefix+options["embeddedprefix"], depth+1)
		}
		return // an association is no column
	}
	if isList(field.Type()) {
		if _, column := options["column"]; !column && options["type"] == "" && options["serializer"] == "" {
			return
		}
	}
	column := options["column"]
	if column == "" {
		column = snake(field.Name())
	}
	column = prefix + column
	origin := t.position(field)
	_, notNull := options["not null"]
	_, notNull2 := options["notnull"]
	t.table.Columns[strings.ToLower(column)] = mayBeNull(field.Type()) && !notNull && !notNull2
	_, primary := options["primarykey"]
	_, primary2 := options["primary_key"]
	switch {
	case primary || primary2:
		t.primary.Columns = append(t.primary.Columns, column)
		if t.primary.Origin.File == "" {
			t.primary.Origin = origin
		}
	case field.Name() == "ID" || field.Name() == "Id":
		t.id, t.idAt = column, origin
	}
	if _, unique := options["unique"]; unique {
		t.table.Rules = append(t.table.Rules, Rule{Columns: []string{column}, Origin: origin})
	}
	for _, option := range strings.Split(tag, ";") {
		name, value, _ := strings.Cut(option, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "uniqueindex" || name == "unique_index" || name == "index" && indexIsUnique(value) {
			t.gormIndex(column, value, origin)
		}
	}
}

// gormIndex adds a field to the unique index that its tag names.
func (t *tagged) gormIndex(column, value string, origin Position) {
	parts := strings.Split(value, ",")
	rule := Rule{Name: strings.TrimSpace(parts[0]), Columns: []string{column}, Origin: origin}
	group := rule.Name
	for _, part := range parts[1:] {
		option, text, _ := strings.Cut(strings.TrimSpace(part), ":")
		switch strings.ToLower(option) {
		case "where":
			rule.Partial = text
		case "composite":
			group = "composite:" + text
		case "expression":
			rule.Columns = []string{"(" + strings.ToLower(strings.ReplaceAll(text, " ", "")) + ")"}
		}
	}
	t.group(group, rule)
}

// group adds a rule, or its columns to the rule of the same name.
func (t *tagged) group(name string, rule Rule) {
	if at, ok := t.named[name]; ok && name != "" {
		known := &t.table.Rules[at]
		known.Columns = append(known.Columns, rule.Columns...)
		if known.Partial == "" {
			known.Partial = rule.Partial
		}
		return
	}
	t.named[name] = len(t.table.Rules)
	t.table.Rules = append(t.table.Rules, rule)
}

// bun reads a field with bun's tag.
func (t *tagged) bun(field *types.Var, tag, prefix string, depth int) {
	parts := strings.Split(tag, ",")
	column := strings.TrimSpace(parts[0])
	options := parts[1:]
	if strings.Contains(column, ":") {
		column, options = "", parts
	}
	if column == "" {
		column = snake(field.Name())
	}
	column = prefix + column
	origin := t.position(field)
	null, rules := mayBeNull(field.Type()), []Rule(nil)
	var groups []string
	for _, option := range options {
		name, value, _ := strings.Cut(strings.TrimSpace(option), ":")
		switch name {
		case "rel", "m2m", "scanonly":
			return
		case "embed", "extend":
			if inner := structOf(field.Type()); inner != nil {
				t.fields(inner, prefix+value, depth+1)
			}
			return
		case "pk":
			t.primary.Columns = append(t.primary.Columns, column)
			if t.primary.Origin.File == "" {
				t.primary.Origin = origin
			}
		case "unique":
			rules, groups = append(rules, Rule{Columns: []string{column}, Origin: origin}), append(groups, value)
		case "nullzero":
			null = true
		}
	}
	for _, option := range options {
		if option = strings.TrimSpace(option); option == "notnull" {
			null = false
		}
	}
	if field.Embedded() && structOf(field.Type()) != nil && !isValue(field.Type()) {
		t.fields(structOf(field.Type()), prefix, depth+1)
		return
	}
	t.table.Columns[strings.ToLower(column)] = null
	for i, rule := range rules {
		t.group(groups[i], rule)
	}
}

// bunTable reads the table's name of bun:"table:name,alias:n".
func bunTable(tag string) string {
	for _, part := range strings.Split(tag, ",") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(part), "table:"); ok {
			return strings.Trim(name[strings.LastIndexByte(name, '.')+1:], `"`)
		}
	}
	return ""
}

// gormOptions reads "column:email;not null" into names in lower case and their values.
func gormOptions(tag string) map[string]string {
	options := map[string]string{}
	for _, option := range strings.Split(tag, ";") {
		name, value, _ := strings.Cut(option, ":")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			options[name] = strings.TrimSpace(value)
		}
	}
	return options
}

func indexIsUnique(value string) bool {
	for _, part := range strings.Split(strings.ToLower(value), ",")[1:] {
		if part = strings.TrimSpace(part); part == "unique" || part == "class:unique" {
			return true
		}
	}
	return false
}

// structOf gives the struct behind a type or a pointer to it.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// isList reports whether a type is a list that is no text of bytes: an association as a rule.
func isList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	return structOf(s.Elem()) != nil
}

// isValue reports whether a struct is one value of a column: it has a method Value or Scan, or is a time.
func isValue(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if isType(t, "time", "Time") {
		return true
	}
	methods := types.NewMethodSet(types.NewPointer(t))
	return methods.Lookup(nil, "Value") != nil || methods.Lookup(nil, "Scan") != nil
}

// mayBeNull reports whether a value of a type can stand for NULL.
func mayBeNull(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && (strings.HasPrefix(named.Obj().Name(), "Null") || strings.HasSuffix(named.Obj().Pkg().Path(), "/pgtype") || named.Obj().Pkg().Path() == "gorm.io/gorm" && named.Obj().Name() == "DeletedAt")
}

func isType(t types.Type, path, name string) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}

func hasTableName(named *types.Named) bool {
	return types.NewMethodSet(types.NewPointer(named)).Lookup(nil, "TableName") != nil
}
