package storeflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// Bounds of the walk from a connection to where it comes from.
const (
	originDepth = 24
	pathLength  = 4
	maxEdges    = 8 // values that one variable may have
)

// A place is where a connection comes from: the fields at path of a value.
type place struct {
	root ssa.Value
	path string
}

// connection tells what a type says of a connection, and whether the type serves for pools and transactions alike.
func connection(t types.Type) (kind ConnKind, shared bool) {
	for _, lib := range libraries {
		kind := lib.connection(t)
		if kind == UnknownConn {
			continue
		}
		if sharing, ok := lib.(sharing); ok {
			return kind, sharing.shared(t)
		}
		return kind, false
	}
	return UnknownConn, false
}

// executor tells what the connection is that fields at path of v lead to; static is what is known of its type where it is used.
func (p *Result) executor(v ssa.Value, path string, static ConnKind) Executor {
	return p.origin(v, path, static, originDepth)
}

func (p *Result) origin(v ssa.Value, path string, static ConnKind, depth int) Executor {
	if v == nil || depth == 0 || strings.Count(path, ".") >= pathLength {
		return Executor{Kind: static, Static: static}
	}
	if path == "" {
		static = sharper(v.Type(), static)
	}
	resolved := program.Resolve(v)
	if path == "" {
		static = sharper(resolved.Type(), static)
	}
	switch v := resolved.(type) {
	case *ssa.Parameter:
		return p.given(v, path, static)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		switch address := program.Cell(v.X).(type) {
		case *ssa.FieldAddr:
			return p.field(address.X, program.Field(address.X.Type(), address.Field), path, static, depth)
		case *ssa.Alloc:
			return p.stored(v, address, path, static, depth)
		case *ssa.Global:
			return p.at(address, path, static)
		}
	case *ssa.Field:
		return p.field(v.X, program.Field(v.X.Type(), v.Field), path, static, depth)
	case *ssa.FieldAddr:
		return p.field(v.X, program.Field(v.X.Type(), v.Field), path, static, depth)
	case *ssa.Alloc:
		return p.literal(v, path, static, depth)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			return p.returned(v, tuple, v.Index, path, static, depth)
		case *ssa.TypeAssert:
			return p.origin(tuple.X, path, static, depth-1)
		}
	case *ssa.Call:
		return p.returned(v, v, 0, path, static, depth)
	case *ssa.Phi:
		return p.merged(v, v.Edges, path, static, depth)
	}
	return p.at(resolved, path, static)
}

// at is a connection of which no more is known than its place and type.
func (p *Result) at(root ssa.Value, path string, static ConnKind) Executor {
	return Executor{Kind: static, Static: static, Value: p.canonical(root, path), root: place{root, path}}
}

// canonical gives one value for one place, so that two loads of one field compare equal.
func (p *Result) canonical(root ssa.Value, path string) ssa.Value {
	if path == "" {
		return root
	}
	at := place{root, path}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.places[at]; ok {
		return known
	}
	// Any value that is unlike all others will do.
	var value ssa.Value = ssa.NewConst(constant.MakeString(path), types.Typ[types.String])
	p.places[at] = value
	return value
}

// sharper prefers what a type says over what was known before; a type that serves for both keeps a Tx known before.
func sharper(t types.Type, static ConnKind) ConnKind {
	kind, shared := connection(t)
	if kind == UnknownConn || shared && static != UnknownConn {
		return static
	}
	return kind
}

// given is a connection that a parameter leads to.
func (p *Result) given(v *ssa.Parameter, path string, static ConnKind) Executor {
	fn := v.Parent()
	if run := p.runs[fn]; run != nil && run.tx != nil && run.tx == v {
		if event := p.event(run.call); event != nil && event.outer != nil {
			if outer := p.executor(event.outer, "", UnknownConn); outer.Kind == Tx && outer.Value != nil {
				return outer // a savepoint is inside
			}
		}
		return Executor{Kind: Tx, Static: Tx, Value: v, root: place{v, ""}}
	}
	executor := p.at(v, path, static)
	if fn.Parent() != nil || fn.Object() == nil {
		return executor // a literal's: no caller in view decides
	}
	index := parameterIndex(v)
	decided := path == "" && !isShared(v.Type()) && static != UnknownConn
	if index < 0 {
		executor.Index = 0
	} else {
		executor.Index = index
	}
	executor.Field = path
	if decided {
		return executor
	}
	if static == Tx || static == Client {
		return executor
	}
	if index < 0 {
		executor.Kind = Receiver
	} else {
		executor.Kind = Param
	}
	return executor
}

