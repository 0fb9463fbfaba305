package spec

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// converter turns schemas of the document into [policy.Schema]. A schema that is referred to is one node however often
// that happens; it is filled from a queue, so that long chains of references cost no stack.
type converter struct {
	src      *sources
	refs     *resolver
	siblings bool // OpenAPI 3.1 and later: keywords beside $ref count

	components map[*yaml.Node]string // components.schemas of the document -> name

	named  map[*yaml.Node]*policy.Schema
	placed map[*yaml.Node]*policy.Schema // nil while one is being filled
	taken  names                         // names that are given, or belong to components
	queue  []queued
	late   []lateUse
	both   map[string]*policy.Schema // combinations of several schemas, by their nodes; nil while one is being made
	made   int
	// combining counts the combinations that are being made within each other.
	combining int
}

type queued struct {
	schema *policy.Schema
	node   *yaml.Node
}

// lateUse is a use of a named schema that says more of it. It is a copy, made when the named schema is filled.
type lateUse struct {
	use, named *policy.Schema
	says       []*yaml.Node // outermost first
	nullable   bool
}

// maxSchemas bounds the schemas of one document. Stripe's whole document has under 60,000.
const maxSchemas = 1_000_000

// maxCombined bounds combinations of schemas in combinations of schemas.
const maxCombined = 32

// maxCombinations bounds members that several combined schemas describe each in its way. No real document has hundreds.
const maxCombinations = 10_000

// newConverter is a converter for a document with these components.schemas.
func newConverter(src *sources, refs *resolver, siblings bool, components *yaml.Node) *converter {
	c := &converter{src: src, refs: refs, siblings: siblings, components: map[*yaml.Node]string{},
		named: map[*yaml.Node]*policy.Schema{}, placed: map[*yaml.Node]*policy.Schema{}, taken: names{}, both: map[string]*policy.Schema{}}
	for key, node := range members(components) {
		c.components[node] = key.Value
		c.taken[key.Value] = 1
	}
	return c
}

// of is the schema that n writes or refers to, complete; nil for nil.
func (c *converter) of(n *yaml.Node) *policy.Schema {
	s := c.schema(n)
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.fill(next.schema, next.node)
	}
	for _, late := range c.late {
		*late.use = *late.named
		late.use.Nullable = late.use.Nullable || late.nullable
		for i := len(late.says) - 1; i >= 0; i-- {
			annotate(late.use, late.says[i])
		}
	}
	c.late = c.late[:0]
	return s
}

