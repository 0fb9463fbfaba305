package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/media"
)

// A Swagger 2.0 document is rewritten as OpenAPI 3.0 on its own tree, so that every node still knows its line, members
// keep their order and numbers their digits. kin-openapi's converter would lose all three.

// convert replaces the main document's tree by what it is in OpenAPI 3.0.
func (l *loading) convert() {
	s := &swagger{l: l, root: l.main.root}
	root := s.document()
	s.rewrite(root)
	l.main.root, l.main.resolved, l.main.indexes, l.main.anchors = root, nil, nil, nil
}

type swagger struct {
	l    *loading
	root *yaml.Node
}

// at makes a node that stands where another does.
func at(n *yaml.Node, kind yaml.Kind, tag string) *yaml.Node {
	return &yaml.Node{Kind: kind, Tag: tag, Line: n.Line, Column: n.Column}
}

func textAt(n *yaml.Node, value string) *yaml.Node {
	t := at(n, yaml.ScalarNode, strTag)
	t.Value = value
	return t
}

func boolAt(n *yaml.Node, value string) *yaml.Node {
	b := at(n, yaml.ScalarNode, boolTag)
	b.Value = value
	return b
}

func mapAt(n *yaml.Node) *yaml.Node { return at(n, yaml.MappingNode, mapTag) }

// put appends a member.
func put(n *yaml.Node, name string, value *yaml.Node) {
	n.Content = append(n.Content, textAt(value, name), value)
}

func (s *swagger) document() *yaml.Node {
	root := mapAt(s.root)
	for key, value := range members(s.root) {
		switch {
		case key.Value == "swagger":
			put(root, "openapi", textAt(value, "3.0.3"))
		case key.Value == "info", key.Value == "tags", key.Value == "externalDocs", strings.HasPrefix(key.Value, "x-"):
			root.Content = append(root.Content, key, value)
		case key.Value == "paths":
			root.Content = append(root.Content, key, s.paths(value))
		case key.Value == "host" || key.Value == "basePath" && !has(s.root, "host"):
			put(root, "servers", s.servers(value))
		}
	}
	components := mapAt(s.root)
	if definitions := get(s.root, "definitions"); isMap(definitions) {
		put(components, "schemas", definitions)
	}
	if responses := get(s.root, "responses"); isMap(responses) {
		converted := mapAt(responses)
		for key, response := range members(responses) {
			converted.Content = append(converted.Content, key, s.response(response, s.mediaTypes(nil, "produces")))
		}
		put(components, "responses", converted)
	}
	put(root, "components", components)
	return root
}

// servers are the URLs that schemes, host and basePath come to.
func (s *swagger) servers(where *yaml.Node) *yaml.Node {
	list := at(where, yaml.SequenceNode, seqTag)
	add := func(url string) {
		server := mapAt(where)
		put(server, "url", textAt(where, url))
		list.Content = append(list.Content, server)
	}
	host, basePath := text(get(s.root, "host")), text(get(s.root, "basePath"))
	if host == "" {
		add(basePath)
		return list
	}
	schemes := items(get(s.root, "schemes"))
	if len(schemes) == 0 {
		add("https://" + host + basePath)
	}
	for _, scheme := range schemes {
		add(text(scheme) + "://" + host + basePath)
	}
	return list
}

func (s *swagger) paths(paths *yaml.Node) *yaml.Node {
	converted := mapAt(paths)
	for path, item := range members(paths) {
		converted.Content = append(converted.Content, path, s.pathItem(item, "/paths/"+escapeToken(path.Value)))
	}
	return converted
}

func (s *swagger) pathItem(item *yaml.Node, pointer string) *yaml.Node {
	if item = s.l.mergedItem(item, pointer); !isMap(item) {
		return item
	}
	converted := mapAt(item)
	for key, value := range members(item) {
		switch {
		case slices.Contains(methods, key.Value) && isMap(value):
			if op, _, _ := s.l.mergedOperation(value, key, ""); op != nil {
				converted.Content = append(converted.Content, key, s.operation(item, op))
			}
		case key.Value != "parameters":
			converted.Content = append(converted.Content, key, value)
		}
	}
	return converted
}

