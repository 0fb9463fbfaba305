package gocode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/example"
	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// roundTripName is the file of the generated test.
const roundTripName = "idempotency_roundtrip_test.go"

const memstorePath = "github.com/idemgen/idemgen/runtime/memstore"

// roundTrip is one operation's part of the generated test: a request, another one under the same key, and the answer
// that the stub gives.
type roundTrip struct {
	o      *operation
	answer *answer
	status int // of the answer
	first  *example.Call
	other  *example.Call // nil where none can be made
	mount  string        // the pattern of an operation that Register does not mount
	target string        // where first and other are sent; empty for their own
	body   string        // the constant of the answer's body, once there is one
}

// roundTripFile returns a test of the generated package, which needs no database: each operation is sent a request of
// the document over HTTP, then the same again, then another one under the same key. What has no part in it is said in
// the plan's warnings. It returns nil when no operation has a part.
func (p *plan) roundTripFile() *jen.File {
	var trips []*roundTrip
	for i, o := range p.operations {
		trip, why := p.planRoundTrip(o, i)
		if why != "" {
			p.warnings = append(p.warnings, diag.Diagnostic{
				Pos: o.op.Pos, Rule: "no-round-trip", Severity: diag.Info,
				Message: fmt.Sprintf("the generated test leaves out operation %s: %s", quoted(o.op.ID), why),
				Hint:    "give the operation's body and parameters examples that their schemas allow",
			})
			continue
		}
		trips = append(trips, trip)
	}
	if len(trips) == 0 {
		return nil
	}
	w := &roundTripWriter{plan: p, file: newFile(p.options), trips: trips}
	w.claimNames()
	w.write()
	return w.file
}

// planRoundTrip decides what an operation is sent and how the stub answers; why says what is missing.
func (p *plan) planRoundTrip(o *operation, index int) (trip *roundTrip, why string) {
	trip = &roundTrip{o: o}
	if trip.answer, trip.status = storedAnswer(o); trip.answer == nil {
		return nil, "no answer that is documented is stored"
	}
	key, err := example.Key(o.op.Policy.Key, index)
	if err != nil {
		return nil, err.Error()
	}
	if trip.first, err = example.NewCall(o.op, key); err != nil {
		return nil, err.Error()
	}
	if trip.other, err = trip.first.Other(); err != nil {
		trip.other = nil
	}
	if !p.isMounted(o) {
		if !o.op.Webhook {
			return nil, "it has no route of its own"
		}
		trip.target = "/webhook/" + strconv.Itoa(index)
		trip.mount = o.op.Method + " " + trip.target
	}
	return trip, ""
}

// storedAnswer is the answer that a stub gives: the first documented one that the policy keeps, of class 2XX if there
// is one.
func storedAnswer(o *operation) (best *answer, status int) {
	for _, a := range o.answers {
		code := a.code()
		if !o.op.Policy.Store.Statuses.Contains(code) {
			continue
		}
		if best == nil || status/100 != 2 && code/100 == 2 {
			best, status = a, code
		}
	}
	return best, status
}

// code is the status of an answer, or one of those it may have.
func (a *answer) code() int {
	if code, err := strconv.Atoi(a.Status); err == nil {
		return code
	}
	if a.Status == "default" {
		return http.StatusOK
	}
	return int(a.Status[0]-'0') * 100
}

// roundTripWriter writes the test.
type roundTripWriter struct {
	*plan
	file  *jen.File
	trips []*roundTrip
	// The identifiers of the test, which must not be those of the package.
	test, table, entry, request, stub string
	bodies                            []pattern // large bodies: constants after the code
}

func (w *roundTripWriter) claimNames() {
	w.test = w.names.claim("TestIdempotencyRoundTrip")
	w.table = w.names.claim("roundTrips")
	w.entry = w.names.claim("roundTrip")
	w.request = w.names.claim("roundTripRequest")
	w.stub = w.names.claim("roundTripStub")
	w.file.ImportNames(map[string]string{
		memstorePath: "memstore", "bytes": "bytes", "io": "io", "net/http/httptest": "httptest", "sync/atomic": "atomic", "testing": "testing",
	})
}

