package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// bunLibrary knows github.com/uptrace/bun: its query builders, its DB, Conn, Tx and IDB.
type bunLibrary struct{}

const bunPath = "github.com/uptrace/bun"

func (bunLibrary) imports(path string) bool { return path == bunPath }

func (bunLibrary) connection(t types.Type) ConnKind {
	switch {
	case isType(t, bunPath, "DB"):
		return Pool
	case isType(t, bunPath, "Conn"):
		return Conn
	case isType(t, bunPath, "Tx"):
		return Tx
	}
	return UnknownConn
}

// bunBuilds holds for the builders' methods that return the builder, and for the calls that start one.
func bunBuilds(fn *types.Func) bool {
	signature := fn.Signature()
	if packagePath(fn) != bunPath || signature.Results().Len() != 1 {
		return false
	}
	result := named(signature.Results().At(0).Type())
	return result != nil && strings.HasSuffix(result.Obj().Name(), "Query")
}

// bunQuery is what a chain says of its statement.
type bunQuery struct {
	raw       ssa.Value
	table     string
	row       *types.Named
	model     ssa.Value
	columns   []string
	set       []string
	guard     Guard
	target    []string
	upsert    bool
	returning bool
	partial   bool
	root      ssa.Value
}

func (l bunLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	if packagePath(fn) != bunPath || receiver(call) == nil {
		return nil
	}
	finisher := fn.Name()
	switch receiverName(fn) {
	case "SelectQuery":
		switch finisher {
		case "Scan", "Exec", "Rows", "Exists", "Count", "ScanAndCount":
			query := l.query(receiver(call))
			access := query.access(p, Read)
			access.Guard &= ForUpdate | SkipLocked
			access.Always = finisher == "Exists" || finisher == "Count" || finisher == "ScanAndCount"
			return []Access{access}
		}
	case "InsertQuery":
		if finisher == "Exec" || finisher == "Scan" {
			return []Access{l.insert(p, call, l.query(receiver(call)))}
		}
	case "UpdateQuery":
		if finisher == "Exec" || finisher == "Scan" {
			return []Access{l.query(receiver(call)).access(p, Update)}
		}
	case "DeleteQuery":
		if finisher == "Exec" || finisher == "Scan" {
			return []Access{l.query(receiver(call)).access(p, Delete)}
		}
	case "MergeQuery":
		if finisher == "Exec" || finisher == "Scan" {
			access := l.query(receiver(call)).access(p, Insert)
			access.Guard |= OnConflict
			return []Access{access}
		}
	case "RawQuery":
		if finisher == "Exec" || finisher == "Scan" {
			query := l.query(receiver(call))
			return statementAccesses(p, call, query.raw, query.executor())
		}
	case "DB", "Tx", "Conn", "IDB", "IConn":
		switch finisher {
		case "ExecContext", "QueryContext", "QueryRowContext":
			return statementAccesses(p, call, argument(call, 1), Executor{Value: program.Resolve(receiver(call))})
		case "Exec", "Query", "QueryRow":
			return statementAccesses(p, call, argument(call, 0), Executor{Value: program.Resolve(receiver(call))})
		}
	}
	return nil
}

