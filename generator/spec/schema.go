package spec

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	taken  map[string]bool               // names that are given, or belong to components
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
		named: map[*yaml.Node]*policy.Schema{}, placed: map[*yaml.Node]*policy.Schema{}, taken: map[string]bool{}, both: map[string]*policy.Schema{}}
	for key, node := range members(components) {
		c.components[node] = key.Value
		c.taken[key.Value] = true
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
	free := name
	for n := 2; c.taken[free]; n++ {
		free = name + "_" + decimal(n)
	}
	c.taken[free] = true
	return free
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

// unfaithful says why a schema of one type cannot be written as one all the same.
func (c *converter) unfaithful(n *yaml.Node, f *flat, kind policy.Kind) string {
	if own, _ := c.refs.deref(n, looking); own != nil {
		if mapping := walk(own, "discriminator", "mapping"); isMap(mapping) && len(mapping.Content) > 2 && len(f.unions) == 0 {
			return "its discriminator leads to " + decimal(len(mapping.Content)/2) + " schemas"
		}
	}
	for _, u := range f.unions {
		if onlyRequires(u.branches) && kind == policy.Object {
			continue
		}
		if _, ok := c.scalars(u, kind, f); !ok {
			return u.reason()
		}
	}
	for _, part := range f.parts {
		if reason := bringsMembers(part); reason != "" {
			return reason
		}
	}
	return ""
}

// scalar is what one branch of a union of scalars says.
type scalar struct {
	kind   policy.Kind
	format string
	enum   []*yaml.Node
}

// scalars looks whether a union is one of scalars of a single type: every value of each branch is then a value of that
// type, which is as much as Go can say of it.
func (c *converter) scalars(u union, outer policy.Kind, whole *flat) (scalar, bool) {
	if outer == policy.Object || outer == policy.Array || len(whole.unions) != 1 {
		return scalar{}, false
	}
	var all scalar
	for i, branch := range u.branches {
		f := c.flatten(branch)
		if len(f.unions) > 0 || f.degraded != "" || f.nullable {
			return scalar{}, false
		}
		kind, null, reason := c.kind(&f)
		if reason != "" || null {
			return scalar{}, false
		}
		if kind == policy.Any && outer != policy.Any && onlyConstraints(f.parts) {
			kind = outer
		}
		if kind == policy.Any || kind == policy.Object || kind == policy.Array {
			return scalar{}, false
		}
		one := scalar{kind: kind}
		for _, part := range f.parts {
			if format := text(get(part, "format")); format != "" {
				one.format = format
			}
			if enum := enumOf(part); enum != nil {
				one.enum = enum
			}
		}
		switch {
		case i == 0:
			all = one
			continue
		case all.kind != one.kind && isNumeric(all.kind) && isNumeric(one.kind):
			all.kind = policy.Number
		case all.kind != one.kind:
			return scalar{}, false
		}
		if all.format != one.format {
			all.format = ""
		}
		if all.enum == nil || one.enum == nil {
			all.enum = nil
		} else {
			all.enum = slices.Concat(all.enum, one.enum)
		}
	}
	return all, outer == policy.Any || outer == all.kind
}

func isNumeric(kind policy.Kind) bool { return kind == policy.Integer || kind == policy.Number }

// onlyConstraints reports whether parts limit a value without saying its type.
func onlyConstraints(parts []*yaml.Node) bool {
	for _, part := range parts {
		for _, keyword := range []string{"properties", "items", "additionalProperties", "prefixItems"} {
			if has(part, keyword) {
				return false
			}
		}
	}
	return len(parts) > 0
}

func (c *converter) scalarUnion(s *policy.Schema, f *flat) {
	if len(f.unions) != 1 || s.Kind == policy.Object {
		return
	}
	all, ok := c.scalars(f.unions[0], s.Kind, f)
	if !ok {
		return
	}
	s.Kind = all.kind
	if s.Format == "" {
		s.Format = all.format
	}
	if s.Enum == nil {
		s.Enum = enumJSON(all.enum, all.kind)
	}
}

// constrain takes over a part's limits, the narrower of two.
func constrain(s *policy.Schema, part *yaml.Node) {
	if format := text(get(part, "format")); format != "" && s.Format == "" {
		s.Format = format
	}
	if s.Kind == policy.String && s.Format == "" {
		s.Format = contentFormat(part)
	}
	constrainEnum(s, part)
	constrainNumber(s, part)
	s.MinLength = larger(s.MinLength, limit(get(part, "minLength")))
	s.MaxLength = smaller(s.MaxLength, limit(get(part, "maxLength")))
	s.MinItems = larger(s.MinItems, limit(get(part, "minItems")))
	s.MaxItems = smaller(s.MaxItems, limit(get(part, "maxItems")))
	s.MinProperties = larger(s.MinProperties, limit(get(part, "minProperties")))
	s.MaxProperties = smaller(s.MaxProperties, limit(get(part, "maxProperties")))
	s.UniqueItems = s.UniqueItems || isTrue(get(part, "uniqueItems"))
	if pattern := get(part, "pattern"); isText(pattern) && s.Pattern == "" {
		s.Pattern = pattern.Value
		_, err := regexp.Compile(pattern.Value)
		s.PatternRE2 = err == nil
	}
}

// contentFormat is JSON Schema's way to say what OpenAPI 3.0 says by the formats byte and binary.
func contentFormat(part *yaml.Node) string {
	switch text(get(part, "contentEncoding")) {
	case "base64":
		return "byte"
	case "":
		if text(get(part, "contentMediaType")) == "application/octet-stream" {
			return "binary"
		}
	}
	return ""
}

func constrainEnum(s *policy.Schema, part *yaml.Node) {
	values := enumOf(part)
	if values == nil {
		return
	}
	own := enumJSON(values, s.Kind)
	if s.Enum == nil {
		s.Enum = own
		return
	}
	s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(value json.RawMessage) bool {
		return !slices.ContainsFunc(own, func(other json.RawMessage) bool { return string(other) == string(value) })
	})
}

// enumJSON leaves null out: whether it is allowed is for Nullable to say.
func enumJSON(values []*yaml.Node, kind policy.Kind) []json.RawMessage {
	var list []json.RawMessage
	for _, value := range values {
		if isNull(value) {
			continue
		}
		raw := valueJSON(value, kind)
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return string(other) == string(raw) }) {
			list = append(list, raw)
		}
	}
	return list
}

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

// shown is a text of the document, such as a path, without quotes where it needs none.
func shown(s string) string {
	quoted := quoteShort(s)
	if s == "" || quoted != `"`+s+`"` || strings.Contains(s, " ") {
		return quoted
	}
	return s
}

// quoteShort quotes a text of the document for a message: cut where it is long, with everything unprintable escaped.
func quoteShort(s string) string {
	const most = 80
	if len(s) <= most {
		return strconv.Quote(s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "..."
}
