package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// gormLibrary knows gorm.io/gorm, its generic interfaces (gorm.G) and its predecessor.
type gormLibrary struct{}

const gormPath = "gorm.io/gorm"

func (gormLibrary) imports(path string) bool {
	return path == gormPath || strings.HasPrefix(path, gormPath+"/") || path == "github.com/jinzhu/gorm"
}

func (gormLibrary) connection(t types.Type) ConnKind {
	if isGormDB(t) || isGormGeneric(t) {
		return Pool
	}
	return UnknownConn
}

// shared: a *gorm.DB is the pool, a transaction or a half-built query.
func (gormLibrary) shared(t types.Type) bool { return isGormDB(t) }

func isGormDB(t types.Type) bool {
	return isType(t, gormPath, "DB") || isType(t, "github.com/jinzhu/gorm", "DB")
}

func isGormGeneric(t types.Type) bool {
	declaring := named(t)
	if declaring == nil || declaring.Obj().Pkg() == nil || declaring.Obj().Pkg().Path() != gormPath || declaring.TypeArgs().Len()+declaring.TypeParams().Len() == 0 {
		return false
	}
	return types.IsInterface(declaring)
}

// gormBuilds holds for calls that return the query they were called on, changed.
func gormBuilds(fn *types.Func) bool {
	if fn.Name() == "G" && packagePath(fn) == gormPath {
		return true
	}
	signature := fn.Signature()
	if signature.Recv() == nil || signature.Results().Len() != 1 {
		return false
	}
	if isGormGeneric(signature.Recv().Type()) {
		return isGormGeneric(signature.Results().At(0).Type())
	}
	return isGormDB(signature.Recv().Type()) && isGormDB(signature.Results().At(0).Type()) && fn.Name() != "Begin"
}

// gormQuery is what a chain says of the statement that its last call runs.
type gormQuery struct {
	raw     ssa.Value // the text given to Raw
	table   string
	row     *types.Named
	columns []string
	guard   Guard
	target  []string
	upsert  bool // the row that is there already is changed
	counted bool // gorm.WithResult, whose rows affected are looked at
	partial bool // a condition is not readable
	count   bool // the select list is an aggregate
	root    ssa.Value
}

func (l gormLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	on := receiver(call)
	if on == nil || fn.Signature().Recv() == nil {
		return nil
	}
	declaring := fn.Signature().Recv().Type()
	if isGormGeneric(declaring) {
		return l.generic(p, call, fn)
	}
	if !isGormDB(declaring) {
		return nil
	}
	query := l.query(p, on)
	first := argument(call, 0)
	switch fn.Name() {
	case "Exec":
		return statementAccesses(p, call, first, query.executor())
	case "First", "Take", "Last", "Find", "FindInBatches", "FirstOrInit":
		query.rows(first)
		query.where(argument(call, 1))
		return l.read(p, call, query)
	case "Scan", "Row", "Rows", "Pluck":
		if query.row == nil && query.table == "" && fn.Name() == "Scan" {
			query.rows(first)
		}
		return l.read(p, call, query)
	case "Count":
		query.count = true
		return l.read(p, call, query)
	case "FirstOrCreate":
		query.rows(first)
		query.where(argument(call, 1))
		if argument(call, 1) == nil || len(items(argument(call, 1))) == 0 && len(query.columns) == 0 {
			query.columns = gormNames.columnsSet(unboxed(first))
		}
		look := query.access(p, Read)
		insert := query.access(p, Insert)
		insert.Guard |= FirstOrCreate
		return []Access{look, insert}
	case "Create", "CreateInBatches":
		return []Access{l.insert(p, call, query, first)}
	case "Save":
		return []Access{l.save(p, call, query, first)}
	case "Update", "UpdateColumn":
		access := query.access(p, Update)
		if column, ok := knownText(first); ok {
			access.Sets = []string{tableOnly(column)}
		}
		return []Access{access}
	case "Updates", "UpdateColumns":
		query.rows(first)
		access := query.access(p, Update)
		access.Sets = written(first)
		return []Access{access}
	case "Delete":
		query.rows(first)
		query.where(argument(call, 1))
		return []Access{query.access(p, Delete)}
	}
	return nil
}

