package pgstore_test

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkTransaction prints, for 1, 8 and 32 clients, without and with a network that takes a millisecond, how long a
// flow takes and how many go through in a second, as a ratio to the bare transaction.
//
//	go test -run xxx -bench Transaction -benchtime 1x ./runtime/pgstore
func BenchmarkTransaction(b *testing.B) {
	x := newBench(b)
	for _, delay := range []time.Duration{0, time.Millisecond} {
		for _, clients := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("rtt=%v/clients=%d", delay, clients), func(b *testing.B) {
				x.wire.delay.Store(int64(delay))
				defer x.wire.delay.Store(0)
				compare(b, x.flows(), clients)
			})
		}
	}
}
