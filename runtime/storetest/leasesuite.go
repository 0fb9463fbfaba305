package storetest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// RunLeases runs the suite of [runtime.LeaseStore], each part as a subtest. Both stores of an instance have to be one.
// [Run] is the suite of what they are besides.
func RunLeases[TX any](t *testing.T, s Suite[TX]) {
	if s.Open == nil {
		t.Fatal("storetest: Suite.Open is nil")
	}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *leaseBench[TX])
	}{
		{"a first claim is held (A2)", firstClaim[TX]},
		{"a claim keeps the request byte for byte", keepsRequests[TX]},
		{"a claim that is repeated is held by the same worker (A6)", repeatedClaim[TX]},
		{"a held id is in progress for others, for what is left of the lease (C2)", heldIsInProgress[TX]},
		{"a claim with a context that has ended holds nothing", leaseWithEndedContext[TX]},
		{"of many claims one is held (C1, I1)", manyClaims[TX]},
		{"steps are kept byte for byte (A5)", keepsSteps[TX]},
		{"work and its step commit together (A5, I1)", stepCommitsTogether[TX]},
		{"work and the answer commit together (A1, I1)", answerCommitsTogether[TX]},
		{"a rollback leaves nothing (I13)", fencedRollback[TX]},
		{"nothing is visible before the commit", nothingBeforeFencedCommit[TX]},
		{"fenced work ends once", fencedWorkEndsOnce[TX]},
		{"fenced work outlives the context it was begun with", fencedWorkOutlivesContext[TX]},
		{"an answer is kept as in transaction mode (R1, R5)", keepsAnswers[TX]},
		{"a lease that is over is taken over by the same request (A3)", overdueIsTakenOver[TX]},
		{"a lease that is over is not taken over by another request (I4)", overdueForOthers[TX]},
		{"of many that take over one does (A4, I1)", takeOverRace[TX]},
		{"a worker that was overtaken changes nothing (A4, I6)", staleChangesNothing[TX]},
		{"a worker that nobody has overtaken may write when its lease is over", overdueMayWrite[TX]},
		{"a complete record does not change (I7)", completeDoesNotChange[TX]},
		{"a write that is repeated has happened (A6)", repeatedAdvance[TX]},
		{"the steps of a write go on from those that are stored (A5, I6)", stepsGoOn[TX]},
		{"a released id is free, and only for its worker to release (A4)", release[TX]},
		{"work that is yielded is taken over after the time given", yield[TX]},
		{"work in progress does not expire", progressDoesNotExpire[TX]},
		{"an expired answer is absent, and its id is claimed anew (X1)", expiredAnswer[TX]},
		{"times are the store's (X4, I12)", leaseTimesAreTheStores[TX]},
		{"recovery takes what is overdue, and of its operations (A3)", recoveryTakes[TX]},
		{"recovery takes no more than asked, and first what ended first", recoveryLimit[TX]},
		{"several that recover take each record once (I1)", recoveriesAtOnce[TX]},
		{"the backlog is counted", backlog[TX]},
		{"transaction mode sees work in progress (S2)", transactionSeesProgress[TX]},
		{"lease mode sees the records of transaction mode (S2)", leaseSeesRecords[TX]},
		{"of claims in both modes one has an effect (I1)", bothModesAtOnce[TX]},
		{"what is given and what is returned are not shared (I7)", leasesAreCopies[TX]},
	} {
		t.Run(part.name, func(t *testing.T) {
			b := &leaseBench[TX]{bench: &bench[TX]{T: t, Instance: s.Open(t)}}
			var ok, alsoOK bool
			b.store, ok = b.Store.(runtime.LeaseStore[TX])
			b.other, alsoOK = b.Other.(runtime.LeaseStore[TX])
			if !ok || !alsoOK {
				t.Fatalf("storetest: %T or %T is no LeaseStore", b.Store, b.Other)
			}
			part.run(t, b)
		})
	}
}

// leaseBench is a bench whose stores keep leases.
type leaseBench[TX any] struct {
	*bench[TX]
	store, other runtime.LeaseStore[TX]
}

const (
	// longLease does not end while a part runs.
	longLease = time.Hour
	// shortLease is waited for.
	shortLease = 300 * time.Millisecond
)

// testIntent is an ordinary intent with a random owner. Those of one operation have one fingerprint.
func testIntent(lease time.Duration) *runtime.Intent {
	in := &runtime.Intent{
		Operation:          "createPayout",
		FingerprintVersion: 1,
		Fingerprint:        []byte("0123456789abcdef0123456789abcdef"),
		Lease:              lease,
		Request:            []byte("\x00the request\xff"),
	}
	_, _ = rand.Read(in.Owner[:])
	return in
}

// hold claims id and fails unless it is held.
func (b *leaseBench[TX]) hold(store runtime.LeaseStore[TX], id runtime.ID, in *runtime.Intent) *runtime.Held {
	b.Helper()
	claim, err := store.ClaimLease(b.context(), id, in)
	if err != nil {
		b.Fatalf("ClaimLease: %v", err)
	}
	if claim.Held == nil || claim.Record != nil || claim.Progress != nil {
		b.Fatalf("ClaimLease: the id is not held: %+v", claim)
	}
	return claim.Held
}

