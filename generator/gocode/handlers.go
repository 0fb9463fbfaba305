package gocode

import (
	"github.com/dave/jennifer/jen"
)

// docFile says what the package is, and ties it to the runtime it was generated for.
func (p *plan) docFile() *jen.File {
	f := newFile(p.options)
	title := firstParagraph(p.doc.Title)
	if title == "" {
		title = "this API"
	}
	for _, line := range docLines("Package "+p.options.Package+" serves the keyed operations of "+title+".", "") {
		f.PackageComment(line)
	}
	f.PackageComment("//")
	for _, line := range docLines("Implement [Handlers] and pass it to [Register]. What a handler writes through the tx that it is given, the "+
		"idempotency record and the answer are committed together, or not at all; a repeated request gets the first answer and "+
		"the handler does not run.", "") {
		f.PackageComment(line)
	}
	f.Comment("// A runtime of another generation than this package does not compile with it.")
	f.Const().Id("_").Op("=").Qual(runtimePath, "GeneratedCodeV1")
	return f
}

// handlersFile declares the interface to implement, the registration and a handler for each operation.
func (p *plan) handlersFile() *jen.File {
	f := newFile(p.options)
	p.declareInterface(f)
	f.Line()
	p.declareRegister(f)
	f.Line()
	for _, o := range p.operations {
		p.declareHandler(f, o)
		f.Line()
	}
	if len(p.operations) > 0 {
		p.declareServe(f)
	}
	return f
}

func (p *plan) declareInterface(f *jen.File) {
	for _, line := range docLines("Handlers is what you implement: one method for each keyed operation.", "") {
		f.Comment(line)
	}
	f.Comment("//")
	for _, line := range docLines("A method does its work through tx only and must not keep it. A statement that fails aborts tx, whatever is "+
		"answered afterwards: use tx.Begin for a part that may fail, or ON CONFLICT. The method may be called again for the same "+
		"request, with a new tx, when the database asks for a repetition: it leaves req as it is. An answer whose status is not "+
		"kept by the policy, and an error, roll the work back; a *runtime.Problem is answered as it says, any other error with 500 and without its text.", "") {
		f.Comment(line)
	}
	f.Type().Id("Handlers").InterfaceFunc(func(g *jen.Group) {
		for _, o := range p.operations {
			g.Add(doc(o.name+" handles "+o.where()+".", summary(o.op.Summary, o.op.Description))).Id(o.name).Params(
				jen.Id("ctx").Qual("context", "Context"),
				jen.Id("tx").Qual(pgxPath, "Tx"),
				jen.Id("req").Op("*").Id(o.request),
			).Params(jen.Id(o.response), jen.Error())
		}
	})
}

// summary is the shorter of the texts that an operation has.
func summary(summary, description string) string {
	if firstParagraph(summary) != "" {
		return summary
	}
	return description
}

// declareRegister writes
//
//	func Register(mux *http.ServeMux, engine *runtime.Engine[pgx.Tx], h Handlers) error {
//		for _, op := range []*runtime.Operation{&opCreatePayment} {
//			if err := engine.Register(op); err != nil {
//				return err
//			}
//		}
//		mux.Handle("POST /payments", CreatePaymentHandler(engine, h))
//		return nil
//	}
func (p *plan) declareRegister(f *jen.File) {
	for _, line := range docLines("Register checks every policy against engine and mounts the operations on mux. An error means that a policy "+
		"cannot be kept, and nothing is mounted then. Like [http.ServeMux.Handle] it panics when mux has a conflicting pattern "+
		"already. Under another router, mount the handlers below one by one; they take the path's parameters from "+
		"[http.Request.PathValue].", "") {
		f.Comment(line)
	}
	for _, o := range p.operations {
		if !p.isMounted(o) {
			f.Comment("//")
			f.Comment("// " + o.handler + " has no route here: mount it yourself.")
		}
	}
	f.Func().Id("Register").Params(
		jen.Id("mux").Op("*").Qual("net/http", "ServeMux"), engineParam(), jen.Id("h").Id("Handlers"),
	).Error().BlockFunc(func(g *jen.Group) {
		var all []jen.Code
		for _, o := range p.operations {
			all = append(all, jen.Op("&").Id(o.variable))
		}
		if len(all) > 0 {
			g.For(jen.List(jen.Id("_"), jen.Id("op")).Op(":=").Range().Index().Op("*").Qual(runtimePath, "Operation").
				Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: len(all) > 3}, all...)).Block(
				jen.If(jen.Err().Op(":=").Id("engine").Dot("Register").Call(jen.Id("op")), jen.Err().Op("!=").Nil()).Block(
					jen.Return(jen.Err()),
				),
			)
		}
		for _, m := range p.mounts {
			g.Id("mux").Dot("Handle").Call(jen.Lit(m.pattern), m.handler())
		}
		g.Return(jen.Nil())
	})
}

