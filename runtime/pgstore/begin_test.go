package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
)

// A9: a restart of the server leaves a pool of dead connections. A transaction begins all the same: where each of them
// failed a worker that holds a lease, its work would be put off again and again.
func TestFault_A9_BeginAfterRestart(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := pgtemp.Start(ctx, pgtemp.Options{})
	if errors.Is(err, pgtemp.ErrNotFound) {
		pgtest.URL(t) // skips, or fails in CI
	}
	must(t, err)
	defer server.Stop()
	config, err := pgxpool.ParseConfig(server.URL)
	must(t, err)
	config.MaxConns = 4
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // the worst case
	pool, err := pgxpool.NewWithConfig(ctx, config)
	must(t, err)
	defer pool.Close()
	store := open(t, pool)

	for name, begin := range map[string]func() (interface{ Rollback(context.Context) error }, error){
		"Begin": func() (interface{ Rollback(context.Context) error }, error) { return store.Begin(ctx) },
		"BeginFenced": func() (interface{ Rollback(context.Context) error }, error) {
			return store.BeginFenced(ctx, newID(), runtime.Fence{Epoch: 1})
		},
	} {
		var idle []*pgxpool.Conn
		for range config.MaxConns {
			conn, err := pool.Acquire(ctx)
			must(t, err)
			idle = append(idle, conn)
		}
		for _, conn := range idle {
			conn.Release()
		}
		must(t, server.Restart(ctx))
		work, err := begin()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		must(t, work.Rollback(ctx))
	}
}
