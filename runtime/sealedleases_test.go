package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A sealed store keeps leases where the store within does, and does not pretend to where it does not.
func TestSealed_R8_KeepsLeasesWhereTheStoreDoes(t *testing.T) {
	keys := sealer(t, "old", map[string][]byte{"old": oldKey})
	for name, c := range map[string]struct {
		store runtime.Store[pgx.Tx]
		want  bool
	}{
		"one that does":      {memstore.New(), true},
		"one that does not":  {describingStore{memstore.New()}, false},
		"sealed twice":       {sealedBy(t, memstore.New(), keys), true},
		"sealed twice, none": {sealedBy(t, describingStore{memstore.New()}, keys), false},
	} {
		if _, ok := sealedBy(t, c.store, keys).(runtime.LeaseStore[pgx.Tx]); ok != c.want {
			t.Errorf("%s: a LeaseStore: %v", name, ok)
		}
	}
}

func sealedBy(t *testing.T, store runtime.Store[pgx.Tx], s runtime.Sealer) runtime.Store[pgx.Tx] {
	t.Helper()
	sealed, err := runtime.Sealed(store, s)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func sealedLeases(t *testing.T, store runtime.Store[pgx.Tx], s runtime.Sealer) runtime.LeaseStore[pgx.Tx] {
	t.Helper()
	return sealedBy(t, store, s).(runtime.LeaseStore[pgx.Tx])
}

// safe is a store with one record in progress, which was claimed and brought on under the old key.
type safe struct {
	*testing.T
	inner         *memstore.Store
	clock         *clock
	before, after runtime.LeaseStore[pgx.Tx] // with the old key, and with a new one beside it
	id            runtime.ID
	intent        runtime.Intent
	held          *runtime.Held
}

var (
	reserveDone  = runtime.StepResult{Name: "reserve", Result: []byte(`"secret reservation"`)}
	transferDone = runtime.StepResult{Name: "transfer", Result: []byte(`"secret transfer"`)}
)

func newSafe(t *testing.T) *safe {
	t.Helper()
	s := &safe{T: t, clock: &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, id: runtime.ID{Scope: "s", Key: "1"}}
	s.inner = memstore.New(memstore.WithClock(s.clock.Now))
	s.before = sealedLeases(t, s.inner, sealer(t, "old", map[string][]byte{"old": oldKey}))
	s.after = sealedLeases(t, s.inner, sealer(t, "new", map[string][]byte{"old": oldKey, "new": newKey}))
	s.intent = runtime.Intent{
		Operation: "op", FingerprintVersion: 1, Fingerprint: []byte("print"), Owner: [16]byte{1}, Lease: time.Minute, Request: []byte("secret request"),
	}
	s.held = s.claim(s.before, s.id, 1)
	s.check(s.before.Advance(context.Background(), s.id, s.held.Fence, &runtime.Advance{Lease: time.Minute, Steps: []runtime.StepResult{reserveDone}}))
	return s
}

func (s *safe) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *safe) claim(store runtime.LeaseStore[pgx.Tx], id runtime.ID, owner byte) *runtime.Held {
	s.Helper()
	intent := s.intent
	intent.Owner = [16]byte{owner}
	claim, err := store.ClaimLease(context.Background(), id, &intent)
	if err != nil || claim.Held == nil {
		s.Fatalf("%+v, %v", claim, err)
	}
	if !bytes.Equal(intent.Request, s.intent.Request) {
		s.Error("the intent was changed")
	}
	return claim.Held
}

// overdue lets the lease end.
func (s *safe) overdue() { s.clock.Advance(2 * time.Minute) }

func (s *safe) takeOver(store runtime.LeaseStore[pgx.Tx]) []runtime.Held {
	s.Helper()
	taken, err := store.TakeOver(context.Background(), []runtime.OperationLease{{Operation: "op", Lease: time.Minute}}, 10)
	s.check(err)
	return taken
}

