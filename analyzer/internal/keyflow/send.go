package keyflow

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/known"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// Send is a place where a value becomes an idempotency key.
type Send struct {
	At ssa.Instruction
	Fn *ssa.Function
	// Value becomes the key; nil when the callee mints what it sends. Field is set when it is a member of Value.
	Value ssa.Value
	Field string
	// Callee is the function that is called, nil for a field or a map.
	Callee *types.Func
	// Own is set when the callee mints what it sends.
	Own *SendsKey
	// Holder carries the key afterwards: the request, the parameters. It may be nil.
	Holder ssa.Value
	// What names the place: `header "Idempotency-Key"`, "field IdempotencyKey of ChargeParams".
	What string
	// Confidence is High where the key was seen to be set, Medium where only a parameter's name says so.
	Confidence settings.Confidence
}

// Pos is where the call or the assignment stands.
func (s *Send) Pos() token.Pos { return s.At.Pos() }

// sendsOf gives the sends of one function, in the order of its blocks.
func (r *Result) sendsOf(fn *ssa.Function) []*Send {
	var found []*Send
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			switch x := instruction.(type) {
			case *ssa.Store:
				if send := r.fieldSend(x); send != nil {
					found = append(found, send)
				}
			case *ssa.MapUpdate:
				if name, ok := constantText(x.Key); ok && (r.names.IsKey(name) || known.TokenEntry(name)) && isTextLike(x.Value.Type()) {
					found = append(found, &Send{At: x, Value: x.Value, Holder: x.Map, What: fmt.Sprintf("entry %q", name), Confidence: settings.High})
				}
			case ssa.CallInstruction:
				found = append(found, r.callSends(x)...)
			}
		}
	}
	for _, send := range found {
		send.Fn = fn
	}
	return found
}

// isTextLike leaves out maps whose values are no texts, such as sets of names.
func isTextLike(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice, *types.Interface, *types.Array, *types.Pointer:
		return true
	}
	return false
}

func (r *Result) fieldSend(store *ssa.Store) *Send {
	address, ok := store.Addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	field := program.Field(address.X.Type(), address.Field)
	owner := address.X.Type()
	if pointer, ok := owner.Underlying().(*types.Pointer); ok {
		owner = pointer.Elem()
	}
	house := field != nil && r.names.IsKey(field.Name()) && isTextLike(field.Type()) && !known.RowType(owner)
	if !known.KeyField(owner, field) && !house {
		return nil
	}
	what := "field " + field.Name()
	if named := namedOf(owner); named != nil {
		what += " of " + named.Obj().Name()
	}
	return &Send{At: store, Value: store.Val, Holder: address.X, What: what, Confidence: settings.High}
}

func (r *Result) callSends(call ssa.CallInstruction) []*Send {
	common := call.Common()
	callee := r.program.Callee(common)
	fn := declared(callee)
	if fn == nil {
		return nil
	}
	var found []*Send
	if sink, ok := known.SinkOf(fn); ok && !sink.Reads {
		found = append(found, r.tableSends(call, fn, sink)...)
	}
	covered := map[int]bool{}
	args := arguments(common)
	if facts := r.sendsKey(callee); facts != nil {
		for _, param := range facts.Params {
			if param.Index < len(args) {
				covered[param.Index] = true
				if len(found) == 0 {
					found = append(found, &Send{At: call, Value: args[param.Index], Field: param.Field, Callee: fn, What: "the key of " + shortName(fn), Confidence: settings.High})
				}
			}
		}
		if facts.Own || len(facts.Absent) > 0 {
			found = append(found, &Send{At: call, Callee: fn, Own: facts, What: shortName(fn), Confidence: settings.High})
		}
	}
	if len(found) > 0 || takesKeyOtherwise(fn.Name()) {
		return found
	}
	for index, arg := range args {
		param := parameter(fn, index)
		if covered[index] || param == nil || !known.KeyParam(param) && !(r.names.IsKey(param.Name()) && isTextLike(param.Type())) {
			continue
		}
		found = append(found, &Send{At: call, Value: arg, Callee: fn, What: fmt.Sprintf("parameter %s of %s", param.Name(), shortName(fn)), Confidence: settings.Medium})
	}
	return found
}

// takesKeyOtherwise knows functions that are given a key to look at it, not to send it.
func takesKeyOtherwise(name string) bool {
	name = strings.ToLower(name)
	for _, prefix := range []string{"valid", "is", "has", "parse", "hash", "check", "log", "get", "find", "lookup", "load", "exist", "delete", "remove", "err", "mask", "redact", "normal", "print", "debug"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// noName marks a sink whose function alone says that it sets a key.
const noName = -2

func (r *Result) tableSends(call ssa.CallInstruction, fn *types.Func, sink known.Sink) []*Send {
	common := call.Common()
	send := func(value ssa.Value, what string) *Send {
		s := &Send{At: call, Value: value, Callee: fn, What: what, Confidence: settings.High}
		if sink.Target != noName {
			s.Holder = argument(common, sink.Target)
		}
		return s
	}
	if sink.Map {
		return nil // the map's entries are sends themselves
	}
	if sink.Name == noName {
		if value := argument(common, sink.Value); value != nil {
			return []*Send{send(value, "the key set by "+shortName(fn))}
		}
		return nil
	}
	inputs := flattened(common)
	var found []*Send
	for name, value := sink.Name, sink.Value; name < len(inputs) && value < len(inputs); name, value = name+2, value+2 {
		if text, ok := constantText(inputs[name]); ok && (r.names.IsKey(text) || known.TokenEntry(text)) {
			found = append(found, send(inputs[value], fmt.Sprintf("header %q", text)))
		}
		if !sink.Pairs {
			break
		}
	}
	return found
}

// flattened gives the arguments of a call without the receiver, the elements of a variadic one each for itself.
func flattened(call *ssa.CallCommon) []ssa.Value {
	args := arguments(call)
	if hasReceiver(call) {
		args = args[1:]
	}
	if !call.Signature().Variadic() || len(args) == 0 {
		return args
	}
	slice, ok := args[len(args)-1].(*ssa.Slice)
	if !ok {
		return args
	}
	elements := map[int64]ssa.Value{}
	for _, use := range uses(slice.X) {
		address, ok := use.instruction.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		index, isConst := address.Index.(*ssa.Const)
		stores := program.Stores(address)
		if !isConst || len(stores) != 1 {
			return args
		}
		elements[index.Int64()] = stores[0].Val
	}
	flat := append([]ssa.Value(nil), args[:len(args)-1]...)
	for i := range int64(len(elements)) {
		if elements[i] == nil {
			return args
		}
		flat = append(flat, elements[i])
	}
	return flat
}

func constantText(v ssa.Value) (string, bool) {
	text, ok := program.Text(v)
	if ok && !strings.Contains(text, program.Hole) {
		return text, true
	}
	c, isConst := program.Resolve(v).(*ssa.Const)
	if !isConst || c.Value == nil || c.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Value), true
}
