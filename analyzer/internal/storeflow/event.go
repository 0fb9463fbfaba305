package storeflow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// event tells what a call does to transactions by itself; nil when nothing.
func (p *Result) event(call ssa.CallInstruction) *event {
	if known, ok := p.events[call]; ok {
		return known
	}
	p.events[call] = nil // a library that asks back finds nothing
	fn := declared(call)
	if fn == nil {
		return nil
	}
	for _, lib := range libraries {
		if found := lib.transaction(p, call, fn); found != nil {
			p.events[call] = found
			return found
		}
	}
	return nil
}

// transactionsOf gives the transactions that a function starts or was given.
func (p *Result) transactionsOf(fn *ssa.Function) []Transaction {
	var out []Transaction
	if fn.Parent() == nil {
		for _, parameter := range fn.Params {
			if kind, _ := connection(parameter.Type()); kind == Tx {
				out = append(out, Transaction{Tx: parameter, Runtime: p.handler(fn)})
			}
		}
	} else if run := p.runs[fn]; run != nil && run.inTx && run.tx != nil {
		out = append(out, Transaction{Begin: nil, Tx: run.tx, Body: fn, Runtime: run.runtime, Serializable: run.serializable})
	} else if run == nil || !run.inTx {
		for _, parameter := range fn.Params {
			if kind, _ := connection(parameter.Type()); kind == Tx {
				out = append(out, Transaction{Tx: parameter})
			}
		}
	}
	p.walk(fn, func(call ssa.CallInstruction, in *ssa.Function) {
		out = append(out, p.started(call)...)
	})
	for i := range out {
		if out[i].Tx != nil {
			out[i].Commits = p.commitsOf(fn, out[i].Tx)
		}
	}
	return out
}

// started gives the transactions that a call starts.
func (p *Result) started(call ssa.CallInstruction) []Transaction {
	if event := p.event(call); event != nil && event.kind == begins {
		tx := result(call, event.result)
		if tx == nil || p.executor(tx, "", Tx).Value != tx {
			return nil // a savepoint
		}
		return []Transaction{{Begin: call, Tx: tx, Serializable: event.serializable}}
	}
	if value := call.Value(); value != nil {
		callee := p.program.Callee(call.Common())
		if role := p.role(callee.Func, callee.Body); role != nil {
			for _, binding := range role.Binds {
				if binding.Field != "" || binding.Executor.Kind != Tx {
					continue
				}
				if tx := result(call, binding.Result); tx != nil {
					return []Transaction{{Begin: call, Tx: tx}}
				}
			}
		}
	}
	var out []Transaction
	for i, arg := range arguments(call) {
		callback, ok := p.way(call, i)
		if !ok || !callback.InTx {
			continue
		}
		transaction := Transaction{Begin: call, ByContext: callback.Argument < 0, Serializable: callback.Serializable, Runtime: callback.Runtime}
		if body := literalBody(arg); body != nil {
			transaction.Body = body
			if run := p.runs[body]; run != nil {
				transaction.Tx = run.tx
			}
		} else {
			transaction.Body = p.methodValue(arg).Body
		}
		out = append(out, transaction)
	}
	return out
}

// commitsOf gives the calls in a function that commit a transaction.
func (p *Result) commitsOf(fn *ssa.Function, tx ssa.Value) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	p.walk(fn, func(call ssa.CallInstruction, _ *ssa.Function) {
		event := p.event(call)
		if event == nil || event.kind != commits {
			return
		}
		committed := event.tx
		if committed == nil {
			committed = receiver(call)
		}
		if committed != nil && program.Resolve(committed) == tx {
			out = append(out, call)
		}
	})
	return out
}

// markSerializable marks what runs in a transaction that the database itself arbitrates.
func markSerializable(list []Access, transactions []Transaction) {
	for _, transaction := range transactions {
		if !transaction.Serializable {
			continue
		}
		for i := range list {
			inside := transaction.Tx != nil && list[i].Executor.Value == transaction.Tx
			if inside || transaction.Body != nil && list[i].Call.Parent() == transaction.Body {
				list[i].Guard |= Serializable
			}
		}
	}
}