// wantOpen checks what a worker that took the work over reads.
func (s *safe) wantOpen(held *runtime.Held, steps ...runtime.StepResult) {
	s.Helper()
	if held.Unreadable != nil || string(held.Request) != "secret request" || len(held.Steps) != len(steps) {
		s.Fatalf("%+v", held)
	}
	for i, step := range steps {
		if held.Steps[i].Name != step.Name || !bytes.Equal(held.Steps[i].Result, step.Result) {
			s.Errorf("step %d: %s", i, held.Steps[i].Result)
		}
	}
}

// All that is stored is sealed, each time anew, and a worker after a change of keys reads it.
func TestSealed_R8_LeaseModeUnderOldAndNewKeys(t *testing.T) {
	ctx := context.Background()
	s := newSafe(t)
	s.overdue()
	raw := s.takeOver(s.inner)[0]
	for _, stored := range [][]byte{raw.Request, raw.Steps[0].Result} {
		if bytes.Contains(stored, []byte("secret")) || !bytes.Contains(stored, []byte("old")) {
			t.Errorf("stored as %q", stored)
		}
	}
	s.overdue()
	held := s.claim(s.after, s.id, 2) // by a request
	s.wantOpen(held, reserveDone)
	s.wantOpen(s.claim(s.after, s.id, 2), reserveDone) // the same again
	s.overdue()
	held = &s.takeOver(s.after)[0] // by recovery
	s.wantOpen(held, reserveDone)

	// The next step, in one transaction with its work.
	work, err := s.after.BeginFenced(ctx, s.id, held.Fence)
	s.check(err)
	effects := 0
	s.check(memstore.OnCommit(work.Tx(), func() { effects++ }))
	to := &runtime.Advance{Lease: time.Minute, Steps: append(slices.Clip(held.Steps), transferDone)}
	s.check(work.Commit(ctx, to))
	if string(to.Steps[1].Result) != `"secret transfer"` || effects != 1 {
		t.Errorf("%s, %d effects", to.Steps[1].Result, effects)
	}
	look, err := s.after.Look(ctx, s.id)
	s.check(err)
	if p := look.Progress; p == nil || len(p.Steps) != 2 || string(p.Steps[1].Result) != `"secret transfer"` {
		t.Errorf("%+v", look.Progress)
	}
	other := s.intent
	other.Owner = [16]byte{9}
	claim, err := s.after.ClaimLease(ctx, s.id, &other)
	s.check(err)
	if p := claim.Progress; p == nil || len(p.Steps) != 2 || string(p.Steps[0].Result) != `"secret reservation"` {
		t.Errorf("%+v", claim)
	}
	// Who has no longer the key of a step sees that the work is in progress all the same.
	look, err = sealedLeases(t, s.inner, sealer(t, "other", map[string][]byte{"other": newKey})).Look(ctx, s.id)
	s.check(err)
	if p := look.Progress; p == nil || len(p.Steps) != 2 || p.Steps[0].Name != "reserve" || p.Steps[0].Result != nil {
		t.Errorf("%+v", look.Progress)
	}

	// The answer. Whatever attempt the worker names, the record's is its owner.
	record := &runtime.Record{Status: 201, Body: []byte("secret answer"), Retention: time.Hour, Attempt: [16]byte{42}}
	s.check(s.after.Advance(ctx, s.id, held.Fence, &runtime.Advance{Record: record}))
	s.check(s.after.Advance(ctx, s.id, held.Fence, &runtime.Advance{Record: record})) // again, after a lost answer
	if string(record.Body) != "secret answer" || record.Attempt != [16]byte{42} {
		t.Errorf("the record was changed: %+v", record)
	}
	inside, err := s.inner.Look(ctx, s.id)
	s.check(err)
	if body := inside.Record.Body; bytes.Contains(body, []byte("secret")) || !bytes.Contains(body, []byte("new")) {
		t.Errorf("stored as %q", body)
	}
	look, err = s.after.Look(ctx, s.id)
	s.check(err)
	claim, err = s.after.ClaimLease(ctx, s.id, &other)
	s.check(err)
	same, err := s.after.Claim(ctx, s.id, 0)
	s.check(err)
	for _, got := range []*runtime.Record{look.Record, claim.Record, same.Record} {
		if got == nil || string(got.Body) != "secret answer" {
			t.Errorf("%+v", got)
		}
	}
	look, err = s.before.Look(ctx, s.id)
	if err != nil || look.Record.Unreadable == nil {
		t.Errorf("it opens without its key: %v", err)
	}
	claim, err = s.before.ClaimLease(ctx, s.id, &other)
	if err != nil || claim.Record.Unreadable == nil {
		t.Errorf("it opens without its key: %v", err)
	}
}

