// Package ownruntime sends the keys that our runtime derives for an external step: they are the same on every try.
package ownruntime

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"

	"github.com/idemgen/idemgen/runtime"
)

type bank struct {
	client *http.Client
	url    string
}

func (b bank) pay(ctx context.Context, idempotencyKey string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, bytes.NewReader(nil))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Idempotency-Key", idempotencyKey)
	return b.send(request)
}

func (b bank) send(request *http.Request) (int, error) {
	response, err := b.client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// fine: the step's key in a loop that retries.
func keyInLoop[TX any](ctx context.Context, b bank, step runtime.ExternalStep[TX]) (int, error) {
	return runtime.DoExternal(ctx, step, func(ctx context.Context, out *runtime.Outbound) (status int, err error) {
		for range 3 {
			if status, err = b.pay(ctx, out.Key()); err == nil {
				return status, nil
			}
			time.Sleep(time.Second)
		}
		return 0, err
	})
}

// fine: the key of one of two downstream calls, and all keys, in the function of a retry helper.
func keyForInHelper(ctx context.Context, b bank, out *runtime.Outbound) (int, error) {
	return backoff.Retry(ctx, func() (int, error) {
		if len(out.Keys()) > 1 {
			return b.pay(ctx, out.Keys()[1].Key)
		}
		return b.pay(ctx, out.KeyFor("bank"))
	})
}

// fine: the runtime puts the keys into their headers, at each try.
func setHeaders(ctx context.Context, b bank, out *runtime.Outbound) (status int, err error) {
	for range 3 {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, nil)
		if err != nil {
			return 0, err
		}
		out.SetHeaders(request.Header)
		if status, err = b.send(request); err == nil {
			return status, nil
		}
		time.Sleep(time.Second)
	}
	return 0, err
}

// fine: a question about an interrupted step has the step's key too.
func reconcile(ctx context.Context, b bank, step *runtime.Interrupted) (status int, err error) {
	for range 3 {
		if status, err = b.pay(ctx, step.Key()); err == nil {
			return status, nil
		}
		time.Sleep(time.Second)
	}
	return 0, err
}

// bug: a key of its own beside the one that the step has.
func ownKey(ctx context.Context, b bank, out *runtime.Outbound) (status int, err error) {
	for range 3 {
		if status, err = b.pay(ctx, out.Step+uuid.NewString()); err == nil { // want "minted"
			return status, nil
		}
		time.Sleep(time.Second)
	}
	return 0, err
}
