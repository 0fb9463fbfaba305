package storeflow

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/schema"
)

// entLibrary knows code that ent generates. It has no types of its own to go by, so its shape decides: builders that embed a type called config, next to a Client.
type entLibrary struct{}

const entPath = "entgo.io/ent"

func (entLibrary) imports(path string) bool {
	return path == entPath || strings.HasPrefix(path, entPath+"/")
}

// generatedByEnt reports whether a package is one that ent makes: its Client and its Tx embed config.
func generatedByEnt(pkg *types.Package) bool {
	for _, name := range []string{"Client", "Tx"} {
		declared, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !isEntGenerated(named(declared.Type())) {
			return false
		}
	}
	return true
}

func (entLibrary) connection(t types.Type) ConnKind {
	declaring := named(t)
	if !isEntGenerated(declaring) {
		return UnknownConn
	}
	switch declaring.Obj().Name() {
	case "Client":
		return Pool
	case "Tx":
		return Tx
	}
	return UnknownConn
}

// shared: tx.Client() is a *Client too.
func (entLibrary) shared(t types.Type) bool {
	declaring := named(t)
	return isEntGenerated(declaring) && declaring.Obj().Name() == "Client"
}

// isEntGenerated reports whether a type is a builder, a client or a transaction of ent's making.
func isEntGenerated(declaring *types.Named) bool {
	if declaring == nil || declaring.Obj().Pkg() == nil {
		return false
	}
	shape, ok := declaring.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range shape.NumFields() {
		field := shape.Field(i)
		embedded := named(field.Type())
		if field.Name() == "config" && embedded != nil && embedded.Obj().Name() == "config" && embedded.Obj().Pkg() == declaring.Obj().Pkg() {
			return true
		}
	}
	return false
}

// entBuilder parts the name of a builder: PaymentCreate is the entity Payment and the role Create.
func entBuilder(fn *types.Func) (owner *types.Named, entity, role string) {
	declaring := fn.Signature().Recv()
	if declaring == nil {
		return nil, "", ""
	}
	owner = named(declaring.Type())
	if owner == nil || owner.Obj().Pkg() == nil {
		return nil, "", ""
	}
	for _, role := range []string{"CreateBulk", "Create", "UpsertOne", "UpsertBulk", "Query", "Select", "GroupBy", "UpdateOne", "Update", "DeleteOne", "Delete", "Client"} {
		entity, ok := strings.CutSuffix(owner.Obj().Name(), role)
		if !ok || entity == "" {
			continue
		}
		if isEntGenerated(owner) || strings.HasPrefix(role, "Upsert") && hasEntCreate(owner) || isEntWrapper(owner) {
			return owner, entity, role
		}
	}
	return nil, "", ""
}

// hasEntCreate holds for an upsert, which has a field create, the builder that it was made of.
func hasEntCreate(owner *types.Named) bool { return entField(owner, "create") }

// isEntWrapper holds for PaymentSelect, PaymentDeleteOne and PaymentGroupBy, which hold another builder.
func isEntWrapper(owner *types.Named) bool {
	shape, ok := owner.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range shape.NumFields() {
		if isEntGenerated(named(shape.Field(i).Type())) {
			return true
		}
	}
	return false
}

func entField(owner *types.Named, name string) bool {
	shape, ok := owner.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range shape.NumFields() {
		if shape.Field(i).Name() == name && isEntGenerated(named(shape.Field(i).Type())) {
			return true
		}
	}
	return false
}

// entBuilds holds for methods that return a builder of ent's.
func entBuilds(fn *types.Func) bool {
	owner, _, _ := entBuilder(fn)
	if owner == nil || fn.Signature().Results().Len() != 1 {
		return false
	}
	result := named(fn.Signature().Results().At(0).Type())
	return result != nil && result.Obj().Pkg() == owner.Obj().Pkg() && (isEntGenerated(result) || hasEntCreate(result) || isEntWrapper(result))
}

// entOf is the package that ent generates for one entity: its predicates and the names of its table and columns.
func entOf(owner *types.Named, entity string, links []link) *types.Package {
	path := owner.Obj().Pkg().Path() + "/" + strings.ToLower(entity)
	for _, imported := range owner.Obj().Pkg().Imports() {
		if imported.Path() == path {
			return imported
		}
	}
	for _, link := range links { // export data may leave imports out that no declaration shows
		for _, predicate := range items(at(link.arguments, 0)) {
			if call, ok := program.Resolve(predicate).(*ssa.Call); ok {
				if fn := declared(call); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == path {
					return fn.Pkg()
				}
			}
		}
	}
	return nil
}

