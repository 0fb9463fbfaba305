package example

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Call is a request to an operation, complete but for the server's address and whatever authenticates it.
type Call struct {
	Method string
	// Target is the path and query, percent-encoded. A webhook's path is "/", as its receiver chooses it.
	Target string
	// Header holds the content type, the parameters that are headers and cookies, and the key where it is a header.
	Header http.Header
	Body   []byte

	op      *policy.Operation
	key     string
	values  []parameterValue
	content *policy.Content // nil without a body
	body    json.RawMessage // the body's value, without the key
}

// NewCall returns a request to a keyed operation with a key in the place where its policy wants it; with an empty key
// the request carries none. The parameters and the body are the documented examples where they are valid, else made;
// parameters that are optional are left out. Equal arguments give equal requests.
func NewCall(op *policy.Operation, key string) (*Call, error) {
	c := &Call{Method: op.Method, op: op, key: key}
	if err := c.choose(); err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.ID, err)
	}
	if err := c.write(); err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.ID, err)
	}
	return c, nil
}

// choose decides the values of the parameters and the body.
func (c *Call) choose() error {
	if c.op.Shape == nil {
		return errors.New("the operation is not keyed")
	}
	for i := range c.op.Shape.Parameters {
		p := &c.op.Shape.Parameters[i]
		if p.IsKey || !p.Required && p.In != "path" || setByClient(p) {
			continue
		}
		value, err := parameterExample(p)
		if err != nil {
			return fmt.Errorf("%s parameter %q: %w", p.In, p.Name, err)
		}
		c.values = append(c.values, parameterValue{p, value})
	}
	if c.op.Shape.Body == nil || len(c.op.Shape.Body.Contents) == 0 {
		return nil
	}
	c.content = preferred(c.op.Shape.Body.Contents, c.op.Policy.Key.In)
	var err error
	c.body, err = c.bodyExample()
	if err != nil {
		return fmt.Errorf("body %s: %w", c.content.MediaType, err)
	}
	return nil
}

// setByClient reports whether OpenAPI has a header parameter say nothing (section 4.8.12.2.1).
func setByClient(p *policy.Parameter) bool {
	return p.In == "header" && slices.Contains([]string{"Accept", "Content-Type", "Authorization"}, http.CanonicalHeaderKey(p.Name))
}

// parameterExample is a value that the text of a parameter can be.
func parameterExample(p *policy.Parameter) (json.RawMessage, error) {
	if len(p.Example) > 0 && Valid(p.Schema, p.Example, ForRequest) == nil && fits(p, p.Example) {
		return p.Example, nil
	}
	m := &maker{use: ForRequest}
	for n := range 4 {
		value, err := m.value(p.Schema, n)
		if err != nil {
			return nil, err
		}
		if fits(p, value) {
			return value, nil
		}
	}
	return nil, fmt.Errorf("%w: a path parameter cannot be empty", ErrImpossible)
}

// fits reports whether a value can stand where the parameter does: a path has no empty segments and none that are dots.
func fits(p *policy.Parameter, value json.RawMessage) bool {
	text := strings.Trim(string(value), `."`)
	switch p.In {
	case "path":
		return text != "" && text != "[]" && text != "{}"
	case "header":
		return !strings.ContainsFunc(string(value), func(r rune) bool { return r > 0x7e })
	default:
		return true
	}
}

// preferred is the content in which generated code's reader and the key are served best.
func preferred(contents []policy.Content, in policy.Location) *policy.Content {
	rank := func(c *policy.Content) media.Kind {
		e := media.OfContent(c)
		if in == policy.InForm && e == media.Form || in == policy.InBody && e == media.JSON {
			return -1
		}
		return e
	}
	best := &contents[0]
	for i := range contents {
		if rank(&contents[i]) < rank(best) {
			best = &contents[i]
		}
	}
	return best
}

func (c *Call) bodyExample() (json.RawMessage, error) {
	s := c.content.Schema
	if media.OfContent(c.content) >= media.Text {
		s = textSchema(s)
	}
	for _, documented := range c.content.Examples {
		keyed, err := c.withKey(documented)
		if err == nil && Valid(s, keyed, ForRequest) == nil && c.writable(documented) {
			return documented, nil
		}
	}
	if s == nil && c.needsObject() {
		return json.RawMessage("{}"), nil
	}
	return Value(s, ForRequest)
}

// textSchema is the schema of a body that is text or bytes.
func textSchema(s *policy.Schema) *policy.Schema {
	if s == nil || s.Kind != policy.String {
		return &policy.Schema{Kind: policy.String}
	}
	return s
}

