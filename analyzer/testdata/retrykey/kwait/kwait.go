// Package kwait has the waits of Kubernetes' libraries, some of which try again.
package kwait

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

type volumes interface {
	Create(ctx context.Context, name, idempotencyKey string) error
}

// bug: each poll asks for a volume of its own.
func provision(ctx context.Context, v volumes, name string) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := v.Create(ctx, name, uuid.NewString()) // want "minted"
		return err == nil, nil
	})
}

// fine: each poll asks for the same one.
func provisionOnce(ctx context.Context, v volumes, name string) error {
	key := uuid.NewString()
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := v.Create(ctx, name, key)
		return err == nil, nil
	})
}

// bug: the steps get longer, the key is new at each.
func provisionWithBackoff(url string) error {
	return wait.ExponentialBackoff(wait.Backoff{Steps: 5, Duration: time.Second}, func() (bool, error) {
		request, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			return false, err
		}
		request.Header.Set("Idempotency-Key", uuid.NewString()) // want "minted"
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, nil
		}
		return true, response.Body.Close()
	})
}

// fine: Until is a clock, not a retry: each turn is work of its own.
func heartbeat(ctx context.Context, v volumes) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		_ = v.Create(ctx, "snapshot", uuid.NewString())
	}, time.Minute)
}

// bug: on a conflict the function is called again.
func update(ctx context.Context, v volumes) error {
	return retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, func() error {
		return v.Create(ctx, "volume", uuid.NewString()) // want "minted"
	})
}

// fine: the resource's own name is the key.
func updateNamed(ctx context.Context, v volumes, uid string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return v.Create(ctx, "volume", "volume-"+uid)
	})
}
