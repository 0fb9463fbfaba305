package keytx

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// txName is the name of the variable that holds a transaction; empty when there is none.
func (c *checker) txName(u unit) string {
	if object := c.txVariable(u); object != nil {
		return object.Name()
	}
	return ""
}

// txVariable finds the variable that holds a transaction: a parameter, or what the result of Begin is assigned to.
func (c *checker) txVariable(u unit) types.Object {
	if u.kind != inTx {
		return nil
	}
	if parameter, ok := u.tx.Tx.(*ssa.Parameter); ok {
		variable, _ := parameter.Object().(*types.Var)
		if variable == nil || variable.Name() == "" || variable.Name() == "_" {
			return nil
		}
		return variable
	}
	if u.tx.Begin == nil {
		return nil
	}
	var found types.Object
	c.inspect(u.tx.Begin.Pos(), func(node ast.Node) {
		assign, ok := node.(*ast.AssignStmt)
		if !ok || len(assign.Rhs) != 1 || len(assign.Lhs) == 0 {
			return
		}
		call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
		if !ok || call.Lparen != u.tx.Begin.Pos() {
			return
		}
		if name, ok := assign.Lhs[0].(*ast.Ident); ok && name.Name != "_" {
			found = c.pass.TypesInfo.ObjectOf(name)
		}
	})
	return found
}

// inspect visits the nodes of the file at pos that hold pos.
func (c *checker) inspect(pos token.Pos, visit func(ast.Node)) {
	for _, file := range c.pass.Files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if node == nil || pos < node.Pos() || pos > node.End() {
				return false
			}
			visit(node)
			return true
		})
	}
}

// useTx replaces the pool of a statement by the transaction beside it: s.db.ExecContext(...) becomes tx.ExecContext(...). It is offered only
// where the transaction's variable is in scope and has a method of the same name and type.
func (c *checker) useTx(f *function, w, beside *write) []analysis.SuggestedFix {
	object := c.txVariable(beside.unit)
	if object == nil || len(w.Path) > 0 || w.unit.kind != pooled || f.relate(w, beside) != inside {
		return nil
	}
	var call *ast.CallExpr
	c.inspect(w.Call.Pos(), func(node ast.Node) {
		if candidate, ok := node.(*ast.CallExpr); ok && candidate.Lparen == w.Call.Pos() {
			call = candidate
		}
	})
	if call == nil {
		return nil
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !c.inScope(object, call.Pos()) || !c.sameMethod(selector, object.Type()) {
		return nil
	}
	// What the receiver's expression does beside giving the pool must not be lost.
	if !isPath(selector.X) {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   "write through " + object.Name(),
		TextEdits: []analysis.TextEdit{{Pos: selector.X.Pos(), End: selector.X.End(), NewText: []byte(object.Name())}},
	}}
}

// isPath reports whether an expression is a variable or a field of one.
func isPath(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPath(e.X)
	}
	return false
}

// inScope reports whether the name of a variable means that variable at pos.
func (c *checker) inScope(object types.Object, pos token.Pos) bool {
	scope := c.pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	_, found := scope.LookupParent(object.Name(), pos)
	return found == object
}

// sameMethod reports whether a type has the method that a selector calls, with the same parameters and results.
func (c *checker) sameMethod(selector *ast.SelectorExpr, t types.Type) bool {
	called, ok := c.pass.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !ok {
		return false
	}
	object, _, _ := types.LookupFieldOrMethod(t, true, c.pass.Pkg, called.Name())
	method, ok := object.(*types.Func)
	if !ok {
		return false
	}
	a, b := called.Signature(), method.Signature()
	return types.Identical(a.Params(), b.Params()) && types.Identical(a.Results(), b.Results()) && a.Variadic() == b.Variadic()
}

// unlikeSibling reports whether work is given a transaction of this function by its call and the key's call, of which nothing but the name
// is known, is not: neither as an argument, nor by its receiver, nor by a context that may carry it.
func (c *checker) unlikeSibling(f *function, key, work *write) bool {
	for _, transaction := range f.transactions {
		if transaction.Tx == nil || transaction.Begin == nil || work.unit.kind == inTx && work.unit.tx != transaction {
			continue
		}
		if !gives(work.Call, transaction) || touches(key.Call, transaction) {
			continue
		}
		work.unit = unit{kind: inTx, tx: transaction}
		if f.relate(key, work) == inside {
			return true
		}
	}
	return false
}

// gives reports whether a call has the transaction itself as an argument.
func gives(call ssa.CallInstruction, transaction *storeflow.Transaction) bool {
	for _, arg := range call.Common().Args {
		if program.Resolve(arg) == transaction.Tx {
			return true
		}
	}
	return false
}

// touches reports whether anything that a call is given may hold the transaction.
func touches(call ssa.CallInstruction, transaction *storeflow.Transaction) bool {
	common := call.Common()
	values := append([]ssa.Value{common.Value}, common.Args...)
	for _, value := range values {
		if madeOf(value, transaction, 12) {
			return true
		}
	}
	return false
}

// madeOf reports whether a value is made of the transaction, or of what its callback is given.
func madeOf(value ssa.Value, transaction *storeflow.Transaction, depth int) bool {
	if value == nil || depth == 0 {
		return false
	}
	value = program.Resolve(value)
	if value == transaction.Tx {
		return true
	}
	switch v := value.(type) {
	case *ssa.Parameter:
		return transaction.Body != nil && v.Parent() == transaction.Body
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return false
	case *ssa.Alloc:
		for _, referrer := range *v.Referrers() {
			if store, ok := referrer.(*ssa.Store); ok && store.Addr == v && madeOf(store.Val, transaction, depth-1) {
				return true
			}
			if address, ok := referrer.(*ssa.FieldAddr); ok {
				for _, use := range *address.Referrers() {
					if store, ok := use.(*ssa.Store); ok && store.Addr == address && madeOf(store.Val, transaction, depth-1) {
						return true
					}
				}
			}
		}
		return false
	}
	instruction, ok := value.(ssa.Instruction)
	if !ok {
		return false
	}
	for _, operand := range instruction.Operands(nil) {
		if *operand != nil && madeOf(*operand, transaction, depth-1) {
			return true
		}
	}
	return false
}