func (s *swagger) operation(item, op *yaml.Node) *yaml.Node {
	converted := mapAt(op)
	for key, value := range members(op) {
		switch key.Value {
		case "parameters":
			if !isList(value) { // an error where the operation turns out to be keyed
				converted.Content = append(converted.Content, key, value)
			}
		case "consumes", "produces", "schemes", "security":
		case "responses":
			converted.Content = append(converted.Content, key, s.responses(op, value))
		default:
			converted.Content = append(converted.Content, key, value)
		}
	}
	var plain, form []*yaml.Node
	var body *yaml.Node
	holder := &operation{node: op, item: item}
	parameters, broken := s.l.parameters(holder, looking)
	for _, parameter := range parameters {
		switch text(get(parameter, "in")) {
		case "body":
			body = parameter
		case "formData":
			form = append(form, parameter)
		default:
			plain = append(plain, s.parameter(parameter))
		}
	}
	plain = append(plain, broken...) // errors where the operation turns out to be keyed
	if len(plain) > 0 {
		list := at(plain[0], yaml.SequenceNode, seqTag)
		list.Content = plain
		put(converted, "parameters", list)
	}
	switch {
	case body != nil:
		put(converted, "requestBody", s.body(op, body))
	case len(form) > 0:
		put(converted, "requestBody", s.form(op, form))
	}
	return converted
}

// mediaTypes are an operation's consumes or produces, else the document's, else JSON.
func (s *swagger) mediaTypes(op *yaml.Node, member string) []string {
	var list []string
	for _, from := range []*yaml.Node{op, s.root} {
		if named := get(from, member); isList(named) {
			for _, mediaType := range named.Content {
				list = append(list, text(mediaType))
			}
			break
		}
	}
	if len(list) == 0 {
		return []string{"application/json"}
	}
	return list
}

func content(where *yaml.Node, mediaTypes []string, value func(mediaType string) *yaml.Node) *yaml.Node {
	c := mapAt(where)
	for _, mediaType := range mediaTypes {
		if !has(c, mediaType) {
			put(c, mediaType, value(mediaType))
		}
	}
	return c
}

func (s *swagger) body(op, parameter *yaml.Node) *yaml.Node {
	body := mapAt(parameter)
	for key, value := range members(parameter) {
		if key.Value == "description" || key.Value == "required" || strings.HasPrefix(key.Value, "x-") {
			body.Content = append(body.Content, key, value)
		}
	}
	put(body, "content", content(parameter, s.mediaTypes(op, "consumes"), func(string) *yaml.Node {
		c := mapAt(parameter)
		if key, schema := lookup(parameter, "schema"); schema != nil {
			c.Content = append(c.Content, key, schema)
		}
		return c
	}))
	return body
}

// form makes one object schema of form fields.
func (s *swagger) form(op *yaml.Node, fields []*yaml.Node) *yaml.Node {
	where := fields[0]
	schema, properties, required := mapAt(where), mapAt(where), at(where, yaml.SequenceNode, seqTag)
	encoding := mapAt(where)
	file := false
	for _, field := range fields {
		name := get(field, "name")
		file = file || text(get(field, "type")) == "file"
		properties.Content = append(properties.Content, name, s.schemaOf(field, true))
		if isTrue(get(field, "required")) {
			required.Content = append(required.Content, name)
		}
		if style, explode, ok := collection(field, "form"); ok {
			e := mapAt(field)
			put(e, "style", textAt(field, style))
			put(e, "explode", boolAt(field, explode))
			encoding.Content = append(encoding.Content, name, e)
		}
	}
	put(schema, "type", textAt(where, "object"))
	put(schema, "properties", properties)
	if len(required.Content) > 0 {
		put(schema, "required", required)
	}
	body := mapAt(where)
	if len(required.Content) > 0 {
		put(body, "required", boolAt(where, "true"))
	}
	put(body, "content", content(where, s.formTypes(op, file), func(string) *yaml.Node {
		c := mapAt(where)
		put(c, "schema", schema)
		if len(encoding.Content) > 0 {
			put(c, "encoding", encoding)
		}
		return c
	}))
	return body
}

func (s *swagger) formTypes(op *yaml.Node, file bool) []string {
	const urlencoded, multipart = "application/x-www-form-urlencoded", "multipart/form-data"
	var list []string
	for _, mediaType := range s.mediaTypes(op, "consumes") {
		if base := baseMediaType(mediaType); base == multipart || base == urlencoded && !file {
			list = append(list, mediaType)
		}
	}
	switch {
	case len(list) > 0:
		return list
	case file:
		return []string{multipart}
	}
	return []string{urlencoded}
}

// parameter gives a parameter outside the body its schema, and a style for its collectionFormat.
func (s *swagger) parameter(p *yaml.Node) *yaml.Node {
	converted := mapAt(p)
	for key, value := range members(p) {
		switch key.Value {
		case "name", "in", "description", "required", "allowEmptyValue":
			converted.Content = append(converted.Content, key, value)
		default:
			if strings.HasPrefix(key.Value, "x-") {
				converted.Content = append(converted.Content, key, value)
			}
		}
	}
	base := defaultStyle(text(get(p, "in")))
	if style, explode, ok := collection(p, base); ok {
		put(converted, "style", textAt(p, style))
		put(converted, "explode", boolAt(p, explode))
	}
	put(converted, "schema", s.schemaOf(p, false))
	return converted
}

