package weakkey

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
)

// counters knows the package's variables and members that go up by a constant somewhere. It looks for them when it is first asked.
type counters struct {
	functions func() []*ssa.Function
	looked    bool
	globals   map[*ssa.Global]bool
	fields    map[*types.Var]bool
}

func (c *counters) counts(origin keyflow.Origin) bool {
	global, isGlobal := origin.At.(*ssa.Global)
	field := fieldOf(origin)
	if !isGlobal && field == nil {
		return false
	}
	c.look()
	return c.globals[global] || field != nil && c.fields[field]
}

func (c *counters) look() {
	if c.looked {
		return
	}
	c.looked = true
	c.globals, c.fields = map[*ssa.Global]bool{}, map[*types.Var]bool{}
	for _, fn := range c.functions() {
		for _, block := range fn.Blocks {
			for _, instruction := range block.Instrs {
				if store, ok := instruction.(*ssa.Store); ok {
					c.note(store)
				}
			}
		}
	}
}

// note keeps x when the store is x = x + constant.
func (c *counters) note(store *ssa.Store) {
	sum, ok := store.Val.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD && sum.Op != token.SUB {
		return
	}
	before, ok := sum.X.(*ssa.UnOp)
	if _, constant := sum.Y.(*ssa.Const); !ok || !constant || before.Op != token.MUL {
		return
	}
	switch address := store.Addr.(type) {
	case *ssa.Global:
		if before.X == address {
			c.globals[address] = true
		}
	case *ssa.FieldAddr:
		if field := addressed(address); field != nil && addressed(before.X) == field {
			c.fields[field] = true
		}
	}
}

func addressed(v ssa.Value) *types.Var {
	address, ok := v.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	structure := structOf(address.X.Type())
	if structure == nil {
		return nil
	}
	return structure.Field(address.Field).Origin()
}
