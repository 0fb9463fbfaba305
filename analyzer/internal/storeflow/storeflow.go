package storeflow

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// New gives the pass whose result is a [*Result]. settingsPass is the suite's pass of package settings.
func New(settingsPass *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "idemvetstoreflow",
		Doc:        "find what functions do to stores",
		Requires:   []*analysis.Analyzer{program.Analyzer, settingsPass},
		Run:        run,
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{new(Accesses)},
	}
}

func run(pass *analysis.Pass) (any, error) { return &Result{program: program.Of(pass)}, nil }

// Accesses is the fact of a function: what it does to stores, at most [MaxAccesses] of them, in source order.
type Accesses struct{ List []Access }

// MaxAccesses bounds a fact.
const MaxAccesses = 24

// AFact marks Accesses as a fact.
func (*Accesses) AFact() {}

// Result answers for one package. It is safe for concurrent use by the passes that require it.
type Result struct {
	program *program.Package
}

// Relevant reports whether anything in the package can touch a store; analyzers return at once when it is false.
func (r *Result) Relevant() bool { return false }

// Accesses gives what fn does itself and through what it calls, in source order. Literals that run in place (a transaction's callback, a deferred or called literal) count as part of fn; literals that are handed on do not.
func (r *Result) Accesses(fn *ssa.Function) []Access { return nil }

// Of gives what one call does.
func (r *Result) Of(call ssa.CallInstruction) []Access { return nil }

// Transactions gives the transactions that fn starts or was given.
func (r *Result) Transactions(fn *ssa.Function) []Transaction { return nil }

// DuplicateCheck reports whether a condition tells a unique violation apart: errors.As with *pgconn.PgError and a look at Code, mongo.IsDuplicateKeyError, a helper whose fact says that it does.
func (r *Result) DuplicateCheck(condition ssa.Value) bool { return false }

// Fact gives what is known of a function of any package; nil when nothing is.
func (r *Result) Fact(fn *types.Func) *Accesses { return nil }
