package keyscope

import (
	_ "embed"
	"reflect"

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

// New gives the analyzer over the passes of a suite.
func New(shared *suite.Shared) *analysis.Analyzer {
	lookups := lookupPass(shared)
	return &analysis.Analyzer{
		Name:     "keyscope",
		Doc:      report.Doc(doc, "keyscope"),
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/keyscope.md",
		Requires: []*analysis.Analyzer{report.Ignores, shared.Settings, lookups},
		Run: func(pass *analysis.Pass) (any, error) {
			run(pass, pass.ResultOf[shared.Settings].(*settings.Config), pass.ResultOf[lookups].(*checker))
			return nil, nil
		},
	}
}

// lookupPass finds the look-ups of a package and tells the packages above of those that their callers decide.
func lookupPass(shared *suite.Shared) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "idemvetlookups",
		Doc:        "find look-ups of idempotency records by the key alone",
		Requires:   []*analysis.Analyzer{program.Analyzer, report.Ignores, shared.Settings, shared.StoreFlow},
		FactTypes:  []analysis.Fact{new(LooksUp)},
		ResultType: reflect.TypeFor[*checker](),
		Run: func(pass *analysis.Pass) (any, error) {
			return find(pass, pass.ResultOf[shared.Settings].(*settings.Config), pass.ResultOf[shared.StoreFlow].(*storeflow.Result)), nil
		},
	}
}

// LooksUp is the fact of a function that looks records up by one of its parameters and nothing that says whose they are.
type LooksUp struct{ List []Lookup }

// Lookup is one look-up, or claim, of a record.
type Lookup struct {
	Param  int    // the parameter that is the key, counted without the receiver
	Table  string // or the shape of the key in Redis
	Column string // empty in Redis
	Claim  bool   // an insert that conflicts on the key
	Path   []string
}

// AFact marks the fact.
func (*LooksUp) AFact() {}

// maxLookups bounds a fact, maxPath the functions that a message names.
const (
	maxLookups = 8
	maxPath    = 6
)

// find is nil for a package that touches no store.
func find(pass *analysis.Pass, config *settings.Config, stores *storeflow.Result) *checker {
	if !stores.Relevant() {
		return nil
	}
	c := &checker{
		pass: pass, program: program.Of(pass), stores: stores, names: names.Of(config),
		ignores: report.NewFor(pass, config, "keyscope"), summaries: map[*ssa.Function]*summary{},
	}
	for _, fn := range c.program.Functions() {
		c.summary(fn)
		c.export(fn)
	}
	return c
}

func run(pass *analysis.Pass, config *settings.Config, c *checker) {
	reporter := report.New(pass, config)
	defer reporter.Close()
	if c == nil {
		return
	}
	functions := c.program.Functions()
	c.findOwned(functions)
	for _, fn := range functions {
		c.report(fn, reporter)
	}
}