// schemas are the named schemas so far, sorted by name.
func (c *converter) schemas() []*policy.Schema {
	list := make([]*policy.Schema, 0, len(c.named))
	for _, schema := range c.named {
		list = append(list, schema)
	}
	slices.SortFunc(list, func(a, b *policy.Schema) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// schema is [converter.of] with what n refers to still in the queue.
func (c *converter) schema(n *yaml.Node) *policy.Schema {
	if n == nil {
		return nil
	}
	core, ref, says, nullable := n, (*yaml.Node)(nil), []*yaml.Node(nil), false
	for range maxChain {
		if to := reference(core); to != nil && (!c.siblings || onlyAnnotations(core, "$ref")) {
			target := c.refs.follow(to, typing)
			if target == nil {
				return &policy.Schema{Kind: policy.Any, Degraded: "the reference " + quoteShort(to.Value) + " cannot be followed", Pos: c.src.at(core)}
			}
			if c.siblings && len(core.Content) > 2 {
				says = append(says, core)
			}
			core, ref = target, to
			continue
		}
		inner, beside, null := wrapped(core)
		if inner == nil {
			if ref == nil {
				return c.inPlace(core)
			}
			return c.use(c.component(core, ref), says, nullable)
		}
		says, nullable = append(append(says, core), beside...), nullable || null
		core, ref = inner, nil
	}
	if ref != nil {
		c.refs.tell(ref, typing, ruleRefLoop, "let it refer to something else than itself", "the reference %s leads back to itself", quoteShort(ref.Value))
	}
	return &policy.Schema{Kind: policy.Any, Degraded: "a reference that leads back to itself", Pos: c.src.at(n)}
}

// inPlace is the schema of a node that stands where it is used. allOf may bring it into several schemas, and even into
// itself, which no Go type follows.
func (c *converter) inPlace(n *yaml.Node) *policy.Schema {
	if known, ok := c.placed[n]; ok {
		if known == nil {
			return &policy.Schema{Kind: policy.Any, AdditionalAllowed: true, Degraded: "a recursive combination of schemas", Pos: c.src.at(n)}
		}
		return known
	}
	c.placed[n] = nil
	s := &policy.Schema{}
	c.fill(s, n)
	c.placed[n] = s
	return s
}

// component is the shared schema of a node that is referred to.
func (c *converter) component(n, ref *yaml.Node) *policy.Schema {
	if known := c.named[n]; known != nil {
		return known
	}
	name, ok := c.components[n]
	if !ok {
		name = c.freeName(nameOf(ref.Value))
	}
	s := &policy.Schema{Name: name}
	c.named[n] = s
	c.queue = append(c.queue, queued{s, n})
	return s
}

func (c *converter) freeName(name string) string {
	if name == "" {
		name = "schema"
	}
	return c.taken.claim(name)
}

func (c *converter) use(named *policy.Schema, says []*yaml.Node, nullable bool) *policy.Schema {
	if len(says) == 0 && !nullable {
		return named
	}
	use := &policy.Schema{}
	c.late = append(c.late, lateUse{use, named, says, nullable})
	return use
}

// annotate takes over what a schema says of its use: everything that does not change which values there are.
func annotate(s *policy.Schema, n *yaml.Node) {
	if title := text(get(n, "title")); title != "" {
		s.Title = title
	}
	if description := text(get(n, "description")); description != "" {
		s.Description = description
	}
	s.Nullable = s.Nullable || isTrue(get(n, "nullable"))
	s.ReadOnly = s.ReadOnly || isTrue(get(n, "readOnly"))
	s.WriteOnly = s.WriteOnly || isTrue(get(n, "writeOnly"))
	s.Deprecated = s.Deprecated || isTrue(get(n, "deprecated"))
	if value := get(n, "default"); value != nil {
		s.Default = valueJSON(value, s.Kind)
	}
	if value := exampleOf(n); value != nil {
		s.Example = valueJSON(value, s.Kind)
	}
}

// exampleOf is a schema's `example`, or the first of its `examples`.
func exampleOf(n *yaml.Node) *yaml.Node {
	if example := get(n, "example"); example != nil {
		return example
	}
	if list := items(get(n, "examples")); len(list) > 0 {
		return list[0]
	}
	return nil
}

// valueJSON is a value as JSON. Where the schema says string, a number or a boolean is the text that its author wrote:
// YAML's `code: 10` is no more a number there than `code: 010` is.
func valueJSON(n *yaml.Node, kind policy.Kind) json.RawMessage {
	if kind == policy.String && (isNumber(n) || isBool(n)) {
		return appendString(nil, n.Value)
	}
	return rawJSON(n)
}

// fill reads a schema from its node.
func (c *converter) fill(s *policy.Schema, n *yaml.Node) {
	s.Pos, s.Kind, s.AdditionalAllowed = c.src.at(n), policy.Any, true
	if c.made++; c.made > maxSchemas {
		s.Degraded = "the document has too many schemas"
		return
	}
	f := c.flatten(n)
	kind, nullable, reason := c.kind(&f)
	if f.degraded == "" && reason == "" {
		reason = c.unfaithful(n, &f, kind)
	}
	if f.degraded != "" {
		reason = f.degraded
	}
	s.Nullable = nullable || f.nullable
	if reason != "" {
		s.Degraded = reason
	} else {
		s.Kind = kind
	}
	for i, part := range f.parts {
		own := part == n || i == len(f.parts)-1
		c.describe(s, part, own)
	}
	if s.Degraded != "" {
		return
	}
	for _, part := range f.parts {
		constrain(s, part)
	}
	c.scalarUnion(s, &f)
	switch kind {
	case policy.Array:
		c.items(s, &f)
	case policy.Object:
		c.object(s, &f)
	}
}

// describe takes over a part's texts. Those of the schema itself win over those of what it is combined from.
func (c *converter) describe(s *policy.Schema, part *yaml.Node, own bool) {
	nullable := s.Nullable
	if own {
		annotate(s, part)
	} else {
		inherited := policy.Schema{Kind: s.Kind}
		annotate(&inherited, part)
		if s.Description == "" {
			s.Description = inherited.Description
		}
		s.ReadOnly, s.WriteOnly = s.ReadOnly || inherited.ReadOnly, s.WriteOnly || inherited.WriteOnly
		if s.Default == nil {
			s.Default = inherited.Default
		}
		if s.Example == nil && s.Kind != policy.Object {
			s.Example = inherited.Example
		}
	}
	s.Nullable = nullable
}