// entConstant reads a constant of the entity's package: Table, FieldReference.
func entConstant(of *types.Package, name string) (string, bool) {
	if of == nil {
		return "", false
	}
	declared, ok := of.Scope().Lookup(name).(*types.Const)
	if !ok || declared.Val().Kind() != constant.String {
		return "", false
	}
	return strings.ToLower(constant.StringVal(declared.Val())), true
}

// entQuery is what a chain of builders says of its statement.
type entQuery struct {
	of      *types.Package
	entity  string
	table   string
	columns []string // compared
	set     []string // written
	guard   Guard
	target  []string
	upsert  bool
	minted  bool
	partial bool
	root    ssa.Value
}

func (l entLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	owner, entity, role := entBuilder(fn)
	if owner == nil {
		return nil
	}
	name := strings.TrimSuffix(fn.Name(), "X")
	switch role {
	case "Client":
		if name != "Get" {
			return nil
		}
		query := l.query(p, owner, entity, receiver(call))
		query.columns = []string{query.column("ID")}
		return []Access{query.access(Read)}
	case "Query", "Select", "GroupBy":
		switch name {
		case "Only", "First", "All", "OnlyID", "FirstID", "IDs", "Exist", "Count", "Scan":
		default:
			return nil
		}
		query := l.query(p, owner, entity, receiver(call))
		access := query.access(Read)
		access.Guard &= ForUpdate | SkipLocked
		access.Always = name == "Exist" || name == "Count"
		return []Access{access}
	case "Create", "CreateBulk", "UpsertOne", "UpsertBulk":
		if name != "Save" && name != "Exec" && name != "ID" {
			return nil
		}
		query := l.query(p, owner, entity, receiver(call))
		access := query.access(Insert)
		access.Columns, access.Target, access.Upsert = unique(query.set), query.target, query.upsert
		if query.minted {
			access.Guard |= MintedKey
		}
		// An insert that DO NOTHING left out is the error sql.ErrNoRows.
		if access.Guard.Has(OnConflict) && (resultUsed(call, call.Common().Signature().Results().Len()-1) || name == "ID") {
			access.Guard |= ResultRead
		}
		return []Access{access}
	case "Update", "UpdateOne":
		if name != "Save" && name != "Exec" {
			return nil
		}
		query := l.query(p, owner, entity, receiver(call))
		access := query.access(Update)
		access.Sets = unique(query.set)
		return []Access{access}
	case "Delete", "DeleteOne":
		if name != "Exec" {
			return nil
		}
		return []Access{l.query(p, owner, entity, receiver(call)).access(Delete)}
	}
	return nil
}

func (l entLibrary) query(p *Result, owner *types.Named, entity string, on ssa.Value) *entQuery {
	chain := chainOf(on, true, entBuilds)
	query := &entQuery{root: entClient(chain.root), entity: owner.Obj().Pkg().Path() + "." + entity}
	query.of = entOf(owner, entity, chain.links)
	query.table, _ = entConstant(query.of, "Table")
	if query.table == "" {
		query.table = schema.TableName(entity)
	}
	for _, link := range chain.links {
		first := at(link.arguments, 0)
		switch name := link.fn.Name(); {
		case name == "Where":
			if link.certain {
				query.where(items(first))
			} else {
				query.partial = true
			}
		case name == "ForUpdate":
			query.guard |= ForUpdate
			for _, option := range items(first) {
				if made, ok := program.Resolve(option).(*ssa.Call); ok && declared(made) != nil && declared(made).Name() == "WithLockAction" {
					query.guard |= SkipLocked
				}
			}
		case name == "OnConflictColumns":
			query.guard |= OnConflict
			query.target = append(query.target, constantTexts(first)...)
		case name == "OnConflict":
			query.guard |= OnConflict
			for _, option := range items(first) {
				if made, ok := program.Resolve(option).(*ssa.Call); ok && declared(made) != nil && declared(made).Name() == "ConflictColumns" {
					query.target = append(query.target, constantTexts(argument(made, 0))...)
				}
			}
		case name == "UpdateNewValues", name == "Update" && strings.HasPrefix(receiverRole(link.fn), "Upsert"):
			query.upsert = true
		case name == "UpdateOneID", name == "DeleteOneID":
			query.columns = append(query.columns, query.column("ID"))
		case name == "CreateBulk":
			for _, builder := range items(first) {
				for _, inner := range chainOf(builder, true, entBuilds).links {
					query.sets(p, inner)
				}
			}
		default:
			query.sets(p, link)
		}
	}
	return query
}

