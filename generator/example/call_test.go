package example

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/runtime/wire"
)

const key = "0199f8a0-7c3b-45d2-9e4f-000000000001"

// keyed is an operation whose key is in a header.
func keyed(shape *policy.Shape) *policy.Operation {
	return &policy.Operation{
		ID: "op", Method: http.MethodPost, Path: "/orders/{order id}/pay", Decision: policy.Keyed, Shape: shape,
		Policy: policy.Policy{
			Key:         policy.Key{In: policy.InHeader, Name: "Idempotency-Key", Required: true, MaxLength: 255},
			Fingerprint: policy.Fingerprint{Body: policy.CanonicalBody, Query: true},
		},
	}
}

func content(mediaType string, s *policy.Schema) *policy.Body {
	return &policy.Body{Required: true, Contents: []policy.Content{{MediaType: mediaType, Schema: s}}}
}

func orderID() policy.Parameter {
	return policy.Parameter{Name: "order id", In: "path", Required: true, Style: "simple", Schema: text()}
}

func newCall(t *testing.T, op *policy.Operation) *Call {
	t.Helper()
	call, err := NewCall(op, key)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func TestNewCall(t *testing.T) {
	op := keyed(&policy.Shape{
		Parameters: []policy.Parameter{
			orderID(),
			{Name: "dry", In: "query", Style: "form", Explode: true, Schema: text()},
			{Name: "limit", In: "query", Required: true, Style: "form", Explode: true, Schema: &policy.Schema{Kind: policy.Integer}, Example: json.RawMessage("7")},
			{Name: "Idempotency-Key", In: "header", Required: true, IsKey: true, Style: "simple", Schema: text()},
			{Name: "X-Version", In: "header", Required: true, Style: "simple", Schema: text()},
			{Name: "session", In: "cookie", Required: true, Style: "form", Explode: true, Schema: text()},
		},
		Body: content("application/json", object(required("amount", &policy.Schema{Kind: policy.Integer}))),
	})
	call := newCall(t, op)
	if call.Method != "POST" || call.Target != "/orders/text/pay?limit=7" || string(call.Body) != `{"amount":1}` {
		t.Errorf("got %s %s %s", call.Method, call.Target, call.Body)
	}
	want := http.Header{"Idempotency-Key": {key}, "X-Version": {"text"}, "Cookie": {"session=text"}, "Content-Type": {"application/json"}}
	if !reflect.DeepEqual(call.Header, want) {
		t.Errorf("got %v, want %v", call.Header, want)
	}
}

func TestNewCall_WithoutKey(t *testing.T) {
	op := keyed(&policy.Shape{Parameters: []policy.Parameter{
		orderID(), {Name: "Idempotency-Key", In: "header", Required: true, IsKey: true, Style: "simple", Schema: text()},
	}})
	call, err := NewCall(op, "")
	if err != nil || call.Header.Get("Idempotency-Key") != "" {
		t.Errorf("got %v, %v", call, err)
	}
}

func TestNewCall_Impossible(t *testing.T) {
	id := orderID()
	id.Schema = &policy.Schema{Kind: policy.String, Enum: raw(`""`, `".."`)}
	self := object()
	self.Properties = []policy.Property{required("self", self)}
	for name, shape := range map[string]*policy.Shape{
		"empty path":    {Parameters: []policy.Parameter{id}},
		"endless body":  {Body: content("application/json", self)},
		"list as form":  {Body: content("application/x-www-form-urlencoded", &policy.Schema{Kind: policy.Array})},
		"nested header": {Parameters: []policy.Parameter{{Name: "h", In: "header", Required: true, Schema: object(required("a", object()))}}},
		"no shape":      nil,
	} {
		if call, err := NewCall(keyed(shape), key); err == nil {
			t.Errorf("%s: got %v", name, call)
		}
	}
}

func TestNewCall_Key(t *testing.T) {
	s := object(required("data", object(required("id", text()))))
	for _, row := range []struct {
		name   string
		key    policy.Key
		body   *policy.Body
		header string
		target string
		want   string
	}{
		{"bare", policy.Key{In: policy.InHeader, Name: "K", Syntax: policy.Bare}, nil, key, "/orders/text/pay", ""},
		{"structured", policy.Key{In: policy.InHeader, Name: "K", Syntax: policy.Structured}, nil, `"` + key + `"`, "/orders/text/pay", ""},
		{"query", policy.Key{In: policy.InQuery, Name: "k y"}, nil, "", "/orders/text/pay?k+y=" + key, ""},
		{"body", policy.Key{In: policy.InBody, Pointer: "/data/id"}, content("application/json", s), "", "/orders/text/pay", `{"data":{"id":"` + key + `"}}`},
		{"body, made", policy.Key{In: policy.InBody, Pointer: "/a~1b/c"}, content("application/json", nil), "", "/orders/text/pay", `{"a/b":{"c":"` + key + `"}}`},
		{"form", policy.Key{In: policy.InForm, Name: "Key"}, content("application/x-www-form-urlencoded", object(required("Key", text()), required("a", text()))), "",
			"/orders/text/pay", "Key=" + key + "&a=text"},
	} {
		t.Run(row.name, func(t *testing.T) {
			op := keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: row.body})
			op.Policy.Key = row.key
			call := newCall(t, op)
			if call.Header.Get("K") != row.header || call.Target != row.target || string(call.Body) != row.want {
				t.Errorf("got %q %q %s", call.Header.Get("K"), call.Target, call.Body)
			}
		})
	}
}

