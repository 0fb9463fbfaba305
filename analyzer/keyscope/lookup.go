package keyscope

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// checker looks at the functions of one package.
type checker struct {
	pass      *analysis.Pass
	program   *program.Package
	stores    *storeflow.Result
	names     *names.Set
	ignores   *report.Reporter // asked only
	summaries map[*ssa.Function]*summary
	owned     map[string]token.Pos // tables whose records are written with an owner -> where
	owners    int                  // 1 when the package has a notion of whose a request is, -1 when not, 0 when nobody has looked
}

// summary is what a function looks up.
type summary struct {
	lookups []*lookup
	working bool
}

// lookup is a look-up in a function under analysis.
type lookup struct {
	Lookup
	pos    token.Pos
	direct bool // the statement stands here
	// ignored: a directive covers the statement, so callers are not told of it.
	ignored bool
	key     origin
}

// summary reads a function, callees first. In a circle, nothing is known of the function that closes it.
func (c *checker) summary(fn *ssa.Function) *summary {
	if known := c.summaries[fn]; known != nil {
		return known
	}
	s := &summary{working: true}
	c.summaries[fn] = s
	for _, call := range program.Calls(fn) {
		for _, access := range c.stores.Of(call) {
			if len(access.Path) == 0 && !access.Guessed {
				if found := c.direct(fn, access); found != nil {
					s.lookups = append(s.lookups, found)
				}
			}
		}
		s.lookups = append(s.lookups, c.through(call)...)
	}
	s.working = false
	return s
}

// direct looks at a statement of the function itself.
func (c *checker) direct(fn *ssa.Function, access storeflow.Access) *lookup {
	claim := access.Op == storeflow.Insert && access.Guard.Has(storeflow.OnConflict)
	if access.Op != storeflow.Read && !claim || access.Call == nil {
		return nil
	}
	found := &lookup{pos: access.Pos, direct: true}
	found.Table, found.Claim = access.Table, claim
	if access.Engine == storeflow.Redis {
		if !c.names.IsKeyPrefix(access.Table) || strings.Count(access.Table, "*") > 1 || access.Key == nil {
			return nil
		}
		found.key = c.originOf([]ssa.Value{access.Key})
		return c.unless(fn, found)
	}
	if !c.names.IsKeyTable(access.Table) || access.Partial {
		return nil
	}
	columns := access.Columns
	if claim {
		columns = access.Target
	}
	if found.Column = c.keyAlone(columns); found.Column == "" {
		return nil
	}
	statement, text := statementOf(access)
	if statement != nil && c.ownerInView(statement, text) {
		return nil
	}
	values := argumentsOf(access.Call)
	if value := valueOf(access, statement, found.Column); value != nil {
		values = []ssa.Value{value}
	}
	found.key = c.originOf(values)
	return c.unless(fn, found)
}

// unless drops a look-up whose key says whose it is, or after which the function looks whose the record is.
func (c *checker) unless(fn *ssa.Function, found *lookup) *lookup {
	if found.key.owner || c.asksOwner(fn) {
		return nil
	}
	found.Path = []string{c.place(found.pos)}
	found.ignored = c.ignores.Ignored(found.pos)
	return found
}

// through looks at what a callee looks up by what it is given.
func (c *checker) through(call ssa.CallInstruction) []*lookup {
	var out []*lookup
	callee := c.program.Callee(call.Common())
	for _, inner := range c.known(callee) {
		arg := argument(call, inner.Param)
		if arg == nil {
			continue
		}
		found := &lookup{Lookup: inner, pos: call.Pos(), key: c.originOf([]ssa.Value{arg})}
		if found.key.owner || c.asksOwner(call.Parent()) {
			continue
		}
		name := ""
		if callee.Func != nil {
			name = shortName(callee.Func.FullName())
		}
		found.Path = append([]string{c.place(call.Pos())}, inner.Path...)
		if len(found.Path) > 1 {
			found.Path[1] = name + " (" + strings.TrimSuffix(strings.TrimPrefix(inner.Path[0], "("), ")") + ")"
		}
		if len(found.Path) > maxPath {
			found.Path = found.Path[:maxPath]
		}
		out = append(out, found)
	}
	return out
}

// known gives the look-ups of a callee that its parameters decide.
func (c *checker) known(callee program.Callee) []Lookup {
	var list []Lookup
	switch {
	case callee.Body != nil:
		s := c.summary(callee.Body)
		if !s.working {
			list = s.public(callee.Body)
		}
	case callee.Func != nil && callee.Func.Pkg() != nil && callee.Func.Pkg() != c.pass.Pkg:
		var fact LooksUp
		if c.pass.ImportObjectFact(callee.Func, &fact) {
			list = fact.List
		}
	}
	return list
}

// public gives the look-ups that callers decide, in terms of the function's parameters.
func (s *summary) public(fn *ssa.Function) []Lookup {
	var out []Lookup
	for _, found := range s.lookups {
		if found.key.parameter == nil || found.key.parameter.Parent() != fn || found.key.request {
			continue
		}
		index := slices.Index(fn.Params, found.key.parameter)
		if fn.Signature.Recv() != nil {
			index--
		}
		if index < 0 || len(out) == maxLookups {
			continue
		}
		if found.ignored {
			continue
		}
		lookup := found.Lookup
		lookup.Param = index
		out = append(out, lookup)
	}
	return out
}

