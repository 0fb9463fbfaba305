package spec

import (
	"cmp"
	"encoding/json"
	"mime"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// shape is the HTTP interface of a keyed operation.
func (l *loading) shape(op *operation) *policy.Shape {
	s := &policy.Shape{Parameters: l.shapeParameters(op)}
	if key, body := lookup(op.node, "requestBody"); body != nil {
		s.Body = l.body(key, body)
	}
	s.Responses = l.responses(op)
	s.Credentials = l.credentials(op)
	return s
}

// parameters are the path item's and the operation's parameters, without their references. The operation's replace those
// of the same place and name.
//
// What cannot be used as one, as it leads nowhere or has no name, is in broken; at weight must it is an error.
func (l *loading) parameters(op *operation, weight need) (list, broken []*yaml.Node) {
	for _, from := range []*yaml.Node{op.item, op.node} {
		listed := get(from, "parameters")
		if weight == must && listed != nil && !isList(listed) && !isNull(listed) {
			l.rep.fail(listed, ruleStructure, "write parameters: [{name: ..., in: ...}]", "parameters must be a list")
		}
		for _, item := range items(listed) {
			parameter, _ := l.refs.deref(item, weight)
			if parameter == nil {
				broken = append(broken, item)
				continue
			}
			if !isMap(parameter) || !isText(get(parameter, "name")) || !isText(get(parameter, "in")) {
				if weight == must {
					l.rep.fail(parameter, ruleStructure, "write name and in", "a parameter needs a name and a place")
				}
				broken = append(broken, item)
				continue
			}
			same := func(other *yaml.Node) bool { return sameParameter(other, parameter) }
			if i := slices.IndexFunc(list, same); i >= 0 {
				list[i] = parameter
				continue
			}
			list = append(list, parameter)
		}
	}
	return list, broken
}

func sameParameter(a, b *yaml.Node) bool {
	in := text(get(a, "in"))
	if in != text(get(b, "in")) {
		return false
	}
	if in == "header" {
		return strings.EqualFold(text(get(a, "name")), text(get(b, "name")))
	}
	return text(get(a, "name")) == text(get(b, "name"))
}

// places orders parameters as [policy.Shape] says.
var places = []string{"path", "query", "header", "cookie"}

var templated = regexp.MustCompile(`\{([^{}]*)\}`)

func (l *loading) shapeParameters(op *operation) []policy.Parameter {
	var list []policy.Parameter
	inPath := map[string]bool{}
	for _, match := range templated.FindAllStringSubmatch(op.out.Path, -1) {
		inPath[match[1]] = true
	}
	parameters, _ := l.parameters(op, must)
	for _, node := range parameters {
		name, in := text(get(node, "name")), text(get(node, "in"))
		switch {
		case !slices.Contains(places, in):
			l.rep.fail(get(node, "in"), ruleStructure, "write path, query, header or cookie", "parameters in %s are not supported", quoteShort(in))
			continue
		case in == "path" && !op.out.Webhook && !inPath[name]:
			l.rep.problem(node, ruleStructure, "add it to the path, or remove it", "the path %s has no parameter %s", shown(op.out.Path), quoteShort(name))
			continue
		case (in == "header" || in == "cookie") && !policy.IsToken(name): // RFC 9110, section 5.1; RFC 6265, section 4.1.1
			l.rep.problem(get(node, "name"), ruleStructure, "write a name of letters, digits and hyphens",
				"no request can have a %s of the name %s, and it is left out", in, quoteShort(name))
			continue
		case in == "header" && isReservedHeader(name): // "shall be ignored", says OpenAPI 3.1, section 4.8.12.2
			continue
		}
		delete(inPath, name)
		parameter := l.parameter(node, name, in)
		parameter.IsKey = isKey(&op.out.Policy.Key, name, in)
		list = append(list, parameter)
	}
	for name := range inPath {
		if op.out.Webhook || name == "" {
			continue
		}
		l.rep.add(l.rep.severity(), op.out.Pos, ruleStructure, "add a parameter of that name in the path",
			"no parameter describes %s in the path %s", quoteShort(name), shown(op.out.Path))
		list = append(list, policy.Parameter{Name: name, In: "path", Required: true, Style: "simple", Pos: op.out.Pos,
			Schema: &policy.Schema{Kind: policy.String, AdditionalAllowed: true, Pos: op.out.Pos}})
	}
	slices.SortFunc(list, func(a, b policy.Parameter) int {
		return cmp.Or(cmp.Compare(slices.Index(places, a.In), slices.Index(places, b.In)), strings.Compare(a.Name, b.Name))
	})
	return list
}

func isReservedHeader(name string) bool {
	return strings.EqualFold(name, "Accept") || strings.EqualFold(name, "Content-Type") || strings.EqualFold(name, "Authorization")
}

func isKey(key *policy.Key, name, in string) bool {
	switch {
	case in == "header" && key.In == policy.InHeader:
		return strings.EqualFold(name, key.Name)
	case in == "query" && key.In == policy.InQuery:
		return name == key.Name
	}
	return false
}

// parameter reads a parameter or a header.
func (l *loading) parameter(node *yaml.Node, name, in string) policy.Parameter {
	p := policy.Parameter{
		Name:          name,
		In:            in,
		Required:      in == "path" || isTrue(get(node, "required")),
		Description:   text(get(node, "description")),
		Style:         text(get(node, "style")),
		AllowReserved: isTrue(get(node, "allowReserved")),
		Pos:           l.src.at(node),
	}
	if p.Style == "" {
		p.Style = defaultStyle(in)
	}
	p.Explode = p.Style == "form"
	if explode := get(node, "explode"); isBool(explode) {
		p.Explode = isTrue(explode)
	}
	p.Schema = l.conv.of(get(node, "schema"))
	for mediaType, content := range members(l.object(get(node, "content"), "content")) { // it has exactly one
		content = l.object(content, "the content of "+shown(mediaType.Value))
		p.MediaType, p.Schema = mediaType.Value, l.conv.of(get(content, "schema"))
		node = content
		break
	}
	if examples := l.examples(node, p.Schema); len(examples) > 0 {
		p.Example = examples[0]
	}
	return p
}

func defaultStyle(in string) string {
	if in == "query" || in == "cookie" {
		return "form"
	}
	return "simple"
}

// examples are the examples that stand beside a schema, in document order. Those that the schema refuses are reported,
// and kept: they are what the document says.
func (l *loading) examples(n *yaml.Node, schema *policy.Schema) []json.RawMessage {
	var list []json.RawMessage
	take := func(value *yaml.Node) {
		kind := policy.Any
		if schema != nil {
			kind = schema.Kind
			l.checkExample(value, schema)
		}
		list = append(list, valueJSON(value, kind))
	}
	if example := get(n, "example"); example != nil {
		take(example)
	}
	for _, example := range members(get(n, "examples")) {
		example, _ = l.refs.deref(example, looking)
		for _, member := range []string{"value", "dataValue"} {
			if value := get(example, member); value != nil {
				take(value)
				break
			}
		}
	}
	return list
}

// object is n without its reference, nil when it is none or empty. What is there and is no object is an error in a keyed
// operation's interface: code that left it out would not be the document's.
func (l *loading) object(n *yaml.Node, what string) *yaml.Node {
	n, _ = l.refs.deref(n, must)
	if n == nil || isMap(n) {
		return n
	}
	if !isNull(n) {
		l.rep.fail(n, ruleStructure, "", "%s must be an object", what)
	}
	return nil
}

func (l *loading) body(key, node *yaml.Node) *policy.Body {
	node, _ = l.refs.deref(node, must)
	if node == nil {
		return nil
	}
	if !isMap(node) {
		l.rep.fail(key, ruleStructure, "", "a request body must be an object with content")
		return nil
	}
	return &policy.Body{
		Required:    isTrue(get(node, "required")),
		Description: text(get(node, "description")),
		Contents:    l.contents(get(node, "content")),
		Pos:         l.src.at(key),
	}
}

func (l *loading) contents(node *yaml.Node) []policy.Content {
	var list []policy.Content
	for key, content := range members(l.object(node, "content")) {
		content = l.object(content, "the content of "+shown(key.Value))
		c := policy.Content{MediaType: key.Value, Pos: l.src.at(key)}
		c.Schema = l.conv.of(get(content, "schema"))
		c.Examples = l.examples(content, c.Schema)
		for name, encoding := range members(get(content, "encoding")) {
			c.Encodings = append(c.Encodings, readEncoding(name.Value, encoding))
		}
		slices.SortFunc(c.Encodings, func(a, b policy.Encoding) int { return strings.Compare(a.Name, b.Name) })
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b policy.Content) int { return strings.Compare(a.MediaType, b.MediaType) })
	return list
}