// generic reads gorm.G[T](db).Where(...).First(ctx).
func (l gormLibrary) generic(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	on := receiver(call)
	query := l.query(p, on)
	if query.row == nil {
		if declaring := named(on.Type()); declaring != nil && declaring.TypeArgs().Len() == 1 {
			query.row = rowTypeOf(declaring.TypeArgs().At(0))
		}
	}
	switch fn.Name() {
	case "Exec":
		return statementAccesses(p, call, argument(call, 1), query.executor())
	case "First", "Take", "Last", "Find", "FindInBatches", "Scan", "Row", "Rows":
		return l.read(p, call, query)
	case "Count":
		query.count = true
		return l.read(p, call, query)
	case "Create", "CreateInBatches":
		return []Access{l.insert(p, call, query, argument(call, 1))}
	case "Update", "Updates":
		return []Access{query.access(p, Update)}
	case "Delete":
		return []Access{query.access(p, Delete)}
	}
	return nil
}

func (l gormLibrary) query(p *Result, on ssa.Value) *gormQuery {
	chain := chainOf(on, false, gormBuilds)
	query := &gormQuery{root: chain.root}
	alternatives := false
	for _, link := range chain.links {
		first := at(link.arguments, 0)
		switch link.fn.Name() {
		case "G":
			query.clauses(at(link.arguments, 1))
			query.root = first
		case "Model":
			query.row = rowType(first)
		case "Table":
			if name, ok := knownText(first); ok {
				query.table = tableOnly(name)
			} else if !ok {
				query.partial = true
			}
		case "Raw":
			query.raw = first
		case "Where":
			if link.certain {
				query.condition(first, len(items(at(link.arguments, 1))))
			} else {
				query.partial = true
			}
		case "Or":
			alternatives = true
		case "Scopes":
			query.partial = true
		case "Select":
			if text, ok := knownText(unboxed(first)); ok && aggregates(text) {
				query.count = true
			}
		case "Clauses":
			query.clauses(first)
		case "Set":
			query.option(first, at(link.arguments, 1))
		}
	}
	if alternatives {
		query.columns = nil
	}
	return query
}

// aggregates reports whether a select list gives a row in any case.
func aggregates(list string) bool {
	lower := strings.ToLower(strings.TrimSpace(list))
	return strings.HasPrefix(lower, "count(") || strings.HasPrefix(lower, "exists")
}

// rows takes the table from what rows are read into or written from, unless Model or Table said it.
func (q *gormQuery) rows(v ssa.Value) {
	if q.row == nil && v != nil {
		q.row = rowType(v)
	}
}

// where reads inline conditions: First(&p, "ref = ?", ref), First(&p, id).
func (q *gormQuery) where(conditions ssa.Value) {
	if list := items(conditions); len(list) > 0 {
		q.condition(list[0], len(list)-1)
	}
}

// condition reads one condition: a text, a struct, a map, or a primary key.
func (q *gormQuery) condition(v ssa.Value, values int) {
	v = unboxed(v)
	switch shape := types.Unalias(v.Type()).Underlying().(type) {
	case *types.Basic:
		if shape.Info()&types.IsString == 0 {
			q.columns = append(q.columns, gormNames.primaryOf(q.row))
			return
		}
		text, ok := program.Text(v)
		if !ok {
			q.partial = true
			return
		}
		q.columns = append(q.columns, equalities(text, values)...)
	case *types.Map:
		keys, _, ok := mapEntries(v)
		q.partial = q.partial || !ok
		for _, key := range keys {
			q.columns = append(q.columns, strings.ToLower(key[strings.LastIndexByte(key, '.')+1:]))
		}
	case *types.Pointer, *types.Struct:
		if isGormDB(v.Type()) { // a group of conditions
			q.partial = true
			return
		}
		if made := named(v.Type()); made != nil && packagePath(made.Obj()) == gormPath+"/clause" {
			q.expression(made.Obj().Name(), v)
			return
		}
		columns := gormNames.columnsSet(v)
		q.partial = q.partial || len(columns) == 0
		q.columns = append(q.columns, columns...)
	case *types.Slice, *types.Array:
		q.columns = append(q.columns, gormNames.primaryOf(q.row))
	default:
		q.partial = true
	}
}

