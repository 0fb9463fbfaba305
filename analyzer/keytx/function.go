package keytx

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// function is what one function does with keys and with the work that they stand for.
type function struct {
	fn           *ssa.Function
	transactions []*storeflow.Transaction
	handler      *storeflow.Transaction // the transaction that our runtime gives to it
	keys         []*write               // writes of key records
	works        []*write               // other writes, but for those that nobody minds losing
	reads        []*write               // of anything, for handlers
	order        order
}

// write is one write (or read) with its place in the function.
type write struct {
	storeflow.Access
	unit unit
	// site is the instruction of the function itself in which it happens: the call, or the call that runs the literal around it.
	site     ssa.Instruction
	deferred bool // runs when the function returns
	failure  bool // only after something else has failed
}

// unitKind says what decides whether a write is kept.
type unitKind uint8

const (
	unknown unitKind = iota
	inTx             // a transaction that this function starts or was given
	ownTx            // a transaction of the function that is called, which is over when the call returns
	pooled           // nothing: it is kept at once
	apart            // nothing of SQL: Redis, MongoDB without a session
	bound            // what the receiver was made with
	given            // what a parameter is
	carried          // what the context carries
)

// unit is what keeps a write or drops it. Writes of equal units are kept together.
type unit struct {
	kind unitKind
	tx   *storeflow.Transaction
	// of is what tells units of one kind apart: a connection's value, a call.
	of any
}

// together reports whether writes of both units are kept or dropped together.
func (u unit) together(v unit) bool { return u.kind != pooled && u.kind != apart && u == v }

// read sorts the accesses of a function.
func (c *checker) read(fn *ssa.Function, list []storeflow.Access) *function {
	f := &function{fn: fn}
	for _, transaction := range c.stores.Transactions(fn) {
		f.transactions = append(f.transactions, &transaction)
		if transaction.Runtime && f.handler == nil {
			f.handler = &transaction
		}
	}
	for _, access := range list {
		if access.Call == nil || access.Op == storeflow.Lock || undecided(access, list) {
			continue
		}
		w := &write{Access: access}
		w.site, w.deferred = siteIn(fn, access.Call)
		if w.site == nil {
			continue
		}
		if _, isDefer := access.Call.(*ssa.Defer); isDefer {
			w.deferred = true
		}
		w.unit = c.unitOf(f, w)
		w.failure = c.onFailure(access.Call)
		switch {
		case access.Op == storeflow.Read:
			f.reads = append(f.reads, w)
		case c.isKey(w):
			f.keys = append(f.keys, w)
		case c.isWork(w):
			f.works = append(f.works, w)
		}
	}
	return f
}

// undecided reports whether a statement is one of two that a helper chooses from: on the transaction of the context, or on the pool when
// there is none.
func undecided(access storeflow.Access, list []storeflow.Access) bool {
	if access.Executor.Kind == storeflow.Context {
		return false
	}
	for _, other := range list {
		if other.Call == access.Call && other.Executor.Kind == storeflow.Context && other.Table == access.Table && other.Op == access.Op {
			return true
		}
	}
	return false
}

// siteIn finds the instruction of fn in which a call happens.
func siteIn(fn *ssa.Function, call ssa.CallInstruction) (site ssa.Instruction, deferred bool) {
	site = call
	for site.Parent() != fn {
		literal := site.Parent()
		if literal == nil || literal.Parent() == nil {
			return nil, false
		}
		site = runOf(literal)
		if site == nil {
			return nil, false
		}
		if _, ok := site.(*ssa.Defer); ok {
			deferred = true
		}
	}
	return site, deferred
}

// runOf finds the call in the enclosing function that a literal is given to, or that calls it; where it is made when there is none.
func runOf(literal *ssa.Function) ssa.Instruction {
	for _, block := range literal.Parent().Blocks {
		for _, instruction := range block.Instrs {
			for _, operand := range instruction.Operands(nil) {
				if *operand != literal {
					continue
				}
				closure, ok := instruction.(*ssa.MakeClosure)
				if !ok {
					return instruction
				}
				for _, referrer := range *closure.Referrers() {
					if call, ok := referrer.(ssa.CallInstruction); ok {
						return call
					}
					// Given as an interface or a named function type.
					if value, ok := referrer.(ssa.Value); ok && value.Referrers() != nil {
						for _, second := range *value.Referrers() {
							if call, ok := second.(ssa.CallInstruction); ok {
								return call
							}
						}
					}
				}
				return closure
			}
		}
	}
	return nil
}

