package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The two ways in which a request could be checked before any work: by the generated readers, which also make the typed
// value, and by openapi3filter over the document, after which the body still has to be decoded.
//
//	go test -bench . ./generator/gocode/testdata/payments

const document = `
openapi: 3.0.3
info: {title: Payments, version: "1"}
paths:
  /orders/{order-id}/payments:
    post:
      operationId: createPayment
      parameters:
        - {name: order-id, in: path, required: true, schema: {type: string, format: uuid}}
        - {name: expand, in: query, explode: false, schema: {type: array, items: {type: string, enum: [order, customer]}}}
        - {name: limit, in: query, schema: {type: integer, format: int32, minimum: 1, maximum: 100}}
        - {name: Idempotency-Key, in: header, required: true, schema: {type: string}}
        - {name: X-Request-Id, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: '#/components/schemas/Payment'}}
      responses:
        "201": {description: Created.}
components:
  schemas:
    Line:
      type: object
      required: [sku, quantity]
      additionalProperties: false
      properties:
        sku: {type: string, minLength: 1, maxLength: 40, pattern: '^[A-Z0-9-]+$'}
        quantity: {type: integer, format: int32, minimum: 1}
    Payment:
      type: object
      required: [id, amount, currency, lines, created_at]
      properties:
        id: {type: string, format: uuid, readOnly: true}
        amount: {type: integer, minimum: 1, maximum: 99999999}
        currency: {type: string, enum: [EUR, USD]}
        note: {type: string, nullable: true, maxLength: 80}
        lines: {type: array, minItems: 1, items: {$ref: '#/components/schemas/Line'}}
        status: {type: string, enum: [pending, settled]}
        created_at: {type: string, format: date-time, readOnly: true}
        metadata: {type: object, maxProperties: 20, additionalProperties: {type: string}}
`

var body = []byte(`{"amount": 1250, "currency": "EUR", "note": "for the garden", "lines": [{"sku": "A-1", "quantity": 2}, {"sku": "B-22", "quantity": 1},
	{"sku": "C-333", "quantity": 12}], "metadata": {"campaign": "spring", "channel": "web", "reference": "4711"}}`)

func request() *http.Request {
	r := httptest.NewRequest("POST", "/orders/0f8fad5b-d9cb-469f-a165-70867728950e/payments?expand=order,customer&limit=7", bytes.NewReader(body))
	r.SetPathValue("order_id", "0f8fad5b-d9cb-469f-a165-70867728950e")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", `"k"`)
	return r
}

func BenchmarkReader(b *testing.B) {
	engine, err := runtime.New[pgx.Tx](memstore.New(), func(*http.Request) (string, error) { return "alice", nil })
	if err != nil {
		b.Fatal(err)
	}
	call, ok := engine.Begin(httptest.NewRecorder(), request(), &opCreatePayment)
	if !ok {
		b.Fatal("the request is refused")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readCreatePaymentRequest(call); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenAPI3Filter(b *testing.B) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
	if err != nil {
		b.Fatal(err)
	}
	item := doc.Paths.Value("/orders/{order-id}/payments")
	r := request()
	input := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: map[string]string{"order-id": r.PathValue("order_id")},
		Route: &routers.Route{Spec: doc, Path: "/orders/{order-id}/payments", PathItem: item, Method: "POST", Operation: item.Post},
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(bytes.NewReader(body))
		input.QueryParams = nil
		if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
			b.Fatal(err)
		}
		var payment Payment
		if err := json.NewDecoder(r.Body).Decode(&payment); err != nil {
			b.Fatal(err)
		}
	}
}
