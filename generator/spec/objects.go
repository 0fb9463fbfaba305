package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

func (c *converter) items(s *policy.Schema, f *flat) {
	var nodes []*yaml.Node
	for _, part := range f.parts {
		if prefix := get(part, "prefixItems"); isList(prefix) {
			s.Items = &policy.Schema{Kind: policy.Any, AdditionalAllowed: true, Degraded: "prefixItems gives each item its own schema", Pos: c.src.at(prefix)}
			return
		}
		if item := get(part, "items"); item != nil && !isTrue(item) {
			nodes = append(nodes, item)
		}
	}
	s.Items = c.all(nodes)
}

func (c *converter) object(s *policy.Schema, f *flat) {
	var names []string
	schemas := map[string][]*yaml.Node{}
	required := map[string]bool{}
	for _, part := range f.parts {
		for _, name := range items(get(part, "required")) {
			required[text(name)] = true
		}
		for key, value := range members(get(part, "properties")) {
			if schemas[key.Value] == nil {
				names = append(names, key.Value)
			}
			schemas[key.Value] = append(schemas[key.Value], value)
		}
	}
	for _, name := range names {
		property := c.all(schemas[name])
		if property == nil {
			property = &policy.Schema{Kind: policy.Any, AdditionalAllowed: true}
		}
		s.Properties = append(s.Properties, policy.Property{Name: name, Required: required[name], Schema: property})
	}
	c.additional(s, f)
}

// additional says what other members an object may have.
func (c *converter) additional(s *policy.Schema, f *flat) {
	var nodes []*yaml.Node
	patterned := false
	for _, part := range f.parts {
		for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
			switch rule := get(part, keyword); {
			case isFalse(rule):
				s.AdditionalAllowed = false
			case isMap(rule) && len(rule.Content) > 0:
				nodes = append(nodes, rule)
			}
		}
		if patterns := get(part, "patternProperties"); isMap(patterns) && len(patterns.Content) > 0 {
			patterned = true
		}
	}
	if patterned { // members by pattern are among the others, each with its own schema: any value
		s.AdditionalAllowed = true
		return
	}
	if s.AdditionalAllowed {
		s.Additional = c.all(nodes)
	}
}

// all is the schema of a value that several schemas hold of; nil for none.
func (c *converter) all(nodes []*yaml.Node) *policy.Schema {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return c.schema(nodes[0])
	}
	var distinct []*yaml.Node
	var key strings.Builder
	for _, n := range nodes {
		target, _ := c.refs.deref(n, typing)
		if target == nil {
			continue
		}
		if !slices.ContainsFunc(distinct, func(other *yaml.Node) bool { o, _ := c.refs.deref(other, typing); return o == target }) {
			distinct = append(distinct, n)
			key.WriteString(pointerText(target))
		}
	}
	if len(distinct) <= 1 {
		return c.schema(nodes[len(nodes)-1])
	}
	if known, ok := c.both[key.String()]; ok {
		if known == nil {
			return &policy.Schema{Kind: policy.Any, AdditionalAllowed: true, Degraded: "a recursive combination of schemas", Pos: c.src.at(nodes[0])}
		}
		return known
	}
	if c.combining >= maxCombined || len(c.both) >= maxCombinations {
		return &policy.Schema{Kind: policy.Any, AdditionalAllowed: true, Degraded: "combinations of schemas within each other", Pos: c.src.at(nodes[0])}
	}
	c.both[key.String()] = nil
	c.combining++
	defer func() { c.combining-- }()
	last := distinct[len(distinct)-1]
	combined := &yaml.Node{Kind: yaml.MappingNode, Tag: mapTag, Line: last.Line, Column: last.Column, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: strTag, Value: "allOf", Line: last.Line, Column: last.Column},
		{Kind: yaml.SequenceNode, Tag: seqTag, Line: last.Line, Column: last.Column, Content: distinct},
	}}
	s := c.inPlace(combined)
	c.both[key.String()] = s
	return s
}
