package schema

import (
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"
)

// sqlcConfig is what both versions of sqlc's configuration say of schemas. JSON is YAML.
type sqlcConfig struct {
	SQL      []sqlcSet `yaml:"sql"`      // version 2
	Packages []sqlcSet `yaml:"packages"` // version 1
}

type sqlcSet struct {
	Schema oneOrMore `yaml:"schema"`
}

// oneOrMore is a text or a list of texts.
type oneOrMore []string

// UnmarshalYAML reads either.
func (l *oneOrMore) UnmarshalYAML(node *yaml.Node) error {
	var one string
	if node.Kind == yaml.ScalarNode {
		err := node.Decode(&one)
		*l = oneOrMore{one}
		return err
	}
	var more []string
	err := node.Decode(&more)
	*l = more
	return err
}

// sqlc gives the files of each set that a configuration of sqlc names: files, folders and patterns, from its own folder.
func (l *loader) sqlc(config string) [][]string {
	text, ok := l.read(config, maxFileSize)
	if !ok {
		return nil
	}
	var c sqlcConfig
	if yaml.Unmarshal(text, &c) != nil {
		return nil
	}
	var sets [][]string
	for _, set := range append(c.SQL, c.Packages...) {
		var files []string
		for _, entry := range set.Schema {
			pattern := path.Join(path.Dir(config), entry)
			if strings.HasPrefix(pattern, "..") || path.IsAbs(pattern) {
				continue // outside of the module
			}
			found, err := fs.Glob(l.fsys, pattern)
			if err != nil {
				continue
			}
			for _, file := range found {
				if info, err := fs.Stat(l.fsys, file); err == nil && info.IsDir() {
					inside, _ := fs.Glob(l.fsys, path.Join(file, "*.sql"))
					files = append(files, applied(inside)...)
				} else {
					files = append(files, file)
				}
			}
		}
		sets = append(sets, files)
	}
	return sets
}
