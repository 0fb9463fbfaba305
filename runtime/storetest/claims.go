package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

func idsDoNotBlock[TX any](t *testing.T, b *bench[TX]) {
	held := b.win(b.Store, testID("held"))
	defer b.rollback(held)
	b.free(b.Store, testID("other key"))
	b.free(b.Other, testID("other key"))
	b.free(b.Store, runtime.ID{Scope: "p6:acct_2o3:pay", Key: "held"})
}

func busyAtOnce[TX any](t *testing.T, b *bench[TX]) {
	id := testID("busy")
	work := b.win(b.Store, id)
	defer b.rollback(work)
	for name, store := range map[string]runtime.Store[TX]{"the same store": b.Store, "another store": b.Other} {
		start := time.Now()
		claim, err := store.Claim(b.context(), id, 0)
		if err != nil || claim.Work != nil || claim.Record != nil {
			t.Errorf("%s: want neither work nor record, got %+v, %v", name, claim, err)
		}
		if took := time.Since(start); took > patience/10 {
			t.Errorf("%s: a claim that does not wait took %v", name, took)
		}
	}
}

func waitGetsRecord[TX any](t *testing.T, b *bench[TX]) {
	id := testID("wait")
	work := b.win(b.Store, id)
	wait := later(t, func() outcome[TX] {
		claim, err := b.Other.Claim(b.context(), id, patience)
		return outcome[TX]{claim, err}
	})
	time.Sleep(moment)
	record := testRecord()
	b.commit(work, record)
	got := wait()
	if got.err != nil || got.Work != nil || got.Record == nil || got.Record.Attempt != record.Attempt {
		t.Errorf("want the record, got %+v, %v", got.Claim, got.err)
	}
}

func waitWinsAfterRollback[TX any](t *testing.T, b *bench[TX]) {
	id := testID("wait")
	work := b.win(b.Store, id)
	wait := later(t, func() outcome[TX] {
		claim, err := b.Other.Claim(b.context(), id, patience)
		return outcome[TX]{claim, err}
	})
	time.Sleep(moment)
	b.rollback(work)
	got := wait()
	if got.err != nil || got.Work == nil {
		t.Fatalf("want the id, got %+v, %v", got.Claim, got.err)
	}
	b.commit(got.Work, testRecord())
	b.find(b.Store, id)
}

func waitGivesUp[TX any](t *testing.T, b *bench[TX]) {
	id := testID("wait")
	work := b.win(b.Store, id)
	const wait = 200 * time.Millisecond
	start := time.Now()
	claim, err := b.Other.Claim(b.context(), id, wait)
	if err != nil || claim.Work != nil || claim.Record != nil {
		t.Errorf("want neither work nor record, got %+v, %v", claim, err)
	}
	if took := time.Since(start); took < wait/2 || took > patience/2 {
		t.Errorf("a wait of %v took %v", wait, took)
	}
	b.commit(work, testRecord())
	b.find(b.Other, id)
}

func waitEndsWithContext[TX any](t *testing.T, b *bench[TX]) {
	id := testID("wait")
	work := b.win(b.Store, id)
	ctx, cancel := context.WithTimeout(b.context(), 4*moment)
	defer cancel()
	start := time.Now()
	claim, err := b.Other.Claim(ctx, id, patience)
	if err == nil || claim.Work != nil || claim.Record != nil {
		t.Errorf("want an error, got %+v, %v", claim, err)
	}
	if took := time.Since(start); took > patience/2 {
		t.Errorf("the claim outlived its context by %v", took)
	}
	b.commit(work, testRecord())
	b.find(b.Other, id)
}

func claimWithEndedContext[TX any](t *testing.T, b *bench[TX]) {
	ctx, cancel := context.WithCancel(b.context())
	cancel()
	id := testID("ended")
	claim, err := b.Store.Claim(ctx, id, 0)
	if err == nil || claim.Work != nil || claim.Record != nil {
		t.Errorf("Claim: want an error, got %+v, %v", claim, err)
	}
	if work, err := b.Store.Begin(ctx); err == nil {
		t.Error("Begin: want an error")
		b.rollback(work)
	}
	b.free(b.Store, id)
	b.free(b.Other, id)
}

