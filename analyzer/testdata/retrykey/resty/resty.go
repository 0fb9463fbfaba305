// Package resty has clients of go-resty that repeat requests, with hooks.
package resty

import (
	"net/http"

	"github.com/go-resty/resty/v2"
	"github.com/google/uuid"
)

// bug: the hook runs before each try that follows a failed one.
func clientWithRetryHook() *resty.Client {
	client := resty.New().SetRetryCount(3)
	return client.AddRetryHook(func(response *resty.Response, _ error) {
		response.Request.SetHeader("Idempotency-Key", uuid.NewString()) // want "minted"
	})
}

// bug: this one runs before every try of a client that retries.
func clientWithRequestHook() *resty.Client {
	client := resty.New().SetRetryCount(3)
	client.SetPreRequestHook(func(_ *resty.Client, request *http.Request) error {
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		return nil
	})
	return client
}

// fine: only a request without a key gets one, and it keeps it.
func clientWithGuard() *resty.Client {
	client := resty.New().SetRetryCount(3)
	client.OnBeforeRequest(func(_ *resty.Client, request *resty.Request) error {
		if request.Header.Get("Idempotency-Key") == "" {
			request.SetHeader("Idempotency-Key", uuid.NewString())
		}
		return nil
	})
	return client
}

// fine: the request has its key before the client repeats it.
func charge(client *resty.Client, amount string) (*resty.Response, error) {
	return client.R().
		SetHeader("Idempotency-Key", uuid.NewString()).
		SetFormData(map[string]string{"amount": amount}).
		Post("/charges")
}

// bug: a loop makes a request and a key per turn.
func chargeAgain(client *resty.Client, amount string) (response *resty.Response, err error) {
	for retries := 0; retries < 5; retries++ {
		response, err = client.R().
			SetHeader("Idempotency-Key", uuid.NewString()). // want "minted"
			SetFormData(map[string]string{"amount": amount}).
			Post("/charges")
		if err == nil && response.IsSuccess() {
			return response, nil
		}
	}
	return response, err
}

// fine: the loop shares the key.
func chargeAgainOnce(client *resty.Client, amount string) (response *resty.Response, err error) {
	headers := map[string]string{"Idempotency-Key": uuid.NewString()}
	for retries := 0; retries < 5; retries++ {
		response, err = client.R().SetHeaders(headers).SetFormData(map[string]string{"amount": amount}).Post("/charges")
		if err == nil && response.IsSuccess() {
			return response, nil
		}
	}
	return response, err
}
