package storeflow

import (
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// New gives the pass whose result is a [*Result]. settingsPass is the suite's pass of package settings.
func New(settingsPass *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "idemvetstoreflow",
		Doc:      "find what functions do to stores",
		Requires: []*analysis.Analyzer{program.Analyzer, settingsPass},
		Run: func(pass *analysis.Pass) (any, error) {
			return run(pass, pass.ResultOf[settingsPass].(*settings.Config)), nil
		},
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{new(Accesses), new(Role), new(Stores), new(TableName)},
	}
}

// Accesses is the fact of a function: what it does to stores, at most [MaxAccesses] of them, in source order.
type Accesses struct{ List []Access }

// MaxAccesses bounds a fact.
const MaxAccesses = 24

// maxListed bounds what is told of one function in its own package.
const maxListed = 200

// Stores is the fact of a package that touches stores, or declares an interface of one, so that packages above it are worth a look.
type Stores struct{}

// AFact marks the facts.
func (*Accesses) AFact() {}
func (*Stores) AFact()   {}

// Result answers for one package. It is safe for concurrent use by the passes that require it: everything is worked out before the first of them runs.
type Result struct {
	program  *program.Package
	pass     *analysis.Pass
	relevant bool
	guards   map[string]bool

	functions map[*ssa.Function]*function
	calls     map[ssa.CallInstruction][]Access
	events    map[ssa.CallInstruction]*event
	runs      map[*ssa.Function]*running
	roles     map[*ssa.Function]*Role
	checks    map[ssa.Value][]ssa.Value // conditions that tell a duplicate apart -> the errors they look at
	found     map[*ssa.Function][]check
	ordered   map[*ssa.Function][]ssa.CallInstruction
	fields    map[*types.Var]ConnKind
	held      map[held]bool                        // filled by holdsPool
	handled   map[*ssa.Function]map[ssa.Value]bool // declared function -> calls whose error is looked at
	roleDepth int

	storedFields map[*types.Var][]ssa.Value // what the package stores in fields, once somebody asks

	mu     sync.Mutex
	places map[place]ssa.Value
}

// function is what is known of a function of the package.
type function struct {
	list         []Access // in terms of the function
	out          []Access // in terms of its callers
	transactions []Transaction
	working      bool
	cyclic       bool
}

// Relevant reports whether anything in the package can touch a store; analyzers return at once when it is false.
func (p *Result) Relevant() bool { return p.relevant }

// Accesses gives what fn does itself and through what it calls, in source order. Literals that run in place (a transaction's callback, a deferred or called literal) count as part of fn; literals that are handed on do not.
func (p *Result) Accesses(fn *ssa.Function) []Access {
	if known := p.functions[fn]; known != nil {
		return known.list
	}
	return nil
}

// Of gives what one call does.
func (p *Result) Of(call ssa.CallInstruction) []Access { return p.calls[call] }

// Transactions gives the transactions that fn starts or was given.
func (p *Result) Transactions(fn *ssa.Function) []Transaction {
	if known := p.functions[fn]; known != nil {
		return known.transactions
	}
	return nil
}
