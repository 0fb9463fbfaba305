package gocode_test

import (
	"encoding/json"

	"github.com/idemgen/idemgen/runtime/policy"
)

func nullable(s *policy.Schema) *policy.Schema {
	copied := *s
	copied.Nullable = true
	return &copied
}

func mapOf(values *policy.Schema) *policy.Schema {
	return &policy.Schema{Kind: policy.Object, Additional: values, AdditionalAllowed: true}
}

func number(format string) *policy.Schema { return &policy.Schema{Kind: policy.Number, Format: format} }

func boolean() *policy.Schema { return &policy.Schema{Kind: policy.Boolean} }

func literals(texts ...string) (all []json.RawMessage) {
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

// shapesDocument has one of everything that a schema, a parameter, a body or an answer can be.
func shapesDocument() *policy.Document {
	everything := everythingSchema()
	create := keyed("createShape", "POST", "/shapes/{id}.json", &policy.Shape{
		Parameters: []policy.Parameter{{Name: "id", In: "path", Required: true, Style: "simple", Schema: str()}},
		Body:       &policy.Body{Required: true, Contents: jsonContent(everything)},
		Responses:  []policy.Response{{Status: "200", Contents: jsonContent(everything)}},
	})
	list := arrayOf(object("", optional("name", str())))
	rename := keyed("renameShape", "PATCH", "/shapes/{id}:rename", &policy.Shape{
		Parameters: []policy.Parameter{{Name: "id", In: "path", Required: true, Style: "simple", Schema: str()}},
		Responses: []policy.Response{
			{Status: "200", Contents: jsonContent(list)},
			{Status: "2XX", Description: "Something else."},
			{Status: "4XX", Contents: []policy.Content{{MediaType: "text/plain", Schema: str()}}, Headers: []policy.Parameter{
				{Name: "X-At", In: "header", Schema: strFormat("date-time")},
				{Name: "X-Tags", In: "header", Schema: arrayOf(str())},
				{Name: "X-Price", In: "header", Schema: number("")},
				{Name: "Body", In: "header", Schema: boolean()},
			}},
		},
	})
	moveX := keyed("moveX", "PATCH", "/move/{x}/there", &policy.Shape{
		Parameters: []policy.Parameter{{Name: "x", In: "path", Required: true, Style: "label", Schema: integer()}},
		Body:       &policy.Body{Contents: []policy.Content{{MediaType: "*/*", Schema: list.Items}}},
		Responses:  []policy.Response{{Status: "200", Contents: []policy.Content{{MediaType: "*/*", Schema: list}}}},
	})
	undescribed := keyed("undescribed", "POST", "/undescribed/{some-id}", &policy.Shape{
		Parameters: []policy.Parameter{{Name: "other", In: "path", Required: true, Schema: str(), Pos: at(90)}},
		Responses:  []policy.Response{{Status: "204"}},
	})
	moveY := keyed("moveY", "PATCH", "/move/here/{y}", &policy.Shape{
		Parameters: []policy.Parameter{{Name: "y", In: "path", Required: true, Style: "matrix", Schema: arrayOf(integer())}},
		Responses:  []policy.Response{{Status: "204"}},
	})
	return &policy.Document{
		Title: "Shapes",
		Operations: []policy.Operation{
			bodiesOperation(), formOperation(), moveY, moveX, parametersOperation(), create, rename, undescribed, uploadOperation(), webhook(),
		},
	}
}

// everythingSchema has a member of each Go type, in each way of being absent.
func everythingSchema() *policy.Schema {
	tree := object("Tree", required("name", str()))
	next := &policy.Schema{} // the same schema, by a reference with null beside it
	tree.Properties = append(tree.Properties, optional("left", tree), optional("children", arrayOf(tree)), optional("next", next))
	*next = *nullable(tree)
	endless := object("Endless")
	endless.Properties = []policy.Property{required("self", endless)}
	names := arrayOf(str())
	names.Name, names.UniqueItems = "Names", true
	scores := mapOf(integer())
	scores.Name = "Scores"
	color := enumOf("red", "GREEN", "light blue", "+1", "-1", "", "1st", "light-blue")
	color.Name = "Color"
	level := integer()
	level.Enum = literals("1", "2", "null")
	grade := integer()
	grade.Enum, grade.Nullable, grade.Default = literals("1", "2"), true, json.RawMessage("2")
	open := object("Open", optional("known", str()))
	open.Additional = integer()
	secret := str()
	secret.WriteOnly = true
	odd := object("Odd", required(`with "quotes", commas`, str()), optional("-", integer()), optional("`", nullable(str())), required("ok", boolean()))
	closed := object("Closed")
	closed.AdditionalAllowed = false
	union := &policy.Schema{Name: "Union", Kind: policy.Any, Degraded: "oneOf of three different types", Pos: at(77)}
	lookahead := &policy.Schema{Kind: policy.String, Pattern: `^(?!\s)(.*)(\S)$`, Pos: at(78)}
	big := integer()
	big.Maximum = "18446744073709551615"
	s := object("Everything",
		required("flag", boolean()), optional("flag_opt", boolean()), optional("flag_null", nullable(boolean())), required("flag_must_null", nullable(boolean())),
		required("small", &policy.Schema{Kind: policy.Integer, Format: "int32"}), required("large", integer()), optional("huge", big),
		optional("single", number("float")), optional("double", number("double")), optional("exact", number("")),
		required("text", &policy.Schema{Kind: policy.String, MinLength: limit(1), MaxLength: limit(5)}), optional("email", strFormat("email")),
		optional("when", strFormat("date-time")), optional("day", strFormat("date")), optional("data", strFormat("byte")),
		required("color", color), optional("level", level), optional("grade", grade), optional("tree", tree), optional("endless", endless),
		required("names", names), optional("scores", scores), optional("matrix", arrayOf(arrayOf(&policy.Schema{Kind: policy.Integer, Minimum: "0"}))),
		optional("holes", arrayOf(nullable(str()))), required("list_null", nullable(arrayOf(integer()))), optional("list_tri", nullable(arrayOf(integer()))),
		optional("by_name", mapOf(arrayOf(color))), optional("open", open), optional("odd", odd), optional("closed", closed),
		optional("union", union), optional("free", &policy.Schema{Kind: policy.Any}), optional("lookahead", lookahead), optional("secret", secret),
		optional("Flag", boolean()), optional("key", str()), optional("marshal_json", str()),
	)
	return s
}

// parametersOperation takes parameters in every place and style.
func parametersOperation() policy.Operation {
	pair := object("", optional("a", integer()), required("b", str()))
	p := func(name, in, style string, explode bool, s *policy.Schema) policy.Parameter {
		return policy.Parameter{Name: name, In: in, Style: style, Explode: explode, Schema: s}
	}
	must := func(p policy.Parameter) policy.Parameter {
		p.Required = true
		return p
	}
	return keyed("parameters", "POST", "/params/{type}/{func}", &policy.Shape{
		Parameters: []policy.Parameter{
			must(p("type", "path", "simple", false, str())), must(p("func", "path", "simple", true, pair)),
			must(p("limit", "query", "form", true, &policy.Schema{Kind: policy.Integer, Minimum: "1", Maximum: "100"})),
			p("ids", "query", "form", true, arrayOf(integer())), p("csv", "query", "form", false, arrayOf(str())),
			p("spaced", "query", "spaceDelimited", false, arrayOf(str())), p("piped", "query", "pipeDelimited", false, arrayOf(str())),
			p("filter", "query", "deepObject", true, pair), p("spread", "query", "form", true, pair),
			{Name: "doc", In: "query", MediaType: "application/json", Schema: pair},
			p("key", "query", "form", true, str()), p("Key", "header", "simple", false, str()), p("Accept", "header", "simple", false, str()),
			p("X-Day", "header", "simple", false, strFormat("date")), p("session", "cookie", "form", true, strFormat("uuid")),
		},
		Responses: []policy.Response{{Status: "204"}},
	})
}

// bodiesOperation takes a body in every kind of media type.
func bodiesOperation() policy.Operation {
	simple := object("Simple", required("n", integer()))
	return keyed("bodies", "POST", "/bodies", &policy.Shape{
		Body: &policy.Body{Contents: []policy.Content{
			{MediaType: "application/json", Schema: simple},
			{MediaType: "application/json; charset=utf-8", Schema: simple},
			{MediaType: "application/merge-patch+json", Schema: simple},
			{MediaType: "application/octet-stream", Schema: strFormat("binary")},
			{MediaType: "application/x-www-form-urlencoded", Schema: simple},
			{MediaType: "image/*"},
			{MediaType: "multipart/form-data", Schema: simple},
			{MediaType: "text/plain", Schema: &policy.Schema{Kind: policy.String, MaxLength: limit(10)}},
		}},
		Responses: []policy.Response{{Status: "200", Contents: []policy.Content{
			{MediaType: "application/json", Schema: simple},
			{MediaType: "image/*"},
			{MediaType: "text/plain", Schema: str()},
		}}},
	})
}

// formOperation takes a form as Stripe has them, with the key within.
func formOperation() policy.Operation {
	item := object("", required("price", str()), optional("quantity", &policy.Schema{Kind: policy.Integer, Minimum: "1"}))
	item.AdditionalAllowed = false
	form := object("", required("amount", integer()), optional("card", object("", required("number", str()), optional("cvc", str()))),
		optional("items", arrayOf(item)), optional("expand", arrayOf(str())), optional("tags", arrayOf(str())),
		optional("metadata", mapOf(str())), required("IdempotencyKey", str()))
	op := keyed("form", "POST", "/form", &policy.Shape{
		Body: &policy.Body{Required: true, Contents: []policy.Content{{
			MediaType: "application/x-www-form-urlencoded", Schema: form,
			Encodings: []policy.Encoding{{Name: "expand", Style: "deepObject", Explode: true}, {Name: "tags", Style: "form", Explode: false}},
		}}},
		Responses: []policy.Response{{Status: "200", Contents: jsonContent(form)}},
	})
	op.Policy.Key = policy.Key{
		In: policy.InForm, Name: "IdempotencyKey", Required: true, Format: policy.AnyFormat, MaxLength: 64, LengthUnit: policy.Characters,
	}
	return op
}

// uploadOperation takes files.
func uploadOperation() policy.Operation {
	meta := object("", required("title", str()))
	upload := object("", required("file", strFormat("binary")), optional("more", arrayOf(strFormat("binary"))), optional("meta", meta), optional("note", str()))
	return keyed("upload", "POST", "/upload", &policy.Shape{
		Body: &policy.Body{Required: true, Contents: []policy.Content{{
			MediaType: "multipart/form-data", Schema: upload, Encodings: []policy.Encoding{{Name: "meta", ContentType: "application/json"}},
		}}},
		Responses: []policy.Response{{Status: "201", Contents: []policy.Content{{MediaType: "application/octet-stream", Schema: strFormat("binary")}}}},
	})
}

// webhook is received, not served at a path of the document.
func webhook() policy.Operation {
	op := keyed("chargeUpdated", "POST", "charge.updated", &policy.Shape{
		Body:      &policy.Body{Required: true, Contents: jsonContent(object("Event", required("id", str())))},
		Responses: []policy.Response{{Status: "200"}},
	})
	op.Webhook = true
	op.Policy.Key = policy.Key{
		In: policy.InBody, Pointer: "/id", Required: true, Format: policy.AnyFormat, MaxLength: 255, LengthUnit: policy.Characters,
	}
	return op
}