// expression reads clause.Eq{Column: "ref", Value: ref}; others compare otherwise.
func (q *gormQuery) expression(kind string, v ssa.Value) {
	column := fieldNamed(structFields(v), "Column")
	if kind != "Eq" || column == nil {
		q.partial = true
		return
	}
	column = unboxed(column)
	if name, ok := knownText(column); ok {
		q.columns = append(q.columns, tableOnly(name))
	} else if name, ok := knownText(fieldNamed(structFields(column), "Name")); ok {
		q.columns = append(q.columns, tableOnly(name))
	} else {
		q.partial = true
	}
}

// equalities gives the columns that a condition compares for equality. A bare word is a column that is compared with the value given next to it.
func equalities(condition string, values int) []string {
	condition = strings.TrimSpace(condition)
	if values > 0 && condition != "" && !strings.ContainsAny(condition, " =<>?()@") {
		return []string{tableOnly(condition)}
	}
	var columns []string
	for _, statement := range sqltext.Parse("SELECT * FROM t WHERE " + condition) {
		columns = append(columns, statement.Equals...)
		break
	}
	return columns
}

// clauses reads clause.OnConflict, clause.Locking and clause.Insert.
func (q *gormQuery) clauses(list ssa.Value) {
	clauses := items(list)
	if len(clauses) == 0 && list != nil && !isZeroConstant(list) {
		q.partial = true
	}
	for _, clause := range clauses {
		clause = unboxed(clause)
		fields := structFields(clause)
		switch {
		case isType(clause.Type(), gormPath+"/clause", "OnConflict"):
			q.guard |= OnConflict
			q.upsert = isTrue(fieldNamed(fields, "UpdateAll")) || fieldNamed(fields, "DoUpdates") != nil
			for _, column := range items(fieldNamed(fields, "Columns")) {
				if name, ok := knownText(fieldNamed(structFields(column), "Name")); ok {
					q.target = append(q.target, strings.ToLower(name))
				}
			}
		case isType(clause.Type(), gormPath+"/clause", "Locking"):
			if strength, ok := knownText(fieldNamed(fields, "Strength")); ok && strings.Contains(strings.ToUpper(strength), "UPDATE") {
				q.guard |= ForUpdate
			}
			if options, ok := knownText(fieldNamed(fields, "Options")); ok && strings.Contains(strings.ToUpper(options), "SKIP LOCKED") {
				q.guard |= SkipLocked
			}
		case isType(clause.Type(), gormPath+"/clause", "Insert"):
			if modifier, ok := knownText(fieldNamed(fields, "Modifier")); ok && strings.Contains(strings.ToUpper(modifier), "IGNORE") {
				q.guard |= OnConflict
			}
		case isType(clause.Type(), gormPath+"/clause", "Returning"):
		case isType(clause.Type(), gormPath, "result"):
			q.counted = memberRead(clause, "RowsAffected", "Result")
		default: // a clause of another kind; one whose type is not in view may be any
			q.partial = q.partial || types.IsInterface(clause.Type())
		}
	}
}

// option reads Set("gorm:insert_option", "ON CONFLICT ..."), the way of the predecessor.
func (q *gormQuery) option(name, value ssa.Value) {
	key, _ := knownText(name)
	text, _ := knownText(unboxed(value))
	text = strings.ToUpper(text)
	switch {
	case key == "gorm:insert_option" && (strings.Contains(text, "CONFLICT") || strings.Contains(text, "DUPLICATE KEY")),
		key == "gorm:insert_modifier" && strings.Contains(text, "IGNORE"):
		q.guard |= OnConflict
	case key == "gorm:query_option" && strings.Contains(text, "FOR UPDATE"):
		q.guard |= ForUpdate
	}
}

func (q *gormQuery) executor() Executor { return Executor{Value: q.root} }

func (q *gormQuery) access(p *Result, op Op) Access {
	table := q.table
	if table == "" {
		table = gormNames.tableOf(p, q.row)
	}
	return Access{Engine: SQL, Op: op, Table: table, Entity: entityName(q.row), Columns: unique(q.columns), Guard: q.guard, Partial: q.partial, Executor: q.executor()}
}

func (gormLibrary) read(p *Result, call ssa.CallInstruction, query *gormQuery) []Access {
	if query.raw != nil {
		return statementAccesses(p, call, query.raw, query.executor())
	}
	access := query.access(p, Read)
	access.Guard &= ForUpdate | SkipLocked
	access.Always = query.count
	return []Access{access}
}