func TestNewCall_DocumentedExampleGoesFirst(t *testing.T) {
	body := content("application/json", object(required("amount", &policy.Schema{Kind: policy.Integer}), optional("key", text())))
	body.Contents[0].Examples = raw(`{"amount":"wrong"}`, `{"amount":42}`)
	op := keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: body})
	op.Policy.Key = policy.Key{In: policy.InBody, Pointer: "/key"}
	if call := newCall(t, op); string(call.Body) != `{"amount":42,"key":"`+key+`"}` {
		t.Errorf("got %s", call.Body)
	}
}

// What is written in a style is what runtime/wire reads in it.
func TestNewCall_StylesAreReadBack(t *testing.T) {
	list := &policy.Schema{Kind: policy.Array, Items: &policy.Schema{Kind: policy.String, Enum: raw(`"a,b"`, `"c d"`, `"e|é"`)}, MinItems: ptr(2)}
	dict := object(required("R", &policy.Schema{Kind: policy.String, Enum: raw(`"x/y,"`)}), required("G", &policy.Schema{Kind: policy.String, Enum: raw(`"1"`)}))
	scalar := &policy.Schema{Kind: policy.String, Enum: raw(`"a/b c+%;é"`)}
	for _, row := range []struct {
		in, style string
		explode   bool
		schema    *policy.Schema
		as        wire.Style
	}{
		{"path", "simple", false, scalar, wire.Simple},
		{"path", "simple", false, list, wire.Simple},
		{"path", "simple", false, dict, wire.Simple},
		{"path", "simple", true, dict, wire.Simple | wire.Explode},
		{"path", "label", false, list, wire.Label},
		{"path", "label", true, list, wire.Label | wire.Explode},
		{"path", "label", true, dict, wire.Label | wire.Explode},
		{"path", "matrix", false, scalar, wire.Matrix},
		{"path", "matrix", false, list, wire.Matrix},
		{"path", "matrix", true, list, wire.Matrix | wire.Explode},
		{"path", "matrix", true, dict, wire.Matrix | wire.Explode},
		{"query", "form", true, scalar, wire.Form | wire.Explode},
		{"query", "form", true, list, wire.Form | wire.Explode},
		{"query", "form", false, list, wire.Form},
		{"query", "form", false, dict, wire.Form},
		{"query", "form", true, dict, wire.Spread},
		{"query", "deepObject", true, dict, wire.DeepObject},
		{"query", "pipeDelimited", false, dict, wire.PipeDelimited},
		{"query", "spaceDelimited", false, dict, wire.SpaceDelimited},
		{"cookie", "form", true, scalar, wire.Form | wire.Explode},
		{"cookie", "form", false, list, wire.Form},
		{"header", "simple", false, dict2(), wire.Simple},
		{"header", "simple", true, dict2(), wire.Simple | wire.Explode},
	} {
		op := keyed(&policy.Shape{Parameters: []policy.Parameter{{Name: "p", In: row.in, Required: true, Style: row.style, Explode: row.explode, Schema: row.schema}}})
		op.Path = "/x/{p}"
		if row.in != "path" {
			op.Path = "/x/y"
		}
		call := newCall(t, op)
		want := call.values[0].value
		var got json.RawMessage
		mux := http.NewServeMux()
		mux.HandleFunc("/x/{p}", func(_ http.ResponseWriter, r *http.Request) {
			in := wire.NewReader(r, nil)
			v := in.Path("p", "p", row.as)
			switch row.in {
			case "query":
				v = in.Query("p", row.as)
			case "header":
				v = in.Header("p", row.as)
			case "cookie":
				v = in.Cookie("p", row.as)
			}
			got = readBack(v, row.schema)
			if err := in.Err(); err != nil {
				t.Errorf("%s %s: %v in %s", row.in, row.style, err, call.Target)
			}
		})
		mux.ServeHTTP(httptest.NewRecorder(), call.request())
		if !same(got, want) {
			t.Errorf("%s %s explode %v: got %s from %s, want %s", row.in, row.style, row.explode, got, call.Target, want)
		}
	}
}

