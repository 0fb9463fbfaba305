package gocode

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/media"
)

// responsesFile declares, for each operation, the interface of its answers and a type for each answer that is documented.
func (p *plan) responsesFile() *jen.File {
	f := newFile(p.options)
	for _, o := range p.operations {
		f.Comment("// " + o.response + " is an answer of " + o.name + ": one of the types below, or a type of your own.")
		f.Type().Id(o.response).Interface(
			jen.Id(o.encode()).Params().Params(jen.Qual(runtimePath, "Response"), jen.Error()),
		)
		f.Line()
		for _, a := range o.answers {
			p.declareAnswer(f, o, a)
			f.Line()
		}
	}
	return f
}

func (p *plan) declareAnswer(f *jen.File, o *operation, a *answer) {
	lead := a.name + " answers any other status"
	if isCode(a.Status) || isClass(a.Status) {
		lead = a.name + " answers " + a.Status
	}
	if a.content != nil {
		lead += " as " + firstParagraph(a.content.MediaType)
	}
	f.Add(doc(lead+".", a.Response.Description)).Type().Id(a.name).StructFunc(func(g *jen.Group) {
		if a.anyStatus {
			g.Id("StatusCode").Int()
		}
		if a.anyType {
			g.Id("ContentType").String()
		}
		for _, h := range a.headers {
			g.Add(doc("", h.Description)).Id(h.name).Add(h.slot.goType(reading)).Comment(remark("header " + h.Name))
		}
		if a.content != nil {
			g.Id("Body").Add(a.slot.goType(reading))
		}
	})
	f.Line()
	f.Comment("// " + o.encode() + " returns the answer as it is sent.")
	f.Func().Params(jen.Id("a").Id(a.name)).Id(o.encode()).Params().Params(jen.Qual(runtimePath, "Response"), jen.Error()).
		BlockFunc(func(g *jen.Group) { a.encodeBody(g) })
}

// encodeBody writes
//
//	header := http.Header{}
//	if err := wire.SetHeader(header, "Location", a.Location, false); err != nil {
//		return runtime.Response{}, err
//	}
//	return wire.JSON(201, "application/json", header, a.Body)
func (a *answer) encodeBody(g *jen.Group) {
	var status jen.Code
	if a.anyStatus {
		a.checkStatus(g)
		status = jen.Id("a").Dot("StatusCode")
	} else {
		code, _ := strconv.Atoi(a.Status)
		status = jen.Lit(code)
	}
	header := jen.Nil()
	if len(a.headers) > 0 {
		a.setHeaders(g)
		header = jen.Id("header")
	}
	if a.content == nil {
		g.Return(jen.Qual(wirePath, "Empty").Call(status, header))
		return
	}
	mediaType := jen.Lit(a.content.MediaType)
	switch {
	case a.anyType:
		mediaType = jen.Id("a").Dot("ContentType")
	case strings.Contains(a.content.MediaType, "*"):
		mediaType = jen.Lit("application/json")
	}
	body := jen.Id("a").Dot("Body")
	if (a.slot.typ.shape == list || a.slot.typ.shape == dict) && a.slot.wrap == plain && a.slot.typ.home == "" && !nullable(a.slot.schema) && a.kind == media.JSON {
		g.If(jen.Add(body).Op("==").Nil()).Block(jen.Add(body).Op("=").Add(a.slot.goType(reading)).Values())
	}
	switch a.kind {
	case media.JSON:
		g.Return(jen.Qual(wirePath, "JSON").Call(status, mediaType, header, body))
	case media.Text:
		g.Return(jen.Qual(wirePath, "Bytes").Call(status, mediaType, header, jen.Index().Byte().Call(body)))
	default:
		g.Return(jen.Qual(wirePath, "Bytes").Call(status, mediaType, header, body))
	}
}

// checkStatus refuses a status that the document has no place for here.
func (a *answer) checkStatus(g *jen.Group) {
	code := jen.Id("a").Dot("StatusCode")
	wrong := jen.Add(code).Op("<").Lit(200).Op("||").Add(code).Op(">").Lit(599)
	if isClass(a.Status) {
		wrong = jen.Add(code).Op("/").Lit(100).Op("!=").Lit(int(a.Status[0] - '0'))
	}
	g.If(wrong).Block(jen.Return(
		jen.Qual(runtimePath, "Response").Values(),
		jen.Qual("fmt", "Errorf").Call(jen.Lit(a.name+": status %d is not "+statusWords(a.Status)), code),
	))
}

func statusWords(status string) string {
	if isClass(status) {
		return "in " + strings.ToUpper(status)
	}
	return "an answer's"
}

func (a *answer) setHeaders(g *jen.Group) {
	g.Id("header").Op(":=").Qual("net/http", "Header").Values()
	set := func(h *param) *jen.Statement {
		return jen.Qual(wirePath, "SetHeader").Call(
			jen.Id("header"), jen.Lit(h.Name), jen.Id("a").Dot(h.name), jen.Lit(h.Explode),
		)
	}
	failed := jen.Return(jen.Qual(runtimePath, "Response").Values(), jen.Err())
	if len(a.headers) == 1 {
		g.If(jen.Err().Op(":=").Add(set(a.headers[0])), jen.Err().Op("!=").Nil()).Block(failed)
		return
	}
	g.Err().Op(":=").Qual("errors", "Join").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, func() []jen.Code {
		var calls []jen.Code
		for _, h := range a.headers {
			calls = append(calls, set(h))
		}
		return calls
	}()...)
	g.If(jen.Err().Op("!=").Nil()).Block(failed)
}
