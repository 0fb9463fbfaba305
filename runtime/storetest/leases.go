package storetest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime"
)

func firstClaim[TX any](t *testing.T, b *leaseBench[TX]) {
	id, in := testID("first"), testIntent(longLease)
	held := b.hold(b.store, id, in)
	if held.ID != id || held.Fence != (runtime.Fence{Epoch: 1, Owner: in.Owner}) || held.Operation != in.Operation ||
		held.FingerprintVersion != in.FingerprintVersion || !bytes.Equal(held.Fingerprint, in.Fingerprint) ||
		!bytes.Equal(held.Request, in.Request) || len(held.Steps) != 0 || held.CreatedAt.IsZero() {
		t.Errorf("held as %+v, by %+v", held, in)
	}
	b.looksInProgress(b.other, id)
	b.hold(b.store, testID("another"), testIntent(longLease))
	b.hold(b.other, runtime.ID{Scope: "p6:acct_2o3:pay", Key: "first"}, testIntent(longLease))
}

func keepsRequests[TX any](t *testing.T, b *leaseBench[TX]) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, request := range map[string][]byte{"none": nil, "empty": {}, "every byte": every, "large": bytes.Repeat(every, 1<<20/256)} {
		id, in := testID("request "+name), testIntent(shortLease)
		in.Request, in.FingerprintVersion, in.Fingerprint, in.Operation = request, 7, []byte{0}, "Überweisung/anlegen"
		b.hold(b.store, id, in)
		b.pass(shortLease + moment)
		again := testIntent(longLease)
		again.FingerprintVersion, again.Fingerprint, again.Operation = 7, []byte{0}, in.Operation
		again.Request = []byte("another encoding of the same request")
		held := b.hold(b.other, id, again)
		if !bytes.Equal(held.Request, request) || held.FingerprintVersion != 7 || !bytes.Equal(held.Fingerprint, []byte{0}) || held.Operation != in.Operation {
			t.Errorf("%s: the first request came back changed: %d bytes of %d", name, len(held.Request), len(request))
		}
	}
}

func repeatedClaim[TX any](t *testing.T, b *leaseBench[TX]) {
	id, in := testID("repeated"), testIntent(shortLease)
	first := b.hold(b.store, id, in)
	again := b.hold(b.other, id, in)
	if again.Fence != first.Fence || !again.CreatedAt.Equal(first.CreatedAt) || !bytes.Equal(again.Request, first.Request) {
		t.Errorf("held as %+v, then as %+v", first, again)
	}
	b.pass(shortLease + moment)
	second := testIntent(longLease)
	b.hold(b.store, id, second)
	taken := b.hold(b.other, id, second)
	if taken.Fence != (runtime.Fence{Epoch: 2, Owner: second.Owner}) {
		t.Errorf("a takeover that is repeated is held as %+v", taken.Fence)
	}
	claim, err := b.store.ClaimLease(b.context(), id, in)
	if err != nil || claim.Progress == nil || claim.Progress.Fence != taken.Fence {
		t.Errorf("the worker that was overtaken claims: %+v, %v", claim, err)
	}
}

func heldIsInProgress[TX any](t *testing.T, b *leaseBench[TX]) {
	id, in := testID("held"), testIntent(longLease)
	held := b.hold(b.store, id, in)
	b.advance(b.store, held, oneStep("charge", "ch_1"))
	for name, store := range map[string]runtime.LeaseStore[TX]{"the same store": b.store, "another store": b.other} {
		for _, fingerprint := range [][]byte{in.Fingerprint, []byte("another")} {
			rival := testIntent(longLease)
			rival.Fingerprint = fingerprint
			claim, err := store.ClaimLease(b.context(), id, rival)
			if err != nil || claim.Held != nil || claim.Record != nil || claim.Progress == nil {
				t.Fatalf("%s: want what is in progress, got %+v, %v", name, claim, err)
			}
			p := claim.Progress
			if p.Operation != in.Operation || p.FingerprintVersion != 1 || !bytes.Equal(p.Fingerprint, in.Fingerprint) || p.Fence != held.Fence ||
				!p.CreatedAt.Equal(held.CreatedAt) || !sameSteps(p.Steps, oneStep("charge", "ch_1").Steps) {
				t.Errorf("%s: in progress as %+v", name, p)
			}
			if p.Left <= longLease-2*patience || p.Left > longLease {
				t.Errorf("%s: %v left of %v", name, p.Left, longLease)
			}
		}
	}
}

func leaseWithEndedContext[TX any](t *testing.T, b *leaseBench[TX]) {
	ctx, cancel := context.WithCancel(b.context())
	cancel()
	id := testID("ended")
	if claim, err := b.store.ClaimLease(ctx, id, testIntent(longLease)); err == nil || claim.Held != nil {
		t.Errorf("ClaimLease: want an error, got %+v, %v", claim, err)
	}
	b.looksAbsent(b.other, id)
	held := b.hold(b.store, id, testIntent(longLease))
	if work, err := b.store.BeginFenced(ctx, id, held.Fence); err == nil {
		t.Error("BeginFenced: want an error")
		_ = work.Rollback(b.context())
	}
	if err := b.store.Renew(ctx, id, held.Fence, longLease); err == nil || errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("Renew: want an error that is not ErrLeaseLost, got %v", err)
	}
}

