package goldentest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/gocode/testdata/payments"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/wire"
)

// engine is an engine over memory whose principal is the bearer token.
func engine(t testing.TB) *runtime.Engine[pgx.Tx] {
	t.Helper()
	e, err := runtime.New[pgx.Tx](memstore.New(), func(r *http.Request) (string, error) {
		return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// shop implements the payments' interface; each field answers one operation.
type shop struct {
	create func(*payments.CreatePaymentRequest) (payments.CreatePaymentResponse, error)
	refund func(*payments.RefundPaymentRequest) (payments.RefundPaymentResponse, error)
	runs   int
}

func (s *shop) CreatePayment(_ context.Context, _ pgx.Tx, req *payments.CreatePaymentRequest) (payments.CreatePaymentResponse, error) {
	s.runs++
	return s.create(req)
}

func (s *shop) RefundPayment(_ context.Context, _ pgx.Tx, req *payments.RefundPaymentRequest) (payments.RefundPaymentResponse, error) {
	s.runs++
	return s.refund(req)
}

func created(req *payments.CreatePaymentRequest) (payments.CreatePaymentResponse, error) {
	payment := req.Body
	payment.ID = "7b0f3a9e-58b1-4a67-9a0c-0f8f3f1c2d3e"
	return payments.CreatePayment201{Location: "/payments/" + payment.ID, Body: payment}, nil
}

func serve(t testing.TB, s *shop) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	if err := payments.Register(mux, engine(t), s); err != nil {
		t.Fatal(err)
	}
	return mux
}

// send sends a request with the key k1; headers are name and value in turn, an empty value takes a header away.
func send(t testing.TB, h http.Handler, method, target, body string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer alice")
	r.Header.Set("Idempotency-Key", `"k1"`)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

const (
	order = "/orders/0f8fad5b-d9cb-469f-a165-70867728950e/payments"
	valid = `{"amount": 1250, "currency": "EUR", "lines": [{"sku": "A-1", "quantity": 2}], "note": null, "metadata": {"a": "<b>"}}`
)

// H3 R1 R7 I3: the second answer is the first one, and says that it is.
func TestPayments_Replay(t *testing.T) {
	s := &shop{create: created}
	h := serve(t, s)
	first := send(t, h, "POST", order+"?expand=order,customer&limit=7", valid)
	if first.StatusCode != 201 || first.Header.Get("Location") == "" || first.Header.Get("X-Cost") != "" {
		t.Fatalf("%d %v %s", first.StatusCode, first.Header, text(t, first))
	}
	want := text(t, first)
	if expected := `{"id":"7b0f3a9e-58b1-4a67-9a0c-0f8f3f1c2d3e","amount":1250,"currency":"EUR","note":null,` +
		`"lines":[{"sku":"A-1","quantity":2}],"created_at":"0001-01-01T00:00:00Z","metadata":{"a":"<b>"}}`; want != expected {
		t.Errorf("got  %s\nwant %s", want, expected)
	}
	again := send(t, h, "POST", order+"?limit=7&expand=order,customer", valid)
	if got := text(t, again); again.StatusCode != 201 || got != want || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("%d %v %s", again.StatusCode, again.Header, got)
	}
	if again.Header.Get("Idempotent-Replayed") != "true" || first.Header.Get("Idempotent-Replayed") != "" {
		t.Error("the replay alone carries the marker")
	}
	if s.runs != 1 {
		t.Errorf("the handler ran %d times", s.runs)
	}
}

func TestPayments_Request(t *testing.T) {
	var got *payments.CreatePaymentRequest
	h := serve(t, &shop{create: func(req *payments.CreatePaymentRequest) (payments.CreatePaymentResponse, error) {
		got = req
		return created(req)
	}})
	send(t, h, "POST", order+"?expand=order,customer&limit=7", valid, "X-Request-Id", "r 1")
	want := &payments.CreatePaymentRequest{
		Key: "k1", Principal: "alice", OrderID: "0f8fad5b-d9cb-469f-a165-70867728950e",
		Expand: []payments.CreatePaymentExpandItem{payments.CreatePaymentExpandItemOrder, payments.CreatePaymentExpandItemCustomer},
		Limit:  wire.Ref(int32(7)), XRequestID: wire.Ref("r 1"),
		Body: payments.Payment{
			Amount: 1250, Currency: payments.CurrencyEUR, Note: wire.Null[string](), Lines: []payments.Line{{SKU: "A-1", Quantity: 2}},
			Metadata: map[string]string{"a": "<b>"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// K4 R2 I13: what is wrong with a request is said before any work, all of it and with its place; nothing is stored.
func TestPayments_Violations(t *testing.T) {
	s := &shop{create: created}
	h := serve(t, s)
	for _, c := range []struct {
		name, target, body string
		headers            []string
		status             int
		wants              []string
	}{
		{"no key", order, valid, []string{"Idempotency-Key", ""}, 400, []string{"problem"}},
		{"wrong members", order, `{"amount": 0, "currency": "GBP", "lines": [{"sku": "a", "quantity": 1.5, "more": 1}], "note": 5}`, nil, 400, []string{
			`"#/amount"`, `"#/currency"`, `"#/lines/0/sku"`, `"#/lines/0/quantity"`, `"#/lines/0/more"`, `"#/note"`}},
		{"missing members", order, `{}`, nil, 400, []string{`"#/amount"`, `"#/currency"`, `"#/lines"`}},
		{"other case", order, strings.Replace(valid, "amount", "Amount", 1), nil, 400, []string{`"#/amount"`}},
		{"not an object", order, `[]`, nil, 400, []string{`"#"`}},
		{"parameters", "/orders/nope/payments?limit=101&limit=5&expand=order,else", valid, nil, 400, []string{"order-id", "limit", "expand"}},
		{"no body", order, "", nil, 400, []string{"body"}},
		{"other type", order, "<a/>", []string{"Content-Type", "text/xml"}, 415, []string{"application/json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := send(t, h, "POST", c.target, c.body, c.headers...)
			body := text(t, res)
			if res.StatusCode != c.status || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/problem+json") {
				t.Errorf("%d %s %s", res.StatusCode, res.Header.Get("Content-Type"), body)
			}
			for _, want := range c.wants {
				if !strings.Contains(body, want) {
					t.Errorf("%s is not in %s", want, body)
				}
			}
		})
	}
	if s.runs != 0 {
		t.Errorf("the handler ran %d times", s.runs)
	}
	if res := send(t, h, "POST", order, valid); res.StatusCode != 201 {
		t.Errorf("a key whose request was refused is new: %d", res.StatusCode)
	}
}

// R3 R4: an outcome that the policy keeps is replayed, others and errors leave nothing.
func TestPayments_Outcomes(t *testing.T) {
	declined := payments.CreatePayment402{Body: payments.Problem{Title: wire.Ref("declined")}}
	for _, c := range []struct {
		name   string
		res    payments.CreatePaymentResponse
		err    error
		status int
		runs   int // of two requests
	}{
		{"stored", declined, nil, 402, 1},
		{"default", payments.CreatePaymentDefault{StatusCode: 404}, nil, 404, 2},
		{"default without a status", payments.CreatePaymentDefault{}, nil, 500, 2},
		{"error", nil, errors.New("secret"), 500, 2},
		{"problem", nil, &runtime.Problem{Status: 404, Title: "No such order"}, 404, 2},
		{"nothing", nil, nil, 500, 2},
		{"own type", teapot{}, nil, 418, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shop{create: func(*payments.CreatePaymentRequest) (payments.CreatePaymentResponse, error) { return c.res, c.err }}
			h := serve(t, s)
			for range 2 {
				res := send(t, h, "POST", order, valid)
				if body := text(t, res); res.StatusCode != c.status || strings.Contains(body, "secret") {
					t.Errorf("%d %s", res.StatusCode, body)
				}
			}
			if s.runs != c.runs {
				t.Errorf("the handler ran %d times", s.runs)
			}
		})
	}
}

// teapot is an answer that the document does not know.
type teapot struct{}

func (teapot) EncodeCreatePayment() (runtime.Response, error) {
	return runtime.Response{Status: 418}, nil
}

// The route is one that net/http alone cannot express, the body optional, and so is the key.
func TestPayments_Refund(t *testing.T) {
	var got *payments.RefundPaymentRequest
	h := serve(t, &shop{refund: func(req *payments.RefundPaymentRequest) (payments.RefundPaymentResponse, error) {
		got = req
		return payments.RefundPayment204{}, nil
	}})
	if res := send(t, h, "POST", "/payments/a%2Fb:refund", `{"amount": 0.10}`); res.StatusCode != 204 {
		t.Fatalf("%d %s", res.StatusCode, text(t, res))
	}
	if got.ID != "a/b" || got.Body == nil || *got.Body.Amount != "0.10" {
		t.Errorf("%+v", got)
	}
	if res := send(t, h, "POST", "/payments/x:refund", "", "Idempotency-Key", "", "Content-Type", ""); res.StatusCode != 204 || got.Body != nil || got.Key != "" {
		t.Errorf("%d %+v", res.StatusCode, got)
	}
	if res := send(t, h, "POST", "/payments/x:refund", `{"amount": 0.105}`, "Idempotency-Key", "k2"); res.StatusCode != 400 {
		t.Errorf("%d", res.StatusCode)
	}
	if res := send(t, h, "POST", "/payments/x:capture", ""); res.StatusCode != 404 {
		t.Errorf("%d", res.StatusCode)
	}
}
