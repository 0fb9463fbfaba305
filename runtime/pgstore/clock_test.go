package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
)

// X4, I12: times are the database's, taken when the record is written and not when the transaction began, and retention
// is exact.
func TestClock_X4_CountsFromTheCommit(t *testing.T) {
	each(t, func(t *testing.T, v variant, url string) {
		pool := pgtest.Open(t, url, nil)
		store := open(t, pool, v.options()...)
		ctx := context.Background()
		id, rec := newID(), newRecord()
		rec.Retention = 36*time.Hour + 123456*time.Microsecond
		work := claim(t, store, id)
		var late time.Time
		must(t, work.Tx().QueryRow(ctx, "SELECT clock_timestamp() FROM pg_sleep(0.05)").Scan(&late))
		must(t, work.Commit(ctx, rec))
		got := replay(t, store, id)
		if !got.CreatedAt.After(late) {
			t.Errorf("created at %v, before the handler's last statement at %v", got.CreatedAt, late)
		}
		if got.Retention != rec.Retention || got.ExpiresAt.Sub(got.CreatedAt) != rec.Retention {
			t.Errorf("retention %v, want %v", got.Retention, rec.Retention)
		}
	})
}

// A record is live by the clock at the look, not at the transaction's begin: one that expired while a claim waited for
// the lock does not count any more.
func TestClock_ExpiresWhileAClaimWaits(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store := open(t, pool)
	ctx := context.Background()
	id, rec := newID(), newRecord()
	rec.Retention = time.Millisecond
	work := claim(t, store, id)
	done := make(chan bool)
	go func() {
		c, err := store.Claim(ctx, id, 10*time.Second)
		if err == nil && c.Work != nil {
			_ = c.Work.Rollback(ctx)
		}
		done <- err == nil && c.Work != nil
	}()
	awaitLockWait(t, pool)
	// A trigger at the end of the transaction keeps the lock until the record has expired.
	execSQL(t, pool, "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END'")
	execSQL(t, pool, "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()")
	must(t, pay(ctx, work.Tx()))
	must(t, work.Commit(ctx, rec))
	if !<-done {
		t.Error("an expired record was taken for a live one")
	}
}
