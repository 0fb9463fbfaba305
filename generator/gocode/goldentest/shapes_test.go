package goldentest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/gocode/testdata/shapes"
	"github.com/idemgen/idemgen/runtime/wire"
)

// recorder implements the shapes' interface: it keeps the last request and gives answer.
type recorder struct{ request, answer any }

func keep[Answer any](r *recorder, req any) (answer Answer, err error) {
	r.request = req
	answer, _ = r.answer.(Answer)
	return answer, nil
}

func (r *recorder) Bodies(_ context.Context, _ pgx.Tx, req *shapes.BodiesRequest) (shapes.BodiesResponse, error) {
	return keep[shapes.BodiesResponse](r, req)
}
func (r *recorder) Form(_ context.Context, _ pgx.Tx, req *shapes.FormRequest) (shapes.FormResponse, error) {
	return keep[shapes.FormResponse](r, req)
}
func (r *recorder) MoveX(_ context.Context, _ pgx.Tx, req *shapes.MoveXRequest) (shapes.MoveXResponse, error) {
	return keep[shapes.MoveXResponse](r, req)
}
func (r *recorder) MoveY(_ context.Context, _ pgx.Tx, req *shapes.MoveYRequest) (shapes.MoveYResponse, error) {
	return keep[shapes.MoveYResponse](r, req)
}
func (r *recorder) Undescribed(_ context.Context, _ pgx.Tx, req *shapes.UndescribedRequest) (shapes.UndescribedResponse, error) {
	return keep[shapes.UndescribedResponse](r, req)
}
func (r *recorder) Parameters(_ context.Context, _ pgx.Tx, req *shapes.ParametersRequest) (shapes.ParametersResponse, error) {
	return keep[shapes.ParametersResponse](r, req)
}
func (r *recorder) CreateShape(_ context.Context, _ pgx.Tx, req *shapes.CreateShapeRequest) (shapes.CreateShapeResponse, error) {
	return keep[shapes.CreateShapeResponse](r, req)
}
func (r *recorder) RenameShape(_ context.Context, _ pgx.Tx, req *shapes.RenameShapeRequest) (shapes.RenameShapeResponse, error) {
	return keep[shapes.RenameShapeResponse](r, req)
}
func (r *recorder) Upload(_ context.Context, _ pgx.Tx, req *shapes.UploadRequest) (shapes.UploadResponse, error) {
	return keep[shapes.UploadResponse](r, req)
}
func (r *recorder) ChargeUpdated(_ context.Context, _ pgx.Tx, req *shapes.ChargeUpdatedRequest) (shapes.ChargeUpdatedResponse, error) {
	return keep[shapes.ChargeUpdatedResponse](r, req)
}

func serveShapes(t testing.TB, r *recorder) http.Handler {
	t.Helper()
	mux, e := http.NewServeMux(), engine(t)
	if err := shapes.Register(mux, e, r); err != nil {
		t.Fatal(err)
	}
	mux.Handle("POST /hooks/charges", shapes.ChargeUpdatedHandler(e, r))
	return mux
}

const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data; boundary=b"
)

