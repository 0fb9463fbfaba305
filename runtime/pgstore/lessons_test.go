package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// Faults of other idempotency layers and entries of their trackers, as far as they concern a database. docs/faults.md has
// where each was found.

// lessonIntent is an intent of a worker of its own.
func lessonIntent(lease time.Duration) *runtime.Intent {
	rec := newRecord()
	return &runtime.Intent{
		Operation: rec.Operation, FingerprintVersion: rec.FingerprintVersion, Fingerprint: rec.Fingerprint,
		Owner: rec.Attempt, Lease: lease, Request: []byte("request"),
	}
}

// endLease has the lease of every record in progress be over.
func endLease(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	execSQL(t, pool, "UPDATE idempotency_keys SET lease_until = clock_timestamp() - interval '1 second' WHERE status = 0")
}

func progress(t *testing.T, store *pgstore.Store, id runtime.ID) *runtime.Progress {
	t.Helper()
	look, err := store.Look(context.Background(), id)
	must(t, err)
	if look.Progress == nil {
		t.Fatalf("not in progress: %+v", look)
	}
	return look.Progress
}

// I6: a worker whose time is over, and whose work another has taken over, writes late, in every way there is.
func TestPeerPowertools_LateWriteOfAStaleWorker(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, id, ctx := open(t, pool), newID(), context.Background()
	stale := hold(t, store, id, lessonIntent(time.Minute))
	work, err := store.BeginFenced(ctx, id, stale.Fence) // begun in time
	must(t, err)
	must(t, pay(ctx, work.Tx()))
	endLease(t, pool)
	owner := hold(t, store, id, lessonIntent(time.Minute))
	if owner.Fence.Epoch != 2 {
		t.Errorf("epoch %d", owner.Fence.Epoch)
	}
	late := func(when string) {
		t.Helper()
		for name, write := range map[string]func() error{
			"complete": func() error { return store.Advance(ctx, id, stale.Fence, &runtime.Advance{Record: newRecord()}) },
			"step": func() error {
				return store.Advance(ctx, id, stale.Fence, &runtime.Advance{Steps: []runtime.StepResult{{Name: "charge"}}, Lease: time.Minute})
			},
			"renew":   func() error { return store.Renew(ctx, id, stale.Fence, time.Hour) },
			"yield":   func() error { return store.Yield(ctx, id, stale.Fence, 0) },
			"release": func() error { return store.Release(ctx, id, stale.Fence) },
		} {
			if err := write(); !errors.Is(err, runtime.ErrLeaseLost) {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
	}
	late("while the owner works")
	if err := work.Commit(ctx, &runtime.Advance{Record: newRecord()}); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("commit: %v", err)
	}
	if p := progress(t, store, id); p.Fence != owner.Fence || len(p.Steps) != 0 || p.Left > time.Minute {
		t.Errorf("%+v", p)
	}
	if n := count(t, pool, "payments"); n != 0 {
		t.Errorf("%d payments of a stale worker", n)
	}
	rec := newRecord()
	must(t, store.Advance(ctx, id, owner.Fence, &runtime.Advance{Record: rec}))
	late("when the owner has done")
	if got := replay(t, store, id); string(got.Body) != string(rec.Body) {
		t.Errorf("%+v", got)
	}
	quiet(t, pool)
}

// The heartbeat of a worker that was overtaken keeps nobody's lease alive.
func TestPeerIdempotency4j_AZombieKeepsNobodysLease(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, id, ctx := open(t, pool), newID(), context.Background()
	zombie := hold(t, store, id, lessonIntent(time.Minute))
	endLease(t, pool)
	hold(t, store, id, lessonIntent(time.Minute))
	endLease(t, pool) // the second worker has died as well
	if err := store.Renew(ctx, id, zombie.Fence, time.Hour); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("err = %v", err)
	}
	if left := progress(t, store, id).Left; left != 0 {
		t.Errorf("the lease has %v left", left)
	}
	if held := hold(t, store, id, lessonIntent(time.Minute)); held.Fence.Epoch != 3 {
		t.Errorf("epoch %d", held.Fence.Epoch)
	}
}

