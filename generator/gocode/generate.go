package gocode

import (
	"errors"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Options says what package is generated and where it stands.
type Options struct {
	// Package is the generated package's name.
	Package string
	// Dir is the package's folder, slash-separated and relative to the configuration file.
	Dir string
	// ModelsImport is the import path of a package that has the named schemas as Go types already, each under its schema's
	// name in camel case. They are used in place of generated ones: a request is checked against the schema as always, and
	// then read by encoding/json into the type. Whether the types exist is seen when the generated package is compiled;
	// whether their tags fit the schema nobody checks. Schemas without a name are still generated.
	ModelsImport string
	// Tests asks for idempotency_roundtrip_test.go too.
	Tests bool
}

func (o Options) check() error {
	if !token.IsIdentifier(o.Package) || o.Package == "_" {
		return fmt.Errorf("package %q is not a Go package name: use lower-case letters and digits, such as \"payments\"", o.Package)
	}
	if strings.ContainsAny(o.ModelsImport, "\"`\\ \t\r\n") {
		return fmt.Errorf("models import %q is not an import path", o.ModelsImport)
	}
	if o.Dir != path.Clean(o.Dir) && o.Dir != "" {
		return fmt.Errorf("output folder %q is not a clean slash-separated path", o.Dir)
	}
	return nil
}

// Generate returns the Go package for the keyed operations of doc. The list holds warnings: what could not be typed
// faithfully and became json.RawMessage, which patterns cannot be checked, which routes need care.
// The error returned means that options are wrong or that the generator itself is; nothing that stands in a document causes one.
//
// Equal documents and options give equal bytes. doc is only read.
func Generate(doc *policy.Document, o Options) ([]output.File, diag.List, error) {
	if doc == nil {
		return nil, nil, errors.New("gocode: the document is nil")
	}
	if err := o.check(); err != nil {
		return nil, nil, fmt.Errorf("gocode: %w", err)
	}
	p := newPlan(doc, o)
	sources := []source{
		{"doc.go", p.docFile()},
		{"handlers.go", p.handlersFile()},
		{"requests.go", p.requestsFile()},
		{"responses.go", p.responsesFile()},
		{"policies.go", p.policiesFile()},
	}
	if slices.ContainsFunc(p.operations, (*operation).leased) {
		sources = append(sources, source{"leases.go", p.leasesFile()})
	}
	if p.hasReaders() {
		sources = append(sources, source{"readers.go", p.readersFile()})
	}
	if slices.ContainsFunc(p.types, (*typ).declared) {
		sources = append(sources, source{"models.go", p.modelsFile()})
	}
	if o.Tests {
		if f := p.roundTripFile(); f != nil {
			sources = append(sources, source{roundTripName, f})
		}
	}
	files, err := finish(o, sources)
	if err != nil {
		return nil, nil, fmt.Errorf("gocode: %w", err)
	}
	return files, p.warnings.Sorted(), nil
}
