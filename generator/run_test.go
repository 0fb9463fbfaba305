package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/generator/output"
)

const payments = `openapi: 3.1.0
info: {title: Payments, version: 1.0.0}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency:
        guard:
          - {table: payments, columns: [account_id, idem_key]}
      responses: {'201': {description: Paid}}
`

// folder holds a document, and is the working directory's child "api".
func folder(t *testing.T, document string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("api", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("api", "openapi.yaml"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
}

func configuration(t *testing.T, o config.Overrides) config.Config {
	t.Helper()
	o.Spec = "openapi.yaml"
	c, err := config.Default().With(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func input(t *testing.T, o config.Overrides, files fstest.MapFS) Input {
	t.Helper()
	return Input{Config: configuration(t, o), Dir: "api", Files: files, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func paths(files []output.File) string {
	var names []string
	for _, file := range files {
		names = append(names, file.Path)
	}
	return strings.Join(names, " ")
}

func TestRunGivesEverythingAskedFor(t *testing.T) {
	folder(t, payments)
	files, found, err := Run(context.Background(), input(t, config.Overrides{Out: "gen", Migrations: "goose:db"}, fstest.MapFS{}))
	if err != nil || found.Err() != nil {
		t.Fatal(err, found)
	}
	all := paths(files)
	for _, want := range []string{"gen/handlers.go", "db/00001_", "docs/idempotency.md", "docs/idempotency-policy.json", "docs/idempotency.published.overlay.yaml"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not among %s", want, all)
		}
	}
}

// Every file that may be replaced carries the marker, and every path is one that output takes: a plan is made of them.
func TestRunGivesWhatOutputTakes(t *testing.T) {
	folder(t, payments)
	files, _, err := Run(context.Background(), input(t, config.Overrides{Migrations: "atlas"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := output.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := dir.Plan(output.DefaultManifest, files); err != nil {
		t.Error(err)
	}
}

// Equal inputs give equal files: many times, at once, and from another working directory.
func TestRunIsDeterministic(t *testing.T) {
	folder(t, payments)
	render := func(in Input) string {
		files, _, err := Run(context.Background(), in)
		if err != nil {
			t.Error(err)
		}
		var all strings.Builder
		for _, file := range files {
			fmt.Fprintf(&all, "%s %d\n%s\n", file.Path, file.Policy, file.Content)
		}
		return all.String()
	}
	in := input(t, config.Overrides{Migrations: "goose"}, fstest.MapFS{})
	first := render(in)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if render(in) != first {
				t.Error("two runs differ")
			}
		})
	}
	group.Wait()
	t.Chdir("api")
	in.Dir = ""
	if render(in) != first {
		t.Error("runs from two working directories differ")
	}
}

func TestRunNumbersAfterWhatIsThere(t *testing.T) {
	folder(t, payments)
	files, _, err := Run(context.Background(), input(t, config.Overrides{Migrations: "goose:db"}, fstest.MapFS{
		"db/00041_accounts.sql":  {Data: []byte("-- +goose Up\nSELECT 1;\n")},
		"db/archive/00099_x.sql": {Data: []byte("-- +goose Up\nSELECT 1;\n")},
	}))
	if err != nil || !strings.Contains(paths(files), "db/00042_") {
		t.Errorf("%s, %v", paths(files), err)
	}
}

// Findings name files as seen from the working directory: those of the document as well as those of the migrations.
func TestFindingsAreSeenFromHere(t *testing.T) {
	folder(t, payments)
	in := input(t, config.Overrides{Migrations: "goose:db"}, fstest.MapFS{})
	files, _, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	issued := fstest.MapFS{}
	for _, file := range files {
		if strings.HasPrefix(file.Path, "db/") {
			issued[file.Path] = &fstest.MapFile{Data: append(file.Content, "-- edited\n"...)}
		}
	}
	in.Files = issued
	_, found, _ := Run(context.Background(), in)
	if found.Err() == nil {
		t.Fatal("an edited migration is not reported")
	}
	for _, d := range found {
		if d.Pos.File != "" && !strings.HasPrefix(d.Pos.File, "api/") {
			t.Errorf("%s", d.Error())
		}
	}
}

func TestErrorsInTheDocumentGiveNoFiles(t *testing.T) {
	folder(t, strings.Replace(payments, "guard:", "gard:", 1))
	files, found, err := Run(context.Background(), input(t, config.Overrides{}, nil))
	if err != nil || len(files) > 0 || found.Err() == nil {
		t.Errorf("%d files, %v, %v", len(files), found, err)
	}
	if at := found[0].Pos; at.File != "api/openapi.yaml" || at.Line != 8 {
		t.Errorf("at %v", at)
	}
}

func TestNothingKeyed(t *testing.T) {
	folder(t, "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n")
	files, found, err := Run(context.Background(), input(t, config.Overrides{Migrations: "goose"}, fstest.MapFS{}))
	if err != nil || found.Err() != nil || len(found) == 0 || found[0].Rule != "nothing-keyed" {
		t.Errorf("%v, %v", found, err)
	}
	if got := paths(files); strings.Contains(got, ".go") || strings.Contains(got, ".sql") {
		t.Errorf("files %s", got)
	}
}

func TestTroubleIsAnError(t *testing.T) {
	folder(t, payments)
	in := input(t, config.Overrides{Migrations: "goose"}, fstest.MapFS{})

	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Run(canceled, in); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	without := in
	without.Config.Spec = ""
	if _, _, err := Run(context.Background(), without); !errors.Is(err, ErrNoSpec) {
		t.Errorf("no spec: %v", err)
	}
	absent := in
	absent.Config.Spec = "none.yaml"
	if _, _, err := Run(context.Background(), absent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such spec: %v", err)
	}
	wrong := in
	wrong.Templates = fstest.MapFS{"polici.md.tmpl": {}}
	if _, _, err := Run(context.Background(), wrong); err == nil {
		t.Error("an unknown template is not reported")
	}
	if _, _, err := Apply(wrong, ""); err == nil {
		t.Error("an unknown template is not reported by Apply")
	}
	overlay := in
	overlay.Config.Overlays = []string{"none.yaml"}
	if _, _, err := Apply(overlay, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such overlay: %v", err)
	}
	file := in
	file.Files = fstest.MapFS{"migrations": {Data: []byte("a file")}}
	if _, _, err := Run(context.Background(), file); err == nil {
		t.Error("a migrations folder that is a file is not reported")
	}
}

func TestProgressSaysWhatIsDone(t *testing.T) {
	folder(t, payments)
	var said []string
	in := input(t, config.Overrides{}, nil)
	in.Progress = func(what string) { said = append(said, what) }
	if _, _, err := Run(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(said, "; "); got != "reading openapi.yaml; generating files" {
		t.Errorf("said %q", got)
	}
}

// A guard that nobody creates a constraint for is told of at its place: a promise that the database does not keep.
func TestRunTellsOfGuardsWithoutMigrations_G1(t *testing.T) {
	folder(t, payments)
	rules := func(o config.Overrides, tables ...string) string {
		t.Helper()
		in := input(t, o, fstest.MapFS{"migrations/00001_accounts.sql": {Data: []byte("CREATE TABLE accounts ();")}})
		in.Config.Migrations.Tables = tables
		_, found, err := Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, d := range found {
			all = append(all, string(d.Severity)+" "+d.Pos.String()+" "+d.Rule)
		}
		return strings.Join(all, ", ")
	}
	for _, test := range []struct {
		migrations string
		tables     []string
		want       string
	}{
		{"", nil, "warning api/openapi.yaml:9:13 guard-without-migrations"},
		{"none", nil, "info api/openapi.yaml:9:13 guard-without-migrations"},
		{"goose", nil, "warning api/openapi.yaml:9:13 guard-table-unknown"},
		{"goose", []string{"payments"}, ""},
	} {
		if got := rules(config.Overrides{Migrations: test.migrations}, test.tables...); got != test.want {
			t.Errorf("migrations %q: %s, want %s", test.migrations, got, test.want)
		}
	}
}
