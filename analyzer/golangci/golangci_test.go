package golangci_test

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	_ "github.com/idemgen/idemgen/analyzer/golangci"
)

func TestPlugin(t *testing.T) {
	build, err := register.GetPlugin("idemvet")
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := build(map[string]any{"mints": []any{"example.com/ids.New"}, "min-confidence": "low", "tests": true})
	if err != nil {
		t.Fatal(err)
	}
	if mode := plugin.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %s", mode)
	}
	analyzers, err := plugin.BuildAnalyzers()
	if err != nil || len(analyzers) < 6 {
		t.Fatalf("%d analyzers, %v", len(analyzers), err)
	}
	if err := analysis.Validate(analyzers); err != nil {
		t.Error(err)
	}
}

func TestPluginSettings(t *testing.T) {
	build, err := register.GetPlugin("idemvet")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build(nil); err != nil {
		t.Errorf("without settings: %v", err)
	}
	for want, settings := range map[string]any{
		"mint":                                map[string]any{"mint": []any{"a.B"}},
		"idemvet settings: mints[0]: \"New\"": map[string]any{"mints": []any{"New"}},
		"\"utter\" is not a confidence":       map[string]any{"min-confidence": "utter"},
		"cannot unmarshal string":             map[string]any{"tests": "yes"},
	} {
		if _, err := build(settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", settings, err)
		}
	}
}
