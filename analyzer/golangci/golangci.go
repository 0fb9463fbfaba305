package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer"
)

func init() { register.Plugin("idemvet", New) }

// New makes the plugin from its settings, which have the members of .idemvet.yaml. Unknown members and wrong values are errors.
func New(conf any) (register.LinterPlugin, error) {
	config, err := register.DecodeSettings[analyzer.Config](conf)
	if err != nil {
		return nil, err
	}
	if err := config.Check(); err != nil {
		return nil, err
	}
	return plugin{config}, nil
}

type plugin struct{ config analyzer.Config }

// BuildAnalyzers gives the analyzers, which golangci-lint runs as one linter.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	analyzers := analyzer.Suite(p.config)
	for _, a := range analyzers {
		withoutRelated(a)
	}
	return analyzers, nil
}

// withoutRelated leaves the related positions out: golangci-lint makes an issue of each, which counts, and which the comment that rules out the finding does not reach. The messages name the lines.
func withoutRelated(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		inner := *pass
		inner.Report = func(d analysis.Diagnostic) {
			d.Related = nil
			pass.Report(d)
		}
		return run(&inner)
	}
}

// GetLoadMode asks for types of dependencies too: what is known of their functions is needed.
func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