func (w *roundTripWriter) write() {
	w.writeTest()
	w.writeTable()
	w.writeRun()
	w.writeSend()
	w.writeStub()
	for _, body := range w.bodies {
		w.file.Line()
		w.file.Const().Id(body.name).Op("=").Add(textLiteral(body.expr))
	}
}

// writeTest writes
//
//	func TestIdempotencyRoundTrip(t *testing.T) {
//		engine, err := runtime.New(memstore.New(), func(*http.Request) (string, error) { return "account", nil })
//		if err != nil {
//			t.Fatal(err)
//		}
//		stub, mux := &roundTripStub{}, http.NewServeMux()
//		if err := Register(mux, engine, stub); err != nil {
//			t.Fatal(err)
//		}
//		server := httptest.NewServer(mux)
//		defer server.Close()
//		for _, trip := range roundTrips {
//			t.Run(trip.operation, func(t *testing.T) { trip.run(t, server, stub) })
//		}
//	}
func (w *roundTripWriter) writeTest() {
	for _, line := range docLines(w.test+" sends the document's example of each operation twice, over HTTP to handlers on a store in memory, and "+
		"wants one run and two equal answers. Another request under the same key is to be refused without a run.", "") {
		w.file.Comment(line)
	}
	principal := jen.Func().Params(jen.Op("*").Qual("net/http", "Request")).Params(jen.String(), jen.Error()).
		Block(jen.Return(jen.Lit("account"), jen.Nil()))
	arguments := []jen.Code{jen.Qual(memstorePath, "New").Call(), principal}
	if w.hasRegion() {
		arguments = append(arguments, jen.Qual(runtimePath, "WithRegion").Call(jen.Lit("region")))
	}
	w.file.Func().Id(w.test).Params(testParam()).BlockFunc(func(g *jen.Group) {
		g.List(jen.Id("engine"), jen.Err()).Op(":=").Qual(runtimePath, "New").Call(arguments...)
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Id("t").Dot("Fatal").Call(jen.Err()))
		g.List(jen.Id("stub"), jen.Id("mux")).Op(":=").List(jen.Op("&").Id(w.stub).Values(), jen.Qual("net/http", "NewServeMux").Call())
		g.If(jen.Err().Op(":=").Id("Register").Call(jen.Id("mux"), jen.Id("engine"), jen.Id("stub")), jen.Err().Op("!=").Nil()).
			Block(jen.Id("t").Dot("Fatal").Call(jen.Err()))
		for _, trip := range w.trips {
			if trip.mount != "" {
				g.Id("mux").Dot("Handle").Call(jen.Lit(trip.mount), jen.Id(trip.o.handler).Call(jen.Id("engine"), jen.Id("stub")))
			}
		}
		g.Id("server").Op(":=").Qual("net/http/httptest", "NewServer").Call(jen.Id("mux"))
		g.Defer().Id("server").Dot("Close").Call()
		g.For(jen.List(jen.Id("_"), jen.Id("trip")).Op(":=").Range().Id(w.table)).Block(
			jen.Id("t").Dot("Run").Call(jen.Id("trip").Dot("operation"), jen.Func().Params(testParam()).
				Block(jen.Id("trip").Dot("run").Call(jen.Id("t"), jen.Id("server"), jen.Id("stub")))),
		)
	})
	w.file.Line()
}

func testParam() *jen.Statement { return jen.Id("t").Op("*").Qual("testing", "T") }

func (w *roundTripWriter) hasRegion() bool {
	return slices.ContainsFunc(w.operations, func(o *operation) bool {
		return slices.Contains(o.op.Policy.Scope, policy.ScopeRegion)
	})
}