// What does not open is held all the same, says so, and stands in nobody's way.
func TestSealed_R8_A5_UnreadableIsHeldAndYielded(t *testing.T) {
	ctx := context.Background()
	s := newSafe(t)
	other := runtime.ID{Scope: "s", Key: "2"}
	s.claim(s.after, other, 1) // which the old key alone does not open
	s.overdue()
	taken := s.takeOver(s.before)
	if len(taken) != 2 {
		t.Fatalf("%+v", taken)
	}
	for i := range taken {
		held := &taken[i]
		if held.ID == s.id {
			s.wantOpen(held, reserveDone)
			continue
		}
		if held.Unreadable == nil || held.Request != nil || held.Steps != nil || held.Fence.Epoch != 2 {
			t.Errorf("%+v", held)
		}
		s.check(s.before.Yield(ctx, held.ID, held.Fence, 0))
	}
	if held := s.claim(s.before, other, 3); held.Unreadable == nil || held.Fence.Epoch != 3 {
		t.Errorf("%+v", held)
	}
}

// Nothing that is sealed opens where it does not belong, whatever its kind.
func TestSealed_R8_NothingOpensElsewhere(t *testing.T) {
	ctx := context.Background()
	s := newSafe(t)
	s.check(s.before.Advance(ctx, s.id, s.held.Fence, &runtime.Advance{Lease: time.Minute, Steps: []runtime.StepResult{reserveDone, transferDone}}))
	s.overdue()
	raw := s.takeOver(s.inner)[0]
	request, reserve, transfer := raw.Request, raw.Steps[0].Result, raw.Steps[1].Result
	done := runtime.ID{Scope: "s", Key: "done"}
	held := s.claim(s.before, done, 1)
	s.check(s.before.Advance(ctx, done, held.Fence, &runtime.Advance{Record: &runtime.Record{Status: 200, Body: []byte("secret"), Retention: time.Hour}}))
	look, err := s.inner.Look(ctx, done)
	s.check(err)
	body := look.Record.Body

	for name, c := range map[string]struct {
		id      runtime.ID
		print   string
		request []byte
		steps   []runtime.StepResult
		opens   bool
	}{
		"as it was":                  {s.id, "print", request, []runtime.StepResult{{Name: "reserve", Result: reserve}, {Name: "transfer", Result: transfer}}, true},
		"another key":                {runtime.ID{Scope: "s", Key: "11"}, "print", request, nil, false},
		"another scope":              {runtime.ID{Scope: "s1", Key: "1"}, "print", request, nil, false},
		"scope and key, cut anew":    {runtime.ID{Scope: "", Key: "s1"}, "print", request, nil, false},
		"another fingerprint":        {s.id, "other", request, nil, false},
		"results exchanged":          {s.id, "print", request, []runtime.StepResult{{Name: "reserve", Result: transfer}, {Name: "transfer", Result: reserve}}, false},
		"a result of another record": {runtime.ID{Scope: "s", Key: "2"}, "print", []byte("secret request"), []runtime.StepResult{{Name: "reserve", Result: reserve}}, false},
		"a request as a result":      {s.id, "print", request, []runtime.StepResult{{Name: "reserve", Result: request}}, false},
		"one of that fingerprint":    {s.id, "print", request, []runtime.StepResult{{Name: "print", Result: request}}, false},
		"a result as a request":      {s.id, "print", reserve, nil, false},
		"an answer as a request":     {done, "print", body, nil, false},
		"an answer as a result":      {done, "print", []byte("secret request"), []runtime.StepResult{{Name: "reserve", Result: body}}, false},
		"cut off":                    {s.id, "print", request[:len(request)-1], nil, false},
		"before there was a sealer":  {s.id, "print", []byte("secret request"), []runtime.StepResult{reserveDone, transferDone}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.steps = append([]runtime.StepResult(nil), c.steps...)
			moved := &safe{T: t, clock: s.clock, intent: s.intent}
			moved.inner = memstore.New(memstore.WithClock(s.clock.Now))
			moved.intent.Request, moved.intent.Fingerprint = c.request, []byte(c.print)
			held := moved.claim(moved.inner, c.id, 1)
			moved.check(moved.inner.Advance(ctx, c.id, held.Fence, &runtime.Advance{Lease: time.Minute, Steps: c.steps}))
			moved.overdue()
			store := sealedLeases(t, moved.inner, sealer(t, "old", map[string][]byte{"old": oldKey}))
			got := moved.takeOver(store)[0]
			if !c.opens {
				if got.Unreadable == nil || got.Request != nil || got.Steps != nil {
					t.Errorf("it opens: %+v", got)
				}
				return
			}
			moved.wantOpen(&got, reserveDone, transferDone)
		})
	}
}