// dict2 is an object that a header can carry.
func dict2() *policy.Schema { return object(required("R", text()), required("G", text())) }

// readBack reads strings, and lists and maps of them.
func readBack(v wire.Value, s *policy.Schema) json.RawMessage {
	var value any
	switch s.Kind {
	case policy.Array:
		value = wire.List(v, wire.Value.Text)
	case policy.Object:
		value = wire.Map(v, wire.Value.Text)
	default:
		value = v.Text()
	}
	text, _ := json.Marshal(value)
	return text
}

// request is the call as a server sees it.
func (c *Call) request() *http.Request {
	r := httptest.NewRequest(c.Method, c.Target, strings.NewReader(string(c.Body)))
	r.Header = c.Header
	return r
}

func TestNewCall_BodiesAreReadBack(t *testing.T) {
	line := object(required("sku", text()), required("n", &policy.Schema{Kind: policy.Integer}))
	s := object(
		required("name", &policy.Schema{Kind: policy.String, Enum: raw(`"a&b=c d[é]"`)}),
		required("amount", &policy.Schema{Kind: policy.Number, Enum: raw(`1.50`)}),
		required("card", object(required("number", text()), required("tags", &policy.Schema{Kind: policy.Array, Items: text(), MinItems: ptr(2)}))),
		required("lines", &policy.Schema{Kind: policy.Array, Items: line, MinItems: ptr(2)}),
		required("expand", &policy.Schema{Kind: policy.Array, Items: text(), MinItems: ptr(2)}),
		required("meta", object(required("a", text()))),
		required("ids", &policy.Schema{Kind: policy.Array, Items: text(), MinItems: ptr(2)}),
	)
	encodings := []policy.Encoding{{Name: "card", Style: "deepObject", Explode: true}, {Name: "ids", Style: "form"}, {Name: "meta", ContentType: "application/json"}}
	fields := []wire.Field{{Name: "ids", Style: wire.Form}, {Name: "meta", Style: wire.JSONText}}
	for mediaType, body := range map[string]func(*wire.Reader) wire.Value{
		"application/json":                  func(in *wire.Reader) wire.Value { return in.JSON() },
		"application/x-www-form-urlencoded": func(in *wire.Reader) wire.Value { return in.Form(fields...) },
		"multipart/form-data":               func(in *wire.Reader) wire.Value { return in.Multipart(fields...) },
	} {
		shape := &policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: content(mediaType, s)}
		shape.Body.Contents[0].Encodings = encodings
		call := newCall(t, keyed(shape))
		for _, c := range []*Call{call, other(t, call)} {
			in := wire.NewReader(c.request(), c.Body)
			if in.Content(true, mediaType) != mediaType {
				t.Errorf("%s: content type %s", mediaType, c.Header.Get("Content-Type"))
			}
			checker{ForRequest}.check(body(in), s)
			if err := in.Err(); err != nil {
				t.Errorf("%s: %v in %s", mediaType, err, c.Body)
			}
		}
	}
}

