package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// runUntilRecord claims id until there is a record, the way an engine does, and counts how often the handler ran.
func runUntilRecord(ctx context.Context, store *pgstore.Store, id runtime.ID, ran *atomic.Int64) error {
	for {
		c, err := store.Claim(ctx, id, 10*time.Second)
		if err != nil {
			return err
		}
		if c.Record != nil {
			return nil
		}
		if c.Work == nil {
			continue
		}
		ran.Add(1)
		if err := pay(ctx, c.Work.Tx()); err != nil {
			_ = c.Work.Rollback(ctx)
			if store.Retryable(err) {
				continue
			}
			return err
		}
		err = c.Work.Commit(ctx, newRecord())
		if err == nil || errors.Is(err, runtime.ErrLostRace) || errors.Is(err, runtime.ErrSerialization) {
			continue
		}
		return err
	}
}

// C1: two processes, 1,000 claims of one key at once, one effect.
func TestClaim_C1_ThousandAtOnceFromTwoProcesses(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		size := func(c *pgxpool.Config) { c.MaxConns = 8 }
		pools := []*pgxpool.Pool{pgtest.Open(t, url, size), pgtest.Open(t, url, size)}
		stores := []*pgstore.Store{open(t, pools[0], v.options()...), open(t, pools[1], v.options()...)}
		id := newID()
		var ran atomic.Int64
		errs := make([]error, 1000)
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range errs {
			all.Go(func() {
				<-start
				errs[i] = runUntilRecord(context.Background(), stores[i%2], id, &ran)
			})
		}
		close(start)
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if paid, records := count(t, pools[0], "payments"), count(t, pools[0], "idempotency_keys"); paid != 1 || records != 1 {
			t.Errorf("%d payments and %d records, want 1 and 1", paid, records)
		}
		if v.level == pgx.ReadCommitted && ran.Load() != 1 {
			t.Errorf("the handler ran %d times", ran.Load())
		}
		quiet(t, pools[0])
		quiet(t, pools[1])
	})
}

// The lock is only a fast answer: where it fails to keep claims apart, as between processes that name the table
// differently, the primary key still lets one of them commit.
func TestClaim_C1_I1_PrimaryKeyDecidesWhereLocksMiss(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	var different atomic.Int64
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		for _, expired := range []bool{false, true} { // a record that has to make room
			t.Run(fmt.Sprintf("%s, expired record %t", level, expired), func(t *testing.T) {
				store := open(t, pool, pgstore.WithTxOptions(pgx.TxOptions{IsoLevel: level}))
				pgstore.SetLock(store, func(string, runtime.ID) int64 { return different.Add(1) })
				id, won := newID(), newRecord()
				if expired {
					complete(t, store, id, newRecord())
					execSQL(t, pool, "UPDATE idempotency_keys SET expires_at = created_at")
				}
				before := count(t, pool, "payments")
				first, second := claim(t, store, id), claim(t, store, id)
				must(t, pay(context.Background(), first.Tx()))
				must(t, pay(context.Background(), second.Tx()))
				must(t, first.Commit(context.Background(), won))
				err := second.Commit(context.Background(), newRecord())
				if !errors.Is(err, runtime.ErrLostRace) && !errors.Is(err, runtime.ErrSerialization) {
					t.Errorf("err = %v, want a lost race", err)
				}
				if level == pgx.ReadCommitted && !errors.Is(err, runtime.ErrLostRace) {
					t.Errorf("err = %v, want ErrLostRace", err)
				}
				if paid := count(t, pool, "payments") - before; paid != 1 {
					t.Errorf("%d payments", paid)
				}
				if got := replay(t, store, id); got.Attempt != won.Attempt { // I7
					t.Error("another record")
				}
				quiet(t, pool)
			})
		}
	}
}

// Two ids on one lock cost a wait, never a mix-up.
func TestClaim_CollidingLocksKeepIDsApart(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	pgstore.SetLock(store, func(string, runtime.ID) int64 { return 42 })
	one, other := newID(), newID()
	work := claim(t, store, one)
	c, err := store.Claim(context.Background(), other, 0)
	must(t, err)
	if c.Work != nil || c.Record != nil {
		t.Fatal("two ids hold one lock")
	}
	done := make(chan runtime.Claim[pgx.Tx])
	go func() {
		c, _ := store.Claim(context.Background(), other, 10*time.Second)
		done <- c
	}()
	first := newRecord()
	must(t, work.Commit(context.Background(), first))
	c = <-done
	if c.Work == nil {
		t.Fatal("the waiting id was not won")
	}
	second := newRecord()
	must(t, c.Work.Commit(context.Background(), second))
	if replay(t, store, one).Attempt != first.Attempt || replay(t, store, other).Attempt != second.Attempt {
		t.Error("records were mixed up")
	}
}

