package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// drill sends a running service what retries send in practice, over plain HTTP, while its bank and the service itself fail
// in the ways that they do, and says of each promise whether it is kept.
type drill struct {
	base   string
	client *http.Client
	fakes  *fakes
	// dies has the service's next call of a partner be its worker's last act: the call is made, and no answer is seen.
	dies   *atomic.Bool
	out    io.Writer
	broken int
}

// drilled starts the service on a free port, and drills it.
func drilled(ctx context.Context, storage *storage) error {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // what it does to the service is meant to be
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	d := &drill{client: http.DefaultClient, out: os.Stdout}
	if err := d.start(ctx, storage, http.DefaultTransport); err != nil {
		return err
	}
	if broken := d.run(ctx); broken > 0 {
		return fmt.Errorf("%d promises are broken", broken)
	}
	fmt.Print("Every promise is kept.\n\n" +
		"What API users read:     examples/payouts/docs/idempotency.html\n" +
		"To try it by hand:       go run ./examples/payouts\n")
	return nil
}

// start starts partners and a service on them that calls them through network, until ctx ends.
func (d *drill) start(ctx context.Context, storage *storage, network http.RoundTripper) error {
	url, fakes, err := startPartners(ctx)
	if err != nil {
		return err
	}
	d.fakes, d.dies = fakes, new(atomic.Bool)
	client := &http.Client{Transport: mortal{network, d.dies}, Timeout: 10 * time.Second}
	handler, recovery, err := serve(storage.store, newService(storage.ledger, url, client))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	d.base = "http://" + listener.Addr().String()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	beside(ctx, recovery, storage.purger)
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

// mortal makes calls, and has the worker die of one, when it is done and its answer is not seen.
type mortal struct {
	http.RoundTripper
	dies *atomic.Bool
}

func (m mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := m.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost && m.dies.Swap(false) {
		_ = res.Body.Close()
		panic("the worker dies")
	}
	return res, err
}

// run returns how many promises are broken.
func (d *drill) run(ctx context.Context) int {
	d.again(ctx)
	d.inProgress(ctx)
	d.lostAnswer(ctx)
	d.death(ctx)
	d.refusal(ctx)
	return d.broken
}

const order = `{"to": "IE00-1234", "amount": 4200}`

func (d *drill) again(ctx context.Context) {
	fmt.Fprintln(d.out, "1. A payout is asked for, and asked for again")
	key, before := newKey(), d.counts(ctx)
	first, second := d.pay(ctx, key, order), d.pay(ctx, key, order)
	d.check("both get 201 with the same bytes", first.status == 201 && second.status == 201 && bytes.Equal(first.body, second.body), first, second)
	d.check("the second is marked as replayed", second.replayed && !first.replayed, first, second)
	d.once(ctx, before)
}

func (d *drill) inProgress(ctx context.Context) {
	fmt.Fprintln(d.out, "2. It is asked for again while the bank is at work")
	key, before := newKey(), d.counts(ctx)
	inside, leave := make(chan struct{}), make(chan struct{})
	d.fakes.bank.next(func(http.ResponseWriter) {
		close(inside)
		<-leave
	})
	answered := make(chan reply, 1)
	go func() { answered <- d.pay(ctx, key, order) }()
	select {
	case <-inside:
	case <-ctx.Done():
	}
	second, other := d.pay(ctx, key, order), d.pay(ctx, key, `{"to": "IE00-1234", "amount": 9900}`)
	close(leave)
	first := <-answered
	d.check("the repetition gets 409 and is told when to ask again", second.status == 409 && second.retryAfter > 0, second)
	d.check("another request with the key is refused", other.status == 422, other)
	d.check("the first gets 201, and so does who asks again", first.status == 201 && d.persist(ctx, key).status == 201, first)
	d.once(ctx, before)
}

func (d *drill) lostAnswer(ctx context.Context) {
	fmt.Fprintln(d.out, "3. The bank's answer is lost on the way")
	key, before := newKey(), d.counts(ctx)
	d.fakes.bank.next(cut)
	first := d.pay(ctx, key, order)
	d.check("the client is told that it is not finished, and when to ask", first.status == 503 && first.retryAfter > 0, first)
	last := d.persist(ctx, key)
	d.check("who goes on asking with the key gets 201", last.status == 201, last)
	d.once(ctx, before)
}

func (d *drill) death(ctx context.Context) {
	fmt.Fprintln(d.out, "4. The worker dies right after the bank has paid, and nobody asks again")
	key, before := newKey(), d.counts(ctx)
	d.dies.Store(true)
	first := d.pay(ctx, key, order)
	for ctx.Err() == nil && d.fakes.mailer.effects() == before.notices {
		time.Sleep(50 * time.Millisecond)
	}
	last := d.persist(ctx, key)
	d.check("the work is finished all the same", first.status == 503 && last.status == 201, first, last)
	d.once(ctx, before)
}

func (d *drill) refusal(ctx context.Context) {
	fmt.Fprintln(d.out, "5. The bank refuses")
	key, before := newKey(), d.counts(ctx)
	const closed = `{"to": "closed-1", "amount": 4200}`
	first, second := d.pay(ctx, key, closed), d.pay(ctx, key, closed)
	d.check("the answer is 402, and final", first.status == 402 && second.status == 402 && second.replayed, first, second)
	d.check("nothing was paid, and the money is back", d.counts(ctx) == before)
}

// counts are the effects that there are.
type counts struct {
	transfers, notices int
	balance            int64
}

func (d *drill) counts(ctx context.Context) counts {
	var account struct{ Balance int64 }
	r := d.send(ctx, http.MethodGet, "/balance", "", "")
	_ = json.Unmarshal(r.body, &account)
	return counts{d.fakes.bank.effects(), d.fakes.mailer.effects(), account.Balance}
}

// once checks that a payout had its effects since before, and each of them once.
func (d *drill) once(ctx context.Context, before counts) {
	want := counts{before.transfers + 1, before.notices + 1, before.balance - 4200}
	got := d.counts(ctx)
	d.check(fmt.Sprintf("the bank paid once, one notice was sent, the balance went down once (%+v)", got), got == want)
}

func (d *drill) check(promise string, kept bool, replies ...reply) {
	if kept {
		fmt.Fprintf(d.out, "   kept    %s\n", promise)
		return
	}
	d.broken++
	fmt.Fprintf(d.out, "   BROKEN  %s\n", promise)
	for _, r := range replies {
		fmt.Fprintf(d.out, "           status %d, replayed %t, %s %v\n", r.status, r.replayed, r.body, r.err)
	}
}

// reply is what the drill looks at in a response.
type reply struct {
	status     int
	replayed   bool
	retryAfter int // seconds
	body       []byte
	err        error
}

// persist asks until there is an answer, as a client does that heeds Retry-After.
func (d *drill) persist(ctx context.Context, key string) reply {
	for {
		r := d.pay(ctx, key, order)
		if r.status != http.StatusConflict && r.status != http.StatusServiceUnavailable || ctx.Err() != nil {
			return r
		}
		select {
		case <-time.After(time.Duration(r.retryAfter) * time.Second):
		case <-ctx.Done():
		}
	}
}

func (d *drill) pay(ctx context.Context, key, body string) reply {
	return d.send(ctx, http.MethodPost, "/payouts", key, body)
}

func (d *drill) send(ctx context.Context, method, path, key, body string) reply {
	req, err := http.NewRequestWithContext(ctx, method, d.base+path, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	req.Header.Set("Authorization", "Bearer token-1")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := d.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = res.Body.Close() }()
	r := reply{status: res.StatusCode, replayed: res.Header.Get("Idempotent-Replayed") == "true"}
	r.retryAfter, _ = strconv.Atoi(res.Header.Get("Retry-After"))
	r.body, r.err = io.ReadAll(res.Body)
	return r
}

func newKey() string { return "drill-" + rand.Text() }
