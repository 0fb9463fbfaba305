// Package retry stands for the one of Terraform's plugin SDK, which brings more with it than the cases need.
package retry

import (
	"context"
	"time"
)

// RetryFunc is called until it gives no error that may be tried again.
type RetryFunc func() *RetryError

// RetryError is an error, and whether to try again after it.
type RetryError struct {
	Err       error
	Retryable bool
}

// RetryContext calls f again until the time is over.
func RetryContext(ctx context.Context, timeout time.Duration, f RetryFunc) error { return f().Err }

// Retry is RetryContext without a context.
func Retry(timeout time.Duration, f RetryFunc) error { return f().Err }

// RetryableError asks for another try.
func RetryableError(err error) *RetryError { return &RetryError{Err: err, Retryable: true} }

// NonRetryableError asks for none.
func NonRetryableError(err error) *RetryError { return &RetryError{Err: err} }
