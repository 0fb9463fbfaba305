package spec

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// relocation mends references for a document that is written into another folder than the one it was read from. What
// stands in the document is relative to its file (OpenAPI 3.1, section 4.6): $ref, $dynamicRef, operationRef,
// externalValue and the values of a discriminator's mapping. Addresses for people and of servers (url) are left alone:
// they are about where a document is published, which nobody here knows.
type relocation struct {
	// prefix is the way from the new folder back to the old one, as the path of a URI; empty when both are one.
	prefix string
	// name is the document's own file name: what refers to it by name stays within the document.
	name string
	// schemas are the names that a discriminator may use without any path.
	schemas []string
}

// newRelocation is the way from the folder of the file out, where the document goes, to that of file.
func newRelocation(root *yaml.Node, file, out string) (*relocation, error) {
	from, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("find the document's folder: %w", err)
	}
	to, err := filepath.Abs(filepath.Dir(out))
	if err != nil {
		return nil, fmt.Errorf("find the folder of %s: %w", out, err)
	}
	way, err := filepath.Rel(to, from)
	if err != nil {
		return nil, fmt.Errorf("references cannot lead from %s to the files beside %s: %w", out, file, err)
	}
	r := &relocation{name: filepath.Base(file)}
	if way != "." {
		r.prefix = (&url.URL{Path: filepath.ToSlash(way) + "/"}).String()
	}
	for name := range members(walk(root, "components", "schemas")) {
		r.schemas = append(r.schemas, name.Value)
	}
	return r, nil
}

// tree mends every reference in n. What looks like one inside an example is data; inside an extension it is not, for the
// tools that read split documents follow it there.
func (r *relocation) tree(n *yaml.Node) {
	if r.prefix == "" || isAbsolute(get(n, "$self")) || isAbsolute(get(n, "$id")) {
		return // relative to that address, wherever the file lies
	}
	for _, item := range items(n) {
		r.tree(item)
	}
	for key, value := range members(n) {
		switch name := key.Value; {
		case name == "$ref" || name == "$dynamicRef" || name == "operationRef" || name == "externalValue":
			if isText(value) {
				value.Value = r.reference(value.Value)
			}
		case name == "discriminator":
			for _, target := range members(get(value, "mapping")) {
				if isText(target) && r.isReference(target.Value) {
					target.Value = r.reference(target.Value)
				}
			}
		case holdsNames[name] && isMap(value):
			for _, named := range members(value) {
				r.tree(named)
			}
		case isData(name) && !strings.HasPrefix(name, "x-"):
		default:
			r.tree(value)
		}
	}
}

// reference is ref as it reads from the new folder.
func (r *relocation) reference(ref string) string {
	file, fragment, within := strings.Cut(ref, "#")
	if file == "" || scheme.MatchString(file) || strings.HasPrefix(file, "/") {
		return ref
	}
	if within {
		fragment = "#" + fragment
	}
	if name, err := url.PathUnescape(file); err == nil && path.Clean(name) == r.name {
		return "#" + strings.TrimPrefix(fragment, "#")
	}
	file, query, asked := strings.Cut(file, "?")
	if asked {
		query = "?" + query
	}
	file = path.Join(r.prefix, file)
	if first, _, _ := strings.Cut(file, "/"); strings.Contains(first, ":") {
		file = "./" + file
	}
	return file + query + fragment
}

var schemaName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// isReference tells a discriminator's reference from a schema's bare name, OpenAPI 3.1, section 4.8.25.
func (r *relocation) isReference(target string) bool {
	if !schemaName.MatchString(target) {
		return true
	}
	return !slices.Contains(r.schemas, target) && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(target))
}

func isAbsolute(n *yaml.Node) bool { return isText(n) && scheme.MatchString(n.Value) }
