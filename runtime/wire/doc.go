// Package wire reads typed, checked values from a request and writes typed answers, so that generated code is one short
// line per member.
//
// In: an *http.Request with its decoded body, and calls that say what a document says of each parameter and member.
// Out: Go values, or an [*Invalid] that lists every violation with the place it stands at; and complete
// [runtime.Response] values. It must never know an operation, a policy or a store, it never writes to a client, and
// what a client sent never appears in what it says: names and limits only.
//
// Everything that can be read is a [Value], whether it came from JSON, a form, a part or a parameter. Checks are
// methods that report and hand the value on; the last call says which Go type is wanted, and only then is the text
// understood: a parameter "5" is an integer when [Value.Int64] is asked for, a list when [List] is. Generated code
// reads:
//
//	func readCreatePayment(call *runtime.Call[pgx.Tx]) (*CreatePaymentRequest, error) {
//		in := wire.NewReader(call.Request(), call.Body())
//		req := &CreatePaymentRequest{Key: call.Key(), Principal: call.Principal()}
//		req.OrderID = in.Path("order-id", "order_id").Format("uuid").Text()
//		req.Limit = wire.Optional(in.Query("limit").Min("1").Max("100"), wire.Value.Int64)
//		req.IDs = wire.List(in.Query("ids", wire.PipeDelimited).MaxItems(5), wire.Value.Text)
//		switch in.Content(true, "application/json", "multipart/form-data") {
//		case "application/json":
//			req.Body = wire.Ref(readPayment(in.JSON()))
//		case "multipart/form-data":
//			req.Form = wire.Ref(readPaymentForm(in.Multipart()))
//		}
//		return req, in.Err()
//	}
//
//	func readPayment(v wire.Value) (m Payment) {
//		o := v.Object()
//		m.Amount = o.Member("amount").Required().Min("1").Int64()
//		m.Currency = readCurrency(o.Member("currency").Required())
//		m.Note = wire.Optional(o.Member("note").MaxLength(80), wire.Value.Text)          // *string, nil when absent
//		m.Due = wire.OptionalOrNull(o.Member("due"), wire.Value.Time)                   // *time.Time, nil when absent or null
//		m.Patch = wire.ReadNullable(o.Member("patch"), wire.Value.Text)                 // wire.Nullable[string], three states
//		m.Lines = wire.List(o.Member("lines").MinItems(1).UniqueItems(), readLine)     // []Line
//		m.Tags = wire.Map(o.Member("tags"), wire.Value.Text)                           // map[string]string
//		m.Free = o.Member("free").Raw()                                                // json.RawMessage
//		m.More = wire.Rest(o, wire.Value.Raw)                                          // additionalProperties
//		o.Closed()                                                                     // additionalProperties: false
//		return m
//	}
//
//	func readCurrency(v wire.Value) Currency { return Currency(v.OneOf("EUR", "USD").Text()) }
//
// A check on a value that is absent, or of a type it does not apply to, says nothing: absence is [Value.Required]'s
// business and the type that of the last call.
package wire