func TestNewCall_File(t *testing.T) {
	s := object(required("file", &policy.Schema{Kind: policy.String, Format: "binary"}), required("purpose", text()))
	call := newCall(t, keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: content("multipart/form-data", s)}))
	in := wire.NewReader(call.request(), call.Body)
	o := in.Multipart().Object()
	file := o.Member("file").File()
	if file.Name == "" || file.ContentType != "application/octet-stream" || len(file.Content) == 0 || o.Member("purpose").Text() != "text" || in.Err() != nil {
		t.Errorf("got %+v, %v", file, in.Err())
	}
}

func other(t *testing.T, call *Call) *Call {
	t.Helper()
	other, err := call.Other()
	if err != nil {
		t.Fatal(err)
	}
	if other.Target == call.Target && string(other.Body) == string(call.Body) && reflect.DeepEqual(other.Header, call.Header) {
		t.Fatal("the other request is the same")
	}
	return other
}

func TestOther(t *testing.T) {
	amount := object(required("amount", &policy.Schema{Kind: policy.Integer}), required("trace", text()))
	one := &policy.Schema{Kind: policy.Object, Properties: []policy.Property{required("kind", &policy.Schema{Kind: policy.String, Enum: raw(`"a"`)})}}
	free := &policy.Schema{Kind: policy.Object, Properties: one.Properties, AdditionalAllowed: true}
	for _, row := range []struct {
		name   string
		body   *policy.Body
		change func(*policy.Policy)
		target string
		want   string
	}{
		{"body", content("application/json", amount), nil, "/orders/text/pay", `{"amount":2,"trace":"text"}`},
		{"included", content("application/json", amount), func(p *policy.Policy) { p.Fingerprint.Include = []string{"/trace"} }, "/orders/text/pay", `{"amount":1,"trace":"text2"}`},
		{"excluded", content("application/json", amount), func(p *policy.Policy) { p.Fingerprint.Exclude = []string{"/amount"} }, "/orders/text/pay", `{"amount":1,"trace":"text2"}`},
		{"body key", content("application/json", amount), func(p *policy.Policy) { p.Key = policy.Key{In: policy.InBody, Pointer: "/trace"} }, "/orders/text/pay", `{"amount":2,"trace":"` + key + `"}`},
		{"body without effect", content("application/json", amount), func(p *policy.Policy) { p.Fingerprint.Body = policy.NoBody }, "/orders/text2/pay", `{"amount":1,"trace":"text"}`},
		{"body of one value", content("application/json", one), nil, "/orders/text2/pay", `{"kind":"a"}`},
		{"body of the key alone", content("application/json", object(required("id", text()))), func(p *policy.Policy) { p.Key = policy.Key{In: policy.InBody, Pointer: "/id"} },
			"/orders/text2/pay", `{"id":"` + key + `"}`},
		{"free body", content("application/json", free), nil, "/orders/text/pay", `{"kind":"a","other":"text"}`},
		{"optional list", content("application/json", object(optional("list", &policy.Schema{Kind: policy.Array, Items: text()}))), nil, "/orders/text/pay", `{"list":["text"]}`},
		{"text", content("text/plain", text()), nil, "/orders/text/pay", "text2"},
		{"bytes", content("application/pdf", nil), nil, "/orders/text/pay", "text2"},
		{"list", content("application/json", &policy.Schema{Kind: policy.Array, Items: one, MaxItems: ptr(2)}), nil, "/orders/text/pay", `[{"kind":"a"},{"kind":"a"}]`},
		{"no body", nil, nil, "/orders/text2/pay", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			op := keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: row.body})
			if row.change != nil {
				row.change(&op.Policy)
			}
			got := other(t, newCall(t, op))
			if got.Target != row.target || string(got.Body) != row.want {
				t.Errorf("got %s %s", got.Target, got.Body)
			}
		})
	}
}

