package keyscope

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// origin is what a key is made of.
type origin struct {
	// request: it is read from a request: a header or field of it that is named for a key.
	request bool
	at      token.Pos // where
	// named: a parameter that is named for an idempotency key.
	named bool
	// owner: something that says whose it is is part of it.
	owner bool
	// parameter is the one parameter that it is made of; nil when there are several or none.
	parameter *ssa.Parameter
	many      bool
}

// maxValues bounds the walk over a key's making, maxCalls the functions that it looks into.
const (
	maxValues = 300
	maxCalls  = 4
)

type walk struct {
	c    *checker
	out  origin
	seen map[ssa.Value]bool
}

// originOf finds what values are made of.
func (c *checker) originOf(values []ssa.Value) origin {
	w := &walk{c: c, seen: map[ssa.Value]bool{}}
	for _, value := range values {
		w.visit(value, maxCalls)
	}
	if w.out.many {
		w.out.parameter = nil
	}
	return w.out
}

func (w *walk) visit(v ssa.Value, calls int) {
	if v == nil || w.seen[v] || len(w.seen) > maxValues || isContext(v.Type()) {
		return
	}
	w.seen[v] = true
	resolved := program.Resolve(v)
	w.seen[resolved] = true
	switch v := resolved.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
	case *ssa.Parameter:
		w.parameter(v)
	case *ssa.FieldAddr:
		w.field(v.X, v.Field, v.Pos(), calls)
	case *ssa.Field:
		w.field(v.X, v.Field, v.Pos(), calls)
	case *ssa.UnOp:
		w.visit(v.X, calls)
		if v.Op == token.MUL {
			w.stores(v.X, calls)
		}
	case *ssa.Alloc:
		w.stores(v, calls)
	case *ssa.MakeMap:
		for _, referrer := range *v.Referrers() {
			if update, ok := referrer.(*ssa.MapUpdate); ok {
				w.visit(update.Value, calls)
			}
		}
	case *ssa.Call:
		w.call(v, calls)
	case *ssa.MakeClosure:
		// A function that is given for later: what it holds may say whose the record is.
		for _, bound := range v.Bindings {
			w.visit(bound, calls)
		}
	default:
		instruction, ok := resolved.(ssa.Instruction)
		if !ok {
			return
		}
		for _, operand := range instruction.Operands(nil) {
			if *operand != nil {
				w.visit(*operand, calls)
			}
		}
	}
}

// stores visits what is stored in a variable, an array of arguments or a struct.
func (w *walk) stores(address ssa.Value, calls int) {
	address = program.Cell(address)
	switch address.(type) {
	case *ssa.Alloc, *ssa.IndexAddr:
	default:
		return
	}
	for _, store := range program.Stores(address) {
		w.visit(store.Val, calls)
	}
	for _, referrer := range *address.Referrers() {
		switch use := referrer.(type) {
		case *ssa.IndexAddr:
			w.stores(use, calls)
		case *ssa.FieldAddr:
			for _, storing := range *use.Referrers() {
				if store, ok := storing.(*ssa.Store); ok && store.Addr == use {
					if w.isOwnerField(use.X.Type(), use.Field) {
						w.out.owner = true
					}
					w.visit(store.Val, calls)
				}
			}
		}
	}
}

func (w *walk) parameter(v *ssa.Parameter) {
	name := v.Name()
	switch {
	case w.c.isOwner(name) || joined(name):
		w.out.owner = true
	case w.c.names.IsKey(name):
		w.out.named = true
	}
	if basic, ok := v.Type().Underlying().(*types.Basic); !ok || basic.Info()&types.IsString == 0 {
		return // a request, a context of a framework, an id of another kind
	}
	if w.out.parameter != nil && w.out.parameter != v {
		w.out.many = true
	}
	w.out.parameter = v
}

// joined reports whether a name tells that more than the client's key is in a value.
func joined(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"scope", "composite", "joined", "combined", "full", "derived", "fingerprint", "hash", "digest"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func (w *walk) field(x ssa.Value, index int, pos token.Pos, calls int) {
	field := program.Field(x.Type(), index)
	if field == nil {
		return
	}
	if w.c.isOwner(field.Name()) || joined(field.Name()) {
		w.out.owner = true
		return
	}
	if w.c.names.IsKey(field.Name()) && fromRequest(x.Type()) {
		w.fromRequest(pos)
	}
	if _, isAlloc := program.Resolve(x).(*ssa.Alloc); isAlloc {
		w.visit(x, calls)
	}
}

// fromRequest reports whether a type is by its name what a client sends.
func fromRequest(t types.Type) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	name := named.Obj().Name()
	return strings.HasSuffix(name, "Request") || strings.HasSuffix(name, "Req") || strings.HasSuffix(name, "Input") || strings.HasSuffix(name, "Payload")
}

func (w *walk) isOwnerField(t types.Type, index int) bool {
	field := program.Field(t, index)
	return field != nil && w.c.isOwner(field.Name())
}

func (w *walk) fromRequest(pos token.Pos) {
	if !w.out.request {
		w.out.request, w.out.at = true, pos
	}
}

// call looks at a call that a key is made by: a getter of headers, a helper, a hash, a builder of queries.
func (w *walk) call(v *ssa.Call, calls int) {
	common := v.Call
	name := calleeName(&common)
	if w.c.isOwnerName(name) || joined(name) && !isHash(&common) {
		w.out.owner = true
		return
	}
	for _, arg := range common.Args {
		constant, ok := stringOf(arg)
		switch {
		case !ok:
		case w.c.names.IsKey(constant):
			w.fromRequest(v.Pos())
		case getsHeader(name) && (w.c.isOwner(constant) || strings.EqualFold(constant, "Authorization")):
			w.out.owner = true
		}
	}
	callee := w.c.program.Callee(&common)
	if callee.Body != nil && calls > 0 {
		w.results(callee.Body, calls-1)
	}
	for _, arg := range common.Args {
		if !isRequest(arg.Type()) {
			w.visit(arg, calls)
		}
	}
	if common.IsInvoke() {
		w.visit(common.Value, calls)
	}
}

// results visits what a helper of this package returns. Its parameters are visited as the arguments of its call.
func (w *walk) results(fn *ssa.Function, calls int) {
	inner := &walk{c: w.c, seen: map[ssa.Value]bool{}}
	for _, block := range fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, result := range ret.Results {
			if !isError(result.Type()) {
				inner.visit(result, calls)
			}
		}
	}
	w.out.owner = w.out.owner || inner.out.owner
	if inner.out.request {
		w.fromRequest(inner.out.at)
	}
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func isRequest(t types.Type) bool { return t.String() == "*net/http.Request" }

func isHash(common *ssa.CallCommon) bool {
	path := program.PathOf(common.StaticCallee())
	return strings.HasPrefix(path, "crypto/") || strings.HasPrefix(path, "hash") || strings.HasPrefix(path, "encoding/")
}

func getsHeader(name string) bool {
	return slices.Contains([]string{"Get", "GetHeader", "Header", "Peek", "Value", "Values", "PathValue", "Param", "Params", "FormValue", "Locals", "GetString", "MustGet"}, name)
}

func calleeName(common *ssa.CallCommon) string {
	if common.IsInvoke() {
		return common.Method.Name()
	}
	if callee := common.StaticCallee(); callee != nil {
		return callee.Name()
	}
	return ""
}

func stringOf(v ssa.Value) (string, bool) {
	c, ok := program.Resolve(v).(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Value), true
}
