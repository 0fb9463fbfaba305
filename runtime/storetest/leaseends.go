package storetest

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

func overdueIsTakenOver[TX any](t *testing.T, b *leaseBench[TX]) {
	id, in := testID("overdue"), testIntent(shortLease)
	first := b.hold(b.store, id, in)
	steps := oneStep("charge", "ch_1")
	steps.Lease = shortLease
	b.advance(b.store, first, steps)
	b.pass(shortLease + moment)
	if left := b.looksInProgress(b.other, id).Left; left != 0 {
		t.Errorf("%v left of a lease that is over", left)
	}
	next := testIntent(longLease)
	next.Request = []byte("not the first request")
	held := b.hold(b.other, id, next)
	if held.Fence != (runtime.Fence{Epoch: 2, Owner: next.Owner}) || !bytes.Equal(held.Request, in.Request) ||
		!sameSteps(held.Steps, steps.Steps) || !held.CreatedAt.Equal(first.CreatedAt) || held.ID != id {
		t.Errorf("taken over as %+v", held)
	}
	if got := b.looksInProgress(b.store, id); got.Fence != held.Fence || got.Left < longLease-2*patience {
		t.Errorf("in progress as %+v", got)
	}
}

func overdueForOthers[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("overdue")
	held := b.hold(b.store, id, testIntent(shortLease))
	b.pass(shortLease + moment)
	for name, change := range map[string]func(*runtime.Intent){
		"another fingerprint": func(in *runtime.Intent) { in.Fingerprint = []byte("another") },
		"another version":     func(in *runtime.Intent) { in.FingerprintVersion = 2 },
	} {
		rival := testIntent(longLease)
		change(rival)
		claim, err := b.other.ClaimLease(b.context(), id, rival)
		if err != nil || claim.Progress == nil || claim.Held != nil || claim.Progress.Fence != held.Fence || claim.Progress.Left != 0 {
			t.Errorf("%s: want what is in progress, got %+v, %v", name, claim, err)
		}
	}
}