func TestOther_Query(t *testing.T) {
	op := keyed(&policy.Shape{Parameters: []policy.Parameter{{Name: "q", In: "query", Required: true, Style: "form", Explode: true, Schema: text()}}})
	op.Path = "/x"
	if got := other(t, newCall(t, op)); got.Target != "/x?q=text2" {
		t.Errorf("got %s", got.Target)
	}
	op.Policy.Fingerprint.Query = false
	if got, err := newCall(t, op).Other(); !errors.Is(err, ErrNoOther) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestOther_Header(t *testing.T) {
	op := keyed(&policy.Shape{})
	op.Path = "/x"
	if _, err := newCall(t, op).Other(); !errors.Is(err, ErrNoOther) {
		t.Errorf("got %v", err)
	}
	op.Policy.Fingerprint.Headers = []string{"X-Version"}
	if got := other(t, newCall(t, op)); got.Header.Get("X-Version") != "other" {
		t.Errorf("got %v", got.Header)
	}
}

func TestNewCall_BodyCanBeSentTwice(t *testing.T) {
	call := newCall(t, keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: content("text/plain", nil)}))
	body, _ := io.ReadAll(call.request().Body)
	if string(body) != "text" {
		t.Errorf("got %q", body)
	}
}

// A range of media types with a schema that is no text is read as JSON, so it is sent as JSON.
func TestNewCall_AnyMediaType(t *testing.T) {
	for mediaType, want := range map[string]string{
		"*/*": `application/json {"a":"text"}`, "application/*": `application/json {"a":"text"}`,
	} {
		call := newCall(t, keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: content(mediaType, object(required("a", text())))}))
		if got := call.Header.Get("Content-Type") + " " + string(call.Body); got != want {
			t.Errorf("%s: %s, want %s", mediaType, got, want)
		}
	}
	call := newCall(t, keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: content("*/*", text())}))
	if got := call.Header.Get("Content-Type"); got != "application/octet-stream" {
		t.Errorf("text is sent as %s", got)
	}
}

// K4: a request without a key has none in its body either, whatever the schema asks for and the example has.
func TestNewCall_K4_WithoutAKeyInTheBody(t *testing.T) {
	s := object(required("amount", &policy.Schema{Kind: policy.Integer}), required("key", text()))
	form, body := content("application/x-www-form-urlencoded", s), content("application/json", s)
	documented := content("application/json", s)
	documented.Contents[0].Examples = []json.RawMessage{json.RawMessage(`{"amount": 5, "key": "documented"}`)}
	nested := content("application/json", object(required("amount", &policy.Schema{Kind: policy.Integer}), required("meta", object(required("key", text())))))
	for name, c := range map[string]struct {
		body        *policy.Body
		key         policy.Key
		want, other string
	}{
		"form":       {form, policy.Key{In: policy.InForm, Name: "key"}, "amount=1", "amount=2"},
		"body":       {body, policy.Key{In: policy.InBody, Pointer: "/key"}, `{"amount":1}`, `{"amount":2}`},
		"documented": {documented, policy.Key{In: policy.InBody, Pointer: "/key"}, `{"amount":5}`, `{"amount":1}`},
		"nested":     {nested, policy.Key{In: policy.InBody, Pointer: "/meta/key"}, `{"amount":1,"meta":{}}`, `{"amount":2,"meta":{}}`},
	} {
		op := keyed(&policy.Shape{Parameters: []policy.Parameter{orderID()}, Body: c.body})
		op.Policy.Key = c.key
		op.Policy.Key.Required, op.Policy.Key.MaxLength = true, 36
		call, err := NewCall(op, "")
		if err != nil {
			t.Fatal(err)
		}
		other, err := call.Other()
		if err != nil {
			t.Fatal(err)
		}
		if string(call.Body) != c.want || string(other.Body) != c.other {
			t.Errorf("%s: %s and %s, want %s and %s", name, call.Body, other.Body, c.want, c.other)
		}
		if keyed, err := NewCall(op, key); err != nil || !strings.Contains(string(keyed.Body), key) {
			t.Errorf("%s: %s (%v)", name, keyed.Body, err)
		}
	}
}
