package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// bundle writes what is to be validated as one JSON document, a member or an item to a line, and remembers the node
// behind each line: so a finding about the copy has a place in the original. Components are written once each, on
// demand; what a reference finds elsewhere, in another file or in the middle of something, becomes a component when it
// is a schema and is written in place otherwise.
type bundle struct {
	refs *resolver
	out  []byte
	line []*yaml.Node // of each line, from 1; [0] is unused
	lean bool         // leave out what no rule about an operation's interface looks at
	// cut writes {} for references between schemas: the validator follows them anew from each schema, which takes time
	// that grows with the square of their number and a stack as deep as their longest chain. Each schema is looked at by
	// itself all the same, and where references lead is not the validator's affair.
	cut bool
	// broken is true when something else than a schema could not be written, as a reference to it leads nowhere. What a
	// validator says of the rest then is noise.
	broken bool

	// tooMuch is true once what is written in place, which each reference writes anew, is more than a document can mean.
	tooMuch bool
	inside  int // how many nodes have been written in place

	wanted  []wanted                // components, in the order in which they were asked for
	names   map[*yaml.Node]string   // component -> reference
	taken   map[string]names        // names of components that stand somewhere else
	writing map[*yaml.Node]struct{} // what is being written in place, against loops
}

type wanted struct {
	kind, name string
	node       *yaml.Node
}

func newBundle(refs *resolver, lean bool) *bundle {
	return &bundle{refs: refs, lean: lean, cut: lean, line: make([]*yaml.Node, 2),
		names: map[*yaml.Node]string{}, taken: map[string]names{}, writing: map[*yaml.Node]struct{}{}}
}

// maxFollowed is up to how many schemas the whole document's references are left to the validator, which examples need.
const maxFollowed = 5_000

// whole writes the entire document.
func (b *bundle) whole(root *yaml.Node) {
	components := get(root, "components")
	if schemas := get(components, "schemas"); schemas != nil && len(schemas.Content) > 2*maxFollowed {
		b.cut = true
	}
	for kind, group := range members(components) {
		for key, node := range members(group) {
			if !strings.HasPrefix(kind.Value, "x-") {
				b.want(node, kind.Value, key.Value)
			}
		}
	}
	b.open('{')
	first := true
	for key, value := range members(root) {
		if key.Value == "components" {
			continue
		}
		b.member(&first, key, key.Value)
		b.value(value, key.Value, false)
	}
	b.components(&first, root)
	b.close('}', root)
}

// operations writes a document that has only these operations.
func (b *bundle) operations(root *yaml.Node, list []*operation) {
	b.open('{')
	first := true
	for key, value := range members(root) {
		switch key.Value {
		case "openapi", "info", "jsonSchemaDialect":
			b.member(&first, key, key.Value)
			b.value(value, key.Value, false)
		case "paths", "webhooks":
			b.member(&first, key, key.Value)
			b.section(key.Value, value, list)
		}
	}
	b.components(&first, root)
	b.close('}', root)
}

func (b *bundle) section(section string, node *yaml.Node, list []*operation) {
	b.open('{')
	first := true
	for i := 0; i < len(list); {
		op := list[i]
		rest := i
		for rest < len(list) && list[rest].section == op.section && list[rest].itemKey == op.itemKey {
			rest++
		}
		if op.section == section {
			b.member(&first, op.item, op.itemKey)
			b.pathItem(op.item, list[i:rest])
		}
		i = rest
	}
	b.close('}', node)
}

func (b *bundle) pathItem(item *yaml.Node, list []*operation) {
	b.open('{')
	first := true
	if key, parameters := lookup(item, "parameters"); parameters != nil {
		b.member(&first, key, "parameters")
		b.value(parameters, "parameters", false)
	}
	extra := slices.DeleteFunc(slices.Clone(list), func(op *operation) bool { return op.fixed })
	for _, op := range list {
		if op.fixed {
			b.member(&first, op.node, strings.ToLower(op.out.Method))
			b.value(op.node, "", false)
		}
	}
	if len(extra) > 0 {
		b.member(&first, item, "additionalOperations")
		b.open('{')
		inner := true
		for _, op := range extra {
			b.member(&inner, op.node, op.out.Method)
			b.value(op.node, "", false)
		}
		b.close('}', item)
	}
	b.close('}', item)
}

// components writes what was asked for, and what that asks for in turn, grouped by kind.
func (b *bundle) components(first *bool, root *yaml.Node) {
	where := get(root, "components")
	if where == nil {
		where = root
	}
	groups := map[string][]byte{}
	lines := map[string][]*yaml.Node{}
	var kinds []string
	for len(b.wanted) > 0 {
		w := b.wanted[0]
		b.wanted = b.wanted[1:]
		out, line := b.out, b.line
		b.out, b.line = nil, nil
		none := len(groups[w.kind]) == 0
		b.member(&none, w.node, w.name)
		b.value(w.node, "", w.kind == "schemas")
		if groups[w.kind] == nil {
			kinds = append(kinds, w.kind)
		}
		groups[w.kind] = append(groups[w.kind], b.out...)
		lines[w.kind] = append(lines[w.kind], b.line...)
		b.out, b.line = out, line
	}
	if len(kinds) == 0 {
		return
	}
	slices.Sort(kinds)
	b.member(first, where, "components")
	b.open('{')
	inner := true
	for _, kind := range kinds {
		b.member(&inner, where, kind)
		b.open('{')
		b.out = append(b.out, groups[kind]...)
		b.line = append(b.line, lines[kind]...)
		b.close('}', where)
	}
	b.close('}', where)
}

