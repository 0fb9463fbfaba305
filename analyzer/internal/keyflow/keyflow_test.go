package keyflow_test

import (
	"go/types"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/program"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
)

// facts are those of the cases of retrykey: what travels between packages.
var facts = map[string]string{
	"facts/gateway.Charge":         "sends own-random",
	"facts/gateway.send":           "sends own-random",
	"facts/gateway.ChargeWith":     "sends 3",
	"facts/ids.New":                "mints 0=random",
	"facts/ids.Prefixed":           "mints 0<-0 0=random",
	"facts/ids.Bytes":              "mints 0=random",
	"facts/ids.Hex":                "mints 0=random",
	"facts/ids.Or":                 "mints 0<-0 0=maybe-random",
	"facts/ids.Pointer":            "mints 0<-0",
	"facts/ids.NewRef":             "mints 0.Kind<-0 0.ID=random",
	"facts/ids.Next":               "mints 0<-0.prefix 0=random",
	"facts/pay.deep":               "sends own-random",
	"facts/pay.handed":             "sends own-random",
	"facts/pay.across":             "sends own-random",
	"facts/pay.withError":          "sends own-random",
	"facts/pay.member":             "sends own-random",
	"facts/pay.intoMember":         "sends own-random",
	"facts/pay.single":             "sends own-random",
	"facts/pay.noneGiven":          "sends own-random",
	"facts/pay.newRequest":         "sends own-random",
	"facts/pay.sameRequest":        "sends unless-0",
	"facts/pay.before":             "sends own-random",
	"facts/pay.givenOr":            "sends unless-2 2",
	"facts/pay.items":              "sends own-random",
	"facts/transport.Post":         "sends 2",
	"facts/transport.SetKey":       "sends 1",
	"facts/transport.PostFresh":    "sends own-random",
	"facts/transport.PostOr":       "sends unless-2 2",
	"facts/transport.Ensure":       "sends unless-0",
	"facts/transport.Do":           "sends 0.Ref",
	"helpers.post":                 "sends 1",
	"helpers.call":                 "sends own-random",
	"helpers.handedOn":             "sends own-random",
	"helpers.handedOnTwice":        "sends own-random",
	"helpers.generic":              "sends own-random",
	"helpers.method":               "sends own-random",
	"helpers.before":               "sends own-random",
	"helpers.each":                 "sends own-random",
	"helpers/again.Call":           "retries [1]",
	"helpers/again.Backoff":        "retries [1]",
	"helpers/again.Logged":         "retries [1]",
	"helpers/again.Value":          "retries [1]",
	"helpers/again.Run":            "retries [1]",
	"facts/absent.charge":          "sends unless-1 1.IdempotencyKey",
	"facts/absent.send":            "sends unless-0",
	"facts/absent.anew":            "sends own-random",
	"facts/absent.kept":            "sends own-random",
	"facts/absent.copies":          "sends 1.IdempotencyKey",
	"facts/absent.requests":        "sends own-random",
	"facts/absent.requestsWithKey": "sends 1",

	"helpers/again.Until":       "retries [0.Do]",
	"helpers/again.UntilCalled": "retries [0.Do]",
	"helpers/again.UntilDone":   "retries [0.Do]",
	"helpers.otherField":        "retries [1]",
}

func TestFacts(t *testing.T) {
	got := map[string]string{}
	pass := keyflow.New(settings.New(settings.Config{}))
	for _, action := range analyse(t, pass, "./retrykey/facts/...", "./retrykey/helpers/...") {
		for _, fact := range action.AllObjectFacts() {
			const root = "example.com/idemvet/retrykey/"
			fn, ok := fact.Object.(*types.Func)
			if !ok || !strings.HasPrefix(fn.Pkg().Path(), root) {
				continue
			}
			name := strings.TrimPrefix(fn.Pkg().Path(), root) + "." + fn.Name()
			text := fact.Fact.(interface{ String() string }).String()
			if before, ok := got[name]; ok && before != text {
				text = min(before, text) + "; " + max(before, text)
			}
			got[name] = text
		}
	}
	for name, want := range facts {
		if got[name] != want {
			t.Errorf("%s has the fact %q, not %q", name, got[name], want)
		}
	}
	for name, text := range got {
		if _, ok := facts[name]; !ok {
			t.Errorf("%s has the fact %q, and none was expected", name, text)
		}
	}
}

// analyse runs the pass over packages of analyzer/testdata and gives the actions of the packages asked for.
func analyse(t *testing.T, pass *analysis.Analyzer, patterns ...string) []*checker.Action {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: vettest.Dir()}, patterns...)
	if err != nil {
		t.Skip(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{pass}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			t.Fatal(action.Err)
		}
	}
	return graph.Roots
}

// TestGate: a package that has nothing to do with keys is not translated, however much it retries, nor is any package of the standard library.
func TestGate(t *testing.T) {
	flow := keyflow.New(settings.New(settings.Config{}))
	looker := &analysis.Analyzer{
		Name: "looker", Doc: "tell whether the SSA form was built",
		Requires:   []*analysis.Analyzer{flow, program.Analyzer},
		ResultType: reflect.TypeFor[bool](),
		Run:        func(pass *analysis.Pass) (any, error) { return program.Of(pass).Built(), nil },
	}
	want := map[string]bool{
		"net/http": false, "crypto/tls": false, "testing": false,
		"example.com/idemvet/retrykey/gate":          false,
		"example.com/idemvet/retrykey/loops":         true,
		"example.com/idemvet/retrykey/helpers":       true, // imports a retry helper
		"example.com/idemvet/retrykey/helpers/again": true, // is one
	}
	for _, action := range analyse(t, looker, "net/http", "crypto/tls", "testing", "./retrykey/gate", "./retrykey/loops", "./retrykey/helpers/...") {
		if built := action.Result.(bool); built != want[action.Package.PkgPath] {
			t.Errorf("SSA form of %s built: %t", action.Package.PkgPath, built)
		}
	}
}
