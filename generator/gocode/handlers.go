package gocode

import (
	"slices"

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
	for _, line := range docLines("Implement [Handlers] and pass it to [Register]. "+p.promise(), "") {
		f.PackageComment(line)
	}
	f.Comment("// A runtime of another generation than this package does not compile with it.")
	f.Const().Id("_").Op("=").Qual(runtimePath, "GeneratedCodeV1")
	return f
}

// promise says what the modes of the operations come to.
func (p *plan) promise() string {
	text := ""
	if p.hasTransactions() || len(p.operations) == 0 {
		text += "What a handler writes through the tx that it is given, the idempotency record and the answer are committed together, or not at all. "
	}
	if p.hasLeases() {
		text += "A handler that is given a lease does its work in steps; what it has begun is finished after a crash, and no step is done twice. "
	}
	if p.hasRebuilt(true) {
		return text + "A repeated request gets the first answer, or what a Current method makes of it, and the handler does not run."
	}
	return text + "A repeated request gets the first answer and the handler does not run."
}

func (p *plan) hasLeases() bool { return slices.ContainsFunc(p.operations, (*operation).leased) }

func (p *plan) hasTransactions() bool {
	return slices.ContainsFunc(p.operations, func(o *operation) bool { return !o.leased() })
}

// hasRebuilt reports whether an answer is rebuilt, of any operation or of one in transaction mode.
func (p *plan) hasRebuilt(ofAny bool) bool {
	return slices.ContainsFunc(p.operations, func(o *operation) bool { return o.current != "" && (ofAny || !o.leased()) })
}

func (p *plan) hasReconciled() bool {
	return slices.ContainsFunc(p.operations, func(o *operation) bool { return slices.ContainsFunc(o.steps, (*step).external) })
}

// handlersFile declares the interface to implement, the registration and a handler for each operation.
func (p *plan) handlersFile() *jen.File {
	f := newFile(p.options)
	p.declareInterface(f)
	f.Line()
	p.declareRegister(f)
	f.Line()
	for _, o := range p.operations {
		if o.leased() {
			p.declareLeaseHandler(f, o)
		} else {
			p.declareHandler(f, o)
		}
		f.Line()
	}
	if p.hasTransactions() {
		p.declareServe(f)
		f.Line()
	}
	for _, o := range p.operations {
		declareEncoder(f, o)
		f.Line()
	}
	return f
}

func (p *plan) declareInterface(f *jen.File) {
	paragraphs := []string{"Handlers is what you implement: one method for each keyed operation, and those below that some of them need."}
	if !p.hasRebuilt(true) && !p.hasReconciled() {
		paragraphs[0] = "Handlers is what you implement: one method for each keyed operation."
	}
	if p.hasTransactions() {
		lead := "A method"
		if p.hasLeases() {
			lead = "A method with a tx"
		}
		paragraphs = append(paragraphs, lead+" does its work through tx only and must not keep it. A statement that fails aborts tx, whatever is "+
			"answered afterwards: use tx.Begin for a part that may fail, or ON CONFLICT. The method may be called again for the same "+
			"request, with a new tx, when the database asks for a repetition: it leaves req as it is. An answer whose status is not "+
			"kept by the policy, and an error, roll the work back; a *runtime.Problem is answered as it says, any other error with 500 and without its text.")
	}
	if p.hasLeases() {
		paragraphs = append(paragraphs, "A method with a lease does its work in steps: each is passed to runtime.DoLocal or runtime.DoExternal, in the "+
			"order of the policy, and the last work in the database is done in the lease's Complete, together with the answer. When its "+
			"process dies, the method is called again, in any process and with the same request, until it has ended: by the next request "+
			"with the key, or by a runtime.Recovery, of which each process runs one. A step that is done returns its stored result then, "+
			"and what stands outside of steps runs again. An error before the first step leaves nothing done. After that, an error or an answer of 5xx that the policy does not "+
			"keep leaves the request in progress, to be taken up again, and any other answer is final.")
	}
	if p.hasReconciled() {
		paragraphs = append(paragraphs, "A Reconcile method is asked about a call that an earlier run may have begun, and that was not seen to end. It asks "+
			"the other side, by the step's key, and returns runtime.Done with what the call would have returned, of the same type, "+
			"runtime.NotDone, or runtime.Unknown. It has no effect of its own.")
	}
	if p.hasRebuilt(true) {
		paragraphs = append(paragraphs, "A Current method answers a repeated request from the current state: first is the answer that was given at first, as "+
			"far as it is kept. It reads through tx, which is rolled back afterwards, and has no effect of its own.")
	}
	for i, paragraph := range paragraphs {
		if i > 0 {
			f.Comment("//")
		}
		for _, line := range docLines(paragraph, "") {
			f.Comment(line)
		}
	}
	f.Type().Id("Handlers").InterfaceFunc(func(g *jen.Group) {
		for _, o := range p.operations {
			o.declareMethods(g)
		}
	})
}