func takeOverRace[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("race")
	b.hold(b.store, id, testIntent(shortLease))
	b.pass(shortLease + moment)
	ctx := b.context()
	claims := make([]runtime.LeaseClaim, 50)
	taken := make([][]runtime.Held, 5)
	errs := make([]error, len(claims)+len(taken))
	var all sync.WaitGroup
	for i := range claims {
		store := []runtime.LeaseStore[TX]{b.store, b.other}[i%2]
		all.Go(func() { claims[i], errs[i] = store.ClaimLease(ctx, id, testIntent(longLease)) })
	}
	for i := range taken {
		all.Go(func() { taken[i], errs[len(claims)+i] = b.other.TakeOver(ctx, payouts(longLease), 10) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var winners []runtime.Fence
	for _, claim := range claims {
		if claim.Held != nil {
			winners = append(winners, claim.Held.Fence)
		}
	}
	for _, held := range taken {
		for _, h := range held {
			winners = append(winners, h.Fence)
		}
	}
	if got := b.looksInProgress(b.store, id).Fence; len(winners) != 1 || winners[0] != got || got.Epoch != 2 {
		t.Errorf("taken over by %+v, and held under %+v", winners, got)
	}
}

func payouts(lease time.Duration) []runtime.OperationLease {
	return []runtime.OperationLease{{Operation: "createPayout", Lease: lease}}
}

func staleChangesNothing[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("stale")
	stale := b.hold(b.store, id, testIntent(shortLease))
	begun := b.begin(b.store, stale) // before it is overtaken
	b.fencedEffect(begun, "stale")
	b.pass(shortLease + moment)
	held := b.hold(b.other, id, testIntent(longLease))
	b.advance(b.other, held, oneStep("charge", "ch_1"))
	before := b.looksInProgress(b.other, id)

	if err := begun.Commit(b.context(), &runtime.Advance{Record: answer(stale)}); !errors.Is(err, runtime.ErrLeaseLost) && !errors.Is(err, runtime.ErrSerialization) {
		t.Errorf("work begun before: want ErrLeaseLost or ErrSerialization, got %v", err)
	}
	forged := *stale
	forged.Fence.Epoch = held.Fence.Epoch // the right epoch, and not the owner
	older := *held
	older.Fence.Epoch-- // the owner, and not the right epoch
	for _, worker := range []*runtime.Held{stale, &forged, &older} {
		b.writesAreLost(worker)
	}
	after := b.looksInProgress(b.other, id)
	if after.Fence != held.Fence || !sameSteps(after.Steps, before.Steps) || after.Left > before.Left || before.Left-after.Left > 2*patience {
		t.Errorf("before %+v, after %+v", before, after)
	}
	b.advance(b.other, held, &runtime.Advance{Record: answer(held)})
	want := b.looksComplete(b.other, id)
	b.writesAreLost(stale)
	if diff := difference(b.looksComplete(b.other, id), want); diff != "" {
		t.Errorf("a stale worker changed %s", diff)
	}
	b.writesAreLost(&runtime.Held{ID: testID("nothing"), Fence: stale.Fence, Operation: "createPayout", Fingerprint: []byte("f")})
	b.looksAbsent(b.store, testID("nothing"))
}

func overdueMayWrite[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("late"), testIntent(shortLease))
	b.pass(shortLease + moment)
	b.advance(b.store, held, oneStep("charge", "ch_1"))
	if left := b.looksInProgress(b.other, held.ID).Left; left == 0 {
		t.Error("a step did not lengthen the lease")
	}

	held = b.hold(b.store, testID("late, complete"), testIntent(shortLease))
	b.pass(shortLease + moment)
	work := b.begin(b.store, held)
	b.fencedEffect(work, "late")
	if err := work.Commit(b.context(), &runtime.Advance{Record: answer(held)}); err != nil {
		t.Fatal(err)
	}
	b.wantEffects("late", 1)

	held = b.hold(b.store, testID("late, renewed"), testIntent(shortLease))
	b.pass(shortLease + moment)
	if err := b.store.Renew(b.context(), held.ID, held.Fence, longLease); err != nil {
		t.Fatal(err)
	}
	if left := b.looksInProgress(b.other, held.ID).Left; left == 0 {
		t.Error("a renewal did not lengthen the lease")
	}
}

func completeDoesNotChange[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("complete"), testIntent(longLease))
	want := answer(held)
	b.advance(b.store, held, &runtime.Advance{Record: want})
	before := b.looksComplete(b.other, held.ID)
	for name, write := range writes(b, b.store, held) {
		err := write()
		// Its own completion may pass for the one that has happened; nothing else does.
		if !errors.Is(err, runtime.ErrLeaseLost) && (err != nil || name != "Advance, complete") {
			t.Errorf("%s: want ErrLeaseLost, got %v", name, err)
		}
	}
	b.wantEffects("stale", 0)
	after := b.looksComplete(b.other, held.ID)
	if diff := difference(after, want); diff != "" || !after.CreatedAt.Equal(before.CreatedAt) || !after.ExpiresAt.Equal(before.ExpiresAt) {
		t.Errorf("%s was changed: before %+v, after %+v", diff, before, after)
	}
	if taken, err := b.store.TakeOver(b.context(), payouts(longLease), 10); err != nil || len(taken) != 0 {
		t.Errorf("taken over: %+v, %v", taken, err)
	}
}

func repeatedAdvance[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("repeated"), testIntent(longLease))
	for range 2 {
		b.advance(b.store, held, oneStep("charge", "ch_1"))
		b.advance(b.other, held, oneStep("charge", "ch_1"))
	}
	if got := b.looksInProgress(b.other, held.ID); !sameSteps(got.Steps, oneStep("charge", "ch_1").Steps) {
		t.Errorf("the steps are %+v", got.Steps)
	}
	want := answer(held)
	for range 2 {
		b.advance(b.store, held, &runtime.Advance{Record: want})
		b.advance(b.other, held, &runtime.Advance{Record: want})
	}
	if diff := difference(b.looksComplete(b.other, held.ID), want); diff != "" {
		t.Errorf("%s differs", diff)
	}
}

