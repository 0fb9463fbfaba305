// Package analyzer is idemvet: analyzers that find idempotency bugs in Go code, over go/analysis.
// What comes in is a configuration; what goes out are the analyzers, for any driver.
// It must never know which driver runs them.
package analyzer

import (
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/directive"
	"github.com/idemgen/idemgen/analyzer/existsinsert"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/analyzer/keyscope"
	"github.com/idemgen/idemgen/analyzer/keytx"
	"github.com/idemgen/idemgen/analyzer/retrykey"
	"github.com/idemgen/idemgen/analyzer/weakkey"
)

// Config is what a team can tell about its own code.
type Config = settings.Config

// Suite gives all analyzers, over one set of shared passes. Settings that are wrong make the analysis fail, with a message that says where; Config.Check tells before.
func Suite(config Config) []*analysis.Analyzer {
	shared := suite.New(config)
	return []*analysis.Analyzer{
		existsinsert.New(shared),
		keyscope.New(shared),
		keytx.New(shared),
		retrykey.New(shared),
		weakkey.New(shared),
		directive.New(shared),
	}
}
