// Package fixes has mints that can be moved in front of the retries, and mints that cannot.
package fixes

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/google/uuid"
)

func pay(ctx context.Context, amount int, idempotencyKey string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", idempotencyKey)
	_, err = http.DefaultClient.Do(request)
	return err
}

// bug: goes in front of the loop.
func loop(ctx context.Context) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		if err = pay(ctx, 100, uuid.NewString()); err == nil { // want "minted"
			return nil
		}
	}
	return err
}

// bug: the whole of uuid.New().String() moves.
func chain(ctx context.Context, prefix string) error {
	var err error
	if prefix != "" {
		for attempt := 0; attempt < 3; attempt++ {
			if err = pay(ctx, 100, prefix+uuid.New().String()); err == nil { // want "minted"
				return nil
			}
		}
	}
	return err
}

// bug: the error is taken away, so one value is left to move.
func must(ctx context.Context) error {
	return retry.Do(func() error {
		key := uuid.Must(uuid.NewV7()).String() // want "minted"
		return pay(ctx, 100, key)
	})
}

// bug: in front of the statement that holds the callback, with a name that is free.
func named(ctx context.Context, idempotencyKey string) error {
	if err := pay(ctx, 1, idempotencyKey); err != nil {
		return err
	}
	if err := retry.Do(func() error { return pay(ctx, 100, uuid.NewString()) }); err != nil { // want "minted"
		return err
	}
	return nil
}

// bug: two loops get two keys.
func two(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := pay(ctx, 1, uuid.NewString()); err == nil { // want "minted"
			break
		}
	}
	for attempt := 0; attempt < 3; attempt++ {
		if err := pay(ctx, 2, uuid.NewString()); err == nil { // want "minted"
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: in front of the label, too.
func labelled(ctx context.Context) error {
again:
	for attempt := 0; attempt < 3; attempt++ {
		if err := pay(ctx, 1, uuid.NewString()); err != nil { // want "minted"
			time.Sleep(time.Second)
			continue again
		}
		return nil
	}
	return errors.New("gave up")
}

// bug: in a case of a switch.
func inCase(ctx context.Context, kind string) error {
	switch kind {
	case "card":
		for attempt := 0; attempt < 3; attempt++ {
			if err := pay(ctx, 1, uuid.NewString()); err == nil { // want "minted"
				return nil
			}
		}
	}
	return errors.New("gave up")
}

// bug: not moved, for two mints in one loop are two operations.
func twoInOne(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		err := pay(ctx, 1, uuid.NewString()) // want "minted"
		if err == nil {
			err = pay(ctx, 2, uuid.NewString()) // want "minted"
		}
		if err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: not moved, for each item of the batch needs a key of its own.
func batch(ctx context.Context, amounts []int) error {
	for attempt := 0; attempt < 3; attempt++ {
		var failed error
		for _, amount := range amounts {
			failed = errors.Join(failed, pay(ctx, amount, uuid.NewString())) // want "minted"
		}
		if failed == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

// bug: not moved, for there is an error beside the value.
func withError(ctx context.Context) error {
	for attempt := 0; attempt < 3; attempt++ {
		key, err := uuid.NewRandom() // want "minted"
		if err != nil {
			return err
		}
		if err := pay(ctx, 1, key.String()); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

func newKey(order string) string { return order + uuid.NewString() }

// bug: not moved, for it is made of something that is declared in the loop.
func dependent(ctx context.Context, orders func() string) error {
	for attempt := 0; attempt < 3; attempt++ {
		order := orders()
		if err := pay(ctx, 1, newKey(order)); err == nil { // want "minted"
			return nil
		}
	}
	return errors.New("gave up")
}

// bug: not moved, for what it is made of changes in the loop.
func changing(ctx context.Context, order string) error {
	for attempt := 0; attempt < 3; attempt++ {
		if err := pay(ctx, 1, newKey(order)); err == nil { // want "minted"
			return nil
		}
		order += "'"
	}
	return errors.New("gave up")
}
