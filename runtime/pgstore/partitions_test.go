package pgstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// partitioned makes a database whose table is in partitions by hash of the scope, as docs/operations.md has it, and returns
// its URL. In each of them rows have the same places (ctid) as in the others.
func partitioned(tb testing.TB) string {
	tb.Helper()
	url := database(tb)
	pool := pgtest.Open(tb, url, nil)
	execSQL(tb, pool, `ALTER TABLE idempotency_keys RENAME TO whole`)
	execSQL(tb, pool, `CREATE TABLE idempotency_keys (LIKE whole INCLUDING CONSTRAINTS, PRIMARY KEY (scope, key)) PARTITION BY HASH (scope)`)
	execSQL(tb, pool, `DROP TABLE whole`)
	for i := range 3 {
		execSQL(tb, pool, fmt.Sprintf(`CREATE TABLE part_%d PARTITION OF idempotency_keys FOR VALUES WITH (MODULUS 3, REMAINDER %d)`, i, i))
	}
	execSQL(tb, pool, `CREATE INDEX idempotency_keys_in_progress ON idempotency_keys (created_at) WHERE status = 0`)
	return url
}

// Both modes work on such a table.
func TestStore_OfPartitions(t *testing.T) {
	t.Run("transaction", func(t *testing.T) {
		t.Parallel()
		conformOn(t, partitioned(t), nil)
	})
	t.Run("lease", func(t *testing.T) { leases(t, partitioned(t), nil) })
}

// accountID is an id of the nth account, so that ids stand in several partitions.
func accountID(n int) runtime.ID {
	return runtime.ID{Scope: fmt.Sprintf("p9:acct_%04do13:createPayment", n), Key: "k"}
}

// I1, X1: a purge of a table in partitions deletes what has expired, and not the live record that has the same place in
// another partition.
func TestPurge_X1_I1_OfPartitions(t *testing.T) {
	store, ctx := open(t, pgtest.Open(t, partitioned(t), nil)), context.Background()
	const records = 60
	for i := range records {
		record := newRecord()
		if i%2 == 0 {
			record.Retention = time.Millisecond
		}
		complete(t, store, accountID(i), record)
	}
	time.Sleep(5 * time.Millisecond)
	if deleted, err := store.Purge(ctx, 1000); err != nil || deleted != records/2 {
		t.Errorf("deleted %d of %d that have expired, %v", deleted, records/2, err)
	}
	pgstore.Forget(store)
	for i := 1; i < records; i += 2 {
		replay(t, store, accountID(i))
	}
}

// A4, I7: recovery takes over what is overdue in a table in partitions, and neither the work nor the answer that has the same
// place in another partition.
func TestTakeOver_A4_I7_OfPartitions(t *testing.T) {
	store, ctx := open(t, pgtest.Open(t, partitioned(t), nil)), context.Background()
	must(t, store.CheckLeases(ctx))
	const records = 60
	live, overdue := map[runtime.ID]*runtime.Held{}, map[runtime.ID]bool{}
	answers := map[runtime.ID][16]byte{}
	for i := range records {
		id, in := accountID(i), newIntent()
		switch i % 3 {
		case 0:
			in.Lease = time.Millisecond
			hold(t, store, id, in)
			overdue[id] = true
		case 1:
			live[id] = hold(t, store, id, in)
		default:
			record := newRecord()
			record.Operation = in.Operation
			complete(t, store, id, record)
			answers[id] = record.Attempt
		}
	}
	time.Sleep(5 * time.Millisecond)
	taken, err := store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 1000)
	if err != nil || len(taken) != len(overdue) {
		t.Errorf("took %d of %d that are overdue, %v", len(taken), len(overdue), err)
	}
	for _, held := range taken {
		if !overdue[held.ID] {
			t.Errorf("took %v, whose worker holds it still", held.ID)
		}
	}
	for id, held := range live {
		if err := store.Renew(ctx, id, held.Fence, hour); err != nil {
			t.Errorf("the worker of %v, whose lease is not over: %v", id, err)
		}
	}
	for id, attempt := range answers {
		if record := lookAt(t, store, id).Record; record == nil || record.Attempt != attempt {
			t.Errorf("the complete record of %v was changed, or is gone", id)
		}
	}
}

// X1: a purger that is told to go by page says that such a table has none, and does not report each pass as made.
func TestPurger_X1_ByPageOfPartitions(t *testing.T) {
	store, ctx := open(t, pgtest.Open(t, partitioned(t), nil)), context.Background()
	record := newRecord()
	record.Retention = time.Millisecond
	complete(t, store, accountID(1), record)
	time.Sleep(5 * time.Millisecond)
	event, err := purger(t, store, pgstore.WithPurgeWalk(pgstore.PurgeByPage)).Once(ctx)
	if err == nil || !strings.Contains(err.Error(), "in partitions") || event.Err == nil {
		t.Errorf("%+v, %v", event, err)
	}
}

// An admin tells of such a table what its partitions hold, as the table itself holds nothing.
func TestAdmin_CountsOfPartitions(t *testing.T) {
	pool := pgtest.Open(t, partitioned(t), nil)
	store, ctx := open(t, pool), context.Background()
	const records = 60
	for i := range records {
		complete(t, store, accountID(i), newRecord())
	}
	hold(t, store, accountID(records), newIntent())
	counts, err := admin(t, store).Counts(ctx)
	must(t, err)
	if counts.Records != -1 || counts.Bytes < 8192 || len(counts.Operations) != 1 {
		t.Errorf("before any ANALYZE: %+v", counts)
	}
	for _, part := range []string{"part_0", "part_1", "part_2"} { // as autovacuum does, which leaves the table itself alone
		execSQL(t, pool, `ANALYZE `+part)
	}
	if counts, err = admin(t, store).Counts(ctx); err != nil || counts.Records != records+1 {
		t.Errorf("%+v, %v", counts, err)
	}
}
