package pgstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

var (
	large      = flag.Bool("pgstore.large", false, "run the benchmarks that take gigabytes of disk and minutes to fill them")
	purgeRows  = flag.Int("pgstore.expired", 1_000_000, "expired records of BenchmarkPurge")
	purgeSlice = flag.Duration("pgstore.slice", time.Second, "length of one slice of BenchmarkPurge")
)

// BenchmarkPurge prints how long a purger takes for a million expired records among 200,000 live ones, and what claims take
// meanwhile, beside what they take without: the purger is stopped for every other slice of time, so that both are measured
// in one run on one table. It runs with its default budget and with none to speak of.
//
//	go test -run xxx -bench Purge -benchtime 1x ./runtime/pgstore -pgstore.large
func BenchmarkPurge(b *testing.B) {
	if !*large {
		b.Skip("it takes gigabytes: -pgstore.large")
	}
	for _, budget := range []struct {
		name string
		opts []pgstore.PurgeOption
	}{
		{"unlimited", []pgstore.PurgeOption{pgstore.WithPurgeRate(1e9), pgstore.WithPurgeReading(1 << 40)}},
		{"default", nil},
	} {
		for _, clients := range []int{1, 8} {
			b.Run(fmt.Sprintf("budget=%s/clients=%d", budget.name, clients), func(b *testing.B) {
				x := newBench(b)
				x.fill(b, "idempotency_keys", randomKey, *purgeRows, -time.Hour)
				x.fill(b, "idempotency_keys", randomKey, *purgeRows/5, 24*time.Hour)
				execSQL(b, x.pool, "VACUUM ANALYZE idempotency_keys")
				execSQL(b, x.pool, "CHECKPOINT")
				measurePurge(b, x, clients, budget.opts)
			})
		}
	}
}

func measurePurge(b *testing.B, x *bench, clients int, opts []pgstore.PurgeOption) {
	b.Helper()
	claims := x.first(x.store)
	measure(b, claims, clients, 200*time.Millisecond)

	// The observer is called by the purger itself, between two batches: while the gate is shut it waits there.
	var gate sync.Mutex
	var last pgstore.PurgeEvent
	purger, err := pgstore.NewPurger(x.store, append(opts, pgstore.WithPurgeObserver(func(e pgstore.PurgeEvent) {
		gate.Lock()
		last = e
		gate.Unlock()
	}))...)
	must(b, err)
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	gate.Lock()
	go func() {
		_, err := purger.Once(ctx)
		ended <- err
	}()
	var with, without []time.Duration
	var purging time.Duration
	// The default budget takes minutes for a million: 30 slices of it are enough to see what claims take.
	over := false
	for range 30 {
		without = append(without, latencies(b, claims, clients, *purgeSlice)...)
		gate.Unlock()
		began := time.Now()
		with = append(with, latencies(b, claims, clients, *purgeSlice)...)
		purging += time.Since(began)
		select {
		case err := <-ended:
			must(b, err)
			over = true
		default:
		}
		gate.Lock()
		if over {
			break
		}
	}
	gate.Unlock()
	if !over {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			must(b, err)
		}
	}
	deleted := last.Deleted
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(deleted), "deleted")
	b.ReportMetric(float64(deleted)/purging.Seconds(), "deleted/s")
	b.ReportMetric(float64(last.Batches), "batches")
	for _, of := range []float64{0.5, 0.99} {
		name := fmt.Sprintf("p%.0f", of*100)
		b.ReportMetric(milliseconds(quantile(without, of)), name+"-without-ms")
		b.ReportMetric(milliseconds(quantile(with, of)), name+"-with-ms")
		b.ReportMetric(float64(quantile(with, of))/float64(quantile(without, of)), name+"-with/without")
	}
	b.Logf("%d records in %v of purging and %d batches; %d claims without and %d with", deleted, purging.Round(time.Millisecond), last.Batches, len(without), len(with))
}

// latencies are those of f from so many clients for a while.
func latencies(b testing.TB, f func(context.Context) error, clients int, length time.Duration) []time.Duration {
	b.Helper()
	all := make([][]time.Duration, clients)
	errs := make([]error, clients)
	start := time.Now()
	var done sync.WaitGroup
	for c := range clients {
		done.Go(func() {
			for now := time.Now(); now.Sub(start) < length; {
				if errs[c] = f(context.Background()); errs[c] != nil {
					return
				}
				end := time.Now()
				all[c] = append(all[c], end.Sub(now))
				now = end
			}
		})
	}
	done.Wait()
	for _, err := range errs {
		must(b, err)
	}
	return slices.Concat(all...)
}

func quantile(values []time.Duration, of float64) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(of*float64(len(sorted)-1))]
}
