package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// findFieldKinds looks at what this package stores in unexported interface fields: one that only ever gets pools holds a pool.
func (p *Result) findFieldKinds(functions []*ssa.Function) {
	p.fields = make(map[*types.Var]ConnKind)
	p.held = make(map[held]bool)
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
				field := program.Field(address.X.Type(), address.Field)
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

// held is a connection inside of what a field holds: the queries or the repository that a constructor keeps.
type held struct {
	field *types.Var
	path  string
}

// holdsPool reports whether all that this package stores in an unexported field, which nobody else can set, runs on a pool: queries that are made in the constructor with New(pool).
func (p *Result) holdsPool(field *types.Var, path string, depth int) bool {
	if field.Exported() || field.Pkg() != p.pass.Pkg {
		return false
	}
	at := held{field.Origin(), path}
	if known, ok := p.held[at]; ok {
		return known
	}
	p.held[at] = false // while it is being worked out: a field that is filled from itself
	stored := p.storedIn(field)
	all := len(stored) > 0 && len(stored) <= maxEdges
	for _, value := range stored {
		if isNil(value) {
			continue
		}
		all = all && p.origin(value, path, UnknownConn, depth/2).Kind == Pool
	}
	p.held[at] = all
	return all
}
