package goldentest_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/generator/gocode/testdata/imported"
	"github.com/idemgen/idemgen/generator/gocode/testdata/models"
)

// importer implements the payments' interface over the user's own models.
type importer struct {
	request *imported.CreatePaymentRequest
}

func (i *importer) CreatePayment(_ context.Context, _ pgx.Tx, req *imported.CreatePaymentRequest) (imported.CreatePaymentResponse, error) {
	i.request = req
	return imported.CreatePayment201{Location: "/", Body: req.Body}, nil
}

func (i *importer) RefundPayment(context.Context, pgx.Tx, *imported.RefundPaymentRequest) (imported.RefundPaymentResponse, error) {
	return imported.RefundPayment204{}, nil
}

// The user's types are filled by their own rules, after the schema's checks, and what they refuse is a violation.
func TestImported(t *testing.T) {
	i := &importer{}
	mux := http.NewServeMux()
	if err := imported.Register(mux, engine(t), i); err != nil {
		t.Fatal(err)
	}
	res := send(t, mux, "POST", order, valid)
	if res.StatusCode != 201 {
		t.Fatalf("%d %s", res.StatusCode, text(t, res))
	}
	want := models.Payment{Amount: 1250, Currency: "EUR", Lines: []models.Line{{Sku: "A-1", Quantity: 2}}, Metadata: map[string]string{"a": "<b>"}}
	if !reflect.DeepEqual(i.request.Body, want) {
		t.Errorf("got  %+v\nwant %+v", i.request.Body, want)
	}
	if got := text(t, res); !strings.Contains(got, `"currency":"EUR","note":null,`) {
		t.Error(got)
	}
	for _, c := range []struct{ body, want string }{
		{strings.Replace(valid, "1250", "0", 1), `"#/amount"`},
		{strings.Replace(valid, `"A-1"`, `"a"`, 1), `"#/lines/0/sku"`},
		{`{}`, `"#/currency"`},
		{strings.Replace(valid, "1250", "13", 1), `"#"`},
	} {
		res := send(t, mux, "POST", order, c.body, "Idempotency-Key", "k2")
		if body := text(t, res); res.StatusCode != 400 || !strings.Contains(body, c.want) || strings.Contains(body, "unlucky") {
			t.Errorf("%s: %d %s", c.body, res.StatusCode, body)
		}
	}
}