// collection is the style that a collectionFormat comes to. Swagger's default is csv, OpenAPI's is multi.
func collection(p *yaml.Node, base string) (style, explode string, ok bool) {
	if text(get(p, "type")) != "array" {
		return "", "", false
	}
	switch text(get(p, "collectionFormat")) {
	case "multi":
		return base, "true", true
	case "ssv", "tsv":
		return "spaceDelimited", "false", true
	case "pipes":
		return "pipeDelimited", "false", true
	}
	return base, "false", true
}

// schemaOf takes the keywords of a schema out of a parameter or a header that has them in place.
func (s *swagger) schemaOf(p *yaml.Node, described bool) *yaml.Node {
	if schema := get(p, "schema"); schema != nil {
		return schema
	}
	schema := mapAt(p)
	for key, value := range members(p) {
		switch key.Value {
		case "name", "in", "required", "collectionFormat", "allowEmptyValue":
		case "description":
			if described {
				schema.Content = append(schema.Content, key, value)
			}
		default:
			schema.Content = append(schema.Content, key, value)
		}
	}
	return schema
}

func (s *swagger) responses(op, responses *yaml.Node) *yaml.Node {
	converted := mapAt(responses)
	for key, response := range members(responses) {
		if !strings.HasPrefix(key.Value, "x-") {
			response = s.response(response, s.mediaTypes(op, "produces"))
		}
		converted.Content = append(converted.Content, key, response)
	}
	return converted
}

func (s *swagger) response(r *yaml.Node, produces []string) *yaml.Node {
	ref := text(reference(r))
	if ref != "" {
		// Resolved here, as the media types are those of the operation that refers.
		if r, _ = s.l.refs.deref(r, must); r == nil {
			return nullAt(s.root)
		}
	}
	if !isMap(r) {
		return r
	}
	converted := mapAt(r)
	if ref != "" {
		s.l.stoodFor[converted] = ref
	}
	for key, value := range members(r) {
		switch key.Value {
		case "schema", "examples":
		case "headers":
			headers := mapAt(value)
			for name, header := range members(value) {
				headers.Content = append(headers.Content, name, s.header(header))
			}
			converted.Content = append(converted.Content, key, headers)
		default:
			converted.Content = append(converted.Content, key, value)
		}
	}
	key, schema := lookup(r, "schema")
	examples := get(r, "examples")
	if schema == nil && examples == nil {
		return converted
	}
	if text(get(schema, "type")) == "file" {
		produces = slices.DeleteFunc(slices.Clone(produces), func(m string) bool { return media.IsJSON(baseMediaType(m)) })
		if len(produces) == 0 {
			produces = []string{"application/octet-stream"}
		}
	}
	put(converted, "content", content(r, produces, func(mediaType string) *yaml.Node {
		c := mapAt(r)
		if schema != nil {
			c.Content = append(c.Content, key, schema)
		}
		if example := get(examples, mediaType); example != nil {
			put(c, "example", example)
		}
		return c
	}))
	return converted
}

func nullAt(n *yaml.Node) *yaml.Node {
	null := at(n, yaml.ScalarNode, nullTag)
	null.Value = "null"
	return null
}

func (s *swagger) header(h *yaml.Node) *yaml.Node {
	if !isMap(h) {
		return h
	}
	converted := mapAt(h)
	if key, description := lookup(h, "description"); description != nil {
		converted.Content = append(converted.Content, key, description)
	}
	put(converted, "schema", s.schemaOf(h, false))
	return converted
}

// rewrite turns what Swagger says otherwise, in a whole tree: where references lead, and what schemas write of files, null
// and discriminators.
func (s *swagger) rewrite(root *yaml.Node) {
	eachMember(root, func(holder, key, value *yaml.Node) bool {
		switch {
		case key.Value == "$ref" && isText(value):
			if now := openAPIRef(value.Value); now != value.Value {
				s.l.refs.swagger[value] = value.Value
				value.Value = now
			}
		case key.Value == "type" && text(value) == "file":
			value.Value = "string"
			if !has(holder, "format") {
				put(holder, "format", textAt(value, "binary"))
			}
		case key.Value == "discriminator" && isText(value):
			name := *value
			*value = *mapAt(value)
			put(value, "propertyName", &name)
		case key.Value == "x-nullable" && isTrue(value) && !has(holder, "nullable"):
			put(holder, "nullable", value)
		}
		return true
	})
}

func openAPIRef(ref string) string {
	for old, now := range map[string]string{"#/definitions/": "#/components/schemas/", "#/responses/": "#/components/responses/"} {
		if rest, ok := strings.CutPrefix(ref, old); ok {
			return now + rest
		}
	}
	return ref
}
