package pgstore_test

import (
	"context"
	"log/slog"
	"time"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// Each process of the service runs a purger beside its server, until it is told to stop.
func ExamplePurger() {
	start := func(ctx context.Context, store *pgstore.Store) (stopped chan struct{}, err error) {
		purger, err := pgstore.NewPurger(store,
			pgstore.WithPurgeInterval(10*time.Minute),
			pgstore.WithPurgeRate(2000), // records a second, in this process
			pgstore.WithPurgeObserver(func(e pgstore.PurgeEvent) {
				switch {
				case e.Err != nil && ctx.Err() == nil:
					slog.Warn("purge of expired keys", "error", e.Err) // the next pass tries again
				case e.Ended:
					slog.Info("purge of expired keys", "deleted", e.Deleted, "took", e.Elapsed, "lag", e.Lag)
				}
			}))
		if err != nil {
			return nil, err
		}
		stopped = make(chan struct{})
		go func() {
			defer close(stopped)
			_ = purger.Run(ctx)
		}()
		return stopped, nil
	}
	_ = start // cancel ctx, then wait for stopped before the pool is closed
}