func manyClaims[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("hot")
	ctx := b.context()
	claims := make([]runtime.LeaseClaim, 200)
	errs := make([]error, len(claims))
	var all sync.WaitGroup
	for i := range claims {
		store := []runtime.LeaseStore[TX]{b.store, b.other}[i%2]
		all.Go(func() { claims[i], errs[i] = store.ClaimLease(ctx, id, testIntent(longLease)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, claim := range claims {
		switch {
		case claim.Held != nil:
			held++
		case claim.Progress == nil:
			t.Errorf("want it held or in progress, got %+v", claim)
		}
	}
	if held != 1 {
		t.Errorf("held %d times", held)
	}
}

func keepsSteps[TX any](t *testing.T, b *leaseBench[TX]) {
	id := testID("steps")
	held := b.hold(b.store, id, testIntent(longLease))
	var steps []runtime.StepResult
	for _, step := range []runtime.StepResult{
		{Name: "reserve", Result: []byte(`{"id":1}`)},
		{Name: "no result"},
		{Name: "charge/karte-ü", Result: []byte("\x00\xff\x80 reserve")},
		{Name: "large", Result: bytes.Repeat([]byte("0123456789"), 30_000)},
		{Name: strings.Repeat("n", 200), Result: []byte{0}},
	} {
		steps = append(steps, step)
		to := &runtime.Advance{Steps: steps, Lease: longLease}
		if len(steps)%2 == 0 {
			b.advance(b.other, held, to)
		} else if err := b.begin(b.store, held).Commit(b.context(), to); err != nil {
			t.Fatalf("Commit: %v", err)
		}
		if got := b.looksInProgress(b.other, id); !sameSteps(got.Steps, steps) || got.Fence != held.Fence {
			t.Fatalf("after %d steps there are %d, under %+v", len(steps), len(got.Steps), got.Fence)
		}
	}
	if err := b.store.Yield(b.context(), id, held.Fence, 0); err != nil {
		t.Fatal(err)
	}
	if taken := b.hold(b.other, id, testIntent(longLease)); !sameSteps(taken.Steps, steps) {
		t.Errorf("taken over with %d steps", len(taken.Steps))
	}
}

func stepCommitsTogether[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("together"), testIntent(longLease))
	work := b.begin(b.store, held)
	b.fencedEffect(work, "together")
	if err := work.Commit(b.context(), oneStep("reserve", "1")); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	b.wantEffects("together", 1)
	if got := b.looksInProgress(b.other, held.ID); !sameSteps(got.Steps, oneStep("reserve", "1").Steps) {
		t.Errorf("the steps are %+v", got.Steps)
	}
}

func answerCommitsTogether[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("answer"), testIntent(longLease))
	work := b.begin(b.store, held)
	b.fencedEffect(work, "answer")
	want := answer(held)
	if err := work.Commit(b.context(), &runtime.Advance{Record: want}); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	b.wantEffects("answer", 1)
	if diff := difference(b.looksComplete(b.other, held.ID), want); diff != "" {
		t.Errorf("Look: %s differs", diff)
	}
	claim, err := b.other.ClaimLease(b.context(), held.ID, testIntent(longLease))
	if err != nil || claim.Record == nil || claim.Held != nil || claim.Progress != nil {
		t.Fatalf("ClaimLease: want the record, got %+v, %v", claim, err)
	}
	if diff := difference(claim.Record, want); diff != "" {
		t.Errorf("ClaimLease: %s differs", diff)
	}
	if diff := difference(b.find(b.other, held.ID), want); diff != "" {
		t.Errorf("Claim: %s differs", diff)
	}
}

func fencedRollback[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("rollback"), testIntent(longLease))
	before := b.looksInProgress(b.other, held.ID)
	ctx, cancel := context.WithCancel(b.context())
	work, err := b.store.BeginFenced(ctx, held.ID, held.Fence)
	if err != nil {
		t.Fatal(err)
	}
	b.fencedEffect(work, "rollback")
	cancel()
	if err := work.Rollback(ctx); err != nil {
		t.Errorf("Rollback: %v", err)
	}
	b.wantEffects("rollback", 0)
	if after := b.looksInProgress(b.other, held.ID); len(after.Steps) != 0 || after.Fence != before.Fence {
		t.Errorf("in progress as %+v, before as %+v", after, before)
	}
}

func nothingBeforeFencedCommit[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("before"), testIntent(longLease))
	work := b.begin(b.store, held)
	b.fencedEffect(work, "before")
	b.wantEffects("before", 0)
	if got := b.looksInProgress(b.other, held.ID); len(got.Steps) != 0 {
		t.Errorf("steps before the commit: %+v", got.Steps)
	}
	if err := work.Commit(b.context(), &runtime.Advance{Record: answer(held)}); err != nil {
		t.Fatal(err)
	}
	b.wantEffects("before", 1)
}

