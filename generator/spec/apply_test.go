package spec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
)

func TestApplyOverlays(t *testing.T) {
	overlay, err := os.ReadFile("testdata/apply/overlay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spec.yaml", "spec.json"} {
		t.Run(name, func(t *testing.T) {
			got, err := ApplyOverlays("testdata/apply/"+name, Overlay{Name: "overlay.yaml", Content: overlay})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "testdata/apply/want-"+name, string(got))
			again := writeSpec(t, name, string(got))
			if _, found, err := Load(Options{File: again}); err != nil || found.Err() != nil {
				t.Error("the result does not load:", err, found)
			}
		})
	}
}

// Without overlays a document comes out as it went in, so far as its syntax leaves a choice.
func TestApplyOverlays_NothingToDo(t *testing.T) {
	for _, name := range []string{"testdata/apply/spec.yaml", "testdata/apply/want-spec.json"} {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ApplyOverlays(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s becomes\n%s", name, got)
		}
	}
}

func TestApplyOverlays_Aliases(t *testing.T) {
	file := writeSpec(t, "a.yaml", "openapi: 3.0.0\na: &x {k: 1}\nb: *x\nc: {<<: *x, l: 2}\n")
	got, err := ApplyOverlays(file, Overlay{Name: "o", Content: []byte(`{"overlay":"1.0.0","actions":[{"target":"$.b","update":{"k":2}}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if want := "openapi: 3.0.0\na: {k: 1}\nb: {k: 2}\nc: {k: 1, l: 2}\n"; string(got) != want {
		t.Errorf("got\n%s", got)
	}
}

func TestApplyOverlays_Refuses(t *testing.T) {
	file := writeSpec(t, "a.yaml", "openapi: 3.0.0\na: 1\nl: [1]\n")
	for _, test := range []struct{ name, overlay, want string }{
		{"not an overlay", "openapi: 3.0.0", "o.yaml:1:1: this is not an OpenAPI Overlay of version 1.0 or 1.1 (overlay)"},
		{"other version", "overlay: 2.0.0\nactions: []", "o.yaml:1:10: this is not an OpenAPI Overlay of version 1.0 or 1.1 (overlay)"},
		{"no actions", "overlay: 1.0.0", "o.yaml:1:1: an overlay needs a list of actions (overlay)"},
		{"no target", "overlay: 1.0.0\nactions: [{update: 1}]", "o.yaml:2:11: an overlay action needs a target, a JSONPath expression (overlay)"},
		{"no change", "overlay: 1.0.0\nactions: [{target: $.a}]", "o.yaml:2:11: the overlay action changes nothing (overlay)"},
		{"no JSONPath", "overlay: 1.0.0\nactions: [{target: paths, remove: true}]", `o.yaml:2:20: "paths" is not a JSONPath expression: unexpected identifier at position 1 (overlay)`},
		{"copy of nothing", "overlay: 1.1.0\nactions: [{target: $.a, copy: $.z}]", "o.yaml:2:31: the source $.z of a copy must select one node, it selects 0 (overlay)"},
		{"no YAML", "a: [", "o.yaml:"},
	} {
		_, err := ApplyOverlays(file, Overlay{Name: "o.yaml", Content: []byte(test.overlay)})
		var list diag.List
		if !errors.As(err, &list) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	if _, err := ApplyOverlays(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestOverlay_Actions(t *testing.T) {
	for _, test := range []struct{ name, document, actions, want string }{
		{"update merges objects and joins lists", `{"a":{"b":1,"l":[1]}}`, `[{"target":"$.a","update":{"l":[2],"c":{"d":3}}}]`, `{"a":{"b":1,"l":[1,2],"c":{"d":3}}}`},
		{"an entry is appended to a list", `{"l":[1]}`, `[{"target":"$.l","update":{"x":1}}]`, `{"l":[1,{"x":1}]}`},
		{"a list is joined to a list", `{"l":[1]}`, `[{"target":"$.l","update":[2,3]}]`, `{"l":[1,2,3]}`},
		{"a value is replaced", `{"a":1}`, `[{"target":"$.a","update":"x"}]`, `{"a":"x"}`},
		{"remove goes before update", `{"a":1,"b":2}`, `[{"target":"$.a","remove":true,"update":5}]`, `{"b":2}`},
		{"items of a list are removed", `{"l":[1,2,3,4]}`, `[{"target":"$.l[?@ > 2]","remove":true}]`, `{"l":[1,2]}`},
		{"by descendants", `{"a":{"x":1},"b":[{"x":2}]}`, `[{"target":"$..x","update":0}]`, `{"a":{"x":0},"b":[{"x":0}]}`},
		{"what is selected twice is removed once", `{"l":[1,1,2]}`, `[{"target":"$.l[0,0]","remove":true}]`, `{"l":[1,2]}`},
		{"actions build on each other", `{}`, `[{"target":"$","update":{"a":{}}},{"target":"$.a","update":{"b":1}}]`, `{"a":{"b":1}}`},
		{"copy", `{"a":{"x":1},"b":{"y":2}}`, `[{"target":"$.b","copy":"$.a","update":{"z":3}}]`, `{"a":{"x":1},"b":{"y":2,"x":1,"z":3}}`},
		{"a filter that looks at the root", `{"want":"p","o":[{"n":"p"},{"n":"q"}]}`, `[{"target":"$.o[?@.n == $.want]","update":{"hit":true}}]`, `{"want":"p","o":[{"n":"p","hit":true},{"n":"q"}]}`},
	} {
		file := writeSpec(t, "d.json", test.document)
		got, err := ApplyOverlays(file, Overlay{Name: "o.json", Content: []byte(`{"overlay":"1.1.0","actions":` + test.actions + `}`)})
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s %v, want %s", test.name, got, err, test.want)
		}
	}
}

// A real document comes out with the same meaning, and the overlay's comments do no harm in flow style.
func TestApplyOverlays_KeepsMeaning(t *testing.T) {
	for _, name := range []string{"adyen_CheckoutService-v71.yaml", "openai_openapi.yaml", "obie_vrp.yaml", "paypal_checkout_orders_v2.json"} {
		file := realSpec(t, name)
		got, err := ApplyOverlays(file)
		if err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		was, is := newSources().add(name, before), newSources().add(name, got)
		if was.parse() != nil || is.parse() != nil || string(rawJSON(was.root)) != string(rawJSON(is.root)) {
			t.Errorf("%s changes its meaning", name)
		}
		same := map[string]int{}
		for line := range strings.Lines(string(before)) {
			same[line]++
		}
		changed := 0
		for line := range strings.Lines(string(got)) {
			if same[line]--; same[line] < 0 {
				changed++
			}
		}
		t.Logf("%s: %d of %d lines differ", name, changed, strings.Count(string(before), "\n"))
	}
}

func TestApplyOverlays_CommentsInFlowStyle(t *testing.T) {
	file := writeSpec(t, "a.yaml", "openapi: 3.0.0\na: {k: 1, l: [1]} # kept\n")
	overlay := "overlay: 1.0.0\nactions:\n  - target: $.a\n    update:\n      # head\n      b: 1 # line\n      c:\n        # inner\n        - d # tail\n      # foot\n"
	got, err := ApplyOverlays(file, Overlay{Name: "o", Content: []byte(overlay)})
	if err != nil {
		t.Fatal(err)
	}
	f := newSources().add("a.yaml", got)
	if failure := f.parse(); failure != nil {
		t.Fatalf("%v in\n%s", failure, got)
	}
	if want := `{"openapi":"3.0.0","a":{"k":1,"l":[1],"b":1,"c":["d"]}}`; string(rawJSON(f.root)) != want {
		t.Errorf("got\n%s", got)
	}
	t.Logf("%s", got)
}
