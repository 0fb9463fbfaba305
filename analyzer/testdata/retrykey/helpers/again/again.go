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

// Job is what to do, and how often.
type Job struct {
	Do       func() error
	Failed   func(error)
	Attempts int
}

// Until is given what it calls in a struct, and tells another of its functions of each failure.
func Until(job Job) (err error) {
	for i := 0; i < job.Attempts; i++ {
		if err = job.Do(); err == nil {
			return nil
		}
		job.Failed(err)
		time.Sleep(time.Second)
	}
	return err
}

// UntilDone is given a pointer, and hands it on.
func UntilDone(job *Job) error {
	if job.Attempts == 0 {
		job.Attempts = 3
	}
	return Until(*job)
}

// UntilCalled is given a pointer, and has a loop of its own.
func UntilCalled(job *Job) (err error) {
	for i := 0; ; i++ {
		if err = job.Do(); err == nil || i == job.Attempts {
			return err
		}
		time.Sleep(time.Second)
	}
}
