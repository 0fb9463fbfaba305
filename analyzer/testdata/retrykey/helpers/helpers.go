// Package helpers calls the retry helpers of a house.
package helpers

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"example.com/idemvet/retrykey/helpers/again"
)

func post(ctx context.Context, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", key)
	_, err = http.DefaultClient.Do(request)
	return err
}

// bug: a helper with a loop of its own.
func call(ctx context.Context) error {
	return again.Call(ctx, func(ctx context.Context) error {
		return post(ctx, uuid.NewString()) // want "minted"
	})
}

// bug: a helper that hands the callback on.
func handedOn(ctx context.Context) error {
	return again.Backoff(ctx, func() error {
		return post(ctx, uuid.NewString()) // want "minted"
	})
}

// bug: a helper that hands the callback on twice, within a literal.
func handedOnTwice(ctx context.Context) error {
	return again.Logged(ctx, func() error {
		return post(ctx, uuid.NewString()) // want "minted"
	})
}

// bug: a generic helper.
func generic(ctx context.Context) (int, error) {
	return again.Value(3, func() (int, error) {
		return 1, post(ctx, uuid.NewString()) // want "minted"
	})
}

// bug: a helper that is a method.
func method(ctx context.Context) error {
	return again.Policy{Attempts: 3}.Run(func() error {
		return post(ctx, uuid.NewString()) // want "minted"
	})
}

// fine: the key is there before the helper is called.
func before(ctx context.Context) error {
	key := uuid.NewString()
	return again.Backoff(ctx, func() error { return post(ctx, key) })
}

// fine: each item is a payment of its own.
func each(ctx context.Context, items []string) error {
	return again.Each(items, func(string) error { return post(ctx, uuid.NewString()) })
}

// fine: each turn is a payment of its own.
func every(ctx context.Context) error {
	return again.Every(ctx, time.Hour, func() error { return post(ctx, uuid.NewString()) })
}

// bug: a helper that is given the callback in a struct.
func inStruct(ctx context.Context) error {
	return again.Until(again.Job{
		Do:       func() error { return post(ctx, uuid.NewString()) }, // want "minted"
		Attempts: 3,
	})
}

// bug: in a struct that it is given a pointer to.
func behindPointer(ctx context.Context) error {
	return again.UntilCalled(&again.Job{
		Attempts: 3,
		Do: func() error {
			return post(ctx, uuid.NewString()) // want "minted"
		},
	})
}

// bug: the pointer is handed on by the helper.
func behindPointerHandedOn(ctx context.Context) error {
	return again.UntilDone(&again.Job{
		Do: func() error {
			return post(ctx, uuid.NewString()) // want "minted"
		},
	})
}

// bug: in a struct that is filled in step by step.
func filledIn(ctx context.Context) error {
	var job again.Job
	job.Attempts = 3
	job.Do = func() error {
		return post(ctx, uuid.NewString()) // want "minted"
	}
	return again.Until(job)
}

// fine: the struct's callback has the key from outside.
func inStructBefore(ctx context.Context) error {
	key := uuid.NewString()
	return again.Until(again.Job{Do: func() error { return post(ctx, key) }, Attempts: 3})
}

// fine: another function of the struct, which is called after the failure and is a request of its own.
func otherField(ctx context.Context, pay func() error) error {
	return again.Until(again.Job{Do: pay, Attempts: 3, Failed: func(error) { println(post(ctx, uuid.NewString())) }})
}
