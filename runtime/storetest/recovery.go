package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

func recoveryTakes[TX any](t *testing.T, b *leaseBench[TX]) {
	uuid := "8e03978e-40d5-43e8-bc93-6894a57f9324"
	overdue, live, foreign, complete := testID(uuid), testID("live"), testID("foreign"), testID("complete")
	b.hold(b.store, live, testIntent(longLease))
	if taken, err := b.other.TakeOver(b.context(), payouts(longLease), 10); err != nil || len(taken) != 0 {
		t.Fatalf("before a lease is over: %+v, %v", taken, err)
	}
	first := b.hold(b.store, overdue, testIntent(shortLease))
	steps := oneStep("charge", "ch_1")
	steps.Lease = shortLease
	b.advance(b.store, first, steps)
	other := testIntent(shortLease)
	other.Operation = "another"
	b.hold(b.store, foreign, other)
	done := b.hold(b.store, complete, testIntent(shortLease))
	b.advance(b.store, done, &runtime.Advance{Record: answer(done)})
	b.pass(shortLease + moment)

	for _, nothing := range [][]runtime.OperationLease{nil, {{Operation: "unknown", Lease: longLease}}} {
		if taken, err := b.other.TakeOver(b.context(), nothing, 10); err != nil || len(taken) != 0 {
			t.Fatalf("of no operation: %+v, %v", taken, err)
		}
	}
	taken, err := b.other.TakeOver(b.context(), append(payouts(longLease), runtime.OperationLease{Operation: "unknown", Lease: longLease}), 10)
	if err != nil || len(taken) != 1 {
		t.Fatalf("want the one that is overdue, got %+v, %v", taken, err)
	}
	held := &taken[0]
	if held.ID != overdue || held.Fence.Epoch != 2 || held.Fence.Owner == first.Fence.Owner || held.Fence.Owner == ([16]byte{}) ||
		!bytes.Equal(held.Request, first.Request) || held.Operation != "createPayout" || held.FingerprintVersion != 1 ||
		!bytes.Equal(held.Fingerprint, first.Fingerprint) || !sameSteps(held.Steps, steps.Steps) || !held.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("taken over as %+v", held)
	}
	if got := b.looksInProgress(b.store, overdue); got.Fence != held.Fence || got.Left < longLease-2*patience {
		t.Errorf("in progress as %+v", got)
	}
	if again, err := b.store.TakeOver(b.context(), payouts(longLease), 10); err != nil || len(again) != 0 {
		t.Errorf("taken twice: %+v, %v", again, err)
	}
	b.writesAreLost(first)
	b.advance(b.other, held, &runtime.Advance{Record: answer(held)})
	if got := b.looksInProgress(b.store, foreign); got.Fence.Epoch != 1 {
		t.Errorf("another operation's is held under %+v", got.Fence)
	}
}

func recoveryLimit[TX any](t *testing.T, b *leaseBench[TX]) {
	const records = 6
	for i := range records { // so the first to be claimed is the first to be over
		b.hold(b.store, testID(fmt.Sprint("record ", i)), testIntent(shortLease))
	}
	b.pass(shortLease + moment)
	for _, c := range []struct{ limit, want int }{{0, 0}, {2, 2}, {3, 3}, {3, 1}, {3, 0}} {
		taken, err := b.other.TakeOver(b.context(), payouts(longLease), c.limit)
		if err != nil || len(taken) != c.want {
			t.Fatalf("of at most %d: took %d, want %d (%v)", c.limit, len(taken), c.want, err)
		}
		for _, held := range taken {
			if c.limit == 2 && held.ID != testID("record 0") && held.ID != testID("record 1") {
				t.Errorf("%v is not among the first two to be over", held.ID)
			}
		}
	}
}