// writeTable writes the types of the table and the table.
func (w *roundTripWriter) writeTable() {
	w.file.Comment("// " + w.entry + " is what one operation is sent, and what is expected of its answers.")
	w.file.Type().Id(w.entry).Struct(
		jen.Id("operation").String(),
		jen.Id("first").Id(w.request),
		jen.Id("other").Op("*").Id(w.request).Comment("// under the same key; nil where nothing else is valid"),
		jen.List(jen.Id("status"), jen.Id("replayed"), jen.Id("mismatch")).Int(),
		jen.List(jen.Id("marker"), jen.Id("value")).String().Comment("// the header that marks a replay"),
		jen.Id("omitted").Bool().Comment("// the policy keeps no body"),
		w.rebuiltField(),
	)
	w.file.Line()
	w.file.Comment("// " + w.request + " is a request without the server's address.")
	w.file.Type().Id(w.request).Struct(
		jen.List(jen.Id("method"), jen.Id("target")).String(),
		jen.Id("header").Map(jen.String()).String(),
		jen.Id("body").String(),
	)
	w.file.Line()
	var entries []jen.Code
	for _, trip := range w.trips {
		entries = append(entries, w.tableEntry(trip))
	}
	w.file.Var().Id(w.table).Op("=").Index().Id(w.entry).Custom(multiLine, entries...)
	w.file.Line()
}

// rebuiltField is the field of the table that tells how often an answer is rebuilt, where one is.
func (w *roundTripWriter) rebuiltField() *jen.Statement {
	if !w.hasRebuilt(true) {
		return jen.Null()
	}
	return jen.Id("rebuilt").Int64().Comment("// how often a repetition is answered from the current state")
}

// multiLine writes a literal with one element a line.
var multiLine = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

func (w *roundTripWriter) tableEntry(trip *roundTrip) jen.Code {
	rules := &trip.o.op.Policy
	replayed := trip.status
	for _, change := range rules.Replay.Status {
		if change.From == trip.status {
			replayed = change.To
		}
	}
	fields := []jen.Code{
		jen.Id("operation").Op(":").Lit(cleanLine(trip.o.op.ID)),
		jen.Id("first").Op(":").Add(w.requestLiteral(trip, trip.first, jen.Id(w.request), "First")),
	}
	if trip.other != nil {
		fields = append(fields, jen.Id("other").Op(":").Add(w.requestLiteral(trip, trip.other, jen.Op("&").Id(w.request), "Other")))
	}
	numbers := jen.Id("status").Op(":").Lit(trip.status).Op(",").Id("replayed").Op(":").Lit(replayed)
	if trip.other != nil {
		numbers.Op(",").Id("mismatch").Op(":").Lit(rules.Errors.Mismatch.Status)
	}
	fields = append(fields, numbers)
	if rules.Replay.Header != "" {
		fields = append(fields, jen.Id("marker").Op(":").Lit(rules.Replay.Header).Op(",").Id("value").Op(":").Lit(rules.Replay.Value))
	}
	if trip.o.current != "" {
		fields = append(fields, jen.Id("rebuilt").Op(":").Lit(1))
	} else if rules.Store.OmitBody {
		fields = append(fields, jen.Id("omitted").Op(":").True())
	}
	return jen.Custom(multiLine, fields...)
}

