package existsinsert

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// handlerBetween finds the handler that a middleware runs between the look for a key and the insert that keeps it.
func (in *inspection) handlerBetween(l *look, insert *storeflow.Access) ssa.CallInstruction {
	if !in.keepsKeys(l.Access) && !in.keepsKeys(insert) {
		return nil
	}
	fn := insert.Call.Parent()
	if l.Call.Parent() != fn {
		return nil
	}
	var handler ssa.CallInstruction
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			call, ok := instruction.(*ssa.Call)
			if ok && runsHandler(call) && leadsTo(l.Call, call) && comesBefore(call, insert.Call) {
				handler = call
			}
		}
	}
	return handler
}

// claims reports whether a method whose name says nothing that storeflow knows (Claim, Reserve, TryBegin) is called on the store of a look before the insert: it may well be what keeps two callers apart.
func (in *inspection) claims(l *look, insert *storeflow.Access) bool {
	store := receiverType(l.Call)
	if store == nil {
		return false
	}
	for _, block := range insert.Call.Parent().Blocks {
		for _, instruction := range block.Instrs {
			call, ok := instruction.(*ssa.Call)
			if !ok || call == l.Call || call == insert.Call || receiverType(call) == nil || !types.Identical(store, receiverType(call)) {
				continue
			}
			if comesBefore(l.Call, call) && comesBefore(call, insert.Call) && len(in.stores.Of(call)) == 0 {
				return true
			}
		}
	}
	return false
}

// receiverType is the type whose method is called; nil for functions.
func receiverType(call ssa.CallInstruction) types.Type {
	common := call.Common()
	if common.IsInvoke() {
		return common.Value.Type()
	}
	if callee := common.StaticCallee(); callee != nil && callee.Signature.Recv() != nil && len(common.Args) > 0 {
		return common.Args[0].Type()
	}
	return nil
}

// leadsTo reports whether a way leads from a look to another call; requests without a key may go round the look.
func leadsTo(look, call ssa.CallInstruction) bool {
	_, from, to := common(look, call)
	return from != nil && to != nil && from != to && reaches(from, to, nil)
}

// keepsKeys reports whether an access is to records of idempotency keys: by its table, by the type of its rows, or by the interface whose method it is.
func (in *inspection) keepsKeys(access *storeflow.Access) bool {
	if in.names.IsKeyTable(access.Table) || names.IsKeyTable(access.Entity) {
		return true
	}
	common := access.Call.Common()
	if !common.IsInvoke() {
		return false
	}
	store, ok := types.Unalias(common.Value.Type()).(*types.Named)
	return ok && names.IsKeyTable(store.Obj().Name())
}

// runsHandler knows how middlewares go on: next.ServeHTTP(w, r), c.Next(), next(c), handler(ctx, req).
func runsHandler(call *ssa.Call) bool {
	common := &call.Call
	name := calleeName(call)
	if name == "ServeHTTP" && common.Signature().Params().Len() == 2 {
		return true
	}
	if common.IsInvoke() {
		return name == "Next" && isRequest(common.Value.Type())
	}
	if callee := common.StaticCallee(); callee != nil {
		return name == "Next" && len(common.Args) > 0 && isRequest(common.Args[0].Type())
	}
	handler, ok := types.Unalias(program.Resolve(common.Value).Type()).(*types.Named)
	if !ok {
		return false
	}
	switch handler.Obj().Name() {
	case "Handler", "HandlerFunc", "UnaryHandler", "UnaryFunc", "Endpoint":
		return true
	}
	return false
}

// isRequest knows what web frameworks hand to a handler: *gin.Context, fiber.Ctx.
func isRequest(t types.Type) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && (named.Obj().Name() == "Context" || named.Obj().Name() == "Ctx")
}

// workBefore reports whether another table is written between a look for a key and the insert that keeps it.
func (in *inspection) workBefore(accesses []storeflow.Access, l *look, insert *storeflow.Access) bool {
	if !in.keepsKeys(insert) {
		return false
	}
	for i := range accesses {
		a := &accesses[i]
		if a.Call == nil || a.Engine != storeflow.SQL || a.Table == insert.Table || a.Op != storeflow.Insert && a.Op != storeflow.Update {
			continue
		}
		if leadsTo(l.Call, a.Call) && comesBefore(a.Call, insert.Call) {
			return true
		}
	}
	return false
}