// looksInProgress fails unless id is in progress.
func (b *leaseBench[TX]) looksInProgress(store runtime.LeaseStore[TX], id runtime.ID) *runtime.Progress {
	b.Helper()
	look, err := store.Look(b.context(), id)
	if err != nil {
		b.Fatalf("Look: %v", err)
	}
	if look.Progress == nil || look.Record != nil {
		b.Fatalf("Look: the id is not in progress: %+v", look)
	}
	return look.Progress
}

// looksComplete fails unless id has a record.
func (b *leaseBench[TX]) looksComplete(store runtime.LeaseStore[TX], id runtime.ID) *runtime.Record {
	b.Helper()
	look, err := store.Look(b.context(), id)
	if err != nil {
		b.Fatalf("Look: %v", err)
	}
	if look.Record == nil || look.Progress != nil {
		b.Fatalf("Look: there is no record: %+v", look)
	}
	return look.Record
}

func (b *leaseBench[TX]) looksAbsent(store runtime.LeaseStore[TX], id runtime.ID) {
	b.Helper()
	if look, err := store.Look(b.context(), id); err != nil || look.Record != nil || look.Progress != nil {
		b.Errorf("Look: want nothing, got %+v, %v", look, err)
	}
}

func (b *leaseBench[TX]) begin(store runtime.LeaseStore[TX], held *runtime.Held) runtime.FencedWork[TX] {
	b.Helper()
	work, err := store.BeginFenced(b.context(), held.ID, held.Fence)
	if err != nil {
		b.Fatalf("BeginFenced: %v", err)
	}
	return work
}

func (b *leaseBench[TX]) fencedEffect(work runtime.FencedWork[TX], name string) {
	b.Helper()
	if err := b.Effect(b.context(), work.Tx(), name); err != nil {
		b.Fatalf("Effect: %v", err)
	}
}

func (b *leaseBench[TX]) advance(store runtime.LeaseStore[TX], held *runtime.Held, to *runtime.Advance) {
	b.Helper()
	if err := store.Advance(b.context(), held.ID, held.Fence, to); err != nil {
		b.Fatalf("Advance: %v", err)
	}
}

// answer is what completes held.
func answer(held *runtime.Held) *runtime.Record {
	record := testRecord()
	record.Operation, record.FingerprintVersion, record.Fingerprint = held.Operation, held.FingerprintVersion, held.Fingerprint
	record.Attempt = held.Fence.Owner
	return record
}

func oneStep(name, result string) *runtime.Advance {
	return &runtime.Advance{Lease: longLease, Steps: []runtime.StepResult{{Name: name, Result: []byte(result)}}}
}

func sameSteps(a, b []runtime.StepResult) bool {
	return slices.EqualFunc(a, b, func(a, b runtime.StepResult) bool { return a.Name == b.Name && bytes.Equal(a.Result, b.Result) })
}

// writes are every kind of write under a fence.
func writes[TX any](b *leaseBench[TX], store runtime.LeaseStore[TX], held *runtime.Held) map[string]func() error {
	ctx := b.context()
	commit := func(to *runtime.Advance) error {
		work, err := store.BeginFenced(ctx, held.ID, held.Fence)
		if err != nil {
			return err
		}
		if err := b.Effect(ctx, work.Tx(), "stale"); err != nil {
			return errors.Join(err, work.Rollback(ctx))
		}
		return work.Commit(ctx, to)
	}
	stale := &runtime.Advance{Lease: longLease, Steps: append(slices.Clone(held.Steps), runtime.StepResult{Name: "stale"})}
	complete := func() *runtime.Advance {
		record := answer(held)
		record.Status, record.Body = 599, []byte("stale")
		return &runtime.Advance{Record: record}
	}
	return map[string]func() error{
		"Renew":                    func() error { return store.Renew(ctx, held.ID, held.Fence, 2*longLease) },
		"Yield":                    func() error { return store.Yield(ctx, held.ID, held.Fence, 0) },
		"Release":                  func() error { return store.Release(ctx, held.ID, held.Fence) },
		"Advance":                  func() error { return store.Advance(ctx, held.ID, held.Fence, stale) },
		"Advance, complete":        func() error { return store.Advance(ctx, held.ID, held.Fence, complete()) },
		"Commit of fenced work":    func() error { return commit(stale) },
		"Commit of the completion": func() error { return commit(complete()) },
	}
}

// writesAreLost makes every kind of write and fails unless each finds that the lease is lost.
func (b *leaseBench[TX]) writesAreLost(held *runtime.Held) {
	b.Helper()
	for _, store := range []runtime.LeaseStore[TX]{b.store, b.other} {
		for name, write := range writes(b, store, held) {
			if err := write(); !errors.Is(err, runtime.ErrLeaseLost) {
				b.Errorf("%s: want ErrLeaseLost, got %v", name, err)
			}
		}
	}
	b.wantEffects("stale", 0)
}