// newLine begins a line that stands for n.
func (b *bundle) newLine(n *yaml.Node) {
	b.out = append(b.out, '\n')
	b.line = append(b.line, n)
}

func (b *bundle) open(c byte) { b.out = append(b.out, c) }

func (b *bundle) close(c byte, n *yaml.Node) {
	b.newLine(n)
	b.out = append(b.out, c)
}

func (b *bundle) member(first *bool, at *yaml.Node, name string) {
	if !*first {
		b.out = append(b.out, ',')
	}
	*first = false
	b.newLine(at)
	b.out = append(appendString(b.out, name), ':')
}

// value writes a node that stands under the member name. schema is true inside a schema.
func (b *bundle) value(n *yaml.Node, name string, schema bool) {
	if len(b.writing) > 0 {
		b.inside++
		b.tooMuch = b.inside > maxExpansion
	}
	switch {
	case b.tooMuch:
		b.out = append(b.out, "{}"...)
	case n == nil:
		b.out = append(b.out, "null"...)
	case n.Kind == yaml.ScalarNode || isData(name) && (schema || name != "examples"):
		b.out = appendJSON(b.out, n, "", "")
	case n.Kind == yaml.SequenceNode:
		b.open('[')
		for i, item := range n.Content {
			if i > 0 {
				b.out = append(b.out, ',')
			}
			b.newLine(item)
			b.value(item, "", schema)
		}
		b.close(']', n)
	case reference(n) != nil:
		b.reference(n, schema)
	default:
		b.object(n, schema)
	}
}

func (b *bundle) object(n *yaml.Node, schema bool) {
	b.open('{')
	first := true
	for key, value := range members(n) {
		if b.lean && b.skipped(key.Value, schema) {
			continue
		}
		b.member(&first, key, key.Value)
		switch key.Value {
		case "schema", "itemSchema":
			b.value(value, key.Value, true)
		case "properties", "patternProperties", "$defs", "dependentSchemas":
			if schema {
				b.named(value, true)
				continue
			}
			b.value(value, key.Value, schema)
		case "content", "headers", "encoding", "responses", "mapping", "variables", "scopes":
			if schema {
				b.value(value, key.Value, schema)
				continue
			}
			b.named(value, false)
		default:
			b.value(value, key.Value, schema)
		}
	}
	b.close('}', n)
}

// named writes an object whose member names are free.
func (b *bundle) named(n *yaml.Node, schema bool) {
	if !isMap(n) {
		b.value(n, "", schema)
		return
	}
	b.open('{')
	first := true
	for key, value := range members(n) {
		b.member(&first, key, key.Value)
		b.value(value, "", schema)
	}
	b.close('}', n)
}

// skipped are members that are left out of a lean copy. A response must have a description, a schema need not; examples
// are checked elsewhere; links and callbacks lead to operations that are not there.
func (b *bundle) skipped(name string, schema bool) bool {
	switch name {
	case "example", "examples", "externalDocs", "xml":
		return true
	case "description", "title", "discriminator":
		return schema
	case "security", "tags", "links", "callbacks", "servers":
		return !schema
	}
	return strings.HasPrefix(name, "x-")
}

func (b *bundle) reference(n *yaml.Node, schema bool) {
	end, _ := b.refs.deref(n, looking)
	target := b.refs.follow(reference(n), looking)
	switch {
	case end == nil || target == nil: // reported where it stands; {} is a schema that allows anything
		b.broken = b.broken || !schema
		b.out = append(b.out, "{}"...)
		return
	case !schema && b.componentKind(reference(n).Value) == "":
		b.inPlace(target)
		return
	}
	ref, ok := b.names[target]
	if !ok {
		ref = b.ask(target, reference(n).Value)
	}
	if schema && b.cut {
		b.out = append(b.out, "{}"...)
		return
	}
	b.open('{')
	first := true
	for key, value := range members(n) {
		if key.Value == "$ref" {
			b.member(&first, key, "$ref")
			b.out = appendString(b.out, ref)
		} else if !b.lean {
			b.member(&first, key, key.Value)
			b.value(value, key.Value, schema)
		}
	}
	b.close('}', n)
}

func (b *bundle) inPlace(target *yaml.Node) {
	if _, loop := b.writing[target]; loop {
		b.out = append(b.out, "{}"...)
		return
	}
	b.writing[target] = struct{}{}
	b.value(target, "", false)
	delete(b.writing, target)
}

// componentKind is the group of components that a reference within the document leads to, "" for any other.
func (b *bundle) componentKind(ref string) string {
	if rest, ok := strings.CutPrefix(ref, "#/components/"); ok {
		if kind, name, ok := strings.Cut(rest, "/"); ok && !strings.Contains(name, "/") {
			return kind
		}
	}
	return ""
}

// ask makes sure that a component is written, and returns the reference to it.
func (b *bundle) ask(target *yaml.Node, ref string) string {
	kind := b.componentKind(ref)
	if kind == "" {
		kind = "schemas"
	}
	return b.want(target, kind, componentName(nameOf(ref)))
}

func (b *bundle) want(target *yaml.Node, kind, name string) string {
	if b.taken[kind] == nil {
		b.taken[kind] = names{}
	}
	free := b.taken[kind].claim(name)
	ref := "#/components/" + kind + "/" + free
	b.names[target] = ref
	b.wanted = append(b.wanted, wanted{kind, free, target})
	return ref
}

// componentName keeps what OpenAPI allows in a component's name.
func componentName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}