func workOutlivesContext[TX any](t *testing.T, b *bench[TX]) {
	ctx, cancel := context.WithCancel(b.context())
	id := testID("outlives")
	claim, err := b.Store.Claim(ctx, id, 0)
	if err != nil || claim.Work == nil {
		t.Fatalf("Claim: %+v, %v", claim, err)
	}
	unclaimed, err := b.Store.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	time.Sleep(moment) // for whatever watches the context
	b.effect(claim.Work, "claimed")
	b.commit(claim.Work, testRecord())
	b.effect(unclaimed, "unclaimed")
	b.commit(unclaimed, nil)
	b.wantEffects("claimed", 1)
	b.wantEffects("unclaimed", 1)
	b.find(b.Other, id)
}

func rollbackWithEndedContext[TX any](t *testing.T, b *bench[TX]) {
	id := testID("gone")
	ctx, cancel := context.WithCancel(b.context())
	claim, err := b.Store.Claim(ctx, id, 0)
	if err != nil || claim.Work == nil {
		t.Fatalf("Claim: %+v, %v", claim, err)
	}
	b.effect(claim.Work, "gone")
	cancel()
	if err := claim.Work.Rollback(ctx); err != nil {
		t.Errorf("Rollback: %v", err)
	}
	b.wantEffects("gone", 0)
	b.free(b.Other, id)
}

func thousandClaims[TX any](t *testing.T, b *bench[TX]) {
	const claims = 1000
	id := testID("hot")
	ctx := b.context()
	var all sync.WaitGroup
	attempts := make([][16]byte, claims)
	errs := make([]error, claims)
	for i := range claims {
		store := b.Store
		if i%2 == 1 {
			store = b.Other
		}
		all.Go(func() {
			attempts[i], errs[i] = oneOfMany(ctx, b, store, id)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	b.wantEffects("hot", 1)
	for _, attempt := range attempts {
		if attempt != attempts[0] {
			t.Fatal("not all found the same record")
		}
	}
}

// oneOfMany claims id until it has won or found a record, and returns the record's attempt.
func oneOfMany[TX any](ctx context.Context, b *bench[TX], store runtime.Store[TX], id runtime.ID) ([16]byte, error) {
	for {
		claim, err := store.Claim(ctx, id, patience)
		switch {
		case err != nil:
			return [16]byte{}, err
		case claim.Record != nil:
			return claim.Record.Attempt, nil
		case claim.Work == nil:
			continue
		}
		if err := b.Effect(ctx, claim.Work.Tx(), id.Key); err != nil {
			return [16]byte{}, errors.Join(err, claim.Work.Rollback(ctx))
		}
		record := testRecord()
		err = claim.Work.Commit(ctx, record)
		switch {
		case err == nil:
			return record.Attempt, nil
		case errors.Is(err, runtime.ErrLostRace), errors.Is(err, runtime.ErrSerialization):
			continue // nothing was committed: look again
		default:
			return [16]byte{}, fmt.Errorf("commit: %w", err)
		}
	}
}

func withoutClaim[TX any](t *testing.T, b *bench[TX]) {
	for _, commit := range []bool{true, false} {
		work, err := b.Store.Begin(b.context())
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("committed ", commit)
		b.effect(work, name)
		b.wantEffects(name, 0)
		if !commit {
			b.rollback(work)
			b.wantEffects(name, 0)
			continue
		}
		b.commit(work, nil)
		b.wantEffects(name, 1)
	}
}

func workEndsOnce[TX any](t *testing.T, b *bench[TX]) {
	id := testID("once")
	work := b.win(b.Store, id)
	b.effect(work, "once")
	first := testRecord()
	b.commit(work, first)
	b.rollback(work) // free, and without effect
	if err := work.Commit(b.context(), testRecord()); err == nil {
		t.Error("a second commit is no error")
	}
	if got := b.find(b.Other, id); got.Attempt != first.Attempt {
		t.Error("the record is not the first one any more")
	}
	b.wantEffects("once", 1)

	id = testID("rolled back")
	work = b.win(b.Store, id)
	b.rollback(work)
	b.rollback(work)
	if err := work.Commit(b.context(), testRecord()); err == nil {
		t.Error("a commit after the rollback is no error")
	}
	b.free(b.Other, id)
}

func ordinaryError[TX any](t *testing.T, b *bench[TX]) {
	for _, err := range []error{nil, errors.New("ordinary"), context.Canceled} {
		if b.Store.Retryable(err) {
			t.Errorf("%v is retryable", err)
		}
		if name, ok := b.Store.Violation(err); ok {
			t.Errorf("%v violates %q", err, name)
		}
	}
}
