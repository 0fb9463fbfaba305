package storeflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// literalDepth bounds the walk through literals that hold literals.
const literalDepth = 6

// fieldValue is one field of a struct literal, or one that is set later through the same variable.
type fieldValue struct {
	field *types.Var
	tag   string
	value ssa.Value
}

// structFields gives what the fields of a struct were set to, in the order of the source. v is the struct, a pointer to it, or the address of an element.
// Fields set through the variable after the literal count too. Nil when the struct is not made in this function.
func structFields(v ssa.Value) []fieldValue { return structFieldsOf(v, map[ssa.Value]bool{}) }

// maxLiteral bounds the structs that one literal is put together from.
const maxLiteral = 32

func structFieldsOf(v ssa.Value, seen map[ssa.Value]bool) []fieldValue {
	if v == nil {
		return nil
	}
	v = program.Resolve(v)
	if load, ok := v.(*ssa.UnOp); ok {
		v = program.Cell(load.X)
	}
	switch v.(type) {
	case *ssa.Alloc, *ssa.IndexAddr, *ssa.FieldAddr:
	default:
		return nil
	}
	if seen[v] || len(seen) == maxLiteral {
		return nil
	}
	seen[v] = true
	var fields []fieldValue
	for _, referrer := range referrersOf(v) {
		switch referrer := referrer.(type) {
		case *ssa.Store:
			if referrer.Addr == v {
				fields = append(fields, structFieldsOf(referrer.Val, seen)...)
			}
		case *ssa.FieldAddr:
			shape, ok := structOf(referrer.X.Type())
			if !ok || referrer.X != v {
				continue
			}
			for _, use := range referrersOf(referrer) {
				switch use := use.(type) {
				case *ssa.Store:
					if use.Addr == referrer {
						fields = append(fields, fieldValue{shape.Field(referrer.Field), shape.Tag(referrer.Field), use.Val})
					}
				case *ssa.FieldAddr: // a nested literal written in place
					fields = append(fields, fieldValue{shape.Field(referrer.Field), shape.Tag(referrer.Field), referrer})
				}
			}
		}
	}
	return fields
}

// fieldNamed gives what the field of that name was set to, nil when it was not.
func fieldNamed(fields []fieldValue, name string) ssa.Value {
	for _, field := range fields {
		if field.field.Name() == name {
			return field.value
		}
	}
	return nil
}

// mapEntries gives the constant keys of a map literal, and of what is added to it later, with their values.
func mapEntries(v ssa.Value) (keys []string, values []ssa.Value, ok bool) {
	if v == nil {
		return nil, nil, false
	}
	made, ok := program.Resolve(v).(*ssa.MakeMap)
	if !ok {
		return nil, nil, false
	}
	for _, referrer := range referrersOf(made) {
		update, ok := referrer.(*ssa.MapUpdate)
		if !ok || update.Map != made {
			continue
		}
		if key, ok := knownText(update.Key); ok {
			keys, values = append(keys, key), append(values, update.Value)
		}
	}
	return keys, values, true
}

// knownText is the text of a value when all of it is known.
func knownText(v ssa.Value) (string, bool) {
	if v == nil {
		return "", false
	}
	text, ok := program.Text(v)
	return text, ok && !strings.Contains(text, program.Hole)
}

// items gives the elements of a slice or array literal, which is also what a variadic call gets. An element that is a struct written in place is given by its address.
func items(v ssa.Value) []ssa.Value {
	if v == nil {
		return nil
	}
	v = program.Resolve(v)
	if load, ok := v.(*ssa.UnOp); ok {
		v = program.Cell(load.X)
	}
	if slice, ok := v.(*ssa.Slice); ok {
		v = slice.X
	}
	array, ok := v.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var list []ssa.Value
	for _, referrer := range referrersOf(array) {
		address, ok := referrer.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		var element ssa.Value = address
		for _, use := range referrersOf(address) {
			if store, ok := use.(*ssa.Store); ok && store.Addr == address {
				element = store.Val
			}
		}
		list = append(list, element)
	}
	return list
}