// switchedSealer fails, or panics, while it is told to, at sealing what is said or at opening.
type switchedSealer struct {
	runtime.Sealer
	sealing, opening atomic.Value // of string: "", "fails" or "panics"
	only             string       // what is sealed while it works goes well; "" is everything
}

func (s *switchedSealer) Seal(ctx context.Context, plain, associated []byte) (string, []byte, error) {
	if s.only == "" || bytes.Contains(plain, []byte(s.only)) {
		if err := misbehave(&s.sealing); err != nil {
			return "", nil, err
		}
	}
	return s.Sealer.Seal(ctx, plain, associated)
}

func (s *switchedSealer) Open(ctx context.Context, keyID string, sealed, associated []byte) ([]byte, error) {
	if err := misbehave(&s.opening); err != nil {
		return nil, err
	}
	return s.Sealer.Open(ctx, keyID, sealed, associated)
}

func misbehave(how *atomic.Value) error {
	switch how.Load() {
	case "fails":
		return errSealer
	case "panics":
		panic("no key")
	}
	return nil
}

// A sealer that fails is an error in each place, and so is one that panics. Nothing is written, and nothing is lost.
func TestSealed_R8_SealerThatFails(t *testing.T) {
	ctx := context.Background()
	for _, how := range []string{"fails", "panics"} {
		s := newSafe(t)
		keys := &switchedSealer{Sealer: sealer(t, "old", map[string][]byte{"old": oldKey})}
		store := sealedLeases(t, s.inner, keys)
		wantFault := func(what string, err error) {
			t.Helper()
			var panicked *runtime.PanicError
			if how == "fails" && !errors.Is(err, errSealer) || how == "panics" && !errors.As(err, &panicked) {
				t.Errorf("%s: %v", what, err)
			}
		}
		keys.sealing.Store(how)
		id, intent := runtime.ID{Scope: "s", Key: how}, s.intent
		_, err := store.ClaimLease(ctx, id, &intent)
		wantFault("claim", err)
		if look, err := s.inner.Look(ctx, id); err != nil || look.Progress != nil {
			t.Errorf("it was claimed: %+v, %v", look, err)
		}
		step := &runtime.Advance{Lease: time.Minute, Steps: []runtime.StepResult{reserveDone, transferDone}}
		for _, to := range []*runtime.Advance{step, {Record: &runtime.Record{Body: []byte("x"), Retention: time.Hour}}} {
			wantFault("advance", store.Advance(ctx, s.id, s.held.Fence, to))
			work, err := store.BeginFenced(ctx, s.id, s.held.Fence)
			s.check(err)
			s.check(memstore.OnCommit(work.Tx(), func() { t.Error("the work was committed") }))
			wantFault("commit", work.Commit(ctx, to))
			keys.sealing.Store("")
			if err := work.Commit(ctx, to); err == nil {
				t.Error("the work has not ended")
			}
			keys.sealing.Store(how)
			s.check(work.Rollback(ctx))
		}
		// Nothing changed, and what needs no key goes on.
		if look, err := store.Look(ctx, s.id); err != nil || look.Progress == nil || len(look.Progress.Steps) != 1 {
			t.Errorf("%+v, %v", look, err)
		}
		s.check(store.Renew(ctx, s.id, s.held.Fence, time.Minute))
		omitted := &runtime.Record{BodyState: runtime.BodyOmitted, Retention: time.Hour}
		s.check(store.Advance(ctx, s.id, s.held.Fence, &runtime.Advance{Record: omitted}))

		keys.sealing.Store("")
		s.check(store.Release(ctx, id, s.claim(store, id, 1).Fence))
		id.Key = "answer"
		held := s.claim(store, id, 1)
		s.check(store.Advance(ctx, id, held.Fence, &runtime.Advance{Record: &runtime.Record{Body: []byte("x"), Retention: time.Hour}}))
		keys.opening.Store(how)
		look, err := store.Look(ctx, id)
		s.check(err)
		wantFault("look", look.Record.Unreadable)
		claim, err := store.Claim(ctx, id, 0)
		s.check(err)
		wantFault("claim of a record", claim.Record.Unreadable)
		id.Key = "overdue"
		if held := s.claim(store, id, 1); held.Unreadable != nil || string(held.Request) != "secret request" { // it needs no opening
			t.Errorf("%+v", held)
		}
		s.overdue()
		if backlog, err := store.Backlog(ctx, []string{"op"}); err != nil || backlog.Overdue != 1 {
			t.Errorf("%+v, %v", backlog, err)
		}
		wantFault("take over", s.takeOver(store)[0].Unreadable)
	}
}

