package storeflow

import (
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// redisLibrary knows go-redis, under both of its paths, in all versions since v6.
type redisLibrary struct{}

func (redisLibrary) imports(path string) bool { return isRedisPath(path) }

func isRedisPath(path string) bool {
	return path == "github.com/redis/go-redis" || path == "github.com/go-redis/redis"
}

func (redisLibrary) connection(t types.Type) ConnKind {
	declaring := named(t)
	if declaring == nil || !isRedisPath(packagePath(declaring.Obj())) {
		return UnknownConn
	}
	switch declaring.Obj().Name() {
	case "Client", "ClusterClient", "Ring", "Conn", "Tx", "Pipeline", "Pipeliner", "Cmdable", "UniversalClient", "StatefulCmdable", "SentinelClient":
		return Client
	}
	return UnknownConn
}

// redisLook are the commands that only look; the others are handled one by one.
var redisLook = map[string]bool{
	"Get": true, "GetEx": true, "GetDel": true, "GetBit": true, "HGet": true, "HGetAll": true, "HMGet": true, "ZScore": true, "TTL": true, "StrLen": true, "MGet": true,
	"Exists": true, "HExists": true, "SIsMember": true, "SMIsMember": true,
}

// redisAlways answer with 0 or false for what is absent.
var redisAlways = map[string]bool{"Exists": true, "HExists": true, "SIsMember": true, "GetBit": true, "TTL": true}

// redisCounts answer with how many entries were new, or with what was there before, so that a caller who looks knows who was first.
var redisCounts = map[string]bool{
	"SAdd": true, "HSet": true, "ZAdd": true, "PFAdd": true, "Incr": true, "IncrBy": true, "HIncrBy": true, "SetBit": true, "GetSet": true,
}

func (l redisLibrary) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	if !isRedisPath(packagePath(fn)) || fn.Signature().Recv() == nil {
		return nil
	}
	args := arguments(call)
	if parameters := fn.Signature().Params(); parameters.Len() > 0 && isType(parameters.At(0).Type(), "context", "Context") {
		args = args[min(1, len(args)):]
	}
	if receiverName(fn) == "Script" {
		return l.script(p, call, fn, args)
	}
	name := fn.Name()
	access := l.entry(p, call, at(args, 0))
	switch {
	case name == "Do":
		return l.do(p, call, at(args, 0))
	case redisLook[name]:
		access.Op, access.Always = Read, redisAlways[name]
		l.many(p, fn, &access, at(args, 0))
		if field, ok := knownText(at(args, 1)); ok && strings.HasPrefix(name, "H") {
			access.Columns = []string{field}
		}
	case name == "Set", name == "SetEx", name == "SetEX", name == "PSetEX":
		access.Op = Insert
		access.TTL = len(args) > 2 && !isZeroConstant(args[2])
	case name == "HMSet", name == "MSet":
		access.Op = Insert
		if name == "MSet" {
			l.first(p, &access, at(args, 0))
		}
	case name == "SetNX", name == "HSetNX", name == "MSetNX":
		access.Op, access.Guard = Insert, OnConflict
		if name == "SetNX" {
			access.TTL = len(args) > 2 && !isZeroConstant(args[2])
		}
		if name == "MSetNX" {
			l.first(p, &access, at(args, 0))
		}
		l.answer(call, &access)
		if name == "SetNX" && looksLikeLock(at(args, 0), access.Table) {
			access.Op = Lock
		}
	case name == "SetArgs":
		l.setArgs(call, &access, at(args, 2))
	case redisCounts[name]:
		access.Op = Insert
		if l.answered(call) {
			access.Guard = OnConflict | ResultRead
		}
	case name == "SetXX", name == "SetIFEQ", name == "SetIFEQGet", name == "HSetXX", name == "Expire":
		access.Op = Update
	case strings.HasPrefix(name, "SetIF"):
		access.Op, access.Guard = Insert, OnConflict
		l.answer(call, &access)
	case name == "Del", name == "Unlink", name == "HDel", name == "SRem":
		access.Op = Delete
		l.many(p, fn, &access, at(args, 0))
	case name == "Eval", name == "EvalSha", name == "FCall":
		return l.evaluated(p, call, at(args, 1))
	default:
		return nil
	}
	if access.Op == Insert && watched(call.Parent()) {
		access.Guard |= OnConflict | ResultRead
	}
	return []Access{access}
}