// constantTexts gives the elements of a slice literal of strings that are known.
func constantTexts(v ssa.Value) []string {
	var texts []string
	for _, element := range items(v) {
		if text, ok := knownText(element); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// isTrue reports whether a value is the constant true.
func isTrue(v ssa.Value) bool {
	if v == nil {
		return false
	}
	constant, ok := program.Resolve(v).(*ssa.Const)
	return ok && constant.Value != nil && constant.Value.ExactString() == "true"
}

// isZeroConstant reports whether a value is nil, 0, "" or false.
func isZeroConstant(v ssa.Value) bool {
	constant, ok := program.Resolve(v).(*ssa.Const)
	if !ok {
		return false
	}
	if constant.Value == nil {
		return true
	}
	switch constant.Value.ExactString() {
	case "0", `""`, "false":
		return true
	}
	return false
}

// resultUsed reports whether the code looks at result i of a call.
func resultUsed(call ssa.CallInstruction, i int) bool {
	value := call.Value()
	if value == nil {
		return false // go and defer throw results away
	}
	if _, several := value.Type().(*types.Tuple); !several {
		return i == 0 && len(referrersOf(value)) > 0
	}
	for _, referrer := range referrersOf(value) {
		switch referrer := referrer.(type) {
		case *ssa.Extract:
			if referrer.Index == i && len(referrersOf(referrer)) > 0 {
				return true
			}
		case *ssa.Return:
			return true
		}
	}
	return false
}

// memberRead reports whether one of the named fields of a value, or the result of one of the named methods, is looked at, or the value leaves the function, so that the caller can look.
func memberRead(v ssa.Value, names ...string) bool {
	return memberReadIn(v, names, map[ssa.Value]bool{})
}

// maxCopies bounds the variables that a result is looked for in.
const maxCopies = 16

func memberReadIn(v ssa.Value, names []string, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] || len(seen) == maxCopies {
		return false
	}
	seen[v] = true
	for _, referrer := range referrersOf(v) {
		switch referrer := referrer.(type) {
		case *ssa.Return:
			return true
		case *ssa.FieldAddr:
			field := program.Field(referrer.X.Type(), referrer.Field)
			if field != nil && slices.Contains(names, field.Name()) {
				return true
			}
			if field != nil && field.Embedded() && memberReadIn(referrer, names, seen) { // a promoted method
				return true
			}
		case ssa.CallInstruction:
			fn := declared(referrer)
			if fn != nil && slices.Contains(names, fn.Name()) && receiver(referrer) == v && resultUsed(referrer, 0) {
				return true
			}
		case *ssa.Store: // kept in a variable
			if referrer.Val != v {
				continue
			}
			if _, ok := referrer.Addr.(*ssa.Alloc); !ok {
				return true // kept in a struct or elsewhere: somebody may look
			}
			for _, use := range referrersOf(referrer.Addr) {
				if load, ok := use.(*ssa.UnOp); ok && memberReadIn(load, names, seen) {
					return true
				}
			}
		case *ssa.Phi:
			if memberReadIn(referrer, names, seen) {
				return true
			}
		}
	}
	return false
}

// referrersOf gives the uses of a value in the function that holds it, without debugging marks.
func referrersOf(v ssa.Value) []ssa.Instruction {
	list := v.Referrers()
	if list == nil {
		return nil
	}
	return *list
}

// structOf gives the struct behind pointers and names.
func structOf(t types.Type) (*types.Struct, bool) {
	if pointer, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	shape, ok := types.Unalias(t).Underlying().(*types.Struct)
	return shape, ok
}

// receiverName is the name of the type that declares a method, "" for functions.
func receiverName(fn *types.Func) string {
	receiver := fn.Signature().Recv()
	if receiver == nil {
		return ""
	}
	if declaring := named(receiver.Type()); declaring != nil {
		return declaring.Obj().Name()
	}
	return ""
}

// rowType gives the struct type of a row from what a call is handed: a value, a pointer to it, a slice of them, boxed in an interface.
func rowType(v ssa.Value) *types.Named {
	if v == nil {
		return nil
	}
	return rowTypeOf(unboxed(v).Type())
}

func rowTypeOf(t types.Type) *types.Named {
	for range literalDepth {
		switch shape := types.Unalias(t).(type) {
		case *types.Pointer:
			t = shape.Elem()
		case *types.Slice:
			t = shape.Elem()
		case *types.Array:
			t = shape.Elem()
		case *types.Named:
			if _, isStruct := shape.Underlying().(*types.Struct); isStruct {
				return shape
			}
			if _, isSlice := shape.Underlying().(*types.Slice); !isSlice {
				return nil
			}
			t = shape.Underlying()
		default:
			return nil
		}
	}
	return nil
}

// unboxed takes a value out of the interface it was put in for a call.
func unboxed(v ssa.Value) ssa.Value {
	if boxed, ok := v.(*ssa.MakeInterface); ok {
		return boxed.X
	}
	return v
}

// entityName qualifies a row's type.
func entityName(row *types.Named) string {
	if row == nil {
		return ""
	}
	if row.Obj().Pkg() == nil {
		return row.Obj().Name()
	}
	return row.Obj().Pkg().Path() + "." + row.Obj().Name()
}

// at gives element i of a list of arguments, nil when there are fewer.
func at(list []ssa.Value, i int) ssa.Value {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// callValue is the result of a call; nil for go and defer, which throw it away.
func callValue(call ssa.CallInstruction) ssa.Value {
	if value := call.Value(); value != nil {
		return value
	}
	return nil
}
