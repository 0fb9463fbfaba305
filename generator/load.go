package generator

import (
	"errors"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime/policy"
)

// ErrNoSpec says that neither the configuration nor a flag names an OpenAPI document.
var ErrNoSpec = errors.New("no OpenAPI document is named: write spec: openapi.yaml in idemgen.yaml, or --spec openapi.yaml")

// Load reads the OpenAPI document of a run with its overlays. Its positions are as seen from the working directory.
func Load(in Input) (*policy.Document, diag.List, error) {
	if in.Config.Spec == "" {
		return nil, nil, ErrNoSpec
	}
	in.progress("reading " + filepath.Base(in.path(in.Config.Spec)))
	return spec.Load(spec.Options{
		File:           in.path(in.Config.Spec),
		Root:           in.root(),
		Overlays:       in.paths(in.Config.Overlays),
		Profiles:       in.paths(in.Config.Profiles),
		Strict:         in.Config.Strict,
		AcceptDeclared: in.Config.AcceptDeclared,
	})
}

// root is the folder that references stay in, empty for the document's own.
func (in Input) root() string {
	if in.Config.Root == "" {
		return ""
	}
	return in.path(in.Config.Root)
}

func (in Input) paths(names []string) []string {
	var files []string
	for _, name := range names {
		files = append(files, in.path(name))
	}
	return files
}