func receiverRole(fn *types.Func) string {
	_, _, role := entBuilder(fn)
	return role
}

// sets reads SetReference and SetNillableReference.
func (q *entQuery) sets(p *Result, set link) {
	field, ok := strings.CutPrefix(set.fn.Name(), "Set")
	if !ok || field == "" || field == "Input" {
		return
	}
	field = strings.TrimPrefix(field, "Nillable")
	q.set = append(q.set, q.column(field))
	if field == "ID" && len(set.arguments) == 1 && p.isMint(set.arguments[0], mintDepth) {
		q.minted = true
	}
}

// column names the column of a field.
func (q *entQuery) column(field string) string {
	if name, ok := entConstant(q.of, "Field"+field); ok {
		return name
	}
	return schema.ColumnName(field)
}

// where reads predicates: payment.ReferenceEQ(r), payment.Reference(r), payment.And(...). Others compare for something else or hide what they compare.
func (q *entQuery) where(predicates []ssa.Value) {
	if len(predicates) == 0 {
		q.partial = true
	}
	for _, predicate := range predicates {
		call, ok := program.Resolve(predicate).(*ssa.Call)
		if !ok || declared(call) == nil {
			q.partial = true
			continue
		}
		name := declared(call).Name()
		switch {
		case name == "And":
			q.where(items(argument(call, 0)))
		case strings.HasSuffix(name, "With"): // Where(payment.HasOwnerWith(user.ID(id))): the edge's column
			q.columns = append(q.columns, strings.ToLower(name))
		default:
			if _, isField := entConstant(q.of, "Field"+name); isField {
				q.columns = append(q.columns, q.column(name))
				continue
			}
			for _, suffix := range []string{"EQ", "In"} {
				if field, ok := strings.CutSuffix(name, suffix); ok {
					if _, isField := entConstant(q.of, "Field"+field); isField || q.of == nil {
						q.columns = append(q.columns, q.column(field))
					}
				}
			}
			if name == "ID" {
				q.columns = append(q.columns, q.column("ID"))
			}
		}
	}
}

// entClient walks from the client of one entity (client.Payment) to the client or the transaction.
func entClient(v ssa.Value) ssa.Value {
	if v == nil {
		return nil
	}
	v = program.Resolve(v)
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return v
	}
	if owner := named(field.X.Type()); isEntGenerated(owner) && (owner.Obj().Name() == "Client" || owner.Obj().Name() == "Tx") {
		return program.Resolve(field.X)
	}
	return v
}

func (q *entQuery) access(op Op) Access {
	return Access{Engine: SQL, Op: op, Table: q.table, Entity: q.entity, Columns: unique(q.columns), Guard: q.guard, Partial: q.partial, Executor: Executor{Value: q.root}}
}

func (entLibrary) transaction(p *Result, call ssa.CallInstruction, fn *types.Func) *event {
	declaring := fn.Signature().Recv()
	if declaring == nil || !isEntGenerated(named(declaring.Type())) {
		return nil
	}
	switch name := receiverName(fn); {
	case name == "Client" && fn.Name() == "Tx":
		return &event{kind: begins}
	case name == "Client" && fn.Name() == "BeginTx":
		return &event{kind: begins, serializable: serializableOptions(argument(call, 1))}
	case name == "Client" && fn.Name() == "Debug":
		return &event{kind: binds, tx: receiver(call)}
	case name == "Tx" && fn.Name() == "Client":
		return &event{kind: binds, tx: receiver(call)}
	case name == "Tx" && fn.Name() == "Commit":
		return &event{kind: commits, tx: receiver(call)}
	case name == "Tx" && fn.Name() == "Rollback":
		return &event{kind: rollsBack, tx: receiver(call)}
	}
	return nil
}

// duplicate: IsConstraintError of a generated package, which lies next to the type ConstraintError; and those of ent's own sqlgraph.
func (entLibrary) duplicate(object types.Object) bool {
	if object.Pkg() == nil {
		return false
	}
	switch object.Name() {
	case "IsConstraintError":
		return packagePath(object) == entPath+"/dialect/sql/sqlgraph" || object.Pkg().Scope().Lookup("ConstraintError") != nil
	case "IsUniqueConstraintError":
		return packagePath(object) == entPath+"/dialect/sql/sqlgraph"
	}
	return false
}
