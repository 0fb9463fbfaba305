package storeflow

import (
	"bytes"
	"encoding/gob"
	"os"
	"reflect"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
)

// TestGateAndFacts: a package that touches no store is not translated, nor is the standard library or a library in the table; and every fact of the others survives the trip between processes and stays within its bounds.
func TestGateAndFacts(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: vettest.Dir(), Env: append(os.Environ(), "GOWORK=off")},
		"database/sql", "net/http", "github.com/lib/pq", "./storeflow/gate", "./storeflow/layered/...")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Skip("the libraries of analyzer/testdata cannot be loaded: ", err)
	}
	stores := New(settings.New(settings.Config{}))
	looker := &analysis.Analyzer{
		Name: "looker", Doc: "tell whether the SSA form was built",
		Requires:   []*analysis.Analyzer{stores, program.Analyzer},
		ResultType: reflect.TypeFor[bool](),
		Run:        func(pass *analysis.Pass) (any, error) { return program.Of(pass).Built(), nil },
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{looker}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"database/sql": false, "net/http": false, "github.com/lib/pq": false,
		"example.com/idemvet/storeflow/gate":            false,
		"example.com/idemvet/storeflow/layered/rows":    true,
		"example.com/idemvet/storeflow/layered/house":   true,
		"example.com/idemvet/storeflow/layered/keys":    true,
		"example.com/idemvet/storeflow/layered/service": true,
	}
	facts := 0
	for action := range graph.All() {
		switch action.Analyzer {
		case looker:
			if built, ok := want[action.Package.PkgPath]; ok && action.Result.(bool) != built {
				t.Errorf("SSA form of %s built: %t", action.Package.PkgPath, !built)
			}
		case stores:
			for _, fact := range action.AllObjectFacts() {
				facts++
				checkFact(t, fact.Object.String(), fact.Fact)
			}
		}
	}
	if facts == 0 {
		t.Error("no facts at all")
	}
}

func checkFact(t *testing.T, of string, fact analysis.Fact) {
	t.Helper()
	var wire bytes.Buffer
	if err := gob.NewEncoder(&wire).Encode(fact); err != nil {
		t.Errorf("%s: %v", of, err)
		return
	}
	if wire.Len() > 32<<10 {
		t.Errorf("the fact of %s takes %d bytes", of, wire.Len())
	}
	back := reflect.New(reflect.TypeOf(fact).Elem()).Interface()
	if err := gob.NewDecoder(&wire).Decode(back); err != nil {
		t.Errorf("%s: %v", of, err)
	}
	switch fact := fact.(type) {
	case *Accesses:
		if len(fact.List) == 0 || len(fact.List) > MaxAccesses {
			t.Errorf("%s has %d accesses", of, len(fact.List))
		}
		for _, access := range fact.List {
			if len(access.Path) > maxPath || access.Call != nil || access.SQL != nil || access.Executor.Value != nil {
				t.Errorf("%s: %+v", of, access)
			}
		}
	case *Role:
		if len(fact.Binds) > maxBindings {
			t.Errorf("%s binds %d", of, len(fact.Binds))
		}
	}
}
