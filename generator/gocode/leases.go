package gocode

import (
	"net/http"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/runtime/policy"
)

// step is a recovery point of an operation in lease mode.
type step struct {
	name   string // the policy's
	method string // of the lease's type
	// calls are the names of the downstream calls of the step. One without any works in the database alone.
	calls []string
	// reconcile is the method of the interface that is asked what became of the step; empty without calls.
	reconcile string
}

func (s *step) external() bool { return len(s.calls) > 0 }

func (o *operation) leased() bool { return o.op.Policy.Mode == policy.LeaseMode }

// planSteps names the steps of an operation and the methods of the interface that they ask for.
func (o *operation) planSteps(methods scope) {
	if !o.leased() {
		return
	}
	own := newScope("Complete")
	for _, name := range stepNames(&o.op.Policy) {
		s := &step{name: name, method: own.claim(exported(name), exported(name)+"Step")}
		for _, call := range o.op.Policy.Downstream {
			if call.Step == name {
				s.calls = append(s.calls, call.Name)
			}
		}
		if s.external() {
			s.reconcile = methods.claim("Reconcile" + o.name + s.method)
		}
		o.steps = append(o.steps, s)
	}
}

// stepNames are the steps of a policy, and those that a downstream call alone has.
func stepNames(p *policy.Policy) []string {
	names := slices.Clone(p.Steps)
	for _, call := range p.Downstream {
		if !slices.Contains(names, call.Step) {
			names = append(names, call.Step)
		}
	}
	return names
}

// requestHeaders are the headers that a request is stored with, to be read again without its client: the parameters of the
// document, but no credentials.
func (o *operation) requestHeaders() []string {
	if !o.leased() {
		return nil
	}
	secret := map[string]bool{"Authorization": true, "Proxy-Authorization": true, "Cookie": true}
	if o.op.Shape != nil {
		for _, c := range o.op.Shape.Credentials {
			if c.In == "header" {
				secret[http.CanonicalHeaderKey(c.Name)] = true
			}
		}
	}
	var names []string
	for _, param := range o.params {
		if name := http.CanonicalHeaderKey(param.Name); param.In == "header" && policy.IsToken(name) && !secret[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// leasesFile declares the type by which the handler of each operation in lease mode does its work.
func (p *plan) leasesFile() *jen.File {
	f := newFile(p.options)
	for _, o := range p.operations {
		if o.leased() {
			declareLease(f, o)
		}
	}
	return f
}

// declareLease writes
//
//	type CreatePayoutLease struct{ lease *runtime.Lease[pgx.Tx] }
//
//	func (l *CreatePayoutLease) Reserve() runtime.LocalStep[pgx.Tx] { return l.lease.Local("reserve") }
//
//	func (l *CreatePayoutLease) Transfer() runtime.ExternalStep[pgx.Tx] { return l.lease.External("transfer") }
func declareLease(f *jen.File, o *operation) {
	lead := o.lease + " is a request of " + o.name + " in progress, in the hands of its handler."
	if len(o.steps) > 0 {
		lead += " Its methods are its steps, in their order, and Complete. A step that is done is never run again, in whichever process " +
			"the handler is: it returns the result that is stored."
	}
	f.Add(doc(lead, "")).Type().Id(o.lease).Struct(jen.Id("lease").Op("*").Qual(runtimePath, "Lease").Types(jen.Qual(pgxPath, "Tx")))
	f.Line()
	for _, s := range o.steps {
		what := s.method + " is the step " + s.name + ", which works in the database: pass it to [runtime.DoLocal]."
		typeName, find := "LocalStep", "Local"
		if s.external() {
			what = s.method + " is the step " + s.name + ", which calls " + firstParagraph(strings.Join(s.calls, ", ")) + ": pass it to [runtime.DoExternal]."
			typeName, find = "ExternalStep", "External"
		}
		f.Add(doc(what, "")).Func().Params(jen.Id("l").Op("*").Id(o.lease)).Id(s.method).Params().
			Qual(runtimePath, typeName).Types(jen.Qual(pgxPath, "Tx")).Block(
			jen.Return(jen.Id("l").Dot("lease").Dot(find).Call(jen.Lit(s.name))),
		)
		f.Line()
	}
	declareComplete(f, o)
}

// declareComplete writes
//
//	func (l *CreatePayoutLease) Complete(
//		ctx context.Context,
//		work func(ctx context.Context, tx pgx.Tx) (CreatePayoutResponse, error),
//	) (res CreatePayoutResponse, err error) {
//		err = l.lease.Complete(ctx, func(ctx context.Context, tx pgx.Tx) (runtime.Response, error) {
//			res, err = work(ctx, tx)
//			return encodeCreatePayout(res, err)
//		})
//		if err != nil {
//			return nil, err
//		}
//		return res, nil
//	}
func declareComplete(f *jen.File, o *operation) {
	work := func() *jen.Statement {
		return jen.Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Qual(pgxPath, "Tx"))
	}
	for _, line := range docLines("Complete ends the request: it runs work, and commits what work writes through tx together with the answer that "+
		"work returns, which the handler returns then. work may be called again, with a new tx, when the database asks for a repetition.", "") {
		f.Comment(line)
	}
	f.Func().Params(jen.Id("l").Op("*").Id(o.lease)).Id("Complete").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true},
		jen.Id("ctx").Qual("context", "Context"),
		jen.Id("work").Func().Add(work()).Params(jen.Id(o.response), jen.Error()),
	).Params(jen.Id("res").Id(o.response), jen.Err().Error()).Block(
		jen.Err().Op("=").Id("l").Dot("lease").Dot("Complete").Call(jen.Id("ctx"), jen.Func().Add(work()).Add(runtimeAnswer()).Block(
			jen.List(jen.Id("res"), jen.Err()).Op("=").Id("work").Call(jen.Id("ctx"), jen.Id("tx")),
			jen.Return(jen.Id(o.encoder).Call(jen.Id("res"), jen.Err())),
		)),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("res"), jen.Nil()),
	)
	f.Line()
}

