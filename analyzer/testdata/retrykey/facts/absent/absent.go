// Package absent calls functions that mint a key when they are given none.
package absent

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
)

type params struct {
	Amount         int
	IdempotencyKey string
}

func charge(ctx context.Context, p *params) error {
	if p.IdempotencyKey == "" {
		p.IdempotencyKey = uuid.NewString()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", p.IdempotencyKey)
	_, err = http.DefaultClient.Do(request)
	return err
}

func send(request *http.Request) error {
	if request.Header.Get("Idempotency-Key") == "" {
		request.Header.Set("Idempotency-Key", uuid.NewString())
	}
	_, err := http.DefaultClient.Do(request)
	return err
}

// bug: the parameters are made anew without a key.
func anew(ctx context.Context) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = charge(ctx, &params{Amount: 100}); err == nil { // want "mints"
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: the parameters outlive the turn, and the first turn gives them their key.
func kept(ctx context.Context) (err error) {
	p := &params{Amount: 100}
	for attempt := 0; attempt < 3; attempt++ {
		if err = charge(ctx, p); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: copies of a template that may have a key.
func copies(ctx context.Context, template params) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		p := template
		if err = charge(ctx, &p); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// bug: the request is made anew without a key.
func requests(ctx context.Context) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
		if err != nil {
			return err
		}
		if err = send(request); err == nil { // want "mints"
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: it is made anew, and has the key of the payment.
func requestsWithKey(ctx context.Context, key string) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Idempotency-Key", key)
		if err = send(request); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// drain sends what waits, each with a key of its own.
func drain(ctx context.Context, waiting chan int) error {
	for {
		select {
		case amount := <-waiting:
			if err := charge(ctx, &params{Amount: amount}); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// fine: what is started again takes the next from the queue.
func restarts(ctx context.Context, waiting chan int) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		if err = drain(ctx, waiting); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: each request that comes in is a payment of its own, however often the server is started.
func serve(ctx context.Context) (err error) {
	for attempt := 0; attempt < 3; attempt++ {
		err = http.ListenAndServe(":8080", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if charge(ctx, &params{Amount: 1, IdempotencyKey: uuid.NewString()}) != nil {
				w.WriteHeader(http.StatusBadGateway)
			}
		}))
		if err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}
