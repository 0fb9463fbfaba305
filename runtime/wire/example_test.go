package wire_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/idemgen/idemgen/runtime/wire"
)

type order struct {
	Amount   int64
	Currency string
	Lines    []string
}

func readOrder(v wire.Value) (m order) {
	o := v.Object()
	m.Amount = o.Member("amount").Required().Min("1").Int64()
	m.Currency = o.Member("currency").Required().OneOf("EUR", "USD").Text()
	m.Lines = wire.List(o.Member("lines").MaxItems(2), wire.Value.Text)
	o.Closed()
	return m
}

// The same reader reads JSON and forms.
func ExampleReader() {
	for contentType, body := range map[string]string{
		"application/json":                  `{"amount": 5.0, "currency": "EUR", "lines": ["a", "b"]}`,
		"application/x-www-form-urlencoded": "amount=5&currency=EUR&lines[]=a&lines[]=b",
	} {
		r := httptest.NewRequest(http.MethodPost, "/orders", nil)
		r.Header.Set("Content-Type", contentType)
		in := wire.NewReader(r, []byte(body))
		var m order
		switch in.Content(true, "application/json", "application/x-www-form-urlencoded") {
		case "application/json":
			m = readOrder(in.JSON())
		case "application/x-www-form-urlencoded":
			m = readOrder(in.Form())
		}
		fmt.Println(m, in.Err())
	}
	// Output:
	// {5 EUR [a b]} <nil>
	// {5 EUR [a b]} <nil>
}

// Everything that is wrong is said at once, with its place, and never with its value.
func ExampleInvalid() {
	r := httptest.NewRequest(http.MethodPost, "/orders?dry=perhaps", nil)
	in := wire.NewReader(r, []byte(`{"amount": 0, "currency": "GBP", "lines": ["a", 2]}`))
	wire.Optional(in.Query("dry"), wire.Value.Bool)
	readOrder(in.JSON())
	for _, violation := range in.Err().(*wire.Invalid).Violations {
		fmt.Println(violation)
	}
	// Output:
	// query dry must be true or false
	// #/amount must be at least 1
	// #/currency must be one of EUR, USD
	// #/lines/1 must be a string
}

func ExampleReader_Query() {
	r := httptest.NewRequest(http.MethodGet, "/?ids=1|2&filter[since]=2026-01-02&tag=a&tag=b", nil)
	in := wire.NewReader(r, nil)
	fmt.Println(wire.List(in.Query("ids", wire.PipeDelimited), wire.Value.Int64))
	fmt.Println(in.Query("filter", wire.DeepObject).Object().Member("since").Date())
	fmt.Println(wire.List(in.Query("tag"), wire.Value.Text))
	fmt.Println(wire.Optional(in.Query("none"), wire.Value.Text) == nil, in.Err())
	// Output:
	// [1 2]
	// 2026-01-02
	// [a b]
	// true <nil>
}

func ExampleReader_Multipart() {
	body := strings.ReplaceAll(`--B
Content-Disposition: form-data; name="receipt"; filename="r.txt"
Content-Type: text/plain

paid
--B--
`, "\n", "\r\n")
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=B")
	in := wire.NewReader(r, []byte(body))
	file := in.Multipart().Object().Member("receipt").Required().File()
	fmt.Printf("%s %s %s %v\n", file.Name, file.ContentType, file.Content, in.Err())
	// Output: r.txt text/plain paid <nil>
}

// In a PATCH a member that is null and one that is absent mean two things.
func ExampleNullable() {
	type patch struct {
		Note wire.Nullable[string] `json:"note,omitzero"`
	}
	for _, text := range []string{`{}`, `{"note":null}`, `{"note":"x"}`} {
		var p patch
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			fmt.Println(err)
		}
		note, ok := p.Note.Get()
		again, _ := json.Marshal(p)
		fmt.Printf("%q %v null: %v %s\n", note, ok, p.Note.IsNull(), again)
	}
	// Output:
	// "" false null: false {}
	// "" false null: true {"note":null}
	// "x" true null: false {"note":"x"}
}

// Two templates that http.ServeMux cannot tell apart share a pattern.
func ExampleDispatch() {
	show := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Println(name, r.PathValue("id")) })
	}
	mux := http.NewServeMux()
	mux.Handle("POST /payments/{s2}", wire.Dispatch(
		wire.Route{Template: "/payments/{id}", Names: []string{"id"}, Handler: show("update")},
		wire.Route{Template: "/payments/{id}:cancel", Names: []string{"id"}, Handler: show("cancel")},
	))
	for _, path := range []string{"/payments/7", "/payments/7:cancel"} {
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, nil))
	}
	// Output:
	// update 7
	// cancel 7
}

func ExampleJSON() {
	header := http.Header{}
	if err := wire.SetHeader(header, "X-Limits", []int{10, 20}, false); err != nil {
		fmt.Println(err)
	}
	response, err := wire.JSON(http.StatusCreated, "application/json", header, map[string]string{"url": "/a?b&c"})
	fmt.Println(response.Status, response.Header, string(response.Body), err)
	// Output: 201 map[Content-Type:[application/json] X-Limits:[10,20]] {"url":"/a?b&c"} <nil>
}
