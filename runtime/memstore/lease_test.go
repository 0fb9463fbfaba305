package memstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// desk is a store with a clock that the test moves, and one id to work on.
type desk struct {
	*testing.T
	*memstore.Store
	clock *clock
	id    runtime.ID
}

func newDesk(t *testing.T) *desk {
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	return &desk{T: t, Store: memstore.New(memstore.WithClock(c.Now)), clock: c, id: runtime.ID{Scope: "s", Key: "k"}}
}

func intent(owner byte) *runtime.Intent {
	return &runtime.Intent{
		Operation: "createPayout", FingerprintVersion: 1, Fingerprint: []byte("f"), Owner: [16]byte{owner}, Lease: time.Minute,
		Request: []byte("request"),
	}
}

func done(body string) *runtime.Advance {
	return &runtime.Advance{Record: &runtime.Record{Status: 201, Body: []byte(body), Retention: time.Hour}}
}

// claim claims the id and fails unless it is held.
func (d *desk) claim(owner byte) *runtime.Held {
	d.Helper()
	claim, err := d.ClaimLease(d.Context(), d.id, intent(owner))
	if err != nil || claim.Held == nil {
		d.Fatalf("not held: %+v, %v", claim, err)
	}
	return claim.Held
}

// body is the body of the complete record, or "".
func (d *desk) body() string {
	d.Helper()
	look, err := d.Look(d.Context(), d.id)
	if err != nil {
		d.Fatal(err)
	}
	if look.Record == nil {
		return ""
	}
	return string(look.Record.Body)
}

