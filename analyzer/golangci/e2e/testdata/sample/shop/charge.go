// Package shop has a bug of each kind.
package shop

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"example.com/sample/pay"
)

// Charge sends a new key with every attempt: the key is made in another package.
func Charge(ctx context.Context, body string) error {
	var last error
	for attempt := 0; attempt < 3; attempt++ {
		req, err := pay.NewRequest(ctx, body)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err
			time.Sleep(time.Second)
			continue
		}
		return resp.Body.Close()
	}
	return last
}

// ChargeHere does it in one function, where the cure is mechanical.
func ChargeHere(ctx context.Context, body string) error {
	var last error
	for attempt := 0; attempt < 3; attempt++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/charges", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", rand.Text())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err
			time.Sleep(time.Second)
			continue
		}
		return resp.Body.Close()
	}
	return last
}

// ChargeIgnored is told off by nobody.
func ChargeIgnored(ctx context.Context, body string) error {
	for attempt := 0; ; attempt++ {
		req, err := pay.NewRequest(ctx, body) //idemvet:ignore retrykey every attempt is an order of its own
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		return resp.Body.Close()
	}
}

// ChargeNolint is told off by nobody in golangci-lint.
func ChargeNolint(ctx context.Context, body string) error {
	for attempt := 0; ; attempt++ {
		req, err := pay.NewRequest(ctx, body) //nolint:idemvet // every attempt is an order of its own
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		return resp.Body.Close()
	}
}
