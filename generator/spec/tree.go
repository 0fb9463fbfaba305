package spec

import (
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/spec/extension"
)

// The tags of a tree's nodes: JSON's types, by YAML's names.
const (
	strTag   = "!!str"
	intTag   = "!!int"
	floatTag = "!!float"
	boolTag  = "!!bool"
	nullTag  = "!!null"
	mapTag   = "!!map"
	seqTag   = "!!seq"
)

// A node's Line carries the index of its file in the high bits. The mark survives whatever moves or copies nodes, so
// that a node which an overlay brought still reports the overlay's line.
const (
	lineBits = 20 + 16*(^uint(0)>>63) // 36 bits for the line where an int has 64, else 20
	lineMask = 1<<lineBits - 1
	// maxFiles is what public documents need several times over: one has 2,900 files.
	maxFiles = 1 << (10 + 4*(^uint(0)>>63))
)

// numberTag is the tag of a JSON number (RFC 8259, section 6), empty when the literal is none.
func numberTag(literal string) string {
	digits := func(i int) int {
		for i < len(literal) && literal[i] >= '0' && literal[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if strings.HasPrefix(literal, "-") {
		i = 1
	}
	whole := digits(i)
	if whole == i || literal[i] == '0' && whole > i+1 {
		return ""
	}
	tag := intTag
	i = whole
	if i < len(literal) && literal[i] == '.' {
		fraction := digits(i + 1)
		if fraction == i+1 {
			return ""
		}
		tag, i = floatTag, fraction
	}
	if i < len(literal) && (literal[i] == 'e' || literal[i] == 'E') {
		i++
		if i < len(literal) && (literal[i] == '+' || literal[i] == '-') {
			i++
		}
		exponent := digits(i)
		if exponent == i {
			return ""
		}
		tag, i = floatTag, exponent
	}
	if i != len(literal) {
		return ""
	}
	return tag
}

// scalarTag is the JSON type of a YAML scalar.
func scalarTag(n *yaml.Node) string {
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return strTag
	}
	if n.Style&yaml.TaggedStyle != 0 && n.Tag == strTag {
		return strTag
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return nullTag
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return boolTag
	}
	if tag := numberTag(n.Value); tag != "" {
		return tag
	}
	return strTag
}

func isMap(n *yaml.Node) bool  { return n != nil && n.Kind == yaml.MappingNode }
func isList(n *yaml.Node) bool { return n != nil && n.Kind == yaml.SequenceNode }
func isText(n *yaml.Node) bool { return n != nil && n.Kind == yaml.ScalarNode && n.Tag == strTag }
func isNull(n *yaml.Node) bool { return n != nil && n.Kind == yaml.ScalarNode && n.Tag == nullTag }
func isBool(n *yaml.Node) bool { return n != nil && n.Kind == yaml.ScalarNode && n.Tag == boolTag }
func isNumber(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && (n.Tag == intTag || n.Tag == floatTag)
}

// isTrue reports whether n is the boolean true.
func isTrue(n *yaml.Node) bool { return isBool(n) && (n.Value[0] == 't' || n.Value[0] == 'T') }

// isFalse reports whether n is the boolean false.
func isFalse(n *yaml.Node) bool { return isBool(n) && !isTrue(n) }

// text is a scalar's text whatever its type, "" for anything else.
func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == nullTag {
		return ""
	}
	return n.Value
}

// lookup finds a member of a mapping. Of members that share a name the last one counts, as in JSON parsers.
func lookup(n *yaml.Node, name string) (key, value *yaml.Node) {
	if !isMap(n) {
		return nil, nil
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// get is the value of a mapping's member, nil when there is none.
func get(n *yaml.Node, name string) *yaml.Node {
	_, value := lookup(n, name)
	return value
}

func has(n *yaml.Node, name string) bool { return get(n, name) != nil }

// walk descends by member names.
func walk(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		n = get(n, name)
	}
	return n
}

// members are a mapping's members in document order.
func members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		if !isMap(n) {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// items are a list's items.
func items(n *yaml.Node) []*yaml.Node {
	if !isList(n) {
		return nil
	}
	return n.Content
}

// pointerTokens splits a JSON Pointer (RFC 6901); "" has none.
func pointerTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

// child is one step of a JSON Pointer.
func child(n *yaml.Node, token string) *yaml.Node {
	if isList(n) {
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(n.Content) || token != strconv.Itoa(i) {
			return nil
		}
		return n.Content[i]
	}
	return get(n, token)
}

// dropDuplicates removes members that a later one of the same name replaces, and calls found for each that stays.
// x-idempotency is left alone: its own reader refuses them.
func dropDuplicates(n *yaml.Node, found func(key, first *yaml.Node)) {
	if n == nil {
		return
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				dropDuplicates(item, found)
			}
		}
		return
	}
	if repeats(n) {
		dropInMapping(n, found)
	}
	for key, value := range members(n) {
		if value.Kind != yaml.ScalarNode && key.Value != extension.Name {
			dropDuplicates(value, found)
		}
	}
}

func dropInMapping(n *yaml.Node, found func(key, first *yaml.Node)) {
	last := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		last[n.Content[i].Value] = i
	}
	first := map[string]*yaml.Node{}
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if earlier := first[key.Value]; earlier != nil {
			found(key, earlier)
		} else {
			first[key.Value] = key
		}
		if last[key.Value] == i {
			kept = append(kept, key, n.Content[i+1])
		}
	}
	n.Content = kept
}

// repeats reports whether a mapping has two members of one name. Most mappings are small: comparing each with each is
// then cheaper than a map.
func repeats(n *yaml.Node) bool {
	if len(n.Content) <= 2*12 {
		for i := 2; i+1 < len(n.Content); i += 2 {
			for j := 0; j < i; j += 2 {
				if n.Content[i].Value == n.Content[j].Value {
					return true
				}
			}
		}
		return false
	}
	seen := make(map[string]struct{}, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		seen[n.Content[i].Value] = struct{}{}
	}
	return len(seen) < len(n.Content)/2
}

// isData reports whether a member holds values of the API, or an extension's, and not a part of the document. It asks for
// OpenAPI's own names: see holdsNames.
func isData(name string) bool {
	switch name {
	case "example", "examples", "default", "enum", "const", "value", "dataValue":
		return true
	}
	return strings.HasPrefix(name, "x-")
}

// holdsNames are the members whose own members have names of the author's choosing, where "example" is a fine name for a
// property and "default" is a response. A schema's list of examples is not one of them.
var holdsNames = map[string]bool{
	"properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true, "schemas": true,
	"parameters": true, "requestBodies": true, "responses": true, "headers": true, "links": true, "callbacks": true, "pathItems": true,
	"securitySchemes": true, "securityDefinitions": true, "mediaTypes": true, "examples": true, "content": true, "encoding": true,
	"paths": true, "webhooks": true, "mapping": true, "variables": true, "scopes": true,
}

// eachMember visits the members with OpenAPI's names, or an extension's, of n and of everything in it, but for what is
// data. visit may change holder and value, and says whether to look into value.
func eachMember(n *yaml.Node, visit func(holder, key, value *yaml.Node) (into bool)) {
	for _, item := range items(n) {
		if item.Kind != yaml.ScalarNode {
			eachMember(item, visit)
		}
	}
	for key, value := range members(n) {
		switch {
		case !visit(n, key, value):
		case value.Kind == yaml.ScalarNode:
		case holdsNames[key.Value] && isMap(value):
			for _, named := range members(value) {
				eachMember(named, visit)
			}
		case !isData(key.Value):
			eachMember(value, visit)
		}
	}
}
