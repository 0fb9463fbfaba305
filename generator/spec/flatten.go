package spec

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// flat is a schema with its allOf and its references taken apart: all parts hold at once.
type flat struct {
	parts    []*yaml.Node // mappings; their allOf and $ref are done with, so is a union with one branch
	unions   []union      // those with several branches
	nullable bool         // a union or the outermost part admits null
	degraded string       // why the schema cannot be typed, whatever the parts say
}

// union is a oneOf or anyOf with at least two branches beside null.
type union struct {
	keyword  string
	branches []*yaml.Node
}

// flatten takes a schema apart. What is reached twice counts once, as allOf is idempotent; so a loop ends as well.
func (c *converter) flatten(n *yaml.Node) flat {
	var f flat
	c.flattenInto(&f, n, map[*yaml.Node]bool{}, 0)
	return f
}

func (c *converter) flattenInto(f *flat, n *yaml.Node, seen map[*yaml.Node]bool, depth int) {
	switch {
	case depth > maxDepth || len(seen) > maxParts:
		f.degrade("combines too many schemas")
		return
	case n == nil:
		return
	case seen[n]:
		return
	}
	seen[n] = true
	if isBool(n) {
		if isFalse(n) {
			f.degrade("the schema false allows no value")
		}
		return
	}
	if !isMap(n) {
		f.degrade("not a schema")
		return
	}
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		if isText(get(n, keyword)) {
			f.degrade(keyword + " refers to what depends on where it is used")
			return
		}
	}
	if ref := reference(n); ref != nil {
		if target := c.refs.follow(ref, typing); target != nil {
			c.flattenInto(f, target, seen, depth+1)
		} else {
			f.degrade("the reference " + quoteShort(ref.Value) + " cannot be followed")
		}
		if !c.siblings {
			return // OpenAPI 3.0: what stands beside $ref is ignored
		}
	}
	for _, part := range items(get(n, "allOf")) {
		c.flattenInto(f, part, seen, depth+1)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches, null := splitNull(get(n, keyword))
		f.nullable = f.nullable || null
		switch len(branches) {
		case 0:
		case 1:
			c.flattenInto(f, branches[0], seen, depth+1)
		default:
			f.unions = append(f.unions, union{keyword, branches})
		}
	}
	f.parts = append(f.parts, n)
}

func (f *flat) degrade(reason string) {
	if f.degraded == "" {
		f.degraded = reason
	}
}

// maxParts bounds what one schema may be combined of.
const maxParts = 10_000

// splitNull parts a union's branches from the one that stands for null.
func splitNull(list *yaml.Node) (branches []*yaml.Node, null bool) {
	for _, branch := range items(list) {
		if onlyNull(branch) {
			null = true
			continue
		}
		branches = append(branches, branch)
	}
	return branches, null
}

// onlyNull reports whether a schema admits null and nothing else.
func onlyNull(n *yaml.Node) bool {
	if t := get(n, "type"); t != nil {
		if list := items(t); len(list) == 1 {
			t = list[0]
		}
		return isNull(t) || text(t) == "null" // `type: null`, unquoted, is what people write in YAML
	}
	if values := items(get(n, "enum")); len(values) == 1 && isNull(values[0]) {
		return true
	}
	return isNull(get(n, "const"))
}

// annotations are keywords that say something of a value without changing which values there are.
var annotations = map[string]bool{
	"title": true, "description": true, "nullable": true, "readOnly": true, "writeOnly": true, "deprecated": true,
	"default": true, "example": true, "examples": true, "externalDocs": true, "xml": true, "$comment": true, "summary": true,
}

// onlyAnnotations reports whether a schema has, beside the keyword except, nothing but annotations.
func onlyAnnotations(n *yaml.Node, except string) bool {
	for key := range members(n) {
		if key.Value != except && !annotations[key.Value] && !strings.HasPrefix(key.Value, "x-") {
			return false
		}
	}
	return true
}

// wrapped finds the one reference that a schema wraps to say more of it: allOf of a reference, alone or with annotations
// beside it, or a union of a reference with null. That is how OpenAPI 3.0 puts a description or nullable beside a
// reference.
func wrapped(n *yaml.Node) (inner *yaml.Node, beside []*yaml.Node, null bool) {
	for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
		list := get(n, keyword)
		if list == nil {
			continue
		}
		if !onlyAnnotations(n, keyword) {
			return nil, nil, false
		}
		branches := items(list)
		if keyword != "allOf" {
			branches, null = splitNull(list)
		}
		for _, branch := range branches {
			switch {
			case reference(branch) != nil && inner == nil:
				inner = branch
			case keyword == "allOf" && isMap(branch) && reference(branch) == nil && onlyAnnotations(branch, ""):
				beside = append(beside, branch)
			default:
				return nil, nil, false
			}
		}
		return inner, beside, null
	}
	return nil, nil, false
}

// bringsMembers reports whether a schema has keywords under which members may be required or named by condition, which
// a struct cannot follow.
func bringsMembers(n *yaml.Node) string {
	for _, keyword := range []string{"then", "else"} {
		if has(get(n, keyword), "properties") {
			return "its members depend on if"
		}
	}
	for _, schema := range members(get(n, "dependentSchemas")) {
		if has(schema, "properties") {
			return "its members depend on dependentSchemas"
		}
	}
	return ""
}

// onlyRequires reports whether each branch of a union does no more than demand members or exclude some: the members
// themselves are then what the rest of the schema says.
func onlyRequires(branches []*yaml.Node) bool {
	for _, branch := range branches {
		if !isMap(branch) {
			return false
		}
		for key := range members(branch) {
			switch key.Value {
			case "required", "not", "minProperties", "maxProperties", "dependentRequired":
			default:
				if !annotations[key.Value] && !strings.HasPrefix(key.Value, "x-") {
					return false
				}
			}
		}
	}
	return true
}

func (u union) reason() string {
	return fmt.Sprintf("%s of %d schemas", u.keyword, len(u.branches))
}
