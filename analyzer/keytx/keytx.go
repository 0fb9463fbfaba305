package keytx

import (
	_ "embed"

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
	return &analysis.Analyzer{
		Name:     "keytx",
		Doc:      report.Doc(doc, "keytx"),
		URL:      "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/keytx.md",
		Requires: []*analysis.Analyzer{program.Analyzer, report.Ignores, shared.Settings, shared.StoreFlow},
		Run: func(pass *analysis.Pass) (any, error) {
			run(pass, pass.ResultOf[shared.Settings].(*settings.Config), pass.ResultOf[shared.StoreFlow].(*storeflow.Result))
			return nil, nil
		},
	}
}

func run(pass *analysis.Pass, config *settings.Config, stores *storeflow.Result) {
	reporter := report.New(pass, config)
	defer reporter.Close()
	if !stores.Relevant() {
		return
	}
	checker := &checker{pass: pass, stores: stores, names: names.Of(config), reporter: reporter}
	functions := program.Of(pass).Functions()
	checker.findPools(functions)
	for _, fn := range functions {
		if list := stores.Accesses(fn); len(list) > 0 && !checker.partOfParent(fn) {
			checker.check(fn, list)
		}
	}
}

// checker looks at the functions of one package.
type checker struct {
	pass     *analysis.Pass
	stores   *storeflow.Result
	names    *names.Set
	reporter *report.Reporter
	pools    map[poolField]bool
}

// partOfParent reports whether fn is a literal that runs in place, so that the function which holds it is told of its accesses.
func (c *checker) partOfParent(fn *ssa.Function) bool {
	parent := fn.Parent()
	if parent == nil {
		return false
	}
	for _, access := range c.stores.Accesses(parent) {
		if access.Call != nil && within(access.Call.Parent(), fn) {
			return true
		}
	}
	return false
}

// within reports whether fn is outer or a literal in it.
func within(fn, outer *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if fn == outer {
			return true
		}
	}
	return false
}

func (c *checker) check(fn *ssa.Function, list []storeflow.Access) {
	f := c.read(fn, list)
	if f.handler != nil {
		c.checkHandler(f)
		return
	}
	if len(f.works) == 0 {
		return
	}
	if len(f.keys) > 0 && c.judge(f) {
		return
	}
	c.judgeLost(f)
}
