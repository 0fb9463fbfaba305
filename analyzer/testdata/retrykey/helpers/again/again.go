// Package again has the retry helpers of a house: one of its own making, and ones that hand their callback on.
package again

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Call calls f until it succeeds, three times at most.
func Call(ctx context.Context, f func(context.Context) error) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		if err = f(ctx); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// Backoff hands f on.
func Backoff(ctx context.Context, f func() error) error {
	return backoff.Retry(f, backoff.WithContext(backoff.NewExponentialBackOff(), ctx))
}

// Logged hands f on within a literal, to a helper of its own package.
func Logged(ctx context.Context, f func() error) error {
	return Backoff(ctx, func() error {
		err := f()
		if err != nil {
			println(err.Error())
		}
		return err
	})
}

// Value is generic.
func Value[T any](attempts int, f func() (T, error)) (T, error) {
	for i := 1; ; i++ {
		value, err := f()
		if err == nil || i >= attempts {
			return value, err
		}
		time.Sleep(time.Second)
	}
}

// Policy is how often.
type Policy struct{ Attempts int }

// Run is a method.
func (p Policy) Run(f func() error) (err error) {
	for range p.Attempts {
		if err = f(); err == nil {
			break
		}
	}
	return err
}

// Each calls f for every item: no retry.
func Each(items []string, f func(string) error) error {
	for _, item := range items {
		if err := f(item); err != nil {
			return err
		}
	}
	return nil
}

// Every calls f for ever: no retry.
func Every(ctx context.Context, pause time.Duration, f func() error) error {
	for {
		if err := f(); err != nil {
			return err
		}
		time.Sleep(pause)
	}
}
