package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// FileName is looked for in the folder of go.mod.
const FileName = ".idemvet.yaml"

// Bounds of a settings file.
const (
	maxSize  = 1 << 20
	maxDepth = 16
)

// Root gives the folder of the go.mod above a package's files; empty when there is none.
func Root(pass *analysis.Pass) string {
	for _, file := range pass.Files {
		dir, err := filepath.Abs(filepath.Dir(pass.Fset.PositionFor(file.FileStart, false).Filename))
		if err != nil {
			continue
		}
		for {
			if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
				return dir
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return ""
}

// File gives the settings file that holds for a package; empty when there is none. Files of dependencies, which have a version, are not read: what they say is not the user's.
func File(pass *analysis.Pass) string {
	if pass.Module != nil && pass.Module.Version != "" {
		return ""
	}
	root := Root(pass)
	if root == "" {
		return ""
	}
	file := filepath.Join(root, FileName)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// misnamed tells of a settings file that is not read for its name, which is hard to see.
func misnamed(pass *analysis.Pass) error {
	root := Root(pass)
	if root == "" || pass.Module != nil && pass.Module.Version != "" {
		return nil
	}
	for _, name := range []string{".idemvet.yml", "idemvet.yaml", "idemvet.yml", ".idemvet.json"} {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s is not read: call it %s", filepath.Join(root, name), FileName)
		}
	}
	return nil
}

// Read reads a settings file. Every problem is told, a line each, as file:line:column: what is wrong.
func Read(file string) (Config, error) {
	opened, err := os.Open(file)
	if err != nil {
		return Config{}, err
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, maxSize+1))
	if err != nil {
		return Config{}, err
	}
	if len(content) > maxSize {
		return Config{}, fmt.Errorf("%s: settings of more than %d bytes are not read", file, maxSize)
	}
	return Decode(file, content)
}

// Decode reads settings, YAML or JSON, from the file called file.
func Decode(file string, content []byte) (Config, error) {
	d := &decoder{file: file}
	if root := d.parse(content); root != nil {
		d.object(root)
	}
	if len(d.problems) > 0 {
		return Config{}, errors.Join(d.problems...)
	}
	return d.config, nil
}

type decoder struct {
	file     string
	config   Config
	problems []error
}

func (d *decoder) fail(at *yaml.Node, format string, args ...any) {
	position := policy.Position{File: d.file, Line: at.Line, Column: at.Column}
	d.problems = append(d.problems, fmt.Errorf("%s: %s", position, fmt.Sprintf(format, args...)))
}

func (d *decoder) parse(content []byte) *yaml.Node {
	start := &yaml.Node{Line: 1, Column: 1}
	loader, err := yaml.NewLoader(bytes.NewReader(content), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		d.fail(start, "%v", err)
		return nil
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		d.syntax(err)
		return nil
	}
	switch err := loader.Load(&second); {
	case err == nil:
		d.fail(start, "the file holds more than one YAML document; keep one")
		return nil
	case !errors.Is(err, io.EOF):
		d.syntax(err)
		return nil
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return nil
	}
	return document.Content[0]
}

func (d *decoder) syntax(err error) {
	at, message := &yaml.Node{Line: 1, Column: 1}, strings.TrimPrefix(err.Error(), "yaml: ")
	var failure *yaml.LoadError
	if errors.As(err, &failure) {
		mark := failure.Mark
		if mark.Line == 0 {
			mark = failure.ContextMark
		}
		at, message = &yaml.Node{Line: max(mark.Line, 1), Column: max(mark.Column, 1)}, strings.TrimSpace(failure.Message)
	}
	d.fail(at, "not readable as YAML: %s", message)
}

func (d *decoder) object(node *yaml.Node) {
	if node.Kind != yaml.MappingNode {
		d.fail(node, "the settings have to be an object such as {tests: true}")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], resolve(node.Content[i+1])
		if first, again := seen[key.Value]; again {
			d.fail(key, "%s is given twice, first in line %d; keep one", key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		d.member(key, value)
	}
}

func (d *decoder) member(key, value *yaml.Node) {
	m := find(key.Value)
	switch {
	case m == nil:
		d.unknown(key)
	case m.turn != nil:
		if value.Kind != yaml.ScalarNode || value.Tag != "!!bool" {
			d.fail(value, "%s has to be true or false", m.name)
			return
		}
		*m.turn(&d.config) = strings.EqualFold(value.Value, "true")
	case m.text != nil:
		if text, ok := d.text(value, m.name, m); ok {
			*m.text(&d.config) = Confidence(text)
		}
	case value.Kind == yaml.SequenceNode:
		for i, element := range value.Content {
			if text, ok := d.text(resolve(element), fmt.Sprintf("%s[%d]", m.name, i), m); ok {
				*m.list(&d.config) = append(*m.list(&d.config), text)
			}
		}
	default:
		d.fail(value, "%s has to be a list", m.name)
	}
}

func (d *decoder) text(value *yaml.Node, name string, m *member) (string, bool) {
	if value.Kind != yaml.ScalarNode || value.Tag != "!!str" {
		d.fail(value, "%s has to be text", name)
		return "", false
	}
	if err := m.check(value.Value); err != nil {
		d.fail(value, "%s: %v", name, err)
		return "", false
	}
	return value.Value, true
}

func (d *decoder) unknown(key *yaml.Node) {
	names := make([]string, len(members))
	for i := range members {
		names[i] = members[i].name
	}
	if near := diag.Nearest(key.Value, names); near != "" {
		d.fail(key, "the settings have no member %q; did you mean %s?", key.Value, near)
		return
	}
	d.fail(key, "the settings have no member %q; known are %s", key.Value, strings.Join(names, ", "))
}

func find(name string) *member {
	for i := range members {
		if members[i].name == name {
			return &members[i]
		}
	}
	return nil
}

func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}
