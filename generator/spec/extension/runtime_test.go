package extension

import (
	"net/http"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The answers that the built-in profile holds, for pages and overlays, are those that the runtime gives by itself:
// generated code leaves them out.
func TestBuiltin_AnswersAreTheRuntimes(t *testing.T) {
	op, found := readAll(parse(t, "{}"))
	if len(found.Errors()) > 0 {
		t.Fatal(found)
	}
	if got, want := op.Policy.Errors, runtime.DefaultErrors(); !reflect.DeepEqual(got, want) {
		t.Errorf("the profile has %+v, the runtime %+v", got, want)
	}
}

// What this package lets pass, the runtime serves: an extension without an error is never refused at the start of a
// service.
func TestResolve_RuntimeServes(t *testing.T) {
	engine, err := runtime.New(memstore.New(), func(*http.Request) (string, error) { return "somebody", nil }, runtime.WithRegion("eu"))
	if err != nil {
		t.Fatal(err)
	}
	serves := func(t interface{ Errorf(string, ...any) }, node *yaml.Node, text []byte) {
		op, found := readAll(node)
		if op.Decision != policy.Keyed || len(found.Errors()) > 0 {
			return
		}
		if err := engine.Register(&runtime.Operation{ID: "x", Method: "POST", Route: "/x", Policy: op.Policy}); err != nil {
			t.Errorf("%v\n%s\n%+v", err, text, op.Policy)
		}
	}
	for _, text := range []string{"true", "optional", "{}", "profile: stripe", fullForm, "replay: {header: ''}", "store: {body: false}", "key: {in: body, pointer: /id}", "scope: [account, region]",
		"replay: {as: current}", "{mode: lease, steps: [a], key: {required: false}}", "{mode: lease, downstream: [{name: a}, {name: b, format: uuid7}], lease: {duration: 2s, heartbeat: 1s}}",
		"{mode: lease, steps: [a, b], downstream: [{name: c, step: a}, {name: c, step: b}, {name: d, step: b}], store: {statuses: [2XX, 5XX]}}"} {
		serves(t, parse(t, text), []byte(text))
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := yaml.Marshal(drawExtension(t))
		if err != nil {
			t.Fatal(err)
		}
		serves(t, node(t, text), text)
	})
}