// declareLeaseHandler writes
//
//	func CreatePayoutHandler(engine *runtime.Engine[pgx.Tx], h Handlers) http.Handler {
//		return engine.LeaseHandler(&opCreatePayout, func(call *runtime.Call[pgx.Tx]) (work runtime.LeaseWork[pgx.Tx], err error) {
//			req, err := readCreatePayoutRequest(call)
//			if err != nil {
//				return work, err
//			}
//			work.Run = func(ctx context.Context, lease *runtime.Lease[pgx.Tx]) (runtime.Response, error) {
//				return encodeCreatePayout(h.CreatePayout(ctx, &CreatePayoutLease{lease}, req))
//			}
//			work.Reconcile = map[string]runtime.ReconcileFunc{
//				"transfer": func(ctx context.Context, step *runtime.Interrupted) (runtime.Reconciliation, error) {
//					return h.ReconcileCreatePayoutTransfer(ctx, step, req)
//				},
//			}
//			return work, nil
//		})
//	}
func (p *plan) declareLeaseHandler(f *jen.File, o *operation) {
	tx := jen.Qual(pgxPath, "Tx")
	work := func(member string) *jen.Statement { return jen.Id("work").Dot(member).Op("=") }
	lead := o.handler + " serves " + o.where() + ", and lets the engine's recovery, where one runs, call h again for what is left unfinished."
	f.Add(doc(lead, "")).Func().Id(o.handler).Params(engineParam(), jen.Id("h").Id("Handlers")).Qual("net/http", "Handler").Block(
		jen.Return(jen.Id("engine").Dot("LeaseHandler").Call(jen.Op("&").Id(o.variable),
			jen.Func().Params(jen.Id("call").Op("*").Qual(runtimePath, "Call").Types(tx)).
				Params(jen.Id("work").Qual(runtimePath, "LeaseWork").Types(tx), jen.Err().Error()).
				BlockFunc(func(g *jen.Group) {
					g.List(jen.Id("req"), jen.Err()).Op(":=").Id(o.reader).Call(jen.Id("call"))
					g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("work"), jen.Err()))
					if o.current != "" {
						g.Id("call").Dot("Current").Call(jen.Func().Params(
							jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Add(tx), firstParam()).Add(runtimeAnswer()).Block(
							jen.Return(o.encoded(jen.Id("h").Dot(o.current).Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("req"), jen.Id("first")))),
						))
					}
					g.Add(work("Run")).Func().Params(
						jen.Id("ctx").Qual("context", "Context"), jen.Id("lease").Op("*").Qual(runtimePath, "Lease").Types(tx)).Add(runtimeAnswer()).Block(
						jen.Return(o.encoded(jen.Id("h").Dot(o.name).Call(
							jen.Id("ctx"), jen.Op("&").Id(o.lease).Values(jen.Id("lease")), jen.Id("req")))),
					)
					if reconciled := o.reconciled(); len(reconciled) > 0 {
						g.Add(work("Reconcile")).Map(jen.String()).Qual(runtimePath, "ReconcileFunc").Custom(multiLine, reconciled...)
					}
					g.Return(jen.Id("work"), jen.Nil())
				}),
		)),
	)
}

// reconciled are the entries of a handler's map of reconcile functions.
func (o *operation) reconciled() []jen.Code {
	var entries []jen.Code
	for _, s := range o.steps {
		if !s.external() {
			continue
		}
		entries = append(entries, jen.Lit(s.name).Op(":").Func().Params(
			jen.Id("ctx").Qual("context", "Context"), jen.Id("step").Op("*").Qual(runtimePath, "Interrupted"),
		).Params(jen.Qual(runtimePath, "Reconciliation"), jen.Error()).Block(
			jen.Return(jen.Id("h").Dot(s.reconcile).Call(jen.Id("ctx"), jen.Id("step"), jen.Id("req"))),
		))
	}
	return entries
}

// encoded is a call of a handler's method whose answer is made a response.
func (o *operation) encoded(call jen.Code) *jen.Statement { return jen.Id(o.encoder).Call(call) }

// runtimeAnswer is what work returns to the runtime.
func runtimeAnswer() *jen.Statement {
	return jen.Params(jen.Qual(runtimePath, "Response"), jen.Error())
}

func firstParam() *jen.Statement { return jen.Id("first").Op("*").Qual(runtimePath, "First") }
