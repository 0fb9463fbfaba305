package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/generator/migration"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/templates"
)

// Run reads the document and generates everything that the configuration asks for. The files are complete only when the
// error is nil and no finding is an error; there are none otherwise. ctx is looked at between two steps: a step of its own
// is computation, and short.
func Run(ctx context.Context, in Input) ([]output.File, diag.List, error) {
	set, err := templates.Load(in.Templates)
	if err != nil {
		return nil, nil, err
	}
	existing, err := in.existing()
	if err != nil {
		return nil, nil, err
	}
	doc, found, err := Load(in)
	if err != nil || found.Err() != nil {
		return nil, found, err
	}
	if ctx.Err() != nil {
		return nil, found, context.Cause(ctx)
	}

	in.progress("generating files")
	// Generated files name the document as the configuration does, from wherever idemgen is run.
	doc.SpecFile = in.Config.Spec
	if len(doc.Keyed()) == 0 {
		found = append(found, nothingKeyed(in))
	}
	rooms := []room{goPackage, migrations(existing, set), documents(set)}
	results := make([]result, len(rooms))
	var group sync.WaitGroup
	for i, generate := range rooms {
		group.Go(func() { results[i] = generate(in, doc) })
	}
	group.Wait()

	var files []output.File
	for _, r := range results {
		files = append(files, r.files...)
		found = append(found, r.found...)
		err = errors.Join(err, r.err)
	}
	found = found.Sorted()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || found.Err() != nil {
		return nil, found, err
	}
	return files, found, nil
}

// room is one generator with its options bound. Rooms only read the document, so they run side by side.
type room func(Input, *policy.Document) result

type result struct {
	files []output.File
	found diag.List
	err   error
}

func goPackage(in Input, doc *policy.Document) (r result) {
	if len(doc.Keyed()) == 0 {
		return r
	}
	r.files, r.found, r.err = gocode.Generate(doc, gocode.Options{
		Package: in.Config.Package, Dir: in.Config.Out, ModelsImport: in.Config.ModelsImport, Tests: in.Config.Tests,
	})
	return r
}

func documents(set *templates.Set) room {
	return func(in Input, doc *policy.Document) (r result) {
		docs := in.Config.Docs
		r.files, r.found, r.err = policydoc.Generate(doc, policydoc.Options{
			Markdown: docs.Markdown, HTML: docs.HTML, JSON: docs.JSON, Overlay: docs.Overlay, Templates: set,
		})
		return r
	}
}

func migrations(existing []migration.Existing, set *templates.Set) room {
	return func(in Input, doc *policy.Document) (r result) {
		want := in.Config.Migrations
		if want.Format == "" {
			r.found = unguarded(doc, want.Off)
			return r
		}
		o := migration.Options{
			Format: want.Format, Dir: want.Dir, Table: want.Table, Dialect: migration.Dialect(want.Dialect), Guards: migration.GuardStyle(want.Guards), Existing: existing, Tables: want.Tables, Steps: steps(want.Table),
			Now: in.Now, Templates: set,
		}
		r.files, r.found, r.err = migration.Generate(doc, o)
		r.found = in.fromHere(r.found, existing)
		if tables, all := migration.KnownTables(doc, o); !all {
			r.found = append(r.found, extension.CheckTables(doc, o.Dir, tables)...)
		}
		return r
	}
}

// unguarded reports guards where no migrations are written: their constraints would never be there. Migrations that were
// switched off on purpose are taken to be written by hand, so then it is a note.
func unguarded(doc *policy.Document, off bool) diag.List {
	severity := diag.Warning
	if off {
		severity = diag.Info
	}
	var found diag.List
	for _, op := range doc.Keyed() {
		for _, guard := range op.Policy.Guards {
			found = append(found, diag.Diagnostic{
				Rule: ruleNoMigrations, Severity: severity, Pos: guard.Pos,
				Message: fmt.Sprintf("no migrations are configured, so nothing creates this guard's constraint on the table %q", guard.Table),
				Hint: fmt.Sprintf("name your migration tool in idemgen.yaml (migrations: goose), or write migrations: false and add CONSTRAINT %s UNIQUE (%s) by hand",
					guard.Name(), strings.Join(guard.Columns, ", ")),
			})
		}
	}
	return found
}

// steps hands the store's schema to the room that writes it, which knows no store.
func steps(table string) []migration.Step {
	var steps []migration.Step
	for _, s := range pgstore.SchemaSteps(table) {
		steps = append(steps, migration.Step{Version: s.Version, Up: s.Up, Down: s.Down})
	}
	return steps
}

// existing reads the migrations folder; one that is not there yet is empty.
func (in Input) existing() ([]migration.Existing, error) {
	folder := in.Config.Migrations.Dir
	if in.Config.Migrations.Format == "" || in.Files == nil {
		return nil, nil
	}
	entries, err := fs.ReadDir(in.Files, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the migrations folder: %w", err)
	}
	var files []migration.Existing
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, err := fs.ReadFile(in.Files, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("cannot read the migrations folder: %w", err)
		}
		files = append(files, migration.Existing{Name: entry.Name(), Content: content})
	}
	return files, nil
}

// fromHere makes findings about files of the migrations folder name them as seen from the working directory.
func (in Input) fromHere(found diag.List, existing []migration.Existing) diag.List {
	names := map[string]bool{in.Config.Migrations.Dir: true}
	for _, file := range existing {
		names[path.Join(in.Config.Migrations.Dir, file.Name)] = true
	}
	for i := range found {
		if names[found[i].Pos.File] {
			found[i].Pos.File = filepath.ToSlash(in.path(found[i].Pos.File))
		}
	}
	return found
}

// nothingKeyed is what a first run on an untouched document needs to hear.
func nothingKeyed(in Input) diag.Diagnostic {
	return diag.Diagnostic{
		Rule: "nothing-keyed", Severity: diag.Warning, Pos: policy.Position{File: filepath.ToSlash(in.path(in.Config.Spec))},
		Message: "no operation is keyed, so there is no handler to generate",
		Hint:    "write x-idempotency: required on an operation, or let `idemgen init` write an overlay to start from",
	}
}
