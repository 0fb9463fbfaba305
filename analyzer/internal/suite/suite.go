package suite

import (
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// Shared are the passes of one suite.
type Shared struct {
	Config settings.Config // what the settings start from

	Settings  *analysis.Analyzer
	Ignores   *analysis.Analyzer
	KeyFlow   *analysis.Analyzer
	StoreFlow *analysis.Analyzer
}

// New makes the passes for a configuration.
func New(config settings.Config) *Shared {
	settingsPass := settings.New(config)
	return &Shared{
		Config:    config,
		Settings:  settingsPass,
		Ignores:   report.Ignores,
		KeyFlow:   keyflow.New(settingsPass),
		StoreFlow: storeflow.New(settingsPass),
	}
}

// Default has no configuration but the files that modules bring. The analyzers' Analyzer variables are made of it.
var Default = New(settings.Config{})

// Names are the analyzers that find bugs, by name: what a directive can name.
var Names = []string{"existsinsert", "keyscope", "keytx", "retrykey", "weakkey"}
