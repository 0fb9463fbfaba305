package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// kind is the JSON type that all parts agree on, and whether null is allowed as well: where the schema itself says so, or
// everything that it combines does. By the letter `nullable` beside allOf allows nothing; it is always meant.
func (c *converter) kind(f *flat) (kind policy.Kind, nullable bool, reason string) {
	var types []string
	typed, outer, saying, admitting := false, false, 0, 0
	for i, part := range f.parts {
		own, null := typesOf(part)
		if own == nil && !null {
			continue
		}
		saying++
		if null {
			admitting++
			outer = outer || i == len(f.parts)-1
		}
		switch {
		case own == nil:
		case !typed:
			types, typed = own, true
		default:
			common := intersect(types, own)
			if len(common) == 0 && len(types)+len(own) > 0 {
				return policy.Any, false, "combines " + typeNames(types) + " with " + typeNames(own)
			}
			types = common
		}
	}
	nullable = outer || saying > 0 && saying == admitting
	if !typed {
		return inferKind(f.parts), nullable, ""
	}
	return kindOfTypes(types, nullable)
}

func kindOfTypes(types []string, nullable bool) (policy.Kind, bool, string) {
	switch len(types) {
	case 0:
		return policy.Any, true, "" // null alone
	case 1:
		kind, ok := kinds[types[0]]
		if !ok {
			return policy.Any, nullable, "the type " + quoteShort(types[0]) + " is not JSON's"
		}
		return kind, nullable, ""
	}
	if len(types) == 2 && slices.Contains(types, "integer") && slices.Contains(types, "number") {
		return policy.Number, nullable, ""
	}
	return policy.Any, nullable, "its type is " + typeNames(types)
}

func typeNames(types []string) string {
	if len(types) == 0 {
		return "null"
	}
	shown := make([]string, len(types))
	for i, name := range types {
		if shown[i] = name; kinds[name] == "" {
			shown[i] = quoteShort(name)
		}
	}
	return strings.Join(shown, " or ")
}

var kinds = map[string]policy.Kind{
	"boolean": policy.Boolean, "integer": policy.Integer, "number": policy.Number,
	"string": policy.String, "array": policy.Array, "object": policy.Object,
}

// typesOf are the types a part names, without null. nil means that it names none.
func typesOf(part *yaml.Node) (types []string, null bool) {
	null = isTrue(get(part, "nullable"))
	named := get(part, "type")
	switch {
	case named == nil:
		return nil, null
	case isNull(named):
		return []string{}, true
	case isList(named):
		types = []string{}
		for _, t := range named.Content {
			if isNull(t) || t.Value == "null" {
				null = true
			} else {
				types = append(types, t.Value)
			}
		}
		return types, null
	case text(named) == "null":
		return []string{}, true
	}
	return []string{text(named)}, null
}

func intersect(a, b []string) []string {
	var common []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t):
			common = append(common, t)
		case t == "integer" && slices.Contains(b, "number"), t == "number" && slices.Contains(b, "integer"):
			common = append(common, "integer")
		}
	}
	return common
}

// inferKind is the type that a schema without `type` is meant to have. `properties` without `type: object` is widespread;
// an enum says it by its values.
func inferKind(parts []*yaml.Node) policy.Kind {
	for _, part := range parts {
		if has(part, "properties") || isMap(get(part, "additionalProperties")) {
			return policy.Object
		}
		if has(part, "items") {
			return policy.Array
		}
	}
	for _, part := range parts {
		if kind := kindOfValues(enumOf(part)); kind != policy.Any {
			return kind
		}
	}
	return policy.Any
}

func kindOfValues(values []*yaml.Node) policy.Kind {
	kind := policy.Any
	for _, value := range values {
		var own policy.Kind
		switch {
		case isNull(value):
			continue
		case isText(value):
			own = policy.String
		case isBool(value):
			own = policy.Boolean
		case value.Tag == intTag:
			own = policy.Integer
		case value.Tag == floatTag:
			own = policy.Number
		default:
			return policy.Any
		}
		switch {
		case kind == policy.Any || kind == own:
			kind = own
		case isNumeric(kind) && isNumeric(own):
			kind = policy.Number
		default:
			return policy.Any
		}
	}
	return kind
}

// enumOf are the values a part allows, nil for no such limit. A const is an enum of one.
func enumOf(part *yaml.Node) []*yaml.Node {
	if value := get(part, "const"); value != nil {
		return []*yaml.Node{value}
	}
	return items(get(part, "enum"))
}

func isNumeric(kind policy.Kind) bool { return kind == policy.Integer || kind == policy.Number }