func (bunLibrary) query(on ssa.Value) *bunQuery {
	chain := chainOf(on, true, bunBuilds)
	query := &bunQuery{root: chain.root}
	var over ssa.Value
	alternatives := false
	for _, link := range chain.links {
		first := at(link.arguments, 0)
		switch link.fn.Name() {
		case "Conn":
			over = program.Resolve(first)
		case "Model":
			query.model, query.row = unboxed(first), rowType(first)
		case "Table":
			if names := constantTexts(first); len(names) > 0 {
				query.table = tableOnly(names[0])
			}
		case "TableExpr", "ModelTableExpr":
			if text, ok := knownText(first); ok {
				query.table = tableOnly(text)
			} else {
				query.partial = true
			}
		case "Where":
			text, ok := program.Text(first)
			if link.certain && ok {
				query.columns = append(query.columns, bunEqualities(text)...)
			} else {
				query.partial = true
			}
		case "WherePK":
			if columns := constantTexts(first); len(columns) > 0 {
				query.columns = append(query.columns, columns...)
			} else {
				query.columns = append(query.columns, bunNames.primaryOf(rowType(query.modelOf(chain))))
			}
		case "WhereOr":
			alternatives = true
		case "WhereGroup", "Apply", "ApplyQueryBuilder":
			query.partial = true
		case "For":
			text, _ := program.Text(first)
			text = strings.ToUpper(text)
			if strings.Contains(text, "UPDATE") {
				query.guard |= ForUpdate
			}
			if strings.Contains(text, "SKIP LOCKED") {
				query.guard |= SkipLocked
			}
		case "On":
			query.on(first)
		case "Ignore", "Replace":
			query.guard |= OnConflict
			query.upsert = link.fn.Name() == "Replace"
		case "Returning":
			if text, ok := knownText(first); !ok || !strings.EqualFold(text, "null") {
				query.returning = true
			}
		case "Value":
			if column, ok := knownText(first); ok {
				query.set = append(query.set, column)
			}
		case "NewRaw":
			query.raw = first
		case "NewRawQuery":
			query.raw = at(link.arguments, 1)
			over = program.Resolve(first)
		case "NewSelectQuery", "NewInsertQuery", "NewUpdateQuery", "NewDeleteQuery", "NewMergeQuery":
			over = program.Resolve(first)
		}
	}
	if alternatives {
		query.columns = nil
	}
	if over != nil {
		query.root = over
	}
	return query
}

// modelOf finds the model of a chain whose later links were read first.
func (q *bunQuery) modelOf(c chain) ssa.Value {
	for _, link := range c.links {
		if link.fn.Name() == "Model" {
			return at(link.arguments, 0)
		}
	}
	return q.model
}

// bunEqualities reads a condition, in which "?TableAlias." may stand before a column and "? = ?" for a name that bun.Ident gives.
func bunEqualities(condition string) []string {
	condition = strings.NewReplacer("?TableAlias.", "", "?TableName.", "").Replace(condition)
	return equalities(condition, 0)
}

// on reads On("CONFLICT (a, b) DO NOTHING") and On("DUPLICATE KEY UPDATE").
func (q *bunQuery) on(clause ssa.Value) {
	text, ok := program.Text(clause)
	if !ok {
		q.partial = true
		return
	}
	q.guard |= OnConflict
	for _, statement := range sqltext.Parse("INSERT INTO t (a) VALUES (1) ON " + text) {
		q.target = append(q.target, statement.Conflict.Columns...)
		q.upsert = statement.Conflict.Action == sqltext.DoUpdate
	}
}

func (q *bunQuery) executor() Executor { return Executor{Value: q.root} }

func (q *bunQuery) access(p *Result, op Op) Access {
	table := q.table
	if table == "" {
		table = bunNames.tableOf(p, q.row)
	}
	return Access{Engine: SQL, Op: op, Table: table, Entity: entityName(q.row), Columns: unique(q.columns), Guard: q.guard, Partial: q.partial, Executor: q.executor()}
}

func (bunLibrary) insert(p *Result, call ssa.CallInstruction, query *bunQuery) Access {
	access := query.access(p, Insert)
	access.Target, access.Upsert = query.target, query.upsert
	access.Columns = unique(append(query.set, bunNames.columnsSet(query.model)...))
	if keys, _, ok := mapEntries(query.model); ok {
		access.Columns = keys
	}
	if access.Guard.Has(OnConflict) && (query.returning || memberRead(result(call, 0), "RowsAffected")) {
		access.Guard |= ResultRead
	}
	if bunNames.mintsPrimary(p, query.row, query.model) {
		access.Guard |= MintedKey
	}
	return access
}

func (bunLibrary) transaction(p *Result, call ssa.CallInstruction, fn *types.Func) *event {
	if packagePath(fn) != bunPath {
		return nil
	}
	switch receiverName(fn) {
	case "DB", "Conn", "Tx", "IDB":
	default:
		return nil
	}
	switch fn.Name() {
	case "RunInTx":
		return &event{kind: runs, callback: argument(call, 2), callbackTx: 1, serializable: serializableOptions(argument(call, 1))}
	case "Begin":
		return &event{kind: begins}
	case "BeginTx":
		return &event{kind: begins, serializable: serializableOptions(argument(call, 1))}
	case "Commit":
		return &event{kind: commits, tx: receiver(call)}
	case "Rollback":
		return &event{kind: rollsBack, tx: receiver(call)}
	}
	return nil
}

func (bunLibrary) duplicate(types.Object) bool { return false }
