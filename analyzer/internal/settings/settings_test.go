package settings

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

const full = `# everything
mints: [example.com/shop/ids.New]
retries:
  - (*example.com/shop/again.Policy).Do
key-names: [X-Our-Key]
key-tables: [seen]
guards: [example.com/shop/lock.With]
schema: ["db/*.sql", db/more/b.sql]
scope: [merchant_id]
at-least-once: true
tests: true
min-confidence: low
`

func TestDecode(t *testing.T) {
	got, err := Decode("f.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Mints: []string{"example.com/shop/ids.New"}, Retries: []string{"(*example.com/shop/again.Policy).Do"}, KeyNames: []string{"X-Our-Key"},
		KeyTables: []string{"seen"}, Guards: []string{"example.com/shop/lock.With"}, Schema: []string{"db/*.sql", "db/more/b.sql"},
		Scope: []string{"merchant_id"}, AtLeastOnce: true, Tests: true, MinConfidence: Low,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "{}"} {
		if got, err := Decode("f.yaml", []byte(empty)); err != nil || !reflect.DeepEqual(got, Config{}) {
			t.Errorf("%q: %+v, %v", empty, got, err)
		}
	}
}

// Every member of Config can be said in a file, under the name that its tags have.
func TestMembersAreAllOfConfig(t *testing.T) {
	names := map[string]bool{}
	for _, m := range members {
		names[m.name] = true
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		for _, tag := range []string{"json", "yaml"} {
			if name, _, _ := strings.Cut(field.Tag.Get(tag), ","); !names[name] {
				t.Errorf("%s: %s tag %q is no member", field.Name, tag, name)
			}
		}
	}
	if len(names) != reflect.TypeFor[Config]().NumField() {
		t.Errorf("%d members", len(names))
	}
}

func TestProblems(t *testing.T) {
	for content, want := range map[string]string{
		"mint: [a.B]":                    `f.yaml:1:1: the settings have no member "mint"; did you mean mints?`,
		"\nfoo: 1":                       `f.yaml:2:1: the settings have no member "foo"; known are mints, retries, guards, key-names, key-tables, scope, schema, at-least-once, tests, min-confidence`,
		"tests: yes please":              `f.yaml:1:8: tests has to be true or false`,
		"tests: true\ntests: false":      `f.yaml:2:1: tests is given twice, first in line 1; keep one`,
		"mints: a.B":                     `f.yaml:1:8: mints has to be a list`,
		"mints: [1]":                     `f.yaml:1:9: mints[0] has to be text`,
		"mints: [New]":                   `f.yaml:1:9: mints[0]: "New" is not the full name of a function: write example.com/shop/ids.New for a function and (*example.com/shop/store.Keys).Save for a method`,
		"mints: [example.com/ids.New()]": `f.yaml:1:9: mints[0]: "example.com/ids.New()" is not the full name of a function: write example.com/shop/ids.New for a function and (*example.com/shop/store.Keys).Save for a method`,
		"guards: [a.com/b.T.M]":          `f.yaml:1:10: guards[0]: "a.com/b.T.M" looks like a method: write (a.com/b.T).M, or (*a.com/b.T).M for a pointer receiver`,
		"schema: [../x.sql]":             `f.yaml:1:10: schema[0]: "../x.sql" has to be below the module's root, and is written with slashes`,
		"schema: ['[']":                  `f.yaml:1:10: schema[0]: "[" is not a glob such as db/migrations/*.sql`,
		"scope: ['']":                    `f.yaml:1:9: scope[0]: "" is not a name`,
		"min-confidence: utter":          `f.yaml:1:17: min-confidence: "utter" is not a confidence; write low, medium or high`,
		"[a]":                            `f.yaml:1:1: the settings have to be an object such as {tests: true}`,
		"{":                              `f.yaml:2:1: not readable as YAML: `,
		"a: 1\n---\nb: 2":                `f.yaml:1:1: the file holds more than one YAML document; keep one`,
	} {
		config, err := Decode("f.yaml", []byte(content))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q\ngot  %v\nwant %s", content, err, want)
		}
		if !reflect.DeepEqual(config, Config{}) {
			t.Errorf("%q: a refused file gave settings", content)
		}
	}
	_, err := Decode("f.yaml", []byte("a: 1\nb: 2\n"))
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 2 {
		t.Errorf("%d lines: %v", lines, err)
	}
}

func TestCheckOfAProgram(t *testing.T) {
	config, err := Decode("f.yaml", []byte(full))
	if err != nil || config.Check() != nil {
		t.Error(err, config.Check())
	}
	err = Config{Mints: []string{"a.B", "New"}, MinConfidence: "utter"}.Check()
	if err == nil || !strings.Contains(err.Error(), "idemvet settings: mints[1]: ") || !strings.Contains(err.Error(), "idemvet settings: min-confidence: ") {
		t.Error(err)
	}
}

