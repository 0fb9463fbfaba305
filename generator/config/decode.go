package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Decode reads the configuration file called file, YAML or JSON, over the defaults. All findings are errors, and all are
// collected; the Config is usable only when there is none. An empty file is a Config of defaults.
func Decode(file string, content []byte) (Config, diag.List) {
	d := &decoder{file: file, lines: bytes.Split(content, []byte("\n")), config: Default()}
	if root := d.parse(content); root != nil {
		d.object(root, members, "")
	}
	return d.config, d.found.Sorted()
}

// maxDepth is how deep a configuration may nest; ours has three levels.
const maxDepth = 32

type decoder struct {
	file   string
	lines  [][]byte
	config Config
	found  diag.List
}

func (d *decoder) parse(content []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(content), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		d.fail(nil, "config-syntax", "", "%v", err)
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
		d.fail(&second, "config-syntax", "keep one document; a second configuration is a file of its own, named with --config", "the file holds more than one YAML document")
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
	d.fail(at, "config-syntax", "", "not readable as YAML: %s", message)
}

// object reads a mapping whose members are known; path is its dotted name, empty at the root.
func (d *decoder) object(node *yaml.Node, known []member, path string) {
	node = resolve(node)
	if node.Kind != yaml.MappingNode {
		d.wrongKind(node, name(path), "an object")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], resolve(node.Content[i+1])
		if first, again := seen[key.Value]; again {
			d.fail(key, "config-duplicate", "keep one of the two", "%s is given twice, first in line %d", join(path, key.Value), first)
			continue
		}
		seen[key.Value] = key.Line
		if m := find(known, key.Value); m != nil {
			d.member(m, value, join(path, key.Value))
			continue
		}
		d.unknown(key, known, path)
	}
}

func (d *decoder) member(m *member, value *yaml.Node, path string) {
	if isNull(value) {
		d.fail(value, "config-type", "give it a value, or leave the member out", "%s has no value", path)
		return
	}
	isFalse := isBool(value) && value.Value == "false"
	switch {
	case m.kind == flag:
		if !isBool(value) {
			d.wrongKind(value, path, "true or false")
			return
		}
		m.turn(&d.config, !isFalse)
	case m.off != nil && isFalse:
		m.off(&d.config)
	case m.kind == objectTextOrNo && value.Kind == yaml.ScalarNode:
		d.string(value, path, "an object, text or false", m.set)
	case m.kind == object || m.kind == objectOrNo || m.kind == objectTextOrNo:
		d.object(value, m.members, path)
		if path == "migrations" && value.Kind == yaml.MappingNode && d.config.Migrations.Format == "" && !d.mentions(value, "format") {
			d.fail(value, "config-missing", "add format: with the migration tool that you use", "migrations has no format")
		}
	case m.kind == listOrText && value.Kind == yaml.ScalarNode:
		d.string(value, path, "a list or text", m.add)
	case m.kind == listOrText:
		if value.Kind != yaml.SequenceNode {
			d.wrongKind(value, path, "a list")
			return
		}
		for i, element := range value.Content {
			d.string(resolve(element), fmt.Sprintf("%s[%d]", path, i), "text", m.add)
		}
	default:
		want := "text"
		if m.off != nil {
			want = "text or false"
		}
		d.string(value, path, want, m.set)
	}
}

func (d *decoder) mentions(node *yaml.Node, member string) bool {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == member {
			return true
		}
	}
	return false
}

func (d *decoder) string(value *yaml.Node, path, want string, set func(*Config, string) error) {
	if value.Kind != yaml.ScalarNode || value.Tag != "!!str" {
		d.wrongKind(value, path, want)
		return
	}
	if err := set(&d.config, value.Value); err != nil {
		d.fail(value, "config-value", "", "%s: %v", path, err)
	}
}

func (d *decoder) wrongKind(node *yaml.Node, path, want string) {
	d.fail(node, "config-type", "", "%s has to be %s, and this is %s", path, want, describe(node))
}

func (d *decoder) unknown(key *yaml.Node, known []member, path string) {
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].name
	}
	hint := "known are " + strings.Join(names, ", ")
	if near := diag.Nearest(key.Value, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	d.fail(key, "config-unknown", hint, "%s has no member %q", name(path), key.Value)
}

func (d *decoder) fail(at *yaml.Node, rule, hint, format string, args ...any) {
	found := diag.Diagnostic{Rule: rule, Severity: diag.Error, Message: fmt.Sprintf(format, args...), Hint: hint, Pos: policy.Position{File: d.file}}
	if at != nil {
		found.Pos.Line, found.Pos.Column = at.Line, at.Column
		if at.Line >= 1 && at.Line <= len(d.lines) {
			found.Source = strings.TrimSuffix(string(d.lines[at.Line-1]), "\r")
		}
	}
	d.found = append(d.found, found)
}

func find(known []member, name string) *member {
	for i := range known {
		if known[i].name == name {
			return &known[i]
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

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!null" }
func isBool(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!bool" }

func describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "an object"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Tag == "!!bool":
		return "the boolean " + node.Value
	case node.Tag == "!!int", node.Tag == "!!float":
		return "the number " + node.Value
	case isNull(node):
		return "nothing"
	case node.Tag == "!!str":
		return "text"
	default:
		return "something else (" + node.Tag + ")"
	}
}

func name(path string) string {
	if path == "" {
		return "the configuration"
	}
	return path
}

func join(path, member string) string {
	if path == "" {
		return member
	}
	return path + "." + member
}
