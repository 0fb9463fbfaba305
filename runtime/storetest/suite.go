package storetest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// Suite says how the store under test is opened.
type Suite[TX any] struct {
	// Open returns an instance over data of its own, and has t clean up after it. It is called once for each subtest.
	Open func(t *testing.T) Instance[TX]
}

// Instance is the store under test.
type Instance[TX any] struct {
	// Store is the store; Other is a second one over the same data, as another process has it. Where a store is bound to
	// one process by nature, Other may be Store itself.
	Store, Other runtime.Store[TX]
	// Effect makes one business effect in tx, which counts under name once it is committed.
	Effect func(ctx context.Context, tx TX, name string) error
	// Effects counts the committed effects under name.
	Effects func(t *testing.T, name string) int
	// Advance lets d pass on the store's clock. When it is nil, the suite waits for real.
	Advance func(d time.Duration)
}

// Run runs the suite, each part as a subtest.
func Run[TX any](t *testing.T, s Suite[TX]) {
	if s.Open == nil {
		t.Fatal("storetest: Suite.Open is nil")
	}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *bench[TX])
	}{
		{"a won id commits effect and record together (A1, I2)", commitsTogether[TX]},
		{"a rollback leaves nothing (I13)", rollbackLeavesNothing[TX]},
		{"nothing is visible before the commit", nothingBeforeCommit[TX]},
		{"a record keeps every field (R1, R5)", keepsEveryField[TX]},
		{"a record keeps every kind of body (R5)", keepsBodies[TX]},
		{"a record keeps every header value (R1)", keepsHeaders[TX]},
		{"a record is not shared with its readers (I7)", recordsAreCopies[TX]},
		{"ids differ by every byte of scope and key (S1)", idsDiffer[TX]},
		{"ids do not block each other (C4)", idsDoNotBlock[TX]},
		{"a held id is busy at once (C2)", busyAtOnce[TX]},
		{"a waiting claim gets the record (C2)", waitGetsRecord[TX]},
		{"a waiting claim wins after a rollback (C2)", waitWinsAfterRollback[TX]},
		{"a waiting claim gives up after its wait (C2)", waitGivesUp[TX]},
		{"a waiting claim ends with its context", waitEndsWithContext[TX]},
		{"a claim's context does not bound its work", workOutlivesContext[TX]},
		{"a claim with a context that has ended holds nothing", claimWithEndedContext[TX]},
		{"a rollback works when the context has ended (A8)", rollbackWithEndedContext[TX]},
		{"a thousand claims have one effect (C1, I1)", thousandClaims[TX]},
		{"an expired record is absent (X1)", expiredIsAbsent[TX]},
		{"an expired record is replaced once (X1, I1)", expiredIsReplacedOnce[TX]},
		{"times are the store's (X4, I12)", timesAreTheStores[TX]},
		{"the time that it tells is the one that records expire by (X3, I12)", tellsItsTime[TX]},
		{"work without a claim commits and rolls back", withoutClaim[TX]},
		{"work ends once", workEndsOnce[TX]},
		{"an ordinary error is neither retryable nor a violation", ordinaryError[TX]},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.run(t, &bench[TX]{T: t, Instance: s.Open(t)})
		})
	}
}

// bench is one instance under test, with what the parts have in common.
type bench[TX any] struct {
	*testing.T
	Instance[TX]
}

const (
	// patience is longer than anything in the suite takes, and bounds what would hang.
	patience = 30 * time.Second
	// moment is long enough for a goroutine to be seen waiting.
	moment = 50 * time.Millisecond
)

func (b *bench[TX]) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.Cleanup(cancel)
	return ctx
}

// win claims id and fails unless it is won.
func (b *bench[TX]) win(store runtime.Store[TX], id runtime.ID) runtime.Work[TX] {
	b.Helper()
	claim, err := store.Claim(b.context(), id, 0)
	if err != nil {
		b.Fatalf("Claim: %v", err)
	}
	if claim.Work == nil || claim.Record != nil {
		b.Fatalf("Claim: the id was not won: %+v", claim)
	}
	return claim.Work
}

// find claims id and fails unless a record is found.
func (b *bench[TX]) find(store runtime.Store[TX], id runtime.ID) *runtime.Record {
	b.Helper()
	claim, err := store.Claim(b.context(), id, 0)
	if err != nil {
		b.Fatalf("Claim: %v", err)
	}
	if claim.Record == nil || claim.Work != nil {
		b.Fatalf("Claim: no record was found: %+v", claim)
	}
	return claim.Record
}

// free fails unless id can be won, which it is and then is given back.
func (b *bench[TX]) free(store runtime.Store[TX], id runtime.ID) {
	b.Helper()
	b.rollback(b.win(store, id))
}

func (b *bench[TX]) commit(work runtime.Work[TX], record *runtime.Record) {
	b.Helper()
	if err := work.Commit(b.context(), record); err != nil {
		b.Fatalf("Commit: %v", err)
	}
}

func (b *bench[TX]) rollback(work runtime.Work[TX]) {
	b.Helper()
	if err := work.Rollback(b.context()); err != nil {
		b.Fatalf("Rollback: %v", err)
	}
}

func (b *bench[TX]) effect(work runtime.Work[TX], name string) {
	b.Helper()
	if err := b.Effect(b.context(), work.Tx(), name); err != nil {
		b.Fatalf("Effect: %v", err)
	}
}

func (b *bench[TX]) wantEffects(name string, want int) {
	b.Helper()
	if got := b.Effects(b.T, name); got != want {
		b.Errorf("effects under %q: got %d, want %d", name, got, want)
	}
}

// pass lets time pass.
func (b *bench[TX]) pass(d time.Duration) {
	if b.Advance != nil {
		b.Advance(d)
		return
	}
	time.Sleep(d)
}

// later runs f in a goroutine and returns a function that waits for what it returns.
func later[V any](t *testing.T, f func() V) (wait func() V) {
	done := make(chan V, 1)
	go func() { done <- f() }()
	return func() V {
		t.Helper()
		select {
		case v := <-done:
			return v
		case <-time.After(patience):
			t.Fatal("it does not return")
			panic("not reached")
		}
	}
}

// outcome is what a claim returned.
type outcome[TX any] struct {
	runtime.Claim[TX]
	err error
}

// testID is an id of which key is the interesting part.
func testID(key string) runtime.ID { return runtime.ID{Scope: "p6:acct_1o3:pay", Key: key} }

// testRecord is an ordinary record with a random attempt.
func testRecord() *runtime.Record {
	r := &runtime.Record{
		Operation:          "createPayment",
		FingerprintVersion: 1,
		Fingerprint:        make([]byte, 32),
		Status:             201,
		Header:             map[string][]string{"Content-Type": {"application/json"}, "Location": {"/payments/1"}},
		Body:               []byte(`{"id":1}`),
		Retention:          time.Hour,
	}
	_, _ = rand.Read(r.Fingerprint)
	_, _ = rand.Read(r.Attempt[:])
	return r
}
