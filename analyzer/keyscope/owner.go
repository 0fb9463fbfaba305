package keyscope

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// vague are words that say whose a record is in a table's column, and much else in a program: a field called store or client.
var vague = []string{"store", "handler", "client", "app", "application", "group", "domain", "team", "project", "platform", "business", "consumer", "subscriber", "namespace", "scope", "ledger", "shop", "member", "brand", "profile", "wallet", "institution", "company", "subject", "realm", "vendor", "x-client"}

// isOwner reports whether a column, field, parameter or header of this name says whose a record is.
func (c *checker) isOwner(name string) bool {
	return c.names.IsScopeColumn(name) && !slices.Contains(vague, strings.ToLower(name))
}

// isOwnerName reports whether a function of this name gives an owner: accountOf, TenantFromContext, BasicAuth.
func (c *checker) isOwnerName(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range []string{"tenant", "account", "merchant", "customer", "principal", "basicauth", "userid", "useruuid", "currentuser", "userfrom", "userof", "orgid", "organization", "organisation", "workspace", "partner", "seller", "caller", "identity", "claims", "subject"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// asksOwner reports whether a function compares something that says whose a record is: the record that was found is checked.
func (c *checker) asksOwner(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			at, ok := instruction.(*ssa.BinOp)
			if ok && (at.Op == token.EQL || at.Op == token.NEQ) && !isConst(at.X) && !isConst(at.Y) && (c.isOwnerValue(at.X) || c.isOwnerValue(at.Y)) {
				return true
			}
		}
	}
	return false
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

func (c *checker) isOwnerValue(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter:
		return c.isOwner(v.Name())
	case *ssa.UnOp:
		if field, ok := v.X.(*ssa.FieldAddr); ok {
			found := program.Field(field.X.Type(), field.Field)
			return found != nil && c.isOwner(found.Name())
		}
	case *ssa.Field:
		found := program.Field(v.X.Type(), v.Field)
		return found != nil && c.isOwner(found.Name())
	case *ssa.Call:
		return c.isOwnerName(calleeName(&v.Call))
	}
	return false
}

// findOwned finds the tables of keys whose records this package writes with an owner.
func (c *checker) findOwned(functions []*ssa.Function) {
	c.owned = map[string]token.Pos{}
	for _, fn := range functions {
		for _, access := range c.stores.Accesses(fn) {
			if access.Op != storeflow.Insert || access.Engine == storeflow.Redis || !c.names.IsKeyTable(access.Table) || len(access.Path) > 0 {
				continue
			}
			if _, known := c.owned[access.Table]; !known && slices.ContainsFunc(access.Columns, c.isOwner) {
				c.owned[access.Table] = access.Pos
			}
		}
	}
}

// knowsOwners reports whether the package has a notion of whose a request is: a variable, field or parameter named for it.
func (c *checker) knowsOwners() bool {
	if c.owners == 0 {
		c.owners = -1
		for ident, object := range c.pass.TypesInfo.Defs {
			if _, ok := object.(*types.Var); ok && c.isOwner(ident.Name) && !c.inTest(ident) {
				c.owners = 1
			}
			if fn, ok := object.(*types.Func); ok && c.isOwnerName(fn.Name()) && !c.inTest(ident) {
				c.owners = 1
			}
		}
	}
	return c.owners > 0
}

func (c *checker) inTest(ident *ast.Ident) bool {
	return strings.HasSuffix(c.pass.Fset.PositionFor(ident.Pos(), false).Filename, "_test.go")
}
