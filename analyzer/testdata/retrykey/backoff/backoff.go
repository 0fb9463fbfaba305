// Package backoff has calls that cenkalti/backoff repeats, in its three living major versions.
package backoff

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	backoff3 "github.com/cenkalti/backoff/v3"
	backoff4 "github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
)

type gateway struct {
	http *http.Client
	url  string
}

func (g *gateway) send(request *http.Request) error {
	response, err := g.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 500 {
		return fmt.Errorf("gateway: %s", response.Status)
	}
	return nil
}

// bug: each call of the operation sends a key of its own.
func chargeV3(g *gateway, body []byte) error {
	return backoff3.Retry(func() error {
		request, err := http.NewRequest(http.MethodPost, g.url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		return g.send(request)
	}, backoff3.NewExponentialBackOff())
}

// fine: the key is there before the first try.
func chargeOnceV3(g *gateway, body []byte) error {
	key := uuid.NewString()
	return backoff3.Retry(func() error {
		request, err := http.NewRequest(http.MethodPost, g.url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Idempotency-Key", key)
		return g.send(request)
	}, backoff3.NewExponentialBackOff())
}

// bug: the operation has a name, and is still called again.
func chargeV4(ctx context.Context, g *gateway, body []byte) error {
	operation := func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("X-Idempotency-Key", uuid.Must(uuid.NewV7()).String()) // want "minted"
		return g.send(request)
	}
	notify := func(err error, wait time.Duration) { fmt.Println(err, wait) }
	return backoff4.RetryNotify(operation, backoff4.WithContext(backoff4.NewExponentialBackOff(), ctx), notify)
}

type charge struct {
	gateway *gateway
	body    []byte
	key     string
}

// bug: the method is handed to a retry, and mints.
func (c *charge) attempt() error {
	request, err := http.NewRequest(http.MethodPost, c.gateway.url, bytes.NewReader(c.body))
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
	return c.gateway.send(request)
}

func (c *charge) runV4() error {
	return backoff4.Retry(c.attempt, backoff4.WithMaxRetries(backoff4.NewConstantBackOff(time.Second), 3))
}

func (c *charge) attemptWithKey() error {
	request, err := http.NewRequest(http.MethodPost, c.gateway.url, bytes.NewReader(c.body))
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", c.key)
	return c.gateway.send(request)
}

// fine: the key lives as long as the charge.
func (c *charge) runWithKeyV4() error {
	c.key = uuid.NewString()
	return backoff4.Retry(c.attemptWithKey, backoff4.NewExponentialBackOff())
}

// fine: the request is made once, and only a first try finds it without a key.
func chargeSameRequestV4(g *gateway, request *http.Request) error {
	return backoff4.Retry(func() error {
		if request.Header.Get("Idempotency-Key") == "" {
			request.Header.Set("Idempotency-Key", uuid.NewString())
		}
		return g.send(request)
	}, backoff4.NewExponentialBackOff())
}

// bug: looking whether the header is there guards nothing when the request is new at every try.
func chargeNewRequestV4(g *gateway, body []byte) (string, error) {
	return backoff4.RetryWithData(func() (string, error) {
		request, err := http.NewRequest(http.MethodPost, g.url, bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		if request.Header.Get("Idempotency-Key") == "" {
			request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		}
		return request.URL.Path, g.send(request)
	}, backoff4.NewExponentialBackOff())
}

// bug: version 5 hands the operation over after the context.
func chargeV5(ctx context.Context, g *gateway, body []byte) error {
	_, err := backoff5.Retry(ctx, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, bytes.NewReader(body))
		if err != nil {
			return false, backoff5.Permanent(err)
		}
		request.Header.Set("Idempotency-Key", "charge-"+uuid.NewString()) // want "minted"
		return true, g.send(request)
	}, backoff5.WithMaxTries(4))
	return err
}

// fine: a request id tells tries apart, and the key is the order's.
func chargeOrderV5(ctx context.Context, g *gateway, order string, body []byte) error {
	_, err := backoff5.Retry(ctx, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, bytes.NewReader(body))
		if err != nil {
			return false, backoff5.Permanent(err)
		}
		request.Header.Set("X-Request-Id", uuid.NewString())
		request.Header.Set("Idempotency-Key", uuid.NewSHA1(uuid.NameSpaceURL, []byte(order)).String())
		return true, g.send(request)
	})
	return err
}
