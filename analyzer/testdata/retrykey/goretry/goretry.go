// Package goretry has calls that sethvargo/go-retry repeats.
package goretry

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/sethvargo/go-retry"
)

func post(ctx context.Context, url, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return retry.RetryableError(err)
	}
	return response.Body.Close()
}

// bug: the helper sends what the closure mints.
func payOut(ctx context.Context, url string) error {
	return retry.Do(ctx, retry.WithMaxRetries(3, retry.NewFibonacci(time.Second)), func(ctx context.Context) error {
		return post(ctx, url, uuid.NewString()) // want "minted"
	})
}

// fine: the helper sends what the caller gave.
func payOutOnce(ctx context.Context, url string) error {
	key := ulid.Make().String()
	return retry.Do(ctx, retry.NewConstant(time.Second), func(ctx context.Context) error {
		return post(ctx, url, key)
	})
}

// bug: the short form retries too.
func payOutExponential(ctx context.Context, url string) error {
	return retry.Exponential(ctx, time.Second, func(ctx context.Context) error {
		return post(ctx, url, ulid.Make().String()) // want "minted"
	})
}

// bug: the form with a value as well.
func payOutValue(ctx context.Context, url string) (string, error) {
	return retry.DoValue(ctx, retry.NewConstant(time.Second), func(ctx context.Context) (string, error) {
		key := uuid.NewString() // want "minted"
		return key, post(ctx, url, key)
	})
}

// fine: drawing a key and sending it stand outside of what is repeated; what is repeated is a read.
func payOutThenWait(ctx context.Context, url string, done func(context.Context, string) error) error {
	key := uuid.NewString()
	if err := post(ctx, url, key); err != nil {
		return err
	}
	return retry.Constant(ctx, time.Second, func(ctx context.Context) error { return done(ctx, key) })
}
