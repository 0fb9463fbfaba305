package spec

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// maxExpansion is how many nodes the aliases of one file may come to. A document that writes a large part of itself
// through anchors stays far below; "a billion laughs" does not.
const maxExpansion = 500_000

// parseYAML reads the first document of a YAML file into a node tree with comments, anchors and aliases as they stand.
func parseYAML(data []byte) (root *yaml.Node, err *syntaxError) {
	var documents []*yaml.Node
	loader, setup := yaml.NewLoader(bytes.NewReader(data), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if setup != nil {
		return nil, &syntaxError{line: 1, column: 1, message: setup.Error()}
	}
	for len(documents) < 2 {
		var document yaml.Node
		if failure := loader.Load(&document); failure != nil {
			if document := yamlError(failure); document != nil {
				return nil, document
			}
			break
		}
		documents = append(documents, &document)
	}
	if len(documents) == 0 || len(documents[0].Content) == 0 {
		return nil, &syntaxError{line: 1, column: 1, message: "the file is empty"}
	}
	if len(documents) > 1 {
		second := documents[1]
		return nil, &syntaxError{line: max(second.Line, 1), column: max(second.Column, 1),
			message: "the file holds more than one YAML document"}
	}
	return documents[0], nil
}

// yamlError is what the parser says, with the place it says it of; nil at the regular end of the file.
func yamlError(err error) *syntaxError {
	var failure *yaml.LoadError
	if errors.As(err, &failure) {
		at := failure.Mark
		if at.Line == 0 {
			at = failure.ContextMark
		}
		return &syntaxError{line: max(at.Line, 1), column: max(at.Column, 1), message: strings.TrimSpace(failure.Message)}
	}
	if isEOF(err) {
		return nil
	}
	return &syntaxError{line: 1, column: 1, message: strings.TrimPrefix(err.Error(), "yaml: ")}
}

// plain makes a parsed YAML tree what a JSON text would have given: aliases are replaced by copies of what they stand
// for, merge keys by the members they bring, and scalars have the meaning that JSON gives them. OpenAPI asks for YAML
// that keeps within JSON's types, so `044925`, `0x1F`, `1_000`, `2024-01-31` and `yes` are text here, whatever a YAML
// version makes of them: one document in two syntaxes is one document.
//
// Every node is its own afterwards, so an overlay that changes one use of an anchor leaves the others alone.
func plain(root *yaml.Node, file int) *syntaxError {
	p := &plainer{base: file << lineBits, done: map[*yaml.Node]bool{}, open: map[*yaml.Node]bool{}}
	p.visit(root)
	return p.failure
}

type plainer struct {
	base    int
	copied  int
	done    map[*yaml.Node]bool // anchored nodes that are plain already
	open    map[*yaml.Node]bool // anchored nodes that enclose the current one
	failure *syntaxError
}

func (p *plainer) fail(n *yaml.Node, message string) {
	if p.failure == nil {
		p.failure = &syntaxError{line: n.Line & lineMask, column: n.Column, message: message}
	}
}

func (p *plainer) visit(n *yaml.Node) {
	if p.failure != nil || n.Line&^lineMask != 0 || p.done[n] {
		return
	}
	if n.Anchor != "" {
		p.open[n] = true
		defer func() {
			delete(p.open, n)
			p.done[n] = true
			n.Anchor = ""
		}()
	}
	n.Line |= p.base
	switch n.Kind {
	case yaml.ScalarNode:
		n.Tag = scalarTag(n)
	case yaml.MappingNode:
		n.Tag = mapTag
		p.mapping(n)
	default:
		for i, child := range n.Content {
			n.Content[i] = p.settled(child)
		}
	}
}

// settled is child made plain: itself, or the copy that an alias stands for.
func (p *plainer) settled(child *yaml.Node) *yaml.Node {
	if child.Kind != yaml.AliasNode {
		p.visit(child)
		return child
	}
	target := child.Alias
	if target == nil || p.open[target] {
		p.fail(child, "the alias *"+child.Value+" stands within what it refers to")
		return child
	}
	p.visit(target)
	return p.copy(target, child)
}

func (p *plainer) copy(n, alias *yaml.Node) *yaml.Node {
	if p.copied++; p.copied > maxExpansion {
		p.fail(alias, "the file's aliases expand to too much")
		return n
	}
	c := *n
	c.Anchor, c.Content = "", nil
	if len(n.Content) > 0 {
		c.Content = make([]*yaml.Node, len(n.Content))
		for i, child := range n.Content {
			if p.failure != nil {
				return n
			}
			c.Content[i] = p.copy(child, alias)
		}
	}
	return &c
}

func (p *plainer) mapping(n *yaml.Node) {
	merges := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
			merges = true
		} else if key = p.settled(key); key.Kind == yaml.ScalarNode {
			key.Tag = strTag // OpenAPI's names are text: `200:` is "200"
			n.Content[i] = key
		} else if p.failure == nil {
			p.fail(key, "a member's name must be text")
		}
		n.Content[i+1] = p.settled(n.Content[i+1])
	}
	if merges && p.failure == nil {
		p.merge(n)
	}
}

// merge replaces `<<` by the members it brings; a member that stands in the mapping itself wins, then the earlier source.
func (p *plainer) merge(n *yaml.Node) {
	taken := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == strTag {
			taken[n.Content[i].Value] = true
		}
	}
	var merged []*yaml.Node
	bring := func(source *yaml.Node) {
		if source.Kind != yaml.MappingNode {
			p.fail(source, "a merge key takes a mapping or a list of mappings")
			return
		}
		for i := 0; i+1 < len(source.Content); i += 2 {
			if key := source.Content[i]; !taken[key.Value] {
				taken[key.Value] = true
				merged = append(merged, key, source.Content[i+1])
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Tag != "!!merge":
			merged = append(merged, key, value)
		case value.Kind == yaml.SequenceNode:
			for _, source := range value.Content {
				bring(source)
			}
		default:
			bring(value)
		}
	}
	n.Content = merged
}
