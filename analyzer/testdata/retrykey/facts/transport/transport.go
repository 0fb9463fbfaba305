// Package transport sets headers and knows nothing of payments.
package transport

import (
	"context"
	"net/http"

	"example.com/idemvet/retrykey/facts/ids"
)

// Post sends a key that it is given.
func Post(ctx context.Context, url, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	SetKey(request, key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// SetKey sets the header.
func SetKey(request *http.Request, key string) { request.Header.Set("Idempotency-Key", key) }

// PostFresh mints by itself.
func PostFresh(ctx context.Context, url string) error {
	return Post(ctx, url, ids.New())
}

// PostOr mints when it is given none.
func PostOr(ctx context.Context, url, key string) error {
	if key == "" {
		key = ids.New()
	}
	return Post(ctx, url, key)
}

// Ensure sets the header of a request that has none.
func Ensure(request *http.Request) {
	if request.Header.Get("Idempotency-Key") != "" {
		return
	}
	request.Header.Set("Idempotency-Key", ids.New())
}

// Call has its key in a member that is not called one.
type Call struct {
	URL string
	Ref string
}

// Do sends it.
func (c Call) Do(ctx context.Context) error {
	return Post(ctx, c.URL, c.Ref)
}