// argument gives an argument of a call, counted without the receiver.
func argument(call ssa.CallInstruction, index int) ssa.Value {
	common := call.Common()
	if !common.IsInvoke() && common.Signature().Recv() != nil {
		index++
	}
	if index < 0 || index >= len(common.Args) {
		return nil
	}
	return common.Args[index]
}

// argumentsOf gives all that a statement is made of, but for the context and its text.
func argumentsOf(call ssa.CallInstruction) []ssa.Value {
	common := call.Common()
	var out []ssa.Value
	for _, arg := range common.Args {
		if basic, ok := arg.Type().Underlying().(*types.Basic); ok && basic.Kind() == types.String {
			if _, known := program.Text(arg); known {
				continue
			}
		}
		if !isContext(arg.Type()) {
			out = append(out, arg)
		}
	}
	return out
}

func isContext(t types.Type) bool { return t.String() == "context.Context" }

// keyColumns are columns of a table of keys that hold the key.
var keyColumns = []string{"key", "_id", "idem", "token", "request_key", "key_hash", "hash"}

// besides are columns that narrow a look-up without saying whose the record is.
var besides = []string{"status", "state", "expires_at", "expiry", "deleted_at", "locked_at", "completed", "done"}

// keyAlone gives the column of the key when a look-up has no other that says whose it is; empty when it has, or when it is by something else.
func (c *checker) keyAlone(columns []string) string {
	key := ""
	for _, column := range columns {
		switch name := strings.ToLower(column); {
		case c.names.IsKey(name) || slices.Contains(keyColumns, name):
			key = column
		case slices.Contains(besides, name):
		default:
			return ""
		}
	}
	return key
}

// statementOf reads the text of an access where it is in view.
func statementOf(access storeflow.Access) (*sqltext.Statement, string) {
	var candidates []ssa.Value
	if access.SQL != nil {
		candidates = append(candidates, access.SQL)
	}
	candidates = append(candidates, access.Call.Common().Args...)
	for _, candidate := range candidates {
		if basic, ok := candidate.Type().Underlying().(*types.Basic); !ok || basic.Kind() != types.String {
			continue
		}
		text, ok := program.Text(candidate)
		if !ok {
			continue
		}
		for _, statement := range sqltext.Parse(text) {
			if strings.EqualFold(statement.Table.Table, access.Table) || len(statement.Tables) > 0 {
				return &statement, text
			}
		}
	}
	return nil, ""
}

// ownerInView reports whether the statement gives the owner back for a look afterwards, or is on a table or in a schema of the owner's.
func (c *checker) ownerInView(statement *sqltext.Statement, text string) bool {
	if statement.Verb == sqltext.Select && slices.ContainsFunc(statement.Columns, c.isOwner) {
		return true
	}
	if slices.ContainsFunc(statement.Returning, c.isOwner) {
		return true
	}
	for _, name := range append([]sqltext.Name{statement.Table}, statement.Tables...) {
		if strings.Contains(name.Schema, string(sqltext.Hole)) {
			return true
		}
		at := strings.Index(strings.ToLower(text), strings.ToLower(name.Table))
		if name.Table != "" && at > 1 && strings.Contains(text[max(at-3, 0):at], string(sqltext.Hole)) {
			return true
		}
	}
	return false
}

// valueOf finds the argument that a claim writes to the column of the key.
func valueOf(access storeflow.Access, statement *sqltext.Statement, column string) ssa.Value {
	if access.Op != storeflow.Insert || statement == nil || len(statement.Values) != len(statement.Columns) {
		return nil
	}
	at := slices.IndexFunc(statement.Columns, func(name string) bool { return strings.EqualFold(name, column) })
	if at < 0 {
		return nil
	}
	placeholder := strings.TrimSpace(statement.Values[at])
	index := -1
	switch {
	case strings.HasPrefix(placeholder, "$"):
		n, err := strconv.Atoi(placeholder[1:])
		if err != nil {
			return nil
		}
		index = n - 1
	case placeholder == "?":
		for _, value := range statement.Values[:at+1] {
			index += strings.Count(value, "?")
		}
	}
	args := access.Call.Common().Args
	if index < 0 || len(args) == 0 {
		return nil
	}
	elements := program.Elements(args[len(args)-1])
	if index >= len(elements) {
		return nil
	}
	return elements[index]
}

// place writes a position as "(file.go:12)".
func (c *checker) place(pos token.Pos) string {
	at := c.pass.Fset.Position(pos)
	return fmt.Sprintf("(%s:%d)", filepath.Base(at.Filename), at.Line)
}

func shortName(full string) string {
	prefix := ""
	if strings.HasPrefix(full, "(*") {
		prefix = "(*"
	} else if strings.HasPrefix(full, "(") {
		prefix = "("
	}
	full = strings.TrimPrefix(full, prefix)
	if slash := strings.LastIndexByte(full, '/'); slash >= 0 {
		full = full[slash+1:]
	}
	return prefix + full
}
