package gocode

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// requestsFile declares, for each operation, the type of its request and the function that reads it.
func (p *plan) requestsFile() *jen.File {
	f := newFile(p.options)
	for _, o := range p.operations {
		p.declareRequest(f, o)
		f.Line()
		p.declareRequestReader(f, o)
		f.Line()
	}
	return f
}

func (p *plan) declareRequest(f *jen.File, o *operation) {
	f.Add(doc(o.request+" is a request of "+o.where()+".", "")).Type().Id(o.request).StructFunc(func(g *jen.Group) {
		g.Comment("// Key is the idempotency key" + either(o.op.Policy.Key.Required, ".", "; empty when the client sent none.")).Line().
			Id("Key").String()
		g.Comment("// Principal is who asks, as authentication has it.").Line().Id("Principal").String()
		for _, param := range o.params {
			g.Add(param.comment()).Id(param.name).Add(param.slot.goType(reading)).Comment(remark(param.In + " " + param.Name))
		}
		if o.contentType {
			g.Comment("// ContentType is the body's, as the client sent it.").Line().Id("ContentType").String()
		}
		for _, body := range o.bodies {
			g.Add(doc("", o.op.Shape.Body.Description)).Id(body.name).Add(body.slot.goType(reading)).Comment(remark(body.MediaType))
		}
	})
}

// comment is the parameter's description, and its default where it may be left out.
func (f *param) comment() *jen.Statement {
	if f.Required {
		return doc("", f.Description)
	}
	return doc(defaultOf(f.Schema), f.Description)
}

// where is the operation in a comment: "POST /payments", or "the webhook POST name".
func (o *operation) where() string {
	path := firstParagraph(o.op.Method + " " + o.op.Path)
	if o.op.Webhook {
		return "the webhook " + path
	}
	return path
}

// declareRequestReader writes
//
//	func readCreatePaymentRequest(call *runtime.Call[pgx.Tx]) (*CreatePaymentRequest, error) {
//		in := wire.NewReader(call.Request(), call.Body())
//		req := &CreatePaymentRequest{Key: call.Key(), Principal: call.Principal()}
//		req.Limit = wire.Optional(in.Query("limit").Min("1"), wire.Value.Int32)
//		if in.Content(true, "application/json") != "" {
//			req.Body = readPayment(in.JSON())
//		}
//		return req, in.Err()
//	}
func (p *plan) declareRequestReader(f *jen.File, o *operation) {
	f.Func().Id(o.reader).
		Params(jen.Id("call").Op("*").Qual(runtimePath, "Call").Types(jen.Qual(pgxPath, "Tx"))).
		Params(jen.Op("*").Id(o.request), jen.Error()).
		BlockFunc(func(g *jen.Group) {
			g.Id("in").Op(":=").Qual(wirePath, "NewReader").Call(jen.Id("call").Dot("Request").Call(), jen.Id("call").Dot("Body").Call())
			g.Id("req").Op(":=").Op("&").Id(o.request).Values(
				jen.Id("Key").Op(":").Id("call").Dot("Key").Call(),
				jen.Id("Principal").Op(":").Id("call").Dot("Principal").Call(),
			)
			for _, param := range o.readingOrder() {
				value := param.value(o)
				if param.Required {
					value = value.Dot("Required").Call()
				}
				g.Id("req").Dot(param.name).Op("=").Add(param.slot.read(value, reading))
			}
			if o.contentType {
				g.Id("req").Dot("ContentType").Op("=").Id("call").Dot("Request").Call().Dot("Header").Dot("Get").Call(jen.Lit("Content-Type"))
			}
			o.readBodies(g)
			g.Return(jen.Id("req"), jen.Id("in").Dot("Err").Call())
		})
}

// readingOrder is the order of the fields, but for objects that are spread over the query: they take what is left.
func (o *operation) readingOrder() []*param {
	var first, last []*param
	for _, param := range o.params {
		if param.isSpread() {
			last = append(last, param)
			continue
		}
		first = append(first, param)
	}
	return append(first, last...)
}

// isSpread reports whether a query parameter is an object whose members are parameters of their own.
func (f *param) isSpread() bool {
	return f.In == "query" && f.MediaType == "" && f.Style == "form" && f.Explode &&
		f.Schema != nil && f.Schema.Kind == policy.Object
}

