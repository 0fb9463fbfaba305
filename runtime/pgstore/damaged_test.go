package pgstore_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
)

// A3: one record whose steps cannot be read does not keep the others from being taken over, and is itself put off.
func TestTakeOver_A3_DamagedRecordBesideOthers(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	store, ctx := open(t, pool), context.Background()
	for range 3 {
		id := newID()
		held := hold(t, store, id, newIntent())
		must(t, store.Yield(ctx, id, held.Fence, 0))
	}
	damaged := newID()
	held := hold(t, store, damaged, newIntent())
	must(t, store.Yield(ctx, damaged, held.Fence, 0))
	execSQL(t, pool, `UPDATE idempotency_keys SET steps = '\x05' WHERE attempt = $1`, held.Fence.Owner)

	taken, err := store.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 10)
	if err != nil || len(taken) != 4 {
		t.Fatalf("%d taken, want 4; %v", len(taken), err)
	}
	for _, held := range taken {
		if unreadable := held.Unreadable != nil; unreadable != (held.ID == damaged) || unreadable && (held.Request != nil || held.Steps != nil) {
			t.Errorf("%+v", held)
		}
		must(t, store.Yield(ctx, held.ID, held.Fence, 0))
	}
}
