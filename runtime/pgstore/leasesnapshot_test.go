package pgstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
)

// A7: under REPEATABLE READ and SERIALIZABLE a transaction cannot write to a record that was claimed after its snapshot. It is
// to be run again, as for any other write that came between; nothing is wrong with the table.
func TestLease_A7_ClaimedAfterTheSnapshot(t *testing.T) {
	ctx := context.Background()
	pool := pgtest.Open(t, database(t), nil)
	for _, v := range variants {
		store := open(t, pool, v.options()...)
		id, in := newID(), newIntent()
		held := hold(t, store, id, in)
		must(t, store.Release(ctx, id, held.Fence))
		work, err := store.BeginFenced(ctx, id, held.Fence)
		must(t, err)
		must(t, pay(ctx, work.Tx()))
		if again := hold(t, store, id, in); again.Fence != held.Fence {
			t.Fatalf("%s: %+v after %+v", v.name, again.Fence, held.Fence)
		}
		err = work.Commit(ctx, charged())
		if v.level == "read committed" {
			must(t, err)
			continue
		}
		if !errors.Is(err, runtime.ErrSerialization) || errors.Is(err, runtime.ErrUnrecorded) || errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("%s: %v", v.name, err)
		}
		work, err = store.BeginFenced(ctx, id, held.Fence)
		must(t, err)
		must(t, pay(ctx, work.Tx()))
		must(t, work.Commit(ctx, charged()))
	}
	quiet(t, pool)
}