// requestLiteral writes a request; a large body becomes a constant.
func (w *roundTripWriter) requestLiteral(trip *roundTrip, call *example.Call, typeName *jen.Statement, suffix string) jen.Code {
	const large = 160
	fields := []jen.Code{
		jen.Id("method").Op(":").Lit(call.Method).Op(",").Id("target").Op(":").Lit(firstText(trip.target, call.Target)),
	}
	if len(call.Header) > 0 {
		fields = append(fields, jen.Id("header").Op(":").Map(jen.String()).String().ValuesFunc(func(g *jen.Group) {
			for _, name := range slices.Sorted(maps.Keys(call.Header)) {
				g.Lit(name).Op(":").Lit(call.Header.Get(name))
			}
		}))
	}
	if len(call.Body) > 0 {
		body := textLiteral(string(call.Body))
		if len(call.Body) > large {
			name := w.names.claim("body" + trip.o.name + suffix)
			w.bodies = append(w.bodies, pattern{name, readable(call)})
			body = jen.Id(name)
		}
		fields = append(fields, jen.Id("body").Op(":").Add(body))
	}
	return typeName.Custom(multiLine, fields...)
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// readable is a large body as it is written: JSON with a line for each member, if it means the same to the receiver.
func readable(call *example.Call) string {
	var indented bytes.Buffer
	if media.Of(call.Header.Get("Content-Type")) == media.JSON && json.Indent(&indented, call.Body, "", "  ") == nil {
		return indented.String()
	}
	return string(call.Body)
}

// textLiteral is a string of Go: between backquotes where that changes nothing and reads better.
func textLiteral(text string) *jen.Statement {
	if strings.ContainsAny(text, "`\r\x00\ufeff") || !utf8.ValidString(text) || !strings.ContainsAny(text, "\"\n") {
		return jen.Lit(text)
	}
	for _, r := range text {
		if r != '\n' && !strconv.IsPrint(r) {
			return jen.Lit(text)
		}
	}
	return jen.Op("`" + text + "`")
}

// writeRun writes the method that runs an entry of the table.
func (w *roundTripWriter) writeRun() {
	fail := func(format string, arguments ...jen.Code) jen.Code {
		return jen.Id("t").Dot("Errorf").Call(append([]jen.Code{jen.Lit(format)}, arguments...)...)
	}
	trip := func(name string) *jen.Statement { return jen.Id("trip").Dot(name) }
	send := func(request string) *jen.Statement {
		return trip(request).Dot("send").Call(jen.Id("t"), jen.Id("server"))
	}
	runs := func(n int, what string) jen.Code {
		count := jen.Id("stub").Dot("runs").Dot("Load").Call().Op("-").Id("before")
		return jen.If(jen.Id("runs").Op(":=").Add(count), jen.Id("runs").Op("!=").Lit(n)).Block(
			fail("after "+what+" the handler has run %d times, want "+strconv.Itoa(n), jen.Id("runs")))
	}
	answer := func(name string) jen.Code {
		return jen.List(jen.Id(name), jen.Id(name+"Body"))
	}
	whereRebuilt := func(statement jen.Code) jen.Code {
		if !w.hasRebuilt(true) {
			return jen.Null()
		}
		return statement
	}
	w.file.Func().Params(jen.Id("trip").Id(w.entry)).Id("run").Params(
		testParam(), jen.Id("server").Op("*").Qual("net/http/httptest", "Server"), jen.Id("stub").Op("*").Id(w.stub),
	).Block(
		jen.Id("before").Op(":=").Id("stub").Dot("runs").Dot("Load").Call(),
		whereRebuilt(jen.Id("rebuilt").Op(":=").Id("stub").Dot("rebuilt").Dot("Load").Call()),
		jen.Add(answer("first")).Op(":=").Add(send("first")),
		jen.If(jen.Id("first").Dot("StatusCode").Op("!=").Add(trip("status"))).Block(
			jen.Id("t").Dot("Fatalf").Call(jen.Lit("the first request is answered with %d, want %d: %s"),
				jen.Id("first").Dot("StatusCode"), trip("status"), jen.Id("firstBody")),
		),
		jen.List(jen.Id("again"), jen.Id("againBody")).Op(":=").Add(send("first")),
		jen.If(jen.Id("again").Dot("StatusCode").Op("!=").Add(trip("replayed"))).Block(
			fail("the same request again is answered with %d, want %d: %s", jen.Id("again").Dot("StatusCode"), trip("replayed"), jen.Id("againBody"))),
		jen.If(trip("omitted")).Block(jen.Id("firstBody").Op("=").Nil()),
		jen.If(jen.Op("!").Qual("bytes", "Equal").Call(jen.Id("firstBody"), jen.Id("againBody"))).Block(
			fail("the body of the replay differs:\n%s\n%s", jen.Id("firstBody"), jen.Id("againBody"))),
		jen.For(jen.List(jen.Id("_"), jen.Id("name")).Op(":=").Range().Index().String().ValuesFunc(func(g *jen.Group) {
			for _, name := range []string{"Content-Type", "Content-Location", "ETag", "Last-Modified", "Link", "Location"} {
				g.Lit(name)
			}
		})).Block(
			jen.If(jen.Op("!").Add(trip("omitted")).Op("&&").Id("first").Dot("Header").Dot("Get").Call(jen.Id("name")).Op("!=").
				Id("again").Dot("Header").Dot("Get").Call(jen.Id("name"))).Block(
				fail("the header %s of the replay differs", jen.Id("name"))),
		),
		jen.If(trip("marker").Op("!=").Lit("").Op("&&").Parens(
			jen.Id("again").Dot("Header").Dot("Get").Call(trip("marker")).Op("!=").Add(trip("value")).Op("||").
				Id("first").Dot("Header").Dot("Get").Call(trip("marker")).Op("==").Add(trip("value")))).Block(
			fail("%s: %s is to mark the replay and nothing else", trip("marker"), trip("value"))),
		runs(1, "two equal requests"),
		whereRebuilt(jen.If(
			jen.Id("rebuilt").Op(":=").Id("stub").Dot("rebuilt").Dot("Load").Call().Op("-").Id("rebuilt"), jen.Id("rebuilt").Op("!=").Add(trip("rebuilt")),
		).Block(fail("after two equal requests an answer has been rebuilt %d times, want %d", jen.Id("rebuilt"), trip("rebuilt")))),
		jen.If(trip("other").Op("==").Nil()).Block(jen.Return()),
		jen.List(jen.Id("other"), jen.Id("otherBody")).Op(":=").Add(send("other")),
		jen.If(jen.Id("other").Dot("StatusCode").Op("!=").Add(trip("mismatch"))).Block(
			fail("another request with the same key is answered with %d, want %d: %s",
				jen.Id("other").Dot("StatusCode"), trip("mismatch"), jen.Id("otherBody"))),
		runs(1, "another request with the same key"),
	)
	w.file.Line()
}

// writeSend writes the method that sends a request and reads the answer whole.
func (w *roundTripWriter) writeSend() {
	fatal := jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("t").Dot("Fatal").Call(jen.Err()))
	w.file.Func().Params(jen.Id("r").Id(w.request)).Id("send").Params(
		testParam(), jen.Id("server").Op("*").Qual("net/http/httptest", "Server"),
	).Params(jen.Op("*").Qual("net/http", "Response"), jen.Index().Byte()).Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.List(jen.Id("request"), jen.Err()).Op(":=").Qual("net/http", "NewRequest").Call(
			jen.Id("r").Dot("method"), jen.Id("server").Dot("URL").Op("+").Id("r").Dot("target"),
			jen.Qual("strings", "NewReader").Call(jen.Id("r").Dot("body"))),
		fatal.Clone(),
		jen.For(jen.List(jen.Id("name"), jen.Id("value")).Op(":=").Range().Id("r").Dot("header")).Block(
			jen.Id("request").Dot("Header").Dot("Set").Call(jen.Id("name"), jen.Id("value"))),
		jen.Comment("A redirect is an answer like any other."),
		jen.List(jen.Id("answer"), jen.Err()).Op(":=").Id("server").Dot("Client").Call().Dot("Transport").Dot("RoundTrip").Call(jen.Id("request")),
		fatal.Clone(),
		jen.Defer().Id("answer").Dot("Body").Dot("Close").Call(),
		jen.List(jen.Id("body"), jen.Err()).Op(":=").Qual("io", "ReadAll").Call(jen.Id("answer").Dot("Body")),
		fatal.Clone(),
		jen.Return(jen.Id("answer"), jen.Id("body")),
	)
	w.file.Line()
}

