package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// findFieldKinds looks at what this package stores in unexported interface fields: one that only ever gets pools holds a pool.
func (p *Result) findFieldKinds(functions []*ssa.Function) {
	p.fields = make(map[*types.Var]ConnKind)
	for _, fn := range functions {
		for _, block := range fn.Blocks {
			for _, instruction := range block.Instrs {
				store, ok := instruction.(*ssa.Store)
				if !ok {
					continue
				}
				address, ok := store.Addr.(*ssa.FieldAddr)
				if !ok {
					continue
				}
				field := fieldVar(address.X.Type(), address.Field)
				if field == nil || field.Exported() || !types.IsInterface(field.Type()) {
					continue
				}
				kind, shared := connection(program.Resolve(store.Val).Type())
				if shared {
					kind = UnknownConn
				}
				if known, seen := p.fields[field]; seen && known != kind {
					kind = UnknownConn
				}
				p.fields[field] = kind
			}
		}
	}
}

// fieldKind is what all that this package stores in a field has in common.
func (p *Result) fieldKind(field *types.Var) ConnKind {
	if kind := p.fields[field]; kind == Pool || kind == Conn {
		return kind
	}
	return UnknownConn
}
