package policydoc

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The overlay is built as YAML nodes and written by the encoder: text of a spec is only ever a scalar.

type field struct {
	name  string
	value *yaml.Node
}

// object is a mapping of the fields whose value is not nil, in their order.
func object(fields ...field) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fields {
		if f.value != nil {
			node.Content = append(node.Content, text(f.name), f.value)
		}
	}
	return node
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

func text(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ToValidUTF8(value, "\uFFFD")}
	if strings.Contains(value, "\n") {
		node.Style = yaml.LiteralStyle // the encoder quotes what the style cannot hold
	}
	return node
}

// textOr is text, or nil for none.
func textOr(value string) *yaml.Node {
	if value == "" {
		return nil
	}
	return text(value)
}

func number(value int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(value)}
}

func boolean(value bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}
}

func empty(node *yaml.Node) bool { return node == nil || len(node.Content) == 0 }