// declareMethods writes the methods of the interface that an operation asks for.
func (o *operation) declareMethods(g *jen.Group) {
	ctx, req := jen.Id("ctx").Qual("context", "Context"), jen.Id("req").Op("*").Id(o.request)
	tx := jen.Id("tx").Qual(pgxPath, "Tx")
	worksWith := tx
	if o.leased() {
		worksWith = jen.Id("lease").Op("*").Id(o.lease)
	}
	g.Add(doc(o.name+" handles "+o.where()+".", summary(o.op.Summary, o.op.Description))).Id(o.name).
		Params(ctx, worksWith, req).Params(jen.Id(o.response), jen.Error())
	for _, s := range o.steps {
		if s.external() {
			g.Add(doc(s.reconcile+" finds out what became of the step "+s.name+" of "+o.name+".", "")).Id(s.reconcile).Params(ctx, jen.Id("step").Op("*").Qual(runtimePath, "Interrupted"), req).
				Params(jen.Qual(runtimePath, "Reconciliation"), jen.Error())
		}
	}
	if o.current != "" {
		g.Comment("// " + o.current + " answers a repetition of " + o.name + ".")
		g.Id(o.current).Params(ctx, tx, req, firstParam()).Params(jen.Id(o.response), jen.Error())
	}
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

// declareServe writes the way of every request in transaction mode, which the handlers have in common.
func (p *plan) declareServe(f *jen.File) {
	tx := jen.Qual(pgxPath, "Tx")
	parameters := []jen.Code{
		engineParam(),
		jen.Id("op").Op("*").Qual(runtimePath, "Operation"),
		jen.Id("read").Func().Params(jen.Op("*").Qual(runtimePath, "Call").Types(tx)).
			Params(jen.Op("*").Id("Request"), jen.Error()),
		jen.Id("work").Func().Params(jen.Qual("context", "Context"), tx, jen.Op("*").Id("Request")).Add(runtimeAnswer()),
	}
	if p.hasRebuilt(false) {
		parameters = append(parameters, jen.Id("current").Func().Params(jen.Qual("context", "Context"), tx, jen.Op("*").Id("Request"),
			jen.Op("*").Qual(runtimePath, "First")).Add(runtimeAnswer()))
	}
	f.Comment("// serve is the way of every request: who asks and with which key, what is asked, then the work, once.")
	f.Func().Id("serve").Types(jen.Id("Request").Any()).
		Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, parameters...).
		Qual("net/http", "Handler").Block(
		jen.Return(jen.Qual("net/http", "HandlerFunc").Call(
			jen.Func().Params(jen.Id("w").Qual("net/http", "ResponseWriter"), jen.Id("r").Op("*").Qual("net/http", "Request")).BlockFunc(func(g *jen.Group) {
				g.List(jen.Id("call"), jen.Id("ok")).Op(":=").Id("engine").Dot("Begin").
					Call(jen.Id("w"), jen.Id("r"), jen.Id("op"))
				g.If(jen.Op("!").Id("ok")).Block(jen.Return())
				g.Defer().Id("call").Dot("End").Call()
				g.List(jen.Id("req"), jen.Err()).Op(":=").Id("read").Call(jen.Id("call"))
				g.If(jen.Err().Op("!=").Nil()).Block(jen.Id("call").Dot("Reject").Call(jen.Err()), jen.Return())
				if p.hasRebuilt(false) {
					g.If(jen.Id("current").Op("!=").Nil()).Block(jen.Id("call").Dot("Current").Call(
						jen.Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Add(tx), firstParam()).Add(runtimeAnswer()).Block(
							jen.Return(jen.Id("current").Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("req"), jen.Id("first"))),
						)))
				}
				g.Id("call").Dot("Transaction").Call(
					jen.Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Add(tx)).Add(runtimeAnswer()).Block(
						jen.Return(jen.Id("work").Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("req"))),
					),
				)
			}),
		)),
	)
}