// parts writes a multipart body: disposition, content type and content in turn.
func parts(t testing.TB, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary("b"); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(texts); i += 3 {
		header := textproto.MIMEHeader{"Content-Disposition": {"form-data; " + texts[i]}}
		if texts[i+1] != "" {
			header.Set("Content-Type", texts[i+1])
		}
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(texts[i+2])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every place of a parameter, every style and every kind of body reaches the handler typed.
func TestShapes_Requests(t *testing.T) {
	pair := &shapes.ParametersFunc{A: wire.Ref(int64(1)), B: "x y"}
	for _, c := range []struct {
		name, method, target, contentType, body string
		headers                                 []string
		answer, want                            any
	}{
		{"label, any type", "PATCH", "/move/.7/there", "application/json", `{"name": "n"}`, nil, shapes.MoveX200{},
			&shapes.MoveXRequest{Key: "k1", Principal: "alice", X: 7, ContentType: "application/json", Body: &shapes.MoveXBody{Name: wire.Ref("n")}}},
		{"undescribed", "POST", "/undescribed/a%20b", "", "", nil, shapes.Undescribed204{},
			&shapes.UndescribedRequest{Key: "k1", Principal: "alice", SomeID: "a b"}},
		{"matrix", "PATCH", "/move/here/;y=1,2", "", "", nil, shapes.MoveY204{},
			&shapes.MoveYRequest{Key: "k1", Principal: "alice", Y: []int64{1, 2}}},
		{"mixed segment", "PATCH", "/shapes/a.b:rename", "", "", nil, shapes.RenameShape2XX{StatusCode: 204},
			&shapes.RenameShapeRequest{Key: "k1", Principal: "alice", ID: "a.b"}},
		{"styles", "POST", "/params/t%2Fu/a=1,b=x%20y?limit=5&ids=1&ids=2&csv=a,b%2Cc&spaced=a%20b&piped=a%7Cb&filter%5Ba%5D=1&filter%5Bb%5D=x+y" +
			"&a=1&b=x+y&doc=%7B%22a%22:1,%22b%22:%22x%20y%22%7D&key=q", "", "",
			[]string{"Key", "h", "X-Day", "2026-02-28", "Cookie", "session=0f8fad5b-d9cb-469f-a165-70867728950e"}, shapes.Parameters204{},
			&shapes.ParametersRequest{
				Key: "k1", Principal: "alice", Type: "t/u", Func: *pair, Limit: 5, IDs: []int64{1, 2}, Csv: []string{"a", "b,c"},
				Spaced: []string{"a", "b"}, Piped: []string{"a", "b"}, Filter: pair, Spread: pair, Doc: pair,
				QueryKey: wire.Ref("q"), HeaderKey: wire.Ref("h"), XDay: wire.Ref(wire.DateOf(time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC))),
				Session: wire.Ref("0f8fad5b-d9cb-469f-a165-70867728950e"),
			}},
		{"JSON", "POST", "/bodies", "application/json", `{"n": 1}`, nil, shapes.Bodies200JSON{},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: "application/json", JSON: &shapes.Simple{N: 1}}},
		{"merge patch", "POST", "/bodies", "application/merge-patch+json", `{"n": 1.0}`, nil, shapes.Bodies200JSON{},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: "application/merge-patch+json", ApplicationMergePatchJSON: &shapes.Simple{N: 1}}},
		{"form", "POST", "/bodies", formType, `n=1`, nil, shapes.Bodies200JSON{},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: formType, Form: &shapes.Simple{N: 1}}},
		{"multipart", "POST", "/bodies", multipartType, parts(t, `name="n"`, "", "1"), nil, shapes.Bodies200JSON{},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: multipartType, Multipart: &shapes.Simple{N: 1}}},
		{"text", "POST", "/bodies", "text/plain; charset=utf-8", "größe", nil, shapes.Bodies200Text{},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: "text/plain; charset=utf-8", Text: wire.Ref("größe")}},
		{"binary", "POST", "/bodies", "application/octet-stream", "\x00\xff", nil, shapes.Bodies200Binary{ContentType: "image/png"},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: "application/octet-stream", Binary: []byte("\x00\xff")}},
		{"range", "POST", "/bodies", "image/png", "\x89PNG", nil, shapes.Bodies200Binary{ContentType: "image/png"},
			&shapes.BodiesRequest{Key: "k1", Principal: "alice", ContentType: "image/png", Image: []byte("\x89PNG")}},
		{"no body", "POST", "/bodies", "", "", nil, shapes.Bodies200JSON{}, &shapes.BodiesRequest{Key: "k1", Principal: "alice"}},
		{"nested form", "POST", "/form", formType,
			"amount=5&card[number]=42&items[0][price]=p&items[0][quantity]=2&items[1][price]=q&expand[]=a&expand[]=b&tags=x,y&metadata[k]=v&IdempotencyKey=k1",
			[]string{"Idempotency-Key", ""}, shapes.Form200{}, &shapes.FormRequest{Key: "k1", Principal: "alice", Body: shapes.FormBody{
				Amount: 5, Card: &shapes.FormBodyCard{Number: "42"}, Expand: []string{"a", "b"}, Tags: []string{"x", "y"},
				Items:    []shapes.FormBodyItemsItem{{Price: "p", Quantity: wire.Ref(int64(2))}, {Price: "q"}},
				Metadata: map[string]string{"k": "v"}, IdempotencyKey: "k1",
			}}},
		{"files", "POST", "/upload", multipartType, parts(t, `name="file"; filename="a.bin"`, "image/png", "\x00", `name="more"; filename="b"`, "", "1",
			`name="more"; filename="c"`, "", "2", `name="meta"`, "application/json", `{"title": "t"}`, `name="note"`, "", "n"), nil, shapes.Upload201{},
			&shapes.UploadRequest{Key: "k1", Principal: "alice", Body: shapes.UploadBody{
				File: wire.File{Name: "a.bin", ContentType: "image/png", Content: []byte{0}},
				More: []wire.File{{Name: "b", Content: []byte("1")}, {Name: "c", Content: []byte("2")}},
				Meta: &shapes.UploadBodyMeta{Title: "t"}, Note: wire.Ref("n"),
			}}},
		{"webhook", "POST", "/hooks/charges", "application/json", `{"id": "evt_1"}`, []string{"Idempotency-Key", ""}, shapes.ChargeUpdated200{},
			&shapes.ChargeUpdatedRequest{Key: "evt_1", Principal: "alice", Body: shapes.Event{ID: "evt_1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{answer: c.answer}
			res := send(t, serveShapes(t, r), c.method, c.target, c.body, append([]string{"Content-Type", c.contentType}, c.headers...)...)
			if res.StatusCode/100 != 2 {
				t.Errorf("%d %s", res.StatusCode, text(t, res))
			}
			if !reflect.DeepEqual(r.request, c.want) {
				t.Errorf("got  %+v\nwant %+v", r.request, c.want)
			}
		})
	}
}

