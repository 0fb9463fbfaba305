package keyflow

import (
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// New gives the pass whose result is a [*Result]. settingsPass is the suite's pass of package settings.
func New(settingsPass *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "idemvetkeyflow",
		Doc:      "find where idempotency keys come from and where they go",
		Requires: []*analysis.Analyzer{program.Analyzer, report.Ignores, settingsPass},
		Run: func(pass *analysis.Pass) (any, error) {
			return run(pass, pass.ResultOf[settingsPass].(*settings.Config))
		},
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{new(Mints), new(SendsKey), new(Retries), new(Touches)},
	}
}

// Result answers for one package. It is safe for concurrent use by the passes that require it.
type Result struct {
	// Sends are the places where a value becomes an idempotency key, in source order. It is nil for a package that the gate turned away.
	Sends []*Send

	pass    *analysis.Pass // of keyflow: facts belong to it
	program *program.Package
	config  *settings.Config
	names   *names.Set
	report  *report.Reporter

	mu        sync.Mutex // guards the maps below once run has returned
	summaries map[*ssa.Function]*summary
	loops     map[*ssa.Function][]*Region
	traced    map[place][]Origin // of what was asked since a summary changed
}

func run(pass *analysis.Pass, config *settings.Config) (*Result, error) {
	r := &Result{
		pass:      pass,
		program:   program.Of(pass),
		config:    config,
		names:     names.Of(config),
		summaries: map[*ssa.Function]*summary{},
		loops:     map[*ssa.Function][]*Region{},
		traced:    map[place][]Origin{},
	}
	if !r.relevant() {
		return r, nil
	}
	r.report = report.NewFor(pass, config, "retrykey")
	r.summarise()
	r.exportFacts()
	for _, fn := range r.program.Functions() {
		r.Sends = append(r.Sends, r.sendsOf(fn)...)
	}
	return r, nil
}

// KeyOf tells what is known of the keys that a function sends which is given to another one to be called; nil for nothing.
func (r *Result) KeyOf(callee program.Callee) *SendsKey {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sendsKey(callee)
}

// Origins tells where a value comes from: what was minted, the parameters, counters and other values that it is made of. Field is that of a struct, "" for the value itself.
func (r *Result) Origins(v ssa.Value, field string) []Origin {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.origins(v, field)
}

// object gives the declared function behind an SSA function, nil for literals.
func object(fn *ssa.Function) *types.Func {
	declared, _ := fn.Object().(*types.Func)
	if declared == nil {
		return nil
	}
	return declared.Origin()
}

// isHouse reports whether a function is named in a list of the configuration.
func isHouse(list []string, fn *types.Func) bool {
	return len(list) > 0 && fn != nil && slices.Contains(list, settings.FunctionName(fn))
}
