package pgstore_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// expireAll ends the retention of every record there is.
func expireAll(tb testing.TB, pool *pgxpool.Pool) {
	tb.Helper()
	execSQL(tb, pool, "UPDATE idempotency_keys SET created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'")
}

// X1: expired records go in batches, live ones and those of work that is not committed stay.
func TestPurge_X1_Batches(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store, ctx := open(t, pool, v.options()...), context.Background()
		for range 25 {
			complete(t, store, newID(), newRecord())
		}
		expireAll(t, pool)
		live, open := newID(), newID()
		complete(t, store, live, newRecord())
		work := claim(t, store, open)
		must(t, pay(ctx, work.Tx()))

		for i, want := range []int64{10, 10, 5, 0} {
			deleted, err := store.Purge(ctx, 10)
			if err != nil || deleted != want {
				t.Errorf("call %d deleted %d, %v; want %d", i+1, deleted, err, want)
			}
		}
		must(t, work.Commit(ctx, newRecord()))
		replay(t, store, live)
		replay(t, store, open)
		if n := count(t, pool, "idempotency_keys"); n != 2 {
			t.Errorf("%d records", n)
		}
		quiet(t, pool)
	})
}

// X1: an expired record is replaced while purges run, over and over, and each id's newest record stays.
func TestPurge_X1_WhileRecordsAreReplaced(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store, ctx := open(t, pool, v.options()...), context.Background()
		ids := make([]runtime.ID, 40)
		for i := range ids {
			ids[i] = newID()
			complete(t, store, ids[i], newRecord())
		}
		expireAll(t, pool)

		var done atomic.Bool
		var purges, work sync.WaitGroup
		var purged atomic.Int64
		for range 2 {
			purges.Go(func() {
				for !done.Load() {
					n, err := store.Purge(ctx, 3)
					if err != nil {
						t.Error(err)
						return
					}
					purged.Add(n)
				}
			})
		}
		newest := make([]*runtime.Record, len(ids))
		for half := range 2 {
			work.Go(func() {
				for i := half; i < len(ids); i += 2 {
					newest[i] = newRecord()
					if err := payOnce(ctx, store, ids[i], newest[i]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		done.Store(true)
		purges.Wait()

		for i, id := range ids {
			if newest[i] != nil && replay(t, store, id).Attempt != newest[i].Attempt {
				t.Errorf("%v has another record", id)
			}
		}
		if n, paid := count(t, pool, "idempotency_keys"), count(t, pool, "payments"); n != len(ids) || paid != 2*len(ids) {
			t.Errorf("%d records and %d payments for %d ids, paid for twice; %d purged", n, paid, len(ids), purged.Load())
		}
		quiet(t, pool)
	})
}

// payOnce does what the engine does: claim, pay, commit, and run again when the database asks for it.
func payOnce(ctx context.Context, store *pgstore.Store, id runtime.ID, rec *runtime.Record) error {
	for {
		c, err := store.Claim(ctx, id, 10*time.Second)
		switch {
		case err != nil:
			return err
		case c.Work == nil:
			return errors.New("the id was not won")
		}
		err = pay(ctx, c.Work.Tx())
		if err == nil {
			err = c.Work.Commit(ctx, rec)
		}
		if !errors.Is(err, runtime.ErrSerialization) && !store.Retryable(err) {
			return errors.Join(err, c.Work.Rollback(ctx))
		}
		if err := c.Work.Rollback(ctx); err != nil {
			return err
		}
	}
}

// Two purges at once take different records, none of them twice, and neither waits for the other.
func TestPurge_X1_TwoAtOnce(t *testing.T) {
	url := database(t)
	pool := pgtest.Open(t, url, nil)
	store, ctx := open(t, pool), context.Background()
	const records = 60
	for range records {
		complete(t, store, newID(), newRecord())
	}
	expireAll(t, pool)

	// One that has deleted a batch and not committed yet: the other takes the rest and does not wait.
	slow, err := pgtest.Open(t, url, nil).Begin(ctx)
	must(t, err)
	tag, err := slow.Exec(ctx, pgstore.PurgeSQL(store), 20)
	must(t, err)
	if tag.RowsAffected() != 20 {
		t.Errorf("%d rows", tag.RowsAffected())
	}
	bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	deleted, err := store.Purge(bounded, records)
	if err != nil || deleted != records-20 {
		t.Errorf("deleted %d, %v", deleted, err)
	}
	must(t, slow.Commit(ctx))

	for range records {
		complete(t, store, newID(), newRecord())
	}
	expireAll(t, pool)
	var all sync.WaitGroup
	var sum atomic.Int64
	for range 2 {
		all.Go(func() {
			for {
				n, err := store.Purge(ctx, 7)
				sum.Add(n)
				if err != nil || n < 7 {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	all.Wait()
	if left := count(t, pool, "idempotency_keys"); sum.Load()+int64(left) != records {
		t.Errorf("%d deleted and %d left of %d", sum.Load(), left, records)
	}
}

// A session whose default is SERIALIZABLE, and a table of another name.
func TestPurge_DefaultIsolationAndTable(t *testing.T) {
	pool := pgtest.Open(t, database(t), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_isolation"] = "serializable"
	})
	ctx := context.Background()
	execSQL(t, pool, `CREATE SCHEMA "Billing TABLE"`)
	must(t, pgstore.Migrate(ctx, pool, "Billing TABLE.Keys TABLE"))
	store := open(t, pool, pgstore.WithTable("Billing TABLE.Keys TABLE"))
	complete(t, store, newID(), newRecord())
	execSQL(t, pool, `UPDATE "Billing TABLE"."Keys TABLE" SET expires_at = created_at`)
	if deleted, err := store.Purge(ctx, 1); err != nil || deleted != 1 {
		t.Errorf("deleted %d, %v", deleted, err)
	}
	if _, err := store.Purge(ctx, 0); err == nil {
		t.Error("a limit of 0 is fine")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := store.Purge(ended, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