// entry is an access to one key.
func (redisLibrary) entry(p *Result, call ssa.CallInstruction, key ssa.Value) Access {
	access := Access{Engine: Redis, Executor: Executor{Kind: Client, Value: redisClient(receiver(call))}}
	if key != nil && types.Identical(key.Type().Underlying(), types.Typ[types.String]) {
		access.Key = program.Resolve(key)
		access.Table = keyPattern(p, key)
	}
	return access
}

// many takes the first key of a command that takes several.
func (l redisLibrary) many(p *Result, fn *types.Func, access *Access, keys ssa.Value) {
	if fn.Signature().Variadic() && access.Key == nil {
		l.first(p, access, keys)
	}
}

func (redisLibrary) first(p *Result, access *Access, keys ssa.Value) {
	if list := items(keys); len(list) > 0 {
		key := unboxed(list[0])
		access.Key = program.Resolve(key)
		access.Table = keyPattern(p, key)
	}
}

// redisClient walks from the embedded command set of a client to the client.
func redisClient(v ssa.Value) ssa.Value {
	for range literalDepth {
		if v == nil {
			return nil
		}
		v = program.Resolve(v)
		load, ok := v.(*ssa.UnOp)
		if !ok {
			return v
		}
		field, ok := load.X.(*ssa.FieldAddr)
		if !ok {
			return v
		}
		declared := program.Field(field.X.Type(), field.Field)
		if declared == nil || !declared.Embedded() || declared.Exported() {
			return v
		}
		v = field.X
	}
	return v
}

// keyPattern writes a key with "*" for what is known at run time only: "idem:*". A helper of the package that makes the key is looked into; one whose text is not in view names the key by its own name: "keys.paymentkey()".
func keyPattern(p *Result, key ssa.Value) string {
	if text, ok := program.Text(key); ok {
		return pattern(text)
	}
	call, ok := program.Resolve(key).(*ssa.Call)
	if !ok {
		return ""
	}
	if text, ok := returnedText(p, call); ok && pattern(text) != "" {
		return pattern(text)
	}
	fn := declared(call)
	if fn == nil || fn.Pkg() == nil || !strings.Contains(strings.ToLower(fn.Name()), "key") {
		return ""
	}
	of := receiverName(fn)
	if of == "" {
		of = fn.Pkg().Name()
	}
	return strings.ToLower(of + "." + fn.Name() + "()")
}

// pattern writes a name with "*" for its holes; "" when the rest tells nothing, as in "*:*".
func pattern(text string) string {
	if strings.IndexFunc(text, unicode.IsLetter) < 0 {
		return ""
	}
	return strings.ToLower(strings.ReplaceAll(text, program.Hole, "*"))
}

// returnedText is the text that a helper of this package returns, when it returns one.
func returnedText(p *Result, call *ssa.Call) (string, bool) {
	body := p.program.Callee(&call.Call).Body
	if body == nil {
		return "", false
	}
	found := ""
	for _, block := range body.Blocks {
		end, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		if len(end.Results) == 0 {
			return "", false
		}
		text, ok := program.Text(end.Results[0])
		if !ok || found != "" && found != text {
			return "", false
		}
		found = text
	}
	return found, found != ""
}

// looksLikeLock reports whether a key names a lock and not the thing itself.
func looksLikeLock(key ssa.Value, pattern string) bool {
	names := []string{pattern}
	switch v := program.Resolve(key).(type) {
	case *ssa.Parameter:
		names = append(names, v.Name())
	case *ssa.Call:
		if fn := declared(v); fn != nil {
			names = append(names, fn.Name())
		}
	case *ssa.UnOp:
		if field, ok := v.X.(*ssa.FieldAddr); ok {
			names = append(names, program.FieldName(field.X.Type(), field.Field))
		}
	}
	for _, name := range names {
		name = strings.ToLower(name)
		name = strings.ReplaceAll(strings.ReplaceAll(name, "block", ""), "clock", "")
		if strings.Contains(name, "lock") || strings.Contains(name, "mutex") || strings.Contains(name, "lease") {
			return true
		}
	}
	return false
}

// answered reports whether the code looks at what a command answered, more than at whether it failed.
func (redisLibrary) answered(call ssa.CallInstruction) bool {
	return memberRead(callValue(call), "Val", "Result", "Int", "Bool")
}

