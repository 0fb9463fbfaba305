package spec

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// declared finds the key parameters that the document declares for an operation already. They are proposals: a decision
// takes its defaults from them, and nothing is keyed because of them alone.
//
// GET, HEAD, OPTIONS and TRACE are looked at for headers only: a body member or a query parameter of such an operation
// is a filter (Increase finds an object by the key that made it).
func (l *loading) declared(op *operation) []policy.DeclaredKey {
	var keys []policy.DeclaredKey
	safe := op.out.Method == "GET" || op.out.Method == "HEAD" || op.out.Method == "OPTIONS" || op.out.Method == "TRACE"
	parameters, _ := l.parameters(op, looking)
	for _, parameter := range parameters {
		if key, ok := l.declaredParameter(parameter, safe); ok {
			keys = append(keys, key)
		}
	}
	if safe {
		return keys
	}
	body, _ := l.refs.deref(get(op.node, "requestBody"), looking)
	seen := map[string]int{}
	types, inBody := 0, len(keys)
	name := func(key *policy.DeclaredKey) string { return string(key.Key.In) + key.Key.Name + key.Key.Pointer }
	for mediaType, content := range members(get(body, "content")) {
		content, _ = l.refs.deref(content, looking)
		types++
		for _, key := range l.declaredMembers(mediaType.Value, get(content, "schema")) {
			if seen[name(&key)]++; seen[name(&key)] == 1 { // one schema under several media types is one declaration
				keys = append(keys, key)
			}
		}
	}
	for i := range keys[inBody:] {
		key := &keys[inBody+i]
		key.MayBeAbsent = !isTrue(get(body, "required")) || seen[name(key)] < types
	}
	return keys
}

func (l *loading) declaredParameter(parameter *yaml.Node, safe bool) (policy.DeclaredKey, bool) {
	name, in := text(get(parameter, "name")), text(get(parameter, "in"))
	var why string
	var ok bool
	switch {
	case in == "header":
		if why, ok = known(headerKeys, name); !ok {
			why, ok = l.ambiguous(requestHeaders, name, parameter)
		}
	case in == "query" && !safe:
		if why, ok = known(queryKeys, name); !ok {
			why, ok = l.ambiguous(requestIDs, name, parameter)
		}
	}
	if !ok {
		return policy.DeclaredKey{}, false
	}
	schema, _ := l.refs.deref(get(parameter, "schema"), looking)
	key := policy.Key{In: policy.Location(in), Name: name, Required: isTrue(get(parameter, "required"))}
	return l.declaredAs(key, schema, why, parameter), true
}

// ambiguous looks for a name that carries a key in some APIs and a trace id in others: the declaration has to say which.
func (l *loading) ambiguous(names []keyName, name string, declaration *yaml.Node) (why string, ok bool) {
	if why, ok = known(names, name); !ok {
		return "", false
	}
	target, _ := l.refs.deref(declaration, looking)
	if saysIdempotent(text(get(declaration, "description"))) || saysIdempotent(text(get(target, "description"))) {
		return why, true
	}
	return "", false
}

// declaredAs is a key as a declaration at a place and its schema have it.
func (l *loading) declaredAs(key policy.Key, schema *yaml.Node, why string, at *yaml.Node) policy.DeclaredKey {
	declared := policy.DeclaredKey{Key: l.declaredKey(key, schema), Known: why, Pos: l.src.at(at)}
	l.gather(schema, map[*yaml.Node]bool{}, func(part *yaml.Node) {
		types, null := typesOf(part)
		if declared.Type == "" && len(types) > 0 {
			declared.Type = types[0]
		}
		declared.Nullable = declared.Nullable || null
		if declared.SchemaFormat == "" {
			declared.SchemaFormat = text(get(part, "format"))
		}
		for _, keyword := range []string{"oneOf", "anyOf"} {
			if _, null := splitNull(get(part, keyword)); null {
				declared.Nullable = true
			}
		}
	})
	return declared
}

// declaredKey takes over what a schema, with all that it is combined of, says of the key's form: the narrower of two.
func (l *loading) declaredKey(key policy.Key, schema *yaml.Node) policy.Key {
	l.gather(schema, map[*yaml.Node]bool{}, func(part *yaml.Node) {
		key.MinLength = max(key.MinLength, count(get(part, "minLength")))
		if length := count(get(part, "maxLength")); length > 0 && (key.MaxLength == 0 || length < key.MaxLength) {
			key.MaxLength = length
		}
		if pattern := get(part, "pattern"); isText(pattern) && key.Pattern == "" {
			key.Pattern = pattern.Value
		}
		if text(get(part, "format")) == "uuid" {
			key.Format = policy.UUID
		}
	})
	return key
}