func recoveriesAtOnce[TX any](t *testing.T, b *leaseBench[TX]) {
	const records, workers = 60, 8
	for i := range records {
		b.hold(b.store, testID(fmt.Sprint("record ", i)), testIntent(time.Millisecond))
	}
	b.pass(moment)
	ctx := b.context()
	taken := make([][]runtime.Held, workers)
	errs := make([]error, workers)
	var all sync.WaitGroup
	for i := range workers {
		store := []runtime.LeaseStore[TX]{b.store, b.other}[i%2]
		all.Go(func() { taken[i], errs[i] = takeAll(ctx, store) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	by := map[runtime.ID]runtime.Fence{}
	for _, held := range taken {
		for _, h := range held {
			if other, twice := by[h.ID]; twice {
				t.Errorf("%v was taken under %+v and under %+v", h.ID, other, h.Fence)
			}
			by[h.ID] = h.Fence
		}
	}
	if len(by) != records {
		t.Errorf("%d of %d records were taken", len(by), records)
	}
	for id, fence := range by {
		if got := b.looksInProgress(b.store, id); got.Fence != fence || fence.Epoch != 2 {
			t.Errorf("%v was taken under %+v, and is held under %+v", id, fence, got.Fence)
		}
	}
}

// takeAll takes over in small batches until there is nothing left. One that finds everything locked by others asks again.
func takeAll[TX any](ctx context.Context, store runtime.LeaseStore[TX]) (all []runtime.Held, err error) {
	for {
		taken, err := store.TakeOver(ctx, payouts(longLease), 7)
		if err != nil {
			return all, err
		}
		all = append(all, taken...)
		backlog, err := store.Backlog(ctx, []string{"createPayout"})
		if err != nil || backlog.Overdue == 0 {
			return all, err
		}
	}
}

func backlog[TX any](t *testing.T, b *leaseBench[TX]) {
	want := func(operations []string, inProgress, overdue int64) runtime.Backlog {
		t.Helper()
		got, err := b.other.Backlog(b.context(), operations)
		if err != nil || got.InProgress != inProgress || got.Overdue != overdue || (overdue > 0) != (got.OldestOverdue > 0) {
			t.Errorf("of %v: %+v, %v; want %d in progress, %d overdue", operations, got, err, inProgress, overdue)
		}
		return got
	}
	want([]string{"createPayout"}, 0, 0)
	b.hold(b.store, testID("live"), testIntent(longLease))
	b.hold(b.store, testID("overdue"), testIntent(shortLease))
	done := b.hold(b.store, testID("done"), testIntent(longLease))
	b.advance(b.store, done, &runtime.Advance{Record: answer(done)})
	b.commit(b.win(b.Store, testID("transaction")), testRecord())
	foreign := testIntent(longLease)
	foreign.Operation = "another"
	b.hold(b.store, testID("foreign"), foreign)
	b.pass(shortLease + 4*moment)
	if got := want([]string{"createPayout"}, 2, 1); got.OldestOverdue < 2*moment || got.OldestOverdue > 2*patience {
		t.Errorf("overdue since %v", got.OldestOverdue)
	}
	want([]string{"createPayout", "another"}, 3, 1)
	want([]string{"unknown"}, 0, 0)
	want(nil, 0, 0)
}

func transactionSeesProgress[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("account")
	held := b.hold(b.store, id, testIntent(longLease))
	b.advance(b.store, held, oneStep("charge", "ch_1"))
	for _, wait := range []time.Duration{0, patience} {
		for name, store := range map[string]runtime.Store[TX]{"the same store": b.Store, "another store": b.Other} {
			start := time.Now()
			claim, err := store.Claim(b.context(), id, wait)
			if err != nil || claim.Work != nil || claim.Record != nil || claim.Progress == nil {
				t.Fatalf("%s: want what is in progress, got %+v, %v", name, claim, err)
			}
			if p := claim.Progress; p.Operation != "createPayout" || p.Fence != held.Fence || p.Left < longLease-2*patience || !sameSteps(p.Steps, oneStep("charge", "ch_1").Steps) {
				t.Errorf("%s: in progress as %+v", name, p)
			}
			if took := time.Since(start); took > patience/2 {
				t.Errorf("%s: a claim waited %v for work that may last", name, took)
			}
		}
	}
	if err := b.store.Release(b.context(), id, held.Fence); err != nil {
		t.Fatal(err)
	}
	claim, err := b.Other.Claim(b.context(), id, patience) // the claims before may be on their way out still
	if err != nil || claim.Work == nil {
		t.Fatalf("released: want the id, got %+v, %v", claim, err)
	}
	b.rollback(claim.Work)
}

func leaseSeesRecords[TX any](t *testing.T, b *leaseBench[TX]) {
	id, want := testID("account"), testRecord()
	b.commit(b.win(b.Store, id), want)
	for name, store := range map[string]runtime.LeaseStore[TX]{"the same store": b.store, "another store": b.other} {
		claim, err := store.ClaimLease(b.context(), id, testIntent(longLease))
		if err != nil || claim.Record == nil || claim.Held != nil || claim.Progress != nil {
			t.Fatalf("%s: want the record, got %+v, %v", name, claim, err)
		}
		if diff := difference(claim.Record, want); diff != "" {
			t.Errorf("%s: %s differs", name, diff)
		}
		if diff := difference(b.looksComplete(store, id), want); diff != "" {
			t.Errorf("%s: Look: %s differs", name, diff)
		}
	}

	// Work that is not committed yet may be waited for, and is not overtaken.
	id = testID("under way")
	work := b.win(b.Store, id)
	b.effect(work, "under way")
	claim, err := b.other.ClaimLease(b.context(), id, testIntent(longLease))
	switch {
	case errors.Is(err, runtime.ErrBusy):
		b.commit(work, want)
		b.wantEffects("under way", 1)
	case err != nil || claim.Held == nil:
		t.Fatalf("want it held or ErrBusy, got %+v, %v", claim, err)
	default: // held, so the transaction is to lose
		if err := work.Commit(b.context(), want); !errors.Is(err, runtime.ErrLostRace) && !errors.Is(err, runtime.ErrSerialization) {
			t.Errorf("Commit: want ErrLostRace or ErrSerialization, got %v", err)
		}
		b.wantEffects("under way", 0)
		b.looksInProgress(b.store, id)
	}
}

func bothModesAtOnce[TX any](t *testing.T, b *leaseBench[TX]) {
	for round := range 5 {
		id := testID(fmt.Sprint("both ", round))
		ctx := b.context()
		errs := make([]error, 30)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				if i%2 == 0 {
					_, errs[i] = oneOfBoth(ctx, b, id)
					return
				}
				errs[i] = oneLease(ctx, b, []runtime.LeaseStore[TX]{b.store, b.other}[i/2%2], id)
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		b.wantEffects(id.Key, 1)
		b.looksComplete(b.store, id)
	}
}

// oneOfBoth claims id in transaction mode until there is a record.
func oneOfBoth[TX any](ctx context.Context, b *leaseBench[TX], id runtime.ID) ([16]byte, error) {
	for {
		claim, err := b.Store.Claim(ctx, id, patience)
		if err != nil {
			return [16]byte{}, err
		}
		if claim.Progress != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		if claim.Work != nil {
			if err := b.Effect(ctx, claim.Work.Tx(), id.Key); err != nil {
				return [16]byte{}, errors.Join(err, claim.Work.Rollback(ctx))
			}
			if err := claim.Work.Commit(ctx, testRecord()); err != nil && !errors.Is(err, runtime.ErrLostRace) && !errors.Is(err, runtime.ErrSerialization) {
				return [16]byte{}, err
			}
			continue
		}
		if claim.Record != nil {
			return claim.Record.Attempt, nil
		}
	}
}

// oneLease claims id in lease mode until there is a record.
func oneLease[TX any](ctx context.Context, b *leaseBench[TX], store runtime.LeaseStore[TX], id runtime.ID) error {
	for {
		claim, err := store.ClaimLease(ctx, id, testIntent(longLease))
		switch {
		case errors.Is(err, runtime.ErrBusy), err == nil && claim.Progress != nil:
			time.Sleep(time.Millisecond)
			continue
		case err != nil:
			return err
		case claim.Record != nil:
			return nil
		}
		for {
			work, err := store.BeginFenced(ctx, id, claim.Held.Fence)
			if err != nil {
				return err
			}
			if err := b.Effect(ctx, work.Tx(), id.Key); err != nil {
				return errors.Join(err, work.Rollback(ctx))
			}
			err = work.Commit(ctx, &runtime.Advance{Record: answer(claim.Held)})
			if errors.Is(err, runtime.ErrSerialization) {
				continue
			}
			if err != nil {
				return err
			}
			break
		}
	}
}