func (l redisLibrary) answer(call ssa.CallInstruction, access *Access) {
	if l.answered(call) {
		access.Guard |= ResultRead
	}
}

// setArgs reads SET with options. A SET NX that did not set answers with the error redis.Nil.
func (redisLibrary) setArgs(call ssa.CallInstruction, access *Access, options ssa.Value) {
	access.Op = Insert
	fields := structFields(options)
	mode, known := knownText(fieldNamed(fields, "Mode"))
	switch {
	case strings.EqualFold(mode, "NX"):
		access.Guard = OnConflict
	case strings.EqualFold(mode, "XX"):
		access.Op = Update
	case !known && fieldNamed(fields, "Mode") != nil, len(fields) == 0 && options != nil:
		access.Partial = true
	}
	if isTrue(fieldNamed(fields, "Get")) {
		access.Guard = OnConflict
	}
	if access.Guard.Has(OnConflict) && memberRead(callValue(call), "Val", "Result", "Err") {
		access.Guard |= ResultRead
	}
	access.TTL = fieldNamed(fields, "TTL") != nil || fieldNamed(fields, "ExpireAt") != nil
}

// do reads Do(ctx, "SET", key, value, "NX", "EX", 60).
func (l redisLibrary) do(p *Result, call ssa.CallInstruction, words ssa.Value) []Access {
	list := items(words)
	if len(list) < 2 {
		return nil
	}
	command, ok := knownText(unboxed(list[0]))
	if !ok {
		return nil
	}
	access := l.entry(p, call, unboxed(list[1]))
	switch strings.ToUpper(command) {
	case "GET", "EXISTS", "HGET", "HEXISTS", "SISMEMBER":
		access.Op, access.Always = Read, strings.HasSuffix(strings.ToUpper(command), "EXISTS")
	case "SETNX":
		access.Op, access.Guard = Insert, OnConflict|ResultRead
	case "SET", "SETEX", "HSET":
		access.Op = Insert
		for _, word := range list[2:] {
			option, _ := knownText(unboxed(word))
			switch strings.ToUpper(option) {
			case "NX":
				access.Guard = OnConflict | ResultRead
			case "XX":
				access.Op = Update
			case "EX", "PX", "EXAT", "PXAT":
				access.TTL = true
			}
		}
	default:
		return nil
	}
	return []Access{access}
}

// evaluated is a Lua script or function: it runs alone, so that whatever it looks at and writes is arbitrated.
func (l redisLibrary) evaluated(p *Result, call ssa.CallInstruction, keys ssa.Value) []Access {
	access := Access{Engine: Redis, Op: Insert, Guard: OnConflict | ResultRead, Executor: Executor{Kind: Client, Value: redisClient(receiver(call))}}
	l.first(p, &access, keys)
	return []Access{access}
}

func (l redisLibrary) script(p *Result, call ssa.CallInstruction, fn *types.Func, args []ssa.Value) []Access {
	switch fn.Name() {
	case "Run", "Eval", "EvalSha":
	default:
		return nil
	}
	list := l.evaluated(p, call, at(args, 1))
	list[0].Executor.Value = redisClient(at(args, 0))
	return list
}

// watched reports whether a function runs under WATCH: it, or a function that holds it, was given the transaction of Watch.
func watched(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, parameter := range fn.Params {
			declaring := named(parameter.Type())
			if declaring != nil && declaring.Obj().Name() == "Tx" && isRedisPath(packagePath(declaring.Obj())) {
				return true
			}
		}
	}
	return false
}

// transaction: none of SQL's kind, but the functions given to Watch and to pipelines run at once.
func (redisLibrary) transaction(_ *Result, call ssa.CallInstruction, fn *types.Func) *event {
	if !isRedisPath(packagePath(fn)) {
		return nil
	}
	switch fn.Name() {
	case "Watch", "Pipelined", "TxPipelined":
	default:
		return nil
	}
	for _, arg := range arguments(call) {
		if _, ok := arg.Type().Underlying().(*types.Signature); ok {
			return &event{kind: runs, plain: true, callback: arg, callbackTx: -1}
		}
	}
	return nil
}

func (redisLibrary) duplicate(types.Object) bool { return false }