// A transaction that writes a row or locks one takes a transaction id. Replays and duplicates take none, in both modes.
func TestPeerFaustbrian_ADuplicateWritesNothing(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	store, ctx := open(t, pool), context.Background()
	done, busy := newID(), newID()
	complete(t, store, done, newRecord())
	hold(t, store, busy, lessonIntent(time.Minute))
	intent := lessonIntent(time.Minute)
	// A session of its own tells whether the transaction it is in has an id.
	watched := func(name string, look func(store *pgstore.Store)) {
		t.Helper()
		one := pgtest.Open(t, url, func(c *pgxpool.Config) { c.MaxConns = 1 })
		before := nextXID(t, one)
		for range 20 {
			fresh := open(t, one)
			look(fresh)
		}
		quiet(t, one)
		if used := nextXID(t, one) - before; used >= 20 { // others on this server take one now and then
			t.Errorf("%s: %d transactions wrote", name, used)
		}
	}
	watched("a replay", func(s *pgstore.Store) { replay(t, s, done) })
	watched("a duplicate in lease mode", func(s *pgstore.Store) {
		c, err := s.ClaimLease(ctx, busy, intent)
		must(t, err)
		if c.Progress == nil {
			t.Errorf("%+v", c)
		}
	})
	watched("a replay in lease mode", func(s *pgstore.Store) {
		c, err := s.ClaimLease(ctx, done, intent)
		must(t, err)
		if c.Record == nil {
			t.Errorf("%+v", c)
		}
	})
}

func nextXID(t *testing.T, pool *pgxpool.Pool) int64 {
	t.Helper()
	var n int64
	must(t, pool.QueryRow(context.Background(), "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").Scan(&n))
	return n
}

// Text columns cannot hold the byte 0, which others have joined their keys with.
func TestPeerIdemlease_ANULIsAByteLikeAnyOther(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		store := open(t, pgtest.Open(t, url, nil), v.options()...)
		a, b := runtime.ID{Scope: "a\x00b", Key: "c"}, runtime.ID{Scope: "a", Key: "b\x00c"}
		complete(t, store, a, newRecord())
		complete(t, store, b, newRecord())
		replay(t, store, a)
		replay(t, store, b)
	})
}