func engineParam() *jen.Statement {
	return jen.Id("engine").Op("*").Qual(runtimePath, "Engine").Types(jen.Qual(pgxPath, "Tx"))
}

// handler is the handler of a mount: the operation's own, or one that tells several operations apart.
func (m *mount) handler() *jen.Statement {
	call := func(r *route) *jen.Statement {
		return jen.Id(r.operation.handler).Call(jen.Id("engine"), jen.Id("h"))
	}
	if !m.dispatches {
		return call(m.routes[0])
	}
	var routes []jen.Code
	for _, r := range m.routes {
		routes = append(routes, jen.Qual(wirePath, "Route").Values(
			jen.Id("Template").Op(":").Lit(r.operation.op.Path),
			jen.Id("Names").Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
				for _, name := range r.operation.wildcards {
					g.Lit(name)
				}
			}),
			jen.Id("Handler").Op(":").Add(call(r)),
		))
	}
	return jen.Qual(wirePath, "Dispatch").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, routes...)
}

// declareServe writes the way of every request, which the handlers have in common.
func (p *plan) declareServe(f *jen.File) {
	tx := jen.Qual(pgxPath, "Tx")
	answer := func() *jen.Statement { return jen.Params(jen.Qual(runtimePath, "Response"), jen.Error()) }
	f.Comment("// serve is the way of every request: who asks and with which key, what is asked, then the work, once.")
	f.Func().Id("serve").Types(jen.Id("Request").Any()).Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true},
		engineParam(),
		jen.Id("op").Op("*").Qual(runtimePath, "Operation"),
		jen.Id("read").Func().Params(jen.Op("*").Qual(runtimePath, "Call").Types(tx)).
			Params(jen.Op("*").Id("Request"), jen.Error()),
		jen.Id("work").Func().Params(jen.Qual("context", "Context"), tx, jen.Op("*").Id("Request")).Add(answer()),
	).Qual("net/http", "Handler").Block(
		jen.Return(jen.Qual("net/http", "HandlerFunc").Call(
			jen.Func().Params(jen.Id("w").Qual("net/http", "ResponseWriter"), jen.Id("r").Op("*").Qual("net/http", "Request")).Block(
				jen.List(jen.Id("call"), jen.Id("ok")).Op(":=").Id("engine").Dot("Begin").
					Call(jen.Id("w"), jen.Id("r"), jen.Id("op")),
				jen.If(jen.Op("!").Id("ok")).Block(jen.Return()),
				jen.List(jen.Id("req"), jen.Err()).Op(":=").Id("read").Call(jen.Id("call")),
				jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("call").Dot("Reject").Call(jen.Err()), jen.Return()),
				jen.Id("call").Dot("Transaction").Call(
					jen.Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Add(tx)).Add(answer()).Block(
						jen.Return(jen.Id("work").Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("req"))),
					),
				),
			),
		)),
	)
}

// declareHandler writes
//
//	func CreatePaymentHandler(engine *runtime.Engine[pgx.Tx], h Handlers) http.Handler {
//		return serve(engine, &opCreatePayment, readCreatePaymentRequest,
//			func(ctx context.Context, tx pgx.Tx, req *CreatePaymentRequest) (runtime.Response, error) {
//				res, err := h.CreatePayment(ctx, tx, req)
//				if err != nil {
//					return runtime.Response{}, err
//				}
//				if res == nil {
//					return runtime.Response{}, runtime.Explain("handler CreatePayment returned neither an answer nor an error", nil)
//				}
//				return res.EncodeCreatePayment()
//			})
//	}
func (p *plan) declareHandler(f *jen.File, o *operation) {
	fail := func(err jen.Code) jen.Code { return jen.Return(jen.Qual(runtimePath, "Response").Values(), err) }
	f.Comment("// " + o.handler + " serves " + o.where() + ".")
	f.Func().Id(o.handler).Params(engineParam(), jen.Id("h").Id("Handlers")).Qual("net/http", "Handler").Block(
		jen.Return(jen.Id("serve").Call(jen.Id("engine"), jen.Op("&").Id(o.variable), jen.Id(o.reader),
			jen.Line().Func().Params(
				jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Qual(pgxPath, "Tx"), jen.Id("req").Op("*").Id(o.request),
			).Params(jen.Qual(runtimePath, "Response"), jen.Error()).Block(
				jen.List(jen.Id("res"), jen.Err()).Op(":=").Id("h").Dot(o.name).Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("req")),
				jen.If(jen.Err().Op("!=").Nil()).Block(fail(jen.Err())),
				jen.If(jen.Id("res").Op("==").Nil()).Block(
					fail(jen.Qual(runtimePath, "Explain").Call(jen.Lit("handler "+o.name+" returned neither an answer nor an error"), jen.Nil()))),
				jen.Return(jen.Id("res").Dot(o.encode()).Call()),
			),
		)),
	)
}