func TestClaim_WaitHoldsOneConnection(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		id := newID()
		work := claim(t, open(t, pool, v.options()...), id)
		waiting := pgtest.Open(t, url, nil)
		done := make(chan runtime.Claim[pgx.Tx])
		go func() {
			c, _ := open(t, waiting, v.options()...).Claim(context.Background(), id, 10*time.Second)
			done <- c
		}()
		awaitLockWait(t, pool)
		if n := waiting.Stat().AcquiredConns(); n != 1 {
			t.Errorf("%d connections while waiting", n)
		}
		must(t, work.Commit(context.Background(), newRecord()))
		if c := <-done; c.Record == nil {
			t.Error("the wait did not end with the record")
		}
		quiet(t, waiting)
	})
}

// awaitLockWait returns once some session waits for a lock.
func awaitLockWait(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		var n int
		must(t, pool.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&n))
		if n > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody waits")
		}
	}
}

// The handler finds its own lock_timeout, not the one that bounded the claim.
func TestClaim_LeavesLockTimeoutAsItWas(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["lock_timeout"] = "4321ms" })
		store := open(t, pool, v.options()...)
		id := newID()
		work := claim(t, store, id)
		done := make(chan runtime.Work[pgx.Tx])
		go func() {
			c, _ := store.Claim(context.Background(), id, 10*time.Second)
			done <- c.Work
		}()
		awaitLockWait(t, pool)
		must(t, work.Rollback(context.Background()))
		won := <-done
		if won == nil {
			t.Fatal("not won")
		}
		var setting string
		must(t, won.Tx().QueryRow(context.Background(), "SHOW lock_timeout").Scan(&setting))
		if setting != "4321ms" {
			t.Errorf("lock_timeout = %s", setting)
		}
		must(t, won.Commit(context.Background(), newRecord()))
	})
}

// A session whose statement_timeout is shorter than the wait gives up like one whose wait is over.
func TestClaim_StatementTimeoutEndsTheWait(t *testing.T) {
	url := database(t)
	id := newID()
	work := claim(t, open(t, pgtest.Open(t, url, nil)), id)
	for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
		pool := pgtest.Open(t, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["statement_timeout"] = "50ms" })
		start := time.Now()
		if strategy == pgstore.InsertFirst {
			must(t, work.Rollback(context.Background()))
			work = claim(t, open(t, pgtest.Open(t, url, nil), pgstore.WithStrategy(strategy)), id)
		}
		c, err := open(t, pool, pgstore.WithStrategy(strategy)).Claim(context.Background(), id, 30*time.Second)
		if err != nil || c.Work != nil || c.Record != nil || time.Since(start) > 10*time.Second {
			t.Errorf("strategy %d: %+v, %v after %v", strategy, c, err, time.Since(start))
		}
		quiet(t, pool)
	}
	must(t, work.Rollback(context.Background()))
}

func TestClaim_CancelledWhileWaiting_HoldsNothing(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		id := newID()
		work := claim(t, store, id)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := store.Claim(ctx, id, time.Minute)
			done <- err
		}()
		awaitLockWait(t, pool)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		must(t, work.Rollback(context.Background()))
		quiet(t, pool)
		must(t, claim(t, store, id).Rollback(context.Background()))
	})
}

func TestClaim_A9_PoolExhausted(t *testing.T) {
	pool := pgtest.Open(t, database(t), func(c *pgxpool.Config) { c.MaxConns = 1 })
	store := open(t, pool)
	work := claim(t, store, newID())
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := store.Claim(ctx, newID(), 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Claim: %v", err)
	}
	if _, err := store.Begin(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Begin: %v", err)
	}
	must(t, work.Commit(context.Background(), newRecord()))
	must(t, claim(t, store, newID()).Rollback(context.Background()))
}