// No lock outlives the transaction, whichever way that ends: a pooler hands the session to somebody else then.
func TestPeerIdempoGem_NoLockOutlivesTheTransaction(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool, admin := pgtest.Open(t, url, nil), pgtest.Open(t, url, nil)
		store, ctx := open(t, pool, v.options()...), context.Background()
		must(t, claim(t, store, newID()).Commit(ctx, newRecord()))
		must(t, claim(t, store, newID()).Rollback(ctx))
		id := newID()
		held := hold(t, store, id, lessonIntent(time.Minute))
		must(t, store.Renew(ctx, id, held.Fence, time.Minute))
		var locks int
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			must(t, admin.QueryRow(ctx, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE a.datname = current_database() AND l.pid <> pg_backend_pid()`).Scan(&locks))
			if locks == 0 || time.Now().After(deadline) {
				break
			}
		}
		if locks != 0 {
			t.Errorf("%d locks are left", locks)
		}
	})
}

// A lease without an end is nobody's orphan: it is not taken over, neither by a request nor by recovery.
func TestLesson01_AMissingDeadlineIsNoOrphan(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, id, ctx := open(t, pool), newID(), context.Background()
	hold(t, store, id, lessonIntent(time.Minute))
	execSQL(t, pool, "UPDATE idempotency_keys SET lease_until = NULL")
	c, err := store.ClaimLease(ctx, id, lessonIntent(time.Minute))
	if c.Held != nil {
		t.Errorf("a request took it over: %+v, %v", c, err)
	}
	held, err := store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayment", Lease: time.Minute}}, 10)
	if len(held) != 0 || err != nil {
		t.Errorf("recovery took it over: %+v, %v", held, err)
	}
}

// Nothing left of a lease means that it is over, and not that nobody knows.
func TestLesson03_NothingLeftIsOver(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, id := open(t, pool), newID()
	hold(t, store, id, lessonIntent(time.Minute))
	execSQL(t, pool, "UPDATE idempotency_keys SET lease_until = clock_timestamp()")
	if left := progress(t, store, id).Left; left != 0 {
		t.Errorf("%v left", left)
	}
	hold(t, store, id, lessonIntent(time.Minute))
}

// A release needs both parts of the fence: a row that was released and claimed anew has the same epoch as before.
func TestLesson07_OnlyOnesOwnClaimIsReleased(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, id, ctx := open(t, pool), newID(), context.Background()
	first := hold(t, store, id, lessonIntent(time.Minute))
	must(t, store.Release(ctx, id, first.Fence))
	second := hold(t, store, id, lessonIntent(time.Minute))
	if first.Fence.Epoch != second.Fence.Epoch {
		t.Fatalf("epochs %d and %d", first.Fence.Epoch, second.Fence.Epoch)
	}
	if err := store.Release(ctx, id, first.Fence); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("err = %v", err)
	}
	if p := progress(t, store, id); p.Fence != second.Fence {
		t.Errorf("%+v", p)
	}
}

// I7: the second of two that both believe that they won, since the locks missed, does not overwrite the first.
func TestLesson15_TheFirstRecordStays(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	id, ctx := newID(), context.Background()
	a, b := open(t, pool), open(t, pool)
	pgstore.SetLock(a, func(string, runtime.ID) int64 { return 1 })
	pgstore.SetLock(b, func(string, runtime.ID) int64 { return 2 })
	first, second := claim(t, a, id), claim(t, b, id)
	must(t, pay(ctx, first.Tx()))
	must(t, pay(ctx, second.Tx()))
	rec := newRecord()
	must(t, first.Commit(ctx, rec))
	if err := second.Commit(ctx, newRecord()); !errors.Is(err, runtime.ErrLostRace) {
		t.Errorf("err = %v", err)
	}
	if got := replay(t, b, id); got.Attempt != rec.Attempt {
		t.Error("the record is the second one's")
	}
	if n := count(t, pool, "payments"); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// While a write of the last owner is under way, recovery leaves the record out, and does not wait either.
func TestLesson18_RecoveryLeavesOutAWriteUnderWay(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	store, id, ctx := open(t, pool), newID(), context.Background()
	held := hold(t, store, id, lessonIntent(time.Minute))
	endLease(t, pool)
	write, err := pool.Begin(ctx) // as the fenced write that completes it, which has not committed yet
	must(t, err)
	_, err = write.Exec(ctx, `UPDATE idempotency_keys SET status = 201, expires_at = clock_timestamp() + interval '1 day',
lease_until = NULL, epoch = NULL, request = NULL, steps = NULL WHERE epoch = $1`, held.Fence.Epoch)
	must(t, err)
	of := []runtime.OperationLease{{Operation: "createPayment", Lease: time.Minute}}
	start := time.Now()
	if taken, err := store.TakeOver(ctx, of, 10); len(taken) != 0 || err != nil || time.Since(start) > 5*time.Second {
		t.Errorf("%+v, %v after %v", taken, err, time.Since(start))
	}
	must(t, write.Commit(ctx))
	if taken, err := store.TakeOver(ctx, of, 10); len(taken) != 0 || err != nil {
		t.Errorf("%+v, %v", taken, err)
	}
	replay(t, store, id)
}

// A6: a claim whose answer was lost is made again, and finds itself.
func TestLesson20_AClaimDoesNotCollideWithItself(t *testing.T) {
	w := &wire{}
	url := database(t)
	pool := pgtest.Open(t, url, func(c *pgxpool.Config) {
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		w.attach(c)
	})
	store, ctx := open(t, pool), context.Background()
	hold(t, store, newID(), lessonIntent(time.Minute)) // a connection is there
	for name, cut := range map[string]int32{"before": cutBefore, "half": cutHalf, "after": cutAfter} {
		id, intent := newID(), lessonIntent(time.Minute)
		w.cut.Store(cut)
		c, err := store.ClaimLease(ctx, id, intent)
		if err != nil || c.Held == nil {
			c, err = store.ClaimLease(ctx, id, intent) // as the engine does
		}
		if err != nil || c.Held == nil || c.Held.Fence != (runtime.Fence{Epoch: 1, Owner: intent.Owner}) {
			t.Errorf("cut %s: %+v, %v", name, c, err)
		}
		other, err := store.ClaimLease(ctx, id, lessonIntent(time.Minute))
		if err != nil || other.Progress == nil {
			t.Errorf("cut %s: another worker: %+v, %v", name, other, err)
		}
	}
}

// A claim does not wait for a rival that has not committed, beyond what it is given.
func TestLesson23_AClaimDoesNotWaitForARival(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store, id, ctx := open(t, pool, v.options()...), newID(), context.Background()
		rival := claim(t, store, id)
		must(t, pay(ctx, rival.Tx()))
		start := time.Now()
		c, err := store.Claim(ctx, id, 0)
		if took := time.Since(start); err != nil || c.Work != nil || c.Record != nil || took > 3*time.Second {
			t.Errorf("%+v, %v after %v", c, err, took)
		}
		must(t, rival.Rollback(ctx))
	})
}

// X4, I12: the store's clock makes a lease and judges it; how long ago this process thinks that was is never asked.
func TestLesson35_OneClockMakesAndJudgesALease(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, id := open(t, pool), newID()
	held := hold(t, store, id, lessonIntent(time.Minute))
	var left time.Duration
	must(t, pool.QueryRow(context.Background(), "SELECT lease_until - created_at FROM idempotency_keys").Scan(&left))
	if left != time.Minute {
		t.Errorf("the lease is %v", left)
	}
	var now time.Time
	must(t, pool.QueryRow(context.Background(), "SELECT clock_timestamp()").Scan(&now))
	if age := now.Sub(held.CreatedAt); age < 0 || age > 10*time.Second {
		t.Errorf("made %v ago by the database's clock", age)
	}
}
