// Package closures has keys that travel through function literals.
package closures

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/google/uuid"
)

type client struct{ http *http.Client }

func (c *client) pay(ctx context.Context, amount int, idempotencyKey string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// bug: the literal captures the client and mints.
func literal(ctx context.Context, c *client) error {
	return retry.Do(func() error {
		return c.pay(ctx, 100, uuid.NewString()) // want `each time retry.Do at line \d+ tries`
	})
}

// bug: a captured variable is set anew in each try.
func capturedVariable(ctx context.Context, c *client) error {
	var key string
	return retry.Do(func() error {
		key = uuid.NewString() // want "minted"
		return c.pay(ctx, 100, key)
	})
}

// fine: a captured variable is set only when it is empty.
func capturedOnce(ctx context.Context, c *client) error {
	var key string
	return retry.Do(func() error {
		if key == "" {
			key = uuid.NewString()
		}
		return c.pay(ctx, 100, key)
	})
}

// fine: a captured variable is set before.
func capturedBefore(ctx context.Context, c *client) error {
	key := uuid.NewString()
	return retry.Do(func() error { return c.pay(ctx, 100, key) })
}

// fine: sync.Once mints once, wherever it stands.
func once(ctx context.Context, c *client) error {
	var (
		first sync.Once
		key   string
	)
	return retry.Do(func() error {
		first.Do(func() { key = uuid.NewString() })
		return c.pay(ctx, 100, key)
	})
}

// bug: a literal in the retried literal mints.
func nested(ctx context.Context, c *client) error {
	return retry.Do(func() error {
		return timed(func() error {
			return c.pay(ctx, 100, uuid.NewString()) // want "minted"
		})
	})
}

func timed(f func() error) error {
	start := time.Now()
	defer func() { _ = time.Since(start) }()
	return f()
}

// bug: a loop calls a literal that is made before it.
func calledInLoop(ctx context.Context, c *client) error {
	send := func(amount int) error {
		return c.pay(ctx, amount, uuid.NewString()) // want "minted"
	}
	for attempt := 0; attempt < 3; attempt++ {
		if err := send(100); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: a literal mints what the retried one sends.
func mintingLiteral(ctx context.Context, c *client) error {
	newKey := func() string { return "pay-" + uuid.NewString() } // want "minted"
	return retry.Do(func() error { return c.pay(ctx, 100, newKey()) })
}

// fine: the literal is called once, before the retries.
func mintingLiteralBefore(ctx context.Context, c *client) error {
	newKey := func() string { return "pay-" + uuid.NewString() }
	key := newKey()
	return retry.Do(func() error { return c.pay(ctx, 100, key) })
}

// bug: the attempt is counted in a captured variable.
func countedCapture(ctx context.Context, c *client, order string) error {
	n := 'a'
	return retry.Do(func() error {
		n++
		return c.pay(ctx, 100, order+string(n)) // want "number of the attempt"
	})
}

// fine: in each retried try, each message of a stream has a key of its own.
func streamed(ctx context.Context, c *client, messages <-chan int) error {
	return retry.Do(func() error {
		for amount := range messages {
			if err := c.pay(ctx, amount, uuid.NewString()); err != nil {
				return err
			}
		}
		return nil
	})
}

// fine: handlers are registered in the retried literal; each request that comes in is a payment of its own.
func server(c *client, listen func(http.Handler) error) error {
	return retry.Do(func() error {
		mux := http.NewServeMux()
		mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) {
			if err := c.pay(r.Context(), 100, uuid.NewString()); err != nil {
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		return listen(mux)
	})
}

// fine: the payment stands outside of what is retried.
func outside(ctx context.Context, c *client, load func() (int, error)) error {
	var amount int
	err := retry.Do(func() (err error) {
		amount, err = load()
		return err
	})
	if err != nil {
		return err
	}
	return c.pay(ctx, amount, uuid.NewString())
}