// writeStub writes handlers that count and answer.
func (w *roundTripWriter) writeStub() {
	w.file.Comment("// " + w.stub + " counts its runs and gives the first answer that the document has and the policy keeps.")
	w.file.Type().Id(w.stub).StructFunc(func(g *jen.Group) {
		g.Id("runs").Qual("sync/atomic", "Int64")
		if w.hasRebuilt(true) {
			g.Id("rebuilt").Qual("sync/atomic", "Int64").Comment("// answers that were made of the current state")
		}
	})
	byOperation := map[*operation]*roundTrip{}
	for _, trip := range w.trips {
		byOperation[trip.o] = trip
	}
	for _, o := range w.operations {
		w.file.Line()
		trip := byOperation[o]
		w.stubMethod(o.name, o, o.leased() && trip != nil).BlockFunc(func(g *jen.Group) {
			switch {
			case trip == nil:
				g.Return(jen.Nil(), notAPart())
			case o.leased():
				w.writeSteps(g, trip)
			default:
				w.writeAnswer(g, trip)
			}
		})
		for _, s := range o.steps {
			if s.external() {
				w.file.Line()
				w.file.Func().Params(jen.Id("s").Op("*").Id(w.stub)).Id(s.reconcile).Params(
					jen.Qual("context", "Context"), jen.Op("*").Qual(runtimePath, "Interrupted"), jen.Op("*").Id(o.request),
				).Params(jen.Qual(runtimePath, "Reconciliation"), jen.Error()).Block(
					jen.Return(jen.Qual(runtimePath, "Unknown").Call(), jen.Nil()),
				)
			}
		}
		if o.current != "" {
			w.file.Line()
			w.file.Func().Params(jen.Id("s").Op("*").Id(w.stub)).Id(o.current).Params(
				jen.Qual("context", "Context"), jen.Qual(pgxPath, "Tx"), jen.Op("*").Id(o.request), jen.Op("*").Qual(runtimePath, "First"),
			).Params(jen.Id(o.response), jen.Error()).BlockFunc(func(g *jen.Group) {
				if trip == nil {
					g.Return(jen.Nil(), notAPart())
					return
				}
				g.Id("s").Dot("rebuilt").Dot("Add").Call(jen.Lit(1))
				w.giveAnswer(g, trip)
			})
		}
	}
}

