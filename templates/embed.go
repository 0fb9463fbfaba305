package templates

import (
	"embed"
	"io/fs"
	"path"
	"slices"
)

// FS holds the built-in templates, flat, each under the name by which a user's file replaces it.
//
//go:embed *.tmpl README.md
var FS embed.FS

// suffix is how the name of a template file ends.
const suffix = ".tmpl"

// File is one file of `idemgen templates export`.
type File struct {
	Name    string
	Content []byte
}

// Export returns the built-in templates and the README that documents them, sorted by name. An exported folder loads
// unchanged as an override.
func Export() []File {
	names := append(Names(), readme)
	slices.Sort(names)
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{Name: name, Content: mustRead(name)}
	}
	return files
}

// Names returns the names of the template files, sorted.
func Names() []string {
	entries, err := fs.ReadDir(FS, ".")
	if err != nil {
		panic(err) // an embedded folder is always there
	}
	var names []string
	for _, entry := range entries {
		if path.Ext(entry.Name()) == suffix {
			names = append(names, entry.Name())
		}
	}
	return names
}

const readme = "README.md"

func mustRead(name string) []byte {
	content, err := FS.ReadFile(name)
	if err != nil {
		panic(err) // names come from the embedded folder itself
	}
	return content
}