// sealedOffice is an office over a sealed store.
func sealedOffice(t *testing.T, keys runtime.Sealer) *office {
	t.Helper()
	o := newOffice(t, payout())
	engine, err := runtime.New(sealedBy(t, o.leases, keys), bearer, runtime.WithLogger(silent()), runtime.WithCommitTimeout(50*time.Millisecond), runtime.WithObserver(&o.seen))
	if err != nil {
		t.Fatal(err)
	}
	o.engine, o.mux = engine, http.NewServeMux()
	o.serve(o.mux, engine)
	return o
}

// A request that cannot be sealed is not carried out.
func TestSealed_R8_I9_RequestThatCannotBeSealed(t *testing.T) {
	for _, how := range []string{"fails", "panics"} {
		keys := &switchedSealer{Sealer: sealer(t, "old", map[string][]byte{"old": oldKey})}
		o := sealedOffice(t, keys)
		keys.sealing.Store(how)
		o.post("k", body).wantProblem(t, 503, "unavailable")
		o.wantNothing()
		keys.sealing.Store("")
		first := o.post("k", body)
		if first.status != 201 {
			t.Fatalf("%+v", first)
		}
		wantReplay(t, first, o.post("k", body))
		o.wantPaid()
	}
}

// A result that cannot be sealed belongs to a step that has happened: it is asked about, and not made again.
func TestSealed_R8_A5_ResultThatCannotBeSealed(t *testing.T) {
	for _, how := range []string{"fails", "panics"} {
		keys := &switchedSealer{Sealer: sealer(t, "old", map[string][]byte{"old": oldKey}), only: `"t-`}
		o := sealedOffice(t, keys)
		keys.sealing.Store(how)
		a := o.post("k", body)
		a.wantProblem(t, 503, "outcome-unknown")
		a.wantRetryAfter(t)
		if o.bank.effects() != 1 {
			t.Errorf("%d transfers", o.bank.effects())
		}
		// As long as nothing opens, the work rests; it is not lost.
		o.overdue("k")
		keys.opening.Store(how)
		if report := o.recover(); report.Taken != 1 || report.Completed != 0 {
			t.Errorf("%+v", report)
		}
		o.overdue("k")
		o.post("k", body).wantProblem(t, 503, "outcome-unknown")
		// With the keys back it is finished.
		o.overdue("k")
		keys.opening.Store("")
		keys.sealing.Store("")
		if report := o.recover(); report.Completed != 1 {
			t.Errorf("%+v", report)
		}
		o.wantPaid()
		if a := o.post("k", body); a.status != 201 || !a.replayed() || !strings.HasPrefix(a.body, "paid 7 by t-") {
			t.Errorf("%+v", a)
		}
	}
}
