package pgstore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A goroutine of one process of the service, or a job that runs by the clock, gives the space of expired records back.
func ExampleStore_Purge() {
	purge := func(ctx context.Context, store *pgstore.Store) error {
		const batch = 1000
		for {
			deleted, err := store.Purge(ctx, batch)
			if err != nil {
				return err
			}
			if deleted < batch {
				return nil // until the next round
			}
		}
	}
	every := func(ctx context.Context, store *pgstore.Store, round time.Duration) {
		ticker := time.NewTicker(round)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if err := purge(ctx, store); err != nil {
					fmt.Println(err) // nothing depends on it: the next round tries again
				}
			}
		}
	}
	_ = every // go every(ctx, store, 10*time.Minute)
}
