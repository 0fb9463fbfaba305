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
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return analyzer.Suite(p.config), nil }

// GetLoadMode asks for types of dependencies too: what is known of their functions is needed.
func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