// count reads a length, 0 when it is none.
func count(n *yaml.Node) int {
	if !isNumber(n) {
		return 0
	}
	value, err := strconv.Atoi(strings.TrimSuffix(n.Value, ".0"))
	if err != nil || value < 0 {
		return 0
	}
	return value
}

// declaredMembers finds keys among the members of a body.
func (l *loading) declaredMembers(mediaType string, schema *yaml.Node) []policy.DeclaredKey {
	in, ok := carries(mediaType)
	if !ok {
		return nil
	}
	names := bodyKeys
	if in == policy.InForm {
		names = formKeys
	}
	top := l.properties(schema)
	var keys []policy.DeclaredKey
	for _, p := range top {
		why, ok := known(names, p.key.Value)
		if !ok && in == policy.InBody {
			why, ok = l.ambiguous(requestIDs, p.key.Value, p.schema)
		}
		if !ok {
			continue
		}
		key := policy.Key{In: in, Required: p.required}
		if in == policy.InBody {
			key.Pointer = "/" + escapeToken(p.key.Value)
		} else {
			key.Name = p.key.Value
		}
		value, _ := l.refs.deref(p.schema, looking)
		if isTrue(get(value, "readOnly")) || isTrue(get(p.schema, "readOnly")) {
			continue // only answers have it
		}
		keys = append(keys, l.declaredAs(key, value, why, p.key))
	}
	if len(keys) > 0 || in != policy.InBody {
		return keys
	}
	return l.batchKeys(top)
}

// carries says what a key in a body of a media type is called, a body key or a form key; ok is false where there can be
// none.
func carries(mediaType string) (in policy.Location, ok bool) {
	switch base := baseMediaType(mediaType); {
	case media.IsJSON(base):
		return policy.InBody, true
	case base == "application/x-www-form-urlencoded", base == "multipart/form-data":
		return policy.InForm, true
	}
	return "", false
}

// batchKeys finds keys that stand once per item of a batch: in the objects of a list, or of a map, at the body's top
// level. One key per item is none of the request.
func (l *loading) batchKeys(top []property) []policy.DeclaredKey {
	var keys []policy.DeclaredKey
	for _, p := range top {
		value, _ := l.refs.deref(p.schema, looking)
		for _, keyword := range []string{"items", "additionalProperties"} {
			for _, member := range l.properties(get(value, keyword)) {
				why, ok := known(bodyKeys, member.key.Value)
				if !ok {
					continue
				}
				item, _ := l.refs.deref(member.schema, looking)
				key := policy.Key{In: policy.InBody, Required: member.required,
					Pointer: "/" + escapeToken(p.key.Value) + "/-/" + escapeToken(member.key.Value)}
				declared := l.declaredAs(key, item, why, member.key)
				declared.InBatchItem = true
				keys = append(keys, declared)
			}
		}
	}
	return keys
}

func escapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// property is a member that an object schema names.
type property struct {
	key, schema *yaml.Node
	required    bool
}

// properties are an object schema's members, those that allOf brings included.
func (l *loading) properties(schema *yaml.Node) []property {
	var list []property
	required := map[string]bool{}
	l.gather(schema, map[*yaml.Node]bool{}, func(part *yaml.Node) {
		for _, name := range items(get(part, "required")) {
			required[text(name)] = true
		}
		for key, value := range members(get(part, "properties")) {
			list = append(list, property{key: key, schema: value})
		}
	})
	for i := range list {
		list[i].required = required[list[i].key.Value]
	}
	return list
}

// gather visits a schema and what it is combined of, each once: what it refers to, what its allOf brings, and the one
// branch of a oneOf or anyOf that is not null.
func (l *loading) gather(schema *yaml.Node, seen map[*yaml.Node]bool, visit func(part *yaml.Node)) {
	if schema == nil || seen[schema] || len(seen) > maxDepth {
		return
	}
	seen[schema] = true
	if reference(schema) != nil {
		target, _ := l.refs.deref(schema, looking)
		l.gather(target, seen, visit)
		if !l.siblings() {
			return // OpenAPI 3.0: what stands beside $ref is ignored
		}
	}
	for _, part := range items(get(schema, "allOf")) {
		l.gather(part, seen, visit)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if branches, _ := splitNull(get(schema, keyword)); len(branches) == 1 {
			l.gather(branches[0], seen, visit)
		}
	}
	visit(schema)
}
