package config

import (
	"go/token"
	"path"
	"strings"

	"github.com/idemgen/idemgen/generator/migration"
)

// FileName is the file that a run looks for when it is told no other.
const FileName = "idemgen.yaml"

// The defaults of members that are left out.
const (
	DefaultOut      = "internal/idempotency"
	DefaultPackage  = "idempotency"
	DefaultTable    = migration.DefaultTable
	DefaultDocsDir  = "docs"
	DefaultMarkdown = "idempotency.md"
	DefaultHTML     = "idempotency.html"
	DefaultJSON     = "idempotency-policy.json"
	DefaultOverlay  = "idempotency.published.overlay.yaml"
)

// Config is what a run reads and where its outputs go. Paths are slash-separated and relative to the folder of the
// configuration file; Spec, Overlays, Profiles, Root and Templates, which are only read, may lead out of it or be absolute.
type Config struct {
	// Spec is the OpenAPI document. Overlays are OpenAPI Overlay files, applied to it in this order.
	Spec     string
	Overlays []string
	// Profiles are files that each hold a profile of the user's own.
	Profiles []string
	// Root is the folder that holds every file the document refers to; empty: the document's own folder.
	Root string

	// Out is the folder of the Go package and Package its name.
	Out, Package string
	// ModelsImport is the import path of a package that has the models already; empty: they are generated.
	ModelsImport string
	// Tests asks for a test file that sends each operation twice.
	Tests bool

	Migrations Migrations
	Docs       Docs

	// Templates is a folder of templates that replace the built-in ones of the same name; empty when there is none.
	Templates string
	// Strict makes problems anywhere in the spec errors, not only those in what is generated.
	Strict bool
	// AcceptDeclared takes every key parameter that the spec declares as a decision.
	AcceptDeclared bool
}

// Migrations says which SQL files are wanted.
type Migrations struct {
	// Format is a migration tool's; empty: no migrations are written. An issued migration is for good, so none is
	// written before a format was chosen. Off is true where they were switched off, and not only left out: what a guard
	// asks of the database is then made elsewhere.
	Format string
	Off    bool
	// Dir is the folder they go to, Table the keys table, "name" or "schema.name".
	Dir, Table string
	// Dialect is the database's, one of migration.Dialects.
	Dialect string
	// Guards is how constraints are added to business tables: "constraint", in one statement, or "concurrent", without
	// blocking writes, in two files.
	Guards string
	// Tables are business tables that are created elsewhere, "name" or "schema.name": a guard on one of them does not wait
	// for a migration in Dir that creates it.
	Tables []string
}

func (m *Migrations) off() { m.Format, m.Off = "", true }

// Docs says which documents are wanted: a path each, empty for one that is left out. Dir is the folder of those that the
// configuration gives no path.
type Docs struct {
	Dir                           string
	Markdown, HTML, JSON, Overlay string
}

// leftOut stands for a document that is switched off until Complete; an empty path is one that nothing was said of.
const leftOut = "-"

// Default is a Config with every default, and no spec.
func Default() Config {
	return Config{
		Out:        DefaultOut,
		Migrations: Migrations{Table: DefaultTable, Dialect: string(migration.Postgres), Guards: string(migration.AddConstraint)},
		Docs:       Docs{Dir: DefaultDocsDir},
	}
}

// DefaultMigrationsDir is the folder that a tool looks for by custom, for those that have one.
func DefaultMigrationsDir(format string) string {
	if format == "dbmate" {
		return "db/migrations"
	}
	return "migrations"
}

// complete fills in the defaults that follow from other members, once flags have had their say.
func (c Config) complete() Config {
	if c.Package == "" {
		c.Package = packageFor(c.Out)
	}
	if c.Migrations.Format != "" && c.Migrations.Dir == "" {
		c.Migrations.Dir = DefaultMigrationsDir(c.Migrations.Format)
	}
	for _, document := range []struct {
		file *string
		name string
	}{{&c.Docs.Markdown, DefaultMarkdown}, {&c.Docs.HTML, DefaultHTML}, {&c.Docs.JSON, DefaultJSON}, {&c.Docs.Overlay, DefaultOverlay}} {
		switch *document.file {
		case leftOut:
			*document.file = ""
		case "":
			*document.file = path.Join(c.Docs.Dir, document.name)
		}
	}
	return c
}

// packageFor makes a package name of the last part of a folder, as Go's custom is: lower case, no punctuation.
func packageFor(out string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(path.Base(out)))
	if checkPackage(name) != nil {
		return DefaultPackage
	}
	return name
}

// checkPackage reports why name cannot be the generated package's name.
func checkPackage(name string) error {
	switch {
	case !token.IsIdentifier(name) || name == "_":
		return problem("%q is not a Go package name", name)
	case name == "main":
		return problem("package main cannot be imported, so nothing could use the generated handlers")
	case strings.HasSuffix(name, "_test"):
		return problem("%q is a name for tests only", name)
	}
	return nil
}
