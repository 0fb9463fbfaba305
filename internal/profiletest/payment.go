package profiletest

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// declined is the currency in which no payment can be made.
const declined = "XXX"

// order is what a request asks for.
type order struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

// pay makes a payment, or declines it.
func pay(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *Service) (runtime.Response, error) {
	order, err := readOrder(call)
	if err != nil {
		return runtime.Response{}, err
	}
	if order.Currency == declined {
		return answer(http.StatusPaymentRequired, nil, map[string]string{"error": "The payment was declined."})
	}
	payment := Payment{Account: call.Principal(), Key: call.Key(), Amount: order.Amount.String(), Currency: order.Currency}
	if payment.ID, err = s.Ledger.Add(ctx, tx, payment); err != nil {
		return runtime.Response{}, fmt.Errorf("make a payment: %w", err)
	}
	return payment.answer()
}

func readOrder(call *runtime.Call[pgx.Tx]) (o order, err error) {
	mediaType, _, _ := mime.ParseMediaType(call.Request().Header.Get("Content-Type"))
	if mediaType == "application/x-www-form-urlencoded" {
		form, err := url.ParseQuery(string(call.Body()))
		if err != nil {
			return o, &runtime.Problem{Name: runtime.ProblemMalformedBody}
		}
		return order{json.Number(form.Get("amount")), form.Get("currency")}, nil
	}
	if err := json.Unmarshal(call.Body(), &o); err != nil {
		return o, &runtime.Problem{Name: runtime.ProblemInvalidRequest, Detail: "The amount is a number and the currency a text."}
	}
	return o, nil
}

// answer has headers that are kept and headers that are not.
func (p *Payment) answer() (runtime.Response, error) {
	return answer(http.StatusCreated, http.Header{"Location": {"/payments/" + p.ID}, "Etag": {`"` + p.ID + `"`}}, p)
}

func answer(status int, header http.Header, body any) (runtime.Response, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return runtime.Response{}, err
	}
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	header.Set("Set-Cookie", "session=1")
	header.Set("X-Request-Id", "1")
	return runtime.Response{Status: status, Header: header, Body: encoded}, nil
}

// current answers a repetition from the payment as it is now, where the policy wants that.
func (s *Service) current(call *runtime.Call[pgx.Tx]) runtime.CurrentFunc[pgx.Tx] {
	if s.options.Current != nil {
		return s.options.Current
	}
	return func(ctx context.Context, tx pgx.Tx, first *runtime.First) (runtime.Response, error) {
		id, ok := strings.CutPrefix(first.Header.Get("Location"), "/payments/")
		if !ok {
			return runtime.Response{Status: first.Status, Header: first.Header, Body: first.Body}, nil
		}
		payment, err := s.Ledger.Find(ctx, tx, call.Principal(), id)
		if err != nil {
			return runtime.Response{}, fmt.Errorf("find a payment: %w", err)
		}
		return payment.answer()
	}
}
