package generator

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/templates"
)

// Apply returns the OpenAPI document of a run with its overlays and the generated one laid over it, in the document's own
// syntax: for tools that know no overlays. out is the file that it is meant for, as seen from the working directory, so that
// references to other files can be written as they read from there; empty keeps them as they are. There is no document
// when a finding is an error.
func Apply(in Input, out string) ([]byte, diag.List, error) {
	set, err := templates.Load(in.Templates)
	if err != nil {
		return nil, nil, err
	}
	doc, found, err := Load(in)
	if err != nil || found.Err() != nil {
		return nil, found, err
	}
	var overlays []spec.Overlay
	for _, name := range in.paths(in.Config.Overlays) {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, found, fmt.Errorf("cannot read the overlay: %w", err)
		}
		overlays = append(overlays, spec.Overlay{Name: filepath.ToSlash(name), Content: content})
	}
	in.progress("applying overlays")
	files, more, err := policydoc.Generate(doc, policydoc.Options{Overlay: "generated overlay", Templates: set})
	found = append(found, more...).Sorted()
	if err != nil || found.Err() != nil {
		return nil, found, err
	}
	for _, file := range files {
		overlays = append(overlays, spec.Overlay{Name: file.Path, Content: file.Content})
	}
	source := in.path(in.Config.Spec)
	if out == "" {
		out = source
	}
	document, err := spec.ApplyOverlaysTo(source, out, overlays...)
	if list, ok := diag.FromError(err); ok {
		return nil, append(found, list...).Sorted(), nil
	}
	return document, found, err
}
