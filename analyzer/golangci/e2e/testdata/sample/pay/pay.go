// Package pay sends payments.
package pay

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
)

// NewRequest makes a request with a key of its own.
func NewRequest(ctx context.Context, body string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/charges", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", rand.Text())
	return req, nil
}
