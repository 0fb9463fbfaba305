package storeflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// storedIn gives what the package stores in a field of any of its structs: a collection in a constructor, a table's name in a configuration.
func (p *Result) storedIn(field *types.Var) []ssa.Value {
	if p.storedFields == nil {
		p.storedFields = make(map[*types.Var][]ssa.Value)
		for _, fn := range p.program.Functions() {
			for _, block := range fn.Blocks {
				for _, instruction := range block.Instrs {
					store, ok := instruction.(*ssa.Store)
					if !ok {
						continue
					}
					if address, ok := store.Addr.(*ssa.FieldAddr); ok {
						if of := program.Field(address.X.Type(), address.Field); of != nil {
							p.storedFields[of.Origin()] = append(p.storedFields[of.Origin()], store.Val)
						}
					}
				}
			}
		}
	}
	return p.storedFields[field.Origin()]
}

// fieldLoaded gives the field that a value is loaded from, with the name of its struct; nil when it is no field's.
func fieldLoaded(v ssa.Value) (field *types.Var, owner string) {
	var of types.Type
	switch v := program.Resolve(v).(type) {
	case *ssa.UnOp:
		address, ok := v.X.(*ssa.FieldAddr)
		if !ok {
			return nil, ""
		}
		field, of = program.Field(address.X.Type(), address.Field), address.X.Type()
	case *ssa.Field:
		field, of = program.Field(v.X.Type(), v.Field), v.X.Type()
	}
	if field == nil {
		return nil, ""
	}
	if declaring := named(of); declaring != nil {
		owner = declaring.Obj().Name()
	}
	return field, owner
}

// placeName names a collection or a table that a value stands for. name tells the name of a value that is neither a field nor a helper's result; those are followed to what the package stores or returns there.
// A field whose content is not known stands for itself: "Orders.collection" names one thing within its package.
func placeName(p *Result, v ssa.Value, name func(ssa.Value) string) string {
	return placeNameIn(p, v, name, placeDepth)
}

// Bounds of the way to a name: fields and helpers, and what is stored in one field.
const (
	placeDepth  = 4
	placeStores = 8
)

func placeNameIn(p *Result, v ssa.Value, name func(ssa.Value) string, depth int) string {
	if v == nil || depth == 0 {
		return ""
	}
	if known := name(v); known != "" {
		return known
	}
	if call, ok := program.Resolve(v).(*ssa.Call); ok {
		return placeReturned(p, call, name, depth)
	}
	field, owner := fieldLoaded(v)
	if field == nil {
		return ""
	}
	found := ""
	stores := p.storedIn(field)
	if len(stores) > placeStores {
		return owner + "." + field.Name()
	}
	for _, stored := range stores {
		known := placeNameIn(p, stored, name, depth-1)
		if known == "" || found != "" && found != known {
			return owner + "." + field.Name()
		}
		found = known
	}
	if found != "" {
		return found
	}
	return owner + "." + field.Name()
}

// placeReturned names what a helper of this package returns, where it returns one thing: func (s *Store) orders() *mongo.Collection.
func placeReturned(p *Result, call *ssa.Call, name func(ssa.Value) string, depth int) string {
	body := p.program.Callee(&call.Call).Body
	if body == nil {
		return ""
	}
	found := ""
	for _, block := range body.Blocks {
		end, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok || len(end.Results) == 0 {
			continue
		}
		if isZeroConstant(end.Results[0]) {
			continue // nil beside an error
		}
		known := placeNameIn(p, end.Results[0], name, depth-1)
		if known == "" || found != "" && found != known {
			return ""
		}
		found = known
	}
	return found
}
