package runtime_test

import (
	"testing"
	"time"
)

// wait waits until what is closed or sent to, and no longer than bound, which is virtual in a bubble: what a test waits for may
// never come where what is tested is broken.
func wait[T any](t *testing.T, what <-chan T, bound time.Duration, otherwise string) (got T) {
	t.Helper()
	select {
	case got = <-what:
	case <-time.After(bound):
		t.Error(otherwise)
	}
	return got
}
