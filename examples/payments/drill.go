package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// drill sends a running service what retries send in practice, over plain HTTP, and says of each promise whether it is
// kept. It makes four payments and no more.
type drill struct {
	base   string
	client *http.Client
	expire func(ctx context.Context, key string) error
	out    io.Writer
	broken int
}

// answer is what the drill looks at in a response.
type answer struct {
	status   int
	replayed bool
	kind     string // the problem's type, or ""
	body     []byte
	err      error
}

// run returns how many promises are broken.
func (d *drill) run(ctx context.Context) int {
	key, order := "drill-"+newID(), "order-"+newID()
	body := fmt.Sprintf(`{"order_id": %q, "amount": 4200, "currency": "EUR"}`, order)

	fmt.Fprintln(d.out, "1. Pay is tapped, the network drops, the app retries: three identical requests at once")
	first := d.together(ctx, 3, "token-1", key, body)
	d.check("each is answered with 201", all(first, func(a answer) bool { return a.status == http.StatusCreated }), first)
	d.check("all three name the same payment, in the same bytes", same(first), first)
	d.check("two are marked as replayed", count(first, func(a answer) bool { return a.replayed }) == 2, first)

	fmt.Fprintln(d.out, "2. What the business table holds")
	d.check("one payment was made", d.count(ctx, "token-1", order) == 1, nil)

	fmt.Fprintln(d.out, "3. The same key with another amount")
	other := d.together(ctx, 1, "token-1", key, fmt.Sprintf(`{"order_id": %q, "amount": 9900, "currency": "EUR"}`, order))
	d.check("it is refused with 422", other[0].status == http.StatusUnprocessableEntity && other[0].kind != "", other)
	d.check("no payment was made", d.count(ctx, "token-1", order) == 1, nil)

	fmt.Fprintln(d.out, "4. The same key from a second account")
	second := d.together(ctx, 1, "token-2", key, body)
	d.check("it gets a payment of its own", second[0].status == http.StatusCreated && !second[0].replayed &&
		paymentID(second[0]) != "" && paymentID(second[0]) != paymentID(first[0]), second)
	d.check("one payment was made for it", d.count(ctx, "token-2", order) == 1, nil)

	fmt.Fprintln(d.out, "5. The same request after the retention is over: the policy says that the key is new again")
	d.late(ctx, key, body, order)
	return d.broken
}

// late sends requests again whose records have expired: one for an order, which its own rule protects for good, and one
// without.
func (d *drill) late(ctx context.Context, key, body, order string) {
	free := "drill-" + newID()
	const freeBody = `{"amount": 100, "currency": "EUR"}`
	early := d.together(ctx, 1, "token-1", free, freeBody)
	if err := errors.Join(d.expire(ctx, key), d.expire(ctx, free)); err != nil {
		d.check("the records can be let expire: "+err.Error(), false, nil)
		return
	}
	again := d.together(ctx, 1, "token-1", free, freeBody)
	d.check("without an order it is carried out as a new request", again[0].status == http.StatusCreated && !again[0].replayed &&
		paymentID(again[0]) != paymentID(early[0]), append(early, again...))
	refused := d.together(ctx, 1, "token-1", key, body)
	d.check("for an order it is refused with 409, since one order is paid once", refused[0].status == http.StatusConflict, refused)
	d.check("no payment was made for the order", d.count(ctx, "token-1", order) == 1, nil)
}

func (d *drill) check(promise string, kept bool, answers []answer) {
	if kept {
		fmt.Fprintf(d.out, "   kept    %s\n", promise)
		return
	}
	d.broken++
	fmt.Fprintf(d.out, "   BROKEN  %s\n", promise)
	for _, a := range answers {
		fmt.Fprintf(d.out, "           status %d, replayed %t, %s %v\n", a.status, a.replayed, a.body, a.err)
	}
}

// together sends n equal requests at once.
func (d *drill) together(ctx context.Context, n int, token, key, body string) []answer {
	answers := make([]answer, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			<-start
			answers[i] = d.pay(ctx, token, key, body)
		})
	}
	close(start)
	wg.Wait()
	return answers
}

func (d *drill) pay(ctx context.Context, token, key, body string) answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/payments", strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("Content-Type", "application/json")
	res, err := d.client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = res.Body.Close() }()
	a := answer{status: res.StatusCode, replayed: res.Header.Get("Idempotent-Replayed") == "true"}
	a.body, a.err = io.ReadAll(res.Body)
	var problem struct{ Type string }
	if a.status >= 400 && json.Unmarshal(a.body, &problem) == nil {
		a.kind = problem.Type
	}
	return a
}

// count is the number of an account's payments for an order, -1 when it cannot be had.
func (d *drill) count(ctx context.Context, token, order string) int {
	query := fmt.Sprintf(`{"order_id": %q}`, order)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/payments/search", strings.NewReader(query))
	if err != nil {
		return -1
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := d.client.Do(req)
	if err != nil {
		return -1
	}
	defer func() { _ = res.Body.Close() }()
	var payments []json.RawMessage
	if err := json.NewDecoder(res.Body).Decode(&payments); err != nil {
		return -1
	}
	return len(payments)
}

func paymentID(a answer) string {
	var payment struct{ ID string }
	_ = json.Unmarshal(a.body, &payment)
	return payment.ID
}

func all(answers []answer, is func(answer) bool) bool { return count(answers, is) == len(answers) }

func count(answers []answer, is func(answer) bool) int {
	n := 0
	for _, a := range answers {
		if is(a) {
			n++
		}
	}
	return n
}

// same reports whether all answers name one payment, in the same bytes.
func same(answers []answer) bool {
	return paymentID(answers[0]) != "" &&
		!slices.ContainsFunc(answers, func(a answer) bool { return !bytes.Equal(a.body, answers[0].body) })
}