func TestFunctionNames(t *testing.T) {
	for _, good := range []string{"fmt.Sprint", "example.com/a-b/c_d.v2.New", "gopkg.in/yaml.v3.Unmarshal", "(net/http.Header).Set", "(*database/sql.DB).Begin", "example.com/x.née"} {
		if err := checkFunction(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", ".", "New", "a/b", "a.b c", "(a.B)", "(a.B).", "*a.B.C", "(**a.B).C", "a.B[int]", "a.1"} {
		if checkFunction(bad) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// The name that a user reads in the documentation of a function is the one that settings compare.
func TestFunctionName(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/m\n\ngo 1.24\n", "a.go", "package m\n\ntype T[A, B any] struct{}\n\nfunc (*T[A, B]) M() {}\nfunc (T[A, B]) N() {}\nfunc F[A any]() {}\ntype I interface{ K() }\n")
	pkg := load(t, dir)
	object := func(name string) types.Object { return pkg.Types.Scope().Lookup(name) }
	for want, fn := range map[string]types.Object{
		"(*example.com/m.T).M": object("T").Type().(*types.Named).Method(0),
		"(example.com/m.T).N":  object("T").Type().(*types.Named).Method(1),
		"example.com/m.F":      object("F"),
		"(example.com/m.I).K":  object("I").Type().Underlying().(*types.Interface).Method(0),
	} {
		if got := FunctionName(fn.(*types.Func)); got != want || checkFunction(want) != nil {
			t.Errorf("got %q, want %q; %v", got, want, checkFunction(want))
		}
	}
}

func TestFileOfTheModule(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/m\n\ngo 1.24\n", "deep/er/a.go", "package er\n", FileName, "tests: true\nmints: [a.B]\n",
		"inner/go.mod", "module example.com/inner\n\ngo 1.24\n", "inner/a.go", "package inner\n")
	base := Config{Mints: []string{"c.D"}, MinConfidence: High}
	config, err := For(passOf(t, dir, "deep/er/a.go", nil), base)
	if want := (Config{Mints: []string{"c.D", "a.B"}, Tests: true, MinConfidence: High}); err != nil || !reflect.DeepEqual(*config, want) {
		t.Errorf("got %+v, %v", config, err)
	}
	if !reflect.DeepEqual(base.Mints, []string{"c.D"}) {
		t.Error("the base was changed")
	}
	for name, pass := range map[string]*analysis.Pass{
		"a module within is its own": passOf(t, dir, "inner/a.go", nil),
		"a dependency":               passOf(t, dir, "deep/er/a.go", &analysis.Module{Path: "example.com/m", Version: "v1.0.0"}),
	} {
		if config, err := For(pass, base); err != nil || !reflect.DeepEqual(*config, base) {
			t.Errorf("%s: %+v, %v", name, config, err)
		}
	}
	write(t, dir, FileName, "tets: true\n")
	config, err = For(passOf(t, dir, "deep/er/a.go", &analysis.Module{Path: "example.com/m"}), base)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, FileName)+`:1:1: the settings have no member "tets"; did you mean tests?`) || !reflect.DeepEqual(*config, base) {
		t.Errorf("%+v, %v", config, err)
	}
}

func TestConfidence(t *testing.T) {
	for _, c := range []struct {
		is, least Confidence
		want      bool
	}{{Low, "", false}, {Medium, "", true}, {High, "", true}, {Low, Low, true}, {Medium, High, false}, {High, High, true}} {
		if got := c.is.AtLeast(c.least); got != c.want {
			t.Errorf("%s at least %q: %t", c.is, c.least, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(full)
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, content string) {
		config, err := Decode("f.yaml", []byte(content))
		if err == nil && config.Check() != nil {
			t.Errorf("%q was accepted, and its values are not: %v", content, config.Check())
		}
	})
}

func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func load(t *testing.T, dir string) *packages.Package {
	t.Helper()
	found, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir}, ".")
	if err != nil || packages.PrintErrors(found) > 0 {
		t.Fatal(err)
	}
	return found[0]
}

func passOf(t *testing.T, dir, file string, module *analysis.Module) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	added := fset.AddFile(filepath.Join(dir, file), -1, 100)
	at := added.Pos(0)
	return &analysis.Pass{Fset: fset, Module: module, Files: []*ast.File{{FileStart: at, Package: at, FileEnd: at + 100}}}
}

// A settings file under a near name would be left aside in silence.
func TestMisnamedFile(t *testing.T) {
	for _, name := range []string{".idemvet.yml", "idemvet.yaml", ".idemvet.json"} {
		dir := t.TempDir()
		write(t, dir, "go.mod", "module example.com/m\n\ngo 1.24\n", "a.go", "package m\n", name, "{}\n")
		if _, err := For(passOf(t, dir, "a.go", nil), Config{}); err == nil || !strings.Contains(err.Error(), name+" is not read: call it .idemvet.yaml") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := For(passOf(t, dir, "a.go", &analysis.Module{Path: "example.com/m", Version: "v1.0.0"}), Config{}); err != nil {
			t.Errorf("%s of a dependency: %v", name, err)
		}
		write(t, dir, FileName, "tests: true\n")
		if config, err := For(passOf(t, dir, "a.go", nil), Config{}); err != nil || !config.Tests {
			t.Errorf("%s beside the right name: %v", name, err)
		}
	}
}
