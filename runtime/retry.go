package runtime

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	retryBase = 5 * time.Millisecond
	retryCap  = 100 * time.Millisecond
)

// pause waits before run n+1 of a work, with full jitter: a random time up to min(cap, base*2^n). It ends early with ctx.
func pause(ctx context.Context, n int) {
	longest := retryCap
	if n < 5 { // 5 ms * 2^5 is over the cap
		longest = min(retryCap, retryBase<<n)
	}
	sleep(ctx, rand.N(longest))
}

// sleep waits for d; false where ctx has ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
