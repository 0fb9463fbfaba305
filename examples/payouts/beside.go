package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// beside runs what every process of the service has beside its server: recovery, and the purger where there is one. They stop
// when ctx ends; finished is closed when both have done so.
func beside(ctx context.Context, recovery *runtime.Recovery[pgx.Tx], purger *pgstore.Purger) (finished <-chan struct{}) {
	var all sync.WaitGroup
	all.Go(func() { _ = recovery.Run(ctx) }) // each returns nil, and has told its observer what went wrong
	if purger != nil {
		all.Go(func() { _ = purger.Run(ctx) })
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	return done
}

// tellPurge logs what a pass of the purger came to. One that failed is made again by the next; one that the end of the service
// ended has not failed.
func tellPurge(e pgstore.PurgeEvent) {
	switch {
	case !e.Ended || errors.Is(e.Err, context.Canceled):
	case e.Err != nil:
		slog.Warn("purge of expired keys", "error", e.Err)
	default:
		slog.Info("purge of expired keys", "deleted", e.Deleted, "took", e.Elapsed, "lag", e.Lag)
	}
}