func (gormLibrary) insert(p *Result, call ssa.CallInstruction, query *gormQuery, value ssa.Value) Access {
	query.rows(value)
	access := query.access(p, Insert)
	access.Target, access.Upsert = query.target, query.upsert
	access.Columns = written(value)
	if access.Guard.Has(OnConflict) && (query.counted || returnsGormDB(call) && memberRead(callValue(call), "RowsAffected")) {
		access.Guard |= ResultRead
	}
	if gormNames.mintsPrimary(p, query.row, unboxed(value)) {
		access.Guard |= MintedKey
	}
	return access
}

func returnsGormDB(call ssa.CallInstruction) bool {
	results := call.Common().Signature().Results()
	return results.Len() == 1 && isGormDB(results.At(0).Type())
}

// written gives the columns that a row literal or a map sets.
func written(value ssa.Value) []string {
	if keys, _, ok := mapEntries(unboxed(value)); ok {
		return unique(keys)
	}
	return gormNames.columnsSet(unboxed(value))
}

// save is an update of a row that was read before, an insert otherwise; with a primary key of the caller's it is an upsert by that.
func (l gormLibrary) save(p *Result, call ssa.CallInstruction, query *gormQuery, value ssa.Value) Access {
	if readInto(call.Parent(), value) {
		query.rows(value)
		return query.access(p, Update)
	}
	access := l.insert(p, call, query, value)
	primary := gormNames.primaryOf(query.row)
	for _, column := range access.Columns {
		if column == primary && !access.Guard.Has(MintedKey) {
			access.Guard |= OnConflict
			access.Target, access.Upsert = []string{primary}, true
		}
	}
	return access
}

// readInto reports whether gorm reads rows into the same variable, and nothing new is assigned to it as a whole.
func readInto(fn *ssa.Function, row ssa.Value) bool {
	row = program.Resolve(row)
	if alloc, ok := row.(*ssa.Alloc); ok && len(program.Stores(alloc)) > 0 {
		return false
	}
	for _, referrer := range referrersOf(row) {
		uses := []ssa.Instruction{referrer}
		if boxed, ok := referrer.(*ssa.MakeInterface); ok {
			uses = referrersOf(boxed)
		}
		for _, use := range uses {
			call, ok := use.(ssa.CallInstruction)
			if !ok || argument(call, 0) == nil || program.Resolve(argument(call, 0)) != row {
				continue
			}
			read := declared(call)
			if read == nil || read.Signature().Recv() == nil || !isGormDB(read.Signature().Recv().Type()) {
				continue
			}
			switch read.Name() {
			case "First", "Take", "Last", "Find", "FirstOrInit", "FirstOrCreate", "Scan":
				return true
			}
		}
	}
	return false
}

func (gormLibrary) transaction(p *Result, call ssa.CallInstruction, fn *types.Func) *event {
	if fn.Signature().Recv() == nil || !isGormDB(fn.Signature().Recv().Type()) {
		return nil
	}
	switch fn.Name() {
	case "Transaction":
		return &event{kind: runs, callback: argument(call, 0), callbackTx: 0, serializable: serializableOptions(argument(call, 1))}
	case "Begin", "BeginTx":
		return &event{kind: begins, serializable: serializableOptions(argument(call, 0))}
	case "Connection":
		return &event{kind: runs, plain: true, callback: argument(call, 0), callbackTx: -1}
	case "Commit":
		return &event{kind: commits, tx: receiver(call)}
	case "Rollback":
		return &event{kind: rollsBack, tx: receiver(call)}
	case "WithContext", "Session", "Debug", "Unscoped", "Set", "Clauses":
		return &event{kind: binds, tx: receiver(call)}
	}
	return nil
}

// serializableOptions reports whether a list of *sql.TxOptions asks for SERIALIZABLE.
func serializableOptions(list ssa.Value) bool {
	if list == nil {
		return false
	}
	options := items(list)
	if len(options) == 0 {
		options = []ssa.Value{list}
	}
	for _, option := range options {
		level, ok := constantInt(fieldNamed(structFields(option), "Isolation"))
		if ok && level >= 6 { // sql.LevelSerializable, sql.LevelLinearizable
			return true
		}
	}
	return false
}

func (gormLibrary) duplicate(object types.Object) bool {
	return object.Name() == "ErrDuplicatedKey" && packagePath(object) == gormPath
}
