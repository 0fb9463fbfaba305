package existsinsert

import (
	"fmt"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/pattern"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/schema"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// verdict is what the schema in view says of a look.
type verdict struct {
	schema.Verdict
	rule     *schema.Rule
	table    string // its name, where the look does not tell it
	declared string // where the table is
	tags     bool   // struct tags say it; files that are not in view may say more
}

// tables are the tables of the module, read when the first pair asks for them.
type tables struct {
	files *schema.Schema
}

// cover asks what the schema says of two rows that a look would both find. entity is the type of the rows; a look that gives a number does not tell it.
func (in *inspection) cover(l *look, entity string) verdict {
	if l.Engine == storeflow.Mongo && len(l.Columns) == 1 && l.Columns[0] == "_id" {
		return verdict{Verdict: schema.Unique}
	}
	if l.Engine != storeflow.SQL {
		return verdict{}
	}
	named := in.entity(entity)
	found := in.coverByFiles(l, named)
	if named != nil && found.Verdict != schema.Unique {
		if table, ok := schema.FromStruct(in.pass.Fset, named); ok {
			in.nameFiles(table)
			byTags := in.coverSpoken(&schema.Schema{Tables: map[string]*schema.Table{"it": table}}, "it", l)
			byTags.table = named.Obj().Name()
			if byTags.Verdict > found.Verdict {
				found = byTags
				found.tags = true
			}
		}
	}
	switch {
	case found.Verdict == schema.NullableRule && neverNull(l, found.rule):
		found.Verdict = schema.Unique
	case found.Verdict == schema.PartialRule && aliveOnly.MatchString(found.rule.Partial):
		found.Verdict = schema.Unique
	}
	return found
}

// coverByFiles asks the files of the module. Rows behind an interface are those of the table that is called as their type.
func (in *inspection) coverByFiles(l *look, named *types.Named) verdict {
	if l.Table != "" || named == nil {
		return in.coverOf(in.schema(), l.Table, l.Columns)
	}
	found := in.coverSpoken(in.schema(), schema.NameOf(named), l)
	found.table = schema.NameOf(named)
	return found
}

// coverSpoken asks of a look whose columns may be told by the name of a method only.
func (in *inspection) coverSpoken(s *schema.Schema, name string, l *look) verdict {
	found := in.coverOf(s, name, l.Columns)
	if !l.Guessed || found.Verdict != schema.NotUnique {
		return found
	}
	table := s.Tables[name]
	columns := ofTable(table, l.Columns)
	if columns == nil && len(l.Columns) > 0 {
		return verdict{} // another table, or names that say something else
	}
	for i := range table.Rules {
		rule := &table.Rules[i]
		if (rule.Partial == "" || aliveOnly.MatchString(rule.Partial)) && len(rule.Nullable) == 0 && asksFor(rule, columns) {
			return verdict{Verdict: schema.Unique, rule: rule, declared: found.declared}
		}
	}
	return found
}

// ofTable gives the columns of a table that the name of a method speaks of: GetByUser asks for user_id, or for owner_user_id. Nil when it has not all of them.
func ofTable(table *schema.Table, spoken []string) []string {
	var columns []string
	for _, word := range spoken {
		column := ""
		for _, candidate := range slices.Sorted(maps.Keys(table.Columns)) {
			if candidate == word || candidate == word+"_id" {
				column = candidate
				break
			}
			if column == "" && (strings.HasSuffix(candidate, "_"+word) || strings.HasSuffix(candidate, "_"+word+"_id")) {
				column = candidate
			}
		}
		if column == "" {
			return nil
		}
		columns = append(columns, column)
	}
	return columns
}

// asksFor reports whether a look whose method was read by its name may be about a rule: the rule has all columns that the name tells, and the name need not tell them all. A name that tells none may be about any rule but one of a bare id.
func asksFor(rule *schema.Rule, columns []string) bool {
	if len(columns) == 0 {
		return len(rule.Columns) > 1 || len(rule.Columns) == 1 && !strings.EqualFold(rule.Columns[0], "id")
	}
	for _, column := range columns {
		if !slices.ContainsFunc(rule.Columns, func(of string) bool { return strings.EqualFold(of, column) }) {
			return false
		}
	}
	return true
}

func (in *inspection) coverOf(s *schema.Schema, table string, columns []string) verdict {
	if table == "" {
		return verdict{}
	}
	v, rule := s.Cover(table, columns)
	known := s.Tables[table]
	if v == schema.NotUnique && known != nil {
		if within, byOwner := s.Cover(table, append(in.owners(known), columns...)); within == schema.Unique && byOwner != nil && sharesColumn(byOwner, columns) {
			v, rule = within, byOwner
		}
	}
	found := verdict{Verdict: v, rule: rule}
	if known != nil {
		found.declared = fmt.Sprintf("%s:%d", known.Origin.File, known.Origin.Line)
	}
	return found
}

// owners are the columns of a table that say whose a row is. Two requests of one client agree in them, whether the look asks for them or not; that it ought to is keyscope's to say.
func (in *inspection) owners(table *schema.Table) []string {
	var owners []string
	for column := range table.Columns {
		if in.names.IsScopeColumn(column) {
			owners = append(owners, column)
		}
	}
	return owners
}

func sharesColumn(rule *schema.Rule, columns []string) bool {
	return slices.ContainsFunc(rule.Columns, func(of string) bool {
		return slices.ContainsFunc(columns, func(column string) bool { return strings.EqualFold(column, of) })
	})
}

// nameFiles names the files of a table as those of SQL are named: from the module's root, so that a message is the same on every machine.
func (in *inspection) nameFiles(table *schema.Table) {
	root := settings.Root(in.pass)
	shorten := func(at *schema.Position) {
		if !filepath.IsAbs(at.File) {
			return
		}
		if rel, err := filepath.Rel(root, at.File); err == nil && filepath.IsLocal(rel) {
			at.File = filepath.ToSlash(rel)
			return
		}
		at.File = path.Join(filepath.Base(filepath.Dir(at.File)), filepath.Base(at.File)) // of another module
	}
	shorten(&table.Origin)
	for i := range table.Rules {
		shorten(&table.Rules[i].Origin)
	}
}

// aliveOnly are predicates of unique indexes over rows that were not deleted, or over values that are there: what a look is about too.
var aliveOnly = pattern.New(`(?i)(delet|remov|archiv|revok|cancel)\w*\W+(is\s+null|=\s*(false|0))|not\W+\w*(delet|remov|archiv)\w*|is\s+not\s+null|<>\s*''|!=\s*''`)

// neverNull reports whether the values that are looked for cannot be NULL, by their types. Where they are not in view, a rule of one column is trusted: its column is nullable by neglect as a rule.
func neverNull(l *look, rule *schema.Rule) bool {
	if len(l.Path) > 0 || l.Entity != "" {
		return len(rule.Columns) == 1
	}
	values := boxedArguments(l.Call)
	if len(values) == 0 {
		return len(rule.Columns) == 1
	}
	for _, value := range values {
		if mayBeNull(value.Type()) {
			return false
		}
	}
	return true
}

// boxedArguments gives the values of the variadic ...any of a call.
func boxedArguments(call ssa.CallInstruction) []ssa.Value {
	args := call.Common().Args
	if len(args) == 0 {
		return nil
	}
	var values []ssa.Value
	for _, value := range program.Elements(args[len(args)-1]) {
		if boxed, ok := value.(*ssa.MakeInterface); ok {
			value = boxed.X
		}
		if value != nil {
			values = append(values, value)
		}
	}
	return values
}

func mayBeNull(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && (strings.HasPrefix(named.Obj().Name(), "Null") || strings.HasPrefix(named.Obj().Name(), "Opt") || named.Obj().Pkg() != nil && strings.HasSuffix(named.Obj().Pkg().Path(), "/pgtype"))
}

// schema reads the files of the module once per package.
func (in *inspection) schema() *schema.Schema {
	if in.tables == nil {
		in.tables = &tables{files: &schema.Schema{}}
		if root := settings.Root(in.pass); root != "" {
			if files, err := schema.Load(root, in.config.Schema); err == nil && files != nil {
				in.tables.files = files
			}
			if file := settings.File(in.pass); file != "" {
				if missing := schema.Unmatched(root, in.config.Schema); len(missing) > 0 {
					in.problem = fmt.Errorf("%s: schema: no SQL file matches %s, so no unique index is known", file, strings.Join(missing, ", "))
				}
			}
		}
	}
	return in.tables.files
}

// entity finds a type by its qualified name among the packages in view.
func (in *inspection) entity(qualified string) *types.Named {
	dot := strings.LastIndexByte(qualified, '.')
	if dot < 0 {
		return nil
	}
	of, name := strings.TrimLeft(qualified[:dot], "*"), qualified[dot+1:]
	pkg := findPackage(in.pass.Pkg, of)
	if pkg == nil {
		return nil
	}
	if object, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
		named, _ := types.Unalias(object.Type()).(*types.Named)
		return named
	}
	return nil
}

const maxPackages = 2000

func findPackage(from *types.Package, wanted string) *types.Package {
	seen := map[*types.Package]bool{from: true}
	queue := []*types.Package{from}
	for len(queue) > 0 && len(seen) < maxPackages {
		pkg := queue[0]
		queue = queue[1:]
		if pkg.Path() == wanted {
			return pkg
		}
		for _, imported := range pkg.Imports() {
			if !seen[imported] {
				seen[imported] = true
				queue = append(queue, imported)
			}
		}
	}
	return nil
}