// value is the call that finds a parameter: in.Query("limit"), with its style where that is not the default.
func (f *param) value(o *operation) *jen.Statement {
	in := jen.Id("in")
	var call *jen.Statement
	var style jen.Code
	switch f.In {
	case "path":
		return in.Dot("Path").CallFunc(func(g *jen.Group) {
			g.Lit(f.Name)
			g.Lit(o.wildcard(f.Name))
			if style := f.style("simple", false); style != nil {
				g.Add(style)
			}
		})
	case "query":
		call, style = in.Dot("Query"), f.style("form", true)
	case "header":
		call, style = in.Dot("Header"), f.style("simple", false)
	default:
		call, style = in.Dot("Cookie"), f.style("form", true)
	}
	if style == nil {
		return call.Call(jen.Lit(f.Name))
	}
	return call.Call(jen.Lit(f.Name), style)
}

// styleNames are the styles of OpenAPI as wire knows them.
var styleNames = map[string]string{
	"simple": "Simple", "label": "Label", "matrix": "Matrix", "form": "Form", "spaceDelimited": "SpaceDelimited",
	"pipeDelimited": "PipeDelimited", "deepObject": "DeepObject", "cookie": "Cookie",
}

// style is the style that a parameter is read in, nil when it is the default of its place.
func (f *param) style(byDefault string, explode bool) jen.Code {
	switch {
	case f.MediaType != "" && media.Of(f.MediaType) == media.JSON:
		return jen.Qual(wirePath, "JSONText")
	case f.MediaType != "":
		return nil
	case f.isSpread():
		return jen.Qual(wirePath, "Spread")
	}
	return styleOf(f.Style, f.Explode, byDefault, explode)
}

func styleOf(style string, exploded bool, byDefault string, defaultExplode bool) jen.Code {
	name, known := styleNames[style]
	switch {
	case !known, style == byDefault && exploded == defaultExplode:
		return nil
	case exploded:
		return jen.Qual(wirePath, name).Op("|").Qual(wirePath, "Explode")
	default:
		return jen.Qual(wirePath, name)
	}
}

// readBodies reads the body in the media type that was sent. in.Content has reported a body that is missing or of another
// type when it returns "".
func (o *operation) readBodies(g *jen.Group) {
	if len(o.bodies) == 0 {
		return
	}
	offers := []jen.Code{jen.Lit(o.op.Shape.Body.Required)}
	for _, body := range o.bodies {
		offers = append(offers, jen.Lit(body.MediaType))
	}
	content := jen.Id("in").Dot("Content").Call(offers...)
	if len(o.bodies) == 1 {
		g.If(content.Op("!=").Lit("")).Block(o.bodies[0].read())
		return
	}
	g.Switch(content).BlockFunc(func(g *jen.Group) {
		for _, body := range o.bodies {
			g.Case(jen.Lit(body.MediaType)).Block(body.read())
		}
	})
}

// read assigns the body. The value is there, so that an optional one is what it reads, and null is what it says.
func (b *body) read() *jen.Statement {
	field := jen.Id("req").Dot(b.name).Op("=")
	switch b.kind {
	case media.Binary:
		return field.Id("call").Dot("Body").Call()
	case media.Text:
		return field.Add(b.slot.read(jen.Id("in").Dot("Text").Call(), reading))
	case media.Form:
		return field.Add(b.slot.read(jen.Id("in").Dot("Form").Call(b.fields()...), reading))
	case media.Multipart:
		return field.Add(b.slot.read(jen.Id("in").Dot("Multipart").Call(b.fields()...), reading))
	default:
		return field.Add(b.slot.read(jen.Id("in").Dot("JSON").Call(), reading))
	}
}

// fields says which members of a form are written in another way than the default; nested names, a[b] and a[0], are always
// understood.
func (b *body) fields() []jen.Code {
	var fields []jen.Code
	for _, e := range b.Encodings {
		style := styleOf(e.Style, e.Explode, "form", true)
		if e.Style == "deepObject" {
			style = nil
		}
		if e.ContentType != "" && media.Of(e.ContentType) == media.JSON {
			style = jen.Qual(wirePath, "JSONText")
		}
		if style != nil {
			fields = append(fields, jen.Qual(wirePath, "Field").Values(
				jen.Id("Name").Op(":").Lit(e.Name), jen.Id("Style").Op(":").Add(style),
			))
		}
	}
	return fields
}