// declareHandler writes
//
//	func CreatePaymentHandler(engine *runtime.Engine[pgx.Tx], h Handlers) http.Handler {
//		return serve(engine, &opCreatePayment, readCreatePaymentRequest,
//			func(ctx context.Context, tx pgx.Tx, req *CreatePaymentRequest) (runtime.Response, error) {
//				return encodeCreatePayment(h.CreatePayment(ctx, tx, req))
//			})
//	}
func (p *plan) declareHandler(f *jen.File, o *operation) {
	parameters := []jen.Code{
		jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Qual(pgxPath, "Tx"), jen.Id("req").Op("*").Id(o.request),
	}
	ids := []jen.Code{jen.Id("ctx"), jen.Id("tx"), jen.Id("req")}
	arguments := []jen.Code{jen.Id("engine"), jen.Op("&").Id(o.variable), jen.Id(o.reader),
		jen.Line().Func().Params(parameters...).Add(runtimeAnswer()).Block(
			jen.Return(o.encoded(jen.Id("h").Dot(o.name).Call(ids...))),
		),
	}
	switch {
	case o.current != "":
		arguments = append(arguments, jen.Line().Func().Params(append(parameters, firstParam())...).Add(runtimeAnswer()).Block(
			jen.Return(o.encoded(jen.Id("h").Dot(o.current).Call(append(ids, jen.Id("first"))...))),
		))
	case p.hasRebuilt(false):
		arguments = append(arguments, jen.Nil())
	}
	f.Comment("// " + o.handler + " serves " + o.where() + ".")
	f.Func().Id(o.handler).Params(engineParam(), jen.Id("h").Id("Handlers")).Qual("net/http", "Handler").Block(
		jen.Return(jen.Id("serve").Call(arguments...)),
	)
}

// declareEncoder writes
//
//	func encodeCreatePayment(res CreatePaymentResponse, err error) (runtime.Response, error) {
//		if err != nil {
//			return runtime.Response{}, err
//		}
//		if res == nil {
//			return runtime.Response{}, runtime.Explain("handler CreatePayment returned neither an answer nor an error", nil)
//		}
//		return res.EncodeCreatePayment()
//	}
func declareEncoder(f *jen.File, o *operation) {
	fail := func(err jen.Code) jen.Code { return jen.Return(jen.Qual(runtimePath, "Response").Values(), err) }
	f.Comment("// " + o.encoder + " makes what the handler returned an answer to send.")
	f.Func().Id(o.encoder).Params(jen.Id("res").Id(o.response), jen.Err().Error()).Add(runtimeAnswer()).Block(
		jen.If(jen.Err().Op("!=").Nil()).Block(fail(jen.Err())),
		jen.If(jen.Id("res").Op("==").Nil()).Block(
			fail(jen.Qual(runtimePath, "Explain").Call(jen.Lit("handler "+o.name+" returned neither an answer nor an error"), jen.Nil()))),
		jen.Return(jen.Id("res").Dot(o.encode()).Call()),
	)
}
