package weakkey_test

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/weakkey"
)

func TestAnalyzer(t *testing.T) {
	vettest.Run(t, weakkey.Analyzer, "./weakkey/clock", "./weakkey/constant/...", "./weakkey/content", "./weakkey/counter", "./weakkey/house/...", "./weakkey/mathrand", "./weakkey/person")
}

func TestSettings(t *testing.T) {
	config := settings.Config{KeyNames: []string{"x-once"}, Mints: []string{"example.com/idemvet/weakkey/configured.stamp"}}
	vettest.Run(t, weakkey.New(suite.New(config)), "./weakkey/configured")
}

func TestCases(t *testing.T) { vettest.Cases(t, "weakkey", 60) }
