package storeflow

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// minted reports whether an insert's primary key is made for it, so that the key cannot keep a second row out: by the database, or by a value that is new at every call.
func (p *Result) minted(s *sqltext.Statement, args []ssa.Value) bool {
	if s.Verb != sqltext.Insert || len(s.Columns) != len(s.Values) {
		return false
	}
	position := 0 // of "?" placeholders
	for i, value := range s.Values {
		value = strings.TrimSpace(value)
		placeholder := value == "?"
		if isPrimaryName(s.Columns[i], s.Table.Table) {
			if mintedBySQL(value) {
				return true
			}
			index := -1
			switch {
			case placeholder:
				index = position
			case strings.HasPrefix(value, "$"):
				number, _, _ := strings.Cut(value[1:], ":")
				if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
					index = n - 1
				}
			}
			return index >= 0 && index < len(args) && p.isMint(args[index], mintDepth)
		}
		if placeholder {
			position++
		}
	}
	return false
}

// isPrimaryName reports whether a column is called like a primary key that means nothing.
func isPrimaryName(column, table string) bool {
	column = strings.ToLower(column)
	switch column {
	case "id", "uuid", "uid", "guid", "pk":
		return true
	}
	return column == strings.TrimSuffix(strings.ToLower(table), "s")+"_id"
}

func mintedBySQL(value string) bool {
	value = strings.ToLower(value)
	for _, function := range []string{"gen_random_uuid(", "uuid_generate_v", "uuidv7(", "uuidv4(", "uuid(", "nextval(", "default", "random", "newid("} {
		if strings.HasPrefix(value, function) {
			return true
		}
	}
	return false
}

// mintDepth bounds the way from a value to where it is made.
const mintDepth = 8

// isMint reports whether a value is new at every call.
func (p *Result) isMint(v ssa.Value, depth int) bool {
	if v == nil || depth == 0 {
		return false
	}
	switch v := program.Resolve(v).(type) {
	case *ssa.Extract:
		return v.Index == 0 && p.isMint(v.Tuple, depth-1)
	case *ssa.UnOp:
		if address, ok := v.X.(*ssa.FieldAddr); ok {
			return p.isMint(literalField(address.X, program.FieldName(address.X.Type(), address.Field)), depth-1)
		}
	case *ssa.Slice:
		return p.isMint(v.X, depth-1)
	case *ssa.Convert:
		return p.isMint(v.X, depth-1)
	case *ssa.Call:
		return p.isMintCall(v, depth)
	}
	return false
}

func (p *Result) isMintCall(call *ssa.Call, depth int) bool {
	fn := declared(call)
	if fn == nil {
		return false
	}
	if _, quality, ok := known.Mint(fn); ok {
		return quality != "derived"
	}
	passed, ok := known.PassesThrough(fn)
	if !ok {
		return p.returnsMint(call, depth)
	}
	for _, index := range passed {
		source := receiver(call)
		if index >= 0 {
			source = argument(call, index)
		}
		if p.isMint(source, depth-1) {
			return true
		}
	}
	return false
}

// returnsMint looks into helpers of the package: newID().
func (p *Result) returnsMint(call *ssa.Call, depth int) bool {
	body := p.program.Callee(&call.Call).Body
	if body == nil || body.Signature.Results().Len() == 0 {
		return false
	}
	if _, isInterface := body.Signature.Results().At(0).Type().Underlying().(*types.Interface); isInterface {
		return false
	}
	for _, block := range body.Blocks {
		if ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && p.isMint(ret.Results[0], depth/2) {
			return true
		}
	}
	return false
}