// everything is a body with all members of the schema Everything, as an answer writes them.
const everything = `{"flag":true,"flag_opt":false,"flag_null":null,"flag_must_null":null,"small":-2147483648,"large":9007199254740993,` +
	`"huge":18446744073709551615,"single":1.5,"double":0.1,"exact":123456789012345678901234567890.10,"text":"äöü","email":"a@example.com",` +
	`"when":"2026-11-29T18:00:00.5Z","day":"2026-11-29","data":"AP8=","color":"+1","level":2,"grade":null,"tree":{"name":"a","left":{"name":"b","next":null},` +
	`"children":[{"name":"c","next":{"name":"d"}}]},"names":["x","y"],"scores":{"a":1},"matrix":[[0,1],[]],"holes":["a",null],"list_null":null,` +
	`"list_tri":null,"by_name":{"k":["red","light blue"]},"open":{"known":"k","other":7},"odd":{"ok":true,"-":5,"` + "`" + `":null,"with \"quotes\", commas":"q"},` +
	`"closed":{},"union":{"b":1,"a":[2.50]},"free":1.0,"lookahead":" x","secret":"s","Flag":true,"key":"k","marshal_json":"m"}`

// What a request holds and what an answer writes are the same document: nothing is lost, rounded or reordered into another
// meaning on the way through the types.
func TestShapes_EverythingSurvives(t *testing.T) {
	r := &recorder{}
	h := serveShapes(t, r)
	if res := send(t, h, "POST", "/shapes/x.json", everything); res.StatusCode != 500 { // no answer is given
		t.Fatalf("%d %s", res.StatusCode, text(t, res))
	}
	body := r.request.(*shapes.CreateShapeRequest).Body
	r.answer = shapes.CreateShape200{Body: body}
	res := send(t, h, "POST", "/shapes/x.json", everything)
	if got := text(t, res); got != everything {
		t.Errorf("got  %s\nwant %s", got, everything)
	}
	var again shapes.Everything
	if err := json.Unmarshal([]byte(everything), &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, body) {
		t.Errorf("encoding/json reads\n%+v\nand a request is\n%+v", again, body)
	}
}

// A zero answer is still one that the document allows: required lists are empty, not null.
func TestShapes_ZeroAnswer(t *testing.T) {
	h := serveShapes(t, &recorder{answer: shapes.RenameShape200{}})
	if got := text(t, send(t, h, "PATCH", "/shapes/x:rename", "")); got != "[]" {
		t.Errorf("got %s", got)
	}
	got, err := json.Marshal(shapes.Everything{})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"flag":false,"flag_must_null":null,"small":0,"large":0,"text":"","color":"","names":[],"list_null":null}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}

// A model that contains itself must not make the reader go round for ever where the body is wrong.
func TestReaders_RecursiveModelEnds(t *testing.T) {
	h := serveShapes(t, &recorder{})
	for _, c := range []struct{ body, want string }{
		{`{"tree": 5}`, `"#/tree"`},
		{`{"tree": {"name": "a", "left": 5, "next": "x", "children": [1]}}`, `"#/tree/children/0"`},
		{`{"endless": {"self": 5}}`, `"#/endless/self"`},
		{`{"endless": {"self": {}}}`, `"#/endless/self/self"`},
		{`5`, `"#"`},
	} {
		res := send(t, h, "POST", "/shapes/x.json", c.body)
		if body := text(t, res); res.StatusCode != 400 || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.body, res.StatusCode, body)
		}
	}
}

// Headers of an answer are typed; a status outside the documented class is the handler's mistake, and nothing is sent of it.
func TestShapes_Answers(t *testing.T) {
	at := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	price := json.Number("0.10")
	h := serveShapes(t, &recorder{answer: shapes.RenameShape4XX{
		StatusCode: 409, XAt: &at, XTags: []string{"a", "b"}, XPrice: &price, HeaderBody: wire.Ref(true), Body: "no",
	}})
	res := send(t, h, "PATCH", "/shapes/x:rename", "")
	if res.StatusCode != 409 || text(t, res) != "no" || res.Header.Get("Content-Type") != "text/plain" || res.Header.Get("X-At") != "2026-11-29T18:00:00Z" ||
		res.Header.Get("X-Tags") != "a,b" || res.Header.Get("X-Price") != "0.10" || res.Header.Get("Body") != "true" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	for _, answer := range []shapes.RenameShapeResponse{
		shapes.RenameShape4XX{StatusCode: 201},
		shapes.RenameShape2XX{},
	} {
		if res := send(t, serveShapes(t, &recorder{answer: answer}), "PATCH", "/shapes/x:rename", ""); res.StatusCode != 500 {
			t.Errorf("%+v: %d", answer, res.StatusCode)
		}
	}
	bare := serveShapes(t, &recorder{answer: shapes.RenameShape4XX{StatusCode: 400}})
	if res := send(t, bare, "PATCH", "/shapes/x:rename", ""); len(res.Header.Values("X-Tags")) > 0 || len(res.Header.Values("X-At")) > 0 {
		t.Errorf("a header that is not set is not sent: %v", res.Header)
	}
}