// X1, X4: a record that has expired by the database's clock makes room in the new one's transaction, or stays.
func TestClaim_X1_ExpiredIsReplacedWithTheWork(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		id := newID()
		complete(t, store, id, newRecord())
		execSQL(t, pool, "UPDATE idempotency_keys SET created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'")

		work := claim(t, store, id)
		must(t, work.Rollback(context.Background()))
		if n := count(t, pool, "idempotency_keys"); n != 1 {
			t.Fatalf("a rollback left %d rows", n)
		}

		rec := newRecord()
		complete(t, store, id, rec)
		if got := replay(t, store, id); got.Attempt != rec.Attempt {
			t.Error("the old record is still there")
		}
		quiet(t, pool)
	})
}

// A purge may take the expired row while the handler runs.
func TestClaim_X1_PurgedMeanwhile(t *testing.T) {
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			pool := pgtest.Open(t, database(t), nil)
			store := open(t, pool, pgstore.WithTxOptions(pgx.TxOptions{IsoLevel: level}))
			id, rec := newID(), newRecord()
			complete(t, store, id, newRecord())
			execSQL(t, pool, "UPDATE idempotency_keys SET expires_at = created_at")
			work := claim(t, store, id)
			execSQL(t, pool, "DELETE FROM idempotency_keys WHERE expires_at <= clock_timestamp()")
			err := work.Commit(context.Background(), rec)
			if level != pgx.ReadCommitted && errors.Is(err, runtime.ErrSerialization) {
				complete(t, store, id, rec) // the purge was a conflict; the second try is not
			} else {
				must(t, err)
			}
			if got := replay(t, store, id); got.Attempt != rec.Attempt {
				t.Error("another record")
			}
		})
	}
}

func TestClaim_LimitsOfScopeAndKey(t *testing.T) {
	store := open(t, pgtest.Open(t, database(t), nil))
	full := runtime.ID{Scope: strings.Repeat("\xff", pgstore.MaxScope), Key: strings.Repeat("k", pgstore.MaxKey)}
	complete(t, store, full, newRecord())
	replay(t, store, full)
	for _, id := range []runtime.ID{
		{Scope: full.Scope + "s", Key: "k"}, {Scope: "s", Key: full.Key + "k"}, {Scope: "", Key: "k"}, {Scope: "s", Key: ""},
	} {
		_, err := store.Claim(context.Background(), id, 0)
		var limit *pgstore.LimitError
		if !errors.As(err, &limit) || strings.Contains(err.Error(), "kk") {
			t.Errorf("%d, %d bytes: %v", len(id.Scope), len(id.Key), err)
		}
	}
}

// The index row limit is real, and incompressible ids of the greatest length are below it.
func TestClaim_GreatestIDFitsTheIndex(t *testing.T) {
	store := open(t, pgtest.Open(t, database(t), nil))
	random := func(n int) string {
		var b strings.Builder
		x := uint32(2463534242)
		for b.Len() < n {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			b.WriteByte(byte(x))
		}
		return b.String()
	}
	id := runtime.ID{Scope: random(pgstore.MaxScope), Key: random(pgstore.MaxKey)}
	complete(t, store, id, newRecord())
	replay(t, store, id)
}

func TestClaim_NoTable(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	for _, strategy := range []pgstore.Strategy{pgstore.AdvisoryLock, pgstore.InsertFirst} {
		_, err := open(t, pool, pgstore.WithStrategy(strategy)).Claim(context.Background(), newID(), 0)
		if err == nil || !strings.Contains(err.Error(), "idempotency_keys") {
			t.Errorf("err = %v", err)
		}
		quiet(t, pool)
	}
}

func TestLockNumber_SpreadsOverIDAndTable(t *testing.T) {
	a := pgstore.LockNumber("t", runtime.ID{Scope: "ab", Key: "c"})
	for _, b := range []int64{
		pgstore.LockNumber("t", runtime.ID{Scope: "a", Key: "bc"}),
		pgstore.LockNumber("u", runtime.ID{Scope: "ab", Key: "c"}),
		pgstore.LockNumber("ta", runtime.ID{Scope: "b", Key: "c"}),
	} {
		if a == b {
			t.Error("two ids have one number")
		}
	}
	// All processes have to agree, so the number is part of the contract between versions.
	if a != pgstore.LockNumber("t", runtime.ID{Scope: "ab", Key: "c"}) {
		t.Error("the number changes")
	}
}
