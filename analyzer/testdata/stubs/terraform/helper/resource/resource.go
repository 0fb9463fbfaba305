// Package resource stands for the one of Terraform's plugin SDK, in which retries and ids stood before they had packages of their own.
package resource

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/id"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
)

// RetryFunc is called until it gives no error that may be tried again.
type RetryFunc func() *RetryError

// RetryError is an error, and whether to try again after it.
type RetryError = retry.RetryError

// RetryContext calls f again until the time is over.
func RetryContext(ctx context.Context, timeout time.Duration, f RetryFunc) error { return f().Err }

// Retry is RetryContext without a context.
func Retry(timeout time.Duration, f RetryFunc) error { return f().Err }

// RetryableError asks for another try.
func RetryableError(err error) *RetryError { return retry.RetryableError(err) }

// NonRetryableError asks for none.
func NonRetryableError(err error) *RetryError { return retry.NonRetryableError(err) }

// UniqueId gives an id that is new at every call.
func UniqueId() string { return id.UniqueId() }

// PrefixedUniqueId gives an id that is new at every call, with something in front.
func PrefixedUniqueId(prefix string) string { return id.PrefixedUniqueId(prefix) }