// writable reports whether a documented value can be sent: a form's is an object.
func (c *Call) writable(value json.RawMessage) bool {
	_, err := write(c.content, value)
	return err == nil
}

// needsObject reports whether a body of any value has to be an object.
func (c *Call) needsObject() bool {
	e := media.OfContent(c.content)
	return e == media.Form || e == media.Multipart || c.op.Policy.Key.In == policy.InBody
}

// keyTokens is the key's place in the body; nil where it is elsewhere.
func (c *Call) keyTokens() []string {
	key := c.op.Policy.Key
	switch e := media.OfContent(c.content); {
	case key.In == policy.InForm && e == media.Form:
		return []string{key.Name}
	case key.In == policy.InBody && e == media.JSON:
		return tokensOf(key.Pointer)
	default:
		return nil
	}
}

// withoutKey takes the key out of a body: its schema or its example may have one.
func (c *Call) withoutKey(body json.RawMessage) (json.RawMessage, error) {
	tokens := c.keyTokens()
	if len(tokens) == 0 {
		return body, nil
	}
	return removeAt(body, tokens)
}

// removeAt takes a member out of an object; what has none is as it was.
func removeAt(body json.RawMessage, tokens []string) (json.RawMessage, error) {
	o, err := membersOf(body)
	if err != nil {
		return body, nil //nolint:nilerr // no object: there is nothing to take out
	}
	at := slices.IndexFunc(o, func(m member) bool { return m.name == tokens[0] })
	switch {
	case at < 0:
		return body, nil
	case len(tokens) == 1:
		return slices.Delete(o, at, at+1).json()
	}
	if o[at].value, err = removeAt(o[at].value, tokens[1:]); err != nil {
		return nil, err
	}
	return o.json()
}

// withKey puts the key into a body where that is its place.
func (c *Call) withKey(body json.RawMessage) (json.RawMessage, error) {
	tokens := c.keyTokens()
	if c.key == "" || len(tokens) == 0 {
		return body, nil
	}
	text, err := json.Marshal(c.key)
	if err != nil {
		return nil, err
	}
	return setAt(body, tokens, text)
}

// tokensOf splits a JSON Pointer (RFC 6901).
func tokensOf(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[i])
	}
	return tokens
}

// setAt puts a value at a place among an object's members, which are made where they are absent.
func setAt(body json.RawMessage, tokens []string, value json.RawMessage) (json.RawMessage, error) {
	if len(tokens) == 0 {
		return value, nil
	}
	o, err := membersOf(body)
	if err != nil {
		return nil, err
	}
	for i := range o {
		if o[i].name == tokens[0] {
			o[i].value, err = setAt(o[i].value, tokens[1:], value)
			if err != nil {
				return nil, err
			}
			return o.json()
		}
	}
	inner, err := setAt(json.RawMessage("{}"), tokens[1:], value)
	if err != nil {
		return nil, err
	}
	return append(o, member{tokens[0], inner}).json()
}

// write makes the request of the values.
func (c *Call) write() error {
	c.Header = http.Header{}
	path := c.op.Path
	if c.op.Webhook {
		path = "/"
	}
	var query []string
	for _, value := range c.values {
		if err := value.addTo(&path, &query, c.Header); err != nil {
			return fmt.Errorf("%s parameter %q: %w", value.parameter.In, value.parameter.Name, err)
		}
	}
	if c.content != nil {
		body, err := c.withKey(c.body)
		if err == nil && c.key == "" {
			body, err = c.withoutKey(body)
		}
		if err != nil {
			return err
		}
		if c.Body, err = write(c.content, body); err != nil {
			return err
		}
		c.Header.Set("Content-Type", contentTypeOf(c.content))
	}
	c.placeKey(&query)
	c.Target = escapePath(path)
	if len(query) > 0 {
		c.Target += "?" + strings.Join(query, "&")
	}
	return nil
}

// placeKey puts the key into the header or the query. A form without a body in the document has the key alone.
func (c *Call) placeKey(query *[]string) {
	key := c.op.Policy.Key
	if c.key == "" {
		return
	}
	switch key.In {
	case policy.InHeader:
		text := c.key
		if key.Syntax == policy.Structured {
			text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` // RFC 9651, section 4.1.6
		}
		c.Header.Set(key.Name, text)
	case policy.InQuery:
		*query = append(*query, url.QueryEscape(key.Name)+"="+url.QueryEscape(c.key))
	}
}

// escapePath encodes what a path template may hold and a request may not, and keeps what is encoded.
func escapePath(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>?[\\]^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