// stepsGoOn: a write that is late, of a connection that was given up, takes no step back, though it is the worker's own.
func stepsGoOn[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("go on"), testIntent(longLease))
	stored := &runtime.Advance{Lease: longLease, Steps: []runtime.StepResult{{Name: "reserve", Result: []byte("1")}, {Name: "charge", Result: []byte("ch_1")}}}
	b.advance(b.store, held, stored)
	for name, steps := range map[string][]runtime.StepResult{
		"none":           nil,
		"fewer":          stored.Steps[:1],
		"another result": {stored.Steps[0], {Name: "charge", Result: []byte("ch_2")}},
		"another name":   {stored.Steps[0], {Name: "refund", Result: []byte("ch_1")}, {Name: "charge"}},
		"another order":  {stored.Steps[1], stored.Steps[0]},
	} {
		to := &runtime.Advance{Lease: longLease, Steps: steps}
		if err := b.other.Advance(b.context(), held.ID, held.Fence, to); err == nil || errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("Advance, %s: want an error that is not ErrLeaseLost, got %v", name, err)
		}
		work := b.begin(b.store, held)
		b.fencedEffect(work, "back")
		if err := work.Commit(b.context(), to); err == nil || errors.Is(err, runtime.ErrLeaseLost) {
			t.Errorf("Commit, %s: want an error that is not ErrLeaseLost, got %v", name, err)
		}
		if got := b.looksInProgress(b.other, held.ID); !sameSteps(got.Steps, stored.Steps) {
			t.Fatalf("%s: the steps are %+v", name, got.Steps)
		}
	}
	b.wantEffects("back", 0)
	stored.Steps = append(stored.Steps, runtime.StepResult{Name: "notify"})
	b.advance(b.other, held, stored)
}

func release[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("released")
	held := b.hold(b.store, id, testIntent(longLease))
	if err := b.store.Release(b.context(), id, held.Fence); err != nil {
		t.Fatal(err)
	}
	b.looksAbsent(b.other, id)
	if err := b.store.Release(b.context(), id, held.Fence); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("a second release: want ErrLeaseLost, got %v", err)
	}
	another := testIntent(longLease)
	another.Fingerprint = []byte("another request")
	next := b.hold(b.other, id, another)
	if next.Fence.Epoch != 1 || !bytes.Equal(next.Fingerprint, another.Fingerprint) {
		t.Errorf("held as %+v", next)
	}
	b.writesAreLost(held) // it has the same epoch
	if got := b.looksInProgress(b.store, id); got.Fence != next.Fence {
		t.Errorf("in progress under %+v", got.Fence)
	}
}

func yield[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("yielded")
	held := b.hold(b.store, id, testIntent(3*longLease))
	give := func(held *runtime.Held, after time.Duration) {
		t.Helper()
		if err := b.store.Yield(b.context(), id, held.Fence, after); err != nil {
			t.Fatal(err)
		}
	}
	give(held, longLease)
	if left := b.looksInProgress(b.other, id).Left; left <= 0 || left > longLease {
		t.Errorf("%v left", left)
	}
	claim, err := b.other.ClaimLease(b.context(), id, testIntent(longLease))
	if err != nil || claim.Progress == nil {
		t.Errorf("before the time given: want what is in progress, got %+v, %v", claim, err)
	}
	give(held, shortLease)
	b.pass(shortLease + moment)
	next := b.hold(b.other, id, testIntent(longLease))
	if err := b.store.Yield(b.context(), id, held.Fence, 0); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("the first worker: want ErrLeaseLost, got %v", err)
	}
	give(next, 0)
	if third := b.hold(b.store, id, testIntent(longLease)); third.Fence.Epoch != 3 {
		t.Errorf("held under %+v", third.Fence)
	}
}

