package templates

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func override(files map[string]string) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return folder
}

type schema struct {
	Version         int
	Table, Up, Down string
	Alone           bool
}

func TestLoad_Override(t *testing.T) {
	tests := []struct {
		name     string
		files    map[string]string
		up, down string // beginnings of what is rendered
	}{
		{"nothing", nil, "-- The keys table", "-- Undoing this step"},
		{"one block", map[string]string{"schema.sql.tmpl": `{{define "schema.up"}}mine {{.Version}}{{end}}`}, "mine 1", "-- Undoing this step"},
		{"a block with a helper", map[string]string{"schema.sql.tmpl": `{{define "note"}}helped{{end}}{{define "schema.up"}}{{template "note" .}}{{end}}`}, "helped", "-- Undoing this step"},
		{"other files are left alone", map[string]string{"README.md": "x", "notes.txt": "{{", "sub/x.tmpl": "{{"}, "-- The keys table", "-- Undoing this step"},
		{"functions", map[string]string{"schema.sql.tmpl": `{{define "schema.up"}}{{comment "a\nb"}}{{end}}`}, "-- a\n-- b", "-- Undoing this step"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, err := Load(override(test.files))
			if err != nil {
				t.Fatal(err)
			}
			for block, want := range map[string]string{"schema.up": test.up, "schema.down": test.down} {
				got, err := set.Render(block, schema{Version: 1, Down: "DOWN;"})
				if err != nil || !strings.HasPrefix(got, want) {
					t.Errorf("%s: got %q, %v; want %q", block, got, err, want)
				}
			}
		})
	}
}

func TestLoad_UnknownNames(t *testing.T) {
	_, err := Load(override(map[string]string{
		"shema.sql.tmpl":  "x",
		"guard.sql.tmpl":  `{{define "guard.upp"}}x{{end}}`,
		"schema.sql.tmpl": `{{define "schema.up"}}{{if .Version}}{{template "used" .}}{{end}}{{end}}{{define "used"}}{{end}}{{define "unused"}}{{end}}`,
	}))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"template shema.sql.tmpl: there is no template of that name; the names are guard.sql.tmpl, policy.html.tmpl, policy.md.tmpl, schema.sql.tmpl",
		`template guard.sql.tmpl: nothing uses the block "guard.upp"; the blocks are guard.about, `,
		`template schema.sql.tmpl: nothing uses the block "unused"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	var unknown *UnknownNameError
	if !errors.As(err, &unknown) {
		t.Errorf("%T is no *UnknownNameError", err)
	}
}

func TestLoad_SyntaxErrorsNameFileAndLine(t *testing.T) {
	_, err := Load(override(map[string]string{"policy.md.tmpl": "a\n{{if}}"}))
	if err == nil || !strings.Contains(err.Error(), "policy.md.tmpl:2") {
		t.Errorf("got %v", err)
	}
}

// A block of one kind is none of the other, and a file of blocks keeps the built-in page around them.
func TestLoad_KindsOfFilesHaveBlocksOfTheirOwn(t *testing.T) {
	for file, block := range map[string]string{"policy.html.tmpl": "policy.head", "policy.md.tmpl": "html.head", "schema.sql.tmpl": "html.footer"} {
		_, err := Load(override(map[string]string{file: `{{define "` + block + `"}}x{{end}}`}))
		if err == nil || !strings.Contains(err.Error(), "nothing uses the block") {
			t.Errorf("%s in %s: %v", block, file, err)
		}
	}
	set, err := Load(override(map[string]string{"policy.html.tmpl": `{{define "html.footer"}}<i title="{{.}}">{{.}}</i>{{end}}`}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Render("html.footer", `"<b>`)
	if err != nil || got != `<i title="&#34;&lt;b&gt;">&#34;&lt;b&gt;</i>` {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRender_Errors(t *testing.T) {
	set, err := Load(override(map[string]string{"schema.sql.tmpl": `{{define "schema.up"}}{{.Nothing}}{{end}}`}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Render("schema.up", schema{}); err == nil || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("got %v", err)
	}
	if _, err := set.Render("nothing", nil); err == nil {
		t.Error("an unknown block renders")
	}
}

// What is exported loads again, changes nothing, and is documented.
func TestExport_LoadsUnchanged(t *testing.T) {
	folder := map[string]string{}
	var documentation string
	for _, file := range Export() {
		folder[file.Name] = string(file.Content)
		if file.Name == readme {
			documentation = string(file.Content)
		}
	}
	if len(folder) != len(Names())+1 {
		t.Errorf("exported %d files of %d", len(folder), len(Names())+1)
	}
	exported, err := Load(override(folder))
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	data := schema{Version: 7, Table: "keys", Up: "UP;", Down: "DOWN;"}
	a, errA := exported.Render("schema.up", data)
	b, errB := builtin.Render("schema.up", data)
	if a != b || errA != nil || errB != nil {
		t.Errorf("%q, %v differs from %q, %v", a, errA, b, errB)
	}
	for _, name := range append(builtin.names(suffix), builtin.names(htmlSuffix)...) {
		short := strings.TrimSuffix(strings.TrimSuffix(name, ".up"), ".down")
		if !strings.Contains(documentation, "`"+name+"`") && !strings.Contains(documentation, "`"+short+".up`") && !strings.Contains(documentation, "## "+name) && !strings.Contains(documentation, " and "+name+"\n") {
			t.Errorf("README.md does not mention %s", name)
		}
	}
	if !slices.IsSorted(Names()) {
		t.Error("the names are not sorted")
	}
}

func TestLoad_IsSafeForConcurrentUse(t *testing.T) {
	set, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				if _, err := set.Render("schema.up", schema{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
