package spec

import (
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// named is what the body's schemas say of the key at the place that x-idempotency names. The place need not be one that
// [loading.declared] knows by its name. Where several media types can carry the key, it is what holds for all of them.
func (l *loading) named(op *operation, place policy.Key) (policy.DeclaredKey, bool) {
	way := []string{place.Name}
	if place.In == policy.InBody {
		way = pointerTokens(place.Pointer)
	}
	body, _ := l.refs.deref(get(op.node, "requestBody"), looking)
	var key policy.DeclaredKey
	found := false
	for mediaType, content := range members(get(body, "content")) {
		if in, ok := carries(mediaType.Value); !ok || in != place.In {
			continue
		}
		content, _ = l.refs.deref(content, looking)
		one, ok := l.keyAt(get(content, "schema"), way)
		switch {
		case !ok: // reported by the check of the key's place, or free
		case !found:
			key, found = one, true
		default:
			key.Key = loosest(key.Key, one.Key)
		}
	}
	key.Key.In, key.Key.Name, key.Key.Pointer = place.In, place.Name, place.Pointer
	key.Key.Required = key.Key.Required && isTrue(get(body, "required"))
	return key, found
}

// keyAt follows a way of members through a schema. The key is required when no body can leave it out.
func (l *loading) keyAt(schema *yaml.Node, way []string) (policy.DeclaredKey, bool) {
	key := policy.DeclaredKey{Key: policy.Key{Required: true}}
	for _, name := range way {
		required, null := false, false
		var next, at *yaml.Node
		var more []*yaml.Node
		l.gather(schema, map[*yaml.Node]bool{}, func(part *yaml.Node) {
			null = null || admitsNull(part)
			for _, one := range items(get(part, "required")) {
				required = required || text(one) == name
			}
			if member, value := lookup(get(part, "properties"), name); value != nil {
				at, next, more = member, value, append(more, value)
			}
		})
		if next == nil {
			return policy.DeclaredKey{}, false
		}
		if len(more) > 1 { // a member that several parts describe is all that they say
			next = allOf(more)
		}
		key.Key.Required = key.Key.Required && required && !null
		key.Pos, schema = l.src.at(at), next
	}
	l.gather(schema, map[*yaml.Node]bool{}, func(part *yaml.Node) {
		key.Key.Required = key.Key.Required && !admitsNull(part)
	})
	key.Key = l.declaredKey(key.Key, schema)
	return key, true
}

// allOf is the schema of what all of these say.
func allOf(schemas []*yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: schemas}
	name := &yaml.Node{Kind: yaml.ScalarNode, Tag: strTag, Value: "allOf"}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: mapTag, Content: []*yaml.Node{name, list}}
}

func admitsNull(part *yaml.Node) bool {
	_, null := typesOf(part)
	for _, keyword := range []string{"oneOf", "anyOf"} {
		_, branch := splitNull(get(part, keyword))
		null = null || branch
	}
	return null
}

// loosest is what two declarations of one key both say: a key that either of them allows is allowed.
func loosest(a, b policy.Key) policy.Key {
	a.Required = a.Required && b.Required
	a.MinLength = min(a.MinLength, b.MinLength)
	if a.MaxLength == 0 || b.MaxLength == 0 { // one of them has no limit
		a.MaxLength = 0
	} else {
		a.MaxLength = max(a.MaxLength, b.MaxLength)
	}
	if a.Pattern != b.Pattern {
		a.Pattern = ""
	}
	if a.Format != b.Format {
		a.Format = ""
	}
	return a
}
