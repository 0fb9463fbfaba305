package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// shortRetention is kept short for stores whose clock is the real one.
const shortRetention = time.Second

func expiredIsAbsent[TX any](t *testing.T, b *bench[TX]) {
	id := testID("expiring")
	first := testRecord()
	first.Retention = shortRetention
	b.commit(b.win(b.Store, id), first)
	if got := b.find(b.Other, id); got.Attempt != first.Attempt {
		t.Error("before it expires, another record is found")
	}
	b.pass(shortRetention + moment)

	work := b.win(b.Other, id)
	b.rollback(work) // and it does not come back
	work = b.win(b.Store, id)
	second := testRecord()
	second.Status, second.Body = 202, []byte("second")
	b.commit(work, second)
	if diff := difference(b.find(b.Other, id), second); diff != "" {
		t.Errorf("after it was replaced, %s is not the second record's", diff)
	}
}

func expiredIsReplacedOnce[TX any](t *testing.T, b *bench[TX]) {
	id := testID("expired")
	first := testRecord()
	first.Retention = shortRetention
	b.commit(b.win(b.Store, id), first)
	b.pass(shortRetention + moment)

	ctx := b.context()
	var all sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		store := []runtime.Store[TX]{b.Store, b.Other}[i%2]
		all.Go(func() { _, errs[i] = oneOfMany(ctx, b, store, id) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	b.wantEffects("expired", 1)
}

func timesAreTheStores[TX any](t *testing.T, b *bench[TX]) {
	id := testID("times")
	record := testRecord()
	record.CreatedAt = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) // not a caller's to say
	record.ExpiresAt = record.CreatedAt
	work := b.win(b.Store, id)
	b.pass(2 * moment) // work takes its time, and retention counts from its commit on
	b.commit(work, record)
	got := b.find(b.Other, id)
	if kept := got.ExpiresAt.Sub(got.CreatedAt); kept < record.Retention-time.Second || kept > record.Retention+time.Second {
		t.Errorf("kept for %v, want %v", kept, record.Retention)
	}
	if got.CreatedAt.Year() < 2000 {
		t.Errorf("created at %v", got.CreatedAt)
	}

	// The caller's own context says nothing about the store's time.
	earlier := got.CreatedAt
	b.pass(2 * moment)
	ctx, cancel := context.WithTimeout(b.context(), patience)
	defer cancel()
	claim, err := b.Store.Claim(ctx, testID("later"), 0)
	if err != nil || claim.Work == nil {
		t.Fatalf("Claim: %+v, %v", claim, err)
	}
	b.commit(claim.Work, testRecord())
	if later := b.find(b.Store, testID("later")).CreatedAt; !later.After(earlier) {
		t.Errorf("a later record was created at %v, an earlier one at %v", later, earlier)
	}
}
