package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/schema"
)

// declaresStore reports whether the package declares an interface of a store.
func (p *Result) declaresStore() bool {
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if !storeName(name) {
			continue
		}
		if object, ok := scope.Lookup(name).(*types.TypeName); ok && types.IsInterface(object.Type()) {
			return true
		}
	}
	return false
}

// storeName reports whether a type is called like a store of rows.
func storeName(name string) bool {
	name = strings.ToLower(name)
	for _, sign := range []string{"repo", "repository", "repositories", "store", "storage", "dao", "queries", "querier", "persistence", "gateway", "datasource", "datastore"} {
		if strings.HasSuffix(name, sign) {
			return sign != "gateway"
		}
	}
	return strings.HasSuffix(name, "reader") && strings.Contains(name, "repo") || strings.HasSuffix(name, "writer") && strings.Contains(name, "repo")
}

// The first words of methods of stores. Upserts and saves arbitrate or not, nobody can tell; a save is taken for an insert, an upsert for one that is guarded.
var (
	readPrefixes   = []string{"find", "get", "fetch", "lookup", "load", "exists", "exist", "has", "select", "read", "count", "is", "check", "query"}
	insertPrefixes = []string{"create", "insert", "add", "save", "store", "put", "upsert", "record"}
	updatePrefixes = []string{"update", "set", "mark", "complete"}
	deletePrefixes = []string{"delete", "remove", "purge"}
)

// guess tells by its name what a method of a store's interface does whose body is not in view.
func (p *Result) guess(call ssa.CallInstruction, method *types.Func) []Access {
	of := named(call.Common().Value.Type())
	if of == nil || !types.IsInterface(of) || p.ofLibrary(method) || !storeName(of.Obj().Name()) || !canFail(method.Signature()) {
		return nil
	}
	verb, name := method.Name(), strings.ToLower(method.Name())
	access := Access{Engine: SQL, Guessed: true}
	signature := method.Signature()
	switch {
	case startsWith(verb, insertPrefixes), verb == "Set" && names.IsKeyTable(of.Obj().Name()):
		access.Op = Insert
		access.Entity = entityOf(signature.Params())
		if access.Entity == "" {
			access.Entity = entityOf(signature.Results())
		}
		if strings.Contains(name, "ifabsent") || strings.Contains(name, "ifnotexist") || strings.HasPrefix(name, "upsert") || strings.Contains(name, "onconflict") || strings.Contains(name, "orget") || strings.HasPrefix(name, "createor") || strings.Contains(name, "idempotent") {
			access.Guard |= OnConflict | ResultRead
		}
	case startsWith(verb, readPrefixes):
		access.Op = Read
		access.Entity = entityOf(signature.Results())
		access.Columns = columnsIn(method.Name())
		access.Always = strings.HasPrefix(name, "exists") || strings.HasPrefix(name, "has") || strings.HasPrefix(name, "count") || returnsBool(signature)
		if strings.Contains(name, "forupdate") {
			access.Guard |= ForUpdate
		}
		if strings.Contains(name, "orcreate") || strings.Contains(name, "orinsert") {
			access.Guard |= FirstOrCreate
		}
	case startsWith(verb, updatePrefixes):
		access.Op = Update
		access.Entity = entityOf(signature.Params())
	case startsWith(verb, deletePrefixes):
		access.Op = Delete
	default:
		return nil
	}
	access.Executor = p.guessedExecutor(call)
	return []Access{access}
}

// canFail: what cannot fail asks nobody over a network, whatever it is called.
func canFail(signature *types.Signature) bool {
	results := signature.Results()
	return results.Len() > 0 && types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
}

// guessedExecutor: a transaction among the arguments is what the method runs on, else what its receiver is bound to.
func (p *Result) guessedExecutor(call ssa.CallInstruction) Executor {
	for _, arg := range arguments(call) {
		if kind, _ := connection(arg.Type()); kind == UnknownConn {
			continue
		}
		if executor := p.executor(arg, "", UnknownConn); executor.Kind != UnknownConn {
			return executor
		}
	}
	executor := p.executor(receiver(call), "", UnknownConn)
	if executor.Value == nil {
		executor.Value = receiver(call)
	}
	return executor
}

// startsWith reports whether a name's first word is one of verbs: AddAccount starts with add, Address does not.
func startsWith(name string, verbs []string) bool {
	for _, verb := range verbs {
		if len(name) < len(verb) || !strings.EqualFold(name[:len(verb)], verb) {
			continue
		}
		if rest := name[len(verb):]; rest == "" || rest[0] < 'a' || rest[0] > 'z' {
			return true
		}
	}
	return false
}

func returnsBool(signature *types.Signature) bool {
	results := signature.Results()
	if results.Len() == 0 {
		return false
	}
	basic, ok := results.At(0).Type().Underlying().(*types.Basic)
	return ok && basic.Kind() == types.Bool
}

// entityOf gives the row's type among parameters or results: the first struct that is no connection and no option.
func entityOf(tuple *types.Tuple) string {
	for i := range tuple.Len() {
		t := tuple.At(i).Type()
		if slice, ok := t.Underlying().(*types.Slice); ok {
			t = slice.Elem()
		}
		n := named(t)
		if n == nil || n.Obj().Pkg() == nil {
			continue
		}
		if kind, _ := connection(n); kind != UnknownConn {
			continue
		}
		if _, ok := n.Underlying().(*types.Struct); !ok {
			continue
		}
		switch n.Obj().Pkg().Path() {
		case "time", "context", "math/big", "github.com/google/uuid", "github.com/shopspring/decimal":
			continue
		}
		return n.Obj().Pkg().Path() + "." + n.Obj().Name()
	}
	return ""
}

// columnsIn reads the columns out of FindByTenantAndKey.
func columnsIn(name string) []string {
	_, after, ok := strings.Cut(name, "By")
	if !ok || after == "" {
		return nil
	}
	var out []string
	after = strings.TrimSuffix(after, "ForUpdate")
	for _, part := range strings.Split(after, "And") {
		if column := schema.ColumnName(part); column != "" {
			out = append(out, column)
		}
	}
	return out
}
