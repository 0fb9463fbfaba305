//go:build unix

package crash

import (
	"math"
	"sync/atomic"
	"time"
)

// histogram counts times in buckets that grow by a fiftieth, from 10 microseconds to over an hour, so that a long run needs
// no more memory than a short one. It is safe for concurrent use.
type histogram struct{ buckets [1024]atomic.Int64 }

const (
	shortest = 10 * time.Microsecond
	growth   = 1.02
)

func (h *histogram) add(d time.Duration) {
	i := 0
	if d > shortest {
		i = min(int(math.Log(float64(d)/float64(shortest))/math.Log(growth)), len(h.buckets)-1)
	}
	h.buckets[i].Add(1)
}

func (h *histogram) count() (n int64) {
	for i := range h.buckets {
		n += h.buckets[i].Load()
	}
	return n
}

// quantile is the upper bound of the bucket in which the q-th part of all times ends; 0 without any.
func (h *histogram) quantile(q float64) time.Duration {
	left := int64(math.Ceil(q * float64(h.count())))
	if left == 0 {
		return 0
	}
	for i := range h.buckets {
		if left -= h.buckets[i].Load(); left <= 0 {
			return time.Duration(float64(shortest) * math.Pow(growth, float64(i+1)))
		}
	}
	return 0 // more were added meanwhile
}
