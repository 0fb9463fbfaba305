// Package recursion has functions that call themselves after an error.
package recursion

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
)

type client struct{ http *http.Client }

func (c *client) post(ctx context.Context, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", key)
	_, err = c.http.Do(request)
	return err
}

// bug: each call of itself mints.
func (c *client) charge(ctx context.Context, retries int) error {
	err := c.post(ctx, uuid.NewString()) // want `each time the function calls itself at line \d+`
	if err != nil && retries > 0 {
		time.Sleep(time.Second)
		return c.charge(ctx, retries-1)
	}
	return err
}

// bug: without a counter, behind an error.
func (c *client) chargeForEver(ctx context.Context) error {
	if err := c.post(ctx, uuid.NewString()); err != nil { // want "minted"
		return c.chargeForEver(ctx)
	}
	return nil
}

// bug: the number of the try is in the key.
func (c *client) numbered(ctx context.Context, order string, attempt int) error {
	err := c.post(ctx, order+"-"+string(rune('0'+attempt))) // want "number of the attempt"
	if err != nil && attempt < 3 {
		return c.numbered(ctx, order, attempt+1)
	}
	return err
}

// fine: the key is handed down.
func (c *client) chargeWithKey(ctx context.Context, key string, retries int) error {
	err := c.post(ctx, key)
	if err != nil && retries > 0 {
		return c.chargeWithKey(ctx, key, retries-1)
	}
	return err
}

// fine: minted by the first call only.
func (c *client) chargeOrMint(ctx context.Context, key string, retries int) error {
	if key == "" {
		key = uuid.NewString()
	}
	err := c.post(ctx, key)
	if err != nil && retries > 0 {
		return c.chargeOrMint(ctx, key, retries-1)
	}
	return err
}

type item struct {
	parts []item
}

// fine: goes down a tree, where each node is a payment of its own.
func (c *client) tree(ctx context.Context, root item) error {
	if err := c.post(ctx, uuid.NewString()); err != nil {
		return err
	}
	for _, part := range root.parts {
		if err := c.tree(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// fine: the next page is another request.
func (c *client) pages(ctx context.Context, page int) error {
	if err := c.post(ctx, uuid.NewString()); err != nil {
		return err
	}
	if page < 10 {
		return c.pages(ctx, page+1)
	}
	return nil
}

func shouldRetry(response *http.Response) bool { return response.StatusCode >= 500 }

// bug: the answer, not an error, has it call itself.
func (c *client) chargeAgain(ctx context.Context) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
	response, err := c.http.Do(request)
	if err == nil && shouldRetry(response) {
		return c.chargeAgain(ctx)
	}
	return response, err
}
