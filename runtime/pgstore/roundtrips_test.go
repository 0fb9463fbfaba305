package pgstore_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// counted returns a store on one connection whose statements are prepared, and the wire it goes over.
func counted(t *testing.T, url string, opts ...pgstore.Option) (*pgstore.Store, *pgxpool.Pool, *wire) {
	t.Helper()
	w := &wire{}
	pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.MaxConns = 1; w.attach(c) })
	store := open(t, pool, opts...)
	id := newID()
	complete(t, store, id, newRecord())
	replay(t, store, id)
	pgstore.Forget(store)
	replay(t, store, id)
	quiet(t, pool)
	connections := pool.Stat().NewConnsCount()
	t.Cleanup(func() {
		if now := pool.Stat().NewConnsCount(); now != connections {
			t.Errorf("%d connections were thrown away", now-connections)
		}
	})
	return store, pool, w
}

// trips returns how often the client wrote while f ran.
func (w *wire) trips(f func()) int64 {
	before := w.writes.Load()
	f()
	return w.writes.Load() - before
}

// protocol.md, transaction mode: as many round trips as the bare transaction.
func TestRoundTrips_ThreeLikeTheBareTransaction(t *testing.T) {
	url := database(t)
	for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
		store, pool, w := counted(t, url, pgstore.WithStrategy(strategy))
		bare := w.trips(func() {
			tx, err := pool.Begin(context.Background())
			must(t, err)
			must(t, pay(context.Background(), tx))
			must(t, tx.Commit(context.Background()))
		})
		got := w.trips(func() { complete(t, store, newID(), newRecord()) })
		if bare != 3 || got != 3 {
			t.Errorf("strategy %d: bare transaction %d round trips, claimed %d; want 3 and 3", strategy, bare, got)
		}
	}
}

func TestRoundTrips_ReplayIsOneWithoutTransaction(t *testing.T) {
	url := database(t)
	store, pool, w := counted(t, url)
	id := newID()
	complete(t, store, id, newRecord())
	if got := w.trips(func() { replay(t, store, id) }); got != 1 {
		t.Errorf("a replay in the process of the first request took %d writes, want 1", got)
	}

	// Another process, or this one after a restart, claims first. The caller waits for one round trip; the rollback that
	// frees the transaction is sent after the answer is known.
	pgstore.Forget(store)
	got := w.trips(func() {
		replay(t, store, id)
		quiet(t, pool)
	})
	if got > 3 { // claim, rollback, and the question that quiet asks
		t.Errorf("a replay in another process took %d writes, want 2", got-1)
	}
}

func TestRoundTrips_BusyIsOne(t *testing.T) {
	url := database(t)
	store, _, w := counted(t, url)
	id := newID()
	work := claim(t, open(t, pgtest.Open(t, url, nil)), id)
	defer func() { _ = work.Rollback(context.Background()) }()
	got := w.trips(func() {
		c, err := store.Claim(context.Background(), id, 0)
		must(t, err)
		if c.Work != nil || c.Record != nil {
			t.Error("claimed what another process holds")
		}
	})
	if got > 2 {
		t.Errorf("%d writes for a busy id, want 1 and a rollback nobody waits for", got)
	}
}

func TestRoundTrips_RollbackAfterCommitIsFree(t *testing.T) {
	store, _, w := counted(t, database(t))
	work := claim(t, store, newID())
	must(t, work.Commit(context.Background(), newRecord()))
	if got := w.trips(func() { must(t, work.Rollback(context.Background())) }); got != 0 {
		t.Errorf("a rollback after the commit took %d writes", got)
	}
}
