package spec

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// maxExampleFindings bounds what is said of one example: the first few are enough to mend it.
const maxExampleFindings = 5

// checkExample compares an example with its schema and points at the values that do not fit. It goes by what the
// generated code will check, not by the whole of JSON Schema: a validator that does costs a hundred times as much.
func (l *loading) checkExample(value *yaml.Node, schema *policy.Schema) {
	c := &exampleCheck{l: l, left: maxExampleFindings}
	c.value(value, schema, 0)
}

type exampleCheck struct {
	l    *loading
	left int
}

func (c *exampleCheck) say(n *yaml.Node, format string, args ...any) {
	if c.left--; c.left >= 0 {
		c.l.rep.problem(n, ruleExample, "mend the example or its schema", format, args...)
	}
}

func (c *exampleCheck) value(n *yaml.Node, s *policy.Schema, depth int) {
	if n == nil || s == nil || c.left <= 0 || depth > maxDepth {
		return
	}
	if isNull(n) {
		if !s.Nullable && s.Kind != policy.Any {
			c.say(n, "the example has null for %s that is not nullable", article(s.Kind))
		}
		return
	}
	if !fits(n, s.Kind) {
		c.say(n, "the example has %s for %s", described(n), article(s.Kind))
		return
	}
	if len(s.Enum) > 0 {
		raw := valueJSON(n, s.Kind)
		if !slices.ContainsFunc(s.Enum, func(allowed json.RawMessage) bool { return bytes.Equal(allowed, raw) }) {
			c.say(n, "the example has %s, which is not among the enum's values", described(n))
		}
	}
	switch s.Kind {
	case policy.String:
		c.text(n, s)
	case policy.Integer, policy.Number:
		c.number(n, s)
	case policy.Array:
		c.bounds(n, "items", len(n.Content), s.MinItems, s.MaxItems)
		for _, item := range n.Content {
			c.value(item, s.Items, depth+1)
		}
	case policy.Object:
		c.object(n, s, depth)
	}
}

func fits(n *yaml.Node, kind policy.Kind) bool {
	switch kind {
	case policy.Object:
		return isMap(n)
	case policy.Array:
		return isList(n)
	case policy.Boolean:
		return isBool(n)
	case policy.Integer:
		value, err := strconv.ParseFloat(n.Value, 64)
		return isNumber(n) && (n.Tag == intTag || err == nil && value == float64(int64(value)))
	case policy.Number:
		return isNumber(n)
	case policy.String:
		return isText(n)
	}
	return true
}

func (c *exampleCheck) text(n *yaml.Node, s *policy.Schema) {
	c.bounds(n, "characters", utf8.RuneCountInString(n.Value), s.MinLength, s.MaxLength)
	if s.Pattern == "" || !s.PatternRE2 {
		return
	}
	if c.l.patterns == nil {
		c.l.patterns = map[string]*regexp.Regexp{}
	}
	pattern := c.l.patterns[s.Pattern]
	if pattern == nil {
		pattern = regexp.MustCompile(s.Pattern) // PatternRE2 says that it compiles
		c.l.patterns[s.Pattern] = pattern
	}
	if !pattern.MatchString(n.Value) {
		c.say(n, "the example %s does not match the pattern %s", quoteShort(n.Value), quoteShort(s.Pattern))
	}
}

func (c *exampleCheck) number(n *yaml.Node, s *policy.Schema) {
	value, err := strconv.ParseFloat(n.Value, 64)
	if err != nil {
		return
	}
	if least, err := strconv.ParseFloat(s.Minimum, 64); err == nil && (value < least || value == least && s.ExclusiveMinimum) {
		c.say(n, "the example %s is below the %sminimum %s", shortNumber(n.Value), exclusive(s.ExclusiveMinimum), shortNumber(s.Minimum))
	}
	if most, err := strconv.ParseFloat(s.Maximum, 64); err == nil && (value > most || value == most && s.ExclusiveMaximum) {
		c.say(n, "the example %s is above the %smaximum %s", shortNumber(n.Value), exclusive(s.ExclusiveMaximum), shortNumber(s.Maximum))
	}
}

func exclusive(is bool) string {
	if is {
		return "exclusive "
	}
	return ""
}

func (c *exampleCheck) bounds(n *yaml.Node, what string, count int, least, most *int) {
	if least != nil && count < *least {
		c.say(n, "the example has too few %s: %d, the least is %d", what, count, *least)
	}
	if most != nil && count > *most {
		c.say(n, "the example has too many %s: %d, the most is %d", what, count, *most)
	}
}

func (c *exampleCheck) object(n *yaml.Node, s *policy.Schema, depth int) {
	properties := make(map[string]*policy.Schema, len(s.Properties))
	for _, p := range s.Properties {
		properties[p.Name] = p.Schema
		oneWay := p.Schema.ReadOnly || p.Schema.WriteOnly // may be absent, depending on which way the example goes
		if p.Required && !oneWay && !has(n, p.Name) {
			c.say(n, "the example lacks the required member %s", quoteShort(p.Name))
		}
	}
	for key, value := range members(n) {
		if schema, ok := properties[key.Value]; ok {
			c.value(value, schema, depth+1)
			continue
		}
		if !s.AdditionalAllowed {
			c.say(key, "the example has the member %s, which its schema does not allow", quoteShort(key.Value))
			continue
		}
		c.value(value, s.Additional, depth+1)
	}
}

func described(n *yaml.Node) string {
	switch {
	case isMap(n):
		return "an object"
	case isList(n):
		return "a list"
	case isBool(n):
		return "a boolean"
	case isNumber(n):
		return "the number " + shortNumber(n.Value)
	}
	return "the text " + quoteShort(n.Value)
}

// shortNumber is a number's literal, which has no end to its digits.
func shortNumber(literal string) string {
	const most = 40
	if len(literal) > most {
		return literal[:most] + "..."
	}
	return literal
}

func article(kind policy.Kind) string {
	switch kind {
	case policy.Integer, policy.Object, policy.Array:
		return "an " + string(kind)
	}
	return "a " + string(kind)
}