func notAPart() *jen.Statement {
	return jen.Qual("errors", "New").Call(jen.Lit("not a part of the test"))
}

// stubMethod begins the stub's method for an operation. Its parameters have names only where they are used.
func (w *roundTripWriter) stubMethod(name string, o *operation, used bool) *jen.Statement {
	ctx, lease, req := jen.Qual("context", "Context"), jen.Op("*").Id(o.lease), jen.Op("*").Id(o.request)
	if used {
		ctx, lease, req = jen.Id("ctx").Add(ctx), jen.Id("lease").Add(lease), jen.Id("_").Add(req)
	}
	with := lease
	if !o.leased() {
		with = jen.Qual(pgxPath, "Tx")
	}
	return w.file.Func().Params(jen.Id("s").Op("*").Id(w.stub)).Id(name).Params(ctx, with, req).Params(jen.Id(o.response), jen.Error())
}

// writeSteps writes the body of a stub's method in lease mode, which does every step:
//
//	s.runs.Add(1)
//	if _, err := runtime.DoLocal(ctx, lease.Reserve(), func(context.Context, pgx.Tx) (string, error) { return "reserve", nil }); err != nil {
//		return nil, err
//	}
//	if _, err := runtime.DoExternal(ctx, lease.Transfer(), func(_ context.Context, out *runtime.Outbound) (string, error) { return out.Key(), nil }); err != nil {
//		return nil, err
//	}
//	return lease.Complete(ctx, func(context.Context, pgx.Tx) (CreatePayoutResponse, error) {
//		return CreatePayout201{}, nil
//	})
func (w *roundTripWriter) writeSteps(g *jen.Group, trip *roundTrip) {
	o := trip.o
	g.Id("s").Dot("runs").Dot("Add").Call(jen.Lit(1))
	for _, s := range o.steps {
		do, with, result := "DoLocal", jen.Qual(pgxPath, "Tx"), jen.Lit(s.name)
		ctx := jen.Qual("context", "Context")
		if s.external() {
			do, with, result = "DoExternal", jen.Id("out").Op("*").Qual(runtimePath, "Outbound"), jen.Id("out").Dot("Key").Call()
			ctx = jen.Id("_").Add(ctx)
		}
		g.If(
			jen.List(jen.Id("_"), jen.Err()).Op(":=").Qual(runtimePath, do).Call(jen.Id("ctx"), jen.Id("lease").Dot(s.method).Call(),
				jen.Func().Params(ctx, with).Params(jen.String(), jen.Error()).Block(jen.Return(result, jen.Nil()))),
			jen.Err().Op("!=").Nil(),
		).Block(jen.Return(jen.Nil(), jen.Err()))
	}
	g.Return(jen.Id("lease").Dot("Complete").Call(jen.Id("ctx"),
		jen.Func().Params(jen.Qual("context", "Context"), jen.Qual(pgxPath, "Tx")).Params(jen.Id(o.response), jen.Error()).
			BlockFunc(func(g *jen.Group) { w.giveAnswer(g, trip) })))
}