// unitOf tells what a write is kept or dropped with.
func (c *checker) unitOf(f *function, w *write) unit {
	executor := w.Executor
	if executor.Kind == storeflow.Tx && executor.Value == nil {
		return unit{kind: ownTx, of: w.Call}
	}
	for _, transaction := range f.transactions {
		switch {
		case executor.Value != nil && executor.Value == transaction.Tx:
			return unit{kind: inTx, tx: transaction}
		case transaction.ByContext && executor.Kind == storeflow.Context && f.inBody(transaction, w),
			transaction.Body != nil && w.Engine == storeflow.Mongo && givenContext(w.Call, transaction.Body):
			return unit{kind: inTx, tx: transaction}
		}
	}
	switch executor.Kind {
	case storeflow.Pool:
		return unit{kind: pooled}
	case storeflow.Client:
		return unit{kind: apart}
	case storeflow.Tx:
		return unit{kind: given, of: executor.Value}
	case storeflow.Param:
		if isPool(leafType(f.fn, executor)) {
			return unit{kind: pooled}
		}
		return unit{kind: given, of: executor.Value}
	case storeflow.Receiver:
		if executor.Static == storeflow.Pool && (c.holdsPool(w) || isPool(leafType(f.fn, executor))) {
			return unit{kind: pooled}
		}
		return unit{kind: bound, of: executor.Field}
	case storeflow.Context:
		return unit{kind: carried}
	}
	return unit{kind: unknown, of: executor.Value}
}

// givenContext reports whether a call gets a context that the callback of a transaction was given: MongoDB's session is in it.
func givenContext(call ssa.CallInstruction, body *ssa.Function) bool {
	for _, arg := range call.Common().Args {
		if parameter, ok := program.Resolve(arg).(*ssa.Parameter); ok && parameter.Parent() == body && isContext(parameter.Type()) {
			return true
		}
	}
	return false
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context" || named.Obj().Name() == "SessionContext"
}

// inBody reports whether a write stands in the callback of a transaction.
func (f *function) inBody(transaction *storeflow.Transaction, w *write) bool {
	return transaction.Body != nil && within(w.Call.Parent(), transaction.Body)
}

// isKey reports whether a write is one of an idempotency record.
func (c *checker) isKey(w *write) bool {
	if w.Engine == storeflow.Redis {
		return c.names.IsKeyPrefix(w.Table)
	}
	if w.Table != "" {
		return c.names.IsKeyTable(w.Table) && (!slices.Contains(words(w.Table), "inbox") || slices.ContainsFunc(w.Columns, tellsMessage))
	}
	return w.Entity != "" && c.names.IsKeyTable(typeName(w.Entity))
}

// tellsMessage reports whether a column names a message of a broker: an inbox with one is a consumer's, and not a person's.
func tellsMessage(column string) bool {
	switch strings.ToLower(column) {
	case "message_id", "msg_id", "event_id", "delivery_id", "message_key", "event_key", "consumer", "consumer_group", "handler", "offset", "idempotency_key":
		return true
	}
	return false
}

// losable are words in the names of tables that nobody minds losing a row of, or that are better kept when the work is rolled back.
var losable = []string{"audit", "audits", "log", "logs", "metric", "metrics", "stat", "stats", "statistics", "trace", "traces", "cache", "caches", "projection", "projections", "telemetry", "analytics", "heartbeat", "heartbeats", "lock", "locks", "lease", "leases", "session", "sessions", "rate", "failure", "failures", "attempt", "attempts", "history"}

// isWork reports whether a write is one that a key stands for.
func (c *checker) isWork(w *write) bool {
	if w.Engine == storeflow.Redis {
		return false // caches, counters, rate limits
	}
	name := w.Table
	if name == "" {
		name = typeName(w.Entity)
	}
	if name == "" {
		return false
	}
	return !slices.ContainsFunc(words(name), func(word string) bool { return slices.Contains(losable, word) })
}

// followUps are words in the names of tables that are written when the work is done and told to others: an outbox row that is sent, a job.
var followUps = []string{"outbox", "event", "events", "message", "messages", "job", "jobs", "task", "tasks", "queue", "notification", "notifications", "email", "emails", "webhook", "webhooks", "delivery", "deliveries"}

func (w *write) followsUp() bool {
	return slices.ContainsFunc(words(w.thing()), func(word string) bool { return slices.Contains(followUps, word) })
}

// typeName cuts the package off a type's name.
func typeName(qualified string) string {
	return qualified[strings.LastIndexByte(qualified, '.')+1:]
}