func isShared(t types.Type) bool {
	_, shared := connection(t)
	return shared
}

// parameterIndex counts without the receiver, which is -1.
func parameterIndex(v *ssa.Parameter) int {
	fn := v.Parent()
	for i, candidate := range fn.Params {
		if candidate != v {
			continue
		}
		if fn.Signature.Recv() != nil {
			return i - 1
		}
		return i
	}
	return 0
}

// field is a connection that a field of base leads to.
func (p *Result) field(base ssa.Value, field *types.Var, path string, static ConnKind, depth int) Executor {
	if field == nil {
		return Executor{Kind: static, Static: static}
	}
	if kind, _ := connection(base.Type()); kind != UnknownConn {
		return p.origin(base, "", kind, depth-1) // what a connection is made of is the connection
	}
	if path == "" {
		static = sharper(field.Type(), static)
		if known := p.fieldKind(field); known != UnknownConn && static == UnknownConn {
			static = known
		}
	}
	executor := p.origin(base, join(field.Name(), path), static, depth-1)
	if path != "" && executor.Kind != Tx && executor.Kind != Context && p.holdsPool(field, path, depth) {
		executor.Kind, executor.Static = Pool, Pool
	}
	// A field of a type that can only be a pool is one, whoever made the struct.
	if path == "" && executor.Kind != Tx && (static == Pool || static == Conn || static == Client) && !isShared(field.Type()) {
		executor.Kind = static
	}
	return executor
}

func join(field, path string) string {
	if path == "" {
		return field
	}
	return field + "." + path
}

// cut takes the first field off a path.
func cut(path string) (field, rest string) {
	field, rest, _ = strings.Cut(path, ".")
	return field, rest
}

// literal is a connection that a field of a struct made in this function leads to.
func (p *Result) literal(alloc *ssa.Alloc, path string, static ConnKind, depth int) Executor {
	if path == "" {
		return p.at(alloc, path, static)
	}
	field, rest := cut(path)
	if stored := literalField(alloc, field); stored != nil {
		return p.origin(stored, rest, static, depth-1)
	}
	if embedded := p.promoted(alloc, field); embedded != "" {
		return p.literal(alloc, join(embedded, path), static, depth-1)
	}
	if whole := soleStored(alloc); whole != nil {
		return p.origin(whole, path, static, depth-1)
	}
	return p.at(alloc, path, static)
}

// promoted finds the embedded field through which a field is reached that the struct itself has not; empty when there is none.
func (p *Result) promoted(alloc *ssa.Alloc, field string) string {
	pointer, ok := alloc.Type().Underlying().(*types.Pointer)
	if !ok {
		return ""
	}
	structure, ok := pointer.Elem().Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	embedded := ""
	for i := range structure.NumFields() {
		candidate := structure.Field(i)
		if candidate.Name() == field {
			return ""
		}
		if candidate.Embedded() && embedded == "" && hasField(candidate.Type(), field) {
			embedded = candidate.Name()
		}
	}
	return embedded
}

func hasField(t types.Type, field string) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range structure.NumFields() {
		if structure.Field(i).Name() == field {
			return true
		}
	}
	return false
}

// soleStored gives the one value that is stored in a variable as a whole.
func soleStored(alloc *ssa.Alloc) ssa.Value {
	stores := program.Stores(alloc)
	if len(stores) != 1 {
		return nil
	}
	return stores[0].Val
}

// stored is a connection in a variable that is set in several places.
func (p *Result) stored(load *ssa.UnOp, alloc *ssa.Alloc, path string, static ConnKind, depth int) Executor {
	stores := program.Stores(alloc)
	if path != "" && len(stores) == 0 {
		return p.literal(alloc, path, static, depth)
	}
	var values []ssa.Value
	for _, store := range stores {
		values = append(values, store.Val)
	}
	if len(values) == 0 {
		return p.at(alloc, path, static)
	}
	return p.merged(load, values, path, static, depth)
}

