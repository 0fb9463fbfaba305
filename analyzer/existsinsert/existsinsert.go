package existsinsert

import (
	_ "embed"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
)

//go:embed doc.go
var doc string

// Analyzer is the analyzer with no configuration but the files that modules bring.
var Analyzer = New(suite.Default)

// Categories of findings, with what each costs in doc.go.
const (
	duplicatePossible = "duplicate-possible"
	conflictUnhandled = "conflict-unhandled"
	unsoundGuard      = "unsound-guard"
	processLocalGuard = "process-local-guard"
	claimAfterWork    = "claim-after-work"
)

// New gives the analyzer over the passes of a suite.
func New(shared *suite.Shared) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "existsinsert",
		Doc:      report.Doc(doc, "existsinsert"),
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/existsinsert.md",
		Requires: []*analysis.Analyzer{program.Analyzer, shared.Settings, shared.Ignores, shared.StoreFlow},
		Run: func(pass *analysis.Pass) (any, error) {
			config := pass.ResultOf[shared.Settings].(*settings.Config)
			reporter := report.New(pass, config)
			defer reporter.Close()
			stores := pass.ResultOf[shared.StoreFlow].(*storeflow.Result)
			if !stores.Relevant() {
				return nil, nil
			}
			inspection := newInspection(pass, config, stores, reporter)
			inspection.run()
			return nil, inspection.problem
		},
	}
}

// inspection is the work on one package.
type inspection struct {
	pass    *analysis.Pass
	config  *settings.Config
	names   *names.Set
	program *program.Package
	stores  *storeflow.Result
	report  *report.Reporter

	told     map[told]bool
	callers  map[*ssa.Function][]ssa.CallInstruction // filled by callersOf
	handles  map[*ssa.Function]bool                  // filled by tellsDuplicates
	meanings map[helperResult]meaning                // filled by helperMeaning
	tables   *tables                                 // filled by schema
	problem  error                                   // of the settings, found by schema
}

// told is what makes two findings one: a function and the literal in it see the same statements.
type told struct{ look, insert string }

func newInspection(pass *analysis.Pass, config *settings.Config, stores *storeflow.Result, reporter *report.Reporter) *inspection {
	return &inspection{
		pass:     pass,
		config:   config,
		names:    names.Of(config),
		program:  program.Of(pass),
		stores:   stores,
		report:   reporter,
		told:     map[told]bool{},
		handles:  map[*ssa.Function]bool{},
		meanings: map[helperResult]meaning{},
	}
}

// maxAccesses bounds the pairs of one function; a function with more of them is generated or a script.
const maxAccesses = 120

func (in *inspection) run() {
	for _, fn := range in.program.Functions() {
		accesses := in.stores.Accesses(fn)
		if len(accesses) == 0 || len(accesses) > maxAccesses {
			continue
		}
		answered := map[ssa.CallInstruction][]ssa.CallInstruction{} // looks and the inserts that hang on them
		for i := range accesses {
			insert := &accesses[i]
			if insert.Op != storeflow.Insert || insert.Call == nil {
				continue
			}
			if in.statement(insert) {
				continue
			}
			look := in.lookBefore(accesses, i)
			if look == nil || slices.ContainsFunc(answered[look.Call], func(first ssa.CallInstruction) bool { return comesBefore(first, insert.Call) }) {
				continue // nothing, or a further row after the one that was looked for
			}
			answered[look.Call] = append(answered[look.Call], insert.Call)
			in.judge(fn, accesses, look, insert)
		}
	}
}
