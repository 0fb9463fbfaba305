package policy

import "encoding/json"

// Shape is the HTTP interface of a keyed operation, as far as a wrapper needs it.
type Shape struct {
	// Parameters are the path's and the operation's, merged, sorted by place (path, query, header, cookie) and name.
	Parameters []Parameter
	// Body is nil when the operation takes none.
	Body *Body
	// Responses are sorted by status, classes after codes, "default" last.
	Responses []Response
	// Credentials are what the first of the document's security requirements asks for, for readers: who asks is told by the
	// runtime's principal function.
	Credentials []Credential
}

// Credential is what a security scheme asks a request to carry.
type Credential struct {
	// In is header, query or cookie; Name is the header's, the parameter's or the cookie's.
	In, Name string
	// Scheme stands before the secret in an Authorization header, for example "Bearer"; empty elsewhere.
	Scheme string
}

// Parameter is one parameter outside the body.
type Parameter struct {
	Name        string
	In          string // path, query, header, cookie
	Required    bool
	Description string
	// Style and Explode follow OpenAPI 3, with its defaults filled in.
	Style         string
	Explode       bool
	AllowReserved bool
	// MediaType is set for parameters described by `content`; their value is a document of that type.
	MediaType string
	Schema    *Schema
	Example   json.RawMessage
	Pos       Position
	// IsKey is true for the parameter that carries the idempotency key; the runtime reads it, a wrapper does not.
	IsKey bool
}

// Body is a request body.
type Body struct {
	Required    bool
	Description string
	// Contents are sorted by media type.
	Contents []Content
	Pos      Position
}

// Content is one media type of a body.
type Content struct {
	MediaType string
	// Schema may be nil: the content is then free-form bytes.
	Schema *Schema
	// Encodings holds what `encoding` says of form and multipart members, sorted by Name.
	Encodings []Encoding
	// Examples are whole-body examples in document order; the first is used for generated tests.
	Examples []json.RawMessage
	Pos      Position
}

// Encoding is how one member of a form or multipart body is written.
type Encoding struct {
	Name, ContentType, Style string
	Explode                  bool
}

// Response is one documented answer.
type Response struct {
	Status string // "200", "4XX" or "default"
	// Ref is the reference that stands in the answer's place, for example "#/components/responses/Conflict"; empty where
	// the answer is written in place. An overlay must not put members beside a $ref.
	Ref         string
	Description string
	Headers     []Parameter // In is "header"; sorted by Name
	Contents    []Content
	Pos         Position
}

// Schema is what a wrapper knows of a JSON Schema: enough to type it faithfully, or the reason why it is not typed.
// Schemas form a graph; a named schema is one node however often it is referred to, so the graph may have cycles.
type Schema struct {
	// Name is the component's name, empty for a schema written in place. A reference with more to say of its component (null,
	// a description, a direction, a default, an example) is a copy of it under the same name.
	Name string
	Kind Kind
	// Degraded is set when Kind is Any because the schema cannot be typed faithfully; it says why.
	Degraded string

	Title, Description  string
	Format              string
	Nullable            bool
	ReadOnly, WriteOnly bool
	Deprecated          bool
	// Enum holds the allowed values as JSON, in document order; a const is an Enum of one.
	Enum    []json.RawMessage
	Default json.RawMessage
	Example json.RawMessage

	// Minimum and Maximum are decimal literals as the document writes them, empty when absent.
	Minimum, Maximum                   string
	ExclusiveMinimum, ExclusiveMaximum bool
	MultipleOf                         string
	// Lengths count characters, items or members; nil when absent.
	MinLength, MaxLength         *int
	MinItems, MaxItems           *int
	MinProperties, MaxProperties *int
	// Pattern is an ECMA-262 expression as written; PatternRE2 is true when Go's regexp can compile it.
	Pattern     string
	PatternRE2  bool
	UniqueItems bool

	// Items is the schema of an Array's items, nil for any.
	Items *Schema
	// Properties of an Object in document order.
	Properties []Property
	// Additional is the schema of an Object's other members; nil with AdditionalAllowed means any value.
	Additional        *Schema
	AdditionalAllowed bool

	Pos Position
}

// Property is one member of an object.
type Property struct {
	Name     string
	Required bool
	Schema   *Schema
}

// Kind is the JSON type of a schema.
type Kind string

// The kinds.
const (
	Any     Kind = "any"
	Boolean Kind = "boolean"
	Integer Kind = "integer"
	Number  Kind = "number"
	String  Kind = "string"
	Array   Kind = "array"
	Object  Kind = "object"
)
