package config

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/migration"
)

// problem is what is wrong with one value; the caller knows where it stands.
func problem(format string, args ...any) error { return fmt.Errorf(format, args...) }

// checkInput accepts any path that can be read; where it may lead is up to the user who wrote it.
func checkInput(name string) error {
	switch {
	case name == "":
		return problem("the path is empty")
	case strings.ContainsFunc(name, unicode.IsControl):
		return problem("%q has a control character", name)
	case strings.Contains(name, "://"):
		return problem("%q is a URL, and idemgen reads files only, so that a run is the same tomorrow", name)
	}
	return nil
}

// checkOutput accepts a path within the folder of the configuration file, for output goes nowhere else. It is returned as
// it is compared everywhere else: clean, without a trailing slash.
func checkOutput(name string) (string, error) {
	if err := checkInput(name); err != nil {
		return "", err
	}
	clean := path.Clean(name)
	switch {
	case strings.ContainsRune(name, '\\'):
		return "", problem("%q has a backslash: paths are written with slashes", name)
	case path.IsAbs(clean):
		return "", problem("%q is absolute: outputs go to places below the configuration file", name)
	case !fs.ValidPath(clean):
		return "", problem("%q leaves the folder of the configuration file: move that file up to a folder that holds all outputs", name)
	}
	return clean, nil
}

func checkFormat(name string) error {
	return checkKnown("a migration format", name, migration.Formats())
}

func checkDialect(name string) error {
	return checkKnown("a database's dialect", name, migration.Dialects())
}

func checkKnown(what, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	if near := diag.Nearest(name, known); near != "" {
		return problem("%q is not %s; did you mean %q?", name, what, near)
	}
	return problem("%q is not %s; known are %s", name, what, strings.Join(known, ", "))
}

// A table name goes into SQL; what is accepted here needs no quoting there.
var tableName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$`)

func checkTable(name string) error {
	if !tableName.MatchString(name) {
		return problem("%q is not a table name: write name or schema.name in lower-case letters, digits and underscores", name)
	}
	return nil
}

// checkName accepts a table of the user's, which may have any name.
func checkName(name string) error {
	if name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return problem("%q is not a table name", name)
	}
	return nil
}

func checkGuards(style string) error {
	switch migration.GuardStyle(style) {
	case migration.AddConstraint, migration.Concurrent:
		return nil
	}
	return problem("%q is not a way to add guards: write %s or %s", style, migration.AddConstraint, migration.Concurrent)
}

var importPath = regexp.MustCompile(`^[A-Za-z0-9_~.\-]+(/[A-Za-z0-9_~.\-]+)*$`)

func checkImport(name string) error {
	if !importPath.MatchString(name) || strings.HasPrefix(name, ".") {
		return problem("%q is not an import path such as example.com/service/api", name)
	}
	return nil
}
