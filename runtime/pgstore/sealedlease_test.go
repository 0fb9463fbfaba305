package pgstore_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// sealed is store with all that it keeps sealed.
func sealed(tb testing.TB, store runtime.Store[pgx.Tx]) runtime.Store[pgx.Tx] {
	tb.Helper()
	sealer, err := runtime.NewAESGCM("1", map[string][]byte{"1": bytes.Repeat([]byte{1}, 32)})
	must(tb, err)
	all, err := runtime.Sealed(store, sealer)
	must(tb, err)
	return all
}

// A5: what is sealed is kept as what is not, though no two seals of the same are the same.
func TestSealedLease_A5_I1_ConformsToTheSuite(t *testing.T) {
	t.Parallel() // the suite waits for leases to be over
	plain := suite(t, database(t), nil)
	storetest.RunLeases(t, storetest.Suite[pgx.Tx]{Open: func(t *testing.T) storetest.Instance[pgx.Tx] {
		instance := plain.Open(t)
		instance.Store, instance.Other = sealed(t, instance.Store), sealed(t, instance.Other)
		return instance
	}})
}

// A5: steps that are done stay as they are stored when the next one is, by whichever worker, and a write can be repeated.
func TestSealedLease_A5_OneStepAfterAnother(t *testing.T) {
	pool := pgtest.Open(t, database(t), nil)
	ctx, id := context.Background(), newID()
	leases := func() runtime.LeaseStore[pgx.Tx] { return sealed(t, open(t, pool)).(runtime.LeaseStore[pgx.Tx]) }
	store := leases()
	claim, err := store.ClaimLease(ctx, id, newIntent())
	must(t, err)
	one := charged()
	for range 2 {
		if err := store.Advance(ctx, id, claim.Held.Fence, one); err != nil {
			t.Fatalf("the first step: %v", err)
		}
	}
	two := &runtime.Advance{Lease: hour, Steps: append(one.Steps, runtime.StepResult{Name: "book", Result: []byte("b_1")})}
	if err := store.Advance(ctx, id, claim.Held.Fence, two); err != nil {
		t.Fatalf("the second step: %v", err)
	}
	must(t, store.Yield(ctx, id, claim.Held.Fence, 0))
	next := leases()
	taken, err := next.TakeOver(ctx, []runtime.OperationLease{{Operation: "createPayout", Lease: hour}}, 1)
	must(t, err)
	if len(taken) != 1 || len(taken[0].Steps) != 2 {
		t.Fatalf("%+v", taken)
	}
	work, err := next.BeginFenced(ctx, id, taken[0].Fence)
	must(t, err)
	if err := work.Commit(ctx, &runtime.Advance{Lease: hour, Steps: append(taken[0].Steps, runtime.StepResult{Name: "notify", Result: []byte("n_1")})}); err != nil {
		t.Fatalf("the third step: %v", err)
	}
	look, err := next.Look(ctx, id)
	must(t, err)
	if steps := look.Progress.Steps; len(steps) != 3 || string(steps[0].Result) != "ch_1" || string(steps[1].Result) != "b_1" || string(steps[2].Result) != "n_1" {
		t.Errorf("stored: %+v", steps)
	}
}