// merged is a connection with one of several origins. A transaction of the context with a pool to fall back to is the context's; a parameter with something to fall back to is the parameter's.
func (p *Result) merged(v ssa.Value, values []ssa.Value, path string, static ConnKind, depth int) Executor {
	if len(values) > maxEdges {
		return p.at(v, path, static)
	}
	var best Executor
	found, same := false, true
	for _, value := range values {
		if value == v || isNil(value) {
			continue
		}
		executor := p.origin(value, path, static, depth/2)
		if !found {
			best, found = executor, true
			continue
		}
		if executor.Kind != best.Kind || executor.Value != best.Value {
			same = false
		}
		if weight(executor.Kind) > weight(best.Kind) {
			best = executor
		}
	}
	if !found {
		return p.at(v, path, static)
	}
	if !same && best.Kind == Tx {
		best.Kind = UnknownConn // a transaction in some cases only
		if best.root.root != nil {
			if _, isParameter := best.root.root.(*ssa.Parameter); isParameter {
				best.Kind = Param
			}
		}
	}
	return best
}

func weight(kind ConnKind) int {
	switch kind {
	case Context:
		return 4
	case Param, Receiver:
		return 3
	case Tx:
		return 2
	case Pool, Conn, Client:
		return 1
	}
	return 0
}

func isNil(v ssa.Value) bool {
	c, ok := program.Resolve(v).(*ssa.Const)
	return ok && c.Value == nil
}

// returned is a connection that a call's result leads to.
func (p *Result) returned(v ssa.Value, call *ssa.Call, index int, path string, static ConnKind, depth int) Executor {
	if isContextValue(call) {
		return Executor{Kind: Context, Static: static}
	}
	if event := p.event(call); event != nil {
		switch {
		case event.kind == begins && event.result == index && path == "":
			if outer := p.origin(receiver(call), "", UnknownConn, depth-1); outer.Kind == Tx {
				return outer // a savepoint is inside
			}
			return Executor{Kind: Tx, Static: Tx, Value: v, root: place{v, ""}}
		case event.kind == binds && event.tx != nil:
			return p.origin(event.tx, "", static, depth-1)
		case event.kind == binds && receiver(call) != nil:
			return p.origin(receiver(call), path, static, depth-1)
		}
	}
	callee := p.program.Callee(&call.Call)
	if role := p.role(callee.Func, callee.Body); role != nil {
		if bound, ok := role.bound(index, path); ok {
			return p.substitute(bound, call, v, depth-1)
		}
	} else if tx := p.txArgument(call, depth); tx != nil {
		return *tx
	}
	return p.at(v, path, static)
}

// txArgument decides for functions of which nothing is known, such as an interface's WithTx: what is made with a transaction is bound to it.
func (p *Result) txArgument(call *ssa.Call, depth int) *Executor {
	fn := declared(call)
	if fn == nil || p.ofLibrary(fn) {
		return nil
	}
	for _, arg := range arguments(call) {
		if kind, _ := connection(arg.Type()); kind != Tx && kind != Pool {
			continue
		}
		if executor := p.origin(arg, "", UnknownConn, depth-1); executor.Kind == Tx {
			return &executor
		}
	}
	return nil
}

// substitute says in terms of a caller what an executor of a callee is.
func (p *Result) substitute(e Executor, call ssa.CallInstruction, own ssa.Value, depth int) Executor {
	switch e.Kind {
	case Param:
		return p.origin(argument(call, e.Index), e.Field, e.Static, depth)
	case Receiver:
		base := receiver(call)
		if base == nil {
			return Executor{Kind: e.Static, Static: e.Static}
		}
		return p.origin(base, e.Field, e.Static, depth)
	case Tx:
		if own != nil {
			return Executor{Kind: Tx, Static: Tx, Value: own, root: place{own, ""}}
		}
	}
	return Executor{Kind: e.Kind, Static: e.Static, Runtime: e.Runtime}
}

// exported says in terms of fn's callers what an executor is.
func exported(e Executor, fn *ssa.Function) Executor {
	out := Executor{Kind: e.Kind, Static: e.Static}
	parameter, ok := e.root.root.(*ssa.Parameter)
	if !ok || parameter.Parent() != fn || fn.Parent() != nil {
		if out.Kind == Param || out.Kind == Receiver {
			out.Kind = e.Static
		}
		return out
	}
	if e.root.path != "" && (e.Kind == Pool || e.Kind == Conn || e.Kind == Client) {
		return out // no caller can make a transaction of it
	}
	out.Field = e.root.path
	if out.Index = parameterIndex(parameter); out.Index < 0 {
		out.Kind, out.Index = Receiver, 0
	} else {
		out.Kind = Param
	}
	return out
}

// isContextValue reports whether a call is ctx.Value(key).
func isContextValue(call *ssa.Call) bool {
	return call.Call.IsInvoke() && call.Call.Method.Name() == "Value" && isType(call.Call.Value.Type(), "context", "Context")
}
