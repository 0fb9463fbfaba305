package storeflow

import (
	"golang.org/x/tools/go/ssa"
)

// statementAccesses gives what a text that an ORM hands through does. RowsAffected of gorm is a field, and not the method that the SQL libraries have.
func statementAccesses(p *Result, call ssa.CallInstruction, text ssa.Value, over Executor) []Access {
	list := p.sqlAccesses(statement{call: call, text: unboxed(text), conn: over.Value})
	if !memberRead(callValue(call), "RowsAffected") {
		return list
	}
	for i := range list {
		if list[i].Guard.Has(OnConflict) {
			list[i].Guard |= ResultRead
		}
	}
	return list
}