// words splits a table's or a type's name.
func words(name string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(name[start:end]))
		}
	}
	for i, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ':' || r == ' ':
			cut(i)
			start = i + 1
		case r >= 'A' && r <= 'Z' && i > start && name[i-1] >= 'a' && name[i-1] <= 'z':
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return out
}

// thing names what is written, for messages.
func (w *write) thing() string {
	if w.Table != "" {
		return w.Table
	}
	return typeName(w.Entity)
}

// poolField is a field of a type of this package.
type poolField struct {
	owner *types.Named
	field string
}

// findPools finds the fields that transactions are started on: they hold a pool, even where their type, as gorm's, serves for transactions too.
func (c *checker) findPools(functions []*ssa.Function) {
	c.pools = map[poolField]bool{}
	for _, fn := range functions {
		for _, transaction := range c.stores.Transactions(fn) {
			if transaction.Begin == nil {
				continue
			}
			common := transaction.Begin.Common()
			values := common.Args
			if common.IsInvoke() {
				values = append([]ssa.Value{common.Value}, values...)
			}
			for _, value := range values {
				if field, ok := fieldBehind(value); ok {
					c.pools[field] = true
				}
			}
		}
	}
}

// fieldBehind finds the field of a receiver that a connection comes from: s.db, s.db.WithContext(ctx).
func fieldBehind(value ssa.Value) (poolField, bool) {
	for range 8 {
		switch v := value.(type) {
		case *ssa.UnOp:
			value = v.X
		case *ssa.FieldAddr:
			return fieldOf(v.X.Type(), v.Field)
		case *ssa.Field:
			return fieldOf(v.X.Type(), v.Field)
		case *ssa.Call:
			if len(v.Call.Args) == 0 || v.Call.IsInvoke() {
				return poolField{}, false
			}
			value = v.Call.Args[0]
		case *ssa.MakeInterface:
			value = v.X
		case *ssa.ChangeInterface:
			value = v.X
		default:
			return poolField{}, false
		}
	}
	return poolField{}, false
}

func fieldOf(t types.Type, index int) (poolField, bool) {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	structure, ok := t.Underlying().(*types.Struct)
	if !ok || named == nil || index >= structure.NumFields() {
		return poolField{}, false
	}
	return poolField{named.Origin(), structure.Field(index).Name()}, true
}

// leafType gives the type of the field that the path of a connection ends in, which starts at a method's receiver or at a parameter; nil
// when it cannot be told.
func leafType(fn *ssa.Function, executor storeflow.Executor) types.Type {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	var root *types.Var
	switch parameters := fn.Signature.Params(); {
	case executor.Field == "" || fn.Pkg == nil:
	case executor.Kind == storeflow.Receiver:
		root = fn.Signature.Recv()
	case executor.Index < parameters.Len():
		root = parameters.At(executor.Index)
	}
	if root == nil {
		return nil
	}
	t := root.Type()
	path := executor.Field
	for name := range strings.SplitSeq(path, ".") {
		object, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg.Pkg, name)
		field, ok := object.(*types.Var)
		if !ok {
			field = foreignField(t, name)
		}
		if field == nil {
			return nil
		}
		t = field.Type()
	}
	return t
}

// foreignField finds a field of a struct of another package that is not exported there.
func foreignField(t types.Type, name string) *types.Var {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range structure.NumFields() {
		if field := structure.Field(i); field.Name() == name {
			return field
		}
	}
	return nil
}

// pools are the types that are pools and can be nothing else, unlike gorm's DB or an ent client.
var pools = map[string]bool{
	"database/sql.DB":                      true,
	"github.com/jackc/pgx/v4/pgxpool.Pool": true,
	"github.com/jackc/pgx/v5/pgxpool.Pool": true,
	"github.com/jmoiron/sqlx.DB":           true,
	"github.com/uptrace/bun.DB":            true,
}

func isPool(t types.Type) bool {
	if t == nil {
		return false
	}
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && pools[named.Obj().Pkg().Path()+"."+named.Obj().Name()]
}

// holdsPool reports whether a field of the receiver is known to hold a pool.
func (c *checker) holdsPool(w *write) bool {
	if len(w.Path) > 0 {
		return false // another function's receiver
	}
	common := w.Call.Common()
	values := common.Args
	if common.IsInvoke() {
		values = []ssa.Value{common.Value}
	}
	if len(values) == 0 {
		return false
	}
	field, ok := fieldBehind(values[0])
	return ok && c.pools[field]
}