// writeAnswer writes the body of a stub's method:
//
//	s.runs.Add(1)
//	answer := CreatePayment201{Location: "/text"}
//	err := json.Unmarshal([]byte(`{"id":"text"}`), &answer.Body)
//	return answer, err
func (w *roundTripWriter) writeAnswer(g *jen.Group, trip *roundTrip) {
	g.Id("s").Dot("runs").Dot("Add").Call(jen.Lit(1))
	w.giveAnswer(g, trip)
}

// giveAnswer writes the answer and its return.
func (w *roundTripWriter) giveAnswer(g *jen.Group, trip *roundTrip) {
	a := trip.answer
	var fields []jen.Code
	set := func(name string, value jen.Code) { fields = append(fields, jen.Id(name).Op(":").Add(value)) }
	if a.anyStatus {
		set("StatusCode", jen.Lit(trip.status))
	}
	if a.anyType {
		set("ContentType", jen.Lit("application/octet-stream"))
	}
	for _, h := range a.headers {
		if h.slot.typ.shape == text && h.slot.wrap == plain && h.slot.typ.name == "" {
			set(h.name, jen.Lit("/example"))
		}
	}
	var document []byte
	if a.content != nil {
		switch {
		case a.kind == media.JSON:
			document = answerDocument(a, trip.o.op.Policy.Store.MaxBody)
		case a.slot.wrap != plain:
		case a.slot.typ.shape == text && a.slot.typ.name == "":
			set("Body", jen.Lit("example"))
		case a.slot.typ.shape == octets:
			set("Body", jen.Index().Byte().Call(jen.Lit("example")))
		}
	}
	if document == nil {
		g.Return(jen.Id(a.name).Values(fields...), jen.Nil())
		return
	}
	literal := textLiteral(string(document))
	if len(document) > 160 {
		if trip.body == "" {
			trip.body = w.names.claim("body" + trip.o.name + "Answer")
			var indented bytes.Buffer
			if json.Indent(&indented, document, "", "  ") == nil {
				document = indented.Bytes()
			}
			w.bodies = append(w.bodies, pattern{trip.body, string(document)})
		}
		literal = jen.Id(trip.body)
	}
	g.Id("answer").Op(":=").Id(a.name).Values(fields...)
	g.Err().Op(":=").Qual("encoding/json", "Unmarshal").Call(jen.Index().Byte().Call(literal), jen.Op("&").Id("answer").Dot("Body"))
	g.Return(jen.Id("answer"), jen.Err())
}

// answerDocument is a JSON body for an answer; nil leaves the body's zero value, where no example fits: none can be
// made, or it could not be read by a type that requests use too, or it is larger than what the policy keeps.
func answerDocument(a *answer, most int64) []byte {
	s := a.content.Schema
	candidates := slices.Clone(a.content.Examples)
	if made, err := example.Value(s, example.ForResponse); err == nil {
		candidates = append(candidates, made)
	}
	for _, document := range candidates {
		if int64(len(document)) <= most/2 && example.Valid(s, document, example.ForResponse) == nil && example.Valid(s, document, example.ForRequest) == nil {
			return document
		}
	}
	return nil
}