func progressDoesNotExpire[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("for ever"), testIntent(time.Millisecond))
	if b.Advance != nil {
		b.Advance(10 * 365 * 24 * time.Hour)
	} else {
		b.pass(4 * moment)
	}
	if got := b.looksInProgress(b.other, held.ID); got.Fence != held.Fence || got.Left != 0 {
		t.Errorf("in progress as %+v", got)
	}
	if claim, err := b.other.Claim(b.context(), held.ID, 0); err != nil || claim.Progress == nil || claim.Work != nil {
		t.Errorf("Claim: want what is in progress, got %+v, %v", claim, err)
	}
}

func expiredAnswer[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("expired")
	held := b.hold(b.store, id, testIntent(longLease))
	b.advance(b.store, held, oneStep("charge", "ch_1"))
	record := answer(held)
	record.Retention = shortRetention
	b.advance(b.store, held, &runtime.Advance{Record: record})
	b.looksComplete(b.other, id)
	b.pass(shortRetention + moment)
	b.looksAbsent(b.other, id)

	// Many at once, of which one replaces it.
	ctx := b.context()
	claims := make([]runtime.LeaseClaim, 20)
	errs := make([]error, len(claims))
	var all sync.WaitGroup
	for i := range claims {
		in := testIntent(longLease)
		in.Fingerprint, in.Request = []byte("another request"), []byte("another")
		store := []runtime.LeaseStore[TX]{b.store, b.other}[i%2]
		all.Go(func() { claims[i], errs[i] = store.ClaimLease(ctx, id, in) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var next *runtime.Held
	for _, claim := range claims {
		switch {
		case claim.Held != nil && next != nil:
			t.Error("held twice")
		case claim.Held != nil:
			next = claim.Held
		case claim.Progress == nil:
			t.Errorf("want it held or in progress, got %+v", claim)
		}
	}
	if next == nil {
		t.Fatal("nobody holds it")
	}
	if next.Fence.Epoch != 1 || string(next.Request) != "another" || len(next.Steps) != 0 || !next.CreatedAt.After(held.CreatedAt) {
		t.Errorf("held as %+v", next)
	}
	b.writesAreLost(held)
	b.advance(b.other, next, &runtime.Advance{Record: answer(next)})
	if got := b.looksComplete(b.store, id); string(got.Fingerprint) != "another request" {
		t.Errorf("the record is of %q", got.Fingerprint)
	}
}

func leaseTimesAreTheStores[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("times")
	held := b.hold(b.store, id, testIntent(longLease))
	if held.CreatedAt.Year() < 2000 {
		t.Errorf("created at %v", held.CreatedAt)
	}
	near := func(what string, want time.Duration) {
		t.Helper()
		if left := b.looksInProgress(b.other, id).Left; left > want || left < want-2*patience {
			t.Errorf("%s: %v left, want about %v", what, left, want)
		}
	}
	near("claimed", longLease)
	if err := b.other.Renew(b.context(), id, held.Fence, 3*longLease); err != nil {
		t.Fatal(err)
	}
	near("renewed", 3*longLease)
	if err := b.store.Renew(b.context(), id, held.Fence, 2*longLease); err != nil {
		t.Fatal(err)
	}
	near("renewed for less", 2*longLease)
	b.advance(b.store, held, oneStep("charge", ""))
	near("advanced", longLease)

	// Retention counts from the completion, whatever the caller says.
	b.pass(4 * moment)
	record := answer(held)
	record.CreatedAt = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	record.ExpiresAt = record.CreatedAt
	work := b.begin(b.store, held)
	if err := work.Commit(b.context(), &runtime.Advance{Record: record}); err != nil {
		t.Fatal(err)
	}
	got := b.looksComplete(b.other, id)
	if kept := got.ExpiresAt.Sub(got.CreatedAt); kept < record.Retention-time.Second || kept > record.Retention+time.Second {
		t.Errorf("kept for %v, want %v", kept, record.Retention)
	}
	if got.CreatedAt.Sub(held.CreatedAt) < 2*moment {
		t.Errorf("claimed at %v, and complete at %v", held.CreatedAt, got.CreatedAt)
	}
}