func fencedWorkEndsOnce[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("once"), testIntent(longLease))
	for _, commit := range []bool{true, false} {
		work := b.begin(b.store, held)
		b.fencedEffect(work, "once")
		if commit {
			if err := work.Commit(b.context(), oneStep("once", "")); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := work.Rollback(b.context()); err != nil {
				t.Errorf("Rollback after the end: %v", err)
			}
		}
		if err := work.Commit(b.context(), oneStep("once", "again")); err == nil {
			t.Error("a second end is no error")
		}
	}
	b.wantEffects("once", 1)
	if got := b.looksInProgress(b.other, held.ID); !sameSteps(got.Steps, oneStep("once", "").Steps) {
		t.Errorf("the steps are %+v", got.Steps)
	}
	if err := b.begin(b.store, held).Commit(b.context(), nil); err == nil {
		t.Error("a commit of nothing is no error")
	}
}

func fencedWorkOutlivesContext[TX any](t *testing.T, b *leaseBench[TX]) {
	held := b.hold(b.store, testID("outlives"), testIntent(longLease))
	ctx, cancel := context.WithCancel(b.context())
	work, err := b.store.BeginFenced(ctx, held.ID, held.Fence)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	b.fencedEffect(work, "outlives")
	if err := work.Commit(b.context(), oneStep("outlives", "")); err != nil {
		t.Fatal(err)
	}
	b.wantEffects("outlives", 1)
}

func keepsAnswers[TX any](t *testing.T, b *leaseBench[TX]) {
	for name, change := range map[string]func(*runtime.Record){
		"as usual":  func(*runtime.Record) {},
		"declined":  func(r *runtime.Record) { r.Status = 402 },
		"a 5xx":     func(r *runtime.Record) { r.Status = 502 },
		"no header": func(r *runtime.Record) { r.Header = nil },
		"headers":   func(r *runtime.Record) { r.Header = map[string][]string{"Link": {"<a>", "<b>"}, "X-Odd": {"caf\xe9"}} },
		"empty":     func(r *runtime.Record) { r.Body = []byte{} },
		"no text":   func(r *runtime.Record) { r.Body = []byte("\x00\xff") },
		"omitted":   func(r *runtime.Record) { r.Body, r.BodyState = nil, runtime.BodyOmitted },
		"too large": func(r *runtime.Record) { r.Body, r.BodyState = nil, runtime.BodyTooLarge },
	} {
		for _, joined := range []bool{false, true} {
			id := testID(name)
			id.Key += map[bool]string{true: ", joined"}[joined]
			held := b.hold(b.store, id, testIntent(longLease))
			b.advance(b.store, held, oneStep("charge", "ch_1"))
			want := answer(held)
			change(want)
			if joined {
				if err := b.begin(b.store, held).Commit(b.context(), &runtime.Advance{Record: want}); err != nil {
					t.Fatalf("%s: Commit: %v", name, err)
				}
			} else {
				b.advance(b.other, held, &runtime.Advance{Record: want})
			}
			if diff := difference(b.looksComplete(b.other, id), want); diff != "" {
				t.Errorf("%s, joined %v: %s differs", name, joined, diff)
			}
		}
	}
}

func leasesAreCopies[TX any](t *testing.T, b *leaseBench[TX]) {
	id, in := testID("copies"), testIntent(longLease)
	held := b.hold(b.store, id, in)
	in.Request[0], in.Fingerprint[0] = 'x', 'x'
	held.Request[0], held.Fingerprint[0] = 'y', 'y'
	to := oneStep("charge", "ch_1")
	b.advance(b.store, held, to)
	to.Steps[0].Result[0] = 'x'
	b.looksInProgress(b.store, id).Steps[0].Result[0] = 'y'
	b.looksInProgress(b.store, id).Fingerprint[0] = 'z'
	if err := b.store.Yield(b.context(), id, held.Fence, 0); err != nil {
		t.Fatal(err)
	}
	clean := testIntent(longLease)
	held = b.hold(b.store, id, clean)
	if !bytes.Equal(held.Request, clean.Request) || !sameSteps(held.Steps, oneStep("charge", "ch_1").Steps) {
		t.Errorf("what the store keeps was changed from outside: %q, %+v", held.Request, held.Steps)
	}
	want := answer(held)
	given := *want
	given.Operation, given.FingerprintVersion, given.Fingerprint, given.Attempt = "another", 9, []byte("another"), [16]byte{9}
	b.advance(b.store, held, &runtime.Advance{Record: &given})
	given.Body[0] = 'x'
	want.Body = testRecord().Body
	if diff := difference(b.looksComplete(b.store, id), want); diff != "" {
		t.Errorf("of the complete record %s differs", diff)
	}
}
