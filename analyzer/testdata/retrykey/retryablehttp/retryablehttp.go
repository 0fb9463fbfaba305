// Package retryablehttp has clients of hashicorp/go-retryablehttp.
package retryablehttp

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
)

// bug: the hook runs before each try, the first and the others.
func clientWithHook() *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.RequestLogHook = func(_ retryablehttp.Logger, request *http.Request, _ int) {
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
	}
	return client
}

// bug: what prepares a retry must not give it another key.
func clientWithPrepare() *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.PrepareRetry = func(request *http.Request) error {
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		return nil
	}
	return client
}

// fine: the hook gives a key to a request that has none, and the same request is sent again.
func clientWithGuard() *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.RequestLogHook = func(_ retryablehttp.Logger, request *http.Request, _ int) {
		if request.Header.Get("Idempotency-Key") == "" {
			request.Header.Set("Idempotency-Key", uuid.NewString())
		}
	}
	return client
}

// fine: a trace id for each try.
func clientWithTrace() *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.RequestLogHook = func(_ retryablehttp.Logger, request *http.Request, _ int) {
		request.Header.Set("X-Request-Id", uuid.NewString())
	}
	return client
}

// fine: the client repeats the request with the key that it was made with.
func send(client *retryablehttp.Client, url string, body []byte) (*http.Response, error) {
	request, err := retryablehttp.NewRequest(http.MethodPost, url, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Idempotency-Key", uuid.NewString())
	return client.Do(request)
}

// bug: a loop around the client that retries, with a new request in each turn.
func sendAgain(client *retryablehttp.Client, url string, body []byte) (response *http.Response, err error) {
	for attempt := 0; attempt < 3; attempt++ {
		request, err := retryablehttp.NewRequest(http.MethodPost, url, body)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		if response, err = client.Do(request); err == nil {
			return response, nil
		}
	}
	return nil, err
}