func readEncoding(name string, node *yaml.Node) policy.Encoding {
	e := policy.Encoding{Name: name, ContentType: text(get(node, "contentType")), Style: text(get(node, "style"))}
	if e.Style == "" {
		e.Style = "form"
	}
	e.Explode = e.Style == "form"
	if explode := get(node, "explode"); isBool(explode) {
		e.Explode = isTrue(explode)
	}
	return e
}

func (l *loading) responses(op *operation) []policy.Response {
	var list []policy.Response
	for key, node := range members(l.object(get(op.node, "responses"), "responses")) {
		if strings.HasPrefix(key.Value, "x-") {
			continue
		}
		status := key.Value
		if status != "default" {
			parsed, err := policy.ParseStatus(status)
			if err != nil {
				l.rep.problem(key, ruleStructure, "write a code such as 201, a class such as 2XX, or default", "%s is not a status", quoteShort(status))
				continue
			}
			status = parsed
		}
		ref := cmp.Or(text(reference(node)), l.stoodFor[node])
		if node = l.object(node, "the response "+status); node == nil {
			continue
		}
		response := policy.Response{Status: status, Ref: ref, Description: text(get(node, "description")), Pos: l.src.at(key),
			Contents: l.contents(get(node, "content"))}
		for name, header := range members(l.object(get(node, "headers"), "headers")) {
			header = l.object(header, "the header "+shown(name.Value))
			if header == nil || strings.EqualFold(name.Value, "Content-Type") {
				continue
			}
			if !policy.IsToken(name.Value) {
				l.rep.problem(name, ruleStructure, "write a name of letters, digits and hyphens",
					"no response can have a header of the name %s, and it is left out", quoteShort(name.Value))
				continue
			}
			response.Headers = append(response.Headers, l.parameter(header, name.Value, "header"))
		}
		slices.SortFunc(response.Headers, func(a, b policy.Parameter) int { return strings.Compare(a.Name, b.Name) })
		list = append(list, response)
	}
	slices.SortStableFunc(list, func(a, b policy.Response) int {
		return cmp.Or(cmp.Compare(statusRank(a.Status), statusRank(b.Status)), strings.Compare(a.Status, b.Status))
	})
	return list
}

func statusRank(status string) int {
	switch {
	case status == "default":
		return 2
	case strings.HasSuffix(status, "XX"):
		return 1
	}
	return 0
}

// baseMediaType is a media type without its parameters, in lower case.
func baseMediaType(mediaType string) string {
	if base, _, err := mime.ParseMediaType(mediaType); err == nil {
		return base
	}
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}