func TestStore_A4_I6_AStaleWorkerChangesNothing(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	first := d.claim(1)
	d.clock.Advance(time.Hour)
	second := d.claim(2)
	if second.Fence.Epoch != 2 || string(second.Request) != "request" {
		t.Fatalf("taken over as %+v", second)
	}
	effects := 0
	stale := map[string]func() error{
		"Renew":   func() error { return d.Renew(ctx, d.id, first.Fence, time.Hour) },
		"Yield":   func() error { return d.Yield(ctx, d.id, first.Fence, 0) },
		"Release": func() error { return d.Release(ctx, d.id, first.Fence) },
		"Advance": func() error {
			return d.Advance(ctx, d.id, first.Fence, &runtime.Advance{Steps: []runtime.StepResult{{Name: "stale"}}})
		},
		"Advance, complete": func() error { return d.Advance(ctx, d.id, first.Fence, done("stale")) },
		"FencedWork.Commit": func() error {
			work, err := d.BeginFenced(ctx, d.id, first.Fence)
			if err != nil {
				return err
			}
			_ = memstore.OnCommit(work.Tx(), func() { effects++ })
			return work.Commit(ctx, done("stale"))
		},
	}
	check := func(when string) {
		for name, write := range stale {
			if err := write(); !errors.Is(err, runtime.ErrLeaseLost) {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
		if effects != 0 {
			t.Errorf("%s: a stale worker had an effect", when)
		}
	}
	check("taken over")
	look, err := d.Look(ctx, d.id)
	if err != nil || look.Progress == nil || len(look.Progress.Steps) != 0 || look.Progress.Fence != second.Fence {
		t.Fatalf("%+v, %v", look, err)
	}
	if err := d.Advance(ctx, d.id, second.Fence, done("right")); err != nil {
		t.Fatal(err)
	}
	check("complete")
	if got := d.body(); got != "right" {
		t.Errorf("the record is %q", got)
	}
}

func TestStore_A4_AWorkerThatNobodyHasOvertakenMayStillWrite(t *testing.T) {
	d := newDesk(t)
	held := d.claim(1)
	d.clock.Advance(time.Hour)
	if err := d.Renew(t.Context(), d.id, held.Fence, time.Minute); err != nil {
		t.Error(err)
	}
	if claim, err := d.ClaimLease(t.Context(), d.id, intent(2)); err != nil || claim.Progress == nil {
		t.Errorf("a renewed lease is no obstacle: %+v, %v", claim, err)
	}
}

func TestStore_I7_ACompleteRecordStays(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	held := d.claim(1)
	if err := d.Advance(ctx, d.id, held.Fence, done("first")); err != nil {
		t.Fatal(err)
	}
	if err := d.Advance(ctx, d.id, held.Fence, done("first")); err != nil {
		t.Errorf("the same completion again: %v", err)
	}
	if err := d.Advance(ctx, d.id, held.Fence, &runtime.Advance{Lease: time.Hour}); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("steps after completion: %v", err)
	}
	if err := d.Release(ctx, d.id, held.Fence); !errors.Is(err, runtime.ErrLeaseLost) {
		t.Errorf("Release after completion: %v", err)
	}
	claim, err := d.ClaimLease(ctx, d.id, intent(2))
	if err != nil || claim.Record == nil || string(claim.Record.Body) != "first" {
		t.Fatalf("%+v, %v", claim, err)
	}
	if r := claim.Record; r.Operation != "createPayout" || string(r.Fingerprint) != "f" || r.Attempt != held.Fence.Owner {
		t.Errorf("the record is for another request: %+v", r)
	}
	d.clock.Advance(2 * time.Hour)
	if again := d.claim(3); again.Fence.Epoch != 1 {
		t.Errorf("after the end of the retention: %+v", again)
	}
}

func TestStore_ClaimLease_KnowsItsOwnRowAndOtherRequests(t *testing.T) {
	d := newDesk(t)
	held := d.claim(1)
	if again := d.claim(1); again.Fence != held.Fence {
		t.Errorf("the same claim again: %+v", again)
	}
	d.clock.Advance(time.Hour)
	other := intent(2)
	other.Fingerprint = []byte("g")
	claim, err := d.ClaimLease(t.Context(), d.id, other)
	if err != nil || claim.Progress == nil || claim.Progress.Left != 0 || string(claim.Progress.Fingerprint) != "f" {
		t.Errorf("another request has taken the work over: %+v, %v", claim, err)
	}
	if claim, err := d.Claim(t.Context(), d.id, 0); err != nil || claim.Progress == nil {
		t.Errorf("transaction mode: %+v, %v", claim, err)
	}
}

func TestStore_I1_ATransactionLosesTheRaceAgainstALease(t *testing.T) {
	d := newDesk(t)
	claim, err := d.Claim(t.Context(), d.id, 0)
	if err != nil || claim.Work == nil {
		t.Fatalf("%+v, %v", claim, err)
	}
	_ = memstore.OnCommit(claim.Work.Tx(), func() { t.Error("the effect of the loser was committed") })
	held := d.claim(1)
	if err := claim.Work.Commit(t.Context(), done("").Record); !errors.Is(err, runtime.ErrLostRace) {
		t.Errorf("Commit: %v", err)
	}
	if err := d.Release(t.Context(), d.id, held.Fence); err != nil {
		t.Error(err)
	}
	if claim, err := d.Claim(t.Context(), d.id, 0); err != nil || claim.Work == nil {
		t.Errorf("the lost claim is held for ever: %+v, %v", claim, err)
	}
}

func TestStore_A2_EffectAndStepAreCommittedTogether(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	held := d.claim(1)
	effects := 0
	begin := func() runtime.FencedWork[pgx.Tx] {
		work, err := d.BeginFenced(ctx, d.id, held.Fence)
		if err != nil {
			t.Fatal(err)
		}
		_ = memstore.OnCommit(work.Tx(), func() { effects++ })
		return work
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := begin().Rollback(ended); err != nil {
		t.Error(err)
	}
	if err := begin().Commit(ended, done("")); err == nil {
		t.Error("it is committed without a context")
	}
	if err := begin().Commit(ctx, nil); err == nil {
		t.Error("it is committed without anything to write")
	}
	result := []byte("result")
	work := begin()
	if err := work.Commit(ctx, &runtime.Advance{Steps: []runtime.StepResult{{Name: "reserve", Result: result}}, Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if err := work.Commit(ctx, done("")); err == nil {
		t.Error("it is committed twice")
	}
	if err := work.Rollback(ctx); err != nil {
		t.Error(err)
	}
	result[0] = 'X' // the store has a copy
	look, err := d.Look(ctx, d.id)
	if err != nil || look.Progress == nil || len(look.Progress.Steps) != 1 || effects != 1 {
		t.Fatalf("%+v, %v, %d effects", look, err, effects)
	}
	if step := look.Progress.Steps[0]; step.Name != "reserve" || string(step.Result) != "result" {
		t.Errorf("%s: %s", step.Name, step.Result)
	}
}

func TestStore_A5_TakeOverBeginsWithTheOldest(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for i, key := range []string{"c", "a", "b", "live", "other"} {
		d.id.Key = key
		held := d.claim(byte(i))
		if key == "live" {
			_ = d.Renew(ctx, d.id, held.Fence, 24*time.Hour)
		}
	}
	d.clock.Advance(time.Hour)
	operations := []runtime.OperationLease{{Operation: "createPayout", Lease: time.Minute}}
	if taken, err := d.TakeOver(ctx, []runtime.OperationLease{{Operation: "x"}}, 9); err != nil || len(taken) != 0 {
		t.Errorf("records of another operation: %+v, %v", taken, err)
	}
	backlog, err := d.Backlog(ctx, []string{"createPayout"})
	if err != nil || backlog.InProgress != 5 || backlog.Overdue != 4 || backlog.OldestOverdue.Round(time.Second) != 59*time.Minute {
		t.Errorf("%+v, %v", backlog, err)
	}
	var keys []string
	owners := map[[16]byte]bool{}
	for _, limit := range []int{0, 3, 9} {
		taken, err := d.TakeOver(ctx, operations, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, held := range taken {
			keys = append(keys, held.ID.Key)
			owners[held.Fence.Owner] = true
			if held.Fence.Epoch != 2 || string(held.Request) != "request" {
				t.Errorf("%+v", held)
			}
		}
	}
	if !slices.Equal(keys, []string{"c", "a", "b", "other"}) || len(owners) != 4 {
		t.Errorf("taken over: %q with %d owners", keys, len(owners))
	}
}

func TestStore_X1_APurgeLeavesWorkInProgress(t *testing.T) {
	d := newDesk(t)
	d.claim(1)
	d.clock.Advance(10_000 * time.Hour)
	for i := range 100 {
		d.id.Key = fmt.Sprint(i)
		held := d.claim(2)
		if err := d.Advance(t.Context(), d.id, held.Fence, done("")); err != nil {
			t.Fatal(err)
		}
		d.clock.Advance(2 * time.Hour)
	}
	d.id.Key = "k"
	if look, err := d.Look(t.Context(), d.id); err != nil || look.Progress == nil {
		t.Errorf("%+v, %v", look, err)
	}
	if n := d.Len(); n != 1 {
		t.Errorf("%d records are live", n)
	}
	if n := d.Held(); n > 10 {
		t.Errorf("%d records are held", n)
	}
}
